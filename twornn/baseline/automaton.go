package baseline

import (
	"fmt"
	"slices"
	"strings"
)

// RegressionAutomaton reads a record value by value. In each state a value lies in the
// guard of exactly one edge, and takes the automaton along it: it is deterministic and
// never stuck. What it expects after a value depends on the state reached, and there on
// the value by a line. It has exported fields alone, so encoding/gob keeps it, and a
// drawing needs nothing else: States are nodes, Edges arrows.
type RegressionAutomaton struct {
	States   []AutomatonState // the first is where a record starts
	Edges    []AutomatonEdge  // by From, then by Low
	Horizons []int            // rows ahead, in order; 1 is always among them
	Mean     float64          // of the training rows: what is expected of the first row
	Chosen   Automaton        // the options it was learnt with, none of them zero
}

var _ Univariate = (*RegressionAutomaton)(nil)

// AutomatonState is a state, with a line for each horizon.
type AutomatonState struct {
	Rows  int     // training rows after which the automaton was here
	Value float64 // their mean
	Lines []AutomatonLine
}

// AutomatonLine forecasts Mean + Slope (y − Value) after y, Value being the state's, with
// errors of the given Variance.
type AutomatonLine struct{ Mean, Slope, Variance float64 }

// AutomatonEdge leads from a state to a state on values y with Low ≤ y < High. The lowest
// edge of a state has Low −Inf, the highest High +Inf.
type AutomatonEdge struct {
	From, To  int
	Low, High float64
	Rows      int // training rows that took it
}

// String says the size and how it was learnt in a line.
func (a *RegressionAutomaton) String() string {
	kind := "lines"
	if a.Chosen.Means {
		kind = "means"
	}
	return fmt.Sprintf("regression automaton of %s and %s with %s, windows of %s, penalty %g", count(len(a.States), "state"),
		count(len(a.Edges), "guard"), kind, count(a.Chosen.Window, "row"), a.Chosen.Penalty)
}

// Table lists states and edges, a line each, for the horizon h of a.Horizons.
func (a *RegressionAutomaton) Table(h int) string {
	k := a.horizon(h)
	var s strings.Builder
	for i, state := range a.States {
		fmt.Fprintf(&s, "state %d, %s: expects %.4g %+.3g (y − %.4g)\n", i, count(state.Rows, "row"), state.Lines[k].Mean, state.Lines[k].Slope, state.Value)
		for _, e := range a.Edges {
			if e.From == i {
				fmt.Fprintf(&s, "  [%.4g, %.4g) → %d, %s\n", e.Low, e.High, e.To, count(e.Rows, "row"))
			}
		}
	}
	return s.String()
}

// horizon returns the place of h in a.Horizons.
func (a *RegressionAutomaton) horizon(h int) int {
	k, ok := slices.BinarySearch(a.Horizons, h)
	if !ok {
		panic(fmt.Sprintf("baseline: the automaton was not learnt for a horizon of %d; list it in Automaton.Horizons", h))
	}
	return k
}
