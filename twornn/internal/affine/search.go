package affine

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/twornn/spectral/twornn/internal/lsq"
)

// Search is a choice among systems, linear ones and such with interactions.
type Search struct {
	Policy
	Tried  []*System // those weighed, in turn
	Best   *System
	Linear *System   // the best linear one
	Values []float64 // singular values of the responses' Hankel matrix

	data  *Data
	whole *path
	parts []*path // without a part each; nil where parts are left out of a fit to the whole
	cold  bool    // whether systems with interactions are fitted without each part, too
	held  []*Data // the parts
	mean  *System // the one whose outputs stay at their mean, if nothing linear does better
	told  *System // the best linear one that long runs tell without a descent, of any number of states
	spent float64
	from  int  // states from which interactions are tried
	tight bool // more was not tried for want of memory
}

// Fit searches the systems for the data, going up in the number of states as long as it
// pays. It stops when ctx is done, with the best so far.
func Fit(ctx context.Context, data *Data, p Policy, seed uint64) *Search {
	if data.many() {
		p.Budget = p.ManyBudget
	}
	data.Stop = func() bool { return ctx.Err() != nil }
	defer func() { data.Stop = nil }()
	data.Split(p.Parts)
	if data.still() {
		s := &Search{Policy: p, data: data}
		s.constant()
		s.Linear = s.Best
		return s
	}
	s := linearSearch(ctx, data, p, seed, nil)
	if s.constant(); s.heldBack() {
		loose := *data
		loose.Grows = growth
		if l := linearSearch(ctx, &loose, p, seed, s.told); l.Best != nil && (s.Best == nil || len(s.Best.Folds) == 0 || l.Best.Validation() < (1-s.Clear)*s.Best.Validation() && l.Best.score(s.Best) >= 2) {
			s = l
			s.constant()
		}
	}
	s.Linear, s.Values = s.Best, s.whole.resp.Values()
	if s.Best != nil && data.D > 1 {
		if s.whole.short != nil {
			s.spent = 0 // what the compressed runs took was little
		}
		cold := s.Best.Folds
		if s.parts != nil && !s.cold {
			s.validate(ctx, s.Best) // as those with interactions are
		}
		s.climb(ctx, true, s.from)
		s.down(ctx)
		s.Linear.Folds = cold
		s.readouts(ctx)
	}
	s.polish(ctx)
	return s
}

// Quick returns a small linear system that responses tell, of some of the data, with its outputs fitted: it
// takes a moment, however long the data. Without inputs, or responses, it is that of outputs at their mean.
func Quick(data *Data, p Policy) *Search {
	data.Split(p.Parts)
	s := &Search{Policy: p, data: data}
	some := data.some(4 * p.Subset)
	resp := NewResponses(some)
	least := math.Inf(1)
	for m := 1; m <= min(p.MostStates, quickStates); m++ {
		c := resp.Spectral(m, data.D, data.P)
		if c == nil || !c.FitOutputs(some) || 3*c.Known > float64(some.M) {
			break
		}
		if v := c.Criterion(some.M, 1); v < least {
			least, s.Best = v, c
		}
	}
	if c := s.Best; c != nil && c.FitOutputs(data) {
		c.Normalise(data)
		c.Ended = lsq.Stopped
		s.Tried = []*System{c}
	} else {
		s.constant()
	}
	s.Linear, s.Values = s.Best, resp.Values()
	return s
}

// quickStates is how many states a system may have that is told in a moment.
const quickStates = 4

// growth is by what power of e a state may grow over the longest run, where it may. A bound at 1 would
// hold back those that sum up: steps that end beyond it, on the way from one side of 1 to the other or
// with two eigenvalues there that only their product tells, come to nothing.
const growth = 10

// linearSearch searches the linear systems. told is the best that was told without a descent, if that was sought.
func linearSearch(ctx context.Context, data *Data, p Policy, seed uint64, told *System) *Search {
	s := &Search{Policy: p, data: data, told: told}
	s.whole = newPath(data, &s.Policy, rand.New(rand.NewPCG(seed, 0)))
	s.cold = s.time(true)
	if s.cold || s.time(false) || s.whole.short != nil && data.Distinct >= p.Parts {
		fewer := s.Policy
		fewer.Starts = 1
		for f := range p.Parts {
			train, held := data.Without(f, p.Parts)
			s.parts = append(s.parts, newPath(train, &fewer, rand.New(rand.NewPCG(seed, 1+uint64(f)))))
			s.held = append(s.held, held)
		}
	}
	if data.Grows == 0 {
		s.tell(ctx)
	}
	s.climb(ctx, false, s.first(ctx))
	s.from = s.fewest(s.Near)
	s.takeTold(ctx)
	return s
}

