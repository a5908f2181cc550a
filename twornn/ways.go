package twornn

import (
	"context"
	"errors"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/moments"
	"github.com/twornn/spectral/twornn/internal/rivals"
)

// ways are the two ways in which a collection is fitted: by measurements of short words, and along
// the runs, which takes a constant input.
type ways struct {
	c     moments.Set
	o     Options
	by    policy
	sofar func(*Result) // is told what there is in a moment
}

type way func(context.Context, moments.Set, Options, policy) (*Result, error)

// words fits by measurements of words, and says what the data say of it.
func (w ways) words(ctx context.Context) (*Result, error) {
	return w.reviewed(ctx, few, fitWords)
}

// runs fits along the runs.
func (w ways) runs(ctx context.Context) (*Result, error) {
	return w.reviewed(ctx, few, func(ctx context.Context, c moments.Set, o Options, by policy) (*Result, error) {
		f := newRunFit(c, o, by)
		if f == nil {
			return nil, errNoRuns
		}
		if c.Kept() == w.c.Kept() { // not without a part
			f.sofar = w.reviewedSoFar
		}
		return f.fit(ctx)
	})
}

// reviewedSoFar hands on what there is in a moment, with what the data say of it.
func (w ways) reviewedSoFar(r *Result) {
	r.review(w.c, w.by)
	w.sofar(r)
}

// ownStarts fits along runs that have starts of their own.
func (w ways) ownStarts(ctx context.Context, f *runFit) (*Result, error) {
	switch k := w.c.Kept(); {
	case f == nil:
		return nil, errors.New("twornn: OwnStarts takes inputs that hold a constant: give one that is always 1 (Window.Bias and Series.Runs of package datasets do)")
	case w.o.Rank == 1:
		return nil, errors.New("twornn: OwnStarts with rank 1: one state is the constant, and leaves none to begin anywhere: give Options{Rank: 2} or more")
	case k.Overlaps():
		return nil, errors.New("twornn: OwnStarts takes whole runs, not windows that overlap: give each stretch of the record as one sequence (Series.Runs of package datasets does)")
	}
	f.sofar = w.reviewedSoFar
	r, err := f.fit(ctx)
	if err != nil {
		return nil, err
	}
	r.review(w.c, w.by)
	return r, nil
}

// wide fits many inputs without a constant.
func (w ways) wide(ctx context.Context, f *wideFit) (*Result, error) {
	r, err := f.fit(ctx)
	if err != nil {
		return nil, err
	}
	r.review(w.c, w.by)
	return r, nil
}

var errNoRuns = errors.New("twornn: the inputs hold no constant: there is no fit along runs")

// reviewed fits one way, and without each part again where there are at most so many outputs, times p.
func (w ways) reviewed(ctx context.Context, most int, fit way) (*Result, error) {
	r, err := fit(ctx, w.c, w.o, w.by)
	if err != nil {
		return nil, err
	}
	// Again with less effort: the rank is known, and a start or two.
	o, by := w.o, w.by
	o.Rank, o.Recorder, o.Src = r.Rank, nil, nil
	by.ManyStarts, by.FewStarts, by.SpareStarts, by.runs.Starts = 3, 1, 2, 1
	r.learnAgain(ctx, w.c, w.o, most, func(c moments.Set) (*Result, error) { return fit(ctx, c, o, by) })
	r.review(w.c, w.by)
	return r, nil
}

// better fits short words with a constant input: by their measurements where such a model leaves no
// more than noise and is worth its products of inputs, and else by whichever way does better on parts
// left out. Words may carry fewer states than are asked for; along the runs any number is possible.
func (w ways) better(ctx context.Context) (*Result, error) {
	short := w
	words, err := short.reviewed(ctx, compared, fitWords)
	asked, high := new(rankError), false
	if errors.As(err, &asked) {
		short.o.Rank, high = asked.most, true
		words, err = short.reviewed(ctx, compared, fitWords)
	}
	switch {
	case ctx.Err() != nil:
		return words, err
	case err == nil && !high && words.holds(w.by) && (w.o.Rank > 0 || words.adequate && words.earns(w.by)):
		return words, nil
	case err != nil && w.o.Rank > 0 && w.o.L > 0 && !high:
		return nil, err
	}
	runs, failed := w.runs(ctx)
	if err == nil && (failed != nil || words.holds(w.by) && words.factor < (1-w.by.Earned)*runs.factor) {
		if high {
			words.warn(RankCut, "rank %d asked for, words of these lengths carry %d at the most", asked.asked, asked.most)
		}
		return words, nil
	}
	return runs, failed
}

