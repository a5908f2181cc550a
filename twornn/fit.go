package twornn

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/moments"
	"github.com/twornn/spectral/twornn/internal/rivals"
	"github.com/twornn/spectral/twornn/internal/stop"
)

// Fit learns a linear 2-RNN from the data: it collects the measurements in one pass, reads
// a model off them by spectral learning (Algorithm 1) and refines it by maximum likelihood.
// See FitCollection for what it chooses and returns.
//
// Words of more than 256 symbols are learnt exactly or not at all, if nothing is set.
//
// It errs if ctx is done, data is nil, a sequence is unusable, or the lengths that L needs are
// not in the data.
func Fit(ctx context.Context, data iter.Seq[Sequence], o Options) (*Result, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.Recorder = whileRunning(ctx, o.Recorder)
	return stop.WithBest(ctx, func(sofar func(*Result)) (*Result, error) {
		c, err := o.measure(ctx, data)
		if err != nil {
			return nil, ofUnits(err)
		}
		r, err := fitSet(ctx, c, o, standard, sofar)
		return r, ofEnd(ctx, ofUnits(err))
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
// minutes. An L that was asked for gives the starts; where the best from them leaves more than noise those of
// the others that the data allow are tried too. A rank that was asked for is an upper bound: spare states, which would fit noise and go astray
// on longer sequences, are cut, with a warning. Result.Candidates has all that was weighed.
//
// A model whose outputs explode on inputs much longer than those trained on gives way to a
// rank of nearly the same criterion that keeps its head, or carries the warning Unstable;
// see also Options.MaxGrowth.
//
// Words over an alphabet of seven symbols or more, one-hot, whose outputs are without noise are learnt
// exactly, symbol by symbol, if neither a rank nor a recovery is named: see Exact.
//
// Where d³ exceeds 4096, without a constant input, and there are outputs after one, two and three
// steps, H⁽²⁾ and a part of H⁽³⁾ give the start, and the likelihood goes along the sequences as they
// came, as many as are kept (32 MB of numbers); the rank is then that of least
// M log(SSE/M) + (4 k + 20 R) M/(M − k).
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
	return stop.WithBest(ctx, func(sofar func(*Result)) (*Result, error) {
		r, err := fitSet(ctx, set, o, standard, sofar)
		return r, ofEnd(ctx, ofUnits(err))
	})
}

// ofUnits says of a factorisation that failed what that comes of.
func ofUnits(err error) error {
	if errors.Is(err, linalg.ErrNoConvergence) || errors.Is(err, linalg.ErrNotFinite) {
		return fmt.Errorf("twornn: an input or output is so small, or so large, that hardly a digit of it is left (%w); change its unit", err)
	}
	return err
}

// ofEnd says of a fit without a model after the end of ctx that it was stopped: what else went wrong may come of that.
func ofEnd(ctx context.Context, err error) error {
	if end := ctx.Err(); err != nil && end != nil && !errors.Is(err, end) {
		return fmt.Errorf("twornn: stopped before there was a model: %w; give it more time, or fewer data", end)
	}
	return err
}

// fitSet is FitCollection for options that are checked, by the given policy. Words of many symbols are
// learnt exactly; any others in three steps, by one way or, where both could do, the better of two:
//
//	           start                      likelihood           choose
//	wordFit    Hankel tensors of short    joint.likeliest,     joint.choose: up and down the
//	           words, and Spectral        from several starts  ranks; joint.stable
//	runFit     responses to the inputs    System.Refine,       Search.climb: states, then
//	           of a constant and others   along the runs       products, by parts left out
//	wideFit    H⁽²⁾ and a part of H⁽³⁾    descent.run, along   Search.climb: more states,
//	           of many inputs             the sequences        or fewer
//
// It tells sofar what there is in a moment, if anything.
func fitSet(ctx context.Context, c moments.Set, o Options, by policy, sofar func(*Result)) (*Result, error) {
	if r := fitExact(ctx, c, o); r != nil {
		return r, nil
	}
	if k := c.Kept(); k != nil && k.AsWords() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return nil, tooManySymbols(c)
	}
	if err := tooSmall(c); err != nil {
		return nil, err
	}
	w := ways{c, o, by, sofar}
	runs := newRunFit(c, o, by)
	switch {
	case o.OwnStarts:
		return w.ownStarts(ctx, runs)
	case o.Recovery == nil && o.Rank == 1 && runs != nil && !runs.short():
		return nil, errOneState
	case o.Recovery != nil || o.Rank == 1 && runs != nil:
		return w.words(ctx)
	case runs == nil:
		return w.wideOrWords(ctx)
	case runs.short():
		return w.better(ctx)
	}
	return w.runs(ctx)
}

// ways are those in which a collection is fitted. Each says what the data, and rivals on parts of
// them left out, say of the result.
type ways struct {
	c     moments.Set
	o     Options
	by    policy
	sofar func(*Result) // is told what there is in a moment
}

type way func(context.Context, moments.Set, Options, policy) (*Result, error)

// byWords is the way by measurements of short words.
func byWords(ctx context.Context, c moments.Set, o Options, by policy) (*Result, error) {
	f, err := newWordFit(c, o, by)
	if err != nil {
		return nil, err
	}
	return f.fit(ctx)
}

// words fits by measurements of short words.
func (w ways) words(ctx context.Context) (*Result, error) {
	return w.reviewed(ctx, few, byWords)
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

var errNoRuns = errors.New("twornn: the inputs hold no constant: there is no fit along runs")

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
	return w.reviewedOnce(f.fit(ctx))
}

// wideOrWords fits inputs without a constant: along the sequences where they are many, and else by words.
func (w ways) wideOrWords(ctx context.Context) (*Result, error) {
	f, err := newWideFit(w.c, w.o, w.by)
	if err != nil {
		return nil, err
	}
	if f == nil {
		return w.words(ctx)
	}
	f.sofar = w.reviewedSoFar
	return w.reviewedOnce(f.fit(ctx))
}

// reviewedOnce returns a result with what the data say of it.
func (w ways) reviewedOnce(r *Result, err error) (*Result, error) {
	if err != nil {
		return nil, err
	}
	r.review(w.c, w.by)
	return r, nil
}

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
	by.Budget, by.TotalBudget = by.Budget/6, by.TotalBudget/6 // all parts together take as long as the fit
	r.learnAgain(ctx, w.c, w.o, most, func(c moments.Set) (*Result, error) { return fit(ctx, c, o, by) })
	return w.reviewedOnce(r, nil)
}

