package adam

import (
	"math"
	"testing"
)

// TestFirstSteps: on a constant gradient every step is the rate, by the bias
// corrections, whatever the gradient's size; and a quadratic is minimised.
func TestFirstSteps(t *testing.T) {
	for _, g := range []float64{1e-3, 1, -1e6} {
		a, theta := New(0.1, 1), []float64{0}
		for k := 1; k <= 5; k++ {
			a.Step(theta, []float64{g})
			if want := -0.1 * float64(k) * math.Copysign(1, g); math.Abs(theta[0]-want) > 1e-5 {
				t.Errorf("gradient %g, step %d: at %v, want %v", g, k, theta[0], want)
			}
		}
	}
	a, theta := New(0.05, 2), []float64{3, -2}
	for range 2000 {
		a.Step(theta, []float64{2 * (theta[0] - 1), 20 * (theta[1] - 4)})
	}
	if math.Abs(theta[0]-1) > 1e-3 || math.Abs(theta[1]-4) > 1e-3 {
		t.Errorf("minimum at %v, want 1 and 4", theta)
	}
}
