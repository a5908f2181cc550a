package twornn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/als"
	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
)

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
	stop := stopping{Tol: o.Tol, MaxIterations: o.MaxIterations}.defaults()
	var h *tt.Tensor
	var err error
	switch {
	case m.Energy() == 0:
	case o.Batch > 0 && m.length() > 0:
		h, err = o.batches(ctx, x, &st, stop, rank, m, rec)
	default:
		h, err = descend(ctx, x, &st, stop, rank, m.length(), m.Energy(), rec)
	}
	if err != nil {
		return nil, st, err
	}
	if h == nil {
		h = als.ZeroTrain(x.Dims)
		st.Residuals = append(st.Residuals, linalg.Relative(m.Energy(), m.Energy()))
	}
	return m.ToData(h), st, nil
}

// batches is Algorithm 2 with mini-batches.
func (o TTIHT) batches(ctx context.Context, x *als.Rows, st *Stats, stop stopping, rank int, m *Measurements, rec Recorder) (*tt.Tensor, error) {
	rnd := rand.New(rand.NewPCG(o.Seed, 2))
	M := min(o.Batch, x.N)
	h := als.ZeroTrain(x.Dims)
	if o.Step == 0 {
		// From zero, steps within the tangent space would have nowhere to go.
		start, err := x.Start(rank)
		if err != nil || start == nil {
			return nil, err
		}
		h = start
	}
	var order []int
	for st.Iterations < stop.MaxIterations {
		if ctx.Err() != nil {
			st.Status = Stopped
			return h, nil
		}
		if len(order) < M {
			order = rnd.Perm(x.N)
		}
		b := x.Only(order[:M])
		order = order[M:]
		e := b.Outputs(h)
		e.Sub(b.Y, e)
		r := linalg.Relative(linalg.Squared(e), linalg.Squared(b.Y))
		if math.IsNaN(r) || r > 1e6 {
			return nil, errDiverged(m.length(), st.Iterations, o.Step)
		}
		next, err := o.batchStep(b, h, e)
		if err != nil {
			return nil, err
		}
		rounded := new(tt.Tensor)
		if err := rounded.Round(next, rank, 0); err != nil {
			return nil, errDiverged(m.length(), st.Iterations, o.Step)
		}
		h = rounded
		st.Iterations++
		st.Residuals = append(st.Residuals, r)
		if stops(rec, Progress{"recover", m.length(), st.Iterations, r}) {
			st.Status = Stopped
			return h, nil
		}
		if r <= stop.Tol {
			return h, nil
		}
	}
	st.Status = IterationLimit
	return h, nil
}

// batchStep returns h after the step of a batch that leaves e, not yet rounded.
func (o TTIHT) batchStep(b *als.Rows, h *tt.Tensor, e *mat.Dense) (*tt.Tensor, error) {
	if o.Step > 0 {
		next := new(tt.Tensor)
		next.Add(h, b.GradientTrain(o.Step, e))
		return next, nil
	}
	p, err := tt.NewPoint(h)
	if err != nil {
		return nil, err
	}
	g := b.Project(p, e)
	q, err := b.Quadratic(p, g)
	if err != nil {
		return nil, err
	}
	step := 0.0
	if q > 0 {
		// A batch of fewer equations than the train has parameters would be fitted
		// at the expense of the others: go its share of the way.
		n, outputs := e.Dims()
		share := float64(n*outputs) / float64(n*outputs+parameters(p))
		step = share * tt.DotTangents(g, g) / q
	}
	return p.Embed(1, step, g), nil
}

// parameters returns the number of entries of all cores.
func parameters(p *tt.Point) int {
	n := len(p.C.Data)
	for _, c := range p.U {
		n += len(c.Data)
	}
	return n
}
