package words

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/internal/stop"
)

// SpectralOptions holds the choices of Spectral. The zero value chooses everything.
type SpectralOptions struct {
	// Statistic is what the Hankel block holds. Zero means Factors.
	Statistic Statistic
	// Prefixes and Suffixes are its rows and columns, the empty word among them. Nil means
	// the 300 that are most frequent.
	Prefixes, Suffixes [][]int
	// States is the number of states, not above the rank of the block. Zero means that of the largest
	// likelihood of words held out, up to MaxStates.
	States int
	// MaxStates is the most that are tried. Zero means 60.
	MaxStates int
	// HeldOut is the fraction of words held out to choose. Zero means 0.2.
	HeldOut float64
}

// SpectralFit is a weighted automaton learnt from the singular vectors of a Hankel block.
type SpectralFit struct {
	*twornn.WFA
	States         int
	SingularValues []float64 // of the Hankel block, those that were left out too
	// HeldOut[r-1] is the mean of LogProb, in nats a word, on the words held out with r
	// states; nil if the number was given.
	HeldOut []float64

	distribution *conditional
}

// checkBlock returns an error unless the options name a block of words over d symbols.
func (o SpectralOptions) checkBlock(d int) error {
	if err := o.Statistic.check(); err != nil {
		return err
	}
	check := func(name string, words [][]int) error {
		for _, w := range words {
			for _, s := range w {
				if s < 0 || s >= d {
					return fmt.Errorf("words: SpectralOptions.%s holds the word %s; the sample has the symbols 0 to %d", name, spelt(w), d-1)
				}
			}
		}
		if words != nil && !slices.ContainsFunc(words, func(w []int) bool { return len(w) == 0 }) {
			return fmt.Errorf("words: SpectralOptions.%s lacks the empty word; add []int{}", name)
		}
		return nil
	}
	if err := check("Prefixes", o.Prefixes); err != nil {
		return err
	}
	return check("Suffixes", o.Suffixes)
}

// LogProb returns the natural logarithm of the probability of a word, that of a distribution: after
// each prefix u a symbol, or the end, has the share of the automaton's values on what goes on so,
//
//	P(σ | u) ∝ Σ_w f(uσw)   P(end | u) ∝ f(u)
//
// where those below ε times their share by the unigrams of the sample, which may be negative, count as
// that, ε = 0.001. So it is finite for every word of the alphabet, and no set of words has a probability
// of more than 1. The automaton's own value f is that of WFA: it may be negative, and values may sum to anything.
// It costs O(r (r+d)) a symbol for r states and d symbols, and panics if a symbol is out of range.
func (s *SpectralFit) LogProb(word []int) float64 {
	checkSymbols(word, len(s.Alphabet))
	return s.distribution.logProb(word)
}

// Spectral learns the distribution of a sample by the spectral method (Theorem 3 on a
// sparse block): with H = U S Vᵀ cut to r singular values,
//
//	A^σ = S⁻¹ Uᵀ H_σ V   αᵀ = H[λ, :] V   Ωᵀ = S⁻¹ Uᵀ H[:, λ]
//
// For statistics other than Strings, which sum f over all continuations, α or Ω or both are
// then multiplied by I − Σ_σ A^σ. The r states are nested, so all r cost one fit. It errs if
// the sample or an option is empty or out of range, or if the block carries fewer states than asked for.
func Spectral(ctx context.Context, sample *datasets.Words, o SpectralOptions) (*SpectralFit, error) {
	return stop.Within(ctx, func() (*SpectralFit, error) { return spectralOf(ctx, sample, o) })
}

func spectralOf(ctx context.Context, sample *datasets.Words, o SpectralOptions) (*SpectralFit, error) {
	if err := usable(sample); err != nil {
		return nil, err
	}
	if err := o.checkBlock(len(sample.Alphabet)); err != nil {
		return nil, err
	}
	if o.States < 0 || o.MaxStates < 0 || !(o.HeldOut >= 0 && o.HeldOut < 1) {
		return nil, fmt.Errorf("words: States %d, MaxStates %d, HeldOut %v: none may be negative, nor HeldOut 1; zero means the default", o.States, o.MaxStates, o.HeldOut)
	}
	if o.MaxStates == 0 {
		o.MaxStates = 60
	}
	if o.HeldOut == 0 {
		o.HeldOut = 0.2
	}
	fit := &SpectralFit{States: o.States}
	if o.States == 0 {
		var err error
		if fit.HeldOut, err = heldOutByStates(ctx, sample, o); err != nil {
			return nil, err
		}
		for r, v := range fit.HeldOut {
			if v > fit.HeldOut[max(fit.States-1, 0)] || r == 0 {
				fit.States = r + 1
			}
		}
	}
	m, s, err := spectral(ctx, sample, o, fit.States)
	if err != nil {
		return nil, err
	}
	if fit.States, _, _ = m.Dims(); fit.States < o.States {
		return nil, fmt.Errorf("words: SpectralOptions.States is %d, and the Hankel block of the sample carries %d; give no more, or 0 to have them chosen", o.States, fit.States)
	}
	fit.SingularValues = s
	w, c := sorted(sample)
	if fit.distribution, err = conditionalOf(m, o.Statistic, fit.States, unigrams(newCorpus(w, c, len(sample.Alphabet)))); err != nil {
		return nil, err
	}
	fit.WFA = fit.distribution.m.WFA(sample.Alphabet)
	return fit, nil
}

