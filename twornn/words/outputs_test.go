package words

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
)

// examples returns the words as examples of a task.
func examples(tk *datasets.Tracking, words [][]int) func(yield func(twornn.Sequence) bool) {
	return func(yield func(twornn.Sequence) bool) {
		for _, w := range words {
			if !yield(tk.Example(w)) {
				return
			}
		}
	}
}

// TestTracking: from the fewest words that use every transition, short as they can be,
// every answer on words of 10,000 symbols is right; what was learnt equals the machine.
func TestTracking(t *testing.T) {
	for _, tk := range []*datasets.Tracking{
		datasets.RunningSum(2), datasets.RunningSum(3), datasets.RunningSum(10), datasets.RunningSum(25),
		datasets.RandomMachine(25, 2, pcg(1)), datasets.RandomMachine(25, 3, pcg(2)),
		datasets.SymmetricGroup(3), datasets.AlternatingGroup(5), datasets.SymmetricGroup(5),
	} {
		m, err := FitOutputs(t.Context(), examples(tk, tk.Cover()), OutputsOptions{})
		if err != nil {
			t.Fatal(tk.Name, err)
		}
		every, last := tk.Right(tk.Words(5, 10000, pcg(3)), m.Track)
		if every != 1 || last != 1 || !m.Deterministic || len(m.Missing) > 0 || m.Error != 0 {
			t.Errorf("%s: %v and %v right: %v", tk.Name, every, last, m)
		}
		// Words of 10,000 symbols, in the general way too.
		for w := range tk.Words(1, 1000, pcg(4)) {
			y, z := new(mat.Dense), new(mat.Dense)
			m.Track(y, w)
			m.OutputsTo(z, datasets.OneHot(w, tk.Symbols()))
			if !mat.Equal(y, z) {
				t.Errorf("%s: Track and OutputsTo differ", tk.Name)
			}
		}
	}
}

