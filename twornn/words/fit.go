package words

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/twornn/spectral/datasets"
)

// Options holds the choices of Fit. The zero value chooses everything from the sample.
type Options struct {
	// States is the number of states of each automaton that EM learns from random starts,
	// and the most that merging may leave. Zero means: by held-out likelihood.
	States int
	// Starts is the number of random starts of EM. Zero means by their cost; negative
	// means none.
	Starts int
	// NoMerging leaves out the automata whose states are merged from the prefix tree.
	NoMerging bool
	// HeldOut is the fraction of the words on which parts are weighed. Zero means 0.2.
	HeldOut float64
	// Src draws starts and the words held out. Nil means a fixed seed.
	Src rand.Source
}

// Fit learns the distribution that the words of the sample were drawn from. It learns
// several automata on most of the words, by merging the states of the prefix tree and by
// EM, gives each the share of a mixture that makes the other words most likely, and
// carries those with a share on over the whole sample. Every word has a positive
// probability in the result. The same sample and source give the same bits.
//
// It errs if the sample is empty, if an option is out of range, and if ctx is done before
// there is anything to return.
func Fit(ctx context.Context, sample *datasets.Words, o Options) (*Automaton, error) {
	if sample == nil || sample.Len() == 0 {
		return nil, errors.New("words: the sample holds no word; read or add some first")
	}
	if !(o.HeldOut >= 0 && o.HeldOut < 1) || o.States < 0 {
		return nil, fmt.Errorf("words: HeldOut %v, States %d: give a fraction below 1 and no negative number; zero means the default", o.HeldOut, o.States)
	}
	if o.HeldOut == 0 {
		o.HeldOut = 0.2
	}
	if o.Src == nil {
		o.Src = rand.NewPCG(13, 1)
	}
	rnd := rand.New(o.Src)
	f := &fitter{ctx: ctx, d: len(sample.Alphabet), rnd: rnd, o: o}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f.words, f.counts = sorted(sample)
	f.split()
	f.candidates()
	if err := ctx.Err(); err != nil && len(f.parts) == 0 {
		return nil, err
	}
	f.weigh()
	f.finish()
	return &Automaton{Alphabet: sample.Alphabet, Parts: f.parts}, nil
}

// fitter is a fit under way.
type fitter struct {
	ctx    context.Context
	o      Options
	rnd    *rand.Rand
	d      int
	words  [][]int
	counts []float64

	whole, rest *corpus
	sub         *corpus // some of the rest
	heldWords   [][]int
	heldCounts  []float64
	restWords   [][]int
	restCounts  []float64
	work        float64
	parts       []Part
	logs        [][]float64 // of parts on the words held out
}

// split holds out a fraction of the words: of a word met often, about that fraction of
// its count.
func (f *fitter) split() {
	f.whole = newCorpus(f.words, f.counts, f.d)
	for k, w := range f.words {
		out := 0.0
		c := f.counts[k]
		for range int(min(c, 1e6)) {
			if f.rnd.Float64() < f.o.HeldOut {
				out++
			}
		}
		if out > 0 {
			f.heldWords, f.heldCounts = append(f.heldWords, w), append(f.heldCounts, out)
		}
		if c > out {
			f.restWords, f.restCounts = append(f.restWords, w), append(f.restCounts, c-out)
		}
	}
	if len(f.restWords) == 0 || len(f.heldWords) == 0 {
		f.restWords, f.restCounts = f.words, f.counts
		f.heldWords, f.heldCounts = f.words, f.counts
	}
	f.rest = newCorpus(f.restWords, f.restCounts, f.d)
	f.sub = f.some(0.25)
}

// some returns a fraction of the rest.
func (f *fitter) some(fraction float64) *corpus {
	var words [][]int
	var counts []float64
	for k, w := range f.restWords {
		in := 0.0
		for range int(min(f.restCounts[k], 1e6)) {
			if f.rnd.Float64() < fraction {
				in++
			}
		}
		if in > 0 {
			words, counts = append(words, w), append(counts, in)
		}
	}
	return newCorpus(words, counts, f.d)
}

