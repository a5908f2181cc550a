package tt

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// SVD returns a tensor train of the dense tensor with the given dimensions and
// entries in row-major order, by the TT-SVD: one truncated SVD a bond, from left to
// right. Ranks are at most rank (0: no bound) and no larger than the relative
// tolerance tol asks for: ‖T − full‖_F ≤ tol ‖full‖_F if rank does not bind. With
// rank alone, the error is at most √(m−1) times the least possible at that rank
// (Oseledets 2011). All cores but the last have orthonormal columns.
//
// It costs O(d^{m+1}) for m dimensions d, errs if an entry is not finite, and
// panics if the entries are not as many as the dimensions say. full is not changed.
func SVD(full []float64, dims []int, rank int, tol float64) (*Tensor, error) {
	size := 1
	for _, d := range dims {
		size *= d
	}
	if len(dims) == 0 || size != len(full) || size == 0 {
		panic("tt: dimension mismatch")
	}
	rest := mat.DenseCopyOf(mat.NewDense(1, size, full))
	if !linalg.IsFinite(rest) {
		return nil, linalg.ErrNotFinite
	}
	// Each of the m−1 bonds may lose an equal share of the squared error.
	cut := 0.0
	if len(dims) > 1 {
		cut = tol * mat.Norm(rest, 2) / math.Sqrt(float64(len(dims)-1))
	}
	cores := make([]Core, 0, len(dims))
	left := 1
	for _, d := range dims[:len(dims)-1] {
		_, c := rest.Dims()
		u, s, v, err := linalg.SVD(mat.NewDense(left*d, c/d, rest.RawMatrix().Data))
		if err != nil {
			return nil, err
		}
		r := keep(s, rank, cut)
		cores = append(cores, Core{left, d, r, denseData(u.Slice(0, left*d, 0, r))})
		var next mat.Dense
		next.Mul(mat.NewDiagDense(r, s[:r]), v.Slice(0, c/d, 0, r).T())
		rest, left = &next, r
	}
	d := dims[len(dims)-1]
	return New(append(cores, Core{left, d, 1, denseData(rest)})...), nil
}

// keep returns how many of the descending values s to keep: at most rank (0: no
// bound), at least one, and no more than leaves √Σ(dropped)² ≤ cut.
func keep(s []float64, rank int, cut float64) int {
	r := len(s)
	var dropped float64
	for r > 1 && dropped+s[r-1]*s[r-1] <= cut*cut {
		dropped += s[r-1] * s[r-1]
		r--
	}
	if rank > 0 {
		r = min(r, rank)
	}
	return r
}

// denseData returns the entries of m by rows.
func denseData(m mat.Matrix) []float64 { return mat.DenseCopyOf(m).RawMatrix().Data }
