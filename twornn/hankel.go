package twornn

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/phrase"
	"github.com/twornn/spectral/twornn/tt"
)

// Hankel returns H⁽ˡ⁾, the tensor of the values f(e_{i₁}, …, e_{i_l}), as the train
//
//	H⁽ˡ⁾ = ⟦A •₁ h₀, A, …, A, Ωᵀ⟧
//
// with dimensions d, …, d, p and ranks n (Section 4.1, Figure 2). H⁽⁰⁾ is Ω h₀.
// It costs O(l d n²) and panics if l is negative.
func (m *Model) Hankel(l int) *tt.Tensor {
	n, d, p := m.Dims()
	if l < 0 {
		panic("twornn: a length is negative")
	}
	if l == 0 {
		return tt.New(tt.Core{Left: 1, Dim: p, Right: 1, Data: m.Predict(nil, nil)})
	}
	first, middle, last := tt.NewCore(1, d, n), tt.NewCore(n, d, n), tt.NewCore(n, p, 1)
	var h mat.VecDense
	for i, a := range m.A {
		h.MulVec(a.T(), m.H0)
		for b := range n {
			first.Set(0, i, b, h.AtVec(b))
			for c := range n {
				middle.Set(b, i, c, a.At(b, c))
			}
		}
	}
	for a := range n {
		for j := range p {
			last.Set(a, j, 0, m.Omega.At(j, a))
		}
	}
	cores := []tt.Core{first}
	for len(cores) < l {
		cores = append(cores, middle)
	}
	return tt.New(append(cores, last)...)
}

// block is a finite part of the Hankel tensor over all prefixes and suffixes of up
// to L symbols (Appendix B), written out from H⁽⁰⁾, …, H⁽²ᴸ⁺¹⁾. Words are ordered by
// length, then as numbers with their first symbol most significant.
type block struct {
	H     *mat.Dense   // f(uv):  prefixes × (suffixes · p), the paper's H̃
	Plus  []*mat.Dense // f(uiv) for each symbol i, of the same shape, the paper's H̃⁺
	words int          // (d^{L+1} − 1)/(d − 1), the number of prefixes
	p     int
}

// newBlock writes the block out. h must hold H⁽⁰⁾, …, H⁽²ᴸ⁺¹⁾.
func newBlock(h map[int]*tt.Tensor, L, d, p int) (*block, error) {
	if err := blockFits(L, d, p, math.Inf(1)); err != nil {
		return nil, err
	}
	words := 0
	for l := range L + 1 {
		words += linalg.Pow(d, l)
	}
	b := &block{H: mat.NewDense(words, words*p, nil), words: words, p: p}
	for range d {
		b.Plus = append(b.Plus, mat.NewDense(words, words*p, nil))
	}
	row := 0
	for s := 0; s <= L; s++ {
		rows := linalg.Pow(d, s)
		col := 0
		for t := 0; t <= L; t++ {
			cols := linalg.Pow(d, t) * p
			// (H⁽ˢ⁺ᵗ⁾)⟨⟨s,t+1⟩⟩ has the entries f(uv), u of length s, v of length t.
			H, err := h[s+t].Unfold(s)
			if err != nil {
				return nil, err
			}
			b.H.Slice(row, row+rows, col, col+cols).(*mat.Dense).Copy(H)
			// (H⁽ˢ⁺ᵗ⁺¹⁾)⟨⟨s,1,t+1⟩⟩: the middle index picks one of d runs of columns.
			G, err := h[s+t+1].Unfold(s)
			if err != nil {
				return nil, err
			}
			for i := range d {
				b.Plus[i].Slice(row, row+rows, col, col+cols).(*mat.Dense).Copy(G.Slice(0, rows, i*cols, (i+1)*cols))
			}
			col += cols
		}
		row += rows
	}
	return b, nil
}

// hankelDims returns the dimensions d, …, d, p of H⁽ˡ⁾.
func hankelDims(l, d, p int) []int {
	dims := make([]int, l+1)
	for t := range l {
		dims[t] = d
	}
	dims[l] = p
	return dims
}

// maxBlock bounds the entries of a Hankel block that is written out: the SVD of a
// square block of that size takes some twenty seconds.
const maxBlock = 1 << 20

// blockFits errs if the block of all words up to length L is too large, or does not fit in the memory.
func blockFits(L, d, p int, memory float64) error {
	fits := func(L int) bool {
		return blockEntries(L, d, p) <= maxBlock && blockBytes(L, d, p) <= memory
	}
	if fits(L) {
		return nil
	}
	cure := "give fewer inputs, or take words of equal length (Options{Basis: EqualLength})"
	for l := L - 1; l >= 1; l-- {
		if fits(l) {
			cure = fmt.Sprintf("lower L to %d or less, or have it chosen from the data: give Options{L: 0}", l)
			break
		}
	}
	limit := ""
	if blockBytes(L, d, p) > memory {
		limit = fmt.Sprintf(", more than the %s of Options.Memory", phrase.Bytes(memory))
	}
	return fmt.Errorf("twornn: the block of all words up to length %d over %s has %.3g entries, where %d can be worked with, and takes %s with its shifts%s; %s",
		L, phrase.Count(d, "input"), blockEntries(L, d, p), maxBlock, phrase.Bytes(blockBytes(L, d, p)), limit, cure)
}

// blockEntries returns how many entries the block of all words up to length L has.
func blockEntries(L, d, p int) float64 {
	words, size := 0.0, 1.0
	for range L + 1 {
		words += size
		size *= float64(d)
	}
	return words * words * float64(p)
}

// blockBytes returns what it takes with its shift by each symbol.
func blockBytes(L, d, p int) float64 { return 8 * float64(d+1) * blockEntries(L, d, p) }

// normalBytes returns what the normal equations of k parameters take.
func normalBytes(k int) float64 {
	const matrices = 8 // of each lane, their sum, with damping, its factor
	return matrices * 8 * float64(k) * float64(k)
}
