package twornn_test

import (
	"errors"
	"fmt"
	"iter"
	"log"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
)

// outputs predicts p outputs by a function of the last input.
type outputs func(x float64) []float64

func (f outputs) Predict(dst []float64, x mat.Matrix) []float64 {
	k, _ := x.Dims()
	copy(dst, f(x.At(k-1, 0)))
	return dst
}

// noisy yields n sequences with y = (3x, −x) plus noise, which draw draws.
func noisy(n int, rnd *rand.Rand, draw func(rnd *rand.Rand) float64) iter.Seq[twornn.Sequence] {
	return func(yield func(twornn.Sequence) bool) {
		for range n {
			x := rnd.NormFloat64()
			y := []float64{3*x + draw(rnd), -x + 10*draw(rnd)}
			if !yield(twornn.Sequence{X: mat.NewDense(1, 1, []float64{x}), Y: mat.NewDense(1, 2, y)}) {
				return
			}
		}
	}
}

// last yields, for each e, a sequence with the last output e after one not to be scored.
func last(e ...float64) iter.Seq[twornn.Sequence] {
	return func(yield func(twornn.Sequence) bool) {
		for _, v := range e {
			if !yield(twornn.Sequence{X: mat.NewDense(2, 1, nil), Y: mat.NewDense(2, 1, []float64{1e6, v})}) {
				return
			}
		}
	}
}

var (
	good  = outputs(func(x float64) []float64 { return []float64{3 * x, -x} })
	wrong = outputs(func(x float64) []float64 { return []float64{5 - x, 100} })
	zero  = outputs(func(float64) []float64 { return []float64{0} })
)

func gauss(rnd *rand.Rand) float64 { return rnd.NormFloat64() }

// cauchy has neither a mean nor a variance.
func cauchy(rnd *rand.Rand) float64 { return math.Tan(math.Pi * (rnd.Float64() - 0.5)) }

// TestConformalOrderStatistic: the width is the ⌈(N+1)·level⌉-th smallest error, whatever
// the order and the signs, and the limits lie that far from the prediction.
func TestConformalOrderStatistic(t *testing.T) {
	for _, c := range []struct {
		level, want float64
	}{
		{1e-12, 1}, {0.1, 1}, {0.2, 2}, {0.21, 3}, {0.5, 5}, {0.7, 7}, {0.81, 9}, {0.9, 9},
	} {
		f, err := twornn.NewConformal(zero, last(7, -1, 3, -9, 5, 4, -2, 8, 6), c.level)
		if err != nil || f.Width[0] != c.want || f.N != 9 || f.Level != c.level {
			t.Errorf("level %v: %+v, %v; want width %v", c.level, f, err, c.want)
		}
	}
	// (99+1)·0.55 is 55.00000000000001 in floating point: the 55th all the same.
	var e []float64
	for i := range 99 {
		e = append(e, float64(i+1))
	}
	for _, level := range []float64{0.01, 0.07, 0.29, 0.55, 0.56, 0.57, 0.9, 0.99} {
		f, err := twornn.NewConformal(zero, last(e...), level)
		if err != nil || f.Width[0] != math.Round(100*level) {
			t.Errorf("level %v: width %v, %v", level, f.Width[0], err)
		}
	}
	f, err := twornn.NewConformal(good, noisy(50, rand.New(rand.NewPCG(1, 1)), gauss), 0.8)
	if err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(1, 1, []float64{2})
	lo, hi := f.Interval(nil, nil, x)
	for j, hat := range []float64{6, -2} {
		if lo[j] != hat-f.Width[j] || hi[j] != hat+f.Width[j] {
			t.Errorf("output %d: %v to %v about %v", j+1, lo[j], hi[j], hat)
		}
	}
	low, high := []float64{1, 1}, []float64{2, 2}
	f.Interval(low, high, x)
	if !slices.Equal(low, lo) || !slices.Equal(high, hi) {
		t.Errorf("into destinations: %v to %v", low, high)
	}
}

