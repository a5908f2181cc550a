package words

import (
	"slices"

	"github.com/twornn/spectral/datasets"
)

// mostTries is the number of tries a sample is split into, whatever the processors, so that
// sums have one order. A small one is split into fewer, of about leastSymbols, as each has
// counts of its own.
const mostTries, leastSymbols = 8, 1000

// trie is a set of words by their common prefixes, its nodes in the order of a walk in
// depth: what is summed over words costs one step a node, not one a symbol.
type trie struct {
	symbol []int32   // that leads to the node; the root has none
	parent []int32   // always before the node
	ends   []float64 // words that end here
	passes []float64 // words that end here or below
}

// newTrie returns the trie of words in lexicographic order.
func newTrie(words [][]int, counts []float64) *trie {
	t := &trie{symbol: []int32{-1}, parent: []int32{-1}, ends: []float64{0}}
	path := []int32{0} // nodes of the last word
	var last []int
	for k, w := range words {
		same := 0
		for same < len(w) && same < len(last) && w[same] == last[same] {
			same++
		}
		path = path[:same+1]
		for _, s := range w[same:] {
			path = append(path, int32(len(t.symbol)))
			t.symbol = append(t.symbol, int32(s))
			t.parent = append(t.parent, path[len(path)-2])
			t.ends = append(t.ends, 0)
		}
		t.ends[path[len(w)]] += counts[k]
		last = w
	}
	t.passes = slices.Clone(t.ends)
	for v := len(t.parent) - 1; v > 0; v-- {
		t.passes[t.parent[v]] += t.passes[v]
	}
	return t
}

// corpus is a sample of words, split into tries.
type corpus struct {
	d      int
	tries  []*trie
	total  float64   // words
	tokens float64   // symbols and ends of words
	seen   []float64 // how often each symbol is there
}

// newCorpus returns the corpus of words in lexicographic order.
func newCorpus(words [][]int, counts []float64, d int) *corpus {
	c := &corpus{d: d, seen: make([]float64, d)}
	for k, w := range words {
		c.total += counts[k]
		c.tokens += counts[k] * float64(len(w)+1)
		for _, s := range w {
			c.seen[s] += counts[k]
		}
	}
	// Parts of about the same number of symbols.
	all, done, from := 0, 0, 0
	for _, w := range words {
		all += len(w) + 1
	}
	parts := max(1, min(mostTries, all/leastSymbols))
	for to, w := range words {
		done += len(w) + 1
		if done*parts >= all*(len(c.tries)+1) {
			c.tries = append(c.tries, newTrie(words[from:to+1], counts[from:to+1]))
			from = to + 1
		}
	}
	return c
}

// sorted returns the words of a sample in lexicographic order, with their counts times its unit.
func sorted(sample *datasets.Words) (words [][]int, counts []float64) {
	type entry struct {
		word  []int
		count float64
	}
	entries := make([]entry, 0, sample.Len())
	u := unit(sample)
	for w, c := range sample.All() {
		entries = append(entries, entry{w, c * u})
	}
	slices.SortFunc(entries, func(a, b entry) int { return slices.Compare(a.word, b.word) })
	for _, e := range entries {
		words, counts = append(words, e.word), append(counts, e.count)
	}
	return words, counts
}
