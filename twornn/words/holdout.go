package words

import (
	"context"
	"math/rand/v2"
)

// fitter is a fit under way.
type fitter struct {
	ctx    context.Context
	o      Options
	rnd    *rand.Rand
	d      int
	words  [][]int
	counts []float64

	whole, rest *corpus
	sub         *corpus // some of the rest
	heldWords   [][]int
	heldCounts  []float64
	restWords   [][]int
	restCounts  []float64
	parts       []Part
	logs        [][]float64 // of parts on the words held out
}

// split holds out a fraction of the words: of a word met often, about that fraction of
// its count.
func (f *fitter) split() {
	f.whole = newCorpus(f.words, f.counts, f.d)
	for k, w := range f.words {
		out := 0.0
		c := f.counts[k]
		for range int(min(c, 1e6)) {
			if f.rnd.Float64() < f.o.HeldOut {
				out++
			}
		}
		if out > 0 {
			f.heldWords, f.heldCounts = append(f.heldWords, w), append(f.heldCounts, out)
		}
		if c > out {
			f.restWords, f.restCounts = append(f.restWords, w), append(f.restCounts, c-out)
		}
	}
	if len(f.restWords) == 0 || len(f.heldWords) == 0 {
		f.restWords, f.restCounts = f.words, f.counts
		f.heldWords, f.heldCounts = f.words, f.counts
	}
	f.rest = newCorpus(f.restWords, f.restCounts, f.d)
	f.sub = f.some(0.25)
}

// some returns a fraction of the rest.
func (f *fitter) some(fraction float64) *corpus {
	var words [][]int
	var counts []float64
	for k, w := range f.restWords {
		in := 0.0
		for range int(min(f.restCounts[k], 1e6)) {
			if f.rnd.Float64() < fraction {
				in++
			}
		}
		if in > 0 {
			words, counts = append(words, w), append(counts, in)
		}
	}
	return newCorpus(words, counts, f.d)
}

// mean returns the mean of the logs of the words held out.
func (f *fitter) mean(logs []float64) float64 {
	var s, t float64
	for k, v := range logs {
		s += f.heldCounts[k] * v
		t += f.heldCounts[k]
	}
	return s / t
}

// heldOut returns the mean log-likelihood of a on the words held out.
func (f *fitter) heldOut(a *pfa) float64 {
	logs := make([]float64, len(f.heldWords))
	each(len(logs), func(k int) { logs[k] = a.logProb(f.heldWords[k]) })
	return f.mean(logs)
}

// add takes an automaton learnt on the rest as a part.
func (f *fitter) add(method string, a *pfa, unfinished bool) {
	logs := make([]float64, len(f.heldWords))
	each(len(logs), func(k int) { logs[k] = a.logProb(f.heldWords[k]) })
	f.parts = append(f.parts, Part{Method: method, States: a.n, HeldOut: f.mean(logs), pfa: a, unfinished: unfinished})
	f.logs = append(f.logs, logs)
}
