package words

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

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

func (f *fitter) candidates() {
	f.add("unigrams", f.smooth(unigrams(f.rest)))
	if !f.o.NoMerging {
		limit := 120
		if f.o.States > 0 {
			limit = f.o.States
		}
		for _, reject := range []float64{3, 6} {
			m := newMerger(f.restWords, f.restCounts, f.d, 0.5, reject)
			a := m.pfa(m.run(limit, 10))
			f.add("merged states", f.em(a, 10, math.Inf(1)))
		}
	}
	n := f.o.States
	if n == 0 {
		n = 60
	}
	starts := f.o.Starts
	if starts == 0 {
		starts = 1
	}
	for range starts {
		f.add("EM", f.em(randomPFA(n, f.rest, f.rnd), 200, budget))
	}
}

// budget is the number of multiply-adds of one start.
const budget = 3e10

// em runs EM on the rest until the words held out gain no more.
func (f *fitter) em(a *pfa, limit int, budget float64) *pfa {
	best, most := a, math.Inf(-1)
	work := 0.0
	for it := range limit {
		if f.ctx.Err() != nil || work > budget {
			break
		}
		c := f.rest.expect(a)
		work += c.work
		a = f.smooth(&c.pfa)
		if it%10 == 9 || it == limit-1 {
			if h := f.heldOut(a); h > most {
				best, most = a, h
			} else if it > 60 {
				break
			}
		}
	}
	return best
}

// smooth turns expected counts into probabilities.
func (f *fitter) smooth(a *pfa) *pfa {
	a.normalise()
	return a
}

// unigrams returns the automaton of one state.
func unigrams(c *corpus) *pfa {
	a := newPFA(1, c.d)
	a.start[0] = 1
	a.stop[0] = c.total + 1
	for s := range a.step {
		a.step[s][0] = c.seen[s] + 1
	}
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
			p.pfa = f.smooth(&f.whole.expect(p.pfa).pfa)
		}
		if i == 0 {
			p.pfa = f.smooth(unigrams(f.whole))
		}
		total += p.Weight
		kept = append(kept, p)
	}
	for i := range kept {
		kept[i].Weight /= total
	}
	f.parts = kept
}
