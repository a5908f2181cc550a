package twornn

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/moments"
	"github.com/twornn/spectral/twornn/internal/phrase"
	"github.com/twornn/spectral/twornn/tt"
)

// Basis says which words serve as prefixes and suffixes of the Hankel block that is
// factorised.
type Basis int

const (
	// Auto is UpToLength where H⁽ˡ⁾ is at hand for every l from 1 to 2L+1, as it is
	// for data with an output after every step, and EqualLength elsewhere.
	Auto Basis = iota
	// EqualLength is all words of length L (Section 4.1), from H⁽ᴸ⁾, H⁽²ᴸ⁾, H⁽²ᴸ⁺¹⁾.
	EqualLength
	// UpToLength is all words of length 0 to L (Appendix B), from H⁽¹⁾, …, H⁽²ᴸ⁺¹⁾.
	UpToLength
)

func (b Basis) String() string {
	switch b {
	case Auto:
		return "auto"
	case EqualLength:
		return "words of equal length"
	case UpToLength:
		return "words up to length L"
	}
	return fmt.Sprintf("Basis(%d)", int(b))
}

// lengths returns the lengths l whose H⁽ˡ⁾ the basis needs.
func (b Basis) lengths(L int) []int {
	if b == EqualLength {
		return []int{L, 2 * L, 2*L + 1}
	}
	var ls []int
	for l := 1; l <= 2*L+1; l++ {
		ls = append(ls, l)
	}
	return ls
}

// resolve replaces Auto by what the lengths at hand allow, and errs if one that the
// basis needs is missing.
func (b Basis) resolve(L int, has func(l int) bool) (Basis, error) {
	missing := func(b Basis) (ls []int) {
		for _, l := range b.lengths(L) {
			if !has(l) {
				ls = append(ls, l)
			}
		}
		return ls
	}
	if b == Auto {
		b = EqualLength
		if len(missing(UpToLength)) == 0 {
			b = UpToLength
		}
	}
	if ls := missing(b); len(ls) > 0 {
		return b, fmt.Errorf("twornn: L = %d with %v needs sequences (or outputs) of length %s; none were collected of length %s; give such sequences, or outputs after every step, or an L all of whose lengths the data hold",
			L, b, phrase.List(b.lengths(L)), phrase.List(ls))
	}
	return b, nil
}

// Spectral returns the linear 2-RNN that Theorem 3 reads off the Hankel tensors h,
// keyed by their length. With EqualLength, PS being the factorisation of
// (H⁽²ᴸ⁾)⟨⟨L,L+1⟩⟩ by its singular vectors at the given rank,
//
//	h₀ = (S†)ᵀ vec(H⁽ᴸ⁾)   Ωᵀ = P† (H⁽ᴸ⁾)⟨⟨L,1⟩⟩
//	A  = (H⁽²ᴸ⁺¹⁾)⟨⟨L,1,L+1⟩⟩ ×₁ P† ×₃ (S†)ᵀ
//
// worked out on the cores, in O(L d r³) for trains of rank r. With UpToLength the
// same is done on the block of all prefixes and suffixes up to length L (Appendix
// B), which is written out and takes O(d^{3L} p) operations. The value f(λ) of the
// empty word is then taken from h[0]. Where that is absent, as it is unless the data
// hold empty words, it follows from the other entries if the row of the empty prefix
// adds no rank; the rank is then at most the number of the other prefixes, and an L at
// which these do not carry the rank of the function is too small.
//
// Rank 0 means the numerical rank. Singular values at the level of rounding are cut
// whatever the rank asked for, so the model may have fewer states: look at its Dims.
// Of the models of all ranks, those of EqualLength are nested: a lower rank keeps
// the leading states.
//
// Spectral also returns all singular values of the block, descending. It errs if a
// tensor is missing or not finite, or the rank exceeds what the block can carry, and
// panics if l < 1 or the tensors' dimensions disagree.
func Spectral(h map[int]*tt.Tensor, l, rank int, b Basis) (*Model, []float64, error) {
	return spectral(h, l, rank, b, 0)
}

