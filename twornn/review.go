package twornn

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/moments"
	"github.com/twornn/spectral/twornn/internal/phrase"
	"github.com/twornn/spectral/twornn/internal/rivals"
)

// review adds to a result what the data, and the rivals on parts of them left out, say of it,
// whichever way it was fitted, and takes away what contradicts itself.
func (r *Result) review(c moments.Set, by policy) {
	k := c.Kept()
	if k == nil || r.Exact != nil || k.AsWords() {
		return
	}
	_, d, p := r.Dims()
	r.try(k)
	r.reviewColumns(k, d)
	r.reviewClasses(k, d)
	if r.wild == nil {
		r.wild = &wild{k.Outliers(d, p, by.Outlier, by.OutlierShare)}
	}
	r.reviewOutliers(r.wild.outliers)
	r.reviewSwelling(k, p, by)
	r.reviewBreaks(k, d, p, by)
	r.reviewSize(k, d, p, by)
	r.reviewEnd(k, d)
	if r.trial != nil {
		r.reviewRivals(k, d, p, by)
	} else if !r.Fallback {
		r.warn(TooFew, tooFew, phrase.Count(k.Targets()*p, "output")) // there are no parts to leave out
	}
	r.reconcile()
}

// try sets the rivals.
func (r *Result) try(k *moments.Kept) {
	if _, d, p := r.Dims(); r.trial == nil {
		r.trial = rivals.New(k, d, p, r.units(k, p), rivals.Alone)
	}
}

// units returns what brings each output to a spread of 1, or a constant one to a size of 1.
func (r *Result) units(k *moments.Kept, p int) []float64 {
	_, scale := k.OutputMoments(p)
	for o, size := range k.Sizes(p) {
		if size > 0 && !(scale[o]*size < 1e8) {
			scale[o] = 1 / size
		}
	}
	return scale
}

// reviewColumns lets inputs that do not move in training count for nothing once they do: their part
// goes to a constant, one of ones before any other. It names them.
func (r *Result) reviewColumns(k *moments.Kept, d int) {
	still := k.Still(d)
	if len(still) < 2 || r.Fallback {
		return
	}
	first := k.Runs[slices.IndexFunc(k.Runs, func(r moments.Run) bool { return len(r.X) > 0 })].X[:d]
	at := still[0]
	for _, j := range still {
		if first[j] == 1 {
			at = j
			break
		}
	}
	var names []int
	for _, j := range still {
		if j == at || first[at] == 0 {
			continue
		}
		names = append(names, j+1)
		f := first[j] / first[at]
		linalg.AddMultiple(r.A[at], f, r.A[j])
		r.A[j].Zero()
		if r.joined != nil {
			W := mat.DenseCopyOf(r.joined.w.W)
			for i := range W.RawMatrix().Rows {
				W.Set(i, at, W.At(i, at)+f*W.At(i, j))
				W.Set(i, j, 0)
			}
			r.joined.w.W = W
		}
	}
	for i, w := range r.Warnings {
		if w.Kind == Collinear && len(names) > 0 {
			what := "input %s is the same throughout, and counts for nothing if it moves later"
			if len(names) > 1 {
				what = "inputs %s are the same throughout, and count for nothing if they move later"
			}
			r.Warnings[i].Text += "; " + fmt.Sprintf(what, phrase.List(names))
		}
	}
}

// reviewClasses says that columns of classes, which add up to a constant that stands beside them, do no harm, where no other
// input depends on others.
func (r *Result) reviewClasses(k *moments.Kept, d int) {
	columns, sum := k.Classes(d)
	if r.dependent == 0 || r.dependent != sum || len(k.Still(d)) != 1 {
		return
	}
	for i, w := range r.Warnings {
		if w.Kind == Collinear {
			r.Warnings[i].Text = fmt.Sprintf("%d inputs of 0 and 1 add up to the constant beside them, as those of classes do: the model is right wherever they do so, and nothing is to be left out", columns)
		}
	}
}

