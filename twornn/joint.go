package twornn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/twornn/spectral/twornn/internal/lsq"
)

// joint is the recommended fit: maximum likelihood by Levenberg-Marquardt over all
// lengths at once, started from what spectral learning gives and, where that may not
// lead to the best optimum, from random parameters.
type joint struct {
	ctx    context.Context
	f      *fitter
	data   *lsq.Equations     // of no number of states in particular
	rnd    *rand.Rand         // for random starts
	tried  map[int]*candidate // by rank
	halted bool               // by the Recorder
}

const (
	manyStarts = 24
	fewStarts  = 6
	// budget is how many operations may go into the starts of a rank: some seconds.
	budget = 2e10
)

// iterations returns how many there is time for.
func (j *joint) iterations(n int) int { return min(200, max(3, int(10*budget/j.data.Work(n)))) }

// polish takes the chosen model from where comparing it was enough to the optimum.
func (j *joint) polish(c *candidate) {
	if c.climb == nil || c.climb.Status != lsq.Converged {
		return
	}
	c.climb.run(j.ctx, LevenbergMarquardt{MaxIterations: c.climb.Iterations + j.iterations(c.states())}, j.f.o.Recorder, nil)
	c.Model = c.climb.model()
}

// affordable reports whether a fit of n states takes seconds.
func (j *joint) affordable(n int) bool { return 10*j.data.Work(n) < budget }

// likelihood returns the best model by maximum likelihood, and all that were weighed by
// ascending rank.
func (f *fitter) likelihood(ctx context.Context) (candidate, []candidate, error) {
	spectral, err := f.search(ctx)
	if err != nil {
		return candidate{}, nil, err
	}
	q, err := lsq.NewEquations(f.c, 1)
	if err != nil {
		return candidate{}, nil, err
	}
	j := &joint{ctx: ctx, f: f, data: q, rnd: rand.New(f.o.source()), tried: map[int]*candidate{}}
	best := j.stable(j.choose(spectral), spectral.L)
	j.polish(best)
	if zero := j.data.M * math.Log(max(j.data.Energy, 1e-300)/j.data.M); f.o.Rank == 0 && zero < best.bic {
		best.zero = true
	}
	var all []candidate
	for _, c := range j.tried {
		c.basis, c.values = spectral.basis, spectral.values
		bic := c.bic // by the sum that was minimised
		if err := f.score(c); err != nil {
			return candidate{}, nil, err
		}
		c.bic = bic
		all = append(all, *c)
	}
	if j.stopped() {
		f.cutShort = true
	}
	slices.SortFunc(all, func(a, b candidate) int { return a.states() - b.states() })
	return *best, all, nil
}

// source returns the random numbers of the options.
func (o Options) source() rand.Source {
	if o.Src != nil {
		return o.Src
	}
	return rand.NewPCG(1, 5)
}

// choose searches the ranks from the one that was asked for, or else from that of the
// spectral estimate of least BIC: upwards, unless the rank was asked for or the fit is
// adequate, and downwards, as long as the criterion falls.
//
// Ranks that would take minutes are left out of a search of its own; one that is asked for
// is fitted with the iterations that there is time for.
func (j *joint) choose(spectral candidate) *candidate {
	n := spectral.states()
	for j.f.o.Rank == 0 && n > 1 && !j.affordable(n) {
		n--
	}
	best := j.fit(n, spectral.L, manyStarts, math.Inf(1))
	if j.f.o.Rank == 0 && !j.adequate(best.climb) {
		for r := n + 1; r <= j.f.most(spectral) && j.possible(r) && j.affordable(r) && !j.stopped(); r++ {
			c := j.fit(r, spectral.L, fewStarts, math.Inf(1))
			if !(c.bic < best.bic) {
				break
			}
			best = c
		}
	}
	for r := best.states() - 1; best.states() <= n && r >= 1 && !j.stopped(); r-- {
		// With fewer parameters a larger sum of squares has the same criterion.
		fewer := j.criterion(1, r+1) - j.criterion(1, r)
		goal := best.climb.SSE * math.Exp(fewer/j.data.M)
		starts := fewStarts
		if j.data.LeastSum(r) > goal {
			starts = 1 // no model of so few states comes near: one run shows how far it stays
		}
		c := j.fit(r, spectral.L, starts, goal)
		if !(c.bic < best.bic) {
			break
		}
		best = c
	}
	if r := n + 1; j.f.o.Rank == n && best.states() == n && !j.adequate(best.climb) && r <= j.f.most(spectral) && j.possible(r) && j.affordable(r) && !j.stopped() {
		// For the warning that the rank asked for is low.
		c := j.fit(r, spectral.L, 1, math.Inf(1))
		k := float64(freeParameters(r, j.data.D, j.data.P) - freeParameters(n, j.data.D, j.data.P))
		if gain := j.data.M*math.Log(best.climb.SSE/c.climb.SSE) - k*math.Log(j.data.M); gain > 10 {
			best.note = &Warning{RankLow, fmt.Sprintf("rank %d asked for, but %d states fit clearly better (BIC lower by %.4g): what the rank leaves out is no noise", n, r, gain)}
		}
	}
	return best
}

