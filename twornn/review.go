package twornn

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/moments"
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
	r.reviewOutliers(outliers(k, d, p, by))
	r.reviewSize(k, d, p)
	r.reviewEnd(k)
	if r.trial != nil {
		r.reviewRivals(k, d, p, by)
	}
	r.reconcile()
}

// try sets the rivals.
func (r *Result) try(k *moments.Kept) {
	if _, d, p := r.Dims(); r.trial == nil {
		r.trial = newTrial(k, d, p, r.units(k, p))
	}
}

// units returns what brings each output to a spread of 1, or a constant one to a size of 1.
func (r *Result) units(k *moments.Kept, p int) []float64 {
	_, scale := outputMoments(k, p)
	for o, size := range sizes(k, p) {
		if size > 0 && !(scale[o]*size < 1e8) {
			scale[o] = 1 / size
		}
	}
	return scale
}

// reviewColumns lets inputs that do not move in training count for nothing once they do: their part
// goes to a constant, one of ones before any other. It names them.
func (r *Result) reviewColumns(k *moments.Kept, d int) {
	still := stillColumns(k, d)
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
			r.Warnings[i].Text += fmt.Sprintf("; input %s is the same throughout, and counts for nothing if it moves later", list(names))
		}
	}
}

// stillColumns returns the inputs that do not move but for rounding.
func stillColumns(k *moments.Kept, d int) (still []int) {
	mean, C := inputMoments(k, d)
	for j := range d {
		if math.Sqrt(max(0, C.At(j, j))) <= 1e-8*math.Abs(mean[j]) {
			still = append(still, j)
		}
	}
	return still
}

// reviewOutliers warns of values that squared errors are made of.
func (r *Result) reviewOutliers(all []outlier) {
	if len(all) == 0 {
		return
	}
	var text []string
	for _, o := range all[:min(len(all), 3)] {
		text = append(text, o.String())
	}
	r.warn(Outliers, "a few values outweigh all others: %s; mend them or leave their sequences out, or take logarithms or ranks where such values are right", strings.Join(text, "; "))
}

// reviewSize warns where the data are fewer than what was to be learnt of them.
func (r *Result) reviewSize(k *moments.Kept, d, p int) {
	if r.Fallback || r.Has(Deficient) {
		return
	}
	outputs := 0
	for _, run := range k.Runs {
		outputs += (len(run.At) - run.Fresh) * p
	}
	free := freeParameters(r.Rank, d, p)
	if r.Interactions != nil {
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
	if free > outputs {
		r.warn(Deficient, "the data hold %s, the model has %s: it is one of many that fit; give more data or lower the rank", count(outputs, "output"), count(free, "free parameter"))
	}
}

// reviewEnd warns of a fit that reached its limit, where nothing has warned yet.
func (r *Result) reviewEnd(k *moments.Kept) {
	st := r.Refinement
	if st.Status == IterationLimit && r.Interactions != nil && !r.Has(NotConverged) {
		r.warn(NotConverged, "the fit along the runs reached its limit of %s", count(st.Iterations, "iteration"))
	}
	for _, l := range r.Lengths {
		if k.Words() {
			break // words that were not met are none that inputs cannot show
		}
		s, ok := r.Recovery[l]
		if ok && s.Status == Underdetermined && s.Rank > 0 && float64(s.N) >= 2*s.Unknowns && l > 1 {
			r.warn(Unexcited, "of the d^l = %.4g products of %s that H(%d) has an entry for the data show %d independent ones in %s: the model is right on inputs like those of the data, and not learnt on others; give inputs that vary more freely",
				s.Unknowns, count(l, "input"), l, s.Rank, count(s.N, "measurement"))
			break
		}
	}
}

// reviewRivals compares with the rivals.
func (r *Result) reviewRivals(k *moments.Kept, d, p int, by policy) {
	s := r.trial
	model := r.left
	if r.Fallback {
		model = s.energy
	}
	if in := r.Interactions; model == nil && in != nil && in.Validation > 0 {
		model = []float64{in.Validation * float64(len(s.targets)*p)} // units are those of the trial
	}
	if model == nil {
		model = s.asItIs(r.Model, k)
	}
	var rival string
	rival, r.factor = s.outdone(model)
	_, constant := k.Constant(d)
	nothing := 1e-9 * total(s.energy)
	without := min(total(s.without), total(model)) + nothing
	if with := total(s.linear) + nothing; !constant && !k.Words() && with < (1-by.Constant)*without {
		r.warn(NoConstant, "outputs have a part that does not depend on the inputs, which a 2-RNN without a constant input cannot have: on parts of the data left out a linear regression with a constant has %.3g times the squared error of what goes without; give an input that is always 1 (Window.Bias of package datasets does)", with/without)
		return
	}
	bound := 1 + by.Outdone
	switch {
	case r.Fallback:
		bound = 1 + 3*by.Outdone // of the zero function that much is said already
	case r.again:
		bound = 1 - by.Outdone // of few data: what is hardly better may be worse
	}
	if r.factor > bound {
		r.warn(Outdone, "on parts of the data left out %s does better: the squared error of the model is %.3g times as large; take that instead, or give more data, longer sequences or a constant input", rival, r.factor)
	}
}

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

// asItIs returns the errors of a model on all parts, none of them left out.
func (s *trial) asItIs(m *Model, k *moments.Kept) []float64 {
	_, d, p := m.Dims()
	errors := make([]float64, s.parts)
	last := -1
	var y mat.Dense
	for _, q := range s.targets {
		run := k.Runs[q.r]
		if q.r != last && len(run.X) > 0 {
			y.Reset()
			m.OutputsTo(&y, mat.NewDense(len(run.X)/d, d, run.X))
			last = q.r
		}
		hat := m.Predict(nil, nil)
		if q.t > 0 {
			hat = y.RawRowView(q.t - 1)
		}
		for o, v := range run.Y[q.i*p : (q.i+1)*p] {
			e := (v - hat[o]) * s.scale[o]
			errors[q.fold] += e * e
		}
	}
	return errors
}
