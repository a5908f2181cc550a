package twornn

import (
	"context"
	"fmt"
	"testing"
)

// The three steps by hand give what Fit gives where its search has nothing more to find.
func ExampleStart() {
	ctx := context.Background()
	truth := Random(2, 2, 1, 0.6, pcg(1))
	c, _ := Collect(draw(truth, 2000, 5, 0.05, true, 2))
	starts, _ := Start(ctx, c, Options{L: 1})
	var refined []Candidate
	for _, s := range starts {
		r, _ := Likelihood(ctx, c, s.Model, Options{})
		refined = append(refined, r)
	}
	best, _ := Choose(refined, Options{})
	fit, _ := FitCollection(ctx, c, Options{L: 1})
	same, _, _ := Equal(best.Model, fit.Model, 1e-4)
	fmt.Println(best.Rank, fit.Rank, same)
	// Output: 2 2 true
}

// Along a run the first step gives linear systems, the second the likeliest model near any, with
// products or without, and leaves what Fit found where it is.
func TestStepsAlongRuns(t *testing.T) {
	ctx := context.Background()
	c, err := Collect(bilinearRun(800, 0.05))
	if err != nil {
		t.Fatal(err)
	}
	starts, err := Start(ctx, c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(starts) < 2 || starts[1].Rank != 3 || starts[1].Model == nil {
		t.Fatalf("starts: %v", starts)
	}
	var linear []Candidate
	for _, s := range starts[:3] {
		r, err := Likelihood(ctx, c, s.Model, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.MSE > s.MSE*(1+1e-6) {
			t.Errorf("rank %d: MSE %g after %g", s.Rank, r.MSE, s.MSE)
		}
		linear = append(linear, r)
	}
	fit, err := FitCollection(ctx, c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := Likelihood(ctx, c, fit.Model, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !(again.MSE <= fit.MSE*1.001) || again.Rank != fit.Rank {
		t.Errorf("from the fit: MSE %g of rank %d, the fit %g of %d", again.MSE, again.Rank, fit.MSE, fit.Rank)
	}
	best, ok := Choose(append(linear, again), Options{})
	if !ok || best.MSE != again.MSE {
		t.Errorf("chosen: %+v", best)
	}
	// A model without a constant state is refined beside one.
	other, err := Likelihood(ctx, c, Random(2, 2, 1, 0.2, pcg(3)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if other.Rank != 3 || other.MSE > 1.05*fit.MSE && other.MSE > 1.05*linear[1].MSE {
		t.Errorf("from a random model: %+v", other)
	}
}

func TestChooseLeavesWhatExplodes(t *testing.T) {
	a, b := Candidate{Rank: 1, Criterion: -10, Growth: 1e5}, Candidate{Rank: 2, Criterion: -5, Growth: 1}
	for _, cs := range [][]Candidate{{a, b}, {b, a}} {
		if best, ok := Choose(cs, Options{}); !ok || best.Rank != 2 {
			t.Errorf("chosen %+v", best)
		}
		if best, ok := Choose(cs[:1], Options{}); !ok || best.Rank != cs[0].Rank {
			t.Errorf("of one %+v", best)
		}
	}
	if _, ok := Choose(nil, Options{}); ok {
		t.Error("chosen of none")
	}
}
