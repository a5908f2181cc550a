package words

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/internal/phrase"
)

// Automaton is a distribution over words: a mixture of probabilistic automata, which side
// by side are one again.
type Automaton struct {
	// Alphabet names the symbols.
	Alphabet []string
	// Parts says what the mixture consists of.
	Parts []Part
}

// Part is one automaton of a mixture.
type Part struct {
	Method string  // "merged states", "EM" or "unigrams"
	States int     // how many it has
	Weight float64 // its share of the mixture, from words held out
	// HeldOut is the mean log-likelihood, in nats a word, of the words held out when the
	// part was learnt on the others.
	HeldOut float64

	pfa        *pfa
	unfinished bool // its EM was ended by its cost
}

// fitted returns an error if a is none that Fit, Load or ReadModel gave.
func (a *Automaton) fitted() error {
	if a == nil || len(a.Parts) == 0 || len(a.Alphabet) == 0 || slices.ContainsFunc(a.Parts, func(p Part) bool { return p.pfa == nil }) {
		return errors.New("it is not fitted; use Fit or Load first")
	}
	return nil
}

// LogProb returns the natural logarithm of the probability of a word of indices into
// Alphabet. It is never NaN, and −Inf only for a word that the automaton excludes, which
// none does that Fit returns. It costs O(n²) a symbol at most and panics if a symbol is out of
// range.
func (a *Automaton) LogProb(word []int) float64 {
	checkSymbols(word, len(a.Alphabet))
	logs := make([]float64, len(a.Parts))
	for i, p := range a.Parts {
		logs[i] = math.Log(p.Weight) + p.pfa.logProb(word)
	}
	return logSum(logs)
}

// States returns the number of states, those of all parts.
func (a *Automaton) States() int {
	n := 0
	for _, p := range a.Parts {
		n += p.States
	}
	return n
}

// WFA returns the weighted automaton whose value on a word is its probability: the parts
// side by side, each starting with its weight. It has n² numbers a symbol.
func (a *Automaton) WFA() *twornn.WFA {
	n, d := a.States(), len(a.Alphabet)
	m := twornn.NewModel(n, d, 1)
	at := 0
	for _, p := range a.Parts {
		q := p.pfa
		for i := range q.n {
			m.H0.SetVec(at+i, p.Weight*q.start[i])
			m.Omega.Set(0, at+i, q.stop[i])
			for s := range d {
				copy(m.A[s].RawRowView(at + i)[at:], q.step[s][i*q.n:(i+1)*q.n])
			}
		}
		at += q.n
	}
	return m.WFA(a.Alphabet)
}

// Model returns the linear 2-RNN that computes on one-hot words what WFA does.
func (a *Automaton) Model() *twornn.Model { return a.WFA().Model() }

// LogLikelihood returns Σ count · LogProb over the words of an iteration.
func (a *Automaton) LogLikelihood(words func(yield func([]int, float64) bool)) float64 {
	var s float64
	for w, c := range words {
		s += c * a.LogProb(w)
	}
	return s
}

// String is the summary that a notebook prints: one line a part.
func (a *Automaton) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s over %s", phrase.Count(a.States(), "state"), phrase.Count(len(a.Alphabet), "symbol"))
	for _, p := range a.Parts {
		fmt.Fprintf(&b, "\n  %5.1f %%  %s, %s, %.4f nats a word held out", 100*p.Weight, p.Method, phrase.Count(p.States, "state"), p.HeldOut)
	}
	return b.String()
}
