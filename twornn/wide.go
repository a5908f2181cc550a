package twornn

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/lsq"
	"github.com/twornn/spectral/twornn/internal/moments"
	"github.com/twornn/spectral/twornn/internal/phrase"
	"github.com/twornn/spectral/twornn/internal/wide"
)

// wideFit fits sequences of so many inputs that d³ numbers are too many, if they have outputs
// after one, two and three steps: it starts from these, and goes along the sequences as they
// came (see package wide).
type wideFit struct {
	coordinates
	kept  *moments.Kept
	set   moments.Set
	short *wide.Data // all outputs, for the start
	data  *wide.Data // each target once, where most is known of what came before
	o     Options
	by    policy
	sofar func(*Result) // is told what there is so far; nil: nobody
}

// newWideFit returns the fit, nil where the data are not wide.
func newWideFit(c moments.Set, o Options, by policy) (*wideFit, error) {
	d, p := c.Dims()
	k := c.Kept()
	if k == nil || p == 0 || !k.Wide(d) {
		return nil, nil
	}
	if err := o.checkRows(k, d, p); err != nil {
		return nil, err
	}
	M, steps := mat.NewSymDense(d, nil), 0.0
	for _, r := range k.Runs {
		n := len(r.X) / d
		if n == 0 {
			continue
		}
		x := mat.NewDense(n, d, r.X)
		var xx mat.SymDense
		xx.SymOuterK(1, x.T())
		M.AddSym(M, &xx)
		steps += float64(n)
	}
	M.ScaleSym(1/steps, M)
	w, err := moments.Whiten(M)
	if err != nil {
		return nil, err
	}
	_, scale := k.OutputMoments(p)
	f := &wideFit{coordinates: coordinates{w.W, w.T, scale}, kept: k, set: c, o: o, by: by}
	f.read()
	return f, nil
}

// read brings the examples to the coordinates.
func (f *wideFit) read() {
	r, _ := f.dims()
	p := len(f.scale)
	f.short, f.data = &wide.Data{D: r, P: p}, &wide.Data{D: r, P: p}
	for _, run := range f.kept.Runs {
		q := lsq.Run{X: mapped(run.X, f.W), At: run.At, Y: make([]float64, len(run.Y))}
		for i, y := range run.Y {
			q.Y[i] = y * f.scale[i%p]
		}
		f.short.Add(q)
		q.At, q.Y = q.At[run.Fresh:], q.Y[run.Fresh*p:]
		f.data.Add(q)
	}
}

// fit returns the best 2-RNN as a result.
func (f *wideFit) fit(ctx context.Context) (*Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	ctx, w := watch(ctx, f.o.Recorder)
	defer w.cancel()
	s := f.search(w.report)
	if f.sofar != nil && ctx.Done() != nil {
		s.Found = func() {
			r := f.result(s)
			r.warn(NotConverged, "%s", stoppedEarly)
			r.joined = nil // of parameters that go on
			f.sofar(r)
		}
	}
	if s.Run(ctx, f.short, f.o.Rank); s.Best == nil {
		if err := ctx.Err(); err != nil && !w.halted {
			return nil, err
		}
		return nil, f.tellNothing()
	}
	f.reweigh(s.Best)
	s.Polish(ctx, s.Best, f.data)
	r := f.result(s)
	if ctx.Err() != nil || s.Best.Ended == lsq.Stopped {
		r.warn(NotConverged, "%s", stoppedEarly)
	} else if s.Best.Ended != lsq.Converged {
		r.warn(NotConverged, "the joint fit reached its limit of %s; give fewer inputs or more data, or go on from this model with Adam.Refine", phrase.Count(s.Best.Iterations, "iteration"))
	}
	return r, nil
}

const stoppedEarly = "stopped before every rank was tried; the model is the best so far: allow more time, or name a rank"

// search returns one of nothing yet.
func (f *wideFit) search(report func(residual float64) error) *wide.Search {
	return wide.NewSearch(f.data, f.by.wide, report)
}

// tellNothing is the error where there is no start.
func (f *wideFit) tellNothing() error {
	return fmt.Errorf("twornn: nothing could be fitted to %s of %s: the outputs after one, two and three steps tell no state; give more data or fewer inputs", phrase.Count(f.kept.N, "sequence"), phrase.Count(f.set[1].D, "input"))
}

// starts is Start.
func (f *wideFit) starts(context.Context) (out []Candidate, err error) {
	for _, s := range f.search(nil).Starts(f.short, f.o.Rank) {
		out = append(out, f.account(s, "spectral"))
	}
	if len(out) == 0 {
		return nil, f.tellNothing()
	}
	return out, nil
}

// likelihood is Likelihood, along the sequences.
func (f *wideFit) likelihood(ctx context.Context, m *Model) (Candidate, error) {
	ctx, w := watch(ctx, f.o.Recorder)
	defer w.cancel()
	s := f.search(w.report)
	best := s.Descend(ctx, lsq.Theta((*lsq.Net)(f.fromData(m))), m.states())
	if best == nil {
		return Candidate{}, errNoWayDown
	}
	f.reweigh(best)
	s.Polish(ctx, best, f.data)
	return f.account(best, "given"), nil
}

