package twornn

import (
	"context"
	"iter"

	"github.com/twornn/spectral/twornn/internal/moments"
	"github.com/twornn/spectral/twornn/internal/stop"
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
	return stop.WithBest(ctx, func(sofar func(*Result)) (*Result, error) {
		c, err := o.measure(ctx, data)
		if err != nil {
			return nil, err
		}
		return fitSet(ctx, c, o, standard, sofar)
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
	return stop.WithBest(ctx, func(sofar func(*Result)) (*Result, error) { return fitSet(ctx, set, o, standard, sofar) })
}

// fitSet is FitCollection for options that are checked, by the given policy: exactly, where
// words of many symbols can be; along the runs where the inputs hold a constant, unless the
// data are short words and a model of those holds. It tells sofar what there is in a moment, if anything.
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
	w := ways{c, o, by, sofar}
	runs := newRunFit(c, o, by)
	if runs == nil && o.Recovery == nil && !o.OwnStarts {
		if wide, err := newWideFit(c, o, by); wide != nil || err != nil {
			if err != nil {
				return nil, err
			}
			return w.wide(ctx, wide)
		}
	}
	if o.OwnStarts {
		return w.ownStarts(ctx, runs)
	}
	switch {
	case runs == nil || o.Recovery != nil || o.Rank == 1:
		return w.words(ctx)
	case runs.short():
		return w.better(ctx)
	}
	return w.runs(ctx)
}