// TestConformalCovers: of M fresh targets, the number covered has the law
// Beta-binomial(M, k, N+1−k), whatever the noise and the predictor. It must lie between
// that law's quantiles of 1e-4 and 1 − 1e-4: of the 16 numbers a right program leaves them
// with one seed in 300 at most. They are too wide to see k off by one, which
// TestConformalIsUnbiased sees.
func TestConformalCovers(t *testing.T) {
	const N, M = 1000, 10_000
	for name, noise := range map[string]func(*rand.Rand) float64{"Gaussian": gauss, "Cauchy": cauchy} {
		for kind, predictor := range map[string]outputs{"good": good, "wrong": wrong} {
			var widths []float64
			for _, level := range []float64{0.5, 0.9} {
				rnd := rand.New(rand.NewPCG(3, 3))
				f, err := twornn.NewConformal(predictor, noisy(N, rnd, noise), level)
				if err != nil {
					t.Fatal(err)
				}
				covered, width, err := twornn.Coverage(f, noisy(M, rnd, noise))
				if err != nil {
					t.Fatal(err)
				}
				k := int(math.Ceil((N + 1) * level))
				low, high := betaBinomial(M, float64(k), float64(N+1-k), 1e-4)
				for j, c := range covered {
					if c < low || c > high {
						t.Errorf("%s noise, %s predictor, level %v: output %d covered %v, want %v to %v", name, kind, level, j+1, c, low, high)
					}
					// A mean of M equal terms rounds M times.
					if want := 2 * f.Width[j]; math.Abs(width[j]-want) > M*0x1p-52*want {
						t.Errorf("width %v, want %v", width[j], want)
					}
				}
				widths = append(widths, f.Width...)
			}
			// A wrong predictor pays in width, and a higher level does.
			if !(widths[2] > widths[0] && widths[3] > widths[1]) {
				t.Errorf("%s, %s: widths %v at 0.5, %v at 0.9", name, kind, widths[:2], widths[2:])
			}
			if kind == "wrong" && widths[1] < 50 || kind == "good" && name == "Gaussian" && (widths[0] < 0.55 || widths[0] > 0.8) {
				// Good and Gaussian at 0.5: 0.674, with the standard error
				// √(0.25/N)/(2·0.318) = 0.025 of a median; five of them.
				t.Errorf("%s, %s: widths %v", name, kind, widths[:2])
			}
		}
	}
}

// TestConformalIsUnbiased: over fresh calibrations too, a target is covered with
// probability k/(N+1) exactly. Of 20,000 the share is off by at most
// √(1/4/20000) = 0.0035, one standard error, 0.018 with five; k off by one, or N in
// place of N+1 where that matters, moves it by 1/(N+1) ≥ 0.047.
func TestConformalIsUnbiased(t *testing.T) {
	const trials = 20_000
	for _, c := range []struct {
		n     int
		level float64
		k     float64
	}{
		{1, 0.5, 1}, {2, 0.5, 2}, {10, 0.5, 6}, {10, 0.8, 9}, {9, 0.9, 9}, {20, 0.9, 19},
	} {
		rnd := rand.New(rand.NewPCG(5, 5))
		in := 0.0
		for range trials {
			f, err := twornn.NewConformal(good, noisy(c.n, rnd, cauchy), c.level)
			if err != nil {
				t.Fatal(err)
			}
			covered, _, err := twornn.Coverage(f, noisy(1, rnd, cauchy))
			if err != nil {
				t.Fatal(err)
			}
			in += covered[0]
		}
		want := c.k / float64(c.n+1)
		if got := in / trials; math.Abs(got-want) > 0.018 {
			t.Errorf("N = %d, level %v: covered %v, want %v", c.n, c.level, got, want)
		}
	}
}

// betaBinomial returns the shares of m between which the law Beta-binomial(m, a, b) lies
// but for tail at either end.
func betaBinomial(m int, a, b, tail float64) (low, high float64) {
	logB := func(a, b float64) float64 {
		ga, _ := math.Lgamma(a)
		gb, _ := math.Lgamma(b)
		gab, _ := math.Lgamma(a + b)
		return ga + gb - gab
	}
	// P(x) = B(x+a, m−x+b) / (B(a, b) (m+1) B(x+1, m−x+1))
	probability := func(x int) float64 {
		v, w := float64(x), float64(m-x)
		return math.Exp(logB(v+a, w+b)-logB(a, b)-logB(v+1, w+1)) / float64(m+1)
	}
	lo, hi := 0, m
	for sum := probability(lo); sum < tail; sum += probability(lo) {
		lo++
	}
	for sum := probability(hi); sum < tail; sum += probability(hi) {
		hi--
	}
	return float64(lo) / float64(m), float64(hi) / float64(m)
}

