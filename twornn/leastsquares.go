package twornn

import (
	"context"
	"fmt"
	"math"

	"github.com/twornn/spectral/twornn/internal/als"
	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
)

// LeastSquares recovers H⁽ˡ⁾ as the solution of
//
//	min_T ‖X (T)⟨⟨l,1⟩⟩ − Y‖_F
//
// (Algorithm 1, line 4). Where that is not unique, it is the one of least norm in
// units in which the columns of X have norm one, so that the inputs' units do not
// matter. Without noise and with N ≥ d^l rows in general position it is exact
// (Theorem 4). It takes no notice of the rank. With noise it is at its worst near
// N = d^l.
//
// It costs O(d^{3l}) beyond the pass over the data, and errs if d^l exceeds 4096.
type LeastSquares struct {
	// RCond is the relative size below which singular values of X, its columns brought
	// to norm one, count as zero. Zero means max(N, d^l) times machine epsilon: what
	// rounding in the sums over N rows can leave of a singular value that is zero.
	RCond float64
}

var _ Recovery = LeastSquares{}

// Recover implements Recovery. rank is ignored: the tensor comes at full rank.
func (ls LeastSquares) Recover(ctx context.Context, m *Measurements, _ int, rec Recorder) (*tt.Tensor, Stats, error) {
	return recovering(ctx, rec, func(rec Recorder) (*tt.Tensor, Stats, error) { return ls.recover(ctx, m, rec) })
}

func (ls LeastSquares) recover(ctx context.Context, m *Measurements, rec Recorder) (*tt.Tensor, Stats, error) {
	st := Stats{Status: Converged, N: m.N(), Unknowns: m.Unknowns()}
	if !(ls.RCond >= 0 && ls.RCond < 1) {
		return nil, st, fmt.Errorf("twornn: LeastSquares.RCond is %v; it must be from 0 to below 1; zero means the level of rounding", ls.RCond)
	}
	if err := ctx.Err(); err != nil {
		return nil, st, err
	}
	A, B, err := m.System()
	if err != nil {
		return nil, st, err
	}
	_, columns := A.Dims()
	var norms []float64
	if m.of.Frame == nil { // else columns are of a size, but for those of no account
		A, norms = linalg.UnitColumns(A)
	}
	rtol := ls.RCond
	if rtol == 0 {
		rtol = float64(max(m.N(), columns)) * linalg.Eps
	}
	H, rank, rcond, err := linalg.LeastSquares(A, B, rtol)
	if err != nil {
		return nil, st, err
	}
	st.Rank, st.RCond, st.Iterations = rank, rcond, 1
	if rank < columns {
		st.Status = Underdetermined
	}
	residual := linalg.Relative(linalg.Squared(linalg.Residual(A, B, H)), m.Energy())
	st.Residuals = []float64{residual}
	if stops(rec, Progress{"recover", m.length(), 1, residual}) {
		st.Status = Stopped
	}
	for i, norm := range norms {
		row := H.RawRowView(i)
		for j := range row {
			row[j] /= norm
		}
	}
	h, err := tt.SVD(H.RawMatrix().Data, m.dims(), 0, 0)
	return m.ToData(h), st, err
}

// ALS recovers H⁽ˡ⁾ in tensor-train format by alternating least squares: in turn each
// core is set to the solution of
//
//	min ‖Y − X (H)⟨⟨l,1⟩⟩‖_F   over one core, the others fixed and orthonormal
//
// which is linear (Holtz, Rohwedder and Schneider 2012). It works on the rows
// x₁⊗⋯⊗x_l as their factors and makes no array of d^l numbers. It needs the rows: Fit
// keeps them for it, CollectRows does for FitCollection.
//
// From a random start this ends in poor local minima once d^l is far above N. So it
// begins at rank 1 and lets the rank grow. At each rank it sweeps over pairs of
// neighbouring cores: their product is moved by a few conjugate gradient steps and cut
// to the rank by an SVD. Few steps, because a pair can have more unknowns than there are
// rows, and would be fitted to what the rank at hand leaves out. What is left out acts
// as noise of a variance that goes with ‖x₁⊗⋯⊗x_l‖². So these sweeps weigh the rows, by
// 1/(c + ‖x₁⊗⋯⊗x_l‖²) with the c that makes the errors likeliest; without weights they
// fail far sooner. Sweeps over single cores, without weights, end the run.
//
// A rank of zero is an open one: that of least BIC, by the same likelihood, is taken.
//
// A sweep costs O(N p l d² R⁴) over single cores, by QR, and O(N p l d² R²) over pairs;
// the SVD of a pair adds O(d³ R³). The residuals reported are those of the rows without
// weights. In the last sweeps none is above the one before; earlier, cuts and weights
// may raise them.
type ALS struct {
	// Tol stops when a sweep over single cores lowers the residual by less than Tol times
	// the residual. A residual of 1e-11 stops in any case. Zero means 1e-6.
	Tol float64
	// MaxIterations is a hard limit on the number of sweeps of both kinds. Zero means 1000.
	MaxIterations int
	// Seed draws the starts. The same seed gives the same tensor.
	Seed uint64
}

