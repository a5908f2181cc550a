package moments

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestConstantOfFewSteps: at no more steps than there are columns some combination of them is 1, whatever they are; of
// many columns and more steps one that is hidden is found, and none where there is none.
func TestConstantOfFewSteps(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		d, steps int
		hidden   bool
		want     bool
	}{{6, 6, false, false}, {6, 5, true, false}, {6, 20, true, true}, {6, 20, false, false}, {150, 400, true, true}, {150, 400, false, false}} {
		var k Kept
		x := mat.NewDense(c.steps, c.d, nil)
		for t := range c.steps {
			sum := 0.0
			for j := range c.d {
				x.Set(t, j, rnd.NormFloat64())
				sum += x.At(t, j)
			}
			if c.hidden {
				x.Set(t, 0, x.At(t, 0)+5-sum) // all add up to 5
			}
		}
		k.add(Example{X: x, Y: mat.NewDense(1, 1, nil)}, 0)
		if _, ok := k.Constant(c.d); ok != c.want {
			t.Errorf("%+v: a constant is found: %v", c, ok)
		}
	}
}
