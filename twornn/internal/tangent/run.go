package tangent

import (
	"errors"

	"github.com/twornn/spectral/twornn/internal/als"
)

// ErrDiverged is the error of a step that is too long for the data.
var ErrDiverged = errors.New("the residual grew without bound")

// Run is one run: when it ends, and how it went.
type Run struct {
	Tol           float64
	MaxIterations int
	Energy        float64 // ‖Y‖²
	Noise         float64 // outputs over which the residual is spread; 0 where Tol alone counts
	// Report, if not nil, is told of each iteration; its error stops the run.
	Report func(iteration int, residual float64) error

	Status     als.Status
	Iterations int
	Residuals  []float64 // ‖Y − XH‖/‖Y‖ after each
}

// told counts an iteration with its residual, and returns whether the report stops the run.
func (r *Run) told(residual float64) (stop bool) {
	r.Iterations++
	r.Residuals = append(r.Residuals, residual)
	if r.Report != nil && r.Report(r.Iterations, residual) != nil {
		r.Status = als.Stopped
		return true
	}
	return false
}