// toldOutputs is how many outputs, times p, are enough to tell. Of more than twice as many so many are taken.
const toldOutputs = 200_000

// tell finds the system that long runs tell without a descent.
func (s *Search) tell(ctx context.Context) {
	if !s.data.long() || s.data.Own || s.data.D < 2 || s.MostTold <= s.MostStates {
		return
	}
	data := s.data.some(toldOutputs)
	if data != s.data {
		data.Split(s.Parts)
	}
	s.told = told(ctx, data, s.Parts, s.MostTold, s.Little)
}

// hopeless reports whether systems of fewer than m states stay so far behind what is told that there is
// no use in descending with a few more.
func (s *Search) hopeless(m int) bool {
	return s.told != nil && s.Best != nil && m > 3 && m < s.told.States() && s.Best.Validation() > 2*s.told.Validation()
}

// takeTold takes the system that is told if it does better than those that were descended with.
func (s *Search) takeTold(ctx context.Context) {
	c := s.told
	if c == nil || math.IsInf(c.Validation(), 1) {
		return
	}
	if b := s.Best; b != nil && !(c.Validation() < (1-s.Little)*b.Validation() && c.score(b) >= 2) {
		return
	}
	if !c.FitOutputs(s.data) {
		return
	}
	s.nearer(ctx, c)
	if b := s.Best; b == nil || c.Validation() < (1-s.Clear)*b.Validation() || c.Likelier(b, s.data.M) {
		s.Best = c
	}
	s.Tried = append(s.Tried, c)
}

// nearer takes a system that was told nearer to its optimum, if there is time.
func (s *Search) nearer(ctx context.Context, c *System) {
	n := min(s.Iterations, int(s.Budget/(8*pass(c, s.data))))
	if n < 3 || !s.room(c, 0) {
		c.Normalise(s.data)
		c.Ended = lsq.Converged // as the responses tell it
		return
	}
	q := c.clone()
	if q.Refine(ctx, s.data, 1, n, s.Tol) && q.bounded(s.data) && q.SSE < c.SSE {
		q.Folds = c.Folds
		*c = *q
	}
}

// heldBack reports whether the best system would decay more slowly than it may, or none did better than the mean:
// the data may be those of something that sums up, such as a tank or a motor's position, or grows by itself.
func (s *Search) heldBack() bool {
	c := s.Best
	if s.data.D < 2 || c == nil || c == s.mean {
		return s.data.D > 1
	}
	limit := c.limit(s.data)
	return 1-c.Radius() < 1.5*(1-limit) || c.Radius() > (1-1e-9)*limit
}

// Loosened returns the data as they are, or with states that may grow where the system does more than it may.
func (s *System) Loosened(data *Data) *Data {
	if s.Products || !(s.Radius() > s.limit(data)) {
		return data
	}
	loose := *data
	loose.Grows = growth
	return &loose
}

// Slow returns systems of up to so many states, and two, that sum up, with their outputs fitted: such as a tank or a
// motor's position, where responses along a run do not end. There are none for many short runs.
func Slow(data *Data, most int, rnd *rand.Rand) (out []*System) {
	loose := *data
	loose.Grows = growth
	for m := 1; m <= min(most, 2) && data.D > 1 && !data.many(); m++ {
		for k := 1; k <= m; k++ {
			if c := Summing(m, k, data.D, data.P, rnd); c.Normalise(&loose) && c.FitOutputs(&loose) {
				out = append(out, c)
			}
		}
	}
	return out
}

// Low reports whether a system with one state more than the most allowed would do better than the best: a linear
// one, if that is linear, or one with products.
func (s *Search) Low(ctx context.Context) bool {
	best, m := s.Best, s.MostStates+1
	if best.States() < s.MostStates || len(best.Folds) == 0 || ctx.Err() != nil {
		return false
	}
	if !best.Products {
		if c := s.try(ctx, m, false); c != nil && c.Earns(best) && c.Validation() < (1-s.Little)*best.Validation() {
			return true
		}
	}
	if s.data.D < 2 || !s.affordable(m, true, false) {
		return false
	}
	c := s.try(ctx, m, true)
	return c != nil && s.prefers(c, true)
}

