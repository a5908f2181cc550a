package baseline

import (
	"context"
	"math"
	"testing"
)

// TestBFGS: Rosenbrock's valley, whose minimum is at 1, and a function that ends in an
// infinite wall right behind its start.
func TestBFGS(t *testing.T) {
	rosenbrock := func(x []float64) float64 {
		var f float64
		for i := range len(x) - 1 {
			f += 100*math.Pow(x[i+1]-x[i]*x[i], 2) + math.Pow(1-x[i], 2)
		}
		return f
	}
	wall := func(x []float64) float64 { return x[0] - math.Log(x[0]) } // NaN below 0
	for _, c := range []struct {
		f           func([]float64) float64
		start, want []float64
	}{
		{rosenbrock, []float64{-1.2, 1, -1, 2}, []float64{1, 1, 1, 1}},
		{wall, []float64{50}, []float64{1}},
	} {
		b := bfgs{iterations: 500, gradient: 1e-8, f: func(grad, x []float64) float64 {
			if grad != nil {
				central(grad, x, c.f)
			}
			return c.f(x)
		}}
		if x, _ := b.minimise(context.Background(), c.start); !near(x, c.want, 1e-5) {
			t.Errorf("ends at %v, the minimum is %v", x, c.want)
		}
	}
}
