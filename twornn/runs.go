package twornn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/affine"
	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/lsq"
	"github.com/twornn/spectral/twornn/internal/moments"
	"github.com/twornn/spectral/twornn/internal/phrase"
)

// runFit fits data with a constant input along the sequences as they came, of any length:
// a linear system, and one with interactions where they pay (see package affine). It needs
// no length L, no table of d^l entries, and sees every output.
type runFit struct {
	split
	kept   *moments.Kept
	d      int // inputs of the data
	set    moments.Set
	data   *affine.Data
	o      Options
	by     policy
	damped *affine.System // what MaxGrowth made of the best; nil if nothing
	first  *affine.System // that of a moment, where ctx may end
	sofar  func(*Result)  // is told what there is in a moment; nil: nobody
}

var errOneState = errors.New("twornn: rank 1 along runs whose inputs hold a constant: one state is the constant, and leaves none to move: give Options{Rank: 2} or more")

// newRunFit returns the fit, nil where the data have no constant input.
func newRunFit(c moments.Set, o Options, by policy) *runFit {
	d, p := c.Dims()
	k := c.Kept()
	if k == nil || d == 0 || p == 0 {
		return nil
	}
	constant, ok := k.Constant(d)
	if !ok {
		return nil
	}
	s := newSplit(k, constant, p)
	f := &runFit{split: s, kept: k, d: d, set: c, data: s.data(k), o: o, by: by}
	f.data.Own = o.OwnStarts
	if f.data.M == 0 {
		return nil
	}
	return f
}

// fit searches the systems and returns the best as a result.
func (f *runFit) fit(ctx context.Context) (*Result, error) {
	p := f.by.runs
	if err := f.o.checkRuns(f.data, p.Parts); err != nil {
		return nil, err
	}
	if p.Memory = f.o.memory(); f.o.Rank > 0 {
		p.MostStates, p.MostTold = min(p.MostStates, f.o.Rank-1), min(p.MostTold, f.o.Rank-1)
	}
	ctx, end := f.quick(ctx, p)
	defer end()
	ctx, w := watch(ctx, f.o.Recorder)
	defer w.cancel()
	f.data.Report = w.report
	search := affine.Fit(ctx, f.data, p, f.o.source().Uint64())
	if ctx.Err() != nil && f.sofar != nil {
		search = f.atLeast(search, p)
	}
	if search.Best == nil {
		if err := ctx.Err(); err != nil && !w.halted {
			return nil, err
		}
		return nil, f.noSystem()
	}
	r, err := f.told(ctx, search)
	if err != nil {
		return nil, err
	}
	if f.o.Rank > 0 && search.Low(ctx) {
		r.warn(RankLow, "rank %d asked for, but one state more does better on parts of the data left out: what the rank leaves out is no noise; raise Options.Rank, or leave it 0 to have it chosen", f.o.Rank)
	}
	switch {
	case ctx.Err() != nil:
		r.warn(NotConverged, "stopped before every number of states was tried; the model is the best so far: allow more time, or name a rank")
	case search.Tight():
		r.warn(NotConverged, "more states, or more interactions of state and input, were not tried: they would take more than the %s of Options.Memory; raise it, or give fewer inputs", phrase.Bytes(f.o.memory()))
	}
	return r, nil
}

// quick tells sofar the system that is to be had in a moment, where ctx may end. It returns a context that
// ends so much earlier that what was found by then can be told in time.
func (f *runFit) quick(ctx context.Context, p affine.Policy) (context.Context, context.CancelFunc) {
	if f.sofar == nil || ctx.Done() == nil {
		return ctx, func() {}
	}
	began := time.Now()
	q, data := *f, *f.data // what is left behind when ctx ends goes on with its own
	data.Runs = slices.Clone(data.Runs)
	q.data = &data
	if search := affine.Quick(q.data, p); search.Best != nil {
		f.first = search.Best
		if r, err := q.told(ctx, search); err == nil {
			r.warn(NotConverged, "stopped before any more than %s could be fitted, as the responses to the inputs tell them: give it more time, or fewer data", phrase.Count(r.Rank, "state"))
			f.sofar(r)
		}
	}
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithDeadline(ctx, deadline.Add(-min(tellings*time.Since(began), time.Until(deadline)/4)))
}

