package words

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
)

// HMM is a hidden Markov model of n states over d symbols. In each state it writes a symbol
// and then moves on.
type HMM struct {
	Start      []float64  // n
	Transition *mat.Dense // n×n, rows the old state
	Emission   *mat.Dense // n×d
}

// check returns an error if the parts of h disagree or are no probabilities.
func (h *HMM) check() error {
	if h == nil || h.Transition == nil || h.Emission == nil || len(h.Start) == 0 {
		return errors.New("words: the hidden Markov model is empty; fill Start, Transition and Emission")
	}
	n := len(h.Start)
	r, c := h.Transition.Dims()
	if e, _ := h.Emission.Dims(); r != n || c != n || e != n {
		return fmt.Errorf("words: %d start probabilities, %d×%d transitions and %d rows of emissions; all must be of as many states", n, r, c, e)
	}
	if err := distribution("start", h.Start); err != nil {
		return err
	}
	for i := range n {
		if err := distribution(fmt.Sprintf("transitions of state %d", i), h.Transition.RawRowView(i)); err != nil {
			return err
		}
		if err := distribution(fmt.Sprintf("emissions of state %d", i), h.Emission.RawRowView(i)); err != nil {
			return err
		}
	}
	return nil
}

// distribution returns an error unless v holds probabilities of sum 1.
func distribution(what string, v []float64) error {
	for _, x := range v {
		if !(x >= 0) || math.IsInf(x, 1) {
			return fmt.Errorf("words: the %s hold %v, which is no probability", what, x)
		}
	}
	if s := sum(v); math.Abs(s-1) > 1e-6 {
		return fmt.Errorf("words: the %s sum to %v, not to 1; divide by the sum", what, s)
	}
	return nil
}

// checkWFA returns an error if w is none, or has a weight that is not finite.
func checkWFA(w *twornn.WFA) error {
	if w == nil {
		return errors.New("words: there is no automaton: it is nil; learn or load one first")
	}
	if _, err := w.Value(); err != nil {
		return fmt.Errorf("words: %w", err)
	}
	m := w.Model()
	n, d, p := m.Dims()
	finite := func(what string, v float64) error {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("words: the automaton's %s is %v; learn it again", what, v)
		}
		return nil
	}
	for i := range n {
		if err := finite(fmt.Sprintf("weight of the start in state %d", i), m.H0.AtVec(i)); err != nil {
			return err
		}
		for j := range p {
			if err := finite(fmt.Sprintf("output %d of state %d", j+1, i), m.Omega.At(j, i)); err != nil {
				return err
			}
		}
	}
	for s := range d {
		for i := range n {
			for j, v := range m.A[s].RawRowView(i) {
				if v-v != 0 {
					return finite(fmt.Sprintf("weight from state %d to %d by %s", i, j, shown(w.Alphabet[s])), v)
				}
			}
		}
	}
	return nil
}

// WFA returns the weighted automaton whose value on a word is the forward probability that
// the model writes it first, whatever comes after:
//
//	A^σ = diag(Emission[:, σ]) Transition   α = Start   Ω = (1, …, 1)
//
// Its Model is the linear 2-RNN of the same numbers (Theorem 2). It errs if h holds no
// probabilities, and panics if the alphabet has not d symbols.
func (h *HMM) WFA(alphabet []string) (*twornn.WFA, error) {
	if err := h.check(); err != nil {
		return nil, err
	}
	n, d := h.Emission.Dims()
	m := twornn.NewModel(n, d, 1)
	for i := range n {
		m.H0.SetVec(i, h.Start[i])
		m.Omega.Set(0, i, 1)
		for s := range d {
			for j := range n {
				m.A[s].Set(i, j, h.Emission.At(i, s)*h.Transition.At(i, j))
			}
		}
	}
	return m.WFA(alphabet), nil
}

// HMMOf returns the hidden Markov model that w is, up to 1e-9: its weights must be
// probabilities, Ω one row of ones, and in each state where one goes must not depend on
// the symbol. It errs where that is not so, with the state.
func HMMOf(w *twornn.WFA) (*HMM, error) {
	const tol = 1e-9
	if err := checkWFA(w); err != nil {
		return nil, err
	}
	m := w.Model()
	n, d, p := m.Dims()
	if p != 1 {
		return nil, fmt.Errorf("words: an automaton of %d outputs is no hidden Markov model, which has one; take one output", p)
	}
	h := &HMM{Start: make([]float64, n), Transition: mat.NewDense(n, n, nil), Emission: mat.NewDense(n, d, nil)}
	for i := range n {
		h.Start[i] = m.H0.AtVec(i)
		if math.Abs(m.Omega.At(0, i)-1) > tol {
			return nil, fmt.Errorf("words: the output of state %d is %v; in a hidden Markov model all are 1", i, m.Omega.At(0, i))
		}
		for s := range d {
			row := m.A[s].RawRowView(i)
			e := sum(row)
			h.Emission.Set(i, s, e)
			for j, x := range row {
				h.Transition.Set(i, j, h.Transition.At(i, j)+x)
			}
		}
		for s := range d {
			for j, x := range m.A[s].RawRowView(i) {
				if math.Abs(x-h.Emission.At(i, s)*h.Transition.At(i, j)) > tol {
					return nil, fmt.Errorf("words: where state %d goes depends on the symbol %s; a hidden Markov model needs a state for each symbol then", i, w.Alphabet[s])
				}
			}
		}
	}
	return h, h.check()
}
