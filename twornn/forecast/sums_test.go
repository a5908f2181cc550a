package forecast

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestSystem: the ridge regression from sums is the weighted least squares of the rows
// with the prior written as further rows, whatever the offset of the data; and the mean
// square that it says is left is left.
func TestSystem(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 8))
	const n, p, lambda = 60, 4, 0.3
	s := newSums(p, 1)
	scale := []float64{1, 0.5, 0, 2}
	x, y, w := mat.NewDense(n, p, nil), make([]float64, n), make([]float64, n)
	for half := range 2 {
		part, weight := newSums(p, 1), []float64{1, 0.25}[half]
		for i := half * n / 2; i < (half+1)*n/2; i++ {
			z := []float64{1}
			for j := range p {
				x.Set(i, j, 5+rnd.NormFloat64())
				z = append(z, x.At(i, j))
			}
			y[i], w[i] = 3*x.At(i, 0)-x.At(i, 3)+rnd.NormFloat64()-20, weight
			part.add(append(z, y[i]))
		}
		s.addSums(weight, part)
	}
	b, rest := newSystem(s, []int{0, 1, 2, 3}, scale).solve(lambda, []int{0})
	if b.At(3, 0) != 0 {
		t.Errorf("a feature of scale 0 has coefficient %v", b.At(3, 0))
	}
	// The same by QR on centred, weighted rows in units of the standard deviations.
	sum, mean, sd := 0.0, make([]float64, p+1), make([]float64, p)
	at := func(i, j int) float64 {
		if j == p {
			return y[i]
		}
		return x.At(i, j)
	}
	for i := range n {
		sum += w[i]
	}
	for j := range p + 1 {
		for i := range n {
			mean[j] += w[i] * at(i, j) / sum
		}
	}
	use := []int{0, 1, 3}
	a, c := mat.NewDense(n+3, 3, nil), mat.NewDense(n+3, 1, nil)
	for k, j := range use {
		for i := range n {
			sd[j] += w[i] * math.Pow(x.At(i, j)-mean[j], 2) / sum
		}
		sd[j] = math.Sqrt(sd[j])
		for i := range n {
			a.Set(i, k, math.Sqrt(w[i]/sum)*(x.At(i, j)-mean[j])/sd[j])
			c.Set(i, 0, math.Sqrt(w[i]/sum)*(y[i]-mean[p]))
		}
		a.Set(n+k, k, math.Sqrt(lambda)/scale[j])
	}
	var want mat.Dense
	if err := want.Solve(a, c); err != nil {
		t.Fatal(err)
	}
	left := 0.0
	for i := range n {
		e := y[i] - b.At(0, 0)
		for j := range p {
			e -= b.At(1+j, 0) * x.At(i, j)
		}
		left += w[i] * e * e / sum
	}
	if math.Abs(left-rest[0]) > 1e-10*left {
		t.Errorf("mean square left %v, want %v", rest[0], left)
	}
	for k, j := range use {
		if got := b.At(1+j, 0) * sd[j]; math.Abs(got-want.At(k, 0)) > 1e-10 {
			t.Errorf("coefficient %d: %v, want %v", j, got, want.At(k, 0))
		}
	}
}

// TestSimplex: no weight can be moved for less variance, and the variance is that of the
// weights.
func TestSimplex(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 4))
	for _, k := range []int{1, 2, 5, 20} {
		f := mat.NewDense(k+2, k, nil)
		for i := range k + 2 {
			for j := range k {
				f.Set(i, j, 1+rnd.NormFloat64())
			}
		}
		var g mat.SymDense
		g.SymOuterK(1, f.T())
		s := make([][]float64, k)
		for i := range s {
			s[i] = mat.Row(nil, i, &g)
			s[i][i] *= 1.3
		}
		w := simplex(s)
		value, sum := 0.0, 0.0
		grad := make([]float64, k)
		for i := range w {
			for j := range w {
				grad[i] += s[i][j] * w[j]
			}
			value += w[i] * grad[i]
			sum += w[i]
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("sum %v", sum)
		}
		for i := range w {
			// Karush, Kuhn and Tucker, to what two thousand steps reach.
			if w[i] < 0 || grad[i] < value*(1-1e-2) {
				t.Errorf("k %d: weight %d is %v, gradient %v of %v", k, i, w[i], grad[i], value)
			}
		}
	}
}