// atLeast returns a search that was cut short with the system that was to be had in a moment in the place of
// the best, if that has the lesser criterion.
func (f *runFit) atLeast(search *affine.Search, p affine.Policy) *affine.Search {
	switch first := f.first; {
	case search.Best == nil:
		return affine.Quick(f.data, p)
	case first != nil && first.Criterion(f.data.M, 1) < search.Best.Criterion(f.data.M, 1):
		search.Best, search.Linear, search.Tried = first, first, append(search.Tried, first)
	}
	return search
}

// tellings is how many times as long as for the first system it may take to tell of the best, which has
// others beside it.
const tellings = 5

// told returns the best system as a result, with what is to be said of it.
func (f *runFit) told(ctx context.Context, search *affine.Search) (*Result, error) {
	kept, err := f.keep(ctx, search)
	if err != nil {
		return nil, err
	}
	r := f.result(search)
	if r.Warnings = append(r.Warnings, kept...); f.o.MaxGrowth == 0 && !(f.growth(search.Best) <= f.by.MaxGrowth) {
		if most, bad := explodes(r.Model, f.kept, f.by); bad {
			r.warn(Unstable, unstable, most)
		}
	}
	f.checkRank(r, search)
	f.checkStarts(r, search.Best)
	return r, nil
}

// checkStarts says where one start for all runs does harm.
func (f *runFit) checkStarts(r *Result, best *affine.System) {
	switch {
	case f.o.OwnStarts || f.kept.Overlaps():
	case len(f.data.Runs) == 1:
		if m := best.Memory(f.data); m > f.by.Memory && f.data.M >= f.by.Least {
			r.warn(StartCounts, "the start of a run counts for long: from another one the squared error along a run like that of the data is some %.3g times as large; begin other runs with the model that WithStart returns", 1+m)
		}
	default:
		if part := best.Settles(f.data); part < f.by.Settles {
			r.warn(StartCounts, "the squared error at the end of runs is %.3g times that at their beginning, as where they begin at different states: try Options{OwnStarts: true}, and begin other runs with the model that WithStart returns", part)
		} else if outputs := f.data.M / f.data.P; outputs >= f.by.ApartSteps*len(f.data.Runs) {
			if share := best.Apart(f.data); share > f.by.Apart {
				r.warn(StartCounts, "%.0f %% of the squared error are in its means over single runs, as where they begin at different states and do not forget them: try Options{OwnStarts: true}, and begin other runs with the model that WithStart returns", 100*share)
			}
		}
	}
}

// growth is that of the model, as Candidate.Growth says.
func (f *runFit) growth(s *affine.System) float64 { return growthOf(f.model(s), f.set) }

// keep puts another in the place of a system that grows beyond the bound that is asked for: the same damped,
// or of those tried that keep to it the one that did best on the parts left out, whichever does better
// there. It says which, and errs if outputs at their mean are beyond the bound.
func (f *runFit) keep(ctx context.Context, search *affine.Search) ([]Warning, error) {
	bound, best := f.o.MaxGrowth, search.Best
	g := f.growth(best)
	if bound == 0 || g <= bound {
		return nil, nil
	}
	by := damping(f.by.DampingDigits, func(by float64) bool { return f.growth(best.Damped(by)) <= bound })
	calm := best.Damped(by)
	if now := f.growth(calm); !(now <= bound) {
		return nil, fmt.Errorf("twornn: MaxGrowth %g: outputs that stay at their mean have a growth of %.3g, so that no model keeps to it; ask for %.3g or more", bound, now, now*1.01)
	}
	calm.Validate(ctx, f.data, f.by.runs.Parts, 0)
	w := Warning{Damped, fmt.Sprintf("the outputs grow to %.3g times those of the training data: A is scaled by %.3f, but for the constant, and the training MSE is %.4g in place of %.4g",
		g, by, f.meanSquare(calm), f.meanSquare(best))}
	f.damped = calm
	search.Tried = append(search.Tried, calm)
	for _, s := range search.Tried {
		if s.N <= best.N && s.Validation() < calm.Validation() && f.growth(s) <= bound {
			calm = s
			w = Warning{RankCut, fmt.Sprintf("rank %d did best, but run on and on its outputs grow to %.3g times those of the training data: rank %d is taken, whose error on parts left out is %.3g times as large",
				best.N, g, calm.N, calm.Validation()/best.Validation())}
		}
	}
	search.Best = calm
	return []Warning{w}, nil
}

