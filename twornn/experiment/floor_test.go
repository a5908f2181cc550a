package experiment

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twornn/spectral/twornn"
)

// floorRun is one fit beside its oracle: Levenberg-Marquardt from the true parameters.
type floorRun struct {
	mse, oracle, zero float64
	rank              int
	seconds           float64
	start             string
}

func runFloor(t *testing.T, task Task, noise float64, n int, seed uint64, o twornn.Options) floorRun {
	t.Helper()
	d, err := task.Data(noise, n, seed)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	begin := time.Now()
	r, err := twornn.Fit(ctx, slices.Values(d.Train), o)
	if err != nil {
		t.Fatal(err)
	}
	out := floorRun{rank: r.Rank, seconds: time.Since(begin).Seconds()}
	for _, c := range r.Candidates {
		if c.Chosen {
			out.start = c.Start
		}
	}
	truth, _, err := twornn.LevenbergMarquardt{}.Refine(ctx, d.Target, slices.Values(d.Train), nil)
	if err != nil {
		t.Fatal(err)
	}
	test := slices.Values(d.Test)
	out.mse, out.oracle = twornn.Evaluate(r, test).MSE, twornn.Evaluate(truth, test).MSE
	out.zero = twornn.Evaluate(twornn.NewModel(1, len(d.Target.A), r.Omega.RawMatrix().Rows), test).MSE
	return out
}

func TestLabFloor(t *testing.T) {
	spec := os.Getenv("FLOOR") // task:rank:seeds:noises:sizes
	if spec == "" {
		t.Skip()
	}
	f := strings.Split(spec, ":")
	task := RandomCode()
	if f[0] == "B" {
		task = Addition()
	}
	if f[0] == "D10" || f[0] == "D20" || f[0] == "D100" {
		dd, L := 10, 2
		if f[0] == "D20" {
			dd, L = 20, 1
		}
		if f[0] == "D100" {
			dd, L = 100, 1
		}
		task = Task{Name: f[0], L: L, Target: func(seed uint64) (*twornn.Model, error) {
			m := twornn.Random(5, dd, 1, 1, rand.NewPCG(seed, 42))
			for _, a := range m.A {
				a.Scale(1/math.Sqrt(float64(5*dd)), a)
			}
			m.Omega.Scale(1/math.Sqrt(5), m.Omega)
			return m, nil
		}}
	}
	rank, _ := strconv.Atoi(f[1])
	seeds, _ := strconv.Atoi(f[2])
	for _, ns := range strings.Split(f[3], ",") {
		noise, _ := strconv.ParseFloat(ns, 64)
		for _, Ns := range strings.Split(f[4], ",") {
			N, _ := strconv.Atoi(Ns)
			var mse, oracle, ratio, sec, zero []float64
			ranks := map[int]int{}
			froms := map[string]int{}
			for seed := range uint64(seeds) {
				o := twornn.Options{L: task.L, Rank: rank}
				if o.L == 0 {
					o.L = 2
				}
				if rank == 0 {
					o.L = 0
				}
				r := runFloor(t, task, noise, N, seed, o)
				mse, oracle, ratio, sec, zero = append(mse, r.mse), append(oracle, r.oracle), append(ratio, r.mse/r.oracle), append(sec, r.seconds), append(zero, r.zero)
				ranks[r.rank]++
				if os.Getenv("V") != "" {
					fmt.Printf("  seed %d rank %d %s %.4g oracle %.4g ratio %.3g\n", seed, r.rank, r.start, r.mse, r.oracle, r.mse/r.oracle)
				}
				froms[r.start]++
			}
			for _, s := range [][]float64{mse, oracle, ratio, sec, zero} {
				slices.Sort(s)
			}
			med := func(s []float64) float64 { return (s[len(s)/2] + s[(len(s)-1)/2]) / 2 }
			fmt.Printf("%s rank %d noise %g N %5d: mse %.3g oracle %.3g (%.3f)  ratio med %.3f worst %.3g  zero %.3g  %.3fs max %.2fs ranks %v from %v\n", task.Name, rank, noise, N,
				med(mse), med(oracle), med(mse)/med(oracle), med(ratio), ratio[len(ratio)-1], med(zero), med(sec), sec[len(sec)-1], ranks, froms)
		}
	}
}
