package symbols

import "gonum.org/v1/gonum/mat"

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
	// Unseen is the number of transitions that no word takes: for each symbol the states less
	// the rank of those in which it was read. Missing names such transitions.
	Unseen  int
	Missing []Gap
}

// Gap is a state and a symbol that was never read in it.
type Gap struct {
	Word   []int // leads to the state
	Symbol int
}

// Parameters returns the number of free parameters that the words tell: those of all
// transitions seen, of h₀ and of Ω, less the choice of a basis.
func (m *Machine) Parameters() int {
	n, d, p := m.Dims()
	return n*(n*d-m.Unseen+p+1) - n*n
}
