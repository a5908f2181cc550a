package twornn

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/twornn/spectral/twornn/internal/lsq"
)

// joint is the recommended fit: maximum likelihood by Levenberg-Marquardt over all
// lengths at once, started from what spectral learning gives and, where that may not
// lead to the best optimum, from random parameters.
type joint struct {
	ctx     context.Context
	f       *wordFit
	data    *lsq.Equations     // of no number of states in particular
	rnd     *rand.Rand         // for random starts
	tried   map[int]*candidate // by rank
	damped  *candidate         // in place of them all
	halted  bool               // by the Recorder
	spent   float64            // operations, about
	stinted bool               // ranks or starts were left out for want of time
}

// newJoint returns the fit to the data of f, of which nothing is done yet. It errs if the states that
// are asked for have no room.
func (f *wordFit) newJoint(ctx context.Context) (*joint, error) {
	if err := f.o.checkStates(max(1, f.o.Rank), f.d, f.p, giveRank); err != nil {
		return nil, err
	}
	q, err := f.equations(ctx, 1)
	if err != nil {
		return nil, err
	}
	return &joint{ctx: ctx, f: f, data: q, rnd: rand.New(f.o.source()), tried: map[int]*candidate{}}, nil
}

// equations returns all that the data say of a model of n states.
func (f *wordFit) equations(ctx context.Context, n int) (*lsq.Equations, error) {
	q, err := lsq.NewEquations(f.c, n)
	if err != nil {
		return nil, err
	}
	q.Stop = func() bool { return ctx.Err() != nil }
	return q, nil
}

// exhausted reports whether there is no time left for another rank with n states.
func (j *joint) exhausted(n int) bool {
	if j.spent+10*j.data.Work(n) > j.f.policy.TotalBudget {
		j.stinted = true
	}
	return j.stinted
}

// stopped reports whether there are to be no more runs.
func (j *joint) stopped() bool { return j.halted || j.ctx.Err() != nil }

// targets returns how many outputs there are, those that several windows share counted once.
func (j *joint) targets() float64 {
	if k := j.f.c.Kept(); k != nil {
		return j.data.M / k.Repeats()
	}
	return j.data.M
}

// iterations returns how many there is time for with n states.
func (j *joint) iterations(n int) int {
	return min(200, max(3, int(7*j.f.policy.Budget/j.data.Work(n))))
}

// affordable reports whether a fit of n states takes seconds, and has room.
func (j *joint) affordable(n int) bool {
	return 10*j.data.Work(n) < j.f.policy.Budget && j.f.o.checkStates(n, j.data.D, j.data.P, giveRank) == nil
}

// possible reports whether the data have outputs enough for r states.
func (j *joint) possible(r int) bool {
	return 2*float64(freeParameters(r, j.data.D, j.data.P)) < j.data.M
}

// criterion returns M log(SSE/M) plus what the parameters cost. Where the rank is to be
// chosen that is log M for each (BIC). One that was asked for is cut only where the states
// beyond are sure to be spare; see policy.
func (j *joint) criterion(sse float64, n int) float64 {
	k := float64(freeParameters(n, j.data.D, j.data.P))
	fit := j.targets() * math.Log(sse/j.data.M)
	if j.f.o.Rank == 0 {
		return fit + parameterCost(k, j.targets())
	}
	return fit + j.f.policy.ParameterCost*k + j.f.policy.StateCost*float64(n)
}

// parameterCost is what k parameters cost where the rank is left open: log M each (BIC), or where
// outputs are few beside them what Akaike's corrected criterion takes, 2M/(M − k − 1).
func parameterCost(k, M float64) float64 {
	spare := M - k - 1
	if spare < 1 {
		spare = 1 / (2 - spare) // none left: finite, and more with each parameter
	}
	return k * max(math.Log(M), 2*M/spare)
}

// start is where a run starts from.
type start struct {
	name string
	*Model
}

