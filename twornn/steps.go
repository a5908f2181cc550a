package twornn

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/affine"
	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/lsq"
	"github.com/twornn/spectral/twornn/internal/moments"
	"github.com/twornn/spectral/twornn/internal/stop"
)

// Start is the first step of a fit, spectral learning: the models that the measurements tell, of
// every L and rank that the options leave open (Algorithm 1), each with its criterion. Where the
// inputs hold a constant and the data are no short words they are linear systems, read off the
// responses to single inputs. It errs as FitCollection does.
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
		if f := newRunFit(set, o, standard); f != nil && o.Recovery == nil && !f.short() {
			return f.starts(), nil
		}
		w, z, err := newCoordinates(set, standard)
		if err != nil {
			return nil, err
		}
		f := newFitter(z, w, o, standard)
		if _, err := f.search(ctx); err != nil {
			return nil, err
		}
		var out []Candidate
		for _, c := range f.spectral {
			out = append(out, f.account(c, nil))
		}
		return out, nil
	})
}

// Likelihood is the second step: the likeliest model that is to be reached from m, over every
// output that the data give, whatever L. It goes along the runs where Fit would, with m as it is:
// products of state and input are there if m has some. It errs as FitCollection does, and if
// m does not fit the data.
func Likelihood(ctx context.Context, c Collection, m *Model, o Options) (Candidate, error) {
	return step(ctx, c, o, func(set moments.Set) (Candidate, error) {
		d, p := set.Dims()
		if err := m.Takes(d, p); err != nil {
			return Candidate{}, err
		}
		if f := newRunFit(set, o, standard); f != nil && o.Recovery == nil && !f.short() {
			return f.likelihood(ctx, m)
		}
		w, z, err := newCoordinates(set, standard)
		if err != nil {
			return Candidate{}, err
		}
		q, err := lsq.NewEquations(z, m.states())
		if err != nil {
			return Candidate{}, err
		}
		q.Stop = func() bool { return ctx.Err() != nil }
		r := newClimb(q, w.fromData(m))
		if r.run(ctx, LevenbergMarquardt{}, o.Recorder, nil); math.IsInf(r.SSE, 1) {
			return Candidate{}, errors.New("twornn: the model's errors on the data are no finite numbers: there is no way down; start from another model")
		}
		f := newFitter(z, w, o, standard)
		best := candidate{Model: r.model(), L: o.L, start: "given", climb: r}
		if err := f.score(&best); err != nil {
			return Candidate{}, err
		}
		best.bic = (&joint{ctx: ctx, f: f, data: q}).criterion(max(r.SSE, 1e-18*q.Spread, 1e-300), q.N)
		return f.account(best, nil), nil
	})
}

// Choose is the third step: of the candidates the one of least criterion whose outputs do not
// grow beyond MaxGrowth (zero: 30) on inputs much longer than those trained on, or of least
// criterion if all do. It returns false if there is none.
func Choose(candidates []Candidate, o Options) (best Candidate, ok bool) {
	bound := o.MaxGrowth
	if bound == 0 {
		bound = standard.MaxGrowth
	}
	calm := false
	for _, c := range candidates {
		if math.IsNaN(c.Criterion) {
			continue
		}
		keeps := c.Growth <= bound
		if !ok || keeps && !calm || keeps == calm && c.Criterion < best.Criterion {
			best, ok, calm = c, true, keeps
		}
	}
	best.Chosen = ok
	return best, ok
}

// step checks and calls f with the measurements, within a moment of the end of ctx.
func step[T any](ctx context.Context, c Collection, o Options, f func(moments.Set) (T, error)) (T, error) {
	set := c.set()
	if err := errors.Join(o.check(), measured(set)); err != nil {
		var none T
		return none, err
	}
	o.Recorder = whileRunning(ctx, o.Recorder)
	return stop.Within(ctx, func() (T, error) { return f(set) })
}

// starts returns the linear systems that the responses tell, with their outputs fitted.
func (f *runFit) starts() (out []Candidate) {
	g := affine.NewResponses(f.data)
	for m := 1; m <= f.by.runs.MostStates && (f.o.Rank == 0 || m < f.o.Rank); m++ {
		s := g.Spectral(m, f.data.D, f.data.P)
		if s == nil {
			break
		}
		if s.FitOutputs(f.data) {
			out = append(out, f.account(s, "spectral", 1))
		}
	}
	return out
}

// likelihood refines m along the runs.
func (f *runFit) likelihood(ctx context.Context, m *Model) (Candidate, error) {
	f.data.Stop = func() bool { return ctx.Err() != nil }
	s, err := f.system(m)
	if err != nil {
		return Candidate{}, err
	}
	p := f.by.runs
	if !s.Refine(ctx, f.data, p.Rounds, p.Iterations, p.Tol) {
		return Candidate{}, errors.New("twornn: the model is of no use along the runs: its states grow without bound or do not move; start from another model")
	}
	return f.account(s, "given", s.Tau), nil
}

// system returns a model of the data as a system in the coordinates of the fit: as it is if its
// first state is constant there, as those that Fit returns have it, or else with one before it.
func (f *runFit) system(m *Model) (*affine.System, error) {
	T, err := linalg.PseudoInverse(f.W)
	if err != nil {
		return nil, err
	}
	q := m.MapInputs(T)
	n, d, p := q.Dims()
	if !keepsConstant(q) {
		q = withConstant(q)
		n++
	}
	for o, v := range f.scale {
		row := q.Omega.RawRowView(o)
		floats.Scale(v, row)
		row[0] -= f.mean[o] * v
	}
	s := affine.NewSystem(n-1, d, p)
	s.Theta = lsq.Theta((*lsq.Net)(q))
	for _, A := range q.A[1:] {
		s.Products = s.Products || mat.Max(A.Slice(1, n, 0, n)) > 0 || mat.Min(A.Slice(1, n, 0, n)) < 0
	}
	return s, nil
}

// withConstant returns the model, whose first input is constant, with a state that is 1 before its own.
func withConstant(m *Model) *Model {
	n, d, p := m.Dims()
	q := NewModel(n+1, d, p)
	q.H0.SetVec(0, 1)
	q.H0.SliceVec(1, n+1).(*mat.VecDense).CopyVec(m.H0)
	q.A[0].Set(0, 0, 1)
	for i, A := range m.A {
		q.A[i].Slice(1, n+1, 1, n+1).(*mat.Dense).Copy(A)
	}
	q.Omega.Slice(0, p, 1, n+1).(*mat.Dense).Copy(m.Omega)
	return q
}

// keepsConstant reports whether the first state of a model is 1 after every step, its first input
// being the constant.
func keepsConstant(m *Model) bool {
	near := func(v, want float64) bool { return math.Abs(v-want) < 1e-9 }
	ok := near(m.H0.AtVec(0), 1)
	for i, A := range m.A {
		for a := range m.states() {
			want := 0.0
			if i == 0 && a == 0 {
				want = 1
			}
			ok = ok && near(A.At(a, 0), want)
		}
	}
	return ok
}