// fewest returns the number of states from which products are tried: the least with which
// a linear system does nearly as well as the best. A spare state there may be what
// products do better.
func (s *Search) fewest(near float64) int {
	best := s.Best
	if s.Linear != nil {
		best = s.Linear
	}
	if best == nil {
		return 1
	}
	least := best.States()
	for _, c := range s.Tried {
		if !c.Products && c != s.mean && c.Validation() < (1+near)*best.Validation() {
			least = min(least, c.States())
		}
	}
	return max(1, least)
}

// constant takes the system of one state that stays at zero, outputs at their mean, if nothing does better
// on parts left out.
func (s *Search) constant() {
	c := NewSystem(1, s.data.D, s.data.P)
	if !c.FitOutputs(s.data) {
		return
	}
	c.Ended, c.Known = lsq.Converged, float64(s.data.P)
	if s.Best != nil {
		for f := range len(s.Best.Folds) {
			train, held := s.data.Without(f, s.Parts)
			mean := c.clone()
			if !mean.FitOutputs(train) || held.M == 0 {
				return
			}
			c.Folds = append(c.Folds, mean.errorOn(held))
		}
		if !(c.Validation() <= s.Best.Validation()) {
			return
		}
	}
	s.Best, s.mean, s.Tried = c, c, append(s.Tried, c)
}

// readouts tries products in the outputs of the linear system of fewest states that does hardly worse than the
// best, and of those with more as long as that helps. As their weight is found by the parts left out, they do little harm where there
// is nothing to them.
func (s *Search) readouts(ctx context.Context) {
	if s.parts == nil || s.exact() {
		return
	}
	var best *System
	from := s.fewest(s.Slight)
	for _, l := range s.Tried {
		if l.Products || l.States() < from || l == s.told || l == s.mean {
			continue
		}
		c := s.readout(ctx, l)
		if c == nil || best != nil && c.Validation() >= best.Validation() {
			break
		}
		best = c
		s.Tried = append(s.Tried, c)
	}
	if best == nil || !best.Calm(s.data) {
		return
	}
	earns := best.Validation() < (1-s.Slight)*s.Linear.Validation() && best.score(s.Linear) >= s.Parts-2 && best.surely(s.Linear, s.Sure)
	// Beside products in the states parts count alike, as elsewhere: one that none other tells of may outweigh all.
	if earns && best.Validation() < s.Best.Validation() && best.score(s.Best) >= 2 {
		s.Best = best
	}
}

// readout returns the linear system with products in its outputs, their weight that of least error on the
// parts left out; nil if there is none.
func (s *Search) readout(ctx context.Context, linear *System) *System {
	m := linear.States()
	if ctx.Err() != nil || m+s.data.P > s.MostTold {
		return nil
	}
	whole := newReadouts(linear, s.data)
	if whole == nil {
		return nil
	}
	parts := make([]*readouts, s.Parts)
	inParts(s.Parts, func(f int) {
		if p := s.parts[f]; m < len(p.linear) && p.linear[m] != nil {
			parts[f] = newReadouts(p.linear[m], p.data)
		}
	})
	folds := func(weight float64) []float64 {
		out := make([]float64, s.Parts)
		inParts(s.Parts, func(f int) {
			if out[f] = math.Inf(1); parts[f] != nil {
				out[f] = parts[f].with(weight, s.parts[f].data).errorOn(s.held[f])
			}
		})
		return out
	}
	exponent, least := 1.0, folds(10)
	try := func(e float64) bool {
		v := folds(math.Pow(10, e))
		if floats.Sum(v) < floats.Sum(least) {
			exponent, least = e, v
			return true
		}
		return false
	}
	for e := 0.0; e >= -8 && (try(e) || exponent-e < 2); e-- {
	}
	middle := exponent
	try(middle - 0.5)
	try(middle + 0.5)
	c := whole.with(math.Pow(10, exponent), s.data)
	c.Folds = least
	c.Normalise(s.data)
	return c
}

// polish takes the best system to its optimum.
func (s *Search) polish(ctx context.Context) {
	if s.Best == nil || ctx.Err() != nil {
		return
	}
	data, rounds, share := s.data, s.Rounds, 8.
	if short := s.whole.short; short != nil && !s.Best.Products {
		data, rounds, share = short, 1, 2 // what came before took little
	}
	if 4*pass(s.Best, data) > s.Budget || s.Best.Iterations == 0 && data == s.data { // or it is as the responses of long runs tell it
		return
	}
	c := s.Best.clone()
	c.Folds = s.Best.Folds
	c.Ended = lsq.Unfinished
	iterations := min(100, max(3, int(s.Budget/share/float64(rounds)/pass(c, data))))
	if c.Refine(ctx, data, rounds, iterations, 1e-9) && c.SSE <= s.Best.SSE*1.01 && c.bounded(s.data) {
		*s.Best = *c
	}
}

