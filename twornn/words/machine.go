package words

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/internal/phrase"
)

// Machine is an automaton with outputs, learnt from words.
type Machine struct {
	*twornn.Model
	// Futures is the length of suffixes that told its states apart.
	Futures int
	// Deterministic says that states and transitions are unit vectors, exactly, so that
	// nothing drifts on words of any length.
	Deterministic bool
	// Error is the largest error of an output in the data: where outputs after the same word differ,
	// at least half of that.
	Error float64
	// Missing lists transitions that no word of the data takes, or with too little after it to tell
	// where they lead: what the machine does there is not learnt.
	Missing []Gap
	// Warnings say what to know before trusting the machine: twornn.Unexplained, first, that it is not
	// what gave the outputs of its own words, twornn.Deficient that transitions are missing.
	Warnings []twornn.Warning
	// Words and Longest are the number of words and the symbols of the longest.
	Words, Longest int
}

// Gap is a state and a symbol of which no word of the data tells where it leads from there.
type Gap struct {
	Word   []int // leads to the state
	Symbol int
	// Seen says that it was read there, but that too little of what follows was observed.
	Seen bool
}

// Track stores the outputs after every symbol of a word of indices in dst, which is
// resized to k×p if empty. It costs O(n) a symbol for each entry of the state that is not
// zero: one, if the machine is deterministic. It panics if a symbol is out of range.
func (m *Machine) Track(dst *mat.Dense, word []int) {
	n, _, p := m.Dims()
	if dst.IsEmpty() {
		if len(word) == 0 {
			return
		}
		dst.ReuseAs(len(word), p)
	}
	h, next := slices.Clone(m.H0.RawVector().Data), make([]float64, n)
	omega := mat.DenseCopyOf(m.Omega.T())
	for t, s := range word {
		clear(next)
		for i, x := range h {
			if x != 0 {
				axpy(x, m.A[s].RawRowView(i), next)
			}
		}
		h, next = next, h
		y := dst.RawRowView(t)
		clear(y)
		for i, x := range h {
			if x != 0 {
				axpy(x, omega.RawRowView(i), y)
			}
		}
	}
}

// String is the summary that a notebook prints; where the machine does not explain its words, that first.
func (m *Machine) String() string {
	n, d, p := m.Dims()
	kind := "weighted"
	if m.Deterministic {
		kind = "deterministic"
	}
	var s string
	for _, w := range m.Warnings {
		if w.Kind == twornn.Unexplained {
			s = "warning: " + w.Text + "\n"
		}
	}
	s += fmt.Sprintf("%s, %s, %s, %s; from %s of up to %s, largest error %.2g", kind, phrase.Count(n, "state"), phrase.Count(d, "symbol"), phrase.Count(p, "output"), phrase.Count(m.Words, "word"), phrase.Count(m.Longest, "symbol"), m.Error)
	for _, w := range m.Warnings {
		if w.Kind != twornn.Unexplained {
			s += "\n" + w.Text
		}
	}
	return s
}

// Has reports whether the machine carries a warning of the given kind.
func (m *Machine) Has(kind twornn.WarningKind) bool {
	return slices.ContainsFunc(m.Warnings, func(w twornn.Warning) bool { return w.Kind == kind })
}
