package twornn

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// LogValue returns log |f(word)|, natural logarithms, and the signs −1, 0 or 1 of f(word), p of
// each. They do not underflow or overflow where Value does: a word may have any length.
// It errs and costs as Value.
func (w *WFA) LogValue(word ...string) (log, sign []float64, err error) {
	m, index, err := w.indices(word)
	if err != nil {
		return nil, nil, err
	}
	log, sign = m.logValue(index)
	return log, sign, nil
}

// LogLikelihood returns Σ count · log f(word) over a sample of words, which are indices
// into the alphabet; p must be 1. It errs at a word without a positive value.
func (w *WFA) LogLikelihood(sample iter.Seq2[[]int, float64]) (float64, error) {
	m, _, err := w.indices(nil)
	if err != nil {
		return 0, err
	}
	total := 0.0
	for word, count := range sample {
		log, sign := m.logValue(word)
		if len(log) != 1 || !(sign[0] > 0) {
			return 0, fmt.Errorf("twornn: the word %v has no single positive value; a likelihood needs one output above 0 on every word", word)
		}
		total += count * log[0]
	}
	return total, nil
}

// logValue returns the logarithms and signs of f of the word whose symbols have the given
// indices. The state is kept near 1 by powers of two, which round nothing.
func (m *Model) logValue(word []int) (log, sign []float64) {
	h, exp := slices.Clone(m.h0()), 0
	for t := 0; ; t++ {
		if _, e := math.Frexp(mat.Norm(mat.NewVecDense(len(h), h), math.Inf(1))); e != 0 {
			exp += e
			for j := range h {
				h[j] = math.Ldexp(h[j], -e)
			}
		}
		if t == len(word) {
			break
		}
		h = m.step(word[t], h)
	}
	_, _, p := m.Dims()
	log, sign = make([]float64, p), make([]float64, p)
	m.output(log, h)
	for i, v := range log {
		switch {
		case v > 0:
			sign[i] = 1
		case v < 0:
			sign[i] = -1
		}
		log[i] = math.Log(math.Abs(v)) + float64(exp)*math.Ln2
	}
	return log, sign
}
