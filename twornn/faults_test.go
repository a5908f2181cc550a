package twornn

import (
	"context"
	"iter"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestUnitsOfOneOutputLeaveTheOthers: an output in a unit 1e9 times as large does not change
// how well another is fitted, with noise in neither, in both and in one.
func TestUnitsOfOneOutputLeaveTheOthers(t *testing.T) {
	m := Random(3, 2, 2, 0.6, pcg(3))
	for _, noise := range []float64{0, 1e-7, 0.1} {
		data := func(unit float64) iter.Seq[Sequence] {
			return func(yield func(Sequence) bool) {
				for s := range drawLengths(m, 300, noise, 1, 1, 2, 3, 4, 5) {
					s.Y.Set(0, 0, unit*s.Y.At(0, 0))
					if !yield(s) {
						return
					}
				}
			}
		}
		err := func(unit float64) float64 {
			r := fit(t, data(unit), Options{L: 2, Rank: 2}) // a rank too low: weights tell
			return Evaluate(r, draw(m, 300, 4, 0, false, 9)).Outputs[1].MSE
		}
		a, b := err(1), err(1e-9)
		if math.Abs(a-b) > 1e-3*a+1e-18 {
			t.Errorf("noise %g: MSE of output 1 is %.4g, and %.4g with output 0 in another unit", noise, a, b)
		}
	}
}

// reusing yields the sequences in the same matrices over and over, as a source may.
func reusing(data []Sequence) iter.Seq[Sequence] {
	return func(yield func(Sequence) bool) {
		x, y := new(mat.Dense), new(mat.Dense)
		for _, s := range data {
			x.CloneFrom(s.X)
			y.CloneFrom(s.Y)
			if !yield(Sequence{X: x, Y: y}) {
				return
			}
		}
	}
}

// TestAdamCopiesWhatItKeeps: a source that uses its matrices again gives the same model.
func TestAdamCopiesWhatItKeeps(t *testing.T) {
	m := Random(2, 2, 1, 0.6, pcg(1))
	data := all(m, 60, 3, 0.1, true, 2)
	at := near(m, 0.3, 4)
	o := Adam{Epochs: 5}
	a, _, err := o.Refine(context.Background(), at, sequences(data...), nil)
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := o.Refine(context.Background(), at, reusing(data), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !sameModel(a, b) {
		t.Error("the models differ")
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

// TestConstantOutputHasNoR2: of a target that never moves there is nothing to explain.
func TestConstantOutputHasNoR2(t *testing.T) {
	m := NewModel(1, 1, 2) // predicts 0
	var data []Sequence
	for i := range 4 {
		data = append(data, Sequence{X: mat.NewDense(1, 1, nil), Y: mat.NewDense(1, 2, []float64{3, float64(i)})})
	}
	e := Evaluate(m, sequences(data...))
	// The second has a mean square of 3.5 and a variance of 1.25.
	if !math.IsNaN(e.Outputs[0].R2) || math.Abs(e.R2-(1-3.5/1.25)) > 1e-12 || e.R2 != e.Outputs[1].R2 {
		t.Errorf("R² %v, of the outputs %v and %v", e.R2, e.Outputs[0].R2, e.Outputs[1].R2)
	}
	for i := range data {
		data[i].Y.Set(0, 1, 1)
	}
	if e := Evaluate(m, sequences(data...)); !math.IsNaN(e.R2) {
		t.Errorf("no output varies, R² is %v", e.R2)
	}
}

// TestCompleteWithoutWords: no words are a complete basis for the zero function alone.
func TestCompleteWithoutWords(t *testing.T) {
	m := Random(2, 2, 1, 0.6, pcg(1))
	word := [][]int{{}}
	for _, c := range [][2][][]int{{nil, nil}, {word, nil}, {nil, word}} {
		if m.Complete(c[0], c[1], 0) || !NewModel(2, 2, 1).Complete(c[0], c[1], 0) {
			t.Errorf("%v: wrong", c)
		}
		if !m.Block(c[0], c[1]).IsEmpty() {
			t.Errorf("%v: a block of something", c)
		}
	}
}