var _ Recovery = ALS{}

func (ALS) NeedsRows() bool { return true }

// Recover implements Recovery. If rank is zero, it is chosen.
func (o ALS) Recover(ctx context.Context, m *Measurements, rank int, rec Recorder) (*tt.Tensor, Stats, error) {
	return o.RecoverFrom(ctx, m, rank, nil, rec)
}

// RecoverFrom implements Continuation: where the shorter words lead close enough, no train is
// grown.
func (o ALS) RecoverFrom(ctx context.Context, m *Measurements, rank int, shorter *tt.Tensor, rec Recorder) (*tt.Tensor, Stats, error) {
	return recovering(ctx, rec, func(rec Recorder) (*tt.Tensor, Stats, error) { return o.recover(ctx, m, rank, shorter, rec) })
}

func (o ALS) recover(ctx context.Context, m *Measurements, rank int, shorter *tt.Tensor, rec Recorder) (*tt.Tensor, Stats, error) {
	st := Stats{Status: Converged, N: m.N(), Unknowns: m.Unknowns()}
	if err := o.check(m, rank); err != nil {
		return nil, st, err
	}
	if o.Tol == 0 {
		o.Tol = 1e-6
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 1000
	}
	r := als.NewRun(ctx, rowsOf(m, o.Seed), m.Energy(), o.MaxIterations, reporter(rec, m.length()))
	h, err := r.Solve(rank, o.Tol, m.FromData(shorter))
	if err != nil {
		return nil, st, err
	}
	st.Status, st.Iterations, st.Residuals = ended(r.Status), r.Iterations, r.Residuals
	if len(st.Residuals) == 0 {
		st.Residuals = []float64{linalg.Relative(r.SSE, m.Energy())}
	}
	return m.ToData(h), st, nil
}

func (o ALS) check(m *Measurements, rank int) error {
	switch {
	case !m.HasRows():
		return fmt.Errorf("twornn: ALS needs the rows of H(%d), which this collection has folded; collect with CollectRows", m.length())
	case !(o.Tol >= 0) || math.IsInf(o.Tol, 1):
		return fmt.Errorf("twornn: ALS.Tol is %v; it must be a number, not negative; zero means 1e-6", o.Tol)
	case rank < 0:
		return fmt.Errorf("twornn: rank %d asked for; it may not be negative; zero means chosen", rank)
	case o.MaxIterations < 0:
		return fmt.Errorf("twornn: ALS.MaxIterations is %d; it may not be negative", o.MaxIterations)
	}
	return nil
}

// ended returns why a recovery ended, as a Status.
func ended(s als.Status) Status {
	return map[als.Status]Status{als.Converged: Converged, als.Limit: IterationLimit, als.Stopped: Stopped}[s]
}

// reporter returns what tells rec of the iterations of a recovery, nil if rec is.
func reporter(rec Recorder, length int) func(iteration int, residual float64) error {
	if rec == nil {
		return nil
	}
	return func(i int, r float64) error { return rec.Record(Progress{"recover", length, i, r}) }
}

// rowsOf returns the rows of m, which must have kept them.
func rowsOf(m *Measurements, seed uint64) *als.Rows {
	x, y, _ := m.Rows()
	return als.New(x, y, seed)
}
