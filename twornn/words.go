package twornn

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/lsq"
	"github.com/twornn/spectral/twornn/internal/phrase"
	"github.com/twornn/spectral/twornn/internal/rivals"
)

// fit takes the steps, and tells what came of them.
func (f *wordFit) fit(ctx context.Context) (*Result, error) {
	start, err := f.start(ctx)
	if err != nil {
		return nil, err
	}
	if f.o.Recovery != nil {
		return f.told(ctx, start, f.spectral) // the paper's Algorithm 1, and no more
	}
	best, tried, err := f.choose(ctx, start) // by likelihood, at every rank on the way
	if err != nil {
		return nil, err
	}
	return f.told(ctx, best, tried)
}

// told returns the best of the candidates as a result in the units of the data, with what is to be
// said of it.
func (f *wordFit) told(ctx context.Context, best candidate, tried []candidate) (r *Result, err error) {
	trial, left := f.try(ctx, &best)
	r = f.result(best)
	r.trial, r.left, r.wild, r.over = trial, left, f.wild, best.over
	if r.joined, err = f.joined(best, r); err != nil {
		return nil, err
	}
	for _, c := range tried {
		a := f.account(c, best.Model)
		a.Chosen = a.Chosen && !r.Fallback
		r.Candidates = append(r.Candidates, a)
	}
	if rank := f.betterRank(ctx, best); rank > 0 && !r.Has(RankLow) {
		r.warn(RankLow, "rank %d asked for, but %d states fit clearly better (by BIC): what the rank leaves out is no noise; raise Options.Rank, or leave it 0 to have it chosen", f.o.Rank, rank)
	}
	r.Model = f.w.toData(r.Model)
	if k, d := f.w.dims(); k < d {
		r.warnCollinear(d-k, d, false)
	}
	r.adequate = best.climb != nil && best.climb.adequate(f.policy)
	return r, nil
}

// result returns what is to be told of the best candidate: the zero function in its place
// if the guard asks for that, and all warnings.
func (f *wordFit) result(best candidate) *Result {
	r := f.summary(best)
	for _, check := range []func(candidate, *Result){
		f.checkData, f.checkStart, f.checkRecoveries, f.checkChoice, f.checkDescent, f.checkFreedom, f.checkRank, f.checkWords,
	} {
		check(best, r)
	}
	if f.guard(best, r); !r.Fallback {
		f.checkLong(best, r)
	}
	return r
}

// summary returns the result without a warning.
func (f *wordFit) summary(best candidate) *Result {
	r := &Result{
		Model: best.Model, L: best.L, Rank: best.states(), Basis: best.basis, SingularValues: best.values, Recovery: f.stats,
		Lengths: f.c.Lengths(), LongMSE: best.long,
	}
	var energy float64
	for _, l := range f.c.Lengths() {
		r.N += f.c[l].N()
		for j, v := range f.c[l].Outputs.Mean {
			o := f.c[l].Outputs
			energy += (o.M2[j] + o.N*v*v) / (f.scale[j] * f.scale[j])
		}
	}
	r.MSE, r.ZeroMSE = best.sse/float64(r.N*f.p), energy/float64(r.N*f.p)
	r.ceiling = f.o.Rank == 0 && r.Rank >= f.most(best)
	if best.climb != nil {
		r.Refinement = best.climb.stats()
	}
	return r
}

// checkData warns of lengths with fewer independent measurements than unknowns, or hardly as many.
func (f *wordFit) checkData(best candidate, r *Result) {
	if best.climb != nil {
		return // whatever the start was, the likelihood tells
	}
	for _, l := range best.basis.lengths(best.L) {
		switch st := f.stats[l]; {
		case st.Status == Underdetermined:
			r.warn(Deficient, "H(%d) has d^l = %.4g unknowns for each output and %d measurements of rank %d: the solution of least norm is used; give more data or lower L",
				l, st.Unknowns, st.N, st.Rank)
		case st.RCond*f.policy.Condition < 1 && st.RCond > 0:
			r.warn(IllConditioned, "H(%d) is recovered from products of inputs whose condition is %.2g: errors of the outputs, and of rounding, may come out so many times as large; give inputs that vary more freely, or leave Options.Recovery nil",
				l, 1/st.RCond)
		}
	}
}

// checkStart warns of long runs of which a start sees next to nothing: the first few steps of each.
func (f *wordFit) checkStart(_ candidate, r *Result) {
	k, n := f.c.Kept(), 0
	for _, l := range f.c.Lengths() {
		n += f.c[l].N()
	}
	if k == nil || len(k.Runs) == 0 || f.policy.Seen*n >= k.Targets() {
		return
	}
	r.warn(Deficient, "of %s only the %d after the first steps of a run tell a start, and where that is poor the descent along the others ends anywhere: cut runs into sequences that begin at the same state, or give an input that is always 1, with which fits go along runs",
		phrase.Count(k.Targets(), "output"), n)
}