// remeasured returns the measurements for the L that the data are laid out for, where none fits
// those of c, which were taken for want of an L: lengths 2, 4 and 5, say, of inputs so many that
// d⁵ numbers are not measured unasked. It returns c where that is not so, or not all examples are
// at hand.
func remeasured(c moments.Set, o Options) (moments.Set, error) {
	k := c.Kept()
	if o.L > 0 || k == nil || k.AsWords() || k.N != len(k.Runs) || len((&fitter{c: c, o: o}).fittingL()) > 0 {
		return c, nil
	}
	d, p := c.Dims()
	if _, constant := k.Constant(d); constant {
		return c, nil // fitted along the runs
	}
	L := otherL(c, o.Basis)
	if L == 0 {
		return c, nil
	}
	o.L = L
	return collect(without(k, &rivals.Trial{}, 0, d, p), moments.Plan{Lengths: o.lengths(), KeepRows: true})
}

// fitWords fits by measurements of short words.
func fitWords(ctx context.Context, c moments.Set, o Options, by policy) (*Result, error) {
	w, z, err := newCoordinates(c, by)
	if err != nil {
		return nil, err
	}
	f := newFitter(z, w, o, by)
	best, tried, err := f.fit(ctx)
	if err != nil {
		return nil, err
	}
	trial, left := f.try(ctx, &best)
	res := f.result(best)
	res.trial, res.left, res.wild = trial, left, f.wild
	if res.joined, err = f.joined(best, w, res); err != nil {
		return nil, err
	}
	for _, c := range tried {
		a := f.account(c, best.Model)
		a.Chosen = a.Chosen && !res.Fallback
		res.Candidates = append(res.Candidates, a)
	}
	if rank := f.betterRank(ctx, best); rank > 0 && !res.Has(RankLow) {
		res.warn(RankLow, "rank %d asked for, but %d states fit clearly better (by BIC): what the rank leaves out is no noise; raise Options.Rank, or leave it 0 to have it chosen", o.Rank, rank)
	}
	res.Model = w.toData(res.Model)
	if r, d := w.dims(); r < d {
		res.warn(Collinear, "%s", areCombinations(d-r, d, false))
	}
	res.adequate = best.climb != nil && best.climb.adequate(by)
	return res, nil
}

// fit returns the best model of the route that the options ask for, and all that were
// weighed: the paper's with the recovery that is named, or else the recommended one.
func (f *fitter) fit(ctx context.Context) (candidate, []candidate, error) {
	if f.o.Recovery == nil {
		return f.likelihood(ctx)
	}
	best, err := f.search(ctx)
	return best, f.spectral, err
}

// joined returns what intervals need of a joint fit, nil if there was none.
func (f *fitter) joined(best candidate, w coordinates, r *Result) (*joined, error) {
	if best.climb == nil || r.Fallback {
		return nil, nil
	}
	noise, err := f.noiseVariances(best.Model)
	if err != nil {
		return nil, err
	}
	q := best.climb.q
	return &joined{
		w: w, shape: q.Shape, theta: best.climb.Theta, M: q.M, free: q.Free(),
		noise: noise, last: r.Lengths[len(r.Lengths)-1],
		covariance: func() (func(g []float64, noise float64) float64, error) {
			var K *mat.SymDense
			if k := f.c.Kept(); k != nil && k.Overlaps() {
				K = byTarget(k, w, q.Shape, best.climb.Theta)
			}
			return best.climb.covariance(K)
		},
	}, nil
}

// account is what a Result tells of a candidate.
func (f *fitter) account(c candidate, chosen *Model) Candidate {
	rows := 0
	for _, l := range f.c.Lengths() {
		rows += f.c[l].N()
	}
	n, status := c.states(), NotRun
	if c.climb != nil {
		status = c.climb.stats().Status
	}
	return Candidate{
		Model: f.w.toData(c.Model), L: c.L, Rank: n, Start: c.start, MSE: c.sse / float64(rows*f.p), Parameters: freeParameters(n, f.d, f.p),
		Criterion: c.bic, Growth: growth(c.Model, f.c), Status: status, Chosen: c.Model == chosen,
	}
}

// noiseVariances returns the variance of the residuals of each output, by length: the
// squared errors over N less the part that the parameters took, drawn towards that of
// all lengths where rows are few.
func (f *fitter) noiseVariances(m *Model) (map[int][]float64, error) {
	k := float64(freeParameters(m.states(), f.d, f.p))
	var rows float64
	for _, l := range f.c.Lengths() {
		rows += float64(f.c[l].N())
	}
	left := max(1-k/(rows*float64(f.p)), 1/(1+rows))
	pooled := make([]float64, f.p)
	by := map[int][]float64{}
	for _, l := range f.c.Lengths() {
		e, err := squaredErrors(f.c[l], m.Hankel(l))
		if err != nil {
			return nil, err
		}
		by[l] = e
		floats.AddScaled(pooled, 1/(rows*left), e)
	}
	prior := f.policy.PooledRows
	for l, e := range by {
		for o := range e {
			e[o] = (e[o] + prior*pooled[o]) / (float64(f.c[l].N())*left + prior)
		}
	}
	by[everyLength] = pooled
	return by, nil
}
