package twornn

import (
	"context"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// manyInputs returns a 2-RNN with outputs of order one on standard normal inputs.
func manyInputs(n, d, p int, seed uint64) *Model {
	m := Random(n, d, p, 1, pcg(seed))
	for _, a := range m.A {
		a.Scale(0.8/float64(n), a)
	}
	return m
}

// TestManyInputs: with nothing set Fit finds a 2-RNN of many inputs exactly without noise, and
// Collect and FitCollection give the same.
func TestManyInputs(t *testing.T) {
	m := manyInputs(2, 20, 2, 3)
	r, err := Fit(t.Context(), draw(m, 900, 3, 0, true, 1), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if e := Evaluate(r, draw(m, 200, 5, 0, true, 2)); r.Rank != 2 || !(1-e.R2 < 1e-12) || len(r.Warnings) > 0 && !r.Has(Unstable) {
		t.Errorf("%v\n1 − R² %g", r, 1-e.R2)
	}
	c := mustCollect(t, draw(m, 900, 3, 0, true, 1))
	again, err := FitCollection(t.Context(), c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(r.Omega, again.Omega) {
		t.Error("Collect and FitCollection give another model")
	}
}

// TestManyInputsUnits: neither units nor dependent inputs matter, and an output in a large unit
// does not drown another.
func TestManyInputsUnits(t *testing.T) {
	m := manyInputs(2, 19, 2, 4)
	units := func(yield func(Sequence) bool) {
		for s := range draw(m, 1500, 3, 0.1, true, 1) {
			k := s.Len()
			x := mat.NewDense(k, 20, nil)
			for i := range k {
				row := x.RawRowView(i)
				copy(row, s.X.RawRowView(i))
				row[3] *= 1e6
				row[19] = row[0] + row[1]
				s.Y.Set(i, 1, s.Y.At(i, 1)*1e8)
			}
			if !yield(Sequence{X: x, Y: s.Y}) {
				return
			}
		}
	}
	r, err := Fit(t.Context(), units, Options{})
	if err != nil {
		t.Fatal(err)
	}
	plain, err := Fit(t.Context(), draw(m, 1500, 3, 0.1, true, 1), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Has(Collinear) || r.Rank != 2 {
		t.Errorf("no word of the column that is a sum, or rank not 2:\n%v", r)
	}
	a, b := Evaluate(r, units), Evaluate(plain, draw(m, 1500, 3, 0.1, true, 1))
	for o := range 2 {
		if d := a.Outputs[o].R2 - b.Outputs[o].R2; d < -1e-5 || d > 1e-5 {
			t.Errorf("output %d: R² %v, in the plain units %v", o, a.Outputs[o].R2, b.Outputs[o].R2)
		}
	}
	if _, err := r.Intervals(0.9); err != nil {
		t.Error(err)
	}
}

// TestManyInputsNoise: of outputs that are noise the zero function is returned.
func TestManyInputsNoise(t *testing.T) {
	m := NewModel(1, 17, 1)
	r, err := Fit(t.Context(), draw(m, 400, 3, 1, true, 1), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Fallback {
		t.Errorf("noise is explained:\n%v", r)
	}
}

// TestManyInputsStopped: a context that is done gives its error, or the best so far.
func TestManyInputsStopped(t *testing.T) {
	m := manyInputs(2, 17, 1, 5)
	c := mustCollect(t, draw(m, 400, 3, 0.1, true, 1))
	ctx, cancel := context.WithCancel(t.Context())
	r, err := FitCollection(ctx, c, Options{Recorder: stopper{cancel}})
	if err != nil || !r.Has(NotConverged) {
		t.Errorf("%v, %v", r, err)
	}
	if _, err := FitCollection(ctx, c, Options{}); err == nil {
		t.Error("no error of a context that is done")
	}
}

// stopper cancels at the first report.
type stopper struct{ cancel func() }

func (s stopper) Record(Progress) error { s.cancel(); return nil }

// TestStepsOfManyInputs: the steps take sequences of many inputs whole. The start has the number of states
// and no less than the optimum to gain; from it, and from the truth, the likelihood comes to what Fit finds.
func TestStepsOfManyInputs(t *testing.T) {
	m := manyInputs(2, 20, 2, 3)
	data := draw(m, 2000, 3, 0.1, true, 1)
	c := mustCollect(t, data)
	r := fit(t, data, Options{})
	starts, err := Start(t.Context(), c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(starts) != 3 || starts[1].Rank != r.Rank {
		t.Fatalf("%d starts: %v", len(starts), starts)
	}
	for name, from := range map[string]*Model{"truth": m, "start": starts[1].Model} {
		best, err := Likelihood(t.Context(), c, from, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(best.MSE-r.MSE) > 1e-5*r.MSE || best.Status != Converged {
			t.Errorf("from the %s: MSE %v, by Fit %v", name, best.MSE, r.MSE)
		}
		if e := clean(best.Model, m, 3); e > 0.05*0.01 {
			t.Errorf("from the %s: error %g without noise", name, e)
		}
	}
}

// TestStepsErr: the steps err as Fit does: on models that hold NaN where no output shows it, on data that tell
// nothing, and on what has no room.
func TestStepsErr(t *testing.T) {
	short, wide := mustCollect(t, draw(Random(2, 2, 1, 0.5, pcg(1)), 200, 3, 0.1, true, 1)), mustCollect(t, draw(manyInputs(2, 20, 1, 3), 400, 3, 0.1, true, 1))
	for name, c := range map[string]struct {
		c    Collection
		d    int
		o    Options
		want string
	}{
		"words":        {short, 2, Options{}, "NaN"},
		"many inputs":  {wide, 20, Options{}, "NaN"},
		"memory":       {wide, 20, Options{Memory: 1}, "Options{Memory"},
		"memory, runs": {mustCollect(t, bilinearRun(300, 0.1)), 2, Options{Memory: 1000}, "Options{Memory"},
	} {
		m := NewModel(2, c.d, 1)
		if c.o.Memory == 0 {
			m.A[0].Set(0, 0, math.NaN())
			if _, _, err := (LevenbergMarquardt{}).RefineCollection(t.Context(), m, c.c, nil); err == nil || !strings.Contains(err.Error(), "NaN") {
				t.Errorf("%s: LevenbergMarquardt: %v", name, err)
			}
		} else if _, err := Start(t.Context(), c.c, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Start: %v", name, err)
		} else if _, err := FitCollection(t.Context(), c.c, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: FitCollection: %v", name, err)
		}
		if _, err := Likelihood(t.Context(), c.c, m, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Likelihood: %v", name, err)
		}
	}
	few := mustCollect(t, draw(manyInputs(2, 30, 1, 3), 5, 4, 0.1, true, 1))
	if starts, err := Start(t.Context(), few, Options{}); err == nil && len(starts) == 0 {
		t.Error("no start, and no error")
	}
	bad := NewModel(2, 2, 1)
	bad.A[1] = nil
	if _, err := Likelihood(t.Context(), short, bad, Options{}); err == nil || !strings.Contains(err.Error(), "nil") {
		t.Errorf("an A that is nil: %v", err)
	}
}
