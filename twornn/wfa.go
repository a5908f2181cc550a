package twornn

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/symbols"
)

// WFA is a vector-valued weighted automaton (α, {A^σ}, Ω) with n states and p
// outputs over an alphabet Σ of named symbols:
//
//	f(σ₁⋯σ_k) = Ω (A^{σ₁}⋯A^{σ_k})ᵀ α
//
// A[i] is A^σ of the symbol σ = Alphabet[i], n×n, its rows the old state. With p = 1
// and Ω a row it is a classical weighted automaton.
type WFA struct {
	Alphabet []string
	Alpha    *mat.VecDense
	A        []*mat.Dense
	Omega    *mat.Dense
}

// WFA returns the automaton that computes on words what m computes on their one-hot
// encodings, symbol alphabet[i] being the i-th unit vector (Theorem 2). It has the
// same states and copies of the same numbers. It panics if the alphabet has not d
// symbols or one occurs twice.
func (m *Model) WFA(alphabet []string) *WFA {
	_, d, _ := m.Dims()
	if len(alphabet) != d {
		panic("twornn: dimension mismatch: alphabet")
	}
	for i, s := range alphabet {
		if slices.Contains(alphabet[:i], s) {
			panic(fmt.Sprintf("twornn: symbol %q occurs twice in the alphabet", s))
		}
	}
	c := m.clone()
	return &WFA{slices.Clone(alphabet), c.H0, c.A, c.Omega}
}

// Model returns the 2-RNN that computes on one-hot encodings what w computes on
// words, the converse of Model.WFA. It panics if the parts of w disagree.
func (w *WFA) Model() *Model {
	m := (&Model{w.Alpha, w.A, w.Omega}).clone()
	if len(w.Alphabet) != len(m.A) {
		panic("twornn: dimension mismatch: alphabet")
	}
	return m
}

// Value returns f(word), p numbers; without symbols f(λ) = Ω α. It errs if a symbol
// is not in the alphabet, and costs O(n²) a symbol.
func (w *WFA) Value(word ...string) ([]float64, error) {
	m, index, err := w.indices(word)
	if err != nil {
		return nil, err
	}
	return m.value(index), nil
}

// indices returns the model of w and the indices of the symbols of a word.
func (w *WFA) indices(word []string) (*Model, []int, error) {
	m := &Model{w.Alpha, w.A, w.Omega}
	if m.fitted() != nil || len(w.Alphabet) != len(w.A) {
		return nil, nil, errors.New("twornn: the automaton is empty, or its parts are not of one number of states; fit it, or fill all of them")
	}
	index := make([]int, len(word))
	for t, s := range word {
		i := slices.Index(w.Alphabet, s)
		if i < 0 {
			return nil, nil, fmt.Errorf("twornn: symbol %d of the word, %q, is not in the alphabet %s", t+1, s, strings.Join(w.Alphabet, " "))
		}
		index[t] = i
	}
	return m, index, nil
}

// value returns f of the word whose symbols have the given indices.
func (m *Model) value(word []int) []float64 {
	h := slices.Clone(m.h0())
	for _, i := range word {
		h = m.step(i, h)
	}
	_, _, p := m.Dims()
	y := make([]float64, p)
	m.output(y, h, 0)
	return y
}

// step returns A[i]ᵀ h.
func (m *Model) step(i int, h []float64) []float64 {
	next := make([]float64, len(h))
	addMulT(next, 1, m.A[i].RawMatrix().Data, h)
	return next
}

// ChangeBasis returns the model (P⁻ᵀh₀, A ×₁ P ×₃ P⁻ᵀ, ΩPᵀ), which computes the same
// function for any invertible n×n matrix P (Section 2). It errs if P is singular to
// working precision, and panics if it is not n×n.
func (m *Model) ChangeBasis(P mat.Matrix) (*Model, error) {
	n, d, p := m.Dims()
	if r, c := P.Dims(); r != n || c != n {
		panic("twornn: dimension mismatch: P")
	}
	if !linalg.IsFinite(mat.DenseCopyOf(P)) {
		return nil, errors.New("twornn: the change of basis: P holds an entry that is not finite")
	}
	var inv mat.Dense
	if err := inv.Inverse(P); err != nil {
		return nil, fmt.Errorf("twornn: the change of basis: %w", err)
	}
	q := NewModel(n, d, p)
	q.H0.MulVec(inv.T(), m.H0)
	for i, a := range m.A {
		var pa mat.Dense
		pa.Mul(P, a)
		q.A[i].Mul(&pa, &inv)
	}
	q.Omega.Mul(m.Omega, P.T())
	return q, nil
}