// reviewOutliers warns of values that squared errors are made of.
func (r *Result) reviewOutliers(all []moments.Outlier) {
	if len(all) == 0 {
		return
	}
	var text []string
	for _, o := range all[:min(len(all), 3)] {
		text = append(text, o.String())
	}
	r.warn(Outliers, "a few values outweigh all others: %s; mend them or leave their sequences out, or take logarithms or ranks where such values are right", strings.Join(text, "; "))
}

// reviewSwelling warns of a record that grows so much that its last part is next to all that squared errors see: what
// is learnt of it holds there, and goes astray where the record has gone on.
func (r *Result) reviewSwelling(k *moments.Kept, p int, by policy) {
	n := k.Targets()
	if r.Has(Outliers) || r.Fallback || n < by.Least || !k.Overlaps() && len(k.Runs) > 1 {
		return
	}
	all, last := make([]float64, p), make([]float64, p)
	i := 0
	for _, run := range k.Runs {
		for q := run.Fresh; q < len(run.At); q++ {
			for o, y := range run.Y[q*p : (q+1)*p] {
				all[o] += y * y
				if i >= n-n/rivals.Parts {
					last[o] += y * y
				}
			}
			i++
		}
	}
	for o, v := range last {
		if v > by.Swollen*all[o] {
			r.warn(Outliers, "the last sixth of the data outweighs all before: of output %d it holds %.4g %% of the sum of squares; take logarithms or changes, or leave out what came before the growth", o+1, 100*v/all[o])
			return
		}
	}
}

// reviewBreaks warns of a record whose outputs change their level or size at once where no input does, as where a unit changes:
// a state that lasts may go along with it, and a model of the whole is right nowhere.
func (r *Result) reviewBreaks(k *moments.Kept, d, p int, by policy) {
	if r.Has(Outliers) || !k.Overlaps() && len(k.Runs) > 1 {
		return
	}
	if b, ok := k.Break(d, p, by.Break); ok {
		r.warn(Shifting, "%v, and no input changes there: bring the record to one level and unit, learn from the part after the change, or give an input that is 0 before and 1 after", b)
	}
}

// reviewSize warns where the data are fewer than what was to be learnt of them.
func (r *Result) reviewSize(k *moments.Kept, d, p int, by policy) {
	if r.Fallback || r.Has(Deficient) {
		return
	}
	var outputs int
	free := freeParameters(r.Rank, d, p)
	if r.Interactions == nil {
		outputs = k.Different() * p
	} else {
		outputs = min(k.Targets(), k.Different()) * p
		free = p
		for _, c := range r.Candidates {
			if c.Chosen {
				free = max(free, c.Parameters)
			}
		}
		if !r.Interactions.Taken {
			free = max(free, min(freeParameters(r.Rank, d, p), r.Rank*(d+p)))
		}
	}
	if different := k.Different(); by.Repeats*different < k.Targets() && different*p < by.FewDifferent && !k.Words(d) {
		r.warn(Unexcited, "of %s only %d stand after different inputs, the others repeat them: the model is right there, and not learnt on other inputs; give inputs that vary more freely", phrase.Count(k.Targets(), "output"), different)
	}
	if free > outputs {
		r.warn(Deficient, "the data hold %s after different inputs, the model has %s: it is one of many that fit; give more data or lower the rank", phrase.Count(outputs, "output"), phrase.Count(free, "free parameter"))
	}
}

// reviewEnd warns of a fit that reached its limit, where nothing has warned yet.
func (r *Result) reviewEnd(k *moments.Kept, d int) {
	st := r.Refinement
	if st.Status == IterationLimit && st.Iterations > 0 && r.Interactions != nil && !r.Has(NotConverged) {
		r.warn(NotConverged, "the fit along the runs reached its limit of %s; give more data, fewer inputs or a lower rank, or go on from this model with Likelihood", phrase.Count(st.Iterations, "iteration"))
	}
	for _, l := range r.Lengths {
		if k.Words(d) {
			break // words that were not met are none that inputs cannot show
		}
		s, ok := r.Recovery[l]
		if ok && s.Status == Underdetermined && s.Rank > 0 && float64(s.N) >= 2*s.Unknowns && l > 1 {
			r.warn(Unexcited, "of the d^l = %.4g products of %s that H(%d) has an entry for the data show %d independent ones in %s: the model is right on inputs like those of the data, and not learnt on others; give inputs that vary more freely",
				s.Unknowns, phrase.Count(l, "input"), l, s.Rank, phrase.Count(s.N, "measurement"))
			break
		}
	}
}

