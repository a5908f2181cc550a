package symbols

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/phrase"
)

// Model is a linear 2-RNN on one-hot inputs: after the word σ₁⋯σ_k its outputs are
// Ω (A[σ₁]⋯A[σ_k])ᵀ h₀. H0 has n entries, each A[σ] is n×n, Omega p×n.
type Model struct {
	H0    *mat.VecDense
	A     []*mat.Dense
	Omega *mat.Dense
}

// newModel returns the zero function.
func newModel(n, d, p int) *Model {
	m := &Model{H0: mat.NewVecDense(n, nil), A: make([]*mat.Dense, d), Omega: mat.NewDense(p, n, nil)}
	for s := range m.A {
		m.A[s] = mat.NewDense(n, n, nil)
	}
	return m
}

// Dims returns the numbers of states, symbols and outputs.
func (m *Model) Dims() (n, d, p int) {
	p, n = m.Omega.Dims()
	return n, len(m.A), p
}

// Machine is a model with the account of what it was learnt from.
type Machine struct {
	*Model
	Futures       int       // the length of the suffixes that told its states apart
	Deterministic bool      // states and transitions are unit vectors, exactly
	Error         float64   // the largest error of an output
	Values        []float64 // singular values of what follows the prefixes, one each of those that differ
	// Unseen is the number of transitions that no word tells: for each symbol the states less
	// the rank of those in which it was read. Missing names such transitions.
	Unseen  int
	Missing []Gap
}

// Gap is a state and a symbol of which no word tells where it leads from there.
type Gap struct {
	Word   []int // leads to the state
	Symbol int
	// Seen says that it was read there, but that too little of what follows was observed.
	Seen bool
}

// Untold says of n transitions such as g, which the given word leads to, what the words lack, and the
// cure, where futures are of k symbols.
func (g Gap) Untold(n, k int, word string) (what, cure string) {
	were := phrase.Count(n, "transition") + " were"
	if n == 1 {
		were = "1 transition was"
	}
	if !g.Seen {
		return fmt.Sprintf("%s never seen, such as symbol %d after %s", were, g.Symbol, word), "add a word that takes them"
	}
	what = fmt.Sprintf("%s seen, but too little of what follows, such as symbol %d after %s", were, g.Symbol, word)
	if k == 0 {
		return what, "add an output there"
	}
	return what, "add words that go on from there with every word of " + phrase.Count(k, "symbol") + ", with an output after each symbol"
}

// Parameters returns the number of free parameters that the words tell: those of all
// transitions seen, of h₀ and of Ω, less the choice of a basis. A deterministic machine has one state to choose for
// each transition, and the outputs of its states.
func (m *Machine) Parameters() int {
	n, d, p := m.Dims()
	if m.Deterministic {
		return n*d - m.Unseen + n*p
	}
	return n*(n*d-m.Unseen+p+1) - n*n
}
