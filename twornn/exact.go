package twornn

import (
	"context"
	"fmt"

	"github.com/twornn/spectral/twornn/internal/moments"
	"github.com/twornn/spectral/twornn/internal/symbols"
)

const (
	// exactTol is the error, relative to the largest output, up to which outputs are explained
	// exactly: rounding stays far below it, noise does not.
	exactTol = 1e-8
	// exactLimit bounds the operations of a factorisation: a second or so of one core.
	exactLimit = 1 << 28
	// exactSurplus is how many outputs more than it takes to tell its parameters a machine has
	// to explain. Of words with a state each anything could be said; that so many labels fit by chance
	// has a probability below one in a million.
	exactSurplus = 20
)

// fitExact returns the machine that explains all outputs of the words kept, nil if there is
// none, or if the inputs are no words of many symbols. Where symbols are few the other fits
// cost little, and weigh noise.
func fitExact(ctx context.Context, c moments.Set, o Options) *Result {
	d, p := c.Dims()
	kept := c.Kept()
	if o.Recovery != nil || o.Rank > 0 || kept == nil || d*d*d <= moments.AutoUnknowns {
		return nil
	}
	tree := treeOf(kept, d, p)
	if tree == nil || tree.Spread > 2*exactTol*tree.Size() {
		return nil
	}
	m, err := symbols.Learn(ctx, tree, symbols.Options{Tol: exactTol, Limit: exactLimit})
	if err != nil || !(m.Error <= exactTol*tree.Size()) || tree.Observed()*p < m.Parameters()+exactSurplus*p {
		return nil
	}
	if o.MaxGrowth > 0 && !m.Deterministic {
		return nil
	}
	r := &Result{
		Model: &Model{m.H0, m.A, m.Omega}, SingularValues: m.Values, Lengths: c.Lengths(),
		Exact: &Exact{m.Futures, m.Deterministic, m.Error, m.Unseen},
	}
	r.Rank, _, _ = r.Dims()
	r.SingularValues = r.SingularValues[:min(len(m.Values), r.Rank)]
	for _, l := range r.Lengths {
		r.N += c[l].N()
	}
	if kept.AsWords() {
		r.Lengths, r.N = kept.Lengths()
	}
	r.MSE, r.ZeroMSE = meanSquaresOfWords(r.Model, kept)
	if m.Unseen > 0 {
		what, cure := m.Missing[0].Untold(m.Unseen, m.Futures, fmt.Sprint(m.Missing[0].Word))
		r.warn(Deficient, "%s: what the model does there is not learnt; %s", what, cure)
	}
	return r
}

// tooManySymbols says what to do about words that were not measured.
func tooManySymbols(c moments.Set) error {
	d, _ := c.Dims()
	return fmt.Errorf("twornn: no machine explains the outputs of the words without an error, be it for noise or because they are few, and %d symbols are too many for a fit that weighs noise: give symbols fewer inputs, by groups or by vectors as words.Embed makes them", d)
}

// treeOf returns the examples as a tree of words, nil if they are none.
func treeOf(kept *moments.Kept, d, p int) *symbols.Tree {
	t := symbols.NewTree(d, p)
	for _, r := range kept.Runs {
		word := wordOf(r, d)
		if word == nil || t.Add(word, r.At, func(i int) []float64 { return r.Y[i*p : (i+1)*p] }) != nil {
			return nil
		}
	}
	return t
}

// wordOf returns the symbols of a run, nil if an input is no unit vector.
func wordOf(r moments.Run, d int) []int {
	if r.Word != nil {
		return r.Word
	}
	word := make([]int, 0, len(r.X)/max(d, 1))
	for x := r.X; len(x) > 0; x = x[d:] {
		s := moments.Symbol(x[:d])
		if s < 0 {
			return nil
		}
		word = append(word, s)
	}
	return word
}

// meanSquaresOfWords returns the mean squared error of the model, and that of the zero
// function, on the outputs kept.
func meanSquaresOfWords(m *Model, kept *moments.Kept) (mse, zero float64) {
	_, d, p := m.Dims()
	y, outputs := make([]float64, p), 0
	for _, r := range kept.Runs {
		word := wordOf(r, d)
		h, k := m.h0(), 0
		for i, at := range r.At {
			for _, s := range word[k:at] {
				h = m.step(s, h)
			}
			k = at
			m.output(y, h, 0)
			for j, v := range r.Y[i*p : (i+1)*p] {
				mse += (v - y[j]) * (v - y[j])
				zero += v * v
			}
			outputs += p
		}
	}
	return mse / float64(outputs), zero / float64(outputs)
}
