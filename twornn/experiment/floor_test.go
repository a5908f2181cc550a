package experiment

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/twornn/spectral/twornn"
)

// wide is a random task with d inputs, 5 states and an output, lengths L, 2L and 2L+1,
// in which outputs have about the same size at every length.
func wide(d, L int) Task {
	return Task{Name: fmt.Sprintf("random, d = %d", d), L: L, Target: func(seed uint64) (*twornn.Model, error) {
		m := twornn.Random(5, d, 1, 1, rand.NewPCG(seed, 42))
		for _, a := range m.A {
			a.Scale(1/math.Sqrt(float64(5*d)), a)
		}
		m.Omega.Scale(1/math.Sqrt(5), m.Omega)
		return m, nil
	}}
}

const trueRank = -1

// floorRow is a line of the table: the default fit beside the floor.
type floorRow struct {
	task  Task
	rank  int // asked for; 0: left open, with L
	noise float64
	sizes []int
	seeds int
	// Bounds: on the ratio of the medians of the MSE of fit and floor (0: none), on the
	// worst ratio of a run, and on the median MSE over the variance of the outputs.
	median, worst, exact float64
	full                 bool // in the full run alone
}

// TestFloor compares the default fit with the statistical floor: Levenberg-Marquardt
// from the true parameters on the same data. Test targets are 1000 noise-free outputs at
// length 6. The full table (TWORNN_FULL=1) takes some half an hour.
func TestFloor(t *testing.T) {
	a, b := RandomCode(), Addition()
	all := []int{160, 320, 640, 1280, 2560, 5000, 20000}
	fromForty := append([]int{40, 80}, all...)
	rows := []floorRow{
		{task: a, rank: trueRank, noise: 0.1, sizes: []int{160, 640}, seeds: 4, median: 1.05},
		{task: a, rank: trueRank, noise: 1, sizes: []int{160, 640}, seeds: 4, median: 1.05},
		{task: b, rank: trueRank, noise: 0.1, sizes: []int{40, 320}, seeds: 6, median: 1.05},
		{task: b, rank: trueRank, noise: 1, sizes: []int{40, 320}, seeds: 6, median: 1.05},
		{task: a, rank: trueRank, sizes: []int{80, 320}, seeds: 4, exact: 1e-18},
		{task: b, rank: trueRank, sizes: []int{20, 160}, seeds: 6, exact: 1e-18},
		{task: a, rank: trueRank, noise: 0.1, sizes: []int{80}, seeds: 6, median: 1.5, worst: 10},
		{task: b, rank: trueRank, noise: 0.1, sizes: []int{20}, seeds: 40, median: 1.5, worst: 10},
		{task: a, noise: 0.1, sizes: []int{640}, seeds: 3, median: 1.1},
		{task: b, noise: 1, sizes: []int{640}, seeds: 6, median: 1.1},
		{task: b, rank: 4, noise: 0.1, sizes: []int{160, 20000}, seeds: 10, median: 1.1},
		{task: b, rank: 4, noise: 1, sizes: []int{160, 640}, seeds: 10, median: 1.1},

		{task: a, rank: trueRank, noise: 0.1, sizes: all, seeds: 10, median: 1.05, full: true},
		{task: a, rank: trueRank, noise: 1, sizes: all, seeds: 10, median: 1.05, full: true},
		{task: b, rank: trueRank, noise: 0.1, sizes: fromForty, seeds: 10, median: 1.05, full: true},
		{task: b, rank: trueRank, noise: 1, sizes: fromForty, seeds: 10, median: 1.05, full: true},
		{task: a, rank: trueRank, sizes: append([]int{80}, all...), seeds: 10, exact: 1e-18, full: true},
		{task: b, rank: trueRank, sizes: append([]int{20}, fromForty...), seeds: 10, exact: 1e-18, full: true},
		{task: a, rank: trueRank, noise: 0.1, sizes: []int{80}, seeds: 100, median: 1.5, worst: 10, full: true},
		{task: b, rank: trueRank, noise: 0.1, sizes: []int{20}, seeds: 100, median: 1.5, worst: 10, full: true},
		{task: a, noise: 0.1, sizes: []int{640, 2560, 20000}, seeds: 10, median: 1.1, full: true},
		{task: a, noise: 1, sizes: []int{640, 2560, 20000}, seeds: 10, median: 1.1, full: true},
		{task: b, noise: 0.1, sizes: []int{640, 2560, 20000}, seeds: 10, median: 1.1, full: true},
		{task: b, noise: 1, sizes: []int{640, 2560, 20000}, seeds: 10, median: 1.1, full: true},
		{task: a, noise: 1, sizes: []int{640}, seeds: 100, median: 1.1, full: true},
		{task: b, noise: 1, sizes: []int{640}, seeds: 100, median: 1.1, full: true},
		{task: b, rank: 4, noise: 0.1, sizes: all, seeds: 10, median: 1.1, full: true},
		{task: b, rank: 4, noise: 1, sizes: all, seeds: 10, median: 1.1, full: true},
		{task: wide(10, 2), rank: trueRank, sizes: []int{2000}, seeds: 100, exact: 1e-20, full: true},
		{task: wide(20, 1), rank: trueRank, noise: 0.1, sizes: []int{10000}, seeds: 3, median: 1.1, full: true},
	}
	full := os.Getenv("TWORNN_FULL") != ""
	for _, r := range rows {
		if r.full != full {
			continue
		}
		for _, n := range r.sizes {
			r.check(t, n)
		}
	}
}

