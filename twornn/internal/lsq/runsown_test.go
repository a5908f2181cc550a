package lsq

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// With a start of its own for each run the sum of squares is the least over all of them, by
// ridge regression on the columns that outputs from other starts tell; its gradient is that
// of central differences, and JᵀJ that of rows from which the starts are projected out.
func TestRunsWithStartsOfTheirOwn(t *testing.T) {
	const n, d, p, own = 4, 3, 2, 0.3
	rnd := rand.New(rand.NewPCG(1, 2))
	r := &Runs{Shape: Shape{n, d, p}, Data: someRuns(rnd, d, p, 2), Pattern: Affine(n, d, p, true), Own: own, Folds: 2}
	for range r.Pattern.All {
		r.Base = append(r.Base, 0.3*rnd.NormFloat64())
	}
	for _, leave := range []int{0, 1, 2} {
		r.Leave = leave
		theta := r.Pattern.Take(r.Base)
		k, m := r.Dim(), n-1
		// outputs are those of a run that count, from h₀ + δ.
		outputs := func(run Run, th, delta []float64) (y []float64) {
			q := *r
			q.Own = 0
			q.Base = append([]float64(nil), r.Pattern.Put(r.Base, th)...)
			for a, v := range delta {
				q.Base[1+a] += v
			}
			q.At(q.Pattern.Take(q.Base))(run, nil, func(i int, out []float64) {
				if run.Fold[i] != leave-1 {
					y = append(y, out...)
				}
			})
			return y
		}
		sse, want := 0.0, mat.NewSymDense(k, nil)
		for _, run := range r.Data {
			none := outputs(run, theta, make([]float64, m))
			if len(none) == 0 {
				continue
			}
			var y []float64
			for i := range run.At {
				if run.Fold[i] != leave-1 {
					y = append(y, run.Y[i*p:(i+1)*p]...)
				}
			}
			rows := len(y)
			G, e := mat.NewDense(rows+m, m, nil), mat.NewDense(rows+m, 1, nil)
			for a := range m {
				one := make([]float64, m)
				one[a] = 1
				for i, v := range outputs(run, theta, one) {
					G.Set(i, a, v-none[i])
				}
				G.Set(rows+a, a, math.Sqrt(own))
			}
			for i := range y {
				e.Set(i, 0, y[i]-none[i])
			}
			var delta, left mat.Dense
			if err := delta.Solve(G, e); err != nil {
				t.Fatal(err)
			}
			left.Mul(G, &delta)
			left.Sub(e, &left)
			sse += math.Pow(mat.Norm(&left, 2), 2)
			J := mat.NewDense(rows+m, k, nil)
			const eps = 1e-5
			for j := range k {
				up, down := append([]float64(nil), theta...), append([]float64(nil), theta...)
				up[j] += eps
				down[j] -= eps
				at := mat.Col(nil, 0, &delta)
				a, b := outputs(run, up, at), outputs(run, down, at)
				for i := range a {
					J.Set(i, j, (a[i]-b[i])/(2*eps))
				}
			}
			var X, PJ, N mat.Dense
			if err := X.Solve(G, J); err != nil {
				t.Fatal(err)
			}
			PJ.Mul(G, &X)
			PJ.Sub(J, &PJ)
			N.Mul(PJ.T(), &PJ)
			for i := range k {
				for j := i; j < k; j++ {
					want.SetSym(i, j, want.At(i, j)+N.At(i, j))
				}
			}
		}
		N, g := mat.NewSymDense(k, nil), make([]float64, k)
		got := r.Normal(theta, N, g)
		if math.Abs(got-sse) > 1e-9*sse || math.Abs(r.SSE(theta)-sse) > 1e-9*sse {
			t.Errorf("leaving out %d: sums of squares %v and %v, want %v", leave, got, r.SSE(theta), sse)
		}
		// Differences of 1e-5 are off by some 1e-10 of the outputs.
		if !mat.EqualApprox(N, want, 1e-6*(1+mat.Norm(want, 2))) {
			t.Errorf("leaving out %d: JᵀJ differs", leave)
		}
		for j := range k {
			up, down := append([]float64(nil), theta...), append([]float64(nil), theta...)
			up[j] += 1e-5
			down[j] -= 1e-5
			if num := -(r.SSE(up) - r.SSE(down)) / 4e-5; math.Abs(num-g[j]) > 1e-5*(1+math.Abs(num)) {
				t.Errorf("leaving out %d: parameter %d: Jᵀe %v, by differences %v", leave, j, g[j], num)
			}
		}
	}
}