// stable returns a model that does not explode in place of one that does, if the data
// have nothing much against it: a difference of 10 in the criterion is taken for weak
// evidence (Kass and Raftery 1995 call it strong from there on). With a bound of the
// user's the best of those that keep to it is taken, and if there is none, the best with
// its A scaled down.
func (j *joint) stable(best *candidate, L int) *candidate {
	bound, asked := j.f.o.MaxGrowth, j.f.o.MaxGrowth > 0
	if !asked {
		bound = maxGrowth
	}
	if growth(best.Model, j.f.c) <= bound {
		return best
	}
	if asked {
		for r := best.states() - 1; r >= 1 && !j.stopped(); r-- {
			if c := j.fit(r, L, fewStarts, math.Inf(1)); growth(c.Model, j.f.c) <= bound {
				break
			}
		}
	}
	most := best.states() // never more states than were asked for
	if j.f.o.Rank == 0 {
		most++
	}
	var calm *candidate
	for r := range most + 1 {
		c := j.tried[r]
		if c == nil || !(growth(c.Model, j.f.c) <= bound) {
			continue
		}
		if (asked || c.bic < best.bic+10) && (calm == nil || c.bic < calm.bic) {
			calm = c
		}
	}
	switch {
	case calm != nil:
		calm.note = &Warning{RankCut, fmt.Sprintf("rank %d has the least criterion, but run on and on its outputs grow to %.3g times those of the training data: rank %d is taken",
			best.states(), growth(best.Model, j.f.c), calm.states())}
		return calm
	case asked:
		var d *candidate
		for r := range most + 1 {
			c := j.tried[r]
			if c == nil {
				continue
			}
			m, f := j.damped(c.Model, bound)
			q := *j.data
			q.N = r
			sse := q.SSE(lsq.Theta((*lsq.Net)(m)))
			e := &candidate{Model: m, L: c.L, start: "damping", bic: j.criterion(sse, r)}
			e.note = &Warning{Damped, fmt.Sprintf("no rank keeps growth to %g: A is scaled by %.3f, and the sum of squared errors is %.3g times that of the best fit", bound, f, sse/best.climb.SSE)}
			if d == nil || e.bic < d.bic {
				d = e
			}
		}
		j.tried[0] = d
		return d
	}
	return best
}

// damped returns the model with A scaled by the largest factor, to three digits, with
// which it keeps to the bound, and the factor.
func (j *joint) damped(m *Model, bound float64) (*Model, float64) {
	scaled := func(f float64) *Model {
		s := m.clone()
		for _, a := range s.A {
			a.Scale(f, a)
		}
		return s
	}
	low, high := 0.0, 1.0
	for high-low > 1e-3 {
		if mid := (low + high) / 2; growth(scaled(mid), j.f.c) <= bound {
			low = mid
		} else {
			high = mid
		}
	}
	return scaled(low), low
}

func (j *joint) stopped() bool { return j.halted || j.ctx.Err() != nil }

// possible reports whether the data have outputs enough for r states.
func (j *joint) possible(r int) bool {
	return 2*float64(freeParameters(r, j.data.D, j.data.P)) < j.data.M
}