func (r floorRow) check(t *testing.T, n int) {
	var mse, floor, ratio, seconds, relative []float64
	ranks := map[int]int{}
	above, exact := 0, 0
	for seed := range uint64(r.seeds) {
		run := r.run(t, n, seed)
		mse, floor = append(mse, run.mse), append(floor, run.floor)
		ratio, seconds = append(ratio, run.mse/run.floor), append(seconds, run.seconds)
		relative = append(relative, run.mse/run.variance)
		ranks[run.rank]++
		if run.rank > run.truth {
			above++
		}
		if run.mse/run.variance < 1e-20 {
			exact++
		}
	}
	name := fmt.Sprintf("%s, noise %g, N %d, rank %d", r.task.Name, r.noise, n, r.rank)
	got := median(mse) / median(floor)
	t.Logf("%s: MSE %.3g, floor %.3g, ratio %.3f, worst of %d runs %.3g; ranks %v; %.2g s", name, median(mse), median(floor), got, r.seeds, slices.Max(ratio), ranks, median(seconds))
	if r.exact > 0 {
		if m := median(relative); !(m < r.exact) {
			t.Errorf("%s: median MSE is %.2g of the variance, want below %.2g", name, m, r.exact)
		}
		// A relative error of 1e-10 in 95 of 100 runs.
		if r.task.Name == wide(10, 2).Name && exact*100 < 95*r.seeds {
			t.Errorf("%s: %d of %d runs are exact", name, exact, r.seeds)
		}
		return
	}
	if !(got <= r.median) {
		t.Errorf("%s: the median is %.3f times the floor, want at most %g", name, got, r.median)
	}
	if r.worst > 0 && !(slices.Max(ratio) <= r.worst) {
		t.Errorf("%s: a run is %.3g times the floor", name, slices.Max(ratio))
	}
	if r.rank == 0 && above*20 > r.seeds {
		t.Errorf("%s: %d of %d ranks are above the true one: %v", name, above, r.seeds, ranks)
	}
}

// floorRun is one fit beside its floor.
type floorRun struct {
	mse, floor, variance float64
	rank, truth          int
	seconds              float64
}

func (r floorRow) run(t *testing.T, n int, seed uint64) (out floorRun) {
	t.Helper()
	d, err := r.task.Data(r.noise, n, seed)
	if err != nil {
		t.Fatal(err)
	}
	ctx, train, test := context.Background(), slices.Values(d.Train), slices.Values(d.Test)
	out.truth, _, _ = d.Target.Dims()
	var o twornn.Options
	if r.rank != 0 {
		o.L, o.Rank = r.task.filled().L, r.rank
		if r.rank == trueRank {
			o.Rank = out.truth
		}
	}
	begin := time.Now()
	fit, err := twornn.Fit(ctx, train, o)
	if err != nil {
		t.Fatal(err)
	}
	out.seconds = time.Since(begin).Seconds()
	floor, _, err := twornn.LevenbergMarquardt{}.Refine(ctx, d.Target, train, nil)
	if err != nil {
		t.Fatal(err)
	}
	scored := twornn.Evaluate(fit, test)
	out.rank, out.mse, out.floor = fit.Rank, scored.MSE, twornn.Evaluate(floor, test).MSE
	for _, o := range scored.Outputs {
		out.variance += o.Variance / float64(scored.P)
	}
	return out
}

func median(s []float64) float64 {
	s = slices.Sorted(slices.Values(s))
	return (s[len(s)/2] + s[(len(s)-1)/2]) / 2
}
