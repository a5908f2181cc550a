package words

import (
	"math"

	"github.com/twornn/spectral/datasets"
)

// NGrams is the model of strings to compare with: each symbol, and the end of the word,
// depends on the n−1 symbols before it alone, smoothed by Witten and Bell's rule:
//
//	P(x | c) = (count of x after c + k P(x | c without its first)) / (count of c + k)
//
// with k the number of different symbols met after c, and 1/(d+1) after no context.
type NGrams struct {
	n, d  int
	after map[string]*contextCount
}

// contextCount is what was met after a context.
type contextCount struct {
	next  map[int]float64
	total float64
}

// FitNGrams counts the n-grams of a sample. An n beyond the longest word and both of its ends counts as that:
// a longer context has nothing more in it. It panics if n is not positive or there is no sample.
func FitNGrams(sample *datasets.Words, n int) *NGrams {
	if n < 1 {
		panic("words: n-grams need n of at least 1")
	}
	if sample == nil {
		panic("words: n-grams need a sample")
	}
	longest := 0
	for w := range sample.All() {
		longest = max(longest, len(w))
	}
	n = min(n, longest+2)
	u := unit(sample)
	g := &NGrams{n: n, d: len(sample.Alphabet), after: make(map[string]*contextCount)}
	for w, c := range sample.All() {
		c *= u
		for t := range len(w) + 1 {
			x := g.symbol(w, t)
			for k := range n {
				at := g.context(w, t, k)
				e := g.after[at]
				if e == nil {
					e = &contextCount{next: make(map[int]float64)}
					g.after[at] = e
				}
				e.next[x] += c
				e.total += c
			}
		}
	}
	return g
}

// symbol returns symbol t of w, d for the end.
func (g *NGrams) symbol(w []int, t int) int {
	if t == len(w) {
		return g.d
	}
	return w[t]
}

// context returns the name of the k symbols before t, with what is before the word as one
// more symbol.
func (g *NGrams) context(w []int, t, k int) string {
	r := make([]int, 0, k)
	for i := t - k; i < t; i++ {
		if i < 0 {
			r = append(r, g.d)
		} else {
			r = append(r, w[i])
		}
	}
	return key(r)
}

// LogProb returns the natural logarithm of the probability of a word. It panics if a
// symbol is out of range.
func (g *NGrams) LogProb(word []int) float64 {
	checkSymbols(word, g.d)
	log := 0.0
	for t := range len(word) + 1 {
		log += math.Log(g.prob(word, t, g.symbol(word, t)))
	}
	return log
}

// prob returns the probability of x, a symbol or the end, after the first t symbols.
func (g *NGrams) prob(word []int, t, x int) float64 {
	p := 1 / float64(g.d+1)
	for k := range g.n {
		if e := g.after[g.context(word, t, k)]; e != nil {
			types := float64(len(e.next))
			p = (e.next[x] + types*p) / (e.total + types)
		}
	}
	return p
}
