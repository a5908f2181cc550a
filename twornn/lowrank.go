package twornn

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/twornn/spectral/twornn/internal/als"
	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/nuclear"
	"github.com/twornn/spectral/twornn/internal/tangent"
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
	all, err := nuclear.New(allA, allB, rows, m.N())
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
		if lambda, err = o.choose(ctx, m, all.Grid(), rows); err != nil {
			return nil, st, err
		}
	}
	T, stopped := all.Solve(lambda, o.Tol, o.MaxIterations, func() bool { return report(linalg.Squared(linalg.Residual(allA, allB, all.T))) })
	switch {
	case stopped:
		st.Status = Stopped
	case !all.Converged:
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
	errs := make([]float64, len(grid))
	for k := range m.Folds() {
		A, B, heldA, heldB, n := m.Fold(k)
		if A == nil || heldA == nil {
			continue
		}
		fit, err := nuclear.New(A, B, rows, n)
		if err != nil {
			return 0, err
		}
		for i, l := range grid {
			T, stopped := fit.Solve(l*math.Sqrt(float64(n)/float64(m.N())), 1e3*o.Tol, o.MaxIterations/10, func() bool { return ctx.Err() != nil })
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

// IHT recovers H⁽ˡ⁾ by iterative hard thresholding (Algorithm 1, lines 8 to 12):
// gradient steps
//
//	(H)⟨⟨l,1⟩⟩ ← (H)⟨⟨l,1⟩⟩ + γ Xᵀ(Y − X (H)⟨⟨l,1⟩⟩)
//
// from H = 0, each brought back to tensors whose reshape ⟨⟨⌈l/2⌉, l−⌈l/2⌉+1⟩⟩ has
// matrix rank at most R by a truncated SVD. It costs O(d^{2l}p) an iteration, whatever
// N. It errs if d^l exceeds 4096 or no rank is given.
//
// With Step zero the gradient is taken within the tangent space of those tensors and
// the step is exact there, so nothing has to be tuned and the residual never rises. After a
// dozen such steps the next go to the least of the whole tangent space (Gauss-Newton), at
// O(d^l p k²) for its k dimensions, unless those are more than 400.
type IHT struct {
	// Step is the paper's fixed γ, for the gradient Xᵀ(Y − XH) of the sum of squares: over
	// the measurements as they are with Recover, over those that Fit has brought to unit
	// second moments with Fit. Zero sets each step from the data.
	Step float64
	// Tol stops when ‖H' − H‖ ≤ Tol‖H'‖. Zero means 1e-10, or where a step gains less than
	// the noise lets one see.
	Tol float64
	// MaxIterations is a hard limit. Zero means 2000.
	MaxIterations int
}

// TIHT is IHT on tensors of tensor-train rank at most R, by TT-SVD.
type TIHT struct {
	// Step, Tol and MaxIterations are as in IHT.
	Step          float64
	Tol           float64
	MaxIterations int
}

var _, _ Recovery = IHT{}, TIHT{}

// Recover implements Recovery.
func (o IHT) Recover(ctx context.Context, m *Measurements, rank int, rec Recorder) (*tt.Tensor, Stats, error) {
	l, d, p := m.Dims()
	half := (l + 1) / 2
	dims := []int{linalg.Pow(d, half), linalg.Pow(d, l-half) * p}
	return recovering(ctx, rec, func(rec Recorder) (*tt.Tensor, Stats, error) { return TIHT(o).over(ctx, m, dims, rank, rec) })
}

// Recover implements Recovery.
func (o TIHT) Recover(ctx context.Context, m *Measurements, rank int, rec Recorder) (*tt.Tensor, Stats, error) {
	return recovering(ctx, rec, func(rec Recorder) (*tt.Tensor, Stats, error) { return o.over(ctx, m, m.dims(), rank, rec) })
}

// over is Recover for the shape that is to have low rank.
func (o TIHT) over(ctx context.Context, m *Measurements, dims []int, rank int, rec Recorder) (*tt.Tensor, Stats, error) {
	st := Stats{Status: Converged, N: m.N(), Unknowns: m.Unknowns()}
	if err := checkSteps("IHT or TIHT", o.Step, o.Tol, o.MaxIterations); err != nil {
		return nil, st, err
	}
	if rank <= 0 {
		return nil, st, errNoRank
	}
	l, d, p := m.Dims()
	x, err := denseDesign(m, dims)
	if err != nil {
		return nil, st, err
	}
	r := newRun(m, o.Tol, o.MaxIterations, rec)
	if o.Tol == 0 {
		r.Noise = float64(m.N() * p)
	}
	var h *tt.Tensor
	if o.Step > 0 {
		h, err = x.FixedSteps(ctx, r, o.Step, rank)
	} else {
		h, err = tangent.Descend(ctx, x, r, rank)
	}
	if err := account(&st, r, m, o.Step, err); err != nil {
		return nil, st, err
	}
	if h == nil { // Y is zero, or nothing was done
		h, err = tt.SVD(make([]float64, linalg.Pow(d, l)*p), dims, 1, 0)
		st.Residuals = append(st.Residuals, linalg.Relative(m.Energy(), m.Energy()))
	}
	if err == nil && h.Order() != l+1 {
		var full []float64
		if full, err = h.Full(); err == nil {
			h, err = tt.SVD(full, m.dims(), 0, 1e-14)
		}
	}
	return m.ToData(h), st, err
}

// denseDesign returns XᵀX and XᵀY for tensors of the dimensions that are to have low rank.
func denseDesign(m *Measurements, dims []int) (*tangent.Dense, error) {
	A, B, err := m.System()
	if err != nil {
		return nil, err
	}
	return tangent.NewDense(A, B, dims)
}

// newRun returns a run with its limits, the defaults where they are zero.
func newRun(m *Measurements, tol float64, iterations int, rec Recorder) *tangent.Run {
	r := &tangent.Run{Tol: tol, MaxIterations: iterations, Energy: m.Energy(), Report: reporter(rec, m.length())}
	if tol == 0 {
		r.Tol = 1e-10
	}
	if iterations == 0 {
		r.MaxIterations = 2000
	}
	return r
}

// account tells in st how a run with the step went, and returns its error.
func account(st *Stats, r *tangent.Run, m *Measurements, step float64, err error) error {
	st.Status, st.Iterations, st.Residuals = ended(r.Status), r.Iterations, r.Residuals
	if errors.Is(err, tangent.ErrDiverged) {
		return errDiverged(m.length(), r.Iterations, step)
	}
	return err
}

// TTIHT recovers H⁽ˡ⁾ as TIHT does, in tensor-train format throughout (Algorithm 2):
// the estimate is a train of rank R, the rows x₁⊗⋯⊗x_l of X are held as their factors,
// and no array of d^l numbers is ever made. It needs the rows: Fit keeps them for it,
// CollectRows does for FitCollection.
//
// With Batch zero every iteration sees all rows. The gradient Xᵀ(Y − XH) is computed
// within the tangent space of trains of rank R at H, where it is a train of rank 2R,
// and the step is exact there: O(N l d R²) an iteration.
//
// With Batch M it is the paper's algorithm: a random batch of M rows, whose gradient
// is a train of rank M added to H and rounded from rank R+M to R, O((R+M)³ (l d + p)) an
// iteration. The batch's sum is multiplied by γ = Step. Leave Batch zero unless an
// iteration over all rows takes too long: it needs fewer and shorter iterations to the
// same tensor, and batches end at the noise of a batch. A γ that converges shrinks with
// d^l, and from about d^l = 10⁴ on none does in thousands of iterations; steps set from
// the data do.
type TTIHT struct {
	// Batch is M. Zero means all rows.
	Batch int
	// Step is γ for a batch, for the gradient of the sum of squares over its rows. Zero
	// sets each step from the data, exact along the batch's gradient within the tangent
	// space and then shortened to the batch's share of the parameters.
	Step float64
	// Tol stops when ‖H' − H‖ ≤ Tol‖H'‖ (on all rows), or when the residual of a batch
	// is below Tol. Zero means 1e-10.
	Tol float64
	// MaxIterations is a hard limit. Zero means 2000.
	MaxIterations int
	// Seed draws the batches, and the start of the power method with which steps from
	// the data begin; fixed steps begin at zero. The same seed gives the same tensor.
	Seed uint64
}

var _ Recovery = TTIHT{}

func (TTIHT) NeedsRows() bool { return true }

// Recover implements Recovery.
func (o TTIHT) Recover(ctx context.Context, m *Measurements, rank int, rec Recorder) (*tt.Tensor, Stats, error) {
	return o.RecoverFrom(ctx, m, rank, nil, rec)
}

// RecoverFrom implements Continuation: it begins at the better of two starts.
func (o TTIHT) RecoverFrom(ctx context.Context, m *Measurements, rank int, shorter *tt.Tensor, rec Recorder) (*tt.Tensor, Stats, error) {
	return recovering(ctx, rec, func(rec Recorder) (*tt.Tensor, Stats, error) { return o.recover(ctx, m, rank, shorter, rec) })
}

func (o TTIHT) recover(ctx context.Context, m *Measurements, rank int, shorter *tt.Tensor, rec Recorder) (*tt.Tensor, Stats, error) {
	st := Stats{Status: Converged, N: m.N(), Unknowns: m.Unknowns()}
	if rank <= 0 {
		return nil, st, errNoRank
	}
	if !m.HasRows() {
		return nil, st, fmt.Errorf("twornn: TTIHT needs the rows of H(%d), which this collection has folded; collect with CollectRows", m.length())
	}
	if o.Batch < 0 {
		return nil, st, fmt.Errorf("twornn: TTIHT.Batch is %d; it may not be negative", o.Batch)
	}
	if err := checkSteps("TTIHT", o.Step, o.Tol, o.MaxIterations); err != nil {
		return nil, st, err
	}
	x := rowsOf(m, o.Seed)
	x.Shorter = m.FromData(shorter)
	r := newRun(m, o.Tol, o.MaxIterations, rec)
	var h *tt.Tensor
	var err error
	switch {
	case m.Energy() == 0:
	case o.Batch > 0 && m.length() > 0:
		h, err = tangent.Batches(ctx, x, r, rank, o.Batch, o.Step, o.Seed)
	default:
		h, err = tangent.Descend(ctx, x, r, rank)
	}
	if err := account(&st, r, m, o.Step, err); err != nil {
		return nil, st, err
	}
	if h == nil {
		h = als.ZeroTrain(x.Dims)
		st.Residuals = append(st.Residuals, linalg.Relative(m.Energy(), m.Energy()))
	}
	return m.ToData(h), st, nil
}
