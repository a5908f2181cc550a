package twornn

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
)

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
		return nil, fmt.Errorf("twornn: Theorem 3 at L = %d needs H(%d) and H(%d)", L, L, 2*L+1)
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
