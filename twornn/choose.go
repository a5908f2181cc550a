package twornn

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/twornn/spectral/twornn/internal/lsq"
)

// choose returns the likeliest model of the rank that is asked for or of least criterion, from a start
// that was read off, and all that were weighed by ascending rank.
func (f *wordFit) choose(ctx context.Context, start candidate) (candidate, []candidate, error) {
	j, err := f.newJoint(ctx)
	if err != nil {
		return candidate{}, nil, err
	}
	best := j.choose(start)
	if f.o.L > 0 && !best.climb.adequate(f.policy) {
		best = j.elsewhere(best)
	}
	best = j.stable(best, start.L)
	j.polish(best)
	if zero := j.targets() * math.Log(max(j.data.Energy, 1e-300)/j.data.M); f.o.Rank == 0 {
		best.zero, best.over = zero < best.bic, zero-best.bic
	}
	all, err := j.all(start)
	if err != nil {
		return candidate{}, nil, err
	}
	f.cutShort = j.stopped()
	f.exhausted = j.stinted
	return *best, all, nil
}

// elsewhere returns the best of another L than the one that was asked for, which the likelihood does not need:
// if a run from its best start comes below the best so far the search begins again there.
func (j *joint) elsewhere(best *candidate) *candidate {
	f := j.f
	for _, L := range f.fittingL() {
		if L == f.o.L || j.stopped() {
			continue
		}
		cs, err := f.candidatesAt(j.ctx, L)
		if err != nil {
			continue // there is a start from the L that was asked for
		}
		start := leastCriterion(cs)
		n := start.states()
		if !start.finite() || !j.possible(n) || !j.affordable(n) || j.exhausted(n) {
			continue
		}
		q := *j.data
		q.N = n
		goal := best.climb.SSE * math.Exp((j.criterion(1, best.states())-j.criterion(1, n))/j.targets())
		r := j.climb(&q, start.Model, nil, &goal)
		j.spent += float64(r.Iterations+1) * j.data.Work(n)
		if r.SSE < goal {
			f.spectral = append(f.spectral, cs...)
			best = j.choose(start)
		}
	}
	return best
}

// all returns what was tried, by ascending rank, with the squared errors of each.
func (j *joint) all(spectral candidate) (all []candidate, err error) {
	var tried []*candidate
	for _, r := range slices.Sorted(maps.Keys(j.tried)) {
		tried = append(tried, j.tried[r])
	}
	if j.damped != nil {
		tried = append(tried, j.damped)
	}
	for _, c := range tried {
		c.basis, c.values = spectral.basis, spectral.values
		bic := c.bic // by the sum that was minimised
		if err := j.f.score(c); err != nil {
			return nil, err
		}
		c.bic = bic
		all = append(all, *c)
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return a.states() - b.states() })
	return all, nil
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
	best := j.likeliest(n, spectral.L, j.f.policy.ManyStarts, nil)
	if j.f.o.Rank == 0 && !best.climb.adequate(j.f.policy) {
		best = j.upwards(best, spectral)
	}
	best = j.downwards(best, spectral.L)
	if j.f.o.Rank == n && best.states() == n && !best.climb.adequate(j.f.policy) {
		j.oneMore(best, spectral)
	}
	return best
}

// within reports whether r states are within what the block, the data and the time allow.
func (j *joint) within(r int, spectral candidate) bool {
	return r <= j.f.most(spectral) && j.possible(r) && j.affordable(r) && !j.exhausted(r) && !j.stopped()
}

// upwards adds states as long as the criterion falls.
func (j *joint) upwards(best *candidate, spectral candidate) *candidate {
	for r := best.states() + 1; j.within(r, spectral); r++ {
		c := j.likeliest(r, spectral.L, j.f.policy.FewStarts, nil)
		if !(c.bic < best.bic) {
			break
		}
		best = c
	}
	return best
}

// downwards takes states away as long as the criterion falls.
func (j *joint) downwards(best *candidate, L int) *candidate {
	for r := best.states() - 1; r >= 1 && !j.stopped() && !j.exhausted(r); r-- {
		// With fewer parameters a larger sum of squares has the same criterion.
		fewer := j.criterion(1, r+1) - j.criterion(1, r)
		goal := best.climb.SSE * math.Exp(fewer/j.targets())
		starts := j.f.policy.FewStarts
		if j.tried[r] != nil || j.data.LeastSum(r) > goal {
			starts = 1 // tried on the way up, or no model of so few states comes near: the truncation of the best shows it
		}
		c := j.likeliest(r, L, starts, &goal)
		if !(c.bic < best.bic) {
			break
		}
		best = c
	}
	return best
}