// checkRecoveries warns of recoveries that did not converge.
func (f *wordFit) checkRecoveries(best candidate, r *Result) {
	if f.o.Recovery == nil {
		return // it was a start
	}
	for _, l := range best.basis.lengths(best.L) {
		switch st := f.stats[l]; st.Status {
		case Stopped:
			r.warn(NotConverged, "the recovery of H(%d) was stopped after %s; allow it more time", l, phrase.Count(st.Iterations, "iteration"))
		case IterationLimit:
			r.warn(NotConverged, "the recovery of H(%d) reached its limit of %s at a residual of %.3g; raise its MaxIterations, or leave its Step zero to have steps set from the data", l, phrase.Count(st.Iterations, "iteration"), st.Residuals[len(st.Residuals)-1])
		}
	}
}

// checkChoice hands on what the choice has to say.
func (f *wordFit) checkChoice(best candidate, r *Result) {
	if best.note != nil {
		r.Warnings = append(r.Warnings, *best.note)
	}
}

// checkDescent warns of a joint fit that was cut short.
func (f *wordFit) checkDescent(best candidate, r *Result) {
	if best.climb == nil {
		return
	}
	switch st := r.Refinement; {
	case f.cutShort || best.climb.Status == lsq.Stopped:
		r.warn(NotConverged, "stopped before every rank and start was tried; the model is the best so far%s; allow more time, or name a rank", st.offset())
	case f.exhausted:
		r.warn(NotConverged, "the search reached its limit of work, and some ranks or starts were not tried; give Options{Rank: n} to have one rank searched in full")
	case st.Status == IterationLimit && !(st.Gradient < f.policy.Offset) && !best.climb.exact():
		r.warn(NotConverged, "the joint fit reached its limit of %s%s; give more data, fewer inputs or a lower rank, or go on from this model with LevenbergMarquardt.Refine", phrase.Count(st.Iterations, "iteration"), st.offset())
	}
}

// offset says how far from its optimum a fit ended, where that is known.
func (s Stats) offset() string {
	if math.IsInf(s.Gradient, 0) || math.IsNaN(s.Gradient) {
		return ""
	}
	return fmt.Sprintf(", %.2g standard errors from its optimum", s.Gradient)
}

// checkFreedom warns of a model with more free parameters than the data have outputs.
func (f *wordFit) checkFreedom(best candidate, r *Result) {
	if k := freeParameters(best.states(), f.d, f.p); best.climb != nil && float64(k) > best.climb.q.M {
		r.warn(Deficient, "the data hold %.0f outputs, the model has %d free parameters: it is one of many that fit; give more data or lower the rank", best.climb.q.M, k)
	}
}

// checkRank warns of fewer states than were asked for.
func (f *wordFit) checkRank(best candidate, r *Result) {
	if f.o.Rank <= r.Rank {
		return
	}
	if best.climb != nil && len(f.spectral) > 0 && f.spectral[0].states() > r.Rank {
		r.warn(RankCut, "rank %d asked for: no model of more than %s was found that fits the data better, and spare states would fit noise and go astray on longer sequences", f.o.Rank, phrase.Count(r.Rank, "state"))
		return
	}
	r.warn(RankCut, "rank %d asked for, the words measured carry %d: the other singular values are at the level of rounding", f.o.Rank, r.Rank)
}

// guard puts the zero function in the place of a model that does worse (Section 5), or no
// better than chance would.
func (f *wordFit) guard(best candidate, r *Result) {
	switch {
	// Not ≤, so that a NaN falls back too; and not for rounding.
	case !(r.MSE <= r.ZeroMSE*(1+1e-9)):
		cure := "give more data, or inputs that tell more"
		if f.o.Rank > 0 || f.o.L > 0 {
			cure = "lower the rank or L, or give more data"
		}
		r.warn(WorseThanZero, "the training MSE of the model, %.4g, is not below the %.4g of the zero function, which is returned instead; %s",
			r.MSE, r.ZeroMSE, cure)
	case best.zero:
		r.warn(WorseThanZero, "no model explains more of the data than chance would (by BIC; the best has training MSE %.4g, the zero function %.4g): the zero function is returned; give more data, fewer inputs, or a rank", r.MSE, r.ZeroMSE)
	default:
		return
	}
	r.Fallback = true
	r.Model, r.Rank, r.MSE = NewModel(1, f.d, f.p), 0, r.ZeroMSE
}

// checkLong warns of a model that does worse, or explodes, on sequences longer than those
// measured.
func (f *wordFit) checkLong(best candidate, r *Result) {
	last := r.Lengths[len(r.Lengths)-1]
	// A relative error of 1e-9 is exact: what is below is rounding.
	outputs := 0
	for _, l := range r.Lengths {
		outputs += f.c[l].N() * f.p
	}
	by := f.policy.Drift * (1 + 2*math.Sqrt(2/float64(outputs))) // of few the mean square is known so far
	drifts := best.long > by*r.MSE && best.long > 1e-18*best.zeroLong
	if drifts && best.long <= best.zeroLong {
		r.warn(Drifting, "on whole training sequences the MSE is %.3g, on the up to %s that were measured %.3g: run it on windows of that length, or give L", best.long, phrase.Count(last, "step"), r.MSE)
	}
	if drifts && best.long > f.policy.LongWorse*best.zeroLong {
		r.warn(Unstable, "on whole training sequences, longer than the %d steps that were measured, the MSE is %.3g, above the %.3g of the zero function; give shorter sequences, or try another rank or L",
			last, best.long, best.zeroLong)
	} else if most, bad := f.explodes(r.Model); bad {
		r.warn(Unstable, unstable, most)
	}
}