// account returns what a model is in the units of the data.
func (f *wideFit) account(s *wide.Fitted, start string) Candidate {
	m := f.model(s)
	mse, _ := meanSquaresOf(f.kept, m)
	return Candidate{Model: m, L: 1, Rank: s.N, Start: start, MSE: mse, Parameters: s.Free(),
		Criterion: s.Criterion, Status: statusOf(s.Ended), Growth: f.growth(m)}
}

// reweigh brings the outputs to one size of noise, and the model with them.
func (f *wideFit) reweigh(best *wide.Fitted) {
	noise := best.Noise(f.data)
	largest := floats.Max(noise)
	if math.Sqrt(largest) < f.by.NoNoise {
		return
	}
	_, _, Omega := best.Parts(best.Theta)
	for o, v := range noise {
		by := 1 / max(math.Sqrt(v), f.by.LeastNoise)
		f.scale[o] *= by
		floats.Scale(by, Omega.Data[o*best.N:(o+1)*best.N])
		for _, run := range f.short.Runs { // data has parts of the same rows
			for i := o; i < len(run.Y); i += len(noise) {
				run.Y[i] *= by
			}
		}
	}
}

// model returns a fitted one in the units of the data.
func (f *wideFit) model(s *wide.Fitted) *Model {
	return f.toData((*Model)(s.Net(s.Theta)))
}

// growth is that of the model, as Candidate.Growth says.
func (f *wideFit) growth(m *Model) float64 { return growthOf(m, f.set) }

// result says what was found.
func (f *wideFit) result(s *wide.Search) *Result {
	best := s.Best
	M := float64(f.data.M)
	r := &Result{
		Model: f.model(best), L: 1, Rank: best.N, Basis: UpToLength, SingularValues: s.Values, N: f.kept.N,
		Refinement: Stats{Status: statusOf(best.Ended), Iterations: best.Iterations, N: f.data.M / f.data.P,
			Unknowns: float64(best.Free()), Residuals: []float64{math.Sqrt(best.SSE / M)}},
	}
	r.Lengths, _ = f.kept.Lengths()
	r.MSE, r.ZeroMSE = meanSquaresOf(f.kept, r.Model)
	for _, c := range s.Tried {
		a := f.account(c, "spectral")
		a.Chosen = c == best
		r.Candidates = append(r.Candidates, a)
	}
	r.joined = f.joined(best)
	f.check(s, r)
	return r
}

// check warns, and puts the zero function in the place of a model that is none.
func (f *wideFit) check(s *wide.Search, r *Result) {
	rank, d := f.dims()
	if rank < d {
		r.warnCollinear(d-rank, d, false)
	}
	if s.Best.Criterion > s.Zero() || !(r.MSE <= r.ZeroMSE*(1+1e-9)) {
		r.warn(WorseThanZero, "no model explains more of the data than chance would (the best has training MSE %.4g, the zero function %.4g): the zero function is returned; give more data or fewer inputs", r.MSE, r.ZeroMSE)
		r.Fallback, r.joined = true, nil
		r.Model, r.Rank, r.MSE = NewModel(1, d, len(f.scale)), 0, r.ZeroMSE
		return
	}
	if asked := f.o.Rank; asked > s.Best.N {
		r.warn(RankCut, "rank %d asked for: no model of more than %s was found that fits the data better, and spare states would fit noise and go astray on longer sequences", asked, phrase.Count(s.Best.N, "state"))
	} else if asked > 0 && s.Low {
		r.warn(RankLow, "rank %d asked for, but the outputs after two steps tell of more states: what the rank leaves out is no noise; raise Options.Rank, or leave it 0 to have it chosen", asked)
	}
	f.keep(r)
}

// keep damps a model that grows beyond the bound asked for, and warns of one that explodes.
func (f *wideFit) keep(r *Result) {
	g, bound := f.growth(r.Model), f.o.MaxGrowth
	switch {
	case bound > 0 && !(g <= bound):
		m, by := damp(r.Model, bound, f.by.DampingDigits, f.growth)
		r.Model, r.joined = m, nil
		r.MSE, _ = meanSquaresOf(f.kept, m)
		r.warn(Damped, "the outputs grow to %.3g times those of the training data: A is scaled by %.3f, and the training MSE is %.4g", g, by, r.MSE)
	case bound == 0 && !(g <= f.by.MaxGrowth):
		r.warn(Unstable, unstable, g)
	}
}

// mostIntervals is the number of parameters up to which their covariance is worked out.
const mostIntervals = 5000

// joined returns what intervals need.
func (f *wideFit) joined(s *wide.Fitted) *joined {
	return &joined{
		w: f.coordinates, shape: s.Shape, theta: s.Theta, M: float64(f.data.M), free: s.Free(),
		noise: map[int][]float64{everyLength: s.Noise(f.data)}, last: everyLength,
		covariance: func() (func(g []float64, noise float64) float64, error) {
			if len(s.Theta) > mostIntervals {
				return nil, fmt.Errorf("twornn: intervals of a model with %d parameters would take too long: at most %d; use NewConformal with data held out", len(s.Theta), mostIntervals)
			}
			return covarianceOf(s.Information(f.data), nil, nil)
		},
	}
}
