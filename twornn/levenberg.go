package twornn

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"gonum.org/v1/gonum/mat"
)

// LevenbergMarquardt refines by joint maximum likelihood: it minimises
//
//	Σ ‖y − f(x_1, …, x_k)‖²   over (h₀, A, Ω)
//
// over all outputs of all lengths at once, each output in units of its noise, by Gauss-
// Newton steps with exact derivatives and damping. It starts at the given model and ends
// at an optimum nearby, to second order in the distance: a few iterations from a spectral
// estimate. From there on the estimate is as good as any can be (it is efficient), and
// without noise exact.
//
// Lengths with more rows than the d^l unknowns enter through a factor of [X Y] that stands
// for any number of rows exactly, the others row by row, so that one pass over the data
// is all it takes and an iteration costs
//
//	O(Σ_l min(N, d^l)(d^l n p + k² p) + k³),   k = n + dn² + pn
//
// whatever N. A model is defined up to a change of basis; of the k parameters n² are thus
// free. Every iteration starts in the balanced basis, in which the states are ordered by
// what they carry, and damping keeps the steps off the directions that change nothing.
type LevenbergMarquardt struct {
	// Tol ends the descent when the next step is expected to lower the sum of squares by
	// less than this part of the variance of the noise. Zero means 1e-10: the parameters are
	// then within 1e-5 of their standard errors of the optimum.
	Tol float64
	// MaxIterations is a hard limit. Zero means 200.
	MaxIterations int
}

var _ Refiner = LevenbergMarquardt{}

// Refine implements Refiner. Outputs of lengths with d^l ≤ 512 are compressed as they
// come; sequences with outputs at greater lengths are kept. It errs if a sequence is
// unusable, the model does not fit the data, or m is not fitted.
func (o LevenbergMarquardt) Refine(ctx context.Context, m *Model, data iter.Seq[Sequence], rec Recorder) (*Model, Stats, error) {
	c, err := collector{limit: 512, all: true}.collect(until(ctx, data))
	if err != nil {
		return nil, Stats{}, err
	}
	return o.RefineCollection(ctx, m, c, rec)
}

// RefineCollection is Refine for measurements already collected.
func (o LevenbergMarquardt) RefineCollection(ctx context.Context, m *Model, c Collection, rec Recorder) (*Model, Stats, error) {
	if err := o.check(); err != nil {
		return nil, Stats{}, err
	}
	w, z, err := newCoordinates(c)
	if err != nil {
		return nil, Stats{}, err
	}
	d, p := c.dims()
	if err := m.Takes(d, p); err != nil {
		return nil, Stats{}, err
	}
	n, _, _ := m.Dims()
	q, err := newEquations(z, n)
	if err != nil {
		return nil, Stats{}, err
	}
	in := w.fromData(m)
	r := newClimb(q, in)
	if math.IsInf(r.sse, 1) {
		return nil, Stats{}, errors.New("twornn: the model's errors on the data are no finite numbers: there is no way down; start from another model")
	}
	r.run(ctx, o, rec)
	if !(r.sse < r.first) {
		return m.clone(), r.stats, nil
	}
	return w.toData(r.model()), r.stats, nil
}

func (o LevenbergMarquardt) check() error {
	if !(o.Tol >= 0) || math.IsInf(o.Tol, 0) || o.MaxIterations < 0 {
		return fmt.Errorf("twornn: LevenbergMarquardt: Tol %g and MaxIterations %d: neither may be negative; zero means the default", o.Tol, o.MaxIterations)
	}
	return nil
}

// climb is one run of Levenberg-Marquardt.
type climb struct {
	q          *equations
	theta      []float64
	sse, first float64       // at θ, at the start
	N          *mat.SymDense // JᵀJ at θ
	g          []float64     // Jᵀ(y − ŷ) at θ
	stale      bool          // θ has moved since
	stats      Stats
	hopeless   func() bool // ends a run that will not be of use
}

func (r *climb) model() *Model {
	return network{n: r.q.n, d: r.q.d, p: r.q.p, theta: r.theta}.model()
}

// rounding is the sum of squares, relative to that of the outputs, below which there is
// nothing but rounding.
const rounding = 1e-29

func newClimb(q *equations, m *Model) *climb {
	own := *q
	own.room = new(room)
	q = &own
	defer func() { q.room = nil }() // results are kept, and may be used by many
	r := &climb{q: q, theta: newNetwork(&NonLinear{Model: m}).theta}
	k := len(r.theta)
	r.N, r.g = mat.NewSymDense(k, nil), make([]float64, k)
	r.stats = Stats{N: int(q.M) / q.p, Unknowns: float64(freeParameters(q.n, q.d, q.p)), Status: IterationLimit}
	r.balance()
	r.sse = q.normal(r.theta, r.N, r.g)
	if math.IsNaN(r.sse) {
		r.sse = math.Inf(1)
	}
	r.first = r.sse
	return r
}

// run goes downhill until the goal, a limit, or ctx or rec stop it. θ is then the best.
func (r *climb) run(ctx context.Context, o LevenbergMarquardt, rec Recorder) {
	r.q.room = new(room)
	defer func() { r.q.room = nil }()
	r.descend(ctx, o, rec)
	if len(r.stats.Residuals) == 0 {
		r.stats.Residuals = append(r.stats.Residuals, relative(r.sse, r.q.energy))
	}
	r.stats.Gradient = r.offset()
}

