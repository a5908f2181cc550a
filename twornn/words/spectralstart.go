package words

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
)

// spectralStart returns a probabilistic automaton of up to n states from the singular vectors of a
// Hankel block, which EM can go on from: a spectral model itself has weights of either sign. The
// frequent prefixes are points in the space of the first n singular vectors, where they stand for what
// follows them; those that lie together are one state (k-means), and a symbol goes from
// there to the state nearest to where it leads. A share of prior is spread evenly.
func spectralStart(ctx context.Context, sample *datasets.Words, n int, prior float64) (*pfa, error) {
	b, err := hankel(ctx, sample, Prefixes, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("words: the spectral start: %w", err)
	}
	_, s, v, err := b.H.SVD(n)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("words: the spectral start: %w", err)
	}
	k := len(s)
	points := b.H.mul(mat.DenseCopyOf(v), false)
	met := b.H.column(0) // the empty suffix: how often each prefix begins a word
	for i, m := range met {
		if m > 0 {
			scale(points.RawRowView(i), m)
		}
	}
	e := &Embedding{Vectors: points}
	centres, kind := e.centres(min(n, len(met)))
	n = len(centres)
	a := newPFA(n, len(b.Symbol))
	for i := range n {
		a.stop[i] = prior
	}
	for i, m := range met {
		a.stop[kind[i]] += m
	}
	a.start[kind[0]] = 1
	for sym, h := range b.Symbol {
		to := h.mul(mat.DenseCopyOf(v.Slice(0, len(b.Suffixes), 0, k)), false)
		for i, m := range h.column(0) {
			if m > 0 {
				scale(to.RawRowView(i), m)
				a.step[sym][kind[i]*n+nearest(centres, to.RawRowView(i))] += m
				a.stop[kind[i]] -= m
			}
		}
	}
	for i := range n {
		a.stop[i] = max(a.stop[i], prior)
		a.start[i] += prior
		for _, m := range a.step {
			for j := range n {
				m[i*n+j] += prior / float64(n)
			}
		}
	}
	a.normalise()
	return a, nil
}