// rankError is the error of a block that cannot carry the rank.
type rankError struct {
	asked, most, L int
	larger         int // an L that the data allow and that carries the rank; 0: there is none
	d, of          int // independent inputs, and inputs of the data; of = 0: the same
	basis          Basis
}

func (e *rankError) Error() string {
	inputs := phrase.Count(e.d, "input")
	if e.of > e.d {
		inputs = fmt.Sprintf("%s, %d of them linear combinations of the others,", phrase.Count(e.of, "input"), e.of-e.d)
	}
	cure := fmt.Sprintf("give Options{Rank: %d}, or longer sequences and a larger L: L takes sequences of 2L+1 steps", e.most)
	if e.larger > 0 {
		cure = fmt.Sprintf("give Options{L: %d, Rank: %d}", e.larger, e.asked)
	}
	return fmt.Sprintf("twornn: rank too high: %d asked for; with L = %d, %s and %v at most %d is possible; %s",
		e.asked, e.L, inputs, e.basis, e.most, cure)
}

// spectral is Spectral that counts singular values up to rtol times the largest as
// zero; rtol = 0 means the level of rounding.
func spectral(h map[int]*tt.Tensor, L, rank int, b Basis, rtol float64) (*Model, []float64, error) {
	if L < 1 {
		panic("twornn: L must be positive")
	}
	b, err := b.resolve(L, func(l int) bool { return h[l] != nil })
	if err != nil {
		return nil, nil, err
	}
	d, p := hankelShape(h, b.lengths(L))
	most := mostStates(d, L, b, h[0] != nil)
	if rank < 0 {
		return nil, nil, fmt.Errorf("twornn: rank %d: it may not be negative; zero means the numerical rank", rank)
	}
	if rank > most {
		return nil, nil, &rankError{asked: rank, most: most, L: L, d: d, basis: b}
	}
	if rtol == 0 {
		rtol = float64(most*p) * linalg.Eps
	}
	if b == EqualLength {
		return equalLength(h, L, rank, rtol)
	}
	if rank == 0 {
		rank = most
	}
	return upToLength(h, L, rank, rtol)
}

// mostStates returns the rank that the block can carry: the number of its prefixes. The
// row of the empty prefix may add no rank where f(λ) is not known; see completeEmptyWord.
func mostStates(d, L int, b Basis, empty bool) int {
	most := linalg.Pow(d, L)
	if b == UpToLength {
		for l := range L {
			most += linalg.Pow(d, l)
		}
		if !empty {
			most--
		}
	}
	return most
}

// hankelShape returns d and p, the same for all tensors used, or panics.
func hankelShape(h map[int]*tt.Tensor, lengths []int) (d, p int) {
	for _, l := range slices.Sorted(slices.Values(lengths)) {
		dims := h[l].Dims()
		if d == 0 {
			d, p = dims[0], dims[len(dims)-1]
		}
		if !slices.Equal(dims, hankelDims(l, d, p)) {
			panic(fmt.Sprintf("twornn: dimension mismatch: H(%d) is %v", l, dims))
		}
	}
	return d, p
}

// cut returns how many singular values to keep: rank (0: all), fewer if they are at
// the level of rounding.
func cut(s []float64, rank int, rtol float64) int {
	n := linalg.Rank(s, rtol)
	if rank > 0 {
		n = min(n, rank)
	}
	return n
}