// time reports whether there is time to fit systems, with interactions or linear ones, to the data
// without each part from nothing. What begins at the fit to all of the data has not forgotten the
// part, unless the data are many, or many short runs, of which none tells the others' states. Fewer
// different outputs than parts leave a part without any.
func (s *Search) time(products bool) bool {
	if s.data.many() && !s.data.Own || s.data.Distinct < s.Parts {
		return false
	}
	c := NewSystem(5, s.data.D, s.data.P)
	c.Products = products
	return 500*float64(s.Parts)*pass(c, s.data) < s.ColdBudget
}

// first returns the number of states to begin with. Where the runs are many it is that of
// least criterion among the systems that the responses tell, with the outputs fitted; that
// system is what there is if there is no time for more.
func (s *Search) first(ctx context.Context) int {
	first, least := 1, math.Inf(1)
	for m := 1; m <= s.MostStates && s.data.many() && !s.data.Own && s.whole.short == nil && ctx.Err() == nil; m++ {
		c := s.whole.resp.Spectral(m, s.data.D, s.data.P)
		if c == nil {
			break
		}
		if !c.FitOutputs(s.data) {
			continue
		}
		if v := c.Criterion(s.data.M, 1); v < least {
			first, least, s.Best = m, v, c
		}
	}
	if s.Best != nil {
		s.Best.Normalise(s.data)
		if s.affordable(first, false, true) {
			s.Best = nil // it is where the climb begins
		} else {
			s.Tried = append(s.Tried, s.Best)
		}
	}
	return first
}

// climb tries more and more states, until two in a row do not pay, or one after others did,
// or where time is dear, until one pays little. Linear systems of compressed runs cost little, but where they may grow.
func (s *Search) climb(ctx context.Context, products bool, from int) {
	failed := 0
	for m := from; m <= s.MostStates && (failed < 2 || !products && s.whole.short != nil && s.data.Grows == 0) && ctx.Err() == nil; m++ {
		if s.exact() || !s.affordable(m, products, m == from) || !products && s.hopeless(m) {
			break
		}
		c := s.try(ctx, m, products)
		if c == nil {
			failed++
			continue
		}
		if s.Best == nil && !c.bounded(s.data) {
			c.calm()
			c.FitOutputs(s.data)
		}
		took := s.Best == nil || s.prefers(c, products)
		failed++
		if took {
			failed = 0
			if !s.leaves(products) && s.Best != nil && c.Validation() > (1-s.Little)*s.Best.Validation() {
				failed = 2
			}
			s.Best = c
		}
		s.Tried = append(s.Tried, c)
	}
}

// down tries products with fewer and fewer states than any linear system needs that does nearly as well as the
// best, as long as it pays: what products do, linear systems may have had states for.
func (s *Search) down(ctx context.Context) {
	for m := s.from - 1; m >= 1 && !s.exact() && ctx.Err() == nil && s.affordable(m, true, false); m-- {
		c := s.try(ctx, m, true)
		if c == nil {
			return
		}
		if s.Tried = append(s.Tried, c); !s.prefers(c, true) {
			return
		}
		s.Best = c
	}
}

// exact reports whether the best system leaves nothing to explain: more states would fit rounding.
func (s *Search) exact() bool { return s.Best != nil && s.Best.Validation() < rounding }

// prefers reports whether a system is better than the best so far: on parts left out, and where
// the data are few or it has products, by likelihood too: few parts of few data say little,
// unless what they say is clear, and products have many parameters. Along few runs a slow state may go
// on from one part to the next with what is that run's alone. Of long runs one part may outweigh the
// others, as it may hold what none else does; of short ones products that do worse in all are chance.
// Products that are not calm need clear gains on every part: the truth may be such a system.
func (s *Search) prefers(c *System, products bool) bool {
	clear := c.Validation() < (1-s.Clear)*s.Best.Validation()
	if !c.bounded(s.data) || products && !(clear && c.score(s.Best) == s.Parts) && !c.Calm(s.data) {
		return false
	}
	if s.data.many() && !(products && s.leaves(true)) || !products && !s.leaves(false) {
		most := s.Best.Validation() // one part may outweigh the others
		if products && !s.Best.Products && !clear {
			if most *= 1 - s.Slight; !c.surely(s.Best, s.Sure) {
				return false
			}
		}
		return c.Earns(s.Best) && c.Validation() < most && (s.data.many() || clear || c.Likelier(s.Best, s.data.M))
	}
	if products && !s.data.long() && c.Validation() > s.Best.Validation() {
		return false
	}
	if s.leaves(products) && clear && c.score(s.Best) >= 2 {
		return true
	}
	return c.Likelier(s.Best, s.data.M) && c.Earns(s.Best)
}

