package baseline

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/twornn/spectral/twornn/internal/phrase"
)

// Automaton holds the choices of FitAutomaton. The zero value leaves them to the last
// part of the training rows.
type Automaton struct {
	// Horizons are the rows ahead to forecast. None means 1, which is always learnt.
	Horizons []int
	// Window is the length of the windows whose prefix tree is folded: how far back
	// states are told apart. Zero means the best of 2, 4 and 8.
	Window int
	// Penalty is what a guard, or a state, must gain: the squares of the errors, in
	// units of their mean, that a line of its own saves. Zero means the best of 3, 6,
	// 12, 24 and +Inf, which is one line for all.
	Penalty float64
	// Means forecasts by the mean of a state alone. False means lines where Window or
	// Penalty is given, and the better of the two where both are left.
	Means bool
	// LeastRows is the rows that a state or a guard must have. Zero means 8.
	LeastRows int
	// MostStates is a limit. Zero means 50.
	MostStates int
}

func (o Automaton) check() error {
	if o.Window < 0 || o.LeastRows < 0 || o.MostStates < 0 || !(o.Penalty >= 0) {
		return fmt.Errorf("baseline: Window %d, Penalty %v, LeastRows %d, MostStates %d: none may be negative; zero means the default",
			o.Window, o.Penalty, o.LeastRows, o.MostStates)
	}
	if len(o.Horizons) > 0 && slices.Min(o.Horizons) < 1 {
		return fmt.Errorf("baseline: horizons %v: they count rows ahead, from 1 on", o.Horizons)
	}
	return nil
}

// filled returns o with the defaults of all but what is chosen by the rows.
func (o Automaton) filled() Automaton {
	o.Horizons = append([]int{1}, o.Horizons...)
	slices.Sort(o.Horizons)
	o.Horizons = slices.Compact(o.Horizons)
	if o.LeastRows == 0 {
		o.LeastRows = 8
	}
	if o.MostStates == 0 {
		o.MostStates = 50
	}
	return o
}

// candidates returns the options to choose among, the simplest first.
func (o Automaton) candidates() (all []Automaton) {
	penalties, windows, means := []float64{o.Penalty}, []int{o.Window}, []bool{o.Means}
	if o.Penalty == 0 && o.Window == 0 && !o.Means {
		means = []bool{false, true}
	}
	if o.Penalty == 0 {
		penalties = []float64{math.Inf(1), 24, 12, 6, 3}
	}
	if o.Window == 0 {
		windows = []int{2, 4, 8}
	}
	for _, o.Penalty = range penalties {
		for _, o.Window = range windows {
			for _, o.Means = range means {
				all = append(all, o)
			}
		}
	}
	return all
}

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
	return fmt.Sprintf("regression automaton of %s and %s with %s, windows of %s, penalty %g", phrase.Count(len(a.States), "state"),
		phrase.Count(len(a.Edges), "guard"), kind, phrase.Count(a.Chosen.Window, "row"), a.Chosen.Penalty)
}

// Table lists states and edges, a line each, for the horizon h of a.Horizons.
func (a *RegressionAutomaton) Table(h int) string {
	k := a.horizon(h)
	var s strings.Builder
	for i, state := range a.States {
		fmt.Fprintf(&s, "state %d, %s: expects %.4g %+.3g (y − %.4g)\n", i, phrase.Count(state.Rows, "row"), state.Lines[k].Mean, state.Lines[k].Slope, state.Value)
		for _, e := range a.Edges {
			if e.From == i {
				fmt.Fprintf(&s, "  [%.4g, %.4g) → %d, %s\n", e.Low, e.High, e.To, phrase.Count(e.Rows, "row"))
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
