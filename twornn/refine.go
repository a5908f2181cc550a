package twornn

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/adam"
	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/lsq"
	"github.com/twornn/spectral/twornn/internal/moments"
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
// unusable, the model does not fit the data, m is not fitted, or has so many parameters that their
// normal equations take more than 4 GB.
func (o LevenbergMarquardt) Refine(ctx context.Context, m *Model, data iter.Seq[Sequence], rec Recorder) (*Model, Stats, error) {
	return refining(ctx, rec, func(rec Recorder) (*Model, Stats, error) {
		c, err := collect(until(ctx, data), moments.Plan{Limit: 512, All: true})
		if err != nil {
			return nil, Stats{}, err
		}
		return o.refine(ctx, m, c, rec)
	})
}

// RefineCollection is Refine for measurements already collected.
func (o LevenbergMarquardt) RefineCollection(ctx context.Context, m *Model, c Collection, rec Recorder) (*Model, Stats, error) {
	set := c.set()
	return refining(ctx, rec, func(rec Recorder) (*Model, Stats, error) { return o.refine(ctx, m, set, rec) })
}

// refine is RefineCollection.
func (o LevenbergMarquardt) refine(ctx context.Context, m *Model, c moments.Set, rec Recorder) (*Model, Stats, error) {
	if err := o.check(); err != nil {
		return nil, Stats{}, err
	}
	w, z, err := newCoordinates(c, standard)
	if err != nil {
		return nil, Stats{}, err
	}
	d, p := c.Dims()
	if err := m.starts(d, p); err != nil {
		return nil, Stats{}, err
	}
	n, _, _ := m.Dims()
	if err := (Options{}).checkStates(n, d, p, giveModel); err != nil {
		return nil, Stats{}, err
	}
	q, err := lsq.NewEquations(z, n)
	if err != nil {
		return nil, Stats{}, err
	}
	q.Stop = func() bool { return ctx.Err() != nil }
	in := w.fromData(m)
	r := newClimb(q, in)
	if math.IsInf(r.SSE, 1) && ctx.Err() == nil {
		return nil, Stats{}, errNoWayDown
	}
	r.run(ctx, o, rec, nil)
	if !(r.SSE < r.First) {
		return m.clone(), r.stats(), nil
	}
	return w.toData(r.model()), r.stats(), nil
}

func (o LevenbergMarquardt) check() error {
	if !(o.Tol >= 0) || math.IsInf(o.Tol, 0) || o.MaxIterations < 0 {
		return fmt.Errorf("twornn: LevenbergMarquardt: Tol %g and MaxIterations %d: neither may be negative; zero means the default", o.Tol, o.MaxIterations)
	}
	return nil
}

// errNoWayDown is the error of a model that no descent can start from.
var errNoWayDown = errors.New("twornn: the model's errors on the data are no finite numbers: there is no way down; start from another model")

// climb is one run of Levenberg-Marquardt on the equations of a 2-RNN.
type climb struct {
	*lsq.Descent
	q *lsq.Equations // with the number of states of this run
}

func newClimb(q *lsq.Equations, m *Model) *climb {
	own := *q
	return &climb{lsq.NewDescent(&own, lsq.Theta((*lsq.Net)(m)), q.Energy, q.M-float64(q.Free())), &own}
}

// model returns the best parameters so far as a model.
func (r *climb) model() *Model { return (*Model)(r.q.Net(r.Theta)) }

// run goes downhill until the goal, a limit, or ctx or rec stop it. hopeless, if not nil,
// ends a run that will not be of use.
func (r *climb) run(ctx context.Context, o LevenbergMarquardt, rec Recorder, hopeless func() bool) {
	limits := lsq.Limits{Tol: o.Tol, Iterations: o.MaxIterations, Hopeless: hopeless}
	if o.Tol == 0 {
		limits.Tol = 1e-10
	}
	if o.MaxIterations == 0 {
		limits.Iterations = 200
	}
	if rec != nil {
		limits.Report = func(i int, residual float64) error { return rec.Record(Progress{"refine", 0, i, residual}) }
	}
	r.Run(ctx, limits)
}

// stats tells how the runs went.
func (r *climb) stats() Stats {
	return Stats{
		Status: statusOf(r.Status), Iterations: r.Iterations, Residuals: r.Residuals,
		N: int(r.q.M) / r.q.P, Unknowns: float64(r.q.Free()), Gradient: r.Distance(),
	}
}

// statusOf returns the status of a descent.
func statusOf(s lsq.Status) Status {
	switch s {
	case lsq.Converged:
		return Converged
	case lsq.Stopped:
		return Stopped
	}
	return IterationLimit
}

// freeParameters returns how many of the parameters of a 2-RNN with n states are free:
// n(dn+p+1) less the n² of a change of basis.
func freeParameters(n, d, p int) int { return lsq.Shape{N: n, D: d, P: p}.Free() }

