package lsq

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// Problem is a sum of squares ‖y − ŷ(θ)‖² over k parameters θ.
type Problem interface {
	// Dim returns k.
	Dim() int
	// SSE returns the sum of squares at θ.
	SSE(theta []float64) float64
	// Normal sets N to JᵀJ, J being the derivatives of ŷ at θ, and g to Jᵀ(y − ŷ), and
	// returns the sum of squares. A prior adds its own rows to both.
	Normal(theta []float64, N *mat.SymDense, g []float64) (sse float64)
}

// Damper is a Problem that says how its parameters compare: Damping sets D to what damping
// of weight one adds to the diagonal of N = JᵀJ. For any other D is that diagonal.
type Damper interface {
	Damping(D []float64, N *mat.SymDense)
}

// Rebaser is a Problem that θ may describe in many ways: Rebase moves it to the one in which
// steps are best taken, without a change of ŷ.
type Rebaser interface {
	Rebase(theta []float64)
}

// Projector is a Problem with a bound on θ: Project moves one that is beyond it back.
type Projector interface {
	Project(theta []float64)
}

// Opener is a Problem that keeps memory to work in from Open to Close.
type Opener interface {
	Open()
	Close()
}

// Limits says when a descent ends.
type Limits struct {
	// Tol: when a step is expected to lower the sum of squares by no more than this part of
	// the variance of the noise.
	Tol float64
	// Iterations is the most of them, over all runs of the descent.
	Iterations int
	// Report, if not nil, is told of each iteration, from 1, and the relative residual
	// √(SSE/energy). An error stops the run.
	Report func(iteration int, residual float64) error
	// Hopeless, if not nil, is asked after each iteration whether to give up.
	Hopeless func() bool
}

// Status says why a run ended.
type Status int

const (
	Unfinished Status = iota // at the limit of iterations, or given up
	Converged
	Stopped
)

// Descent is Levenberg-Marquardt on a Problem: Gauss-Newton steps with damping.
type Descent struct {
	Theta      []float64
	SSE, First float64 // the sum of squares at θ, and at the start
	Status     Status
	Iterations int
	Residuals  []float64 // √(SSE/energy) after each iteration

	problem     Problem
	energy, dof float64
	N           *mat.SymDense // JᵀJ at θ
	g           []float64     // Jᵀ(y − ŷ) at θ
	stale       bool          // θ has moved since
	stopped     bool          // the last run was, by its context
}

// rounding is the sum of squares, relative to that of the outputs, below which there is
// nothing but rounding.
const rounding = 1e-29

// NewDescent returns the descent of p from theta, which it takes over. energy is Σ y² and
// dof the outputs less the free parameters.
func NewDescent(p Problem, theta []float64, energy, dof float64) *Descent {
	k := len(theta)
	r := &Descent{Theta: theta, problem: p, energy: energy, dof: max(dof, 1), N: mat.NewSymDense(k, nil), g: make([]float64, k)}
	if o, ok := p.(Opener); ok {
		o.Open()
		defer o.Close()
	}
	r.rebase()
	r.SSE = p.Normal(r.Theta, r.N, r.g)
	if math.IsNaN(r.SSE) {
		r.SSE = math.Inf(1)
	}
	r.First = r.SSE
	return r
}

// Run goes downhill until a limit or ctx ends it. θ is then the best so far.
func (r *Descent) Run(ctx context.Context, o Limits) {
	if p, ok := r.problem.(Opener); ok {
		p.Open()
		defer p.Close()
	}
	r.descend(ctx, o)
	if len(r.Residuals) == 0 {
		r.Residuals = append(r.Residuals, linalg.Relative(r.SSE, r.energy))
	}
	r.stopped = ctx.Err() != nil
}

// descend is the loop of Run.
func (r *Descent) descend(ctx context.Context, o Limits) {
	s := newStepper(len(r.Theta))
	r.Status = Unfinished
	for r.Iterations < o.Iterations {
		if !r.normal(ctx) {
			r.Status = Stopped
			return
		}
		r.damping(s.D, r.N)
		if !r.advance(ctx, s, o.Tol) {
			return
		}
		r.Iterations++
		residual := linalg.Relative(r.SSE, r.energy)
		r.Residuals = append(r.Residuals, residual)
		if o.Report != nil && o.Report(r.Iterations, residual) != nil {
			r.Status = Stopped
			return
		}
		if r.exact() {
			r.Status = Converged
			return
		}
		if o.Hopeless != nil && o.Hopeless() {
			return
		}
		r.rebase()
	}
}

// normal works out the normal equations where θ has moved since they were. It returns false if the sums may have
// been broken off: what is known stays.
func (r *Descent) normal(ctx context.Context) bool {
	if !r.stale {
		return true
	}
	sse := r.problem.Normal(r.Theta, r.N, r.g)
	if ctx.Err() != nil {
		return false
	}
	r.SSE, r.stale = sse, false
	return true
}

