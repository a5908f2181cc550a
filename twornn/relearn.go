package twornn

import (
	"context"
	"iter"

	"github.com/twornn/spectral/twornn/internal/moments"
	"gonum.org/v1/gonum/mat"
)

// few is up to how many outputs, times p, data count as few: parts are then left out of whole fits,
// ranks and starts and all, since near the number of parameters the best of many optima has seen
// too much of what is left out afterwards.
const few = 600

// learnAgain sets the errors on parts left out to those of fits to the others, by the way
// that the model was fitted, where the data are few; and takes the zero function if that does better and the rank
// was left open.
func (r *Result) learnAgain(ctx context.Context, c moments.Set, o Options, fit func(moments.Set) (*Result, error)) {
	k := c.Kept()
	if ctx.Err() != nil || k == nil || r.Fallback || o.Recovery != nil || k.AsWords() {
		return
	}
	r.try(k)
	_, d, p := r.Dims()
	s := r.trial
	if s == nil {
		return
	}
	if len(s.targets)*p > few || len(k.Runs) < 2 {
		return
	}
	parts := min(s.parts, trialParts)
	again := &trial{parts: parts, scale: s.scale, targets: targets(k, parts, len(s.targets))}
	left, zero := 0.0, 0.0
	for f := range parts {
		sub, err := collect(without(k, again, f, d, p), moments.Plan{Also: append(o.lengths(), r.Lengths...)})
		if err != nil {
			continue
		}
		q, err := fit(sub)
		if err != nil {
			continue // what is left has too few lengths
		}
		left += again.asItIs(q.Model, k)[f]
		zero += again.asItIs(NewModel(1, d, p), k)[f]
	}
	if ctx.Err() != nil || zero == 0 {
		return
	}
	// Parts that could not be tried count as those that were.
	share := total(s.energy) / zero
	r.left, r.again = []float64{left * share}, true
	if o.Rank == 0 && left > zero {
		r.warn(WorseThanZero, "on parts of the data left out by turns what is learnt of the others has %.3g times the squared error of the zero function, which is returned: too little is there to tell from chance; give more data, fewer inputs, or a rank", left/zero)
		r.Fallback, r.Model, r.Rank, r.MSE = true, NewModel(1, d, p), 0, r.ZeroMSE
		r.Interactions, r.joined = nil, nil
		for i := range r.Candidates {
			r.Candidates[i].Chosen = false
		}
	}
}

// without returns the sequences that hold no target of part f.
func without(k *moments.Kept, s *trial, f, d, p int) iter.Seq[Sequence] {
	out := map[int]bool{}
	for _, q := range s.targets {
		if q.fold == f {
			out[q.r] = true
		}
	}
	return func(yield func(Sequence) bool) {
		for i, r := range k.Runs {
			if out[i] {
				continue
			}
			q := Sequence{Y: mat.NewDense(len(r.At), p, r.Y)}
			if len(r.X) > 0 {
				q.X = mat.NewDense(len(r.X)/d, d, r.X)
			}
			if !yield(q) {
				return
			}
		}
	}
}