// leaves reports whether systems are fitted without each part from nothing.
func (s *Search) leaves(products bool) bool { return s.parts != nil && (s.cold || !products) }

// copies is how many times the numbers of the data are there at the worst: as they came, in the coordinates
// of the fit, the outputs of each part and of all without it, and compressed.
const copies = 12

// Bytes returns about how many bytes a search takes: the data, the sums that responses are told by, and
// normal equations of k parameters, by fold and lane of the sums, without each of so many parts.
func (data *Data) Bytes(k, parts int) float64 {
	numbers := 0
	for _, r := range data.Runs {
		numbers += len(r.X) + len(r.Y) + len(r.At)
	}
	each, regressors := 1+float64(parts), float64(min(maxRegressors, maxLags*(data.D-1+data.P)))
	sums := min(len(data.Runs), 4)*max(parts, 1) + 4 // their total, that with damping, its factor, changes of basis
	return 8 * (copies*float64(numbers) + 3*each*regressors*regressors + each*float64(sums)*float64(k)*float64(k))
}

// room reports whether there is memory to descend with systems like c, without each of so many parts.
func (s *Search) room(c *System, parts int) bool {
	return s.data.Bytes(len(c.runs(s.data).Pattern.Free), parts) <= s.Memory
}

// Tight reports whether more states, or products, were not tried for want of memory.
func (s *Search) Tight() bool { return s.tight }

// affordable reports whether there is data, and time, for m states.
func (s *Search) affordable(m int, products, first bool) bool {
	c := NewSystem(m, s.data.D, s.data.P)
	c.Products = products
	k := len(c.runs(s.data).Pattern.Free)
	one := m == 1 && !products
	pays := one && s.parts != nil || k <= s.Parameters && 3*k <= s.data.M && s.spent+s.cost(c) < s.Budget
	fits := s.room(c, s.Parts)
	s.tight = s.tight || pays && !fits
	return pays && fits
}

// cost is about how many operations go into a number of states.
func (s *Search) cost(c *System) float64 {
	all, sub := pass(c, s.data), pass(c, s.whole.sub)
	if s.whole.short != nil && !c.Products {
		return float64(2*(1+s.whole.near(c.States()))) * pass(c, s.whole.short) * float64(1+s.Parts)
	}
	if s.leaves(c.Products) {
		return 100 * all * float64(1+s.Parts)
	}
	return float64(s.whole.iterations(c, s.data)+6)*all + float64(4*s.whole.iterations(c, s.whole.sub)+20)*sub
}

// try fits systems with m states and finds how they do on the parts left out.
func (s *Search) try(ctx context.Context, m int, products bool) *System {
	s.spent += s.cost(&System{N: m + 1, D: s.data.D, P: s.data.P, Products: products})
	if !s.leaves(products) {
		c := s.whole.next(ctx, m, products)
		if c != nil {
			s.validate(ctx, c)
		}
		return c
	}
	found := make([]*System, 1+s.Parts)
	paths := append([]*path{s.whole}, s.parts...)
	inParts(len(paths), func(i int) { found[i] = paths[i].next(ctx, m, products) })
	c := found[0]
	if c == nil {
		return nil
	}
	c.Folds = make([]float64, s.Parts)
	inParts(s.Parts, func(f int) {
		q := found[1+f]
		c.Folds[f] = math.Inf(1)
		if s.data.Grows > 0 && !products {
			q = s.parts[f].again(ctx, q, c)
		}
		if q != nil {
			c.Folds[f] = q.errorOn(s.held[f])
		}
	})
	return c
}

// validate leaves out the parts of the data, or of some of many runs.
func (s *Search) validate(ctx context.Context, c *System) {
	data := s.data
	if data.many() {
		data = s.whole.more
	}
	afford := s.Budget / (20 * float64(s.Parts) * pass(c, data))
	c.Validate(ctx, data, s.Parts, int(min(max(afford, 1), warmIterations)))
}

// warmIterations are enough to forget a part; where they are dear there are fewer.
const warmIterations = 5
