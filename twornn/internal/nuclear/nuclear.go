// Package nuclear minimises ½‖AT − B‖² + λ‖reshape(T)‖_*, the nuclear norm being the sum of
// singular values, by ADMM (Boyd and others 2011). It splits T = Z: T is found in the
// eigenvectors of AᵀA, where it is a division, and Z by shrinking singular values.
package nuclear

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// Problem is one such minimum, for any λ.
type Problem struct {
	rows      int        // of the reshape
	Q         *mat.Dense // eigenvectors of AᵀA
	values    []float64
	QC        *mat.Dense // QᵀAᵀB
	C         *mat.Dense
	T         *mat.Dense // the iterate, d^l×p
	Z, U      *mat.Dense
	rho       float64
	rtol      float64
	Converged bool // whether the last solution came to its tolerance
}

// New returns the problem for A with d^l columns and B with p, of n measurements, and a reshape of
// so many rows. It errs if a number is not finite.
func New(A, B *mat.Dense, rows, n int) (*Problem, error) {
	if !linalg.IsFinite(A) || !linalg.IsFinite(B) {
		return nil, linalg.ErrNotFinite
	}
	_, c := A.Dims()
	_, p := B.Dims()
	a := &Problem{rows: rows, Q: new(mat.Dense), QC: new(mat.Dense), C: new(mat.Dense)}
	var G mat.SymDense
	G.SymOuterK(1, A.T())
	var eig mat.EigenSym
	if !eig.Factorize(&G, true) {
		return nil, linalg.ErrNoConvergence
	}
	eig.VectorsTo(a.Q)
	a.values = eig.Values(nil)
	a.C.Mul(A.T(), B)
	a.QC.Mul(a.Q.T(), a.C)
	a.T, a.Z, a.U = mat.NewDense(c, p, nil), mat.NewDense(c, p, nil), mat.NewDense(c, p, nil)
	// What counts as zero among the squares of the singular values of A.
	a.rtol = math.Sqrt(float64(max(n, c))*linalg.Eps) * 1e-3
	a.rho = max(a.values[c/2], 1e-3*a.values[c-1])
	return a, nil
}

// Grid returns λ from the one at which the solution becomes zero downwards, and 0.
func (a *Problem) Grid() []float64 {
	_, s, _, err := linalg.SVD(a.reshape(a.C))
	if err != nil || s[0] == 0 {
		return []float64{0}
	}
	var ls []float64
	for e := 1; e <= 20; e++ {
		ls = append(ls, s[0]*math.Pow(10, -float64(e)/4))
	}
	return append(ls, 0)
}

// reshape returns the c×p matrix T as (T)⟨⟨⌈l/2⌉, l−⌈l/2⌉+1⟩⟩, sharing its numbers.
func (a *Problem) reshape(T *mat.Dense) *mat.Dense {
	data := T.RawMatrix().Data
	return mat.NewDense(a.rows, len(data)/a.rows, data)
}

// Solve minimises for one λ, 0 meaning the constraint AT = B (in the least squares
// sense), starting where the last call ended. It stops at a relative size tol of both residuals,
// and after so many iterations. each is called after every one and says whether to stop.
func (a *Problem) Solve(lambda, tol float64, iterations int, each func() bool) (T *mat.Dense, stopped bool) {
	c, p := a.T.Dims()
	top := a.values[c-1]
	a.Converged = false
	weight := lambda
	if lambda == 0 {
		weight = 1e-3 * top // any will do: the norm is all that is left to minimise
	}
	if top == 0 {
		a.Z.Zero()
		a.Converged = true
		return a.Z, false
	}
	for i := range iterations {
		a.least(lambda)
		old := mat.DenseCopyOf(a.Z)
		a.Z.Add(a.T, a.U)
		if !a.shrink(weight / a.rho) {
			break
		}
		var r, d mat.Dense
		r.Sub(a.T, a.Z)
		d.Sub(a.Z, old)
		a.U.Add(a.U, &r)
		primal, dual := mat.Norm(&r, 2), mat.Norm(&d, 2)
		size := max(mat.Norm(a.T, 2), mat.Norm(a.Z, 2))
		force := max(mat.Norm(a.U, 2), 1e-300)
		if each() {
			stopped = true
			break
		}
		if primal <= tol*size && dual <= tol*max(size, force) {
			a.Converged = true
			break
		}
		if i%10 == 9 {
			a.balance(primal, dual)
		}
	}
	out := a.Z
	if lambda == 0 {
		out = a.T // which satisfies the constraint
	}
	return mat.NewDense(c, p, append([]float64(nil), out.RawMatrix().Data...)), stopped
}

// least sets T to the least of ½‖AT − B‖² + ½ρ‖T − Z + U‖², or under the constraint to the
// T nearest to Z − U.
func (a *Problem) least(lambda float64) {
	top := a.values[len(a.values)-1]
	var w mat.Dense
	w.Sub(a.Z, a.U)
	qw := linalg.TransposedTimes(a.Q, &w)
	for k, v := range a.values {
		row, cr := qw.RawRowView(k), a.QC.RawRowView(k)
		for j := range row {
			switch {
			case lambda > 0:
				row[j] = (cr[j] + a.rho*row[j]) / (v + a.rho)
			case v > a.rtol*top:
				row[j] = cr[j] / v
			}
		}
	}
	a.T.Copy(linalg.Times(a.Q, qw))
}

// balance changes ρ so that both residuals keep to one size.
func (a *Problem) balance(primal, dual float64) {
	f := 1.0
	if primal > 5*dual {
		f = 2
	} else if dual > 5*primal {
		f = 0.5
	}
	a.rho *= f
	a.U.Scale(1/f, a.U)
}

// shrink lowers the singular values of Z by t, those below to zero.
func (a *Problem) shrink(t float64) bool {
	Z := a.reshape(a.Z)
	u, s, v, err := linalg.SVD(Z)
	if err != nil {
		return false
	}
	n := 0
	for n < len(s) && s[n] > t {
		s[n] -= t
		n++
	}
	if n == 0 {
		Z.Zero()
		return true
	}
	r, c := Z.Dims()
	var us mat.Dense
	us.Mul(u.Slice(0, r, 0, n), mat.NewDiagDense(n, s[:n]))
	Z.Mul(&us, v.Slice(0, c, 0, n).T())
	return true
}