// adequate reports whether what the model leaves is no more than noise.
func (r *climb) adequate(by policy) bool {
	return r.exact() || r.q.LackOfFit(r.SSE) < by.Misfit
}

// exact reports whether the model leaves nothing but rounding.
func (r *climb) exact() bool { return r.SSE <= max(1e-20*r.q.Spread, 1e-28*r.q.Energy) }

// errCovariance is the error of a fit at whose optimum JᵀJ cannot be inverted.
var errCovariance = errors.New("twornn: the covariance of the parameters cannot be worked out; lower the rank")

// covariance returns the variance of gᵀθ for noise of a variance; see covarianceOf.
func (r *climb) covariance(K *mat.SymDense) (func(g []float64, noise float64) float64, error) {
	k := len(r.Theta)
	N, D := mat.NewSymDense(k, nil), make([]float64, k)
	r.q.Normal(r.Theta, N, make([]float64, k))
	r.q.Damping(D, N)
	return covarianceOf(N, D, K)
}

// covarianceOf returns the variance of gᵀθ for noise of a variance: that times gᵀN⁺g, N being
// JᵀJ; or gᵀN⁺KN⁺g, whatever the noise, if there is a K of sums by target (see byTarget).
// Along the n² directions that change no output N is singular. Outputs have no derivative
// there, so that a little of D on the diagonal does no harm; a nil D is the diagonal of N.
func covarianceOf(N *mat.SymDense, D []float64, K *mat.SymDense) (func(g []float64, noise float64) float64, error) {
	k := N.SymmetricDim()
	if D == nil {
		D = make([]float64, k)
		for i := range D {
			D[i] = N.At(i, i)
		}
	}
	for mu := 1e-13; mu <= 1e-6; mu *= 10 {
		for i := range k {
			N.SetSym(i, i, N.At(i, i)+mu*D[i])
		}
		var ch mat.Cholesky
		if !ch.Factorize(N) {
			continue
		}
		return func(g []float64, noise float64) float64 {
			row, v := mat.NewVecDense(k, g), mat.NewVecDense(k, nil)
			if err := ch.SolveVecTo(v, row); err != nil && !linalg.FiniteVector(v) {
				return math.Inf(1)
			}
			if K != nil {
				return mat.Inner(v, K, v)
			}
			return max(0, mat.Dot(v, row)) * noise
		}, nil
	}
	return nil, errCovariance
}

// Adam refines by stochastic gradient descent on the squared error of all outputs
// that the data give, with exact gradients through all steps (Section 5: TIHT+SGD).
// A fifth of the sequences of each length is held out; the parameters that err least
// on those are returned, the given ones included. An epoch costs O(d n²) a step.
type Adam struct {
	// Rate is the learning rate. Zero means 0.001, the paper's.
	Rate float64
	// Batch is the number of sequences of a mini-batch. Zero means 100.
	Batch int
	// Epochs is a hard limit of passes over the data. Zero means 1000.
	Epochs int
	// Patience ends the descent after that many epochs without a smaller error on the
	// sequences held out. Zero means 100.
	Patience int
	// Seed shuffles the sequences. The same seed gives the same model.
	Seed uint64
}

var _ Refiner = Adam{}

// Refine implements Refiner. It errs if a sequence is unusable, the model does not fit
// the data, or m is not fitted.
func (o Adam) Refine(ctx context.Context, m *Model, data iter.Seq[Sequence], rec Recorder) (*Model, Stats, error) {
	r, st, err := o.RefineNonLinear(ctx, &NonLinear{Model: m}, data, rec)
	if err != nil {
		return nil, st, err
	}
	return r.Model, st, nil
}

// RefineNonLinear is Refine for a 2-RNN with non-linear states.
func (o Adam) RefineNonLinear(ctx context.Context, m *NonLinear, data iter.Seq[Sequence], rec Recorder) (*NonLinear, Stats, error) {
	return refining(ctx, rec, func(rec Recorder) (*NonLinear, Stats, error) {
		g, err := o.newDescent(ctx, m, data)
		if err != nil {
			return nil, Stats{}, err
		}
		st := g.run(ctx, rec)
		return &NonLinear{g.model(), m.Activation}, st, nil
	})
}

// LowerSlope starts at a linear 2-RNN, which is one with leaky ReLU states of slope 1,
// and lowers the slope step by step, refining at each (Section 6). It returns the
// non-linear network of the last slope, which may fit worse than the linear one did: it
// is another kind of function. slopes nil means 0.9, 0.8, …, 0.1; each must lie from 0
// to 1. Stats count the iterations and hold the residuals of all steps, with the status
// of the last.
func (o Adam) LowerSlope(ctx context.Context, m *Model, data iter.Seq[Sequence], slopes []float64, rec Recorder) (*NonLinear, Stats, error) {
	if slopes == nil {
		for k := 9; k >= 1; k-- {
			slopes = append(slopes, float64(k)/10)
		}
	}
	for _, s := range slopes {
		if !(s >= 0 && s <= 1) {
			return nil, Stats{}, fmt.Errorf("twornn: slope %g is not from 0 to 1", s)
		}
	}
	at := &NonLinear{m, Activation{LeakyReLU, 1}}
	var all []float64
	var st Stats
	for _, s := range slopes {
		var err error
		at, st, err = o.RefineNonLinear(ctx, &NonLinear{at.Model, Activation{LeakyReLU, s}}, data, rec)
		if err != nil {
			return nil, st, err
		}
		if all = append(all, st.Residuals...); st.Status == Stopped {
			break
		}
	}
	st.Residuals, st.Iterations = all, len(all)
	return at, st, nil
}

