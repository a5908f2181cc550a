package twornn

import (
	"context"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestGaussianCoverage: 90 % intervals cover 88 to 92 % of 10,000 fresh targets, at lengths
// measured and not, for outputs in other units; the standard error of a share of 0.9 is
// 0.3 %. With data so few that the parameters are uncertain, intervals from the noise alone
// would not.
func TestGaussianCoverage(t *testing.T) {
	for _, c := range []struct {
		n, d, p, N int
		noise      float64
		lengths    []int
		few        bool // so that standard errors matter
	}{
		{5, 3, 2, 1000, 0.1, []int{2, 4, 5}, false},
		{2, 2, 1, 210, 1, []int{1, 2, 3}, false},
		{2, 3, 1, 20, 0.5, []int{1, 2, 3}, true},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			// Averaged over data sets, since intervals of one are all off together.
			var share, alone float64
			const sets = 10
			for seed := range uint64(sets) {
				m := Random(c.n, c.d, c.p, 0.6, pcg(seed))
				m.Omega.Scale(30, m.Omega)
				r := fit(t, drawLengths(m, c.N, c.noise, seed, c.lengths...), Options{L: c.lengths[0], Rank: c.n})
				g, err := r.Intervals(0.9)
				if err != nil {
					t.Fatal(err)
				}
				fresh := drawLengths(m, 1000/len(c.lengths)/c.p, c.noise, 1000+seed, c.lengths...)
				covered, _, err := Coverage(g, fresh)
				if err != nil {
					t.Fatal(err)
				}
				for _, v := range covered {
					share += v / float64(c.p*sets)
				}
				covered, _, _ = Coverage(noiseAlone{g, 1.6449 * c.noise}, fresh)
				for _, v := range covered {
					alone += v / float64(c.p*sets)
				}
			}
			t.Logf("90%% intervals cover %.1f%%, from the noise alone %.1f%%", 100*share, 100*alone)
			if share < 0.88 || share > 0.92 {
				t.Errorf("90%% intervals cover %.1f%%", 100*share)
			}
			if c.few && alone > 0.88 {
				t.Errorf("intervals from the noise alone cover %.1f%%: the test cannot see standard errors", 100*alone)
			}
		})
	}
}

// noiseAlone are intervals that know the noise and take the model for the truth.
type noiseAlone struct {
	Predictor
	half float64
}

func (f noiseAlone) Interval(low, high []float64, x mat.Matrix) (lo, hi []float64) {
	y := f.Predict(nil, x)
	for j := range y {
		low, high = append(low[:j], y[j]-f.half), append(high[:j], y[j]+f.half)
	}
	return low, high
}

// TestStandardErrors: over many data sets the outputs at one point spread as the standard
// errors say; 400 sets tell a standard deviation to 3.5 %.
func TestStandardErrors(t *testing.T) {
	m := Random(2, 2, 1, 0.6, pcg(3))
	x := mat.NewDense(4, 2, []float64{1, -0.5, 0.3, 2, -1, 0.4, 0.9, 0.6})
	var ys, ses []float64
	for seed := range uint64(400) {
		r := fit(t, drawLengths(m, 210, 0.05, seed, 1, 2, 3), Options{L: 1, Rank: 2}) // more than are fitted again without each part
		g, err := r.Intervals(0.5)
		if err != nil {
			t.Fatal(err)
		}
		ys = append(ys, r.Predict(nil, x)[0])
		ses = append(ses, g.StandardErrors(nil, x)[0])
	}
	var mean, sd float64
	for _, y := range ys {
		mean += y / float64(len(ys))
	}
	for _, y := range ys {
		sd += (y - mean) * (y - mean) / float64(len(ys)-1)
	}
	sd = math.Sqrt(sd)
	slices.Sort(ses)
	if ratio := ses[len(ses)/2] / sd; ratio < 0.9 || ratio > 1.1 {
		t.Errorf("the median standard error is %.3f times the spread of the outputs", ratio)
	}
	if bias := math.Abs(mean - m.Predict(nil, x)[0]); bias > 4*sd/math.Sqrt(400) {
		t.Errorf("the outputs are off by %.2g on average, their spread is %.2g", bias, sd)
	}
}

func TestIntervalsErrors(t *testing.T) {
	m := Random(2, 2, 1, 0.6, pcg(3))
	data := drawLengths(m, 50, 0.1, 1, 1, 2, 3)
	bare := fit(t, data, Options{L: 1, Rank: 2, Recovery: LeastSquares{}})
	if _, err := bare.Intervals(0.9); err == nil || !strings.Contains(err.Error(), "NewConformal") {
		t.Errorf("bare: %v", err)
	}
	r := fit(t, data, Options{L: 1, Rank: 2})
	for _, level := range []float64{0, 1, -1, math.NaN()} {
		if _, err := r.Intervals(level); err == nil {
			t.Errorf("level %v is taken", level)
		}
	}
	g, err := r.Intervals(0.9)
	if err != nil {
		t.Fatal(err)
	}
	// The empty word, and beyond the lengths measured.
	for _, k := range []int{0, 30} {
		var x mat.Matrix
		if k > 0 {
			x = mat.NewDense(k, 2, nil)
		}
		lo, hi := g.Interval(nil, nil, x)
		if !(lo[0] < hi[0]) {
			t.Errorf("%d steps: %v to %v", k, lo, hi)
		}
	}
	if _, err := FitCollection(context.Background(), mustCollect(t, data), Options{MaxGrowth: math.NaN()}); err == nil {
		t.Error("MaxGrowth NaN is taken")
	}
}

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

// TestStandardErrorsAreOfTheParameters: how well f is known at a length depends on what all
// lengths told of the parameters, not on the noise at that length, which widens the
// interval alone.
func TestStandardErrorsAreOfTheParameters(t *testing.T) {
	m := Random(2, 2, 1, 0.6, pcg(1))
	r := fit(t, drawLengths(m, 400, 0.1, 1, 1, 2, 3), Options{L: 1, Rank: 2})
	x := mat.NewDense(3, 2, []float64{1, 0.5, -0.3, 0.8, 0.2, 1})
	g, err := r.Intervals(0.9)
	if err != nil {
		t.Fatal(err)
	}
	before := g.StandardErrors(nil, x)[0]
	low, high := g.Interval(nil, nil, x)
	g.noise[3][0] *= 100
	if after := g.StandardErrors(nil, x)[0]; after != before || !(before > 0) {
		t.Errorf("standard error %v, %v with more noise at the length", before, after)
	}
	if lo, hi := g.Interval(nil, nil, x); !(hi[0]-lo[0] > 5*(high[0]-low[0])) {
		t.Errorf("the interval is %v wide, %v with ten times the noise", high[0]-low[0], hi[0]-lo[0])
	}
}
