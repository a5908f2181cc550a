package words

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn/internal/stop"
)

// Fit learns the distribution that the words of the sample were drawn from. It learns
// several automata on most of the words, by merging the states of the prefix tree and by
// EM from there, from spectral and from random starts, gives each the share of a mixture that makes the other words most likely, and
// carries those with a share on over the whole sample. Every word has a positive
// probability in the result. The same sample and source give the same bits.
//
// A ctx that is done ends the learning, and what there is by then is returned. It holds
// half a gigabyte of numbers at the most, whatever the alphabet, and tries automata of fewer states for that. Fit errs if
// the sample is empty, if an option is out of range or asks for more than that, and if ctx is done at once.
func Fit(ctx context.Context, sample *datasets.Words, o Options) (*Automaton, error) {
	return stop.Within(ctx, func() (*Automaton, error) { return fit(ctx, sample, o) })
}

func fit(ctx context.Context, sample *datasets.Words, o Options) (*Automaton, error) {
	if err := usable(sample); err != nil {
		return nil, err
	}
	if !(o.HeldOut >= 0 && o.HeldOut < 1) || o.States < 0 {
		return nil, fmt.Errorf("words: HeldOut %v, States %d: give a fraction below 1 and no negative number; zero means the default", o.HeldOut, o.States)
	}
	if o.States > 0 && !dense(o.States, len(sample.Alphabet)) {
		return nil, fmt.Errorf("words: Options.States %s; give fewer, or 0 to have them chosen", tooDense(o.States, len(sample.Alphabet)))
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
	if err := f.checkRoom(); err != nil {
		return nil, err
	}
	if err := f.candidates(); err != nil && ctx.Err() == nil {
		return nil, err
	}
	f.weigh()
	f.finish()
	return &Automaton{Alphabet: sample.Alphabet, Parts: f.parts}, nil
}
