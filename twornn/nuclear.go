package twornn

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
)

// NuclearNorm recovers H⁽ˡ⁾ with a small nuclear norm (sum of singular values) of its
// reshape ⟨⟨⌈l/2⌉, l−⌈l/2⌉+1⟩⟩, which favours low rank (Algorithm 1, line 6). Without
// noise, the paper's problem
//
//	min ‖(T)⟨⟨⌈l/2⌉, l−⌈l/2⌉+1⟩⟩‖_*   subject to   X (T)⟨⟨l,1⟩⟩ = Y
//
// and with noise, where nothing or nothing sensible satisfies that,
//
//	min ½‖X (T)⟨⟨l,1⟩⟩ − Y‖²_F + λ ‖(T)⟨⟨⌈l/2⌉, l−⌈l/2⌉+1⟩⟩‖_*.
//
// λ is taken from a grid by five-fold cross-validation; the constraint, which is the
// limit at λ = 0, is on the grid. Then all rows are used.
//
// Both are solved by ADMM (Boyd and others 2011) in the eigenvectors of XᵀX: O(d^{3l})
// once and O(d^{2l}p) an iteration, whatever N. It takes no notice of the rank and
// errs if d^l exceeds 4096.
type NuclearNorm struct {
	// Lambda is λ, for the sums of squares over all rows. Zero has it chosen.
	// A negative one asks for the constraint.
	Lambda float64
	// Tol stops at a relative size of both residuals of ADMM. Zero means 1e-8.
	Tol float64
	// MaxIterations is a hard limit for each λ. Zero means 2000.
	MaxIterations int
}

var _ Recovery = NuclearNorm{}

// Recover implements Recovery. rank is ignored.
func (o NuclearNorm) Recover(ctx context.Context, m *Measurements, _ int, rec Recorder) (*tt.Tensor, Stats, error) {
	return recovering(ctx, rec, func(rec Recorder) (*tt.Tensor, Stats, error) { return o.recover(ctx, m, rec) })
}

func (o NuclearNorm) recover(ctx context.Context, m *Measurements, rec Recorder) (*tt.Tensor, Stats, error) {
	st := Stats{Status: Converged, N: m.N(), Unknowns: m.Unknowns()}
	if err := o.check(); err != nil {
		return nil, st, err
	}
	if o.Tol == 0 {
		o.Tol = 1e-8
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 2000
	}
	allA, allB, err := m.System()
	if err != nil {
		return nil, st, err
	}
	l, d, _ := m.Dims()
	rows := linalg.Pow(d, (l+1)/2)
	all, err := newAdmm(allA, allB, rows, m.N())
	if err != nil {
		return nil, st, err
	}
	report := func(sse float64) bool {
		st.Iterations++
		r := linalg.Relative(sse, m.Energy())
		st.Residuals = append(st.Residuals, r)
		return ctx.Err() != nil || stops(rec, Progress{"recover", l, st.Iterations, r})
	}

	lambda := max(0, o.Lambda)
	if o.Lambda == 0 {
		if lambda, err = o.choose(ctx, m, all.grid(), rows); err != nil {
			return nil, st, err
		}
	}
	T, stopped := all.solve(lambda, o, func() bool { return report(linalg.Squared(linalg.Residual(allA, allB, all.T))) })
	switch {
	case stopped:
		st.Status = Stopped
	case !all.converged:
		st.Status = IterationLimit
	}
	if !linalg.IsFinite(T) {
		return nil, st, linalg.ErrNotFinite
	}
	h, err := tt.SVD(T.RawMatrix().Data, m.dims(), 0, 1e-14)
	return m.ToData(h), st, err
}

func (o NuclearNorm) check() error {
	if math.IsNaN(o.Lambda) || math.IsInf(o.Lambda, 0) {
		return fmt.Errorf("twornn: NuclearNorm.Lambda is %v; it must be a number; zero has it chosen, a negative one asks for the constraint", o.Lambda)
	}
	return checkSteps("NuclearNorm", 0, o.Tol, o.MaxIterations)
}

// choose returns the λ of the grid with the least error on rows held out, each part in
// its turn. The best λ goes with the noise's share of XᵀY, and so with √N.
func (o NuclearNorm) choose(ctx context.Context, m *Measurements, grid []float64, rows int) (float64, error) {
	rough := NuclearNorm{Tol: 1e3 * o.Tol, MaxIterations: o.MaxIterations / 10}
	errs := make([]float64, len(grid))
	for k := range m.Folds() {
		A, B, heldA, heldB, n := m.Fold(k)
		if A == nil || heldA == nil {
			continue
		}
		fit, err := newAdmm(A, B, rows, n)
		if err != nil {
			return 0, err
		}
		for i, l := range grid {
			T, stopped := fit.solve(l*math.Sqrt(float64(n)/float64(m.N())), rough, func() bool { return ctx.Err() != nil })
			if stopped {
				return 0, nil
			}
			errs[i] += linalg.Squared(linalg.Residual(heldA, heldB, T))
		}
	}
	best := len(grid) - 1 // the constraint, if all are alike
	for i, e := range errs {
		if e < errs[best] {
			best = i
		}
	}
	return grid[best], nil
}

// admm minimises ½‖AT − B‖² + λ‖reshape(T)‖_* by splitting T = Z: T is found in the
// eigenvectors of AᵀA, where it is a division, and Z by shrinking singular values.
type admm struct {
	rows      int        // of the reshape
	Q         *mat.Dense // eigenvectors of AᵀA
	values    []float64
	QC        *mat.Dense // QᵀAᵀB
	C         *mat.Dense
	T, Z, U   *mat.Dense
	rho       float64
	rtol      float64
	converged bool
}

func newAdmm(A, B *mat.Dense, rows, n int) (*admm, error) {
	if !linalg.IsFinite(A) || !linalg.IsFinite(B) {
		return nil, linalg.ErrNotFinite
	}
	_, c := A.Dims()
	_, p := B.Dims()
	a := &admm{rows: rows, Q: new(mat.Dense), QC: new(mat.Dense), C: new(mat.Dense)}
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

// grid returns λ from the one at which the solution becomes zero downwards, and 0.
func (a *admm) grid() []float64 {
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
func (a *admm) reshape(T *mat.Dense) *mat.Dense {
	data := T.RawMatrix().Data
	return mat.NewDense(a.rows, len(data)/a.rows, data)
}

// solve minimises for one λ, 0 meaning the constraint AT = B (in the least squares
// sense), starting where the last call ended. each is called after every iteration
// and says whether to stop.
func (a *admm) solve(lambda float64, o NuclearNorm, each func() bool) (T *mat.Dense, stopped bool) {
	c, p := a.T.Dims()
	top := a.values[c-1]
	a.converged = false
	weight := lambda
	if lambda == 0 {
		weight = 1e-3 * top // any will do: the norm is all that is left to minimise
	}
	if top == 0 {
		a.Z.Zero()
		a.converged = true
		return a.Z, false
	}
	for i := range o.MaxIterations {
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
		if primal <= o.Tol*size && dual <= o.Tol*max(size, force) {
			a.converged = true
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
func (a *admm) least(lambda float64) {
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
func (a *admm) balance(primal, dual float64) {
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
func (a *admm) shrink(t float64) bool {
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
