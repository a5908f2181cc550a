package twornn

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"gonum.org/v1/gonum/mat"

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
// unusable, the model does not fit the data, or m is not fitted.
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
	if err := m.Takes(d, p); err != nil {
		return nil, Stats{}, err
	}
	n, _, _ := m.Dims()
	q, err := lsq.NewEquations(z, n)
	if err != nil {
		return nil, Stats{}, err
	}
	q.Stop = func() bool { return ctx.Err() != nil }
	in := w.fromData(m)
	r := newClimb(q, in)
	if math.IsInf(r.SSE, 1) && ctx.Err() == nil {
		return nil, Stats{}, errors.New("twornn: the model's errors on the data are no finite numbers: there is no way down; start from another model")
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
	status := map[lsq.Status]Status{lsq.Unfinished: IterationLimit, lsq.Converged: Converged, lsq.Stopped: Stopped}[r.Status]
	return Stats{
		Status: status, Iterations: r.Iterations, Residuals: r.Residuals,
		N: int(r.q.M) / r.q.P, Unknowns: float64(r.q.Free()), Gradient: r.Distance,
	}
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
