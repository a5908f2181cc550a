package twornn

import (
	"context"
	"math"

	"github.com/twornn/spectral/twornn/internal/als"
	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
)

// design is the linear map H ↦ XH of measurements, as a thresholding iteration sees
// it: held as XᵀX, or as rows of factors that are never multiplied out.
type design interface {
	// start returns a first estimate, the gradient at zero brought to the rank and
	// scaled to fit, or nil if the gradient there is zero.
	Start(rank int) (*tt.Tensor, error)
	// gradient returns Xᵀ(Y − XH) projected on the tangent space at H, and ‖Y − XH‖².
	Gradient(p *tt.Point) (tt.Tangent, float64, error)
	// quadratic returns ‖Xη‖² for a tangent η at p.
	Quadratic(p *tt.Point, eta tt.Tangent) (float64, error)
	// squaredError returns ‖Y − XH‖².
	SquaredError(h *tt.Tensor) (float64, error)
}

// newtonian is a design small enough for least squares over a whole tangent space.
type newtonian interface {
	// newton returns the tangent η at p that minimises ‖Y − X(H+η)‖² + μ‖η‖², μ being mu
	// times the mean square that X makes of a unit tangent, and g the projected gradient;
	// false if it is too dear or cannot be worked out.
	newton(p *tt.Point, g tt.Tangent, mu float64) (tt.Tangent, bool)
}

// gradientSteps is how many steps go by conjugate gradients before Newton's begin: they
// find the valley, which is left to the gradient alone to choose, and where few are
// needed there are no others.
const gradientSteps = 12

// descend minimises ‖Y − XH‖² over the tensors of rank at most R: it goes along
// tangents and rounds back after each step. To first order this is the thresholded
// gradient step of the paper, since what the gradient has off the tangent space is
// rounded away; on it, the length of the step is exact and directions can be
// conjugate (Kressner, Steinlechner and Vandereycken 2014). Where the design is small
// the later steps go to the least of the tangent space (Gauss-Newton).
func descend(ctx context.Context, x design, st *Stats, o stopping, rank, length int, energy float64, rec Recorder) (*tt.Tensor, error) {
	// The first step, from zero.
	h, err := x.Start(rank)
	if err != nil || h == nil {
		return nil, err
	}
	first, err := x.SquaredError(h)
	if err != nil {
		return nil, err
	}
	st.Iterations = 1
	st.Residuals = append(st.Residuals, linalg.Relative(first, energy))
	if rec != nil && rec.Record(Progress{"recover", length, 1, linalg.Relative(first, energy)}) != nil {
		st.Status = Stopped
		return h, nil
	}
	var before tt.Tangent // the direction before, with its point
	var at *tt.Point
	var gg float64 // ‖gradient‖² there
	mu := 1e-4
	for st.Iterations < o.MaxIterations {
		if ctx.Err() != nil {
			st.Status = Stopped
			return h, nil
		}
		p, err := tt.NewPoint(h)
		if err != nil {
			return nil, err
		}
		g, sse, err := x.Gradient(p)
		if err != nil {
			return nil, err
		}
		direction := tt.Tangent{Delta: als.CopyCores(g.Delta)}
		size := tt.DotTangents(g, g)
		leap := false
		if n, ok := x.(newtonian); ok && st.Iterations >= gradientSteps {
			var eta tt.Tangent
			if eta, leap = n.newton(p, g, mu); leap {
				direction = eta
			}
		}
		if at != nil && !leap {
			// Fletcher-Reeves with the descent checked; the old direction is projected on
			// the new tangent space.
			moved := p.Project(at.Embed(0, 1, before))
			direction.AddScaled(size/gg, moved)
			if tt.DotTangents(direction, g) <= 0.1*direction.Norm()*math.Sqrt(size) {
				direction = tt.Tangent{Delta: als.CopyCores(g.Delta)}
			}
		}
		q, err := x.Quadratic(p, direction)
		if err != nil {
			return nil, err
		}
		slope := tt.DotTangents(direction, g)
		if !(q > 0) || !(slope > 0) {
			return h, nil // the gradient is zero
		}
		step := slope / q
		next := new(tt.Tensor)
		var after float64
		for range 20 {
			if err := next.Round(p.Embed(1, step, direction), rank, 0); err != nil {
				return nil, err
			}
			if after, err = x.SquaredError(next); err != nil {
				return nil, err
			}
			if after <= sse {
				break
			}
			step /= 2 // rounding took back more than the step gained
			mu = min(1, 10*mu)
		}
		mu = max(mu/3, 1e-12)
		if !(after <= sse) {
			return h, nil // no step lowers the residual: a minimum, up to rounding
		}
		h, at, before, gg = next, p, direction, size
		st.Iterations++
		st.Residuals = append(st.Residuals, linalg.Relative(after, energy))
		if rec != nil && rec.Record(Progress{"recover", length, st.Iterations, linalg.Relative(after, energy)}) != nil {
			st.Status = Stopped
			return h, nil
		}
		if step*direction.Norm() <= o.Tol*h.Norm() {
			return h, nil
		}
		// Newton's steps gain ever less. One that gained a hundredth of the variance of the
		// noise has moved all coordinates together by a tenth of a standard error.
		if leap && o.noise > 0 && step*slope <= 1e-2*after/o.noise {
			return h, nil
		}
	}
	st.Status = IterationLimit
	return h, nil
}

// stopping says when an iteration ends.
type stopping struct {
	Tol           float64
	MaxIterations int
	noise         float64 // outputs over which the residual is spread; 0 where Tol alone counts
}

func (o stopping) defaults() stopping {
	if o.Tol == 0 {
		o.Tol = 1e-10
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 2000
	}
	return o
}
