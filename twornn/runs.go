package twornn

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/affine"
	"github.com/twornn/spectral/twornn/internal/lsq"
	"github.com/twornn/spectral/twornn/internal/moments"
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
		return nil, fmt.Errorf("twornn: no linear system could be fitted to the %s along %s; give longer runs, or inputs that move", count(f.data.M, "output"), count(len(f.data.Runs), "run"))
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
		r.warn(NotConverged, "more states, or more interactions of state and input, were not tried: they would take more than the %s of Options.Memory; raise it, or give fewer inputs", inBytes(f.o.memory()))
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
			r.warn(NotConverged, "stopped before any more than %s could be fitted, as the responses to the inputs tell them: give it more time, or fewer data", count(r.Rank, "state"))
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
	if len(f.data.Runs) == 1 && !f.o.OwnStarts {
		if m := search.Best.Memory(f.data); m > f.by.Memory {
			r.warn(StartCounts, "the start of a run counts for long: from another one the squared error along a run like that of the data is some %.3g times as large; begin other runs with the model that WithStart returns", 1+m)
		}
	}
	return r, nil
}

// growth is that of the model, as Candidate.Growth says.
func (f *runFit) growth(s *affine.System) float64 {
	m := f.model(s)
	if fr := f.set.Frame(); fr != nil {
		m = m.MapInputs(fr.T)
	}
	return growth(m, f.set)
}

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
		r.warn(Collinear, "%s", areCombinations(f.d-n, f.d, true))
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
		M: float64(f.data.M), free: int(math.Round(s.Known)), noise: map[int][]float64{everyLength: s.NoiseVariances(f.data)}, last: everyLength,
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

// split are coordinates for data with a constant input: z = W x is the constant, then
// inputs of mean 0 and unit second moments. Outputs are less their mean, over their spread.
type split struct {
	W           *mat.Dense // r×d
	mean, scale []float64  // of the outputs: y' = (y − mean)·scale
}

// constantRank is the variance of a direction of the inputs, beside the largest, below which
// they do not move along it but for rounding.
const constantRank = 1e-12

// newSplit returns the coordinates for the examples, c being such that cᵀx = 1.
func newSplit(k *moments.Kept, c []float64, p int) split {
	d := len(c)
	mean, C := inputMoments(k, d)
	// Each column in its own unit, so that units do not hide a direction. One that moves by
	// rounding alone has none.
	unit := make([]float64, d)
	for i := range unit {
		if unit[i] = math.Sqrt(C.At(i, i)); unit[i] <= 1e-8*math.Abs(mean[i]) {
			unit[i] = math.Inf(1)
		}
	}
	for i := range d {
		for j := i; j < d; j++ {
			C.SetSym(i, j, C.At(i, j)/(unit[i]*unit[j]))
		}
	}
	s := split{W: mat.NewDense(1, d, slices.Clone(c))}
	var eig mat.EigenSym
	if eig.Factorize(C, true) {
		var V mat.Dense
		eig.VectorsTo(&V)
		values := eig.Values(nil)
		for j := d - 1; j >= 0 && values[j] > constantRank*values[d-1]; j-- {
			row, offset := make([]float64, d), 0.0
			for i := range row {
				row[i] = V.At(i, j) / (unit[i] * math.Sqrt(values[j]))
				offset += row[i] * mean[i]
			}
			floats.AddScaled(row, -offset, c)
			s.W = stackRow(s.W, row)
		}
	}
	s.mean, s.scale = outputMoments(k, p)
	return s
}

// stackRow returns m with one row more.
func stackRow(m *mat.Dense, row []float64) *mat.Dense {
	r, c := m.Dims()
	g := m.Grow(1, 0).(*mat.Dense)
	g.SetRow(r, row[:c])
	return g
}

// inputMoments returns the mean of the inputs and their covariance.
func inputMoments(k *moments.Kept, d int) (mean []float64, C *mat.SymDense) {
	mean, C = make([]float64, d), mat.NewSymDense(d, nil)
	steps := 0.0
	for _, r := range k.Runs {
		for x := r.X; len(x) > 0; x = x[d:] {
			floats.Add(mean, x[:d])
			steps++
		}
	}
	floats.Scale(1/steps, mean)
	centred := make([]float64, d)
	for _, r := range k.Runs {
		for x := r.X; len(x) > 0; x = x[d:] {
			floats.SubTo(centred, x[:d], mean)
			C.SymRankOne(C, 1/steps, mat.NewVecDense(d, centred))
		}
	}
	return mean, C
}

// outputMoments returns the mean of each output and what brings its spread to 1.
func outputMoments(k *moments.Kept, p int) (mean, scale []float64) {
	o := moments.NewOutputs(p)
	for _, r := range k.Runs {
		for i := r.Fresh; i < len(r.At); i++ {
			o.Add(r.Y[i*p : (i+1)*p])
		}
	}
	scale = make([]float64, p)
	for j := range scale {
		scale[j] = 1
		if sd := math.Sqrt(o.M2[j] / o.N); sd > 1e-12*math.Abs(o.Mean[j]) {
			scale[j] = 1 / sd
		}
	}
	return slices.Clone(o.Mean), scale
}

// data returns the examples in these coordinates. Of the windows of a series each gives
// the outputs that are its own, so that every target counts once, where most is known of
// what came before.
func (s split) data(k *moments.Kept) *affine.Data {
	r, d := s.W.Dims()
	p := len(s.mean)
	out := &affine.Data{D: r, P: p}
	for _, run := range k.Runs {
		q := lsq.Run{At: run.At[run.Fresh:]}
		if len(run.X) > 0 {
			var z mat.Dense
			z.Mul(mat.NewDense(len(run.X)/d, d, run.X), s.W.T())
			q.X = z.RawMatrix().Data
			for t := 0; t < len(q.X); t += r {
				q.X[t] = 1 // exactly
			}
		}
		for i := run.Fresh * p; i < len(run.Y); i++ {
			q.Y = append(q.Y, (run.Y[i]-s.mean[i%p])*s.scale[i%p])
		}
		out.Add(q)
	}
	return out
}

// model returns a system in these coordinates as a model of the data.
func (s split) model(sys *affine.System) *Model {
	n := sys.N
	m := (*Model)(lsq.Shape{N: n, D: sys.D, P: sys.P}.Net(sys.Theta)).MapInputs(s.W)
	for o, c := range s.scale {
		row := m.Omega.RawRowView(o)
		floats.Scale(1/c, row)
		row[0] += s.mean[o] // the first state is 1
	}
	return m
}