func TestConformalErrors(t *testing.T) {
	nan := math.NaN()
	cause := errors.New("cause")
	of := func(s ...twornn.Sequence) iter.Seq[twornn.Sequence] { return slices.Values(s) }
	two := twornn.Sequence{X: mat.NewDense(1, 2, nil), Y: mat.NewDense(1, 1, nil)}
	explodes := outputs(func(float64) []float64 { return []float64{math.Inf(1)} })
	strays := outputs(func(x float64) []float64 { return []float64{1 / (x - 1), nan} })
	for _, c := range []struct {
		name  string
		f     twornn.Predictor
		data  iter.Seq[twornn.Sequence]
		level float64
		want  string
	}{
		{"level 0", zero, last(1, 2), 0, "level of an interval is 0"},
		{"level 1", zero, last(1, 2), 1, "level of an interval is 1"},
		{"level NaN", zero, last(1, 2), nan, "level of an interval is NaN"},
		{"level 90", zero, last(1, 2), 90, "such as 0.9"},
		{"none", zero, last(), 0.5, "no sequence"},
		{"too few", zero, last(1, 2, 3, 4, 5, 6, 7, 8), 0.9, "level 0.9 need 9 held-out sequences, got 8"},
		{"too few", zero, last(1, 2), 0.999, "need 999 held-out sequences, got 2"},
		{"source", zero, of(twornn.Sequence{Err: cause}), 0.5, "cause"},
		{"NaN", zero, last(1, 2, nan), 0.5, "sequence 3: output 1 of step 2 is NaN"},
		{"inputs", twornn.NewModel(1, 3, 1), of(two, two), 0.5, "takes 3 inputs"},
		{"outputs", twornn.NewModel(1, 2, 2), of(two, two), 0.5, "gives 2 outputs"},
		{"ragged", zero, of(two, two, twornn.Sequence{X: mat.NewDense(1, 1, nil), Y: mat.NewDense(1, 1, nil)}), 0.5, "sequence 3 has 1 input"},
		{"not fitted", (*twornn.Model)(nil), of(two, two), 0.5, "not fitted"},
		{"infinite", explodes, last(1, 2), 0.5, "output 1 predicted for held-out sequence 1 is +Inf"},
		{"NaN predicted", strays, noisy(9, rand.New(rand.NewPCG(1, 1)), gauss), 0.5, "output 2 predicted for held-out sequence 1 is NaN"},
	} {
		f, err := twornn.NewConformal(c.f, c.data, c.level)
		if f != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v; want %q", c.name, f, err, c.want)
		}
	}
	// One more than too few is enough.
	if _, err := twornn.NewConformal(zero, last(1, 2, 3, 4, 5, 6, 7, 8, 9), 0.9); err != nil {
		t.Error(err)
	}
}

// fixed gives the same limits always.
type fixed struct {
	outputs
	low, high float64
}

func (f fixed) Interval(low, high []float64, _ mat.Matrix) (lo, hi []float64) {
	return append(low[:0], f.low), append(high[:0], f.high)
}

// TestCoverageByHand: limits count as within, and may be infinite.
func TestCoverageByHand(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		low, high, covered, width float64
	}{
		{1, 3, 3. / 5, 2}, {2, 2, 1. / 5, 0}, {-inf, 2, 2. / 5, inf}, {-inf, inf, 1, inf}, {-9, -8, 0, 1},
	} {
		covered, width, err := twornn.Coverage(fixed{zero, c.low, c.high}, last(1, 2, 3, 4, 5))
		if err != nil || covered[0] != c.covered || width[0] != c.width {
			t.Errorf("%v to %v: covered %v, width %v, %v; want %v, %v", c.low, c.high, covered, width, err, c.covered, c.width)
		}
	}
	for _, c := range []struct {
		f    twornn.Intervals
		data iter.Seq[twornn.Sequence]
		want string
	}{
		{fixed{zero, 2, 1}, last(1), "output 1 of sequence 1 goes from 2 to 1"},
		{fixed{zero, math.NaN(), 1}, last(1), "goes from NaN to 1"},
		{fixed{zero, 0, 1}, last(), "no sequence"},
		{fixed{zero, 0, 1}, last(1, math.Inf(1)), "sequence 2"},
		{new(twornn.Conformal), last(1), "not calibrated"},
		{&twornn.Conformal{Predictor: zero, Width: []float64{1, 1}}, last(1), "for 2 outputs, the data have 1"},
		{&twornn.Conformal{Predictor: twornn.NewModel(1, 2, 1), Width: []float64{1}}, last(1), "takes 2 inputs"},
	} {
		if covered, width, err := twornn.Coverage(c.f, c.data); covered != nil || width != nil || err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, %v, %v; want %q", covered, width, err, c.want)
		}
	}
	// Data of another kind are an error of the metrics too, and no panic.
	c := &twornn.Conformal{Predictor: twornn.NewModel(1, 2, 1), Width: []float64{1}}
	if m := twornn.Evaluate(c, last(1)); m.Err == nil || !strings.Contains(m.Err.Error(), "takes 2 inputs") {
		t.Error(m)
	}
}