// criterion returns M log(SSE/M) plus what the parameters cost. Where the rank is to be
// chosen that is log M for each (BIC). One that was asked for is cut only where the states
// beyond are sure to be spare: where the truth has one state fewer, the spare one lowers
// the sum of squares by about 2.1 σ² for each of its parameters, with a standard deviation
// of some 7 σ² (measured on both of the paper's tasks, 12 to 25 parameters), so that a
// state has to earn 2.2 a parameter and 20 more.
func (j *joint) criterion(sse float64, n int) float64 {
	k := float64(freeParameters(n, j.data.D, j.data.P))
	fit := j.data.M * math.Log(sse/j.data.M)
	if j.f.o.Rank == 0 {
		return fit + k*math.Log(j.data.M)
	}
	return fit + 2.2*k + 20*float64(n)
}

// adequate reports whether what a model leaves is no more than noise.
func (j *joint) adequate(r *climb) bool {
	return j.exact(r) || r.q.LackOfFit(r.SSE) < 2
}

// exact reports whether a model leaves nothing but rounding.
func (j *joint) exact(r *climb) bool { return r.SSE <= max(1e-20*j.data.Spread, 1e-28*j.data.Energy) }

// fit returns the best model of n states from up to tries starts, fewer if that is enough.
// Runs that will not come below the goal, if it is finite, are cut short.
func (j *joint) fit(n, L, tries int, goal float64) *candidate {
	q := *j.data
	q.N = n
	starts := j.starts(n)
	var best *climb
	var from string
	hits := 0
	// Where an iteration is dear there are fewer starts, and iterations of each.
	tries = min(tries, max(1, int(budget/(50*j.data.Work(n)))))
	lm := LevenbergMarquardt{MaxIterations: j.iterations(n), Tol: 1e-8 * j.data.M} // 1e-8 of the sum of squares
	for i := 0; i < tries && (i == 0 || !j.stopped()); i++ {
		s := start{"random", nil}
		if i < len(starts) {
			s = starts[i]
		} else {
			s.Model = random(&q, j.rnd)
		}
		r := newClimb(&q, s.Model)
		r.run(j.ctx, lm, j.f.o.Recorder, func() bool {
			return best != nil && r.SSE > best.SSE && r.Crawls(10, 0.01*r.SSE) || r.Crawls(8, (r.SSE-goal)/10)
		})
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
		if j.exact(best) || j.enough(best, hits, i+1) {
			break
		}
	}
	// A relative error of 1e-9 is exact: what is below is rounding.
	sse := max(best.SSE, 1e-18*q.Spread, 1e-300)
	c := &candidate{Model: best.model(), L: L, start: from, climb: best, bic: j.criterion(sse, n)}
	j.tried[n] = c
	return c
}

// enough reports whether another start is not worth while, after so many, of which hits
// led to the best.
func (j *joint) enough(best *climb, hits, starts int) bool {
	q := best.q
	// A run that began near an adequate fit cannot have missed a better optimum. Any other
	// may: a weak state is easily hidden in the noise.
	// Near is within its noise, and small beside what it explains.
	gain := best.First - best.SSE
	near := gain < best.SSE && gain < 0.25*(q.Energy-best.SSE)
	switch z := q.LackOfFit(best.SSE); {
	case z < 2: // with spare states each start ends elsewhere
		return near || hits >= 2 || starts >= 8
	case math.IsInf(z, 1): // nothing tells how good a fit can be; but then the data are few
		return hits >= 2 && starts > 8
	case best.SSE/q.M < 2*q.Pure/q.PureDof:
		// Real data are no 2-RNN's, and no fit of them adequate.
		return starts > fewStarts && (near || hits >= 2)
	}
	return hits >= 4 // there is much that a better optimum may explain
}

// start is where a run starts from.
type start struct {
	name string
	*Model
}

// starts returns what there is to start from, for n states.
func (j *joint) starts(n int) (out []start) {
	if c := j.tried[n+1]; c != nil {
		if m, s := lsq.Balanced((*lsq.Net)(c.Model), n, lsq.BalanceSteps); len(s) > n {
			out = append(out, start{"truncation", (*Model)(m)})
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