// descent is one run of Adam.
type descent struct {
	o           Adam
	net         lsq.Network
	train, held []moments.Example
	best        []float64
}

func (o Adam) newDescent(ctx context.Context, m *NonLinear, data iter.Seq[Sequence]) (*descent, error) {
	if o.Rate < 0 || math.IsNaN(o.Rate) || o.Batch < 0 || o.Epochs < 0 || o.Patience < 0 {
		return nil, fmt.Errorf("twornn: Adam: rate %g, batch %d, epochs %d, patience %d: none may be negative; zero means the default", o.Rate, o.Batch, o.Epochs, o.Patience)
	}
	if o.Rate == 0 {
		o.Rate = 0.001
	}
	for v, def := range map[*int]int{&o.Batch: 100, &o.Epochs: 1000, &o.Patience: 100} {
		if *v == 0 {
			*v = def
		}
	}
	if m == nil {
		return nil, (*Model)(nil).fitted()
	}
	if err := m.Model.fitted(); err != nil {
		return nil, err
	}
	if math.IsNaN(m.Activation.Slope) || math.IsInf(m.Activation.Slope, 0) {
		return nil, fmt.Errorf("twornn: the slope of the activation is %v; give a number", m.Activation.Slope)
	}
	g := &descent{o: o, net: newNetwork(m)}
	var check checker
	seen := map[int]int{} // sequences of each length
	for s := range until(ctx, data) {
		if err := check.next(s); err != nil {
			return nil, err
		}
		if err := m.Model.starts(check.d, check.p); err != nil {
			return nil, err
		}
		e, k := s.example().Clone(), s.Len() // a source may use its matrices again
		if moments.HeldOut(seen[k]) {
			g.held = append(g.held, e)
		} else {
			g.train = append(g.train, e)
		}
		seen[k]++
	}
	if check.n == 0 {
		return nil, errors.New("twornn: the data hold no sequence; give one at the least")
	}
	if len(g.held) == 0 {
		g.held = g.train // so few that all must judge
	}
	g.best = slices.Clone(g.net.Theta)
	return g, nil
}

// model returns the best parameters as a model.
func (g *descent) model() *Model {
	copy(g.net.Theta, g.best)
	return (*Model)(g.net.Net(g.net.Theta))
}

func (g *descent) run(ctx context.Context, rec Recorder) Stats {
	st := Stats{N: len(g.train) + len(g.held), Unknowns: float64(len(g.net.Theta)), Status: IterationLimit}
	rnd := rand.New(rand.NewPCG(g.o.Seed, 3))
	step := adam.New(g.o.Rate, len(g.net.Theta))
	grad := make([]float64, len(g.net.Theta))
	var energy float64
	for _, s := range g.held {
		energy += linalg.Squared(s.Y)
	}
	least := g.net.Loss(g.held, nil)
	order := slices.Clone(g.train)
	for epoch, last := 1, 0; epoch <= g.o.Epochs; epoch++ {
		rnd.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for batch := range slices.Chunk(order, g.o.Batch) {
			if ctx.Err() != nil {
				st.Status = Stopped
				return st
			}
			outputs := 0
			for _, s := range batch {
				rows, p := s.Y.Dims()
				outputs += rows * p
			}
			clear(grad)
			g.net.Loss(batch, grad)
			for i := range grad {
				grad[i] /= float64(outputs)
			}
			if n := linalg.Norm(grad); math.IsNaN(n) || math.IsInf(n, 0) {
				return st // the parameters ran away; the best are kept
			}
			step.Step(g.net.Theta, grad)
		}
		now := g.net.Loss(g.held, nil)
		st.Iterations++
		st.Residuals = append(st.Residuals, linalg.Relative(now, energy))
		if now < least {
			least, last = now, epoch
			copy(g.best, g.net.Theta)
		}
		if stops(rec, Progress{"refine", 0, epoch, linalg.Relative(now, energy)}) {
			st.Status = Stopped
			return st
		}
		if epoch-last >= g.o.Patience {
			st.Status = Converged
			return st
		}
	}
	return st
}

// newNetwork returns m as gradient descent sees it.
func newNetwork(m *NonLinear) lsq.Network {
	net := (*lsq.Net)(m.Model)
	return lsq.Network{Shape: lsq.ShapeOf(net), Theta: lsq.Theta(net), Of: m.Activation.of, Slope: m.Activation.slope}
}