func equalLength(h map[int]*tt.Tensor, L, rank int, rtol float64) (*Model, []float64, error) {
	// (H⁽²ᴸ⁾)⟨⟨L,L+1⟩⟩ = P S with P = U and S = diag(s) V.
	split, err := tt.NewSplit(h[2*L], L)
	if err != nil {
		return nil, nil, fmt.Errorf("twornn: H(%d): %w", 2*L, err)
	}
	_, p := hankelShape(h, []int{L})
	d := h[L].Dims()[0]
	n := cut(split.Values, rank, rtol)
	if n == 0 {
		return NewModel(1, d, p), split.Values, nil
	}
	m := NewModel(n, d, p)
	inv := inverse(split.Values[:n])

	// Ωᵀ = P† (H⁽ᴸ⁾)⟨⟨L,1⟩⟩ and h₀ = (S†)ᵀ vec(H⁽ᴸ⁾).
	HL, last := h[L], h[L].Core(L)
	var OmegaT mat.Dense
	OmegaT.Mul(top(split.PTimes(HL), n), mat.NewDense(last.Left, p, last.Data))
	m.Omega.Copy(OmegaT.T())
	m.H0.MulVec(inv, top(split.VTimes(HL), n).ColView(0))

	// A[i] = P† (H⁽²ᴸ⁺¹⁾ at its middle index i) S†.
	H := h[2*L+1]
	left, right := top(split.PTimes(H), n), top(split.VTimes(H), n)
	for i, a := range m.A {
		var lg, lgr mat.Dense
		lg.Mul(left, H.Core(L).Slice(i))
		lgr.Mul(&lg, right.T())
		a.Mul(&lgr, inv)
	}
	return m, split.Values, nil
}

func upToLength(h map[int]*tt.Tensor, L, rank int, rtol float64) (*Model, []float64, error) {
	d, p := hankelShape(h, []int{1})
	complete := h[0] == nil
	if complete {
		h = withZero(h, p)
	}
	b, err := newBlock(h, L, d, p)
	if err != nil {
		return nil, nil, err
	}
	if complete {
		if err := b.completeEmptyWord(rank); err != nil {
			return nil, nil, err
		}
	}
	U, s, V, err := linalg.SVD(b.H)
	if err != nil {
		return nil, nil, fmt.Errorf("twornn: the Hankel block: %w", err)
	}
	n := cut(s, rank, rtol)
	if n == 0 {
		return NewModel(1, d, p), s, nil
	}
	P, Vn, inv := U.Slice(0, b.words, 0, n), V.Slice(0, b.words*p, 0, n), inverse(s[:n])

	m := NewModel(n, d, p)
	var OmegaT, v mat.Dense
	OmegaT.Mul(P.T(), b.H.Slice(0, b.words, 0, p)) // P† H̃⁻
	m.Omega.Copy(OmegaT.T())
	v.Mul(Vn.T(), b.H.Slice(0, 1, 0, b.words*p).T()) // (S†)ᵀ f over the suffixes
	m.H0.MulVec(inv, v.ColView(0))
	for i, a := range m.A {
		var pg, pgv mat.Dense
		pg.Mul(P.T(), b.Plus[i])
		pgv.Mul(&pg, Vn)
		a.Mul(&pgv, inv)
	}
	return m, s, nil
}

// inverse returns diag(1/s).
func inverse(s []float64) *mat.DiagDense {
	inv := mat.NewDiagDense(len(s), nil)
	for i, v := range s {
		inv.SetDiag(i, 1/v)
	}
	return inv
}

// top returns the first n rows of a.
func top(a *mat.Dense, n int) *mat.Dense {
	_, c := a.Dims()
	return a.Slice(0, n, 0, c).(*mat.Dense)
}

// withZero returns h with H⁽⁰⁾ = 0 in it, for the block to be laid out.
func withZero(h map[int]*tt.Tensor, p int) map[int]*tt.Tensor {
	g := map[int]*tt.Tensor{0: tt.New(tt.NewCore(1, p, 1))}
	for l, t := range h {
		g[l] = t
	}
	return g
}

