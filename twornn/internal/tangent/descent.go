package tangent

import (
	"context"
	"math"

	"github.com/twornn/spectral/twornn/internal/als"
	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
)

// gradientSteps is how many steps go by conjugate gradients before Newton's begin: they
// find the valley, which is left to the gradient alone to choose, and where few are
// needed there are no others.
const gradientSteps = 12

// Descend minimises ‖Y − XH‖² over the tensors of rank at most R: it goes along
// tangents and rounds back after each step. To first order this is the thresholded
// gradient step of the paper, since what the gradient has off the tangent space is
// rounded away; on it, the length of the step is exact and directions can be
// conjugate (Kressner, Steinlechner and Vandereycken 2014). Where the design is small
// the later steps go to the least of the tangent space (Gauss-Newton). It returns nil
// where the gradient at zero is zero.
func Descend(ctx context.Context, x Design, r *Run, rank int) (*tt.Tensor, error) {
	// The first step, from zero.
	h, err := x.Start(rank)
	if err != nil || h == nil {
		return nil, err
	}
	first, err := x.SquaredError(h)
	if err != nil {
		return nil, err
	}
	d := &descent{x: x, rank: rank, run: r, h: h, mu: 1e-4}
	if r.told(linalg.Relative(first, r.Energy)) {
		return h, nil
	}
	for r.Iterations < r.MaxIterations {
		if ctx.Err() != nil {
			r.Status = als.Stopped
			return d.h, nil
		}
		next, err := d.step(r.Iterations >= gradientSteps)
		if err != nil {
			return nil, err
		}
		if next != another {
			return d.h, nil
		}
	}
	r.Status = als.Limit
	return d.h, nil
}

// descent is one run of Descend.
type descent struct {
	x      Design
	rank   int
	run    *Run
	h      *tt.Tensor // the best so far
	at     *tt.Point  // where the step before began; nil before the first
	before tt.Tangent // its direction
	gg     float64    // ‖gradient‖² there
	mu     float64    // damping of Newton's steps
}

// verdict is what follows a step.
type verdict int

const (
	another verdict = iota
	arrived         // nothing is left to gain
	halted          // by the report
)

// step goes one step, by the whole tangent space if newton allows it.
func (d *descent) step(newton bool) (verdict, error) {
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
	if d.run.told(linalg.Relative(after, d.run.Energy)) {
		return halted, nil
	}
	if step*direction.Norm() <= d.run.Tol*d.h.Norm() {
		return arrived, nil
	}
	// Newton's steps gain ever less. One that gained a hundredth of the variance of the
	// noise has moved all coordinates together by a tenth of a standard error.
	if leap && d.run.Noise > 0 && step*slope <= 1e-2*after/d.run.Noise {
		return arrived, nil
	}
	return another, nil
}

// direction returns where to go from p: to the least of the tangent space, which is a leap,
// or else along a conjugate gradient.
func (d *descent) direction(p *tt.Point, g tt.Tangent, size float64, newton bool) (_ tt.Tangent, leap bool) {
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
func (d *descent) along(p *tt.Point, direction tt.Tangent, step, before float64) (*tt.Tensor, float64, float64, error) {
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
