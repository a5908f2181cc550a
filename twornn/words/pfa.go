package words

import (
	"math"
	"math/rand/v2"
)

// pfa is a probabilistic automaton of n states over d symbols: it starts in state i with
// probability start[i], and in state i it ends with probability stop[i] or writes σ and
// goes to j with probability step[σ][i·n+j].
type pfa struct {
	n, d        int
	start, stop []float64
	step        [][]float64
}

func newPFA(n, d int) *pfa {
	a := &pfa{n: n, d: d, start: make([]float64, n), stop: make([]float64, n), step: make([][]float64, d)}
	for s := range a.step {
		a.step[s] = make([]float64, n*n)
	}
	return a
}

// randomPFA returns an automaton near the unigram model: symbols as often as they are in
// the sample, transitions drawn.
func randomPFA(n int, c *corpus, rnd *rand.Rand) *pfa {
	a := newPFA(n, c.d)
	for i := range n {
		a.start[i] = 0.5 + rnd.Float64()
		a.stop[i] = c.total / c.tokens
		for s, m := range a.step {
			for j := range n {
				m[i*n+j] = (c.seen[s] + 1) / c.tokens / float64(n) * math.Exp(rnd.NormFloat64())
			}
		}
	}
	a.normalise()
	return a
}

// normalise scales start, and the ways out of each state, to sum 1.
func (a *pfa) normalise() {
	scale(a.start, sum(a.start))
	for i := range a.n {
		t := a.stop[i]
		for _, m := range a.step {
			t += sum(m[i*a.n : (i+1)*a.n])
		}
		if t == 0 {
			continue
		}
		a.stop[i] /= t
		for _, m := range a.step {
			scale(m[i*a.n:(i+1)*a.n], t)
		}
	}
}

// logProb returns the natural logarithm of the probability of a word.
func (a *pfa) logProb(word []int) float64 {
	h, next := append([]float64(nil), a.start...), make([]float64, a.n)
	log := 0.0
	for _, s := range word {
		clear(next)
		for i, v := range h {
			if v != 0 {
				axpy(v, a.step[s][i*a.n:(i+1)*a.n], next)
			}
		}
		t := sum(next)
		if t == 0 {
			return math.Inf(-1)
		}
		scale(next, t)
		log += math.Log(t)
		h, next = next, h
	}
	return log + math.Log(dot(h, a.stop))
}

// draw returns a word of a.
func (a *pfa) draw(rnd *rand.Rand) []int {
	var word []int
	i := pick(a.start, rnd.Float64())
	for {
		u := rnd.Float64() - a.stop[i]
		if u < 0 {
			return word
		}
		to, by := -1, -1
		for s, m := range a.step {
			for j, p := range m[i*a.n : (i+1)*a.n] {
				if p > 0 && u >= 0 {
					to, by = j, s
					u -= p
				}
			}
		}
		if to < 0 {
			return word
		}
		word = append(word, by)
		i = to
	}
}