// offset returns how far θ is from an optimum, as the gradient tells: √(gᵀ(JᵀJ)⁺g/k)/σ.
func (r *climb) offset() float64 {
	if r.sse <= max(rounding*r.q.energy, 1e-60) {
		return 0
	}
	k := len(r.theta)
	D := make([]float64, k)
	if r.stale {
		r.q.normal(r.theta, r.N, r.g)
		r.stale = false
	}
	N, g := mat.NewSymDense(k, nil), r.g
	N.CopySym(r.N)
	r.q.diagonal(D, N)
	for i := range k {
		N.SetSym(i, i, N.At(i, i)+1e-12*D[i])
	}
	var ch mat.Cholesky
	step := mat.NewVecDense(k, nil)
	if !ch.Factorize(N) || ch.SolveVecTo(step, mat.NewVecDense(k, g)) != nil && !finiteVector(step) {
		return math.Inf(1)
	}
	dof := max(r.q.M-r.stats.Unknowns, 1)
	return math.Sqrt(max(0, dot(step.RawVector().Data, g)) / float64(k) / (r.sse / dof))
}

// descend is the loop of run.
func (r *climb) descend(ctx context.Context, o LevenbergMarquardt, rec Recorder) {
	if o.Tol == 0 {
		o.Tol = 1e-10
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 200
	}
	q, k := r.q, len(r.theta)
	damped := mat.NewSymDense(k, nil)
	step, trial := mat.NewVecDense(k, nil), make([]float64, k)
	D, g := make([]float64, k), mat.NewVecDense(k, r.g)
	var ch mat.Cholesky
	dof := max(q.M-r.stats.Unknowns, 1)
	// Damping μ, relative to the mean of the diagonal of JᵀJ over h₀, A and Ω.
	mu := 1e-3
	r.stats.Status = IterationLimit
	for r.stats.Iterations < o.MaxIterations {
		q.diagonal(D, r.N)
		accepted := false
		for !accepted && mu < 1e12 {
			if ctx.Err() != nil {
				r.stats.Status = Stopped
				return
			}
			damped.CopySym(r.N)
			for i := range k {
				damped.SetSym(i, i, damped.At(i, i)+mu*D[i])
			}
			if !ch.Factorize(damped) {
				mu = max(10*mu, 1e-12) // rounding made it indefinite
				continue
			}
			if err := ch.SolveVecTo(step, g); err != nil && !finiteVector(step) {
				mu = max(10*mu, 1e-12)
				continue
			}
			// By the linear model of ŷ the step δ lowers the sum by gᵀδ + μ δᵀDδ.
			s := step.RawVector().Data
			predicted := dot(s, r.g)
			for i, v := range s {
				predicted += mu * D[i] * v * v
			}
			if !(predicted > o.Tol*r.sse/dof) {
				r.stats.Status = Converged
				return
			}
			for i, v := range s {
				trial[i] = r.theta[i] + v
			}
			now := q.sse(trial)
			gain := (r.sse - now) / predicted
			switch {
			case gain > 0.9:
				mu /= 10
			case gain > 0.5:
				mu /= 3
			case !(gain > 0.25):
				mu *= 4
			}
			mu = max(mu, 1e-13) // for the n² directions in which JᵀJ is singular
			if accepted = gain > 1e-4; accepted {
				copy(r.theta, trial)
				r.sse, r.stale = now, true
			}
		}
		if !accepted {
			r.stats.Status = Converged // no step lowers the sum: a minimum, up to rounding
			return
		}
		r.stats.Iterations++
		residual := relative(r.sse, q.energy)
		r.stats.Residuals = append(r.stats.Residuals, residual)
		if rec != nil && rec.Record(Progress{"refine", 0, r.stats.Iterations, residual}) != nil {
			r.stats.Status = Stopped
			return
		}
		if r.sse <= max(rounding*q.energy, 1e-60) {
			r.stats.Status = Converged
			return
		}
		if r.hopeless != nil && r.hopeless() {
			return
		}
		r.balance()
		r.sse, r.stale = q.normal(r.theta, r.N, r.g), false
	}
}

// crawls reports whether the last iterations lowered the sum of squares by less than gain.
func (r *climb) crawls(last int, gain float64) bool {
	res := r.stats.Residuals
	n := len(res)
	if n <= last {
		return false
	}
	before := res[n-1-last]
	return (before*before-res[n-1]*res[n-1])*r.q.energy < gain
}

// balance brings θ to the balanced basis, unless a state carries so little that the
// change would cost digits.
func (r *climb) balance() {
	b, s := r.model().balanced(r.q.n, balanceSteps)
	if len(s) < r.q.n || !(s[r.q.n-1] >= 1e-7*s[0]) {
		return
	}
	copy(r.theta, newNetwork(&NonLinear{Model: b}).theta)
}

// balanceSteps is the length of the words over which states are weighed: half of those
// that are usually measured.
const balanceSteps = 2

// diagonal sets D to the mean of the diagonal of N over the entries of h₀, A and Ω each.
func (q *equations) diagonal(D []float64, N *mat.SymDense) {
	a := q.n + q.d*q.n*q.n
	for _, r := range [][2]int{{0, q.n}, {q.n, a}, {a, len(D)}} {
		s := 0.0
		for i := r[0]; i < r[1]; i++ {
			s += N.At(i, i)
		}
		for i := r[0]; i < r[1]; i++ {
			D[i] = s / float64(r[1]-r[0])
		}
	}
}

// freeParameters returns how many of the parameters of a 2-RNN with n states are free:
// n(dn+p+1) less the n² of a change of basis.
func freeParameters(n, d, p int) int { return n*(d*n+p+1) - n*n }

func finiteVector(v *mat.VecDense) bool {
	for _, x := range v.RawVector().Data {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}
