package tt

import (
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// Split is the singular value decomposition of an unfolding in tensor-train format:
//
//	(T)⟨⟨k, m−k⟩⟩ = P diag(Values) V
//
// P is a train of order k+1, the last index being the column: its (P)⟨⟨k,1⟩⟩ has
// orthonormal columns. V is a train of order m−k+1, the first index being the row:
// its (V)⟨⟨1,m−k⟩⟩ has orthonormal rows. Neither is ever expanded.
//
// With S = diag(Values) V this is the paper's factorisation PS, and both
// pseudo-inverses are at hand: P† = Pᵀ and (S†)ᵀ = diag(1/Values) V.
type Split struct {
	P, V   *Tensor
	Values []float64
}

// NewSplit splits a between its first k indices and the others. Values are all
// singular values of the unfolding that its train can hold, zeros included, in
// descending order. It costs O(m d r³), errs if an entry is not finite, and panics
// unless 1 ≤ k < m. a is not changed.
func NewSplit(a *Tensor, k int) (Split, error) {
	m := a.Order()
	if k < 1 || k >= m {
		panic("tt: no such bond")
	}
	left, l, err := leftOrthonormal(a.cores[:k])
	if err != nil {
		return Split{}, err
	}
	right, r, err := rightOrthonormal(a.cores[k:])
	if err != nil {
		return Split{}, err
	}
	// What is left between the two orthonormal sides carries the singular values.
	var c mat.Dense
	c.Mul(l, r)
	u, s, v, err := linalg.SVD(&c)
	if err != nil {
		return Split{}, err
	}
	rows, rank := u.Dims()
	cols, _ := v.Dims()
	return Split{
		P:      New(append(left, Core{rows, rank, 1, denseData(u)})...),
		V:      New(append([]Core{{1, rank, cols, denseData(v.T())}}, right...)...),
		Values: s,
	}, nil
}

// leftOrthonormal returns cores that span the same columns as those given, made
// orthonormal, and the matrix that turns the new into the old.
func leftOrthonormal(cores []Core) ([]Core, *mat.Dense, error) {
	var out []Core
	l := mat.NewDense(1, 1, []float64{1})
	for _, c := range cores {
		var g mat.Dense
		g.Mul(l, c.right())
		left, _ := g.Dims()
		q, r, err := thinQR(mat.NewDense(left*c.Dim, c.Right, g.RawMatrix().Data))
		if err != nil {
			return nil, nil, err
		}
		_, right := q.Dims()
		out = append(out, Core{left, c.Dim, right, denseData(q)})
		l = r
	}
	return out, l, nil
}

// rightOrthonormal returns cores that span the same rows as those given, made
// orthonormal, and the matrix that turns the new into the old.
func rightOrthonormal(cores []Core) ([]Core, *mat.Dense, error) {
	out := make([]Core, len(cores))
	r := mat.NewDense(1, 1, []float64{1})
	for j := len(cores) - 1; j >= 0; j-- {
		c := cores[j]
		var g mat.Dense
		g.Mul(c.left(), r)
		_, right := g.Dims()
		// Rows become orthonormal by a QR of the transposed unfolding.
		q, t, err := thinQR(mat.NewDense(c.Left, c.Dim*right, g.RawMatrix().Data).T())
		if err != nil {
			return nil, nil, err
		}
		_, left := q.Dims()
		out[j] = Core{left, c.Dim, right, denseData(q.T())}
		r = mat.DenseCopyOf(t.T())
	}
	return out, r, nil
}

// thinQR is linalg.ThinQR behind a check that a is finite.
func thinQR(a mat.Matrix) (q, r *mat.Dense, err error) {
	c := mat.DenseCopyOf(a)
	if !linalg.IsFinite(c) {
		return nil, nil, linalg.ErrNotFinite
	}
	q, r = linalg.ThinQR(c)
	return q, r, nil
}

// PTimes returns Pᵀ (⟦A₁, …, A_k⟧⟨⟨k,1⟩⟩): the first k cores of a, their k indices
// projected on the columns of P. It is R×r_k(a), costs O(k d r³), and panics if a
// dimension differs.
func (s Split) PTimes(a *Tensor) *mat.Dense {
	k := s.P.Order() - 1
	var out mat.Dense
	out.Mul(s.P.cores[k].right().T(), leftProduct(s.P, a, k))
	return &out
}

// VTimes returns V (⟦A_{j+1}, …, A_m⟧⟨⟨1,m−j⟩⟩)ᵀ: the last cores of a, as many as V
// has, their indices projected on the rows of V. It is R×r_j(a), costs O(k d r³),
// and panics if a dimension differs.
func (s Split) VTimes(a *Tensor) *mat.Dense {
	var out mat.Dense
	out.Mul(s.V.cores[0].left(), rightProduct(s.V, a, s.V.Order()-1))
	return &out
}

// leftProduct returns (⟦A₁, …, A_k⟧⟨⟨k,1⟩⟩)ᵀ ⟦B₁, …, B_k⟧⟨⟨k,1⟩⟩, r_k(a)×r_k(b): the
// inner products of the columns that the first k cores span.
func leftProduct(a, b *Tensor, k int) *mat.Dense {
	e := mat.NewDense(1, 1, []float64{1})
	for j := range k {
		ca, cb := a.cores[j], b.cores[j]
		if ca.Dim != cb.Dim {
			panic("tt: dimension mismatch")
		}
		// First the sum over the left bond of b, then over that of a and the index.
		var eb, next mat.Dense
		eb.Mul(e, cb.right())
		next.Mul(ca.left().T(), mat.NewDense(ca.Left*ca.Dim, cb.Right, eb.RawMatrix().Data))
		e = &next
	}
	return e
}

// rightProduct returns ⟦A_{m−k+1}, …⟧⟨⟨1,k⟩⟩ (⟦B_{m'−k+1}, …⟧⟨⟨1,k⟩⟩)ᵀ, a matrix
// r_{m−k}(a)×r_{m'−k}(b): the inner products of the rows that the last k cores span.
func rightProduct(a, b *Tensor, k int) *mat.Dense {
	e := mat.NewDense(1, 1, []float64{1})
	for j := 1; j <= k; j++ {
		ca, cb := a.cores[len(a.cores)-j], b.cores[len(b.cores)-j]
		if ca.Dim != cb.Dim {
			panic("tt: dimension mismatch")
		}
		var ae, next mat.Dense
		ae.Mul(ca.left(), e)
		next.Mul(mat.NewDense(ca.Left, ca.Dim*cb.Right, ae.RawMatrix().Data), cb.right().T())
		e = &next
	}
	return e
}
