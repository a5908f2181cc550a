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

// sparse yields the sequences with outputs after every step as ones with outputs after some, by chance.
func sparse(data []Sequence, src rand.Source) iter.Seq[Sequence] {
	return func(yield func(Sequence) bool) {
		rnd := rand.New(src)
		for _, s := range data {
			q := Sequence{X: s.X}
			var y []float64
			for t, row := range s.Outputs() {
				if rnd.Float64() < 0.5 || t == s.Len() && q.At == nil {
					q.At, y = append(q.At, t), append(y, row...)
				}
			}
			q.Y = mat.NewDense(len(q.At), len(y)/len(q.At), y)
			if !yield(q) {
				return
			}
		}
	}
}

// prefixes yields each output as one of a sequence that ends with it.
func prefixes(data iter.Seq[Sequence]) iter.Seq[Sequence] {
	return func(yield func(Sequence) bool) {
		for s := range data {
			_, d := s.X.Dims()
			for t, y := range s.Outputs() {
				q := Sequence{Y: mat.NewDense(1, len(y), slices.Clone(y))}
				if t > 0 {
					q.X = mat.DenseCopyOf(s.X.Slice(0, t, 0, d))
				}
				if !yield(q) {
					return
				}
			}
		}
	}
}

// Outputs at some steps are those of the sequences that end there: the same measurements, the
// same sum of squares, the same gradient.
func TestOutputsAtSomeSteps(t *testing.T) {
	m := Random(3, 2, 2, 0.5, pcg(1))
	data := slices.Collect(sparse(slices.Collect(draw(m, 300, 12, 0.1, true, 2)), pcg(3)))
	some, alone := slices.Values(data), slices.Collect(prefixes(slices.Values(data)))
	a, err := Collect(some)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Collect(slices.Values(alone))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range b.Lengths() {
		if a[l] == nil || a[l].N() != b[l].N() {
			t.Fatalf("length %d: %v", l, a[l])
		}
		h, _, err := LeastSquares{}.Recover(context.Background(), a[l], 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		g, _, err := LeastSquares{}.Recover(context.Background(), b[l], 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		H, _ := h.Unfold(l)
		G, _ := g.Unfold(l)
		if !mat.EqualApprox(H, G, 1e-8) {
			t.Errorf("length %d: the tensors differ", l)
		}
	}
	text, err := a.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var back Collection
	if err := back.UnmarshalBinary(text); err != nil {
		t.Fatal(err)
	}
	if again, _ := back.MarshalBinary(); !slices.Equal(again, text) {
		t.Error("what was written is read as something else")
	}
	for _, r := range []Refiner{LevenbergMarquardt{}, Adam{Epochs: 3, Batch: 10000, Patience: 100}} {
		start := Random(3, 2, 2, 0.4, pcg(9))
		x, sx, err := r.Refine(context.Background(), start, some, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, adam := r.(Adam); adam {
			continue // other sequences are held out; the gradient has a test of its own
		}
		y, sy, err := r.Refine(context.Background(), start, slices.Values(alone), nil)
		if err != nil {
			t.Fatal(err)
		}
		if sx.N != sy.N || relativeError(t, x, y, 5) > 1e-6 {
			t.Errorf("%T: %d and %d outputs, models %g apart", r, sx.N, sy.N, relativeError(t, x, y, 5))
		}
	}
	// A score is that of the last output, wherever it stands.
	want := Evaluate(m, func(yield func(Sequence) bool) {
		for _, s := range data {
			x, y := s.last()
			q := Sequence{Y: mat.NewDense(1, len(y), y)}
			if x != nil {
				q.X = mat.DenseCopyOf(x)
			}
			if !yield(q) {
				return
			}
		}
	})
	if got := Evaluate(m, some); got.MSE != want.MSE {
		t.Errorf("scored %v, want %v", got, want)
	}
}

// Of a long run of a system with a product half of the outputs tell all of it.
func TestRunWithMissingOutputs(t *testing.T) {
	whole := slices.Collect(bilinearRun(600, 0))
	fit, err := Fit(context.Background(), sparse(whole, pcg(1)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var y mat.Dense
	fit.OutputsTo(&y, whole[0].X)
	y.Sub(&y, whole[0].Y)
	if e := mat.Norm(&y, 2) / mat.Norm(whole[0].Y, 2); e > 1e-3 {
		t.Errorf("the outputs that were missing are %g off\n%v", e, fit)
	}
}

func TestWrongSteps(t *testing.T) {
	x := mat.NewDense(3, 1, []float64{1, 2, 3})
	for _, c := range []struct {
		at   []int
		want string
	}{
		{[]int{1}, "2 rows of Y and 1 step in At"},
		{[]int{1, 4}, "after step 4, but there are 3 steps"},
		{[]int{-1, 2}, "after step -1"},
		{[]int{2, 2}, "must ascend"},
	} {
		s := Sequence{X: x, Y: mat.NewDense(2, 1, []float64{1, 2}), At: c.at}
		if _, err := Collect(slices.Values([]Sequence{s})); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("At %v: %v, want %q", c.at, err, c.want)
		}
	}
}

// TestNil: a source of sequences, a predictor, intervals or a collection that is nil, or holds nothing,
// is an error.
func TestNil(t *testing.T) {
	ctx := t.Context()
	m, data := Random(2, 2, 1, 0.3, rand.NewPCG(1, 1)), slices.Values([]Sequence{{X: mat.NewDense(1, 2, []float64{1, 2}), Y: mat.NewDense(1, 1, []float64{3})}})
	const source = "the source of sequences is nil"
	for what, c := range map[string]struct {
		call func() error
		want string
	}{
		"Fit":             {func() error { _, err := Fit(ctx, nil, Options{}); return err }, source},
		"Fit, Recovery":   {func() error { _, err := Fit(ctx, nil, Options{L: 1, Rank: 1, Recovery: TIHT{}}); return err }, source},
		"Collect":         {func() error { _, err := Collect(nil); return err }, source},
		"CollectRows":     {func() error { _, err := CollectRows(nil); return err }, source},
		"Evaluate":        {func() error { return Evaluate(m, nil).Err }, source},
		"Evaluate f":      {func() error { return Evaluate(nil, data).Err }, "the predictor is nil"},
		"Forecasts":       {func() error { _, _, err := Forecasts(m, nil); return err }, source},
		"NewConformal":    {func() error { _, err := NewConformal(m, nil, 0.9); return err }, source},
		"NewConformal f":  {func() error { _, err := NewConformal(nil, data, 0.9); return err }, "the predictor is nil"},
		"Coverage":        {func() error { _, _, err := Coverage(&Conformal{Predictor: m, Width: []float64{1}}, nil); return err }, source},
		"Coverage f":      {func() error { _, _, err := Coverage(nil, data); return err }, "there are no intervals"},
		"Refine":          {func() error { _, _, err := LevenbergMarquardt{}.Refine(ctx, m, nil, nil); return err }, source},
		"Adam":            {func() error { _, _, err := Adam{}.Refine(ctx, m, nil, nil); return err }, source},
		"LowerSlope":      {func() error { _, _, err := Adam{}.LowerSlope(ctx, m, nil, nil, nil); return err }, source},
		"FitCollection":   {func() error { _, err := FitCollection(ctx, nil, Options{}); return err }, "holds no measurement"},
		"FitCollection 1": {func() error { _, err := FitCollection(ctx, Collection{1: nil}, Options{}); return err }, "holds no measurement"},
		"FitCollection 0": {func() error { _, err := FitCollection(ctx, Collection{1: {}}, Options{}); return err }, "holds no measurement"},
		"Likelihood":      {func() error { _, err := Likelihood(ctx, nil, m, Options{}); return err }, "holds no measurement"},
		"Merge":           {func() error { return Collection(nil).Merge(Collection{}) }, "begin with Collection{}"},
	} {
		if err := c.call(); err == nil || !strings.HasPrefix(err.Error(), "twornn: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
