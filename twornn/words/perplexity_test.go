package words

import (
	"math"
	"testing"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
)

// TestNGrams: probabilities of all symbols and the end sum to 1 after every word, and a
// bigram language is learnt by bigrams but not by unigrams.
func TestNGrams(t *testing.T) {
	sample := draw(ladder(), 2000, pcg(1))
	for n := 1; n <= 3; n++ {
		g := FitNGrams(sample, n)
		for _, w := range twornn.Words(3, 3) {
			total := 0.0
			for x := range 4 {
				total += g.prob(w, len(w), x)
			}
			if math.Abs(total-1) > 1e-12 {
				t.Errorf("%d-grams: after %v probabilities sum to %v", n, w, total)
			}
		}
	}
	truth := func(w []int) float64 { return ladder().logProb(w) }
	test := draw(ladder(), 1000, pcg(2))
	best := Perplexity(test.All(), truth, truth)
	one, two := Perplexity(test.All(), truth, FitNGrams(sample, 1).LogProb), Perplexity(test.All(), truth, FitNGrams(sample, 2).LogProb)
	if !(best < two && two < one) {
		t.Errorf("perplexities %v, by bigrams %v, by unigrams %v", best, two, one)
	}
}

// TestNGramsLongerThanWords: a context longer than all words, whose start it has too, adds nothing, and costs nothing.
func TestNGramsLongerThanWords(t *testing.T) {
	sample := datasets.NewWords(datasets.Numbered(2))
	sample.Add([]int{0, 1, 1}, 3)
	sample.Add([]int{1}, 2)
	want := FitNGrams(sample, 5)
	for _, n := range []int{6, 10_000, 1_000_000_000} {
		g := FitNGrams(sample, n)
		for _, w := range twornn.Words(2, 5) {
			if x, y := g.LogProb(w), want.LogProb(w); x != y {
				t.Errorf("n = %d: %v has %v, not %v", n, w, x, y)
			}
		}
	}
	if three, four := FitNGrams(sample, 4).LogProb([]int{0, 1, 1}), want.LogProb([]int{0, 1, 1}); three == four {
		t.Error("the start of the longest word tells nothing")
	}
}

// TestPerplexity: by hand, on two words: p = (3/4, 1/4), q = (1/2, 1/2) has 2.
func TestPerplexity(t *testing.T) {
	test := datasets.NewWords([]string{"a"})
	test.Add([]int{0}, 5)
	test.Add(nil, 1)
	p := func(w []int) float64 { return math.Log(0.3 - 0.2*float64(1-len(w))) }
	q := func([]int) float64 { return math.Log(0.01) }
	if got := Perplexity(test.All(), p, q); math.Abs(got-2) > 1e-12 {
		t.Errorf("%v, not 2", got)
	}
	if got, want := Perplexity(test.All(), p, p), math.Exp(-0.75*math.Log(0.75)-0.25*math.Log(0.25)); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, not %v", got, want)
	}
	none := func(w []int) float64 { return math.Log(float64(len(w))) }
	if got := Perplexity(test.All(), p, none); !math.IsInf(got, 1) {
		t.Errorf("%v where a word has no probability", got)
	}
}

// TestDraw: words come as often as they are probable.
func TestDraw(t *testing.T) {
	a := &Automaton{Alphabet: datasets.Numbered(3), Parts: []Part{{Weight: 0.25, pfa: ladder()}, {Weight: 0.75, pfa: ladder()}}}
	const n = 40000
	w := a.Draw(n, pcg(3))
	for _, word := range twornn.Words(3, 4) {
		p := math.Exp(a.LogProb(word))
		if got := w.Count(word) / n; math.Abs(got-p) > 5*math.Sqrt(p/n)+1e-9 {
			t.Errorf("%v: a share of %v, probability %v", word, got, p)
		}
	}
}
