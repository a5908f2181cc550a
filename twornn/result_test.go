package twornn

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"
)

func TestResultString(t *testing.T) {
	m := Random(1, 2, 1, 0.5, pcg(10))
	s := fit(t, draw(m, 50, 3, 0, true, 1), Options{L: 1, Rank: 2}).String()
	for _, want := range []string{"1 state, 2 inputs, 1 output", "L = 1, words up to length L; 150 measurements of length 1, 2 and 3", "in the outputs' units squared", "singular values", "warning: rank 2 asked for, the words measured carry 1: the other singular values are"} {
		if !strings.Contains(s, want) {
			t.Errorf("%q is missing in:\n%s", want, s)
		}
	}
}

// TestSummaryFitsAPage: no line of the summary of a fit along runs is longer than a notebook
// shows without breaking it.
func TestSummaryFitsAPage(t *testing.T) {
	r := Result{Model: Random(4, 2, 1, 0.5, pcg(1)), Rank: 4, N: 1, MSE: 0.01234, ZeroMSE: 0.2345, LongMSE: 0.01357, Refinement: Stats{N: 400},
		Interactions: &Interactions{Taken: true, Validation: 0.006112, Linear: 0.01648, LinearRank: 3}}
	for line := range strings.Lines(r.String()) {
		if n := utf8.RuneCountInString(line); n > 90 {
			t.Errorf("a line of %d characters: %s", n, line)
		}
	}
	if want := "mean squared error on\n  parts left out 0.006112"; !strings.Contains(r.String(), want) {
		t.Errorf("%q is missing in:\n%s", want, r.String())
	}
}

// TestWordsOfResults: what a summary says can be read by who does not know the code.
func TestWordsOfResults(t *testing.T) {
	s := fit(t, draw(Random(2, 2, 1, 0.5, pcg(10)), 200, 5, 0.1, true, 1), Options{}).String()
	if !strings.Contains(strings.Join(strings.Fields(s), " "), "next best: rank") || !strings.Contains(s, "or more is a clear difference)") {
		t.Errorf("the runner-up is not told:\n%s", s)
	}
	lower := &Result{Model: NewModel(1, 1, 1), Rank: 1, Candidates: []Candidate{{Rank: 1, Chosen: true, Criterion: 5}, {Rank: 2, Criterion: 2}}}
	if s := lower.String(); !strings.Contains(s, "rank 2 has a criterion lower by 3, but") {
		t.Errorf("%s", s)
	}
	runs := &Result{Model: NewModel(1, 1, 1), Rank: 1, Interactions: &Interactions{}, Candidates: []Candidate{{Rank: 1, Chosen: true, Validation: 1},
		{Rank: 2, Start: "linear", Criterion: -9, Validation: 2}, {Rank: 3, Start: "interactions", Validation: 1.5}}}
	if s := runs.String(); !strings.Contains(s, "next best: rank 3, interactions, with 1.5 times the error on parts left out") {
		t.Errorf("%s", s)
	}
	runs.Refinement = Stats{Unknowns: 3, Status: Converged}
	if s := runs.String(); strings.Contains(s, "0 iterations") || !strings.Contains(s, "without a descent") {
		t.Errorf("%s", s)
	}
	if runs.Candidates[1].Validation = 0.9; !strings.Contains(strings.ReplaceAll(runs.String(), "\n  ", " "), "rank 2, linear, has 0.9 times the error on parts left out together, but not less on enough") {
		t.Errorf("%s", runs)
	}
	for n, want := range map[int]string{1: "1 of the 4 inputs is a linear combination of the others;", 2: "2 of the 4 inputs are linear combinations of the others;"} {
		r := new(Result)
		if r.warnCollinear(n, 4, false); !strings.HasPrefix(r.Warnings[0].Text, want) {
			t.Errorf("%q, want %q", r.Warnings[0].Text, want)
		}
	}
	rnd := rand.New(pcg(3))
	for still, want := range map[int]string{1: "input 2 is the same throughout, and counts for nothing if it moves later", 2: "inputs 2 and 3 are the same throughout, and count for nothing if they move later"} {
		var data []Sequence
		for range 60 {
			X, Y := mat.NewDense(3, 2+still, nil), mat.NewDense(3, 1, nil)
			for i := range 3 {
				X.Set(i, 0, 1)
				for j := range still {
					X.Set(i, 1+j, float64(2+j))
				}
				X.Set(i, 1+still, rnd.NormFloat64())
				Y.Set(i, 0, X.At(i, 1+still)+0.1*rnd.NormFloat64())
			}
			data = append(data, Sequence{X: X, Y: Y})
		}
		if r := fit(t, slices.Values(data), Options{L: 1, Rank: 2}); !r.Has(Collinear) || !strings.Contains(r.String(), strings.Fields(want)[0]) || !strings.Contains(strings.Join(strings.Fields(r.String()), " "), want) {
			t.Errorf("%q is missing in:\n%v", want, r)
		}
	}
}
