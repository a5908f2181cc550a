package twornn_test

import (
	"iter"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
)

// fitted learns from words with nothing set.
func fitted(t *testing.T, data iter.Seq[twornn.Sequence]) *twornn.Result {
	t.Helper()
	f, err := twornn.Fit(t.Context(), data, twornn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// right returns the share of ten words of 10,000 symbols on which every answer is right.
func right(tk *datasets.Tracking, f *twornn.Result) float64 {
	every, _ := tk.Right(tk.Words(10, 10000, rand.NewPCG(9, 9)), func(dst *mat.Dense, word []int) {
		f.OutputsTo(dst, datasets.OneHot(word, tk.Symbols()))
	})
	return every
}

// TestFitWordsExactly: what was learnt from words of three symbols answers right after each of
// 10,000; by theory, as the words hold all transitions.
func TestFitWordsExactly(t *testing.T) {
	for _, c := range []struct{ m, words int }{{10, 4000}, {25, 2500}} {
		tk := datasets.RunningSum(c.m)
		f := fitted(t, tk.Sequences(c.words, 3, rand.NewPCG(1, 2)))
		if f.Rank != c.m || f.MSE != 0 || f.Exact == nil || !f.Exact.Deterministic || len(f.Warnings) > 0 {
			t.Errorf("%s: %v", tk.Name, f)
		}
		if f.N != 3*c.words || !(f.ZeroMSE > 0.99/float64(c.m) && f.ZeroMSE < 1.01/float64(c.m)) {
			t.Errorf("%s: %d measurements, zero function %v", tk.Name, f.N, f.ZeroMSE)
		}
		if r := right(tk, f); r != 1 {
			t.Errorf("%s: right on a share %v of the words", tk.Name, r)
		}
		if s := f.String(); !strings.Contains(s, "read off words, symbol by symbol; deterministic, largest error 0;") {
			t.Errorf("the summary is\n%s", s)
		}
	}
}

// TestFitWordsWithStatesHidden: the outputs tell whether the sum modulo 5 is zero and no more, and the
// states are known by what follows.
func TestFitWordsWithStatesHidden(t *testing.T) {
	const m, d = 5, 7
	truth := twornn.NewModel(m, d, 1)
	truth.H0.SetVec(0, 1)
	truth.Omega.Set(0, 0, 1)
	for s := range d {
		for i := range m {
			truth.A[s].Set(i, (i+s)%m, 1)
		}
	}
	data := func(yield func(twornn.Sequence) bool) {
		rnd := rand.New(rand.NewPCG(3, 4))
		for range 3000 {
			w := make([]int, 4)
			for k := range w {
				w[k] = rnd.IntN(d)
			}
			s := twornn.Sequence{X: datasets.OneHot(w, d), Y: new(mat.Dense)}
			truth.OutputsTo(s.Y, s.X)
			if !yield(s) {
				return
			}
		}
	}
	f := fitted(t, data)
	same, word, err := twornn.Equal(truth, f.Model, 1e-9)
	if f.Exact == nil || f.Exact.Futures != 1 || !same || err != nil {
		t.Errorf("differs on %v, %v: %v", word, err, f)
	}
}

// TestFitWordsWithGaps: transitions that no word takes are counted, with one of them named.
func TestFitWordsWithGaps(t *testing.T) {
	tk := datasets.RunningSum(7)
	data := func(yield func(twornn.Sequence) bool) {
		for s := range tk.Sequences(2000, 4, rand.NewPCG(5, 6)) {
			if s.X.At(0, 6)+s.X.At(1, 6)+s.X.At(2, 6)+s.X.At(3, 6) == 0 && !yield(s) {
				return
			}
		}
	}
	f := fitted(t, data)
	if f.Exact == nil || f.Exact.Unseen != 7 || !f.Has(twornn.Deficient) || !strings.Contains(f.String(), "7 transitions were never seen, such as symbol 6") {
		t.Errorf("%v", f)
	}
}

// TestFitWordsDeclines: noise, also where no word comes twice, and words with hardly more outputs than a
// machine has parameters are no exact machine; nor is what has a rank named.
func TestFitWordsDeclines(t *testing.T) {
	tk := datasets.RunningSum(7)
	noisy := func(n, length int, sd float64) iter.Seq[twornn.Sequence] {
		return func(yield func(twornn.Sequence) bool) {
			rnd := rand.New(rand.NewPCG(7, 8))
			for s := range tk.Sequences(n, length, rand.NewPCG(1, 2)) {
				s.Y.Apply(func(_, _ int, v float64) float64 { return v + sd*rnd.NormFloat64() }, s.Y)
				if !yield(s) {
					return
				}
			}
		}
	}
	for name, c := range map[string]struct {
		data iter.Seq[twornn.Sequence]
		o    twornn.Options
		want bool
	}{
		"none":     {noisy(100, 3, 0), twornn.Options{}, true},
		"noise":    {noisy(300, 3, 0.1), twornn.Options{}, false},
		"a little": {noisy(300, 3, 1e-5), twornn.Options{}, false},
		"apart":    {noisy(30, 9, 1e-5), twornn.Options{}, false},
		"few":      {noisy(1, 5, 0.1), twornn.Options{}, false},
		"rank":     {noisy(100, 3, 0), twornn.Options{Rank: 7}, false},
		"recovery": {noisy(100, 3, 0), twornn.Options{Recovery: twornn.LeastSquares{}}, false},
	} {
		if got := twornn.ExplainsExactly(c.data, c.o); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestFitManySymbols: words of 1,000 symbols are learnt without one matrix of that size, and what no
// machine explains is an error that says so.
func TestFitManySymbols(t *testing.T) {
	tk := datasets.RandomMachine(3, 1000, rand.NewPCG(1, 1))
	f := fitted(t, tk.Sequences(25000, 3, rand.NewPCG(1, 2)))
	if r := f.Exact; r == nil || r.Unseen > 0 || f.N != 75000 || len(f.Lengths) != 3 {
		t.Fatalf("%v", f)
	}
	every, _ := tk.Right(tk.Words(1, 2000, rand.NewPCG(9, 9)), func(dst *mat.Dense, word []int) {
		f.OutputsTo(dst, datasets.OneHot(word, tk.Symbols()))
	})
	if every != 1 {
		t.Errorf("not all answers are right: %v", f)
	}
	_, err := twornn.Fit(t.Context(), datasets.RunningSum(1000).Sequences(50, 3, rand.NewPCG(1, 2)), twornn.Options{})
	if err == nil || !strings.Contains(err.Error(), "1000 symbols are too many") {
		t.Errorf("of a machine of 1,000 states: %v", err)
	}
}

// TestFitWordsFromFew: a deterministic machine has a state to choose for each transition, so that its outputs as
// numbers are told by far fewer words than the entries of its matrices would need.
func TestFitWordsFromFew(t *testing.T) {
	const m = 7
	rnd := rand.New(rand.NewPCG(1, 9))
	f := fitted(t, func(yield func(twornn.Sequence) bool) {
		for range 500 {
			s := twornn.Sequence{X: mat.NewDense(3, m, nil), Y: mat.NewDense(3, 1, nil)}
			sum := 0
			for i := range 3 {
				v := rnd.IntN(m)
				sum = (sum + v) % m
				s.X.Set(i, v, 1)
				s.Y.Set(i, 0, float64(sum))
			}
			if !yield(s) {
				return
			}
		}
	})
	if f.Exact == nil || !f.Exact.Deterministic || f.Rank != m || f.MSE != 0 {
		t.Errorf("%v", f)
	}
}
