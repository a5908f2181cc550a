package words

import (
	"math"
	"math/rand/v2"
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

// sums returns words of so many symbols with their sums modulo m, as numbers with noise, after every
// symbol or the last one alone.
func sums(m, words, length int, noise float64, last bool) func(yield func(twornn.Sequence) bool) {
	return func(yield func(twornn.Sequence) bool) {
		rnd := rand.New(pcg(11))
		for range words {
			word, y, sum := make([]int, length), mat.NewDense(length, 1, nil), 0
			for i := range word {
				word[i] = rnd.IntN(m)
				sum = (sum + word[i]) % m
				y.Set(i, 0, float64(sum)+noise*rnd.NormFloat64())
			}
			if last {
				y = mat.DenseCopyOf(y.Slice(length-1, length, 0, 1))
			}
			if !yield(twornn.Sequence{X: datasets.OneHot(word, m), Y: y}) {
				return
			}
		}
	}
}

// TestIncompleteFutures: the sum as a number tells no states by a linear map, what follows does; and
// words of which only some was seen are told by that, so that each state met once with all
// that follows is enough.
func TestIncompleteFutures(t *testing.T) {
	for _, c := range []struct{ m, words, length int }{{5, 200, 6}, {5, 250, 3}, {7, 490, 4}} {
		m, err := FitOutputs(t.Context(), sums(c.m, c.words, c.length, 0, false), OutputsOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if n, _, _ := m.Dims(); n != c.m || !m.Deterministic || m.Futures != 1 || len(m.Warnings) > 0 {
			t.Errorf("%v: %v", c, m)
		}
		if e := twornn.Evaluate(m, sums(c.m, 50, 100, 0, false)); e.MSE != 0 {
			t.Errorf("%v: %v on longer words", c, e)
		}
	}
}

// TestUnexplained: a machine that is not what gave the outputs of its own words says so first, and the
// cure that it names is one.
func TestUnexplained(t *testing.T) {
	for name, c := range map[string]struct {
		data  func(yield func(twornn.Sequence) bool)
		o     OutputsOptions
		want  string
		cured func(yield func(twornn.Sequence) bool)
		with  OutputsOptions
	}{
		"few":     {sums(5, 60, 6, 0, false), OutputsOptions{}, "largest is 4; give more words, or", sums(5, 250, 6, 0, false), OutputsOptions{}},
		"last":    {sums(7, 300, 4, 0, true), OutputsOptions{}, "give words with an output after every symbol", sums(7, 490, 4, 0, false), OutputsOptions{}},
		"futures": {sums(5, 250, 6, 0, false), OutputsOptions{Futures: -1}, "leave Futures zero, or", sums(5, 250, 6, 0, false), OutputsOptions{}},
		"noise":   {sums(5, 250, 6, 0.001, false), OutputsOptions{}, "0.0014 of the largest: the data are noisy; set Tol to several times as much", sums(5, 250, 6, 0.001, false), OutputsOptions{Tol: 0.005}},
	} {
		m, err := FitOutputs(t.Context(), c.data, c.o)
		if err != nil {
			t.Fatal(err)
		}
		if s := m.String(); !m.Has(twornn.Unexplained) || !strings.HasPrefix(s, "warning: no machine was found that explains the words: an output of this one is off by ") || !strings.Contains(s, c.want) {
			t.Errorf("%s: %v", name, s)
		}
		if m, err = FitOutputs(t.Context(), c.cured, c.with); err != nil || m.Has(twornn.Unexplained) {
			t.Errorf("%s, cured: %v, %v", name, m, err)
		}
	}
}

// TestContradiction: the same word with the outputs 1 and 5 after it is off by 2 at the least, and said
// to be noise, in whatever order the two come and whatever else is known.
func TestContradiction(t *testing.T) {
	x := datasets.OneHot([]int{0, 1, 0}, 2)
	for _, last := range [][]float64{{1, 5}, {5, 1}, {1, 1, 5}} {
		var data []twornn.Sequence
		largest := 0.0
		for _, y := range last {
			data = append(data, twornn.Sequence{X: x, Y: mat.NewDense(3, 1, []float64{1, 2, y})})
		}
		m, err := FitOutputs(t.Context(), slices.Values(data), OutputsOptions{})
		if err != nil {
			t.Fatal(err)
		}
		says := m.Predict(nil, x)[0]
		for _, y := range last {
			largest = max(largest, math.Abs(says-y))
		}
		if math.Abs(m.Error-largest) > 1e-9 || m.Error < 2 {
			t.Errorf("%v: error %v, it says %v", last, m.Error, says)
		}
		if s := m.String(); !m.Has(twornn.Unexplained) || !strings.Contains(s, "where the largest is 5; outputs after the same word differ by up to 4, 0.8 of the largest: the data are noisy; give the words to twornn.Fit") {
			t.Errorf("%v: %v", last, s)
		}
	}
}

// TestSeenTransitions: transitions that words take, but with too little after them for the futures
// asked for, are not called unseen, and words as the summary asks for close the gaps.
func TestSeenTransitions(t *testing.T) {
	tk := datasets.RunningSum(5)
	for _, c := range []struct {
		words, futures int
		add            string
	}{{100, 1, "with every word of 1 symbol, with"}, {500, 2, "with every word of 2 symbols, with"}} {
		words := slices.Collect(tk.Words(c.words, 6, pcg(12)))
		var m *Machine
		for round := range 10 {
			var err error
			if m, err = FitOutputs(t.Context(), examples(tk, words), OutputsOptions{Futures: c.futures}); err != nil {
				t.Fatal(err)
			}
			if len(m.Missing) == 0 && round > 0 {
				break
			}
			if s := m.String(); !m.Has(twornn.Deficient) || strings.Contains(s, "never seen") || !strings.Contains(s, "seen, but too little of what follows, such as symbol ") || !strings.Contains(s, c.add) {
				t.Errorf("%v", s)
			}
			for _, g := range m.Missing {
				for _, next := range twornn.Words(5, c.futures) {
					words = append(words, slices.Concat(g.Word, []int{g.Symbol}, next))
				}
			}
		}
		if n, _, _ := m.Dims(); n != 5 || len(m.Warnings) > 0 {
			t.Errorf("%v: %v", c, m)
		}
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