// Minimize returns a model of the same function with as few states as can be, the
// rank of the function (Theorem 1): first the states that no input reaches are left
// out, then those that no output sees. Directions whose share is below tol of what
// they come from count as none; tol 0 means 1e-10. The zero function keeps one state.
// It costs O(d n³).
func (m *Model) Minimize(tol float64) *Model {
	if tol == 0 {
		tol = 1e-10
	}
	n, d, p := m.Dims()
	// Reached: h₀ and all A[i]ᵀh. Seen: the rows of Ω and all A[i]ω.
	reached := closure([][]float64{m.h0()}, d, tol, m.step)
	if len(reached) == 0 {
		return NewModel(1, d, p)
	}
	m = m.project(reached, n)
	n = len(reached)
	var rows [][]float64
	for j := range p {
		rows = append(rows, m.Omega.RawRowView(j))
	}
	seen := closure(rows, d, tol, func(i int, v []float64) []float64 {
		w := mat.NewVecDense(n, nil)
		w.MulVec(m.A[i], mat.NewVecDense(n, v))
		return w.RawVector().Data
	})
	if len(seen) == 0 {
		return NewModel(1, d, p)
	}
	return m.project(seen, n)
}

// project returns m in the coordinates of an orthonormal basis of states that m
// either never leaves or never sees beyond.
func (m *Model) project(basis [][]float64, n int) *Model {
	_, d, p := m.Dims()
	B := mat.NewDense(len(basis), n, nil)
	for i, v := range basis {
		B.SetRow(i, v)
	}
	q := NewModel(len(basis), d, p)
	q.H0.MulVec(B, m.H0)
	for i, a := range m.A {
		var ba mat.Dense
		ba.Mul(B, a)
		q.A[i].Mul(&ba, B.T())
	}
	q.Omega.Mul(m.Omega, B.T())
	return q
}

// closure returns an orthonormal basis of the least space that holds the given
// vectors and is closed under the d maps.
func closure(start [][]float64, d int, tol float64, apply func(i int, v []float64) []float64) [][]float64 {
	var basis [][]float64
	add := func(v []float64) {
		v = slices.Clone(v)
		size := linalg.Norm(v)
		if size == 0 {
			return
		}
		// Twice, since once leaves rounding errors of the size of v.
		for range 2 {
			for _, b := range basis {
				s := linalg.Dot(b, v)
				for i := range v {
					v[i] -= s * b[i]
				}
			}
		}
		if rest := linalg.Norm(v); rest > tol*size {
			for i := range v {
				v[i] /= rest
			}
			basis = append(basis, v)
		}
	}
	for _, v := range start {
		add(v)
	}
	for k := 0; k < len(basis); k++ {
		for i := range d {
			add(apply(i, basis[k]))
		}
	}
	return basis
}

// Equal reports whether a and b compute the same function, whatever their states, up
// to tol (0: 1e-9) relative to the largest value met on words no longer, and if not, a
// word on which
// they differ, as indices of inputs: by multilinearity functions that agree on all
// words of unit vectors agree everywhere. Of the words that differ it is a shortest
// one among those that a breadth-first search of the states meets. It errs if the
// models have not the same inputs and outputs, or tol is no number of 0 or more.
func Equal(a, b *Model, tol float64) (equal bool, word []int, err error) {
	if err := errors.Join(a.fitted(), b.fitted()); err != nil {
		return false, nil, err
	}
	_, d, p := a.Dims()
	_, d2, p2 := b.Dims()
	if d != d2 || p != p2 {
		return false, nil, fmt.Errorf("twornn: a function of %d inputs and %d outputs cannot equal one of %d and %d", d, p, d2, p2)
	}
	if !a.finite() || !b.finite() {
		return false, nil, errors.New("twornn: a model holds a parameter that is not finite; fit it again")
	}
	if !(tol >= 0) {
		return false, nil, fmt.Errorf("twornn: a tolerance of %g; give a number above 0, or 0 for 1e-9", tol)
	}
	if tol == 0 {
		tol = 1e-9
	}
	words := spanningWords(sideBySide(a, b))
	// Shorter words come first, so that the values of longer ones, which may be larger by
	// far, do not hide a difference.
	scale := 0.0
	// What rounding leaves of values that cancel.
	rounding := 1e-14 * (linalg.Norm(a.h0())*mat.Norm(a.Omega, 2) + linalg.Norm(b.h0())*mat.Norm(b.Omega, 2))
	for _, w := range words {
		va, vb := a.value(w), b.value(w)
		for _, v := range slices.Concat(va, vb) {
			scale = max(scale, v, -v)
		}
		for j := range va {
			// Not ≤, so that a NaN differs.
			if !(math.Abs(va[j]-vb[j]) <= tol*scale+rounding) {
				return false, w, nil
			}
		}
	}
	return true, nil, nil
}

