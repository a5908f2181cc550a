package als

import (
	"context"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
)

// exact is a residual that rounding alone may leave.
const exact = 1e-11

// Status says why a run ended.
type Status int

const (
	Converged Status = iota
	Limit            // of sweeps
	Stopped          // by the report or the context
)

// Run is one run of alternating least squares.
type Run struct {
	Status     Status
	Iterations int       // sweeps
	Residuals  []float64 // ‖Y − XH‖/‖Y‖ after each

	ctx    context.Context
	report func(iteration int, residual float64) error
	max    int
	raw    *Rows
	sizes  []float64 // of the rows
	energy float64
	best   *tt.Tensor // so far
	SSE    float64    // of best
	spent  float64    // multiplications in sweeps over pairs, about
}

// NewRun returns a run over the rows, of at most max sweeps. energy is ‖Y‖². report, if not
// nil, is told of each sweep; its error stops the run.
func NewRun(ctx context.Context, raw *Rows, energy float64, max int, report func(int, float64) error) *Run {
	r := &Run{ctx: ctx, report: report, max: max, raw: raw, sizes: raw.sizes(), energy: energy}
	r.keep(ZeroTrain(raw.Dims), energy)
	return r
}

func (r *Run) stop() bool { return r.ctx.Err() != nil }

func (r *Run) keep(h *tt.Tensor, sse float64) {
	if r.best == nil || sse < r.SSE {
		r.best, r.SSE = h, sse
	}
}

// goOn keeps s if it is the best so far, reports it after a whole sweep, and says
// whether there is to be another.
func (r *Run) goOn(s *Sweeper, whole bool) (bool, error) {
	h := s.Tensor()
	sse, err := r.raw.SquaredError(h)
	if err != nil {
		return false, err
	}
	r.keep(h, sse)
	if !whole {
		r.Status = Stopped
		return false, nil
	}
	r.Iterations++
	res := linalg.Relative(sse, r.energy)
	r.Residuals = append(r.Residuals, res)
	if r.report != nil && r.report(r.Iterations, res) != nil || r.stop() {
		r.Status = Stopped
		return false, nil
	}
	return true, nil
}

// limit reports whether no further sweep is allowed, and says so in the status.
func (r *Run) limit() bool {
	if r.Iterations < r.max {
		return false
	}
	r.Status = Limit
	return true
}