// add takes an automaton learnt on the rest as a part.
func (f *fitter) add(method string, a *pfa) {
	logs := make([]float64, len(f.heldWords))
	each(len(logs), func(k int) { logs[k] = a.logProb(f.heldWords[k]) })
	f.parts = append(f.parts, Part{Method: method, States: a.n, HeldOut: f.mean(logs), pfa: a})
	f.logs = append(f.logs, logs)
}

// mean returns the mean of the logs of the words held out.
func (f *fitter) mean(logs []float64) float64 {
	var s, t float64
	for k, v := range logs {
		s += f.heldCounts[k] * v
		t += f.heldCounts[k]
	}
	return s / t
}

// heldOut returns the mean log-likelihood of a on the words held out.
func (f *fitter) heldOut(a *pfa) float64 {
	logs := make([]float64, len(f.heldWords))
	each(len(logs), func(k int) { logs[k] = a.logProb(f.heldWords[k]) })
	return f.mean(logs)
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

// best returns the largest likelihood of a part on the words held out.
func (f *fitter) best() float64 {
	b := math.Inf(-1)
	for _, p := range f.parts {
		b = max(b, p.HeldOut)
	}
	return b
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

// refine runs EM from an automaton near the truth, over all words.
func (f *fitter) refine(a *pfa) *pfa {
	best, most := a, f.heldOut(a)
	work := 0.0
	for it := 1; it <= 60 && work < refineBudget && f.ctx.Err() == nil; it++ {
		c := f.rest.expect(a, fine)
		work += c.work
		a = &c.pfa
		a.normalise()
		if it%5 == 0 {
			h := f.heldOut(a)
			if h <= most {
				break
			}
			best, most = a, h
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

// What Fit chooses where it is not told, all on training words of PAutomaC problems and
// splits inside them.
const (
	// maxMerged is the most states that merging leaves.
	maxMerged = 120
	// fine is a share far below what counts of a hundred thousand words can tell; coarse
	// costs a third and moves log-likelihoods in the fourth digit.
	fine, coarse = 1e-9, 1e-4
	// refineBudget and growBudget are multiply-adds, of which a core does some 1e9 a second.
	refineBudget, growBudget = 2e10, 8e10
	// hopeless is a distance, in nats a word, that a larger random start does not make up.
	hopeless = 0.4
)

// rejects are the evidences, in nats, by which two states of the prefix tree differ.
var rejects = []float64{3, 6}

// startSizes are the numbers of states of random starts.
var startSizes = []int{15, 30, 60}

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

// weigh chooses the shares of the parts by EM on the words held out.
func (f *fitter) weigh() {
	k := len(f.parts)
	w := make([]float64, k)
	for i := range w {
		w[i] = 1 / float64(k)
	}
	v := make([]float64, k)
	for range 300 {
		next := make([]float64, k)
		for j, c := range f.heldCounts {
			for i := range v {
				v[i] = math.Log(w[i]) + f.logs[i][j]
			}
			l := logSum(v)
			for i := range v {
				next[i] += c * math.Exp(v[i]-l)
			}
		}
		scale(next, sum(next))
		w = next
	}
	for i := range f.parts {
		f.parts[i].Weight = w[i]
	}
	f.parts[0].Weight = max(f.parts[0].Weight, 1/(f.whole.total+1))
}

// finish carries the parts on over the whole sample, and leaves out those without weight.
func (f *fitter) finish() {
	var kept []Part
	var total float64
	for i, p := range f.parts {
		if i > 0 && p.Weight < 1e-3 {
			continue
		}
		for range 5 {
			if f.ctx.Err() != nil {
				break
			}
			p.pfa = &f.whole.expect(p.pfa, fine).pfa
			p.pfa.normalise()
		}
		if i == 0 {
			p.pfa = unigrams(f.whole)
		}
		total += p.Weight
		kept = append(kept, p)
	}
	for i := range kept {
		kept[i].Weight /= total
	}
	f.parts = kept
}
