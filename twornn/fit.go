package twornn

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/moments"
	"github.com/twornn/spectral/twornn/tt"
)

// Options are the choices of Fit. The zero value leaves them all to Fit.
type Options struct {
	// L is the length of prefixes and suffixes. Zero: chosen with the rank among
	// those that the data's lengths allow.
	L int
	// Rank is the number of states, at the most. Zero: the one of least BIC.
	Rank int
	// Basis is the words that index the Hankel block. Zero: Auto.
	Basis Basis
	// Recovery asks for the paper's Algorithm 1 with this estimate of the Hankel tensors,
	// and no more. Nil: the recommended fit, maximum likelihood, see FitCollection.
	Recovery Recovery
	// MaxGrowth bounds by how much the outputs may grow when the model is run on inputs
	// much longer than those trained on, as Candidate.Growth says. A model beyond it gives
	// way to one of lower rank, or if none keeps to it is damped; a warning says so. It acts
	// on the recommended fit. Zero: no bound, but a warning beyond 30.
	MaxGrowth float64
	// Recorder is told of progress. Nil: silent.
	Recorder Recorder
	// Src draws the random starts of the recommended fit. Nil: a fixed seed.
	Src rand.Source
}

// maxLength bounds L: words of 2L+1 symbols.
const maxLength = 1000

// Fit learns a linear 2-RNN from the data: it collects the measurements in one pass, reads
// a model off them by spectral learning (Algorithm 1) and refines it by maximum likelihood.
// See FitCollection for what it chooses and returns.
//
// It errs if ctx is done, a sequence is unusable, or the lengths that L needs are
// not in the data.
func Fit(ctx context.Context, data iter.Seq[Sequence], o Options) (*Result, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	var lengths []int
	if o.L > 0 {
		lengths = append([]int{0}, UpToLength.lengths(o.L)...)
		if o.Basis == EqualLength {
			lengths = EqualLength.lengths(o.L)
		}
	}
	rows, _ := o.Recovery.(RowRecovery)
	c, err := collect(until(ctx, data), moments.Plan{Lengths: lengths, KeepRows: rows != nil && rows.NeedsRows()})
	if err != nil {
		return nil, err
	}
	return fitSet(ctx, c, o)
}

func (o Options) check() error {
	if o.L < 0 || o.Rank < 0 {
		return fmt.Errorf("twornn: L = %d and rank %d: neither may be negative; zero means chosen from the data", o.L, o.Rank)
	}
	if o.Rank > 10_000 {
		return fmt.Errorf("twornn: rank %d asked for: at most 10000 is possible", o.Rank)
	}
	if o.L > maxLength {
		return fmt.Errorf("twornn: L = %d: at most %d is possible", o.L, maxLength)
	}
	if !(o.MaxGrowth >= 0) {
		return fmt.Errorf("twornn: MaxGrowth %g: it may not be negative; zero means no bound", o.MaxGrowth)
	}
	if o.Basis < Auto || o.Basis > UpToLength {
		return fmt.Errorf("twornn: there is no basis %v", o.Basis)
	}
	return nil
}

// until yields data until ctx is done, and then the reason.
func until(ctx context.Context, data iter.Seq[Sequence]) iter.Seq[Sequence] {
	return func(yield func(Sequence) bool) {
		for s := range data {
			if err := ctx.Err(); err != nil {
				yield(Sequence{Err: err})
				return
			}
			if !yield(s) {
				return
			}
		}
	}
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
	return fitSet(ctx, c.set(), o)
}