// checkRank says what became of a rank that was asked for.
func (f *runFit) checkRank(r *Result, search *affine.Search) {
	if r.Rank >= f.o.Rank || r.Has(RankCut) {
		return
	}
	if slices.ContainsFunc(search.Tried, func(s *affine.System) bool { return s.N > r.Rank && s.Products == search.Best.Products }) {
		r.warn(RankCut, "rank %d asked for, %d do as well on parts left out: the spare states would fit noise and go astray on longer sequences", f.o.Rank, r.Rank)
		return
	}
	r.warn(RankCut, "rank %d asked for, %d taken: more states were not tried, for want of data or of time", f.o.Rank, r.Rank)
}

// result says what was found.
func (f *runFit) result(search *affine.Search) *Result {
	best := search.Best
	r := &Result{
		Model: f.model(best), Rank: best.N, SingularValues: search.Values, N: f.kept.N, Lengths: f.set.Lengths(),
		Refinement: Stats{
			Status: statusOf(best.Ended), Iterations: best.Iterations, N: f.data.M / f.data.P, Unknowns: best.Known,
			Residuals: []float64{math.Sqrt(best.SSE / float64(f.data.M))},
		},
	}
	if r.MSE, r.ZeroMSE = meanSquaresOf(f.kept, r.Model); f.o.OwnStarts {
		r.MSE = f.meanSquare(best)
	}
	for _, s := range search.Tried {
		c := f.account(s, "linear", best.Tau)
		switch c.Chosen = s == best; {
		case s == f.damped:
			c.Start = "damping"
		case s.Products:
			c.Start = "interactions"
		}
		r.Candidates = append(r.Candidates, c)
	}
	r.Interactions, r.folds = f.interactions(search), best.Folds
	if best != f.damped {
		r.joined = f.joined(best) // intervals are of an optimum
	}
	if n, _ := f.W.Dims(); n < f.d {
		r.warnCollinear(f.d-n, f.d, true)
	}
	return r
}

// meanSquare returns that of the errors along the runs from the starts that they have.
func (f *runFit) meanSquare(s *affine.System) (mean float64) {
	sums, n := s.SquaredErrors(f.data)
	for o, v := range sums {
		mean += v / (n * float64(len(sums)) * f.scale[o] * f.scale[o])
	}
	return mean
}

// account is what a Result tells of a system, τ errors in a row counting as one.
func (f *runFit) account(s *affine.System, start string, tau float64) Candidate {
	return Candidate{
		Model: f.model(s), Rank: s.N, Start: start, MSE: f.meanSquare(s), Parameters: int(math.Round(s.Known)),
		Criterion: s.Criterion(f.data.M, tau), Validation: s.Validation(), Growth: f.growth(s), Status: statusOf(s.Ended),
	}
}

// interactions says what products of state and input bought.
func (f *runFit) interactions(search *affine.Search) *Interactions {
	in := &Interactions{Taken: search.Best.Products, Linear: search.Linear.Validation(), LinearRank: search.Linear.N}
	if in.Validation = search.Best.Validation(); in.Taken {
		in.Precision = search.Best.Lambda / (search.Best.Noise * search.Best.Tau)
	}
	return in
}

// joined returns what intervals need.
func (f *runFit) joined(s *affine.System) *joined {
	return &joined{
		w: coordinates{W: f.W, scale: f.scale}, shape: lsq.Shape{N: s.N, D: s.D, P: s.P}, theta: s.Theta,
		M: float64(f.data.M), free: int(math.Round(s.Known)), noise: map[int][]float64{everyLength: s.NoiseVariances(f.data)}, last: everyLength, own: f.o.OwnStarts,
		covariance: func() (func(g []float64, noise float64) float64, error) {
			v, ok := s.Covariance(f.data)
			if !ok {
				return nil, errCovariance
			}
			return func(g []float64, noise float64) float64 { return v(g) * noise }, nil
		},
	}
}

// short reports whether the data are words short enough, of few enough inputs, to be
// measured whole.
func (f *runFit) short() bool {
	ls := f.set.Lengths()
	return f.set[ls[len(ls)-1]].Long.N == 0 && math.Pow(float64(f.d), 3) <= moments.AutoUnknowns
}

