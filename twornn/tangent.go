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
	d := &tangentDescent{x: x, rank: rank, o: o, h: h, mu: 1e-4, report: func(sse float64) bool {
		r := linalg.Relative(sse, energy)
		st.Iterations++
		st.Residuals = append(st.Residuals, r)
		return stops(rec, Progress{"recover", length, st.Iterations, r})
	}}
	if d.report(first) {
		st.Status = Stopped
		return h, nil
	}
	for st.Iterations < o.MaxIterations {
		if ctx.Err() != nil {
			st.Status = Stopped
			return d.h, nil
		}
		switch next, err := d.step(st.Iterations >= gradientSteps); {
		case err != nil:
			return nil, err
		case next == halted:
			st.Status = Stopped
			return d.h, nil
		case next == arrived:
			return d.h, nil
		}
	}
	st.Status = IterationLimit
	return d.h, nil
}

// tangentDescent is one run of descend.
type tangentDescent struct {
	x      design
	rank   int
	o      stopping
	report func(sse float64) (stop bool) // told of each step
	h      *tt.Tensor                    // the best so far
	at     *tt.Point                     // where the step before began; nil before the first
	before tt.Tangent                    // its direction
	gg     float64                       // ‖gradient‖² there
	mu     float64                       // damping of Newton's steps
}

// verdict is what follows a step.
type verdict int

const (
	another verdict = iota
	arrived         // nothing is left to gain
	halted          // by the Recorder
)

// step goes one step, by the whole tangent space if newton allows it.
func (d *tangentDescent) step(newton bool) (verdict, error) {
	p, err := tt.NewPoint(d.h)
	if err != nil {
		return arrived, err
	}
	g, sse, err := d.x.Gradient(p)
	if err != nil {
		return arrived, err
	}
	size := tt.DotTangents(g, g)
	direction, leap := d.direction(p, g, size, newton)
	q, err := d.x.Quadratic(p, direction)
	if err != nil {
		return arrived, err
	}
	slope := tt.DotTangents(direction, g)
	if !(q > 0) || !(slope > 0) {
		return arrived, nil // the gradient is zero
	}
	next, after, step, err := d.along(p, direction, slope/q, sse)
	if err != nil {
		return arrived, err
	}
	d.mu = max(d.mu/3, 1e-12)
	if !(after <= sse) {
		return arrived, nil // no step lowers the residual: a minimum, up to rounding
	}
	d.h, d.at, d.before, d.gg = next, p, direction, size
	if d.report(after) {
		return halted, nil
	}
	if step*direction.Norm() <= d.o.Tol*d.h.Norm() {
		return arrived, nil
	}
	// Newton's steps gain ever less. One that gained a hundredth of the variance of the
	// noise has moved all coordinates together by a tenth of a standard error.
	if leap && d.o.noise > 0 && step*slope <= 1e-2*after/d.o.noise {
		return arrived, nil
	}
	return another, nil
}

// direction returns where to go from p: to the least of the tangent space, which is a leap,
// or else along a conjugate gradient.
func (d *tangentDescent) direction(p *tt.Point, g tt.Tangent, size float64, newton bool) (_ tt.Tangent, leap bool) {
	if n, ok := d.x.(newtonian); ok && newton {
		if eta, ok := n.newton(p, g, d.mu); ok {
			return eta, true
		}
	}
	direction := tt.Tangent{Delta: als.CopyCores(g.Delta)}
	if d.at == nil {
		return direction, false
	}
	// Fletcher-Reeves with the descent checked; the old direction is projected on
	// the new tangent space.
	moved := p.Project(d.at.Embed(0, 1, d.before))
	direction.AddScaled(size/d.gg, moved)
	if tt.DotTangents(direction, g) <= 0.1*direction.Norm()*math.Sqrt(size) {
		return tt.Tangent{Delta: als.CopyCores(g.Delta)}, false
	}
	return direction, false
}

// along returns the tensor a step along the direction, rounded to the rank, with its squared
// error and the step, which is halved until that is no larger than before.
func (d *tangentDescent) along(p *tt.Point, direction tt.Tangent, step, before float64) (*tt.Tensor, float64, float64, error) {
	next := new(tt.Tensor)
	var after float64
	for range 20 {
		err := next.Round(p.Embed(1, step, direction), d.rank, 0)
		if err != nil {
			return nil, 0, 0, err
		}
		if after, err = d.x.SquaredError(next); err != nil {
			return nil, 0, 0, err
		}
		if after <= before {
			break
		}
		step /= 2 // rounding took back more than the step gained
		d.mu = min(1, 10*d.mu)
	}
	return next, after, step, nil
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
