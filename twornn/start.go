package twornn

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/moments"
	"github.com/twornn/spectral/twornn/internal/phrase"
	"github.com/twornn/spectral/twornn/tt"
)

// wordFit fits by measurements of short words, in the fit's own coordinates throughout.
type wordFit struct {
	c      moments.Set
	w      coordinates
	o      Options
	policy policy
	d, p   int                // independent inputs, outputs
	scale  []float64          // of the outputs
	h      map[int]*tt.Tensor // recovered so far
	stats  map[int]Stats

	spectral  []candidate // all that were read off the recovered tensors
	cutShort  bool        // the search was stopped
	exhausted bool        // it took all the time that there is for it
	wild      *wild       // outliers of the data, once asked for
}

// newWordFit returns the fit to the data of c. It errs if they hold nothing to fit.
func newWordFit(c moments.Set, o Options, by policy) (*wordFit, error) {
	w, z, err := newCoordinates(c, by)
	if err != nil {
		return nil, err
	}
	d, _ := w.dims()
	return &wordFit{c: z, w: w, o: o, policy: by, d: d, p: len(w.scale), scale: w.scale, h: map[int]*tt.Tensor{}, stats: map[int]Stats{}}, nil
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
	over   float64  // by how much its criterion is higher; 0 where the rank was asked for
	values []float64
	sse    float64 // in the units of the data; NaN or +Inf if the model is of no use
	bic    float64

	// Mean squares on longer sequences: the model's, the zero function's.
	long, zeroLong float64
}

// start reads models off Hankel tensors, of every L and rank that the options leave open, and returns
// the best.
func (f *wordFit) start(ctx context.Context) (best candidate, err error) {
	Ls, err := f.possibleL()
	if err != nil {
		return best, err
	}
	high := new(rankError)
	for _, L := range Ls {
		cs, err := f.candidatesAt(ctx, L)
		if err != nil && f.o.L == 0 && L < Ls[len(Ls)-1] && errors.As(err, &high) {
			continue // a longer L may carry the rank asked for
		}
		if errors.As(err, &high) {
			_, high.of = f.w.dims()
			high.larger = f.carries(high.asked, L)
		}
		if err != nil {
			return best, err
		}
		f.spectral = append(f.spectral, cs...)
	}
	return leastCriterion(f.spectral), nil
}

// carries returns the least L above the given one that the data allow and that carries a rank; 0 if there is none.
func (f *wordFit) carries(rank, above int) int {
	for _, L := range f.fittingL() {
		if b, err := f.o.Basis.resolve(L, f.has); err == nil && L > above && mostStates(f.d, L, b, f.has(0)) >= rank {
			return L
		}
	}
	return 0
}

// leastCriterion returns the candidate of least criterion, any if no criterion is a number.
func leastCriterion(cs []candidate) (best candidate) {
	for _, c := range cs {
		if best.Model == nil || c.bic < best.bic || math.IsNaN(best.bic) || math.IsInf(best.bic, 0) {
			best = c
		}
	}
	return best
}

// possibleL returns the L asked for, or else all that the lengths at hand allow.
func (f *wordFit) possibleL() (Ls []int, err error) {
	if f.o.L > 0 {
		return []int{f.o.L}, nil
	}
	if Ls = f.fittingL(); len(Ls) == 0 {
		return nil, f.layoutError()
	}
	return Ls, nil
}

// fittingL returns all L that the lengths at hand allow.
func (f *wordFit) fittingL() (Ls []int) {
	longest := slices.Max(f.c.Lengths())
	for L := 1; 2*L+1 <= longest; L++ {
		if _, err := f.o.Basis.resolve(L, f.has); err == nil {
			Ls = append(Ls, L)
		}
	}
	return Ls
}

// layoutError says which lengths were measured and what to do, where they fit no L.
func (f *wordFit) layoutError() error {
	text := "twornn: " + f.fitsNone()
	if L := otherL(f.c, f.o.Basis); L > 0 {
		return fmt.Errorf("%s: give Options{L: %d}, for which there are sequences of %s steps", text, L, phrase.List(f.o.Basis.needed(L)))
	}
	return fmt.Errorf("%s: %s", text, lengthsOfOne)
}

// fitsNone says which lengths were measured, where no L fits them.
func (f *wordFit) fitsNone() string {
	return fmt.Sprintf("the data have outputs after %s steps; that fits no L", phrase.List(f.c.Lengths()))
}

const lengthsOfOne = "L = 1 needs outputs after 1, 2 and 3 steps, as windows of length 3 or more have them"