// TestMissing: with one word less than needed the gap is named, and the word that closes
// it does.
func TestMissing(t *testing.T) {
	tk := datasets.AlternatingGroup(5)
	words := tk.Cover()
	for _, out := range []int{0, 7, len(words) - 1} {
		fewer := slices.Delete(slices.Clone(words), out, out+1)
		m, err := FitOutputs(t.Context(), examples(tk, fewer), OutputsOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for range 100 {
			if len(m.Missing) == 0 {
				break
			}
			if !strings.Contains(m.String(), "never seen") {
				t.Errorf("the summary is silent: %v", m)
			}
			for _, g := range m.Missing {
				fewer = append(fewer, append(slices.Clone(g.Word), g.Symbol))
			}
			if m, err = FitOutputs(t.Context(), examples(tk, fewer), OutputsOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if every, _ := tk.Right(tk.Words(5, 1000, pcg(5)), m.Track); every != 1 {
			t.Errorf("without word %d: %v right once the gaps are closed: %v", out, every, m)
		}
	}
}

// TestHiddenStates: outputs that do not tell the state, by their futures: whether the sum is
// zero modulo 6, a random weighted automaton, and a state that comes never again.
func TestHiddenStates(t *testing.T) {
	sum := datasets.RunningSum(6).Model()
	hidden := twornn.NewModel(6, 2, 1)
	hidden.H0.CopyVec(sum.H0)
	hidden.A[0].Copy(sum.A[1])
	hidden.A[1].Copy(sum.A[2])
	hidden.Omega.Set(0, 0, 1)
	once := twornn.NewModel(2, 2, 2) // a first symbol, then no other counts
	once.H0.SetVec(0, 1)
	once.A[0].Set(0, 0, 1)
	once.A[0].Set(1, 1, 1)
	once.A[1].Set(0, 1, 1)
	once.A[1].Set(1, 1, 1)
	once.Omega.Set(0, 0, 1)
	once.Omega.Set(1, 1, 1)
	for name, c := range map[string]struct {
		truth         *twornn.Model
		deterministic bool
	}{
		"zero modulo 6": {hidden, true},
		"random":        {twornn.Random(4, 2, 2, 0.6, pcg(6)), false},
		"once":          {once, true},
	} {
		_, d, _ := c.truth.Dims()
		data := func(yield func(twornn.Sequence) bool) {
			for _, w := range twornn.Words(d, 8) {
				if len(w) < 8 {
					continue
				}
				X, y := datasets.OneHot(w, d), new(mat.Dense)
				c.truth.OutputsTo(y, X)
				if !yield(twornn.Sequence{X: X, Y: y}) {
					return
				}
			}
		}
		m, err := FitOutputs(t.Context(), data, OutputsOptions{})
		if err != nil {
			t.Fatal(name, err)
		}
		if m.Deterministic != c.deterministic {
			t.Errorf("%s: %v", name, m)
		}
		equalOnWords(t, name, c.truth, m.Model, d, 10, 1e-6)
	}
}

// equalOnWords compares two models on all words of 1 to l symbols.
func equalOnWords(t *testing.T, name string, a, b *twornn.Model, d, l int, tol float64) {
	t.Helper()
	for _, w := range twornn.Words(d, l)[1:] {
		x := datasets.OneHot(w, d)
		ya, yb := a.Predict(nil, x), b.Predict(nil, x)
		for j := range ya {
			if !(math.Abs(ya[j]-yb[j]) <= tol*(1+math.Abs(ya[j]))) {
				t.Fatalf("%s: %v: %v, not %v", name, w, yb, ya)
			}
		}
	}
}

// TestFitOutputsErrors: bad data give one error with place and cure.
func TestFitOutputsErrors(t *testing.T) {
	ok := datasets.RunningSum(2).Example([]int{1, 0})
	nan := datasets.RunningSum(2).Example([]int{1, 0})
	nan.Y.Set(1, 0, math.NaN())
	for name, c := range map[string]struct {
		data []twornn.Sequence
		want string
	}{
		"none":       {nil, "hold no symbol"},
		"empty word": {[]twornn.Sequence{{Y: mat.NewDense(1, 1, nil)}}, "hold no symbol"},
		"no outputs": {[]twornn.Sequence{ok, {X: ok.X}}, "sequence 2 has no outputs"},
		"no one-hot": {[]twornn.Sequence{{X: mat.NewDense(1, 2, nil), Y: mat.NewDense(1, 1, nil)}}, "sequence 1: datasets: step 1 is no unit vector"},
		"NaN":        {[]twornn.Sequence{ok, nan}, "sequence 2: symbol 2: output 1 is NaN"},
		"zero":       {[]twornn.Sequence{{X: ok.X, Y: mat.NewDense(2, 1, nil)}}, "all outputs are zero"},
		"large":      {[]twornn.Sequence{ok, {X: ok.X, Y: mat.NewDense(2, 2, []float64{1, 2, 3, -1e308})}}, "sequence 2: output 2 of row 2 is -1e+308, too large"},
		"before":     {[]twornn.Sequence{{X: ok.X, At: []int{-1}, Y: mat.NewDense(1, 2, nil)}}, "sequence 1: row 1 of its outputs stands after symbol -1, but there are 2"},
		"beyond":     {[]twornn.Sequence{{X: ok.X, At: []int{3}, Y: mat.NewDense(1, 2, nil)}}, "sequence 1: row 1 of its outputs stands after symbol 3, but there are 2"},
		"twice":      {[]twornn.Sequence{{X: ok.X, At: []int{1, 1}, Y: mat.NewDense(2, 2, nil)}}, "sequence 1: row 2 of its outputs stands after symbol 1, that before it after 1; At must ascend"},
		"inputs":     {[]twornn.Sequence{ok, datasets.RunningSum(3).Example([]int{1})}, "sequence 2 has 3 inputs"},
	} {
		_, err := FitOutputs(t.Context(), slices.Values(c.data), OutputsOptions{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := FitOutputs(t.Context(), nil, OutputsOptions{}); err == nil || !strings.Contains(err.Error(), "the source of sequences is nil") {
		t.Errorf("nil: %v", err)
	}
	for _, tol := range []float64{math.NaN(), -1, 1} {
		if _, err := FitOutputs(t.Context(), slices.Values([]twornn.Sequence{ok}), OutputsOptions{Tol: tol}); err == nil || !strings.Contains(err.Error(), "give a fraction below 1") {
			t.Errorf("Tol %v: %v", tol, err)
		}
	}
}