// better fits short words with a constant input: by their measurements where such a model leaves no
// more than noise and is worth its products of inputs, and else by whichever way does better on parts
// left out. Words may carry fewer states than are asked for; along the runs any number is possible.
func (w ways) better(ctx context.Context) (*Result, error) {
	short := w
	words, err := short.reviewed(ctx, compared, byWords)
	asked, high := new(rankError), false
	if errors.As(err, &asked) {
		short.o.Rank, high = asked.most, true
		words, err = short.reviewed(ctx, compared, byWords)
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
	if o.L > 0 || k == nil || k.AsWords() || k.N != len(k.Runs) || len((&wordFit{c: c, o: o}).fittingL()) > 0 {
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

// Start is the first step of a fit, spectral learning: the models that the measurements tell, of
// every L and rank that the options leave open (Algorithm 1), each with its criterion. Where the
// inputs hold a constant and the data are no short words they are linear systems, read off the
// responses to single inputs; where inputs are many they are of L = 1 (see FitCollection). It errs as FitCollection does.
//
// The three steps by hand,
//
//	starts, err := twornn.Start(ctx, c, o)
//	for _, s := range starts {
//		m, err := twornn.Likelihood(ctx, c, s.Model, o)
//		refined = append(refined, m)
//	}
//	best, ok := twornn.Choose(refined, o)
//
// are what Fit does but for its search: it climbs from the rank of the best start as long as the
// criterion falls, starts again where a better optimum may be hidden, weighs products along
// runs on parts of the data left out, and warns.
func Start(ctx context.Context, c Collection, o Options) ([]Candidate, error) {
	return step(ctx, c, o, func(set moments.Set) ([]Candidate, error) {
		f, err := newSteps(set, o)
		if err != nil {
			return nil, err
		}
		return f.starts(ctx)
	})
}

// Likelihood is the second step: the likeliest model that is to be reached from m, over every
// output that the data give, whatever L. It goes along the runs, or sequences, where Fit would, with m as it is:
// products of state and input are there if m has some. It errs as FitCollection does, and if
// m does not fit the data.
func Likelihood(ctx context.Context, c Collection, m *Model, o Options) (Candidate, error) {
	return step(ctx, c, o, func(set moments.Set) (Candidate, error) {
		f, err := newSteps(set, o)
		if err != nil {
			return Candidate{}, err
		}
		d, p := set.Dims()
		if err := m.starts(d, p); err != nil {
			return Candidate{}, err
		}
		return f.likelihood(ctx, m)
	})
}

// Choose is the third step: of the candidates the one of least criterion. One whose outputs grow beyond 30 times
// those of the data on inputs much longer than those trained on gives way to one that does not and is hardly worse
// by its criterion (10 at the most); with MaxGrowth set to any that keeps to it. It returns false if there is none.
func Choose(candidates []Candidate, o Options) (best Candidate, ok bool) {
	bound, worse := o.MaxGrowth, math.Inf(1)
	if bound == 0 {
		bound, worse = standard.MaxGrowth, standard.Evidence
	}
	var calm Candidate
	for _, c := range candidates {
		if math.IsNaN(c.Criterion) || c.Model == nil {
			continue
		}
		if best.Model == nil || c.Criterion < best.Criterion {
			best = c
		}
		if c.Growth <= bound && (calm.Model == nil || c.Criterion < calm.Criterion) {
			calm = c
		}
	}
	if calm.Model != nil && calm.Criterion < best.Criterion+worse {
		best = calm
	}
	ok = best.Model != nil
	best.Chosen = ok
	return best, ok
}

// steps are the first two, by words, along runs or along sequences of many inputs.
type steps interface {
	starts(ctx context.Context) ([]Candidate, error)
	likelihood(ctx context.Context, m *Model) (Candidate, error)
}

// newSteps returns those of the data: along runs where the inputs hold a constant and they are no short
// words, along sequences where they are many, and else by words.
func newSteps(c moments.Set, o Options) (steps, error) {
	if o.Recovery != nil {
		return newWordFit(c, o, standard)
	}
	switch f := newRunFit(c, o, standard); {
	case f == nil:
		if w, err := newWideFit(c, o, standard); w != nil || err != nil {
			return w, err
		}
	case !f.short():
		return f, nil
	}
	return newWordFit(c, o, standard)
}

// step checks and calls f with the measurements, within a moment of the end of ctx.
func step[T any](ctx context.Context, c Collection, o Options, f func(moments.Set) (T, error)) (T, error) {
	set := c.set()
	if err := errors.Join(o.check(), measured(set), tooSmall(set)); err != nil {
		var none T
		return none, err
	}
	o.Recorder = whileRunning(ctx, o.Recorder)
	return stop.Within(ctx, func() (T, error) { return f(set) })
}
