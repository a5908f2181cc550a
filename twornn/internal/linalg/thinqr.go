package linalg

import (
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"
)

// ThinQR returns q, m×k with orthonormal columns, and the upper trapezoidal r, k×n,
// with a = qr and k = min(m, n). gonum's QR gives the full m×m Q. It costs
// 4mnk operations; a is not changed.
func ThinQR(a *mat.Dense) (q, r *mat.Dense) {
	m, n := a.Dims()
	k := min(m, n)
	c := mat.DenseCopyOf(a)
	g := c.RawMatrix()
	tau := make([]float64, k)
	work := []float64{0}
	lapack64.Geqrf(g, tau, work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Geqrf(g, tau, work, len(work))
	r = mat.NewDense(k, n, nil)
	for i := range k {
		copy(r.RawRowView(i)[i:], c.RawRowView(i)[i:])
	}
	q = mat.DenseCopyOf(c.Slice(0, m, 0, k))
	work = []float64{0}
	lapack64.Orgqr(q.RawMatrix(), tau, work, -1)
	work = make([]float64, int(work[0]))
	lapack64.Orgqr(q.RawMatrix(), tau, work, len(work))
	return q, r
}