// heldOutByStates returns the likelihood of words held out with 1, 2, … states.
func heldOutByStates(ctx context.Context, sample *datasets.Words, o SpectralOptions) ([]float64, error) {
	f := &fitter{ctx: ctx, d: len(sample.Alphabet), rnd: rand.New(rand.NewPCG(13, 1)), o: Options{HeldOut: o.HeldOut}}
	f.words, f.counts = sorted(sample)
	f.split()
	rest := datasets.NewWords(sample.Alphabet)
	for k, w := range f.restWords {
		rest.Add(w, f.restCounts[k])
	}
	m, _, err := spectral(ctx, rest, o, o.MaxStates)
	if err != nil {
		return nil, err
	}
	n, _, _ := m.Dims()
	g := unigrams(f.rest)
	var held []float64
	for r := 1; r <= n; r++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		q, err := conditionalOf(m, o.Statistic, r, g)
		if err != nil {
			return nil, err
		}
		logs := make([]float64, len(f.heldWords))
		each(len(logs), func(k int) { logs[k] = q.logProb(f.heldWords[k]) })
		held = append(held, f.mean(logs))
	}
	return held, nil
}

// spectral returns the automaton of up to r states whose value is the statistic.
func spectral(ctx context.Context, sample *datasets.Words, o SpectralOptions, r int) (*twornn.Model, []float64, error) {
	b, err := hankel(ctx, sample, o.Statistic, o.Prefixes, o.Suffixes)
	if err != nil {
		return nil, nil, err
	}
	u, s, v, err := b.H.SVD(max(r, o.MaxStates))
	if err != nil {
		return nil, nil, err
	}
	n := 0
	for n < len(s) && n < r && s[n] > 1e-12*s[0] {
		n++
	}
	if n == 0 {
		return nil, nil, errors.New("words: the Hankel block is zero; choose prefixes and suffixes that occur")
	}
	rows, _ := u.Dims()
	cols, _ := v.Dims()
	left := mat.DenseCopyOf(u.Slice(0, rows, 0, n))
	for i := range rows {
		for j, x := range left.RawRowView(i) {
			left.Set(i, j, x/s[j])
		}
	}
	V := mat.DenseCopyOf(v.Slice(0, cols, 0, n))
	m := twornn.NewModel(n, len(sample.Alphabet), 1)
	for k, h := range b.Symbol {
		m.A[k].Mul(left.T(), h.mul(V, false))
	}
	empty := func(words [][]int) int {
		for i, w := range words {
			if len(w) == 0 {
				return i
			}
		}
		return 0
	}
	H := b.H.Dense()
	m.H0.MulVec(V.T(), H.RowView(empty(b.Prefixes)))
	m.Omega.Mul(mat.NewDense(1, rows, mat.Col(nil, empty(b.Suffixes), H)), left)
	return m, s, nil
}

// ending returns I − Σ_σ A^σ, which takes sums over all continuations back to the values themselves.
func ending(m *twornn.Model) *mat.Dense {
	n, _, _ := m.Dims()
	T := mat.NewDense(n, n, nil)
	for i := range n {
		T.Set(i, i, 1)
	}
	for _, A := range m.A {
		T.Sub(T, A)
	}
	return T
}

// full returns the first r states of m, with the sums over continuations taken back.
func full(m *twornn.Model, s Statistic, r int) *twornn.Model {
	_, d, _ := m.Dims()
	q := twornn.NewModel(r, d, 1)
	q.H0.CopyVec(m.H0.SliceVec(0, r))
	q.Omega.Copy(m.Omega.Slice(0, 1, 0, r))
	for k := range d {
		q.A[k].Copy(m.A[k].Slice(0, r, 0, r))
	}
	T := ending(q)
	if s == Factors || s == Suffixes {
		var v mat.VecDense
		v.MulVec(T.T(), q.H0)
		q.H0.CopyVec(&v)
	}
	if s == Factors || s == Prefixes {
		var v mat.Dense
		v.Mul(q.Omega, T.T())
		q.Omega.Copy(&v)
	}
	return q
}
