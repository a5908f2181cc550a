package lsq

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// Gramians returns what states gather and what they give over words of up to steps
// symbols, for independent inputs with E xxᵀ = I:
//
//	C = Σ_{|u| ≤ steps} h_u h_uᵀ,  h_uᵀ = h₀ᵀA_u      O = Σ_{|v| ≤ steps} A_v ΩᵀΩ A_vᵀ
//
// so that the Hankel block over those words has the singular values √eig(C O). They
// cost O(steps d n³).
func Gramians(m *Net, steps int) (C, O *mat.Dense) {
	n := m.H0.Len()
	C, O = mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	c, o := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	c.Outer(1, m.H0, m.H0)
	o.Mul(m.Omega.T(), m.Omega)
	C.Add(C, c)
	O.Add(O, o)
	var t, s mat.Dense
	for range steps {
		nc, no := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
		for _, a := range m.A {
			t.Mul(c, a)
			s.Mul(a.T(), &t)
			nc.Add(nc, &s)
			t.Mul(o, a.T())
			s.Mul(a, &t)
			no.Add(no, &s)
		}
		c, o = nc, no
		C.Add(C, c)
		O.Add(O, o)
	}
	return C, O
}

// Balanced returns the network in the basis in which both Gramians over words of up to
// steps symbols are the same diagonal matrix, cut to the r states of most weight, and
// the weights of all, descending: the singular values of the Hankel block over those
// words. It is returned as it is if a factorisation fails or no r states carry weight.
func Balanced(m *Net, r, steps int) (*Net, []float64) {
	C, O := Gramians(m, steps)
	lc, lo := linalg.SymRoot(C), linalg.SymRoot(O)
	if lc == nil || lo == nil {
		return m, nil
	}
	// With C = Lc Lcᵀ, O = Lo Loᵀ and LcᵀLo = UΣVᵀ, the basis M = Lo V Σ^{-1/2} has the
	// inverse Σ^{-1/2} Uᵀ Lcᵀ.
	var x mat.Dense
	x.Mul(lc.T(), lo)
	U, s, V, err := linalg.SVD(&x)
	if err != nil || linalg.Rank(s, 1e-13) < r {
		return m, s
	}
	shape := ShapeOf(m)
	n := shape.N
	var M, inv mat.Dense
	M.Mul(lo, V.Slice(0, n, 0, r))
	inv.Mul(U.Slice(0, n, 0, r).T(), lc.T())
	for j := range r {
		f := 1 / math.Sqrt(s[j])
		for i := range n {
			M.Set(i, j, f*M.At(i, j))
			inv.Set(j, i, f*inv.At(j, i))
		}
	}
	b := NewNet(Shape{r, shape.D, shape.P})
	b.H0.MulVec(M.T(), m.H0)
	b.Omega.Mul(m.Omega, inv.T())
	var t mat.Dense
	for i, a := range m.A {
		t.Mul(&inv, a)
		b.A[i].Mul(&t, &M)
	}
	return b, s
}
