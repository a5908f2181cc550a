package twornn

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// autoregression returns the windows of a series y_t = φ y_{t−1} + noise, a constant beside
// it, each with the next value after every step.
func autoregression(phi float64, rows, length int, seed uint64) iter.Seq[Sequence] {
	rnd := rand.New(pcg(seed))
	y := make([]float64, rows)
	for t := 1; t < rows; t++ {
		y[t] = phi*y[t-1] + rnd.NormFloat64()
	}
	return func(yield func(Sequence) bool) {
		for t := 0; t+length < rows; t++ {
			s := Sequence{X: mat.NewDense(length, 2, nil), Y: mat.NewDense(length, 1, nil)}
			for i := range length {
				s.X.SetRow(i, []float64{1, y[t+i]})
				s.Y.Set(i, 0, y[t+i+1])
			}
			if !yield(s) {
				return
			}
		}
	}
}

// TestTargetsCountOnce: windows of five rows hold every target five times. An interval of 95 %
// for f must cover it about as often as that; with each row counted as a datum of its own it
// covers some 78 %.
func TestTargetsCountOnce(t *testing.T) {
	for _, c := range []struct {
		name  string
		o     Options
		draws uint64
	}{{"words", Options{L: 1, Rank: 2}, many(100, 1000)}, {"nothing set", Options{}, many(24, 1000)}} {
		covered := 0
		rnd := rand.New(pcg(99))
		for seed := range c.draws {
			r, err := Fit(context.Background(), autoregression(0.7, 600, 5, seed), c.o)
			if err != nil {
				t.Fatal(err)
			}
			g, err := r.Intervals(0.95)
			if err != nil {
				t.Fatal(err)
			}
			x := mat.NewDense(5, 2, nil)
			for i := range 5 {
				x.SetRow(i, []float64{1, 1.4 * rnd.NormFloat64()})
			}
			if math.Abs(r.Predict(nil, x)[0]-0.7*x.At(4, 1)) < 1.96*g.StandardErrors(nil, x)[0] {
				covered++
			}
		}
		t.Logf("%s: covered in %d of %d draws", c.name, covered, c.draws)
		// Of 95 % with 100 draws the standard error is 2.2 points; of fewer all may be covered.
		share := float64(covered) / float64(c.draws)
		if share < 0.89 || share > 0.995 && c.draws >= 100 {
			t.Errorf("%s: intervals of 95 %% cover %.1f %%", c.name, 100*share)
		}
	}
}
