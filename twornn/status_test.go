package twornn

import "testing"

// TestStatusTellsWhatRan: a Stats that nobody filled in does not say that a method
// converged, and a candidate whose fit was cut short says so.
func TestStatusTellsWhatRan(t *testing.T) {
	if s := (Stats{}).Status; s == Converged || s.String() != "not run" {
		t.Errorf("the zero status is %v", s)
	}
	m := Random(2, 2, 1, 0.6, pcg(1))
	data := drawLengths(m, 300, 0.1, 1, 1, 2, 3)
	for _, c := range fit(t, data, Options{L: 1, Recovery: LeastSquares{}}).Candidates {
		if c.Status != NotRun {
			t.Errorf("no joint fit, but %v", c.Status)
		}
	}
	whole := fit(t, data, Options{L: 1})
	cut := fit(t, data, Options{L: 1, Recorder: &stopAfter{left: 3}})
	status := func(r *Result) (chosen Status) {
		for _, c := range r.Candidates {
			if c.Chosen {
				chosen = c.Status
			}
		}
		return chosen
	}
	if a, b := status(whole), status(cut); a != Converged || b != Stopped {
		t.Errorf("to the end: %v; stopped: %v", a, b)
	}
}
