// Package linalg holds the dense linear algebra that gonum lacks: the triangular
// factor of a QR without its Q, a thin SVD that is checked to be finite, and
// least squares of minimum norm with the rank and condition it met; products with matrices of
// few columns; and the small helpers on vectors that all of the module shares.
package linalg

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// Eps is the distance from 1 to the next float64.
const Eps = 0x1p-52

// ErrNotFinite is returned where an input or a factor holds a NaN or an infinity.
var ErrNotFinite = errors.New("linalg: a matrix holds a value that is not finite")

// ErrNoConvergence is returned if an SVD did not converge.
var ErrNoConvergence = errors.New("linalg: the singular value decomposition did not converge")

// IsFinite reports whether all entries of a are finite.
func IsFinite(a *mat.Dense) bool {
	if a.IsEmpty() {
		return true
	}
	r, _ := a.Dims()
	for i := range r {
		for _, v := range a.RawRowView(i) {
			// v-v is 0 for finite v and NaN otherwise.
			if v-v != 0 {
				return false
			}
		}
	}
	return true
}

// R overwrites the m×n matrix a with the triangular factor of a = QR: the upper
// triangle (trapezoid, if m < n) holds R and all below it is zero. An a that is so already
// stays as it is. The Gram matrix
// aᵀa = RᵀR is kept. It costs 2mn² − 2n³/3 operations for m ≥ n.
func R(a *mat.Dense) {
	g := a.RawMatrix()
	if g.Rows == 0 || IsUpper(a) {
		return
	}
	tau := make([]float64, min(g.Rows, g.Cols))
	work := []float64{0}
	lapack64.Geqrf(g, tau, work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Geqrf(g, tau, work, len(work))
	for i := 1; i < g.Rows; i++ {
		clear(g.Data[i*g.Stride : i*g.Stride+min(i, g.Cols)])
	}
}

// SVD returns the thin decomposition a = U diag(s) Vᵀ of an m×n matrix: U is m×k,
// V is n×k, k = min(m, n). The argument is not changed.
func SVD(a mat.Matrix) (u *mat.Dense, s []float64, v *mat.Dense, err error) {
	// gonum's SVD may hang on an infinity and call the result fine, so what
	// goes in and what comes out is checked.
	c := mat.DenseCopyOf(a)
	if !IsFinite(c) {
		return nil, nil, nil, ErrNotFinite
	}
	var svd mat.SVD
	if !svd.Factorize(c, mat.SVDThin) {
		return nil, nil, nil, ErrNoConvergence
	}
	u, v = new(mat.Dense), new(mat.Dense)
	s = svd.Values(nil)
	svd.UTo(u)
	svd.VTo(v)
	if !IsFinite(u) || !IsFinite(v) || math.IsNaN(s[0]) || math.IsInf(s[0], 0) {
		return nil, nil, nil, ErrNotFinite
	}
	return u, s, v, nil
}

// Rank returns the number of the descending values s above rtol·s[0].
func Rank(s []float64, rtol float64) int {
	n := 0
	for n < len(s) && s[n] > rtol*s[0] {
		n++
	}
	return n
}

// LeastSquares returns the matrix x of minimum Frobenius norm among those that
// minimise ‖ax − b‖_F, a being m×n and b m×p, with the rank of a it used and its
// reciprocal condition number. Singular values up to rtol times the largest count
// as zero; rtol = 0 means max(m, n) times machine epsilon. Arguments are not changed.
//
// A well-conditioned a with m ≥ n is solved by QR in O(mn²); any other through the
// SVD, some ten times dearer.
func LeastSquares(a, b *mat.Dense, rtol float64) (x *mat.Dense, rank int, rcond float64, err error) {
	m, n := a.Dims()
	_, p := b.Dims()
	if !IsFinite(a) || !IsFinite(b) {
		return nil, 0, 0, ErrNotFinite
	}
	if rtol == 0 {
		rtol = float64(max(m, n)) * Eps
	}
	if m >= n {
		ab := mat.NewDense(m, n+p, nil)
		ab.Slice(0, m, 0, n).(*mat.Dense).Copy(a)
		ab.Slice(0, m, n, n+p).(*mat.Dense).Copy(b)
		R(ab)
		return solveR(ab.Slice(0, n, 0, n).(*mat.Dense), ab.Slice(0, n, n, n+p).(*mat.Dense), rtol)
	}
	return solveSVD(a, b, rtol)
}

// Cholesky overwrites the upper triangle of a with R, RᵀR = a, and reports whether a is
// positive definite. The rest of a is left as it is. gonum's mat.Cholesky also estimates
// the condition, which at small sizes takes as long again.
func Cholesky(a *mat.SymDense) (r blas64.Triangular, ok bool) {
	return lapack64.Potrf(a.RawSymmetric())
}

// SolveCholesky overwrites b with the solution of RᵀR x = b, R being a factor of Cholesky, and reports
// whether it is finite.
func SolveCholesky(r blas64.Triangular, b *mat.Dense) bool {
	g := b.RawMatrix()
	if g.Cols > 1 {
		lapack64.Potrs(r, g)
		return IsFinite(b)
	}
	x := blas64.Vector{N: g.Rows, Inc: g.Stride, Data: g.Data}
	blas64.Trsv(blas.Trans, r, x)
	blas64.Trsv(blas.NoTrans, r, x)
	return IsFinite(b)
}

// InverseDiagonal returns the diagonal of a⁻¹, and whether a is positive definite and it is finite. It
// overwrites a.
func InverseDiagonal(a *mat.SymDense) (diagonal []float64, ok bool) {
	r, ok := Cholesky(a)
	if !ok || !lapack64.Trtri(r) {
		return nil, false
	}
	diagonal = make([]float64, r.N) // a⁻¹ = R⁻¹R⁻ᵀ
	for i := range diagonal {
		for _, v := range r.Data[i*r.Stride+i : i*r.Stride+r.N] {
			diagonal[i] += v * v
		}
		ok = ok && !math.IsNaN(diagonal[i]) && !math.IsInf(diagonal[i], 0)
	}
	return diagonal, ok
}

// IsUpper reports whether all below the diagonal of a is zero.
func IsUpper(a *mat.Dense) bool {
	r, c := a.Dims()
	for i := 1; i < r; i++ {
		for _, v := range a.RawRowView(i)[:min(i, c)] {
			if v != 0 {
				return false
			}
		}
	}
	return true
}

func upper(r *mat.Dense) blas64.Triangular {
	n, _ := r.Dims()
	g := r.RawMatrix()
	return blas64.Triangular{Uplo: blas.Upper, Diag: blas.NonUnit, N: n, Data: g.Data, Stride: g.Stride}
}

// RCondR estimates the reciprocal condition number, in the 1-norm, of an upper triangular
// n×n r in O(n²).
func RCondR(r *mat.Dense) float64 { return RCondTri(upper(r)) }

// RCondTri is RCondR for a triangular matrix as BLAS has it.
func RCondTri(t blas64.Triangular) float64 {
	return lapack64.Trcon(lapack.MaxColumnSum, t, make([]float64, 3*t.N), make([]int, t.N))
}

// solveR is LeastSquares for an upper triangular n×n r.
func solveR(r, b *mat.Dense, rtol float64) (*mat.Dense, int, float64, error) {
	n, _ := r.Dims()
	rcond, t := RCondR(r), upper(r)
	// Trcon estimates, so stay clear of the border where the rank is in doubt.
	if rcond <= 100*rtol {
		return solveSVD(r, b, rtol)
	}
	x := mat.DenseCopyOf(b)
	blas64.Trsm(blas.Left, blas.NoTrans, 1, t, x.RawMatrix())
	return x, n, rcond, nil
}

func solveSVD(a, b *mat.Dense, rtol float64) (*mat.Dense, int, float64, error) {
	_, n := a.Dims()
	_, p := b.Dims()
	u, s, v, err := SVD(a)
	if err != nil {
		return nil, 0, 0, err
	}
	k := Rank(s, rtol)
	if k == 0 {
		return mat.NewDense(n, p, nil), 0, 0, nil
	}
	rows, _ := u.Dims()
	var ub, x mat.Dense
	ub.Mul(u.Slice(0, rows, 0, k).T(), b)
	for i := range k {
		row := ub.RawRowView(i)
		for j := range row {
			row[j] /= s[i]
		}
	}
	x.Mul(v.Slice(0, n, 0, k), &ub)
	return &x, k, s[len(s)-1] / s[0], nil
}
