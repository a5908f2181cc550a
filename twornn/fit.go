package twornn

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
)

// Options are the choices of Fit. The zero value leaves them all to Fit.
type Options struct {
	// L is the length of prefixes and suffixes. Zero: chosen with the rank among
	// those that the data's lengths allow.
	L int
	// Rank is the number of states. Zero: the one of least BIC, see Fit.
	Rank int
	// Basis is the words that index the Hankel block. Zero: Auto.
	Basis Basis
	// Recovery estimates the Hankel tensors. Nil: LeastSquares.
	Recovery Recovery
	// Recorder is told of progress. Nil: silent.
	Recorder Recorder
	// Src seeds methods that draw at random. Nil: a fixed seed.
	Src rand.Source
}

// Fit learns a linear 2-RNN from the data by spectral learning (Algorithm 1): it
// collects the measurements in one pass, recovers the Hankel tensors, and reads the
// model off them. See FitCollection for what it chooses and returns.
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
	rows, _ := o.Recovery.(interface{ needsRows() bool })
	c, err := collect(until(ctx, data), rows != nil && rows.needsRows(), lengths)
	if err != nil {
		return nil, err
	}
	return FitCollection(ctx, c, o)
}

func (o Options) check() error {
	if o.L < 0 || o.Rank < 0 {
		return fmt.Errorf("twornn: L = %d and rank %d: neither may be negative; zero means chosen from the data", o.L, o.Rank)
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
// All is done in coordinates in which the inputs have second moments E xxᵀ = I, so
// that the fit does not depend on their units or on any linear change of them, and
// the singular values are those of the block in these coordinates.
//
// Where L or the rank is left open, every candidate is fitted and the one of least
//
//	BIC = M log(SSE/M) + k log M
//
// taken: SSE is the squared error over all measurements of all lengths, M their
// number times p, and k = R(dR+p+1) − R² the free parameters of a 2-RNN with R
// states. All of that comes from the compressed measurements, so no candidate needs
// the data.
//
// A model with a larger squared error on its own training data than the zero
// function has is replaced by the zero function, and Result.Fallback set (the
// paper's guard, Section 5).
func FitCollection(ctx context.Context, c Collection, o Options) (*Result, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Recovery == nil {
		o.Recovery = LeastSquares{}
	}
	d, p := c.dims()
	if d == 0 || p == 0 {
		return nil, errors.New("twornn: the collection holds no measurement of a sequence with inputs")
	}
	white, err := newWhitening(c, d)
	if err != nil {
		return nil, err
	}
	r, _ := white.W.Dims()
	f := fitter{c: white.collection(c), o: o, d: r, p: p, h: map[int]*tt.Tensor{}, stats: map[int]Stats{}}
	best, err := f.search(ctx)
	if err != nil {
		return nil, err
	}
	res := f.result(best)
	res.Model = res.Model.MapInputs(white.W)
	if r < d {
		res.warn(Collinear, "%d of the %d inputs are linear combinations of the others; the model is right where they keep to that", d-r, d)
	}
	return res, nil
}

// fitter is one run of FitCollection, in whitened coordinates throughout.
type fitter struct {
	c     Collection
	o     Options
	d, p  int
	h     map[int]*tt.Tensor // recovered so far
	stats map[int]Stats
}

// candidate is a model of one L and rank.
type candidate struct {
	*Model
	L      int
	basis  Basis
	values []float64
	sse    float64 // NaN or +Inf if the model is of no use
	bic    float64
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
			return candidate{}, fmt.Errorf("twornn: the data have outputs after %s steps; that fits no L: L = 1 needs outputs after 1, 2 and 3 steps (at most %d^3 ≤ %d unknowns)",
				list(f.c.Lengths()), f.d, maxUnknowns)
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
		if err != nil {
			return best, err
		}
		for _, c := range cs {
			if best.Model == nil || c.bic < best.bic || math.IsNaN(best.bic) {
				best = c
			}
		}
	}
	return best, nil
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
		h, st, err := f.o.Recovery.Recover(ctx, f.c[l], f.o.Rank, f.o.Recorder)
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
		sse, rows, energy, err := f.squaredError(m)
		if err != nil {
			return nil, err
		}
		n, _, _ := m.Dims()
		M := float64(rows * f.p)
		k := float64(n*(f.d*n+f.p+1) - n*n)
		// A relative error of 1e-9 is exact: what is below is rounding.
		cs = append(cs, candidate{m, L, b, values, sse, M*math.Log(max(sse, 1e-18*energy)/M) + k*math.Log(M)})
	}
	return cs, nil
}

// squaredError returns Σ‖y − f(x)‖² of m over the measurements of all lengths, with
// their number and Σ‖y‖².
func (f *fitter) squaredError(m *Model) (sse float64, rows int, energy float64, err error) {
	for _, l := range f.c.Lengths() {
		c := f.c[l]
		e, err := c.SquaredError(m.Hankel(l))
		if err != nil {
			return 0, 0, 0, err
		}
		sse += e
		rows += c.N()
		energy += c.energy
	}
	return sse, rows, energy, nil
}

// result applies the guard and gathers the warnings.
func (f *fitter) result(best candidate) *Result {
	r := &Result{
		Model: best.Model, L: best.L, Basis: best.basis, SingularValues: best.values, Recovery: f.stats,
	}
	var energy float64
	for _, l := range f.c.Lengths() {
		r.N += f.c[l].N()
		energy += f.c[l].energy
	}
	r.Rank, _, _ = best.Dims()
	r.MSE, r.ZeroMSE = best.sse/float64(r.N*f.p), energy/float64(r.N*f.p)
	used := best.basis.lengths(best.L)
	for _, l := range used {
		if st := f.stats[l]; st.Status == Underdetermined {
			r.warn(Deficient, "H(%d) has %.4g unknowns an output and %d measurements of rank %d: the solution of least norm is used; give more data or lower L",
				l, st.Unknowns, st.N, st.Rank)
		}
	}
	if f.o.Rank > r.Rank {
		r.warn(RankCut, "rank %d asked for, the data carry %d: the other singular values are at the level of rounding", f.o.Rank, r.Rank)
	}
	// Not ≤, so that a NaN falls back too.
	if !(r.MSE <= r.ZeroMSE) {
		r.Fallback = true
		r.warn(WorseThanZero, "training MSE %.4g is above the %.4g of the zero function, which is returned instead; lower the rank or L, or give more data",
			r.MSE, r.ZeroMSE)
		r.Model, r.Rank, r.MSE = NewModel(1, f.d, f.p), 0, r.ZeroMSE
		return r
	}
	if g := growth(r.Model, f.c); !(g <= maxGrowth) {
		r.warn(Unstable, "on long sequences the outputs grow to %.3g times those of the training data; run it on sequences about as long as those, or try another rank", g)
	}
	return r
}
