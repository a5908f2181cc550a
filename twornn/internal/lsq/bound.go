package lsq

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/moments"
)

// LeastSum returns a lower bound on the sum of squares of any model with r states.
//
// What least squares without a model leaves is the least there is; and from its tensor
// H every model is as far as its rank makes it. For the value tensor of a 2-RNN with r
// states has rank r at most wherever it is unfolded, and by Eckart and Young
//
//	‖B − R G‖² ≥ ‖B − R H‖² + σ_min(R)² Σ_{i>r} σ_i(H⟨⟨s, l−s+1⟩⟩)²   for every such G, s.
//
// Lengths that are not in compressed form may be fitted to the last digit: they count 0.
func (q *Equations) LeastSum(r int) (sum float64) {
	for _, b := range q.blocks {
		if f, ok := b.(*factorBlock); ok && f.dof > 0 {
			sum += f.pure + f.excess(r, q.D)
		}
	}
	return sum
}

// excess returns the second term of the bound.
func (b *factorBlock) excess(r, d int) float64 {
	rows, c := b.R.Dims()
	if b.l < 2 || rows < c || c > moments.AutoUnknowns {
		return 0
	}
	b.once.Do(func() { b.spectra(d) })
	var most float64
	for _, s := range b.tails {
		if r < len(s) {
			most = max(most, s[r])
		}
	}
	return b.least * most
}

// spectra sets least to a lower bound of σ_min(R)², and tails[s][r] to
// Σ_{i>r} σ_i² of H unfolded after s+1 letters.
func (b *factorBlock) spectra(d int) {
	_, c := b.R.Dims()
	_, p := b.B.Dims()
	all := mat.DenseCopyOf(b.R)
	linalg.R(all)
	a := mat.DenseCopyOf(all.Slice(0, c, 0, c))
	if !(linalg.RCondR(a) > 1e-10) {
		return
	}
	H, _, _, err := linalg.LeastSquares(b.R, b.B, 0)
	if err != nil {
		return
	}
	for s := 1; s < b.l; s++ {
		rows := linalg.Pow(d, s)
		_, values, _, err := linalg.SVD(mat.NewDense(rows, c/rows*p, H.RawMatrix().Data))
		if err != nil {
			return
		}
		tail := make([]float64, len(values)+1)
		for i := len(values) - 1; i >= 0; i-- {
			tail[i] = tail[i+1] + values[i]*values[i]
		}
		b.tails = append(b.tails, tail)
	}
	b.least = leastSquare(a)
}

// leastSquare returns a lower bound of σ_min(R)², R upper triangular, within a factor of two
// or so, 0 if none is found above rounding.
//
// Inverse iteration comes down to σ_min² from above, unless the start has no part in its
// direction. So half of where it is counts only if it is shown to be a bound: if RᵀR less that
// much on the diagonal is still positive definite, by its Cholesky factor.
func leastSquare(R *mat.Dense) float64 {
	_, c := R.Dims()
	x := make([]float64, c)
	for i := range x {
		x[i] = 1 + float64(i%7)
	}
	t := blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: c, Data: R.RawMatrix().Data, Stride: c}
	v := blas64.Vector{N: c, Inc: 1, Data: x}
	for range 20 {
		blas64.Scal(1/blas64.Nrm2(v), v)
		blas64.Trsv(blas.Trans, t, v)
		blas64.Trsv(blas.NoTrans, t, v)
	}
	least := 0.5 / blas64.Nrm2(v)
	var G mat.SymDense
	G.SymOuterK(1, R.T())
	less := mat.NewSymDense(c, nil)
	for rounding := 1e-13 * mat.Trace(&G); least > rounding; least /= 2 {
		less.CopySym(&G)
		for i := range c {
			less.SetSym(i, i, G.At(i, i)-least)
		}
		if _, ok := linalg.Cholesky(less); ok {
			return least
		}
	}
	return 0
}
