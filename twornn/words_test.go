package twornn

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestGuard(t *testing.T) {
	// Outputs that are noise alone, with as many rows as unknowns: least squares fits
	// them perfectly and the model read off is worse than nothing.
	m := NewModel(1, 3, 1)
	fell := false
	for seed := range uint64(10) {
		r := fit(t, drawLengths(m, 27, 1, seed, 1, 2, 3), Options{L: 1, Rank: 3, Recovery: LeastSquares{}})
		if r.Fallback != r.Has(WorseThanZero) || r.Fallback != (r.Rank == 0) {
			t.Fatalf("fallback %v, rank %d, warnings %v", r.Fallback, r.Rank, r.Warnings)
		}
		if r.MSE > r.ZeroMSE {
			t.Errorf("training MSE %v above the zero function's %v", r.MSE, r.ZeroMSE)
		}
		if r.Fallback {
			fell = true
			if y := r.Predict(nil, mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})); y[0] != 0 {
				t.Errorf("the zero function predicts %v", y)
			}
		}
	}
	if !fell {
		t.Error("the guard never worked: the test cannot see it")
	}
}

func TestUnstableModelsSaySo(t *testing.T) {
	grow, fade := NewModel(1, 1, 1), NewModel(1, 1, 1)
	for m, a := range map[*Model]float64{grow: 2.2, fade: 0.8} {
		m.H0.SetVec(0, 1)
		m.A[0].Set(0, 0, a)
		m.Omega.Set(0, 0, 1)
	}
	for m, want := range map[*Model]bool{grow: true, fade: false} {
		if r := fit(t, draw(m, 50, 3, 0, true, 1), Options{}); r.Has(Unstable) != want {
			t.Errorf("unstable %v, want %v: %v", !want, want, r)
		}
	}
	// h_t = (0.7 + 0.5 x_t) h_{t−1}: on independent x_t = ±1 it dies out, as
	// E (0.7 + 0.5x)² = 0.74, but on a long run of ones it grows by 1.2 a step. Only
	// the series that the windows overlap to has such runs.
	m := NewModel(1, 2, 1)
	m.H0.SetVec(0, 1)
	m.A[0].Set(0, 0, 0.7)
	m.A[1].Set(0, 0, 0.5)
	m.Omega.Set(0, 0, 1)
	rnd := rand.New(pcg(1))
	series := make([]float64, 603)
	for i := range series {
		series[i] = float64(1 - 2*(i/50%2))
		if i >= 400 {
			series[i] = float64(1 - 2*rnd.IntN(2))
		}
	}
	windows := func(step int) iter.Seq[Sequence] {
		return func(yield func(Sequence) bool) {
			for i := 0; i < 600; i += step {
				x := mat.NewDense(3, 2, nil)
				for t := range 3 {
					x.SetRow(t, []float64{1, series[i+t]})
				}
				var y mat.Dense
				m.OutputsTo(&y, x)
				if !yield(Sequence{X: x, Y: &y}) {
					return
				}
			}
		}
	}
	if r := fit(t, windows(1), Options{L: 1, Rank: 1}); !r.Has(Unstable) {
		t.Errorf("overlapping windows of a series with long runs: no warning in %v", r)
	}
	if r := fit(t, windows(3), Options{L: 1, Rank: 1}); r.Has(Unstable) {
		t.Errorf("windows that do not overlap tell nothing of runs: %v", r)
	}
}

// TestStitching: overlapping windows are joined to the series they come from, and
// nothing else is.
func TestStitching(t *testing.T) {
	row := func(i int) []float64 { return []float64{1, float64(i)} }
	window := func(from int) Sequence {
		x := mat.NewDense(3, 2, nil)
		for t := range 3 {
			x.SetRow(t, row(from+t))
		}
		return Sequence{X: x, Y: mat.NewDense(1, 1, nil)}
	}
	var data []Sequence
	for _, from := range []int{0, 1, 2, 10, 11, 12, 13, 30} { // gaps after 4 and 15
		data = append(data, window(from))
	}
	got := mustCollect(t, sequences(data...))[3].of.Stretch
	want := []float64{1, 10, 1, 11, 1, 12, 1, 13, 1, 14, 1, 15}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("longest stretch %v, want %v", got, want)
	}
}

func TestRankAskedTooHighIsCutAndTold(t *testing.T) {
	m := Random(2, 3, 1, 0.7, pcg(5))
	r := fit(t, drawLengths(m, 300, 0, 5, 2, 4, 5), Options{L: 2, Rank: 4})
	if r.Rank != 2 || !r.Has(RankCut) {
		t.Errorf("rank %d, warnings %v", r.Rank, r.Warnings)
	}
	if e := relativeError(t, r, m, 8); e > 1e-8 {
		t.Errorf("relative error %.2g", e)
	}
}

// sumWords returns random words over m symbols with their sums modulo m after every symbol, or after the
// last alone.
func sumWords(m, words, length int, last bool) []Sequence {
	rnd := rand.New(rand.NewPCG(1, 4))
	out := make([]Sequence, words)
	for i := range out {
		x, y, sum := mat.NewDense(length, m, nil), mat.NewDense(length, 1, nil), 0
		for t := range length {
			s := rnd.IntN(m)
			sum = (sum + s) % m
			x.Set(t, s, 1)
			y.Set(t, 0, float64(sum))
		}
		if last {
			y = mat.NewDense(1, 1, []float64{float64(sum)})
		}
		out[i] = Sequence{X: x, Y: y}
	}
	return out
}

// TestRoundingIsNoFault: where nothing but rounding is left neither the limit of iterations nor more
// rounding on longer sequences is a fault.
func TestRoundingIsNoFault(t *testing.T) {
	r := fit(t, slices.Values(sumWords(5, 2000, 6, false)), Options{Rank: 5, L: 1})
	if r.MSE > 1e-20 || len(r.Warnings) > 0 {
		t.Errorf("%v", r)
	}
}

// TestUnknownOffset: how far a fit is from its optimum is left out where that is not known.
func TestUnknownOffset(t *testing.T) {
	data := draw(Random(3, 2, 2, 0.7, pcg(1)), 60, 6, 0.05, true, 2)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, err := Fit(ctx, data, Options{Recorder: cancelAfter{&stopAfter{left: 12}, cancel}})
	if err != nil || !r.Has(NotConverged) || !strings.Contains(fmt.Sprint(r.Warnings), "the model is the best so far; allow more time") {
		t.Errorf("%v, %v", r, err)
	}
}

// TestLengthsNeeded: no L suits words of one length alone; the error says which lengths are needed.
func TestLengthsNeeded(t *testing.T) {
	for _, o := range []Options{{}, {L: 1}} {
		_, err := Fit(t.Context(), slices.Values(sumWords(7, 300, 4, true)), o)
		if err == nil || strings.Contains(err.Error(), "give L") || !strings.Contains(err.Error(), "L asks for lengths L, 2L and 2L+1: give outputs after every step, or sequences of three such lengths, with their L") {
			t.Errorf("%v: %v", o, err)
		}
	}
	_, err := Fit(t.Context(), slices.Values(sumWords(7, 300, 4, true)), Options{L: 2})
	if err == nil || !strings.Contains(err.Error(), "none were collected of length 2 and 5; give such sequences, or outputs after every step, or an L all of whose lengths the data hold") {
		t.Errorf("L = 2: %v", err)
	}
}