// oneMore tries a state beyond the rank that was asked for, for the warning that it is low.
func (j *joint) oneMore(best *candidate, spectral candidate) {
	n := best.states()
	if !j.within(n+1, spectral) {
		return
	}
	c := j.likeliest(n+1, spectral.L, 1, nil)
	k := float64(freeParameters(n+1, j.data.D, j.data.P) - freeParameters(n, j.data.D, j.data.P))
	if gain := j.targets()*math.Log(best.climb.SSE/c.climb.SSE) - k*math.Log(j.targets()); gain > j.f.policy.Evidence {
		best.note = &Warning{RankLow, fmt.Sprintf("rank %d asked for, but %d states fit clearly better (BIC lower by %.4g): what the rank leaves out is no noise; raise Options.Rank, or leave it 0 to have it chosen", n, n+1, gain)}
	}
}

// stable returns a model that does not explode in place of one that does, if the data
// have nothing much against it. With a bound of the user's the best of those that keep to it
// is taken, and if there is none, the best with its A scaled down.
func (j *joint) stable(best *candidate, L int) *candidate {
	bound, asked := j.f.o.MaxGrowth, j.f.o.MaxGrowth > 0
	if !asked {
		bound = j.f.policy.MaxGrowth
	}
	keeps := func(c *candidate) bool { return growth(c.Model, j.f.c) <= bound }
	if !asked {
		keeps = func(c *candidate) bool { _, bad := j.f.explodes(c.Model); return !bad }
	}
	if keeps(best) {
		return best
	}
	if asked {
		for r := best.states() - 1; r >= 1 && !j.stopped(); r-- {
			if keeps(j.likeliest(r, L, j.f.policy.FewStarts, nil)) {
				break
			}
		}
	}
	if calm := j.calmest(best, keeps, asked); calm != nil {
		most, _ := j.f.explodes(best.Model)
		calm.note = &Warning{RankCut, fmt.Sprintf("rank %d has the least criterion, but run on and on its outputs grow to %.3g times those of the training data: rank %d is taken",
			best.states(), most, calm.states())}
		return calm
	}
	if asked {
		j.damped = j.leastDamped(best, bound)
		return j.damped
	}
	return best
}

// eligible returns what was tried of no more states than were asked for, or one more than
// were chosen, by ascending rank.
func (j *joint) eligible(best *candidate) (out []*candidate) {
	most := best.states()
	if j.f.o.Rank == 0 {
		most++
	}
	for r := range most + 1 {
		if c := j.tried[r]; c != nil {
			out = append(out, c)
		}
	}
	return out
}

// calmest returns the candidate of least criterion that keeps to the bound, nil if there is
// none. Unless the bound was asked for the evidence against it must be weak.
func (j *joint) calmest(best *candidate, keeps func(*candidate) bool, asked bool) (calm *candidate) {
	for _, c := range j.eligible(best) {
		if !keeps(c) {
			continue
		}
		if (asked || c.bic < best.bic+j.f.policy.Evidence) && (calm == nil || c.bic < calm.bic) {
			calm = c
		}
	}
	return calm
}

// leastDamped returns the candidate of least criterion after each had its A scaled down to
// keep to the bound.
func (j *joint) leastDamped(best *candidate, bound float64) (least *candidate) {
	for _, c := range j.eligible(best) {
		m, f := damp(c.Model, bound, j.f.policy.DampingDigits, func(m *Model) float64 { return growth(m, j.f.c) })
		q := *j.data
		q.N = m.states()
		sse := q.SSE(lsq.Theta((*lsq.Net)(m)))
		e := &candidate{Model: m, L: c.L, start: "damping", bic: j.criterion(sse, q.N)}
		e.note = &Warning{Damped, fmt.Sprintf("no rank keeps growth to %g: A is scaled by %.3f, and the sum of squared errors is %.3g times that of the best fit", bound, f, sse/best.climb.SSE)}
		if least == nil || e.bic < least.bic {
			least = e
		}
	}
	return least
}