func TestIntervalPanics(t *testing.T) {
	f := &twornn.Conformal{Predictor: zero, Width: []float64{1}}
	for _, d := range [][2][]float64{{make([]float64, 2), nil}, {nil, make([]float64, 2)}} {
		func() {
			defer func() {
				if r := recover(); r != "twornn: dimension mismatch: low, high" {
					t.Errorf("recovered %v", r)
				}
			}()
			f.Interval(d[0], d[1], mat.NewDense(1, 1, nil))
		}()
	}
}

// TestConformalEdges: the empty word, a series that never changes, and the same bits from
// the same data, which are not changed.
func TestConformalEdges(t *testing.T) {
	m := twornn.NewModel(1, 2, 1)
	word := twornn.Sequence{Y: mat.NewDense(1, 1, []float64{3})}
	f, err := twornn.NewConformal(m, slices.Values([]twornn.Sequence{word, word}), 0.5)
	if err != nil || f.Width[0] != 3 { // the model is 0
		t.Fatalf("%+v, %v", f, err)
	}
	if lo, hi := f.Interval(nil, nil, nil); lo[0] != -3 || hi[0] != 3 {
		t.Errorf("of the empty word: %v to %v", lo, hi)
	}
	f, err = twornn.NewConformal(zero, last(0, 0, 0), 0.5)
	if err != nil || f.Width[0] != 0 {
		t.Fatalf("%+v, %v", f, err)
	}
	if covered, width, err := twornn.Coverage(f, last(0, 0, 1)); err != nil || covered[0] != 2./3 || width[0] != 0 {
		t.Errorf("width 0: covered %v, width %v, %v", covered, width, err)
	}
	data := slices.Collect(noisy(500, rand.New(rand.NewPCG(2, 2)), cauchy))
	first := mat.DenseCopyOf(data[0].Y)
	a, err := twornn.NewConformal(good, slices.Values(data), 0.9)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(data)
	b, err := twornn.NewConformal(good, slices.Values(data), 0.9)
	if err != nil || !slices.Equal(a.Width, b.Width) {
		t.Errorf("%v and %v, %v", a.Width, b.Width, err)
	}
	if !mat.Equal(first, data[len(data)-1].Y) {
		t.Error("the data changed")
	}
}

// Held-out sequences give a forecast its interval, fresh ones test it. The model is exact
// but for noise of standard deviation 0.1, so that a 90% interval is 2·0.164 wide.
func ExampleNewConformal() {
	src := rand.NewPCG(1, 1)
	model := datasets.AdditionModel() // or the result of Fit on other data
	f, err := twornn.NewConformal(model, datasets.Addition(10_000, 3, 0.1, src), 0.9)
	if err != nil {
		log.Fatal(err)
	}
	lo, hi := f.Interval(nil, nil, mat.NewDense(3, 3, []float64{
		1, 0, 1,
		1, 5, 2,
		1, 1, 4,
	}))
	fmt.Printf("1 - 3 + 3 is within %.1f and %.1f\n", lo[0], hi[0])
	covered, width, err := twornn.Coverage(f, datasets.Addition(10_000, 3, 0.1, src))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.0f%% covered, width %.2f\n", 100*covered[0], width[0])
	// Output:
	// 1 - 3 + 3 is within 0.8 and 1.2
	// 90% covered, width 0.33
}