// candidatesAt recovers what L needs and reads the models off.
func (f *wordFit) candidatesAt(ctx context.Context, L int) ([]candidate, error) {
	basis, err := f.o.Basis.resolve(L, f.has)
	if err != nil {
		switch other := otherL(f.c, f.o.Basis); other {
		case L:
			return nil, err
		case 0:
			return nil, fmt.Errorf("%w; %s: %s", err, f.fitsNone(), lengthsOfOne)
		default:
			return nil, fmt.Errorf("%w; give Options{L: %d}, for which they are there", err, other)
		}
	}
	if err := f.recover(ctx, basis, L); err != nil {
		return nil, err
	}
	return f.candidates(L, basis)
}

func (f *wordFit) has(l int) bool { return f.c[l] != nil }

// recover fills f.h with the Hankel tensors that the basis needs.
func (f *wordFit) recover(ctx context.Context, b Basis, L int) error {
	lengths := b.lengths(L)
	if b == UpToLength && f.has(0) {
		lengths = append(lengths, 0)
	}
	for i, l := range lengths {
		if f.h[l] != nil {
			continue
		}
		h, st, err := f.recoverOne(ctx, l)
		if err != nil {
			return err
		}
		if f.h[l], f.stats[l] = h, st; st.Status == Stopped && i < len(lengths)-1 {
			err := fmt.Errorf("twornn: stopped after H(%d), before H(%d) was recovered: no model yet", l, lengths[i+1])
			if ctx.Err() != nil {
				err = fmt.Errorf("%w: %w", err, ctx.Err())
			}
			return err
		}
	}
	return nil
}

// recoverOne recovers H⁽ˡ⁾ by the method asked for, or else by the one that the size allows.
func (f *wordFit) recoverOne(ctx context.Context, l int) (*tt.Tensor, Stats, error) {
	m, r := &Measurements{f.c[l]}, f.o.Recovery
	if r == nil {
		r = LeastSquares{}
		if q := *m.of; q.HasRows() || q.Unfolded() && q.Columns() > f.policy.DenseStart && q.N() < q.Columns() {
			// d^l is too large for least squares, or more than there is any use for.
			q.KeepRows = true
			m, r = &Measurements{&q}, ALS{Tol: f.policy.RoughStart, MaxIterations: f.policy.StartSweeps}
		}
	}
	if c, ok := r.(Continuation); ok && f.h[l-1] != nil {
		return c.RecoverFrom(ctx, m, f.o.Rank, f.h[l-1], f.o.Recorder)
	}
	return r.Recover(ctx, m, f.o.Rank, f.o.Recorder)
}

// candidates returns the model of the rank asked for, or of every possible one.
func (f *wordFit) candidates(L int, b Basis) ([]candidate, error) {
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
		for r := m.states() - 1; r >= 1; r-- {
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
func (f *wordFit) score(c *candidate) error {
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
	mse, zero := meanSquares(long, slices.Max(f.c.Lengths()), c.Model)
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

// most returns how many states the data can tell: those that the block of a candidate can
// carry, or by likelihood the block of the longest words that were measured.
func (f *wordFit) most(c candidate) int {
	L := c.L
	if ls := f.c.Lengths(); f.o.Recovery == nil {
		L = max(L, (ls[len(ls)-1]-1)/2)
	}
	return mostStates(f.d, L, c.basis, f.has(0))
}

// long returns the sample of sequences longer than any length measured.
func (f *wordFit) long() moments.Sample {
	ls := f.c.Lengths()
	return f.c[ls[len(ls)-1]].Long
}

// squaredErrors returns the squared error of each output of m over the measurements
// of all lengths, in the scaled units.
func (f *wordFit) squaredErrors(m *Model) ([]float64, error) {
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

// betterRank returns the rank above the one asked for that fits clearly better by least
// squares: in BIC, and with two thirds of the squared error at the most. It returns 0 if
// there is none, the data are too few to tell, or the tensors too large to try.
func (f *wordFit) betterRank(ctx context.Context, best candidate) int {
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
		if c.states() == f.o.Rank {
			least, sse = c.bic-f.policy.Evidence, c.sse
		}
	}
	for _, c := range cs {
		if n := c.states(); n > f.o.Rank && c.bic < least && f.policy.LowRank*c.sse < sse {
			rank, least = n, c.bic
		}
	}
	return rank
}

// explodes is explodes for a model in the fit's coordinates.
func (f *wordFit) explodes(m *Model) (most float64, bad bool) {
	g := growth(m, f.c) // of independent inputs, exactly: large already where one run of very many grows
	k := f.c.Kept()
	if k == nil || g <= f.policy.MaxGrowth {
		return g, !(g <= f.policy.MaxGrowth)
	}
	if f.wild == nil {
		_, d := f.w.dims()
		f.wild = &wild{k.Outliers(d, f.p, f.policy.Outlier, f.policy.OutlierShare)}
	}
	most = exploding(f.w.toData(m), k, f.wild.outliers)
	return most, !(most <= f.policy.MaxGrowth)
}
