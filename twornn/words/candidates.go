package words

import (
	"iter"
	"math"
	"slices"

	"github.com/twornn/spectral/datasets"
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

// refine runs EM from an automaton near the truth, over all words. It reports whether its
// work ended it, not the words held out.
func (f *fitter) refine(a *pfa) (best *pfa, unfinished bool) {
	best = a
	most, work, worse := f.heldOut(a), 0.0, 0
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
	return best, work >= refineBudget
}

// grow runs EM from a random start: first over some of the words, where the way is long and
// the words need not be many, then over all, and, once few states carry weight after a
// prefix, over those alone. It reports as refine does.
func (f *fitter) grow(n int) (best *pfa, unfinished bool) {
	a := randomPFA(n, f.rest, f.rnd)
	small := f.rest
	if f.rest.total > 4000 {
		small = f.sub
	}
	best = a
	most, work, worse := math.Inf(-1), 0.0, 0
	budget := growBudget * float64(n) / 60
	for it := 1; it <= 400 && work < budget && f.ctx.Err() == nil; it++ {
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
	return best, work >= budget
}

// starts returns the numbers of states of the random starts.
func (f *fitter) starts() iter.Seq2[int, int] {
	sizes := f.sizes(startSizes)
	if f.o.Starts == 0 {
		return slices.All(sizes)
	}
	return func(yield func(k, n int) bool) {
		for k := 0; k < f.o.Starts && yield(k, sizes[len(sizes)-1]); k++ {
		}
	}
}

// sizes returns those of the numbers of states for whose transitions there is room, at
// least one, or the one that was asked for.
func (f *fitter) sizes(of []int) []int {
	if f.o.States > 0 {
		return []int{f.o.States}
	}
	first := of[0]
	for first > 1 && f.numbers(first) > f.room() {
		first--
	}
	k := 1
	for k < len(of) && f.numbers(of[k]) <= min(maxNumbers, f.room()) {
		k++
	}
	return append([]int{first}, of[1:k]...)
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
func (f *fitter) candidates() error {
	f.add("unigrams", unigrams(f.rest), false)
	if !f.o.NoMerging {
		f.merged()
	}
	if !f.o.NoSpectral {
		rest := datasets.NewWords(datasets.Numbered(f.d))
		for k, w := range f.restWords {
			rest.Add(w, f.restCounts[k])
		}
		for _, n := range f.sizes(spectralSizes) {
			a, err := spectralStart(f.ctx, rest, n, 1e-4)
			if err != nil {
				return err
			}
			a, unfinished := f.refine(a)
			f.add("spectral start, EM", a, unfinished)
		}
	}
	most := f.best()
	for k, n := range f.starts() {
		if f.ctx.Err() != nil {
			break
		}
		// Where random starts end far below the others a larger one does too.
		if f.o.Starts == 0 && k == len(startSizes)-1 && f.parts[len(f.parts)-1].HeldOut < most-hopeless {
			break
		}
		a, unfinished := f.grow(n)
		f.add("EM", a, unfinished)
	}
	return nil
}

// merged adds the automata of merged states, if there is room for the counts.
func (f *fitter) merged() {
	nodes := 0
	for _, t := range f.rest.tries {
		nodes += len(t.symbol)
	}
	if nodes*(f.d+1) > maxUses {
		return
	}
	limit := f.mergedLimit()
	for _, reject := range rejects {
		if f.ctx.Err() != nil {
			return
		}
		m := newMerger(f.restWords, f.restCounts, f.d, 0.5, reject)
		a, unfinished := f.refine(m.pfa(m.run(f.ctx, limit, 10)))
		f.add("merged states", a, unfinished)
	}
}

// mergedLimit returns the most states that merging may leave: those asked for, or those for whose
// transitions there is room.
func (f *fitter) mergedLimit() int {
	if f.o.States > 0 {
		return f.o.States
	}
	limit := maxMerged
	for limit > 15 && f.numbers(limit) > maxNumbers || limit > 1 && f.numbers(limit) > f.room() {
		limit--
	}
	return limit
}
