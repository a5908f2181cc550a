package words

import (
	"iter"
	"math"
	"math/rand/v2"

	"github.com/twornn/spectral/datasets"
)

// Perplexity scores a model on the words of a test against the true probabilities, as the PAutomaC
// competition does: both are divided by their sums over the test, and the score is
//
//	2^(−Σ_x p(x) log₂ q(x))
//
// Less is better, and the true p has the least. Both arguments are natural logarithms;
// counts play no part. A word without probability makes it infinite.
func Perplexity(test iter.Seq2[[]int, float64], truth, model func(word []int) float64) float64 {
	var p, q []float64
	for w := range test {
		p, q = append(p, truth(w)), append(q, model(w))
	}
	logP, logQ := logSum(p), logSum(q)
	s := 0.0
	for i := range p {
		if x := math.Exp(p[i] - logP); x > 0 {
			s -= x * (q[i] - logQ)
		}
	}
	return math.Exp(s)
}

// Draw returns n words of the distribution. It panics if n is negative.
func (a *Automaton) Draw(n int, src rand.Source) *datasets.Words {
	if n < 0 {
		panic("words: a sample cannot have fewer than no words")
	}
	rnd := rand.New(src)
	weights := make([]float64, len(a.Parts))
	for i, p := range a.Parts {
		weights[i] = p.Weight
	}
	w := datasets.NewWords(a.Alphabet)
	for range n {
		w.Add(a.Parts[pick(weights, rnd.Float64())].pfa.draw(rnd), 1)
	}
	return w
}

// Only returns part i by itself.
func (a *Automaton) Only(i int) *Automaton {
	p := a.Parts[i]
	p.Weight = 1
	return &Automaton{Alphabet: a.Alphabet, Parts: []Part{p}}
}