// advance takes one step that lowers the sum of squares. If there is none it says why in
// the status, and returns false.
func (r *Descent) advance(ctx context.Context, s *stepper, tol float64) bool {
	for s.mu < 1e12 {
		if ctx.Err() != nil {
			r.Status = Stopped
			return false
		}
		predicted, ok := s.solve(r.N, r.g)
		if !ok {
			s.mu = max(10*s.mu, 1e-12)
			continue
		}
		if !(predicted > tol*r.SSE/r.dof) {
			r.Status = Converged
			return false
		}
		for i, v := range s.step.RawMatrix().Data {
			s.trial[i] = r.Theta[i] + v
		}
		if p, ok := r.problem.(Projector); ok {
			p.Project(s.trial)
		}
		now := r.problem.SSE(s.trial)
		if ctx.Err() != nil {
			r.Status = Stopped
			return false
		}
		gain := (r.SSE - now) / predicted
		s.adapt(gain)
		if gain > 1e-4 {
			copy(r.Theta, s.trial)
			r.SSE, r.stale = now, true
			return true
		}
	}
	r.Status = Converged // no step lowers the sum: a minimum, up to rounding
	return false
}

// stepper works out damped steps.
type stepper struct {
	mu     float64   // damping, in units of D
	D      []float64 // what damping of weight one adds to the diagonal
	damped *mat.SymDense
	step   *mat.Dense // k×1
	trial  []float64
}

func newStepper(k int) *stepper {
	return &stepper{mu: 1e-3, D: make([]float64, k), damped: mat.NewSymDense(k, nil), step: mat.NewDense(k, 1, nil), trial: make([]float64, k)}
}

// solve sets step to (N + μD)⁻¹g and returns by how much the linear model of ŷ says that it
// lowers the sum of squares, gᵀδ + μ δᵀDδ; false if rounding made the matrix indefinite.
func (s *stepper) solve(N *mat.SymDense, g []float64) (predicted float64, ok bool) {
	s.damped.CopySym(N)
	for i, d := range s.D {
		s.damped.SetSym(i, i, s.damped.At(i, i)+s.mu*d)
	}
	step := s.step.RawMatrix().Data
	copy(step, g)
	R, ok := linalg.Cholesky(s.damped)
	if !ok || !linalg.SolveCholesky(R, s.step) {
		return 0, false
	}
	predicted = linalg.Dot(step, g)
	for i, v := range step {
		predicted += s.mu * s.D[i] * v * v
	}
	return predicted, true
}

// adapt changes the damping by the gain of a step, over the one predicted.
func (s *stepper) adapt(gain float64) {
	switch {
	case gain > 0.9:
		s.mu /= 10
	case gain > 0.5:
		s.mu /= 3
	case !(gain > 0.25):
		s.mu *= 4
	}
	s.mu = max(s.mu, 1e-13) // for the directions in which JᵀJ is singular
}

// exact reports whether nothing but rounding is left.
func (r *Descent) exact() bool { return r.SSE <= max(rounding*r.energy, 1e-60) }

// Distance returns how far θ is from an optimum, as the gradient there tells: in standard errors,
// √(gᵀ(JᵀJ)⁺g/k)/σ; infinite after a run that its context stopped. It may cost a pass for the normal equations.
func (r *Descent) Distance() float64 {
	if r.stopped {
		return math.Inf(1)
	}
	if r.exact() {
		return 0
	}
	if p, ok := r.problem.(Opener); ok {
		p.Open()
		defer p.Close()
	}
	before := r.SSE
	if r.normal(context.Background()); math.IsInf(r.SSE, 1) { // the pass was broken off
		r.SSE, r.stale = before, true
		return math.Inf(1)
	}
	s := newStepper(len(r.Theta))
	s.mu = 1e-12
	r.damping(s.D, r.N)
	if _, ok := s.solve(r.N, r.g); !ok {
		return math.Inf(1)
	}
	return math.Sqrt(max(0, linalg.Dot(s.step.RawMatrix().Data, r.g)) / float64(len(r.Theta)) / (r.SSE / r.dof))
}

// damping sets D to what damping of weight one adds to the diagonal of N.
func (r *Descent) damping(D []float64, N *mat.SymDense) {
	if p, ok := r.problem.(Damper); ok {
		p.Damping(D, N)
		return
	}
	mean := mat.Trace(N) / float64(len(D))
	for i := range D {
		D[i] = max(N.At(i, i), 1e-12*mean) // so that one that changes nothing stays where it is
	}
}

func (r *Descent) rebase() {
	if p, ok := r.problem.(Rebaser); ok {
		p.Rebase(r.Theta)
	}
}

// Crawls reports whether the last iterations lowered the sum of squares by less than gain.
func (r *Descent) Crawls(last int, gain float64) bool {
	n := len(r.Residuals)
	if n <= last {
		return false
	}
	before, now := r.Residuals[n-1-last], r.Residuals[n-1]
	return (before*before-now*now)*r.energy < gain
}