// reviewRivals compares with the rivals.
func (r *Result) reviewRivals(k *moments.Kept, d, p int, by policy) {
	s := r.trial
	model := r.leftOut(k, d, p)
	rival, factor, won := s.Outdone(model)
	r.factor = factor
	nothing := 1e-9 * rivals.Total(s.Energy)
	without := min(rivals.Total(s.Without), rivals.Total(model)) + nothing
	missing := false // the constant
	if with := rivals.Total(s.Linear) + nothing; with < (1-by.Constant)*without && !k.Words(d) {
		if _, constant := k.Constant(d); !constant {
			missing = true
			r.warn(NoConstant, "outputs have a part that does not depend on the inputs, which a 2-RNN without a constant input cannot have: on parts of the data left out a linear regression with a constant has %.3g times the squared error of what goes without; give an input that is always 1 (Window.Bias of package datasets does)", with/without)
		}
	}
	bound := 1 + by.Outdone
	if 3*won <= s.Parts {
		bound = 1 + by.Outdone/2 // most parts say so
	}
	switch {
	case r.Fallback:
		bound = 1 + 3*by.Outdone // of the zero function that much is said already
	case r.again:
		bound = 1 + by.Outdone/5 // of whole fits to the others, and a tie is none
	}
	switch {
	case r.factor > bound:
		r.warn(Outdone, "on parts of the data left out %s does better: the squared error of the model is %.4g times as large; take that instead, or give %s", rival, r.factor, outdoneCure(k, d, missing))
	case missing || r.Fallback:
	case !r.Has(Outliers) && rivals.Total(model) > (1-by.Little)*rivals.Total(s.Mean)+nothing:
		r.warn(TooFew, "on parts of the data left out the model does next to no better than the mean of the outputs: hardly anything of them is learnt from these inputs; give more data, or other inputs beside them, such as squares or products of two")
	default:
		r.reviewFew(k, p, by, rival, won)
	}
}

// leftOut returns the squared errors of the model on the parts left out, as they are known, or else those of the model as
// it is.
func (r *Result) leftOut(k *moments.Kept, d, p int) []float64 {
	s, model := r.trial, r.left
	if r.Fallback {
		model = s.Energy
	}
	if sum := floats.Sum(r.folds); model == nil && len(r.folds) > 0 && !math.IsNaN(sum) && !math.IsInf(sum, 0) {
		for _, v := range r.folds { // units are those of the trial, and parts count alike
			model = append(model, v*float64(len(s.Targets)*p)/float64(len(r.folds)))
		}
	}
	if model == nil {
		model = s.AsItIs(r.Model, k, d)
	}
	return model
}

// outdoneCure says what may help a model that a rival outdoes.
func outdoneCure(k *moments.Kept, d int, missing bool) string {
	if missing {
		return "a constant input"
	}
	if k.Targets() == len(k.Runs) && k.Words(d) {
		return "more data, shorter sequences or outputs after more of their steps" // than the last
	}
	if _, constant := k.Constant(d); !constant {
		return "more data, longer sequences or a constant input"
	}
	return "more data or longer sequences"
}

