package words

import (
	"fmt"

	"github.com/twornn/spectral/twornn/internal/phrase"
)

// maxRoom is how many numbers a fit may hold in automata and in logarithms of words held out: half a
// gigabyte, and as much again until what is done with is taken back.
const maxRoom = 1 << 26

// kept returns how many candidates there will be at the most.
func (f *fitter) kept() float64 {
	n := 1.0 // unigrams
	if !f.o.NoMerging {
		n += float64(len(rejects))
	}
	if !f.o.NoSpectral {
		n += float64(len(spectralSizes))
	}
	if f.o.Starts == 0 {
		return n + float64(len(startSizes))
	}
	return n + max(float64(f.o.Starts), 0)
}

// automata returns how many automata of the largest size are held at a time: the candidates, the counts
// of each trie, and two that EM is at.
func (f *fitter) automata() float64 { return f.kept() + float64(len(f.whole.tries)) + 2 }

// room returns the most numbers, d·n², that one automaton may have.
func (f *fitter) room() float64 {
	return (maxRoom - f.kept()*float64(len(f.heldWords))) / f.automata()
}

// numbers returns those of an automaton of n states.
func (f *fitter) numbers(n int) float64 { return float64(f.d) * float64(n) * float64(n) }

// checkRoom returns an error unless there is room for what the options ask for.
func (f *fitter) checkRoom() error {
	n := max(f.o.States, 1)
	if f.numbers(n) <= f.room() {
		return nil
	}
	size := f.automata()*f.numbers(n) + f.kept()*float64(len(f.heldWords))
	return fmt.Errorf("words: %.4g automata of %s over %s would hold %.2g numbers, of which there is room for %.2g; give lower Options.States or Starts",
		f.kept(), phrase.Count(n, "state"), phrase.Count(f.d, "symbol"), size, float64(maxRoom))
}