// fitSet is FitCollection for options that are checked.
func fitSet(ctx context.Context, c moments.Set, o Options) (*Result, error) {
	w, z, err := newCoordinates(c)
	if err != nil {
		return nil, err
	}
	_, p := c.Dims()
	r, d := w.dims()
	f := fitter{c: z, o: o, d: r, p: p, all: d, scale: w.scale, h: map[int]*tt.Tensor{}, stats: map[int]Stats{}}
	best, tried, err := f.fit(ctx)
	if err != nil {
		return nil, err
	}
	res := f.result(best)
	if best.climb != nil && !res.Fallback {
		noise, err := f.noiseVariances(best.Model)
		if err != nil {
			return nil, err
		}
		ls := z.Lengths()
		res.joined = &joined{w, best.climb, noise, ls[len(ls)-1]}
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
	if r < d {
		res.warn(Collinear, "%d of the %d inputs are linear combinations of the others; the model is right where they keep to that", d-r, d)
	}
	return res, nil
}

// outputScale returns the factors that bring the outputs to one size of noise, so that
// least squares over all of them weighs each as likelihood does: none is lost beside
// another in a larger unit, and where all are equally noisy nothing changes. The noise
// is what least squares leaves at the longest length with rows enough to tell; where
// none has, or there is no noise, the outputs' own variance stands for it.
func outputScale(c moments.Set, total moments.Outputs) []float64 {
	scale := make([]float64, len(total.Mean))
	var noise []float64
	for _, l := range slices.Backward(c.Lengths()) {
		if noise = c[l].Noise(); noise != nil {
			break
		}
	}
	for j := range scale {
		sd := math.Sqrt(total.M2[j] / total.N)
		size := sd
		if noise != nil && slices.Max(noise) > 1e-6*sd {
			size = max(noise[j], 1e-3*sd)
		}
		if !(sd > 1e-14*math.Abs(total.Mean[j])) { // constant
			size = math.Abs(total.Mean[j])
		}
		if scale[j] = 1; size > 0 {
			scale[j] = 1 / size
		}
	}
	return scale
}

// fitter is one run of FitCollection, in whitened coordinates throughout.
type fitter struct {
	c     moments.Set
	o     Options
	d, p  int                // independent inputs, outputs
	all   int                // inputs of the data
	scale []float64          // of the outputs
	h     map[int]*tt.Tensor // recovered so far
	stats map[int]Stats

	spectral []candidate // all that were read off the recovered tensors
	cutShort bool        // the search was stopped
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

// account is what a Result tells of a candidate.
func (f *fitter) account(c candidate, chosen *Model) Candidate {
	rows := 0
	for _, l := range f.c.Lengths() {
		rows += f.c[l].N()
	}
	n := c.states()
	return Candidate{
		L: c.L, Rank: n, Start: c.start, MSE: c.sse / float64(rows*f.p), Parameters: freeParameters(n, f.d, f.p),
		Criterion: c.bic, Growth: growth(c.Model, f.c), Chosen: c.Model == chosen,
	}
}

// candidate is a model of one L and rank.
type candidate struct {
	*Model
	L      int
	basis  Basis
	start  string
	climb  *climb   // nil if it was not refined
	note   *Warning // on how it was chosen
	zero   bool     // the zero function has a lower criterion
	values []float64
	sse    float64 // in the units of the data; NaN or +Inf if the model is of no use
	bic    float64

	// Mean squares on longer sequences: the model's, the zero function's.
	long, zeroLong float64
}

// search returns the best candidate of all that the options leave open.
func (f *fitter) search(ctx context.Context) (candidate, error) {
	Ls := []int{f.o.L}
	if f.o.L == 0 {
		Ls = nil
		longest := slices.Max(f.c.Lengths())
		for L := 1; 2*L+1 <= longest; L++ {
			if _, err := f.o.Basis.resolve(L, f.has); err == nil {
				Ls = append(Ls, L)
			}
		}
		if len(Ls) == 0 {
			return candidate{}, fmt.Errorf("twornn: the data have outputs after %s steps; that fits no L: L = 1 needs outputs after 1, 2 and 3 steps, as windows of length 3 or more have them",
				list(f.c.Lengths()))
		}
	}
	var best candidate
	for _, L := range Ls {
		basis, err := f.o.Basis.resolve(L, f.has)
		if err != nil {
			return best, err
		}
		if err := f.recover(ctx, basis, L); err != nil {
			return best, err
		}
		cs, err := f.candidates(L, basis)
		if err != nil && f.o.L == 0 && L < Ls[len(Ls)-1] && errors.Is(err, errRank) {
			continue // a longer L may carry the rank asked for
		}
		if err != nil {
			return best, err
		}
		f.spectral = append(f.spectral, cs...)
		for _, c := range cs {
			if best.Model == nil || c.bic < best.bic || math.IsNaN(best.bic) || math.IsInf(best.bic, 0) {
				best = c
			}
		}
	}
	return best, nil
}

// betterRank returns the rank above the one asked for that fits clearly better by least
// squares: in BIC, and with two thirds of the squared error at the most. It returns 0 if
// there is none, the data are too few to tell, or the tensors too large to try.
func (f *fitter) betterRank(ctx context.Context, best candidate) int {
	if f.o.Rank == 0 {
		return 0
	}
	for _, l := range best.basis.lengths(best.L) {
		if f.c[l].HasRows() || f.c[l].Columns() > moments.AutoUnknowns || f.c[l].N() < f.c[l].Columns() {
			return 0
		}
	}
	g := *f
	g.o.Rank, g.o.Recovery, g.o.Recorder = 0, LeastSquares{}, nil
	g.h, g.stats = map[int]*tt.Tensor{}, map[int]Stats{}
	if g.recover(ctx, best.basis, best.L) != nil {
		return 0
	}
	cs, err := g.candidates(best.L, best.basis)
	if err != nil {
		return 0
	}
	// Compared with the fit by least squares at the rank asked for, as other recoveries
	// differ in more than the rank.
	rank, least, sse := 0, math.Inf(1), 0.0
	for _, c := range cs {
		if n, _, _ := c.Dims(); n == f.o.Rank {
			least, sse = c.bic-10, c.sse
		}
	}
	for _, c := range cs {
		if n, _, _ := c.Dims(); n > f.o.Rank && c.bic < least && 1.5*c.sse < sse {
			rank, least = n, c.bic
		}
	}
	return rank
}

func (f *fitter) has(l int) bool { return f.c[l] != nil }

// recover fills f.h with the Hankel tensors that the basis needs.
func (f *fitter) recover(ctx context.Context, b Basis, L int) error {
	lengths := b.lengths(L)
	if b == UpToLength && f.has(0) {
		lengths = append(lengths, 0)
	}
	for i, l := range lengths {
		if f.h[l] != nil {
			continue
		}
		r := f.o.Recovery
		switch {
		case r != nil:
		case f.c[l].HasRows(): // d^l is too large for least squares
			r = ALS{Tol: 0.01} // a start is all that is wanted
		default:
			r = LeastSquares{}
		}
		recover := r.Recover
		if c, ok := r.(Continuation); ok && f.h[l-1] != nil {
			recover = func(ctx context.Context, m *Measurements, rank int, rec Recorder) (*tt.Tensor, Stats, error) {
				return c.RecoverFrom(ctx, m, rank, f.h[l-1], rec)
			}
		}
		h, st, err := recover(ctx, &Measurements{f.c[l]}, f.o.Rank, f.o.Recorder)
		if err != nil {
			return err
		}
		if f.h[l], f.stats[l] = h, st; st.Status == Stopped && i < len(lengths)-1 {
			return fmt.Errorf("twornn: stopped after H(%d), before H(%d) was recovered: no model yet", l, lengths[i+1])
		}
	}
	return nil
}

// candidates returns the model of the rank asked for, or of every possible one.
func (f *fitter) candidates(L int, b Basis) ([]candidate, error) {
	// H⁽ˡ⁾ carries rounding errors of about eps times the condition of X.
	rtol := 0.0
	for _, l := range b.lengths(L) {
		if rc := f.stats[l].RCond; rc > 0 {
			rtol = max(rtol, min(1e-6, 10*linalg.Eps/rc))
		}
	}
	m, values, err := spectral(f.h, L, f.o.Rank, b, rtol)
	if err != nil {
		return nil, err
	}
	models := []*Model{m}
	if f.o.Rank == 0 {
		n, _, _ := m.Dims()
		for r := n - 1; r >= 1; r-- {
			m, _, err := spectral(f.h, L, r, b, rtol)
			if err != nil {
				return nil, err
			}
			models = append(models, m)
		}
	}
	var cs []candidate
	for _, m := range models {
		c := candidate{Model: m, L: L, basis: b, start: "spectral", values: values}
		if err := f.score(&c); err != nil {
			return nil, err
		}
		cs = append(cs, c)
	}
	return cs, nil
}

// score fills in the squared errors of a candidate and its BIC.
func (f *fitter) score(c *candidate) error {
	e, err := f.squaredErrors(c.Model)
	if err != nil {
		return err
	}
	var sse, spread float64 // in units of the outputs' variance
	rows := 0
	c.sse, c.long, c.zeroLong = 0, 0, 0
	for j, v := range e {
		sse += v
		c.sse += v / (f.scale[j] * f.scale[j])
	}
	for _, l := range f.c.Lengths() {
		rows += f.c[l].N()
		spread += floats.Sum(f.c[l].Outputs.M2)
	}
	// Sequences longer than any length measured count as if all had been run.
	long := f.long()
	mse, zero := meanSquares(long, c.Model)
	for j := range mse {
		sse += mse[j] * float64(long.N)
		unit := float64(f.p) * f.scale[j] * f.scale[j]
		c.long += mse[j] / unit
		c.zeroLong += zero[j] / unit
	}
	M := float64((rows + long.N) * f.p)
	k := float64(freeParameters(c.states(), f.d, f.p))
	// A relative error of 1e-9 is exact: what is below is rounding.
	c.bic = M*math.Log(max(sse, 1e-18*spread, 1e-300)/M) + k*math.Log(M)
	return nil
}

// most returns how many states the block of a candidate can carry.
func (f *fitter) most(c candidate) int { return mostStates(f.d, c.L, c.basis, f.has(0)) }

// long returns the sample of sequences longer than any length measured.
func (f *fitter) long() moments.Sample {
	ls := f.c.Lengths()
	return f.c[ls[len(ls)-1]].Long
}

// squaredErrors returns the squared error of each output of m over the measurements
// of all lengths, in the scaled units.
func (f *fitter) squaredErrors(m *Model) ([]float64, error) {
	sum := make([]float64, f.p)
	for _, l := range f.c.Lengths() {
		e, err := squaredErrors(f.c[l], m.Hankel(l))
		if err != nil {
			return nil, err
		}
		floats.Add(sum, e)
	}
	return sum, nil
}

// result applies the guard and gathers the warnings.
func (f *fitter) result(best candidate) *Result {
	r := &Result{
		Model: best.Model, L: best.L, Basis: best.basis, SingularValues: best.values, Recovery: f.stats,
	}
	var energy float64
	for _, l := range f.c.Lengths() {
		r.N += f.c[l].N()
		for j, v := range f.c[l].Outputs.Mean {
			o := f.c[l].Outputs
			energy += (o.M2[j] + o.N*v*v) / (f.scale[j] * f.scale[j])
		}
	}
	r.Rank, _, _ = best.Dims()
	r.ceiling = f.o.Rank == 0 && r.Rank >= f.most(best)
	r.MSE, r.ZeroMSE = best.sse/float64(r.N*f.p), energy/float64(r.N*f.p)
	r.Lengths, r.LongMSE = f.c.Lengths(), best.long
	used := best.basis.lengths(best.L)
	for _, l := range used {
		if st := f.stats[l]; st.Status == Underdetermined && best.climb == nil {
			r.warn(Deficient, "H(%d) has d^l = %.4g unknowns an output and %d measurements of rank %d: the solution of least norm is used; give more data or lower L",
				l, st.Unknowns, st.N, st.Rank)
		}
	}
	for _, l := range used {
		if st := f.stats[l]; st.Status == IterationLimit {
			r.warn(NotConverged, "the recovery of H(%d) reached its limit of %s at a residual of %.3g; raise MaxIterations, or have steps set from the data", l, count(st.Iterations, "iteration"), st.Residuals[len(st.Residuals)-1])
		}
	}
	if best.note != nil {
		r.Warnings = append(r.Warnings, *best.note)
	}
	if best.climb != nil {
		r.Refinement = best.climb.stats()
		st := r.Refinement
		switch {
		case f.cutShort || st.Status == Stopped:
			r.warn(NotConverged, "stopped before every rank and start was tried; the model is the best so far, %.2g standard errors from its optimum", st.Gradient)
		case st.Status == IterationLimit && !(st.Gradient < 0.1): // 0.1 would cost a hundredth of the error of estimation
			r.warn(NotConverged, "the joint fit ended after %s, %.2g standard errors from its optimum", count(st.Iterations, "iteration"), st.Gradient)
		}
	}
	if k := freeParameters(best.states(), f.d, f.p); best.climb != nil && float64(k) > best.climb.q.M {
		r.warn(Deficient, "the data hold %.0f outputs, the model has %d free parameters: it is one of many that fit; give more data or lower the rank", best.climb.q.M, k)
	}
	if n := best.climb; n != nil && f.o.Rank > r.Rank && len(f.spectral) > 0 && f.spectral[0].states() > r.Rank {
		r.warn(RankCut, "rank %d asked for, %d fit the data as well: the spare states would fit noise and go astray on longer sequences", f.o.Rank, r.Rank)
	} else if f.o.Rank > r.Rank {
		r.warn(RankCut, "rank %d asked for, the data carry %d: the other singular values are at the level of rounding", f.o.Rank, r.Rank)
	}
	if best.zero && r.MSE <= r.ZeroMSE {
		r.Fallback = true
		r.warn(WorseThanZero, "no model explains more of the data than chance would (by BIC; the best has training MSE %.4g, the zero function %.4g): the zero function is returned; give more data, fewer inputs, or a rank", r.MSE, r.ZeroMSE)
		r.Model, r.Rank, r.MSE = NewModel(1, f.d, f.p), 0, r.ZeroMSE
		return r
	}
	// Not ≤, so that a NaN falls back too; and not for rounding.
	if !(r.MSE <= r.ZeroMSE*(1+1e-9)) {
		r.Fallback = true
		r.warn(WorseThanZero, "training MSE %.4g is above the %.4g of the zero function, which is returned instead; lower the rank or L, or give more data",
			r.MSE, r.ZeroMSE)
		r.Model, r.Rank, r.MSE = NewModel(1, f.d, f.p), 0, r.ZeroMSE
		return r
	}
	if last := r.Lengths[len(r.Lengths)-1]; best.long > 1.25*r.MSE && best.long <= best.zeroLong {
		r.warn(Drifting, "on whole training sequences the MSE is %.3g, on the up to %s that were measured %.3g: run it on windows of that length, or give L", best.long, count(last, "step"), r.MSE)
	}
	if best.long > 1.05*best.zeroLong && best.long > 1.25*r.MSE {
		r.warn(Unstable, "on whole training sequences, longer than the %d steps that were measured, the MSE is %.3g, above the %.3g of the zero function; give shorter sequences, or try another rank or L",
			r.Lengths[len(r.Lengths)-1], best.long, best.zeroLong)
	} else if g := growth(r.Model, f.c); !(g <= maxGrowth) {
		r.warn(Unstable, "run on and on over training inputs the outputs grow to %.3g times those of the training data; so may be those of what it learnt; start it afresh on sequences about as long as it was fitted to, or set MaxGrowth", g)
	}
	return r
}
