package twornn

import (
	"context"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// scattered yields runs of a system of two states with a product, each from a start of its own.
func scattered(n, steps int, noise float64, seed uint64) iter.Seq[Sequence] {
	return func(yield func(Sequence) bool) {
		rnd := rand.New(pcg(seed))
		for range n {
			m := NewModel(3, 2, 1)
			for i, v := range []float64{1, 3 * rnd.NormFloat64(), 3 * rnd.NormFloat64()} {
				m.H0.SetVec(i, v)
			}
			for i, a := range [][]float64{{1, 0, 0, 0, 0.8, 0.1, 0, -0.1, 0.9}, {0, 0.5, 0.2, 0, 0.1, 0.1, 0, 0, 0.1}} {
				m.A[i].Copy(mat.NewDense(3, 3, a))
			}
			m.Omega.SetRow(0, []float64{0.2, 1, -0.5})
			s := Sequence{X: mat.NewDense(steps, 2, nil), Y: mat.NewDense(steps, 1, nil)}
			for t := range steps {
				s.X.SetRow(t, []float64{1, rnd.NormFloat64()})
			}
			m.OutputsTo(s.Y, s.X)
			for t := range steps {
				s.Y.Set(t, 0, s.Y.At(t, 0)+noise*rnd.NormFloat64())
			}
			if !yield(s) {
				return
			}
		}
	}
}

// errorAfter returns the mean squared error on the last steps of runs, from the start that
// the first ones tell.
func errorAfter(start func(x, y mat.Matrix) *Model, runs iter.Seq[Sequence], known int) (mse float64) {
	n := 0.0
	for s := range runs {
		k, d := s.X.Dims()
		m := start(s.X.Slice(0, known, 0, d), s.Y.Slice(0, known, 0, 1))
		var y mat.Dense
		m.OutputsTo(&y, s.X)
		for t := known; t < k; t++ {
			e := y.At(t, 0) - s.Y.At(t, 0)
			mse += e * e
			n++
		}
	}
	return mse / n
}

// Runs that begin far from each other teach what happens along them: forecasts of new runs from
// their first steps come near to the noise, 0.1² and what it leaves open of the start.
func TestOwnStarts(t *testing.T) {
	train, test := slices.Collect(scattered(30, 20, 0.1, 1)), scattered(200, 20, 0.1, 2)
	truth := NewModel(3, 2, 1)
	truth.H0.SetVec(0, 1)
	for i, a := range [][]float64{{1, 0, 0, 0, 0.8, 0.1, 0, -0.1, 0.9}, {0, 0.5, 0.2, 0, 0.1, 0.1, 0, 0, 0.1}} {
		truth.A[i].Copy(mat.NewDense(3, 3, a))
	}
	truth.Omega.SetRow(0, []float64{0.2, 1, -0.5})
	floor := errorAfter(truth.WithStart, test, 8)
	own, err := Fit(context.Background(), slices.Values(train), Options{OwnStarts: true, Rank: 3})
	if err != nil {
		t.Fatal(err)
	}
	shared, err := Fit(context.Background(), slices.Values(train), Options{Rank: 3})
	if err != nil {
		t.Fatal(err)
	}
	a, b := errorAfter(own.WithStart, test, 8), errorAfter(shared.WithStart, test, 8)
	t.Logf("noise 0.01, truth %.4g, own starts %.4g (training %.4g), one start %.4g (training %.4g)", floor, a, own.MSE, b, shared.MSE)
	if a > 1.15*floor {
		t.Errorf("with starts of their own the error is %.4g, of the truth %.4g", a, floor)
	}
	if !shared.Has(StartCounts) || own.Has(StartCounts) {
		t.Errorf("that runs begin at different states is said %v, with starts of their own %v", shared.Has(StartCounts), own.Has(StartCounts))
	}
	if own.MSE > 0.012 {
		t.Errorf("training MSE %.4g", own.MSE)
	}
}

func TestOwnStartsErrors(t *testing.T) {
	r, err := Fit(context.Background(), scattered(10, 20, 0.1, 1), Options{OwnStarts: true, Rank: 3})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Intervals(0.9); err == nil || !strings.Contains(err.Error(), "NewConformal") { // they covered 20 to 63 %
		t.Errorf("intervals of runs from other starts: %v", err)
	}
	m := Random(2, 2, 1, 0.5, pcg(1))
	for _, c := range []struct {
		data iter.Seq[Sequence]
		o    Options
		want string
	}{
		{draw(m, 20, 5, 0, true, 1), Options{OwnStarts: true}, "constant"},
		{scattered(3, 10, 0, 1), Options{OwnStarts: true, Recovery: LeastSquares{}}, "leave Recovery nil"},
	} {
		if _, err := Fit(context.Background(), c.data, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
}

// cooling yields runs of something that cools to 20 degrees from anywhere between 20 and 80, the faster the more it is
// stirred, in which one state and its product with the input tell all.
func cooling(n, steps int, seed uint64) iter.Seq[Sequence] {
	return func(yield func(Sequence) bool) {
		rnd := rand.New(pcg(seed))
		for range n {
			s := Sequence{X: mat.NewDense(steps, 2, nil), Y: mat.NewDense(steps, 1, nil)}
			x := 20 + 60*rnd.Float64()
			for t := range steps {
				u := rnd.Float64()
				x -= (0.03 + 0.1*u) * (x - 20)
				s.X.SetRow(t, []float64{1, u})
				s.Y.Set(t, 0, x+0.3*rnd.NormFloat64())
			}
			if !yield(s) {
				return
			}
		}
	}
}

// Where a linear system needs three states and more for what a product does with one, that one is
// found, and is said to be neither too few nor, with more asked for, too many.
func TestCooling(t *testing.T) {
	for _, c := range []struct {
		runs, steps, rank int
		seed              uint64
	}{{10, 30, 0, 2}, {20, 50, 2, 1}, {20, 50, 3, 1}} {
		r := fit(t, cooling(c.runs, c.steps, c.seed), Options{OwnStarts: true, Rank: c.rank})
		if r.Rank != 2 || !r.Interactions.Taken || r.MSE > 0.1 || r.Has(RankLow) || r.Has(RankCut) != (c.rank == 3) {
			t.Errorf("%+v: %v", c, r)
		}
	}
}