// sideBySide returns the states of a and b side by side, without outputs.
func sideBySide(a, b *Model) *Model {
	na, d, p := a.Dims()
	nb := b.states()
	diff := NewModel(na+nb, d, p)
	copy(diff.H0.RawVector().Data, a.h0())
	copy(diff.H0.RawVector().Data[na:], b.h0())
	for i := range d {
		diff.A[i].Slice(0, na, 0, na).(*mat.Dense).Copy(a.A[i])
		diff.A[i].Slice(na, na+nb, na, na+nb).(*mat.Dense).Copy(b.A[i])
	}
	return diff
}

// spanningWords returns words whose states span all that m can reach, with those met on the
// way, by their length: a function of the state that is zero on them is zero (Tzeng 1992).
func spanningWords(m *Model) (words [][]int) {
	_, d, _ := m.Dims()
	type node struct {
		word []int
		h    []float64
	}
	queue := []node{{nil, m.H0.RawVector().Data}}
	var spanned [][]float64
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		grown := closure(append(slices.Clone(spanned), at.h), 0, 1e-12, nil)
		words = append(words, at.word)
		if len(grown) == len(spanned) {
			continue
		}
		spanned = grown
		for i := range d {
			queue = append(queue, node{append(slices.Clone(at.word), i), m.step(i, at.h)})
		}
	}
	return words
}

// Words returns all words of length 0 to l over d symbols, by length and then in the
// order of their symbols: 1 + d + … + d^l of them.
func Words(d, l int) [][]int { return symbols.Words(d, l) }

// Block returns the Hankel block of m on the given prefixes and suffixes: row u holds
// f(uv) for every suffix v, p numbers each (the matrix (H_{P,S})₍₁₎ of Section 2).
// Its rank is at most that of the function. Without prefixes or suffixes it is empty. It panics if a symbol is no input.
func (m *Model) Block(prefixes, suffixes [][]int) *mat.Dense {
	_, _, p := m.Dims()
	if len(prefixes) == 0 || len(suffixes) == 0 {
		return new(mat.Dense)
	}
	H := mat.NewDense(len(prefixes), len(suffixes)*p, nil)
	for r, u := range prefixes {
		for c, v := range suffixes {
			copy(H.RawRowView(r)[c*p:], m.value(slices.Concat(u, v)))
		}
	}
	return H
}

// Complete reports whether the prefixes and suffixes form a complete basis for the
// function of m: whether its Hankel block on them has the rank of the function.
// Singular values below tol of the largest count as none; tol 0 means 1e-10.
func (m *Model) Complete(prefixes, suffixes [][]int, tol float64) bool {
	if tol == 0 {
		tol = 1e-10
	}
	least := m.Minimize(tol)
	n, _, _ := least.Dims()
	if len(prefixes) == 0 || len(suffixes) == 0 {
		return mat.Norm(least.Omega, 2) == 0 // nothing is enough for the zero function alone
	}
	var svd mat.SVD
	if !svd.Factorize(m.Block(prefixes, suffixes), mat.SVDNone) {
		return false
	}
	s := svd.Values(nil)
	rank := 0
	for rank < len(s) && s[rank] > tol*s[0] {
		rank++
	}
	// The zero function has rank 0 and a minimal model of one state.
	return rank == n || s[0] == 0
}

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
	m.output(log, h, 0)
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