// completeEmptyWord fills in f(λ), which the data do not tell, so that the row of
// the empty prefix adds as little rank as it can: its other entries are fitted by
// the rows of the non-empty prefixes, reduced to the rank, and f(λ) follows from the
// same combination of them.
func (b *block) completeEmptyWord(rank int) error {
	cols := b.words * b.p
	_, s, V, err := linalg.SVD(b.H.Slice(1, b.words, 0, cols))
	if err != nil {
		return fmt.Errorf("twornn: the Hankel block: %w", err)
	}
	n := cut(s, rank, float64(cols)*linalg.Eps)
	if n == 0 {
		return nil
	}
	// Directions weaker than the first that the rank leaves out are noise.
	noise := 0.0
	if n < len(s) {
		noise = s[n] / s[0]
	}
	S := mat.DenseCopyOf(V.Slice(0, cols, 0, n)) // columns are the rows' directions
	for j := range n {
		for i := range cols {
			S.Set(i, j, S.At(i, j)*s[j]/s[0])
		}
	}
	known := S.Slice(b.p, cols, 0, n).(*mat.Dense)
	f := mat.DenseCopyOf(b.H.Slice(0, 1, b.p, cols).T())
	z, _, _, err := linalg.LeastSquares(known, f, max(noise, 1e-13))
	if err != nil {
		return err
	}
	var a mat.Dense
	a.Mul(S.Slice(0, b.p, 0, n), z)
	for j := range b.p {
		b.H.Set(0, j, a.At(j, 0))
	}
	return nil
}

// FromFactors is Theorem 3 to the letter: from any matrices P, d^L×n, and S, n×d^L·p,
// with (H⁽²ᴸ⁾)⟨⟨L,L+1⟩⟩ = P S it returns the model
//
//	h₀ = (S†)ᵀ vec(H⁽ᴸ⁾)   Ωᵀ = P† (H⁽ᴸ⁾)⟨⟨L,1⟩⟩
//	A  = (H⁽²ᴸ⁺¹⁾)⟨⟨L,1,L+1⟩⟩ ×₁ P† ×₃ (S†)ᵀ
//
// whose function does not depend on which. Spectral takes the singular vectors for P
// and S and never writes them out; this writes all out and is for small tensors. h
// holds H⁽ᴸ⁾ and H⁽²ᴸ⁺¹⁾. It errs if they are missing, too large or not finite, and
// panics if shapes disagree.
func FromFactors(P, S *mat.Dense, h map[int]*tt.Tensor, L int) (*Model, error) {
	if h[L] == nil || h[2*L+1] == nil {
		return nil, fmt.Errorf("twornn: Theorem 3 at L = %d needs H(%d) and H(%d); recover both", L, L, 2*L+1)
	}
	d, p := hankelShape(h, []int{L, 2*L + 1})
	rows, n := P.Dims()
	if r, c := S.Dims(); rows != linalg.Pow(d, L) || r != n || c != rows*p {
		panic("twornn: dimension mismatch: P and S")
	}
	pinvP, err := linalg.PseudoInverse(P)
	if err != nil {
		return nil, err
	}
	pinvS, err := linalg.PseudoInverse(S)
	if err != nil {
		return nil, err
	}
	HL, err := h[L].Unfold(L) // d^L×p
	if err != nil {
		return nil, err
	}
	H, err := h[2*L+1].Unfold(L) // d^L×(d·d^L·p)
	if err != nil {
		return nil, err
	}
	m := NewModel(n, d, p)
	m.H0.MulVec(pinvS.T(), mat.NewVecDense(rows*p, HL.RawMatrix().Data))
	var OmegaT, PH mat.Dense
	OmegaT.Mul(pinvP, HL)
	m.Omega.Copy(OmegaT.T())
	PH.Mul(pinvP, H)
	for i, a := range m.A {
		a.Mul(PH.Slice(0, n, i*rows*p, (i+1)*rows*p), pinvS)
	}
	return m, nil
}

// otherL returns the least L for which the examples have sequences, or outputs, of the lengths
// that the basis asks for, whether they were measured or not; 0 if there is none.
func otherL(c moments.Set, b Basis) int {
	k := c.Kept()
	if k == nil {
		return 0
	}
	lengths, _ := k.Lengths()
	if len(lengths) == 0 {
		return 0
	}
	for L := 1; 2*L+1 <= lengths[len(lengths)-1]; L++ {
		if _, err := b.resolve(L, func(l int) bool { return slices.Contains(lengths, l) }); err == nil {
			return L
		}
	}
	return 0
}

// needed returns the lengths that a basis cannot do without.
func (b Basis) needed(L int) []int {
	if b == UpToLength {
		return b.lengths(L)
	}
	return EqualLength.lengths(L)
}