// reviewFew warns where data are too few to tell whether the model, which won on so many parts, is better than the rival.
func (r *Result) reviewFew(k *moments.Kept, p int, by policy, rival string, won int) {
	s := r.trial
	switch n := len(s.Targets) * p; {
	case n > few:
	case n < by.Least:
		r.warn(TooFew, tooFew, phrase.Count(n, "output"))
	case k.N < 2*rivals.Parts && n < 3*by.Least && !k.Overlaps() && len(k.Runs) > 1:
		r.warn(TooFew, tooFew, phrase.Count(k.N, "sequence")) // hardly more than one a part
	case r.over > 0 && r.over < by.Evidence:
		r.warn(TooFew, "the data hardly tell the model from chance: its BIC is %.3g below that of the zero function (10 or more is a clear difference); give more data", r.over)
	case won == s.Parts && r.hardly(by):
		r.warn(TooFew, "the data are too few to tell whether the model is worth having: on parts of them left out its squared error is %.3g times that of %s; give more data, or take that where in doubt", r.factor, rival)
	case won < s.Parts && !(won == s.Parts-1 && r.factor < by.Clear):
		r.warn(TooFew, "the data are too few to tell whether the model is worth having: on parts of them left out its squared error is %.3g times that of %s, which does better on %d of the %d parts; give more data, or take that where in doubt", r.factor, rival, s.Parts-won, s.Parts)
	}
}

const tooFew = "%s of training data do not tell how good a model is; give more data"

// reconcile takes away warnings that another makes void.
func (r *Result) reconcile() {
	drop := map[WarningKind]bool{}
	if r.Has(RankCut) {
		drop[RankLow] = true // more states than were taken were tried, and fitted no better
	}
	if r.Fallback { // the model that they speak of is not returned
		for _, k := range []WarningKind{RankCut, Unstable, Drifting, ShortWords} {
			drop[k] = true
		}
	}
	var kept []Warning
	for _, w := range r.Warnings {
		if !drop[w.Kind] {
			kept = append(kept, w)
		}
	}
	r.Warnings = kept
}

// few is up to how many outputs, times p, data count as few: parts are then left out of whole fits,
// ranks and starts and all, since near the number of parameters the best of many optima has seen
// too much of what is left out afterwards.
const few = 600

// compared is the same for words that a fit along runs is compared with, of which that is so for as
// many as 27 parameters of 800 outputs: a step from the fit to all told of 0.95 times the error of a
// linear regression, fits to the others of 1.00, and on fresh data it was 1.15 and 1.3.
const compared = 6000

// learnAgain sets the errors on parts left out to those of fits to the others, by the way
// that the model was fitted, where the outputs, times p, are few or at most so many; and takes the zero
// function if that does better and the rank was left open.
func (r *Result) learnAgain(ctx context.Context, c moments.Set, o Options, most int, fit func(moments.Set) (*Result, error)) {
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
	again := len(s.Targets)*p <= few
	if !again && k.Targets()*p > most || len(k.Runs) < 2 {
		return
	}
	t := rivals.New(k, d, p, s.Scale, rivals.Parts)
	parts := make([]float64, t.Parts)
	for f := range parts {
		sub, err := collect(without(k, t, f, d, p), moments.Plan{Also: append(o.lengths(), r.Lengths...)})
		if err == nil {
			var q *Result
			if q, err = fit(sub); err == nil {
				parts[f] = t.AsItIs(q.Model, k, d)[f]
			}
		}
		if err != nil {
			t.Skip(f) // what is left has too few lengths
		}
	}
	left, zero := rivals.Total(parts), rivals.Total(t.Energy)
	if ctx.Err() != nil || zero == 0 {
		return
	}
	r.trial, r.left, r.again = t, parts, again
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
func without(k *moments.Kept, s *rivals.Trial, f, d, p int) iter.Seq[Sequence] {
	out := map[int]bool{}
	for _, q := range s.Targets {
		if q.Fold == f {
			out[q.Run] = true
		}
	}
	return func(yield func(Sequence) bool) {
		for i, r := range k.Runs {
			if out[i] {
				continue
			}
			q := Sequence{Y: mat.NewDense(len(r.At), p, r.Y), At: r.At}
			if len(r.X) > 0 {
				q.X = mat.NewDense(len(r.X)/d, d, r.X)
			}
			if !yield(q) {
				return
			}
		}
	}
}
