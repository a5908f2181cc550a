package twornn

import (
	"context"
	"errors"

	"github.com/twornn/spectral/twornn/internal/moments"
	"github.com/twornn/spectral/twornn/internal/rivals"
)

// ways are the two ways in which a collection is fitted: by measurements of short words, and along
// the runs, which takes a constant input.
type ways struct {
	c  moments.Set
	o  Options
	by policy
}

type way func(context.Context, moments.Set, Options, policy) (*Result, error)

// words fits by measurements of words, and says what the data say of it.
func (w ways) words(ctx context.Context) (*Result, error) {
	return w.reviewed(ctx, fitWords)
}

// runs fits along the runs.
func (w ways) runs(ctx context.Context) (*Result, error) {
	return w.reviewed(ctx, func(ctx context.Context, c moments.Set, o Options, by policy) (*Result, error) {
		f := newRunFit(c, o, by)
		if f == nil {
			return nil, errNoRuns
		}
		return f.fit(ctx)
	})
}

// ownStarts fits along runs that have starts of their own.
func (w ways) ownStarts(ctx context.Context, f *runFit) (*Result, error) {
	switch k := w.c.Kept(); {
	case f == nil:
		return nil, errors.New("twornn: OwnStarts takes inputs that hold a constant: give one that is always 1 (Window.Bias and Series.Runs of package datasets do)")
	case k.Overlaps():
		return nil, errors.New("twornn: OwnStarts takes whole runs, not windows that overlap: give each stretch of the record as one sequence (Series.Runs of package datasets does)")
	}
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

// reviewed fits one way.
func (w ways) reviewed(ctx context.Context, fit way) (*Result, error) {
	r, err := fit(ctx, w.c, w.o, w.by)
	if err != nil {
		return nil, err
	}
	// Again with less effort: the rank is known, and a start or two.
	o, by := w.o, w.by
	o.Rank, o.Recorder, o.Src = r.Rank, nil, nil
	by.ManyStarts, by.FewStarts, by.SpareStarts, by.runs.Starts = 3, 1, 2, 1
	r.learnAgain(ctx, w.c, w.o, func(c moments.Set) (*Result, error) { return fit(ctx, c, o, by) })
	r.review(w.c, w.by)
	return r, nil
}

// better fits short words with a constant input: by their measurements where such a model holds, and
// is worth its products of inputs, and else by whichever way does better on parts left out. Words
// may carry fewer states than are asked for; along the runs any number is possible.
func (w ways) better(ctx context.Context) (*Result, error) {
	short := w
	words, err := short.words(ctx)
	asked, high := new(rankError), false
	if errors.As(err, &asked) {
		short.o.Rank, high = asked.most, true
		words, err = short.words(ctx)
	}
	switch {
	case ctx.Err() != nil:
		return words, err
	case err == nil && !high && words.holds() && (w.o.Rank > 0 || words.earns(w.by) || !words.trial.Drifts()):
		return words, nil
	case err != nil && w.o.Rank > 0 && !high:
		return nil, err
	}
	runs, failed := w.runs(ctx)
	if err == nil && (failed != nil || words.holds() && words.factor < (1-w.by.Earned)*runs.factor) {
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
