package plotting

import (
	"testing"

	"github.com/twornn/spectral/twornn"
)

func TestHistoryIsBounded(t *testing.T) {
	h := &history{every: 1}
	const n = 1_000_000
	for i := 1; i <= n; i++ {
		h.add(twornn.Progress{Iteration: i, Residual: float64(i)})
		if len(h.points) >= mostPoints {
			t.Fatalf("%d points after %d iterations", len(h.points), i)
		}
	}
	if cap(h.points) > 2*mostPoints {
		t.Errorf("room for %d points", cap(h.points))
	}
	runs := h.runs()
	if len(runs) != 1 || len(runs[0]) < mostPoints/2 {
		t.Fatalf("%d runs of one, the first of %d points", len(runs), len(runs[0]))
	}
	run := runs[0]
	if run[0].X != 1 || run[len(run)-1].X != n {
		t.Errorf("drawn from %g to %g, want 1 to %d", run[0].X, run[len(run)-1].X, n)
	}
	for i, p := range run {
		if p.Y != p.X {
			t.Fatalf("at iteration %g the residual is %g", p.X, p.Y)
		}
		if i > 1 && i < len(run)-1 && p.X-run[i-1].X != run[1].X-run[0].X {
			t.Fatalf("uneven: %g after %g", p.X, run[i-1].X)
		}
	}
}

// TestHistoryKeepsRunsApart: a method that is run again is a line of its own, also
// when its first iteration is not kept.
func TestHistoryKeepsRunsApart(t *testing.T) {
	h := &history{every: 1}
	for range 7 {
		for i := 1; i <= 1001; i++ {
			h.add(twornn.Progress{Iteration: i, Residual: 1})
		}
	}
	runs := h.runs()
	if len(runs) != 7 {
		t.Fatalf("%d lines of 7 runs", len(runs))
	}
	for i, run := range runs {
		first, last := run[0].X, run[len(run)-1].X
		if first < float64(1001*i) || last > float64(1001*(i+1)+h.every) {
			t.Errorf("run %d is drawn from %g to %g", i+1, first, last)
		}
	}
}

func TestHistoryLeavesGaps(t *testing.T) {
	h := &history{every: 1}
	for i, r := range []float64{1, 0.5, 0, 0.25} {
		h.add(twornn.Progress{Iteration: i + 1, Residual: r})
	}
	runs := h.runs()
	if len(runs) != 2 || len(runs[0]) != 2 || runs[1][0].X != 4 {
		t.Errorf("runs %v", runs)
	}
}
