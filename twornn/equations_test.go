package twornn

import (
	"fmt"
	"iter"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/lsq"
	"github.com/twornn/spectral/twornn/internal/moments"
)

// sameEquations returns the equations of the data as rows and, where dense, as factors.
func sameEquations(t *testing.T, m *Model, N int, noise float64, lengths ...int) (rows, factors *lsq.Equations) {
	t.Helper()
	n, _, _ := m.Dims()
	kept, err := CollectRows(drawLengths(m, N, noise, 3, lengths...), lengths...)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Collect(drawLengths(m, N, noise, 3, lengths...), lengths...)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []Collection{kept, c} {
		if c.set().Frame() != nil {
			t.Fatal("the collection has a frame; choose inputs that need none")
		}
	}
	if rows, err = lsq.NewEquations(kept.set(), n); err != nil {
		t.Fatal(err)
	}
	if factors, err = lsq.NewEquations(c.set(), n); err != nil {
		t.Fatal(err)
	}
	return rows, factors
}

// TestNormalEquations checks sums of squares against predictions, Jᵀ(y−ŷ) against central
// differences of the sum, and JᵀJ of both kinds of blocks against each other and against
// central differences of the outputs.
func TestNormalEquations(t *testing.T) {
	for _, s := range []struct {
		n, d, p int
		lengths []int
	}{{2, 3, 1, []int{2, 4, 5}}, {3, 2, 2, []int{1, 2, 3}}, {1, 1, 1, []int{1, 2, 3}}, {4, 2, 3, []int{1, 5}}} {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			target := Random(s.n, s.d, s.p, 0.6, pcg(1))
			rows, factors := sameEquations(t, target, 600, 0.3, s.lengths...)
			at := Random(s.n, s.d, s.p, 0.6, pcg(2)) // anywhere but at the minimum
			theta := lsq.Theta((*lsq.Net)(at))
			if len(factors.Residuals(theta)) >= len(rows.Residuals(theta)) {
				t.Fatal("nothing is compressed")
			}
			k := len(theta)
			var want float64
			for q := range drawLengths(target, 600, 0.3, 3, s.lengths...) {
				for j, v := range at.Predict(nil, q.X) {
					e := q.Y.At(0, j) - v
					want += e * e
				}
			}
			Nr, Nf := mat.NewSymDense(k, nil), mat.NewSymDense(k, nil)
			gr, gf := make([]float64, k), make([]float64, k)
			for name, got := range map[string]float64{
				"rows": rows.Normal(theta, Nr, gr), "factors": factors.Normal(theta, Nf, gf),
				"rows, without derivatives": rows.SSE(theta), "factors, without derivatives": factors.SSE(theta),
			} {
				if math.Abs(got-want) > 1e-11*want {
					t.Errorf("%s: sum of squares %v, want %v", name, got, want)
				}
			}
			if d := mat.Norm(sub(Nr, Nf), 2); d > 1e-11*mat.Norm(Nr, 2) {
				t.Errorf("JᵀJ of rows and of factors differ by %.2g", d)
			}
			size := mat.Norm(mat.NewVecDense(k, gr), 2)
			const h = 1e-5 // central differences are good to h² or so
			for i := range k {
				if math.Abs(gr[i]-gf[i]) > 1e-11*size {
					t.Errorf("gradient %d: %v of rows, %v of factors", i, gr[i], gf[i])
				}
				at := func(h float64) float64 {
					x := append([]float64(nil), theta...)
					x[i] += h
					return rows.SSE(x)
				}
				// The sum's derivative is −2 g.
				if d := -(at(h) - at(-h)) / (4 * h); math.Abs(d-gr[i]) > 1e-7*size {
					t.Errorf("gradient %d: %v, by differences %v", i, gr[i], d)
				}
			}
			if d := mat.Norm(sub(Nr, outerOfDifferences(t, rows, theta)), 2); d > 1e-7*mat.Norm(Nr, 2) {
				t.Errorf("JᵀJ differs from that of differences by %.2g", d)
			}
		})
	}
}

// TestOutputsAfterEveryStep: sequences longer than those measured give the same equations
// as if each of their outputs stood alone.
func TestOutputsAfterEveryStep(t *testing.T) {
	const n, d, p = 3, 2, 2
	target := Random(n, d, p, 0.6, pcg(1))
	every := func() iter.Seq[Sequence] { return draw(target, 40, 7, 0.3, true, 5) }
	together, err := collect(every(), moments.Plan{Lengths: []int{1, 2}, All: true})
	if err != nil {
		t.Fatal(err)
	}
	apart, err := CollectRows(every(), 1, 2, 3, 4, 5, 6, 7)
	if err != nil {
		t.Fatal(err)
	}
	theta := lsq.Theta((*lsq.Net)(Random(n, d, p, 0.6, pcg(2))))
	k := len(theta)
	var N [2]*mat.SymDense
	var sse, M [2]float64
	g := [2][]float64{make([]float64, k), make([]float64, k)}
	for i, c := range []moments.Set{together, apart.set()} {
		q, err := lsq.NewEquations(c, n)
		if err != nil {
			t.Fatal(err)
		}
		N[i] = mat.NewSymDense(k, nil)
		sse[i], M[i] = q.Normal(theta, N[i], g[i]), q.M
	}
	if M[0] != M[1] || math.Abs(sse[0]-sse[1]) > 1e-11*sse[1] {
		t.Errorf("%v outputs with sum of squares %v, one by one %v with %v", M[0], sse[0], M[1], sse[1])
	}
	if e := mat.Norm(sub(N[0], N[1]), 2); e > 1e-11*mat.Norm(N[1], 2) {
		t.Errorf("JᵀJ differ by %.2g", e)
	}
	if !floats.EqualApprox(g[0], g[1], 1e-11*floats.Norm(g[1], 2)) {
		t.Error("gradients differ")
	}
}

func sub(a, b mat.Matrix) *mat.Dense {
	d := new(mat.Dense)
	d.Sub(a, b)
	return d
}

// outerOfDifferences returns JᵀJ with J by central differences of the residuals.
func outerOfDifferences(t *testing.T, q *lsq.Equations, theta []float64) *mat.Dense {
	t.Helper()
	k := len(theta)
	const h = 1e-5
	rows := len(q.Residuals(theta))
	J := mat.NewDense(rows, k, nil)
	for i := range k {
		x := append([]float64(nil), theta...)
		x[i] += h
		up := q.Residuals(x)
		x[i] -= 2 * h
		down := q.Residuals(x)
		for r := range rows {
			J.Set(r, i, (up[r]-down[r])/(2*h))
		}
	}
	var N mat.Dense
	N.Mul(J.T(), J)
	return &N
}