// likeliest returns the best model of n states from up to tries starts, fewer if that is enough.
// Runs that crawl where they will not come below the goal are cut short; nil is no goal.
func (j *joint) likeliest(n, L, tries int, goal *float64) *candidate {
	q := *j.data
	q.N = n
	starts := j.starts(n)
	var best *climb
	var from string
	hits := 0
	// Where an iteration is dear there are fewer starts, and iterations of each.
	tries = min(tries, max(1, int(j.f.policy.Budget/(50*j.data.Work(n)))))
	for i := 0; i < tries && (i == 0 || !j.stopped() && !j.exhausted(n)); i++ {
		s := start{"random", nil}
		if i < len(starts) {
			s = starts[i]
		} else {
			s.Model = random(&q, j.rnd)
		}
		r := j.climb(&q, s.Model, best, goal)
		j.spent += float64(r.Iterations+1) * j.data.Work(n)
		switch {
		case best == nil || r.SSE < best.SSE*(1-1e-6):
			best, from, hits = r, s.name, 1
		case r.SSE <= best.SSE*(1+1e-6):
			hits++
		}
		if r.Status == lsq.Stopped {
			best.Status, j.halted = lsq.Stopped, true
			break
		}
		if best.exact() || j.enough(best, hits, i+1) {
			break
		}
	}
	// A relative error of 1e-9 is exact: what is below is rounding.
	sse := max(best.SSE, 1e-18*q.Spread, 1e-300)
	c := &candidate{Model: best.model(), L: L, start: from, climb: best, bic: j.criterion(sse, n)}
	if before := j.tried[n]; before != nil && !(c.bic < before.bic) {
		return before
	}
	j.tried[n] = c
	return c
}

// climb runs from m. It gives up where the run lags behind the best so far and is slow, or
// nears the goal too slowly ever to reach it.
func (j *joint) climb(q *lsq.Equations, m *Model, best *climb, goal *float64) *climb {
	by := &j.f.policy
	r := newClimb(q, m)
	lm := LevenbergMarquardt{MaxIterations: j.iterations(q.N), Tol: 1e-8 * j.data.M} // 1e-8 of the sum of squares
	r.run(j.ctx, lm, j.f.o.Recorder, func() bool {
		lags := best != nil && r.SSE > best.SSE && r.Crawls(by.SlowRival, 0.01*r.SSE)
		return lags || goal != nil && r.Crawls(by.SlowGoal, (r.SSE-*goal)/10)
	})
	return r
}

// enough reports whether another start is not worth while, after so many, of which hits
// led to the best.
func (j *joint) enough(best *climb, hits, starts int) bool {
	q, by := best.q, &j.f.policy
	// A run that began near an adequate fit cannot have missed a better optimum. Any other
	// may: a weak state is easily hidden in the noise.
	// Near is within its noise, and small beside what it explains.
	gain := best.First - best.SSE
	near := gain < best.SSE && gain < by.NearGain*(q.Energy-best.SSE)
	switch z := q.LackOfFit(best.SSE); {
	case z < by.Misfit: // with spare states each start ends elsewhere
		return near || hits >= by.AgainNoise || starts >= by.SpareStarts
	case math.IsInf(z, 1): // nothing tells how good a fit can be; but then the data are few
		return hits >= by.AgainNoise && starts > by.SpareStarts
	case best.SSE/q.M < 2*q.Pure/q.PureDof:
		// Real data are no 2-RNN's, and no fit of them adequate.
		return starts > by.FewStarts && (near || hits >= by.AgainNoise)
	}
	return hits >= by.AgainOpen // there is much that a better optimum may explain
}

// starts returns what there is to start from, for n states.
func (j *joint) starts(n int) (out []start) {
	if c := j.tried[n+1]; c != nil {
		// It is as it was where fewer than n of its states carry weight.
		if net, _ := lsq.Balanced((*lsq.Net)(c.Model), n, lsq.BalanceSteps); (*Model)(net).states() == n {
			out = append(out, start{"truncation", (*Model)(net)})
		}
	}
	before := len(out)
	for _, c := range j.f.spectral {
		if c.states() == n && c.Model.finite() {
			out = append(out, start{"spectral", c.Model})
		}
	}
	// Where a rank was asked for none was read off at the others.
	if c := j.f.spectral[0]; len(out) == before && n != c.states() {
		if m, _, err := spectral(j.f.h, c.L, n, c.basis, 0); err == nil && m.states() == n && m.finite() {
			out = append(out, start{"spectral", m})
		}
	}
	return out
}

// random returns a model to start from, with outputs of about the size of the data's at
// any length.
func random(q *lsq.Equations, rnd *rand.Rand) *Model {
	m := Random(q.N, q.D, q.P, 1, rnd)
	for _, a := range m.A {
		a.Scale(1/math.Sqrt(float64(q.N*q.D)), a)
	}
	m.Omega.Scale(math.Sqrt(q.Energy/q.M)/float64(q.N), m.Omega)
	return m
}

// polish takes the chosen model from where comparing it was enough to the optimum.
func (j *joint) polish(c *candidate) {
	if c.climb == nil || c.climb.Status != lsq.Converged {
		return
	}
	c.climb.run(j.ctx, LevenbergMarquardt{MaxIterations: c.climb.Iterations + j.iterations(c.states())}, j.f.o.Recorder, nil)
	c.Model = c.climb.model()
}