// starts is Start: the linear systems that the responses tell, with their outputs fitted, and along few runs such as
// sum up.
func (f *runFit) starts(context.Context) (out []Candidate, err error) {
	if f.o.Rank == 1 {
		return nil, errOneState
	}
	if err := f.o.checkRuns(f.data, 0); err != nil {
		return nil, err
	}
	g := affine.NewResponses(f.data)
	for m := 1; m <= f.by.runs.MostStates && (f.o.Rank == 0 || m < f.o.Rank); m++ {
		s := g.Spectral(m, f.data.D, f.data.P)
		if s == nil {
			break
		}
		if s.FitOutputs(f.data) {
			out = append(out, f.account(s, "spectral", 1))
		}
	}
	for _, s := range affine.Slow(f.data, len(out), rand.New(f.o.source())) {
		out = append(out, f.account(s, "slow", 1))
	}
	if len(out) == 0 {
		return nil, f.noSystem()
	}
	return out, nil
}

// noSystem is the error where nothing linear fits.
func (f *runFit) noSystem() error {
	return fmt.Errorf("twornn: no linear system could be fitted to the %s along %s; give longer runs, or inputs that move", phrase.Count(f.data.M, "output"), phrase.Count(len(f.data.Runs), "run"))
}

// likelihood is Likelihood, along the runs.
func (f *runFit) likelihood(ctx context.Context, m *Model) (Candidate, error) {
	f.data.Stop = func() bool { return ctx.Err() != nil }
	s, err := f.system(m)
	if err != nil {
		return Candidate{}, err
	}
	o, p := f.o, f.by.runs
	o.Rank = s.N
	if err := o.checkRuns(f.data, 0); err != nil {
		return Candidate{}, err
	}
	if !s.Refine(ctx, s.Loosened(f.data), p.Rounds, p.Iterations, p.Tol) {
		return Candidate{}, errors.New("twornn: the model is of no use along the runs: its states grow without bound or do not move; start from another model")
	}
	return f.account(s, "given", s.Tau), nil
}

// system returns a model of the data as a system in the coordinates of the fit: as it is if its
// first state is constant there, as those that Fit returns have it, or else with one before it.
func (f *runFit) system(m *Model) (*affine.System, error) {
	T, err := linalg.PseudoInverse(f.W)
	if err != nil {
		return nil, err
	}
	q := m.MapInputs(T)
	n, d, p := q.Dims()
	if !keepsConstant(q) {
		q = withConstant(q)
		n++
	}
	for o, v := range f.scale {
		row := q.Omega.RawRowView(o)
		floats.Scale(v, row)
		row[0] -= f.mean[o] * v
	}
	s := affine.NewSystem(n-1, d, p)
	s.Theta = lsq.Theta((*lsq.Net)(q))
	for _, A := range q.A[1:] {
		s.Products = s.Products || mat.Max(A.Slice(1, n, 0, n)) > 0 || mat.Min(A.Slice(1, n, 0, n)) < 0
	}
	return s, nil
}

// withConstant returns the model, whose first input is constant, with a state that is 1 before its own.
func withConstant(m *Model) *Model {
	n, d, p := m.Dims()
	q := NewModel(n+1, d, p)
	q.H0.SetVec(0, 1)
	q.H0.SliceVec(1, n+1).(*mat.VecDense).CopyVec(m.H0)
	q.A[0].Set(0, 0, 1)
	for i, A := range m.A {
		q.A[i].Slice(1, n+1, 1, n+1).(*mat.Dense).Copy(A)
	}
	q.Omega.Slice(0, p, 1, n+1).(*mat.Dense).Copy(m.Omega)
	return q
}

// keepsConstant reports whether the first state of a model is 1 after every step, its first input
// being the constant.
func keepsConstant(m *Model) bool {
	near := func(v, want float64) bool { return math.Abs(v-want) < 1e-9 }
	ok := near(m.H0.AtVec(0), 1)
	for i, A := range m.A {
		for a := range m.states() {
			want := 0.0
			if i == 0 && a == 0 {
				want = 1
			}
			ok = ok && near(A.At(a, 0), want)
		}
	}
	return ok
}
