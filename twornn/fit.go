package twornn

import (
	"context"
	"iter"

	"github.com/twornn/spectral/twornn/internal/moments"
	"github.com/twornn/spectral/twornn/internal/stop"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Fit learns a linear 2-RNN from the data: it collects the measurements in one pass, reads
// a model off them by spectral learning (Algorithm 1) and refines it by maximum likelihood.
// See FitCollection for what it chooses and returns.
//
// Words of more than 256 symbols are learnt exactly or not at all, if nothing is set.
//
// It errs if ctx is done, a sequence is unusable, or the lengths that L needs are
// not in the data.
func Fit(ctx context.Context, data iter.Seq[Sequence], o Options) (*Result, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.Recorder = whileRunning(ctx, o.Recorder)
	return stop.Within(ctx, func() (*Result, error) {
		c, err := o.measure(ctx, data)
		if err != nil {
			return nil, err
		}
		return fitSet(ctx, c, o, standard)
	})
}

// measure gathers what a fit with these options needs of the data.
func (o Options) measure(ctx context.Context, data iter.Seq[Sequence]) (moments.Set, error) {
	c, err := collect(until(ctx, o.fitting(data)), o.plan())
	if err != nil || o.Recovery != nil {
		return c, err
	}
	return remeasured(c, o)
}

// plan returns what a pass has to gather for the options.
func (o Options) plan() moments.Plan {
	if o.Recovery == nil {
		// L is of the start alone: the likelihood sees every output.
		return moments.Plan{Also: o.lengths(), Words: o.L == 0 && o.Rank == 0}
	}
	rows, _ := o.Recovery.(RowRecovery)
	return moments.Plan{Lengths: o.lengths(), KeepRows: rows != nil && rows.NeedsRows()}
}

// FitCollection is Fit for measurements already collected.
//
// With no recovery named it fits by maximum likelihood. Least squares (ALS where d^l
// exceeds 4096) recovers the Hankel tensors, Theorem 3 reads a 2-RNN off them, and
// LevenbergMarquardt refines all its parameters on all lengths at once. It starts again
// from random parameters where that may have missed the best optimum: until a fit leaves
// no more than noise and either began near or was found twice, or else until the best was
// found several times, 24 starts at the most. Sequences longer than any length measured
// enter by a sample: up to 512 of them, and some 4096 of their outputs.
//
// Where the rank is left open the one of least
//
//	BIC = M log(SSE/M) + k log M
//
// is taken, SSE being the sum of squared errors, M the number of outputs, and
// k = R(dR+p+1) − R² the free parameters of a 2-RNN with R states. The search goes up and
// down from the rank of the spectral estimate of least BIC, which also chooses L. Ranks
// that the prefixes of L cannot carry are none, and no search takes ranks that would take
// minutes. A rank that was asked for is an upper bound: spare states, which would fit noise and go astray
// on longer sequences, are cut, with a warning. Result.Candidates has all that was weighed.
//
// A model whose outputs explode on inputs much longer than those trained on gives way to a
// rank of nearly the same criterion that keeps its head, or carries the warning Unstable;
// see also Options.MaxGrowth.
//
// Words of seven symbols or more, one-hot, whose outputs are without noise are learnt exactly,
// symbol by symbol, if neither a rank nor a recovery is named: see Exact.
//
// With a recovery named it is the paper's Algorithm 1 and no more. Where no rank is asked
// for it is that of least BIC among the spectral estimates, or an error if the recovery
// needs one (IHT, TIHT, TTIHT).
//
// All is done in coordinates in which the inputs have second moments E xxᵀ = I, so
// that the fit does not depend on their units or on any linear change of them, and
// the singular values are those of the block in these coordinates. Outputs are scaled
// to one size of noise and back, so that none is lost beside another in a larger unit.
//
// A model with a larger squared error on its own training data than the zero
// function has is replaced by the zero function, and Result.Fallback set (the
// paper's guard, Section 5). So is one with a rank left open whose BIC is above that of
// the zero function, M log(Σy²/M).
func FitCollection(ctx context.Context, c Collection, o Options) (*Result, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := measured(c.set()); err != nil {
		return nil, err
	}
	set := c.set()
	o.Recorder = whileRunning(ctx, o.Recorder)
	return stop.Within(ctx, func() (*Result, error) { return fitSet(ctx, set, o, standard) })
}

// fitSet is FitCollection for options that are checked, by the given policy: exactly, where
// words of many symbols can be; along the runs where the inputs hold a constant, unless the
// data are short words and a model of those holds.
func fitSet(ctx context.Context, c moments.Set, o Options, by policy) (*Result, error) {
	if r := fitExact(ctx, c, o); r != nil {
		return r, nil
	}
	if k := c.Kept(); k != nil && k.AsWords() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return nil, tooManySymbols(c)
	}
	w := ways{c, o, by, fitWords}
	runs := newRunFit(c, o, by)
	if runs == nil && o.Recovery == nil {
		if wide, err := newWideFit(c, o, by); wide != nil || err != nil {
			if err != nil {
				return nil, err
			}
			return w.wide(ctx, wide)
		}
	}
	switch {
	case runs == nil || o.Recovery != nil || o.Rank == 1:
		return w.words(ctx)
	case runs.short():
		return w.better(ctx)
	}
	return w.runs(ctx)
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
	res.trial, res.left = trial, left
	if res.joined, err = f.joined(best, w, res); err != nil {
		return nil, err
	}
	for _, c := range tried {
		a := f.account(c, best.Model)
		a.Chosen = a.Chosen && !res.Fallback
		res.Candidates = append(res.Candidates, a)
	}
	if rank := f.betterRank(ctx, best); rank > 0 && !res.Has(RankLow) {
		res.warn(RankLow, "rank %d asked for, but %d states fit clearly better (by BIC): what the rank leaves out is no noise", o.Rank, rank)
	}
	res.Model = w.toData(res.Model)
	if r, d := w.dims(); r < d {
		res.warn(Collinear, "%d of the %d inputs are linear combinations of the others; the model is right where they keep to that", d-r, d)
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
			if k := f.c.Kept(); k != nil && k.Repeats() > overlapping {
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
		L: c.L, Rank: n, Start: c.start, MSE: c.sse / float64(rows*f.p), Parameters: freeParameters(n, f.d, f.p),
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