// checkWords warns of words too short for the states that the data show.
func (f *wordFit) checkWords(best candidate, r *Result) {
	if !r.ceiling || best.climb == nil || best.climb.adequate(f.policy) {
		return
	}
	q, sse := best.climb.q, best.climb.SSE
	if q.PureDof < 10 {
		return // nothing tells how good a fit can be
	}
	noise := q.Pure / q.PureDof
	free := max(1, q.M-q.PureDof-float64(q.Free()))
	if excess := (sse - q.Pure) / noise; excess > free+2*f.policy.Misfit*math.Sqrt(2*free) && sse/q.M > 1.05*noise {
		longest := r.Lengths[len(r.Lengths)-1]
		r.warn(ShortWords, "words of up to %s carry no more than %s, and those leave %.3g times the squared error that noise does: give longer sequences with an output at every step, of %d steps or more",
			phrase.Count(longest, "step"), phrase.Count(r.Rank, "state"), sse/q.M/noise, longest+2)
	}
}

// try compares a joint fit with the rivals, and has the zero function taken where that does better
// on parts left out and the rank was left open.
func (f *wordFit) try(ctx context.Context, best *candidate) (*rivals.Trial, []float64) {
	k := f.c.Kept()
	_, d := f.w.dims()
	s := rivals.New(k, d, f.p, f.scale, rivals.Alone)
	if s == nil || best.climb == nil || ctx.Err() != nil {
		return s, nil
	}
	left := s.LeaveOut(k, f.w.W, best.climb.q.Shape, best.climb.Theta)
	if f.o.Rank == 0 && left != nil && rivals.Total(left) > rivals.Total(s.Energy) {
		best.zero = true
	}
	return s, left
}

// joined returns what intervals need of a joint fit, nil if there was none.
func (f *wordFit) joined(best candidate, r *Result) (*joined, error) {
	if best.climb == nil || r.Fallback {
		return nil, nil
	}
	noise, err := f.noiseVariances(best.Model)
	if err != nil {
		return nil, err
	}
	q := best.climb.q
	return &joined{
		w: f.w, shape: q.Shape, theta: best.climb.Theta, M: q.M, free: q.Free(),
		noise: noise, last: r.Lengths[len(r.Lengths)-1],
		covariance: func() (func(g []float64, noise float64) float64, error) {
			var K *mat.SymDense
			if k := f.c.Kept(); k != nil && k.Overlaps() {
				K = byTarget(k, f.w, q.Shape, best.climb.Theta)
			}
			return best.climb.covariance(K)
		},
	}, nil
}

// account is what a Result tells of a candidate.
func (f *wordFit) account(c candidate, chosen *Model) Candidate {
	rows := 0
	for _, l := range f.c.Lengths() {
		rows += f.c[l].N()
	}
	n, status := c.states(), NotRun
	if c.climb != nil {
		status = statusOf(c.climb.Status)
	}
	return Candidate{
		Model: f.w.toData(c.Model), L: c.L, Rank: n, Start: c.start, MSE: c.sse / float64(rows*f.p), Parameters: freeParameters(n, f.d, f.p),
		Criterion: c.bic, Growth: growth(c.Model, f.c), Status: status, Chosen: c.Model == chosen,
	}
}

// starts is Start.
func (f *wordFit) starts(ctx context.Context) (out []Candidate, err error) {
	if _, err := f.start(ctx); err != nil {
		return nil, err
	}
	for _, c := range f.spectral {
		out = append(out, f.account(c, nil))
	}
	return out, nil
}

// likelihood is Likelihood.
func (f *wordFit) likelihood(ctx context.Context, m *Model) (Candidate, error) {
	if err := f.o.checkStates(m.states(), f.d, f.p, giveModel); err != nil {
		return Candidate{}, err
	}
	q, err := f.equations(ctx, m.states())
	if err != nil {
		return Candidate{}, err
	}
	r := newClimb(q, f.w.fromData(m))
	if r.run(ctx, LevenbergMarquardt{}, f.o.Recorder, nil); math.IsInf(r.SSE, 1) {
		return Candidate{}, errNoWayDown
	}
	best := candidate{Model: r.model(), L: f.o.L, start: "given", climb: r}
	if err := f.score(&best); err != nil {
		return Candidate{}, err
	}
	best.bic = (&joint{ctx: ctx, f: f, data: q}).criterion(max(r.SSE, 1e-18*q.Spread, 1e-300), q.N)
	return f.account(best, nil), nil
}

// noiseVariances returns the variance of the residuals of each output, by length: the
// squared errors over N less the part that the parameters took, drawn towards that of
// all lengths where rows are few.
func (f *wordFit) noiseVariances(m *Model) (map[int][]float64, error) {
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
