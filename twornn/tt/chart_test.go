package tt

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestChart: coordinates are orthonormal and go both ways, and Design is what the inner
// products of rows with the embedded tangents are.
func TestChart(t *testing.T) {
	for _, c := range []struct {
		dims, ranks []int
		q           int
	}{
		{[]int{3, 3, 3, 2}, []int{2, 4, 2}, 2},
		{[]int{2, 3, 2}, []int{2, 2}, 2},
		{[]int{4, 2}, []int{2}, 2},
		{[]int{3, 3, 1}, []int{2, 1}, 1},
		{[]int{9, 18}, []int{4}, 2},
		{[]int{3, 3, 6}, []int{2, 4}, 3},
	} {
		p := point(t, random(c.dims, c.ranks, 5))
		chart := NewChart(p)
		k, q := chart.Dim(), c.q
		rnd := rand.New(rand.NewPCG(1, 2))
		theta := make([]float64, k)
		norm := 0.0
		for i := range theta {
			theta[i] = rnd.NormFloat64()
			norm += theta[i] * theta[i]
		}
		tangent := chart.Tangent(theta)
		if math.Abs(tangent.Norm()-math.Sqrt(norm)) > 1e-12*math.Sqrt(norm) {
			t.Errorf("%v: coordinates of norm %v give a tangent of norm %v", c.dims, math.Sqrt(norm), tangent.Norm())
		}
		for i, v := range chart.Coordinates(tangent) {
			if math.Abs(v-theta[i]) > 1e-12 {
				t.Fatalf("%v: coordinate %d comes back as %v, was %v", c.dims, i, v, theta[i])
			}
		}
		size := 1
		for _, d := range c.dims {
			size *= d
		}
		size /= q
		A := mat.NewDense(5, size, nil)
		for i := range 5 {
			for j := range size {
				A.Set(i, j, rnd.NormFloat64())
			}
		}
		var J, got, want mat.Dense
		chart.Design(&J, A, q)
		for i := range J.RawMatrix().Data {
			J.RawMatrix().Data[i] = math.NaN() // it is all written
		}
		chart.Design(&J, A, q)
		got.Mul(&J, mat.NewDense(k, 1, theta))
		E := mat.NewDense(size, q, full(t, p.Embed(0, 1, tangent)))
		want.Mul(A, E)
		for i := range 5 {
			for o := range q {
				if g, w := got.At(i*q+o, 0), want.At(i, o); math.Abs(g-w) > 1e-10 {
					t.Errorf("%v: row %d, output %d: %v, want %v", c.dims, i, o, g, w)
				}
			}
		}
	}
}
