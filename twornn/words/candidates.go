package words

import (
	"math"
	"slices"
)

// unigrams returns the automaton of one state.
func unigrams(c *corpus) *pfa {
	a := newPFA(1, c.d)
	a.start[0] = 1
	a.stop[0] = c.total + 1
	for s := range a.step {
		a.step[s][0] = c.seen[s] + 1
	}
	a.normalise()
	return a
}

// refine runs EM from an automaton near the truth, over all words.
func (f *fitter) refine(a *pfa) *pfa {
	best, most := a, f.heldOut(a)
	work, worse := 0.0, 0
	for it := 1; it <= 120 && work < refineBudget && f.ctx.Err() == nil; it++ {
		beam := coarse
		if it <= 10 {
			beam = fine
		}
		c := f.rest.expect(a, beam)
		work += c.work
		a = &c.pfa
		a.normalise()
		if it%5 == 0 {
			if h := f.heldOut(a); h > most {
				best, most, worse = a, h, 0
			} else if worse++; worse == 2 {
				break
			}
		}
	}
	return best
}

// grow runs EM from a random start: first over some of the words, where the way is long and
// the words need not be many, then over all, and, once few states carry weight after a
// prefix, over those alone.
func (f *fitter) grow(n int) *pfa {
	a := randomPFA(n, f.rest, f.rnd)
	small := f.rest
	if f.rest.total > 4000 {
		small = f.sub
	}
	best, most := a, math.Inf(-1)
	work, worse := 0.0, 0
	for it := 1; it <= 400 && work < growBudget && f.ctx.Err() == nil; it++ {
		c, beam := f.rest, coarse
		if it <= 80 {
			c = small
		}
		if it <= 40 {
			beam = fine
		}
		e := c.expect(a, beam)
		work += e.work
		a = &e.pfa
		a.normalise()
		if it > 80 && it%10 == 0 {
			if h := f.heldOut(a); h > most {
				best, most, worse = a, h, 0
			} else if worse++; worse == 3 {
				break
			}
		}
	}
	return best
}

// starts returns the numbers of states of the random starts.
func (f *fitter) starts() []int {
	sizes := startSizes
	if f.o.States > 0 {
		sizes = []int{f.o.States}
	}
	switch {
	case f.o.Starts < 0:
		return nil
	case f.o.Starts > 0:
		return slices.Repeat(sizes[len(sizes)-1:], f.o.Starts)
	}
	return sizes
}

// best returns the largest likelihood of a part on the words held out.
func (f *fitter) best() float64 {
	b := math.Inf(-1)
	for _, p := range f.parts {
		b = max(b, p.HeldOut)
	}
	return b
}

// candidates learns the parts on the words not held out.
func (f *fitter) candidates() {
	f.add("unigrams", unigrams(f.rest))
	if !f.o.NoMerging {
		limit := maxMerged
		if f.o.States > 0 {
			limit = f.o.States
		}
		for _, reject := range rejects {
			m := newMerger(f.restWords, f.restCounts, f.d, 0.5, reject)
			a := m.pfa(m.run(limit, 10))
			f.add("merged states", f.refine(a))
		}
	}
	merged := f.best()
	for k, n := range f.starts() {
		// Where random starts end far below merged states a larger one does too.
		if f.o.Starts == 0 && k == len(startSizes)-1 && f.best() == merged && f.parts[len(f.parts)-1].HeldOut < merged-hopeless {
			break
		}
		f.add("EM", f.grow(n))
	}
}
