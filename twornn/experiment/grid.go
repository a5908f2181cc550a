package experiment

import (
	"context"
	"fmt"
	"math"

	"github.com/twornn/spectral/twornn"
)

// Grid is the set of runs of every task with every method, noise, size and seed.
type Grid struct {
	Tasks   []Task
	Methods []Method
	Noises  []float64 // standard deviations
	Sizes   []int     // N, the number of training sequences of each length
	Seeds   []uint64
	// Rank is the one given to the methods. Zero means that of the task's target;
	// negative means none, so that a method has to choose.
	Rank int
}

// Seeds returns the seeds 0 to n−1.
func Seeds(n int) []uint64 {
	s := make([]uint64, n)
	for i := range s {
		s[i] = uint64(i)
	}
	return s
}

// Row is the outcome of one run.
type Row struct {
	Task     string
	Method   string
	Noise    float64
	N        int
	Seed     uint64
	Rank     int     // given to the method; 0: left to it
	MSE      float64 // on the test sequences; NaN if Err is set
	ZeroMSE  float64 // of the zero function on the test sequences
	TrainMSE float64 // on the training sequences
	Fallback bool    // the guard put the zero function in place of the fit
	Status   string  // the worst of the parts of the fit; "error" if Err is set
	Warnings int     // how many the fit gave
	Seconds  float64 // that the fit took
	Err      string  // why there is no fit
}

// key is the part of the key of a run that its row repeats.
func (r Row) key() string {
	return fmt.Sprintf("noise %v N %d seed %d rank %d method %q", r.Noise, r.N, r.Seed, r.Rank, r.Method)
}

// Rows are the outcomes of a grid.
type Rows []Row

// job is one run to be done.
type job struct {
	task   Task
	method Method
	row    Row // the fields that describe the run
	key    string
	err    error // the task has no target
}

// jobs returns the runs of g in the order of the rows.
func (g Grid) jobs(version string) ([]job, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	var jobs []job
	for _, t := range g.Tasks {
		targets := make([]*twornn.Model, len(g.Seeds))
		errs := make([]error, len(g.Seeds))
		for i, seed := range g.Seeds {
			targets[i], errs[i] = t.Target(seed)
		}
		for _, m := range g.Methods {
			for _, noise := range g.Noises {
				for _, n := range g.Sizes {
					if m.MaxN > 0 && n > m.MaxN {
						continue
					}
					for i, seed := range g.Seeds {
						j := job{task: t, method: m, err: errs[i]}
						j.row = Row{Task: t.Name, Method: m.Name, Noise: noise, N: n, Seed: seed, Rank: max(0, g.Rank)}
						if j.err == nil {
							if g.Rank == 0 {
								j.row.Rank, _, _ = targets[i].Dims()
							}
							j.key = fmt.Sprintf("%s %q %s %s %s", formatVersion, version, t.key(targets[i]), j.row.key(), m.Settings)
						}
						jobs = append(jobs, j)
					}
				}
			}
		}
	}
	return jobs, nil
}

func (g Grid) check() error {
	names := map[string]bool{}
	for _, t := range g.Tasks {
		if t.Name == "" || t.Target == nil || names["task "+t.Name] {
			return fmt.Errorf("experiment: task %q: every task needs a target and a name of its own", t.Name)
		}
		names["task "+t.Name] = true
	}
	for _, m := range g.Methods {
		if m.Name == "" || m.Fit == nil || names["method "+m.Name] {
			return fmt.Errorf("experiment: method %q: every method needs a Fit and a name of its own", m.Name)
		}
		names["method "+m.Name] = true
	}
	for _, noise := range g.Noises {
		if !(noise >= 0) || math.IsInf(noise, 1) {
			return fmt.Errorf("experiment: noise %v is no standard deviation", noise)
		}
	}
	for _, n := range g.Sizes {
		if n <= 0 {
			return fmt.Errorf("experiment: N = %d: there must be sequences to learn from", n)
		}
	}
	return nil
}

// run does the job. It reports false if ctx ended it.
func (j job) run(ctx context.Context) (row Row, done bool) {
	row = j.row
	fail := func(reason any) {
		row.MSE, row.ZeroMSE, row.TrainMSE = math.NaN(), math.NaN(), math.NaN()
		row.Status, row.Err = "error", fmt.Sprint(reason)
		done = ctx.Err() == nil
	}
	// One run that panics must not take a night's rows with it.
	defer func() {
		if r := recover(); r != nil {
			fail(fmt.Sprintf("panic: %v", r))
		}
	}()
	if j.err != nil {
		fail(j.err)
		return row, done
	}
	data, err := j.task.Data(row.Noise, row.N, row.Seed)
	if err != nil {
		fail(err)
		return row, done
	}
	src := stream(row.Task, row.Method, row.Noise, row.N, row.Seed, row.Rank)
	method := j.method
	if method.knowing != nil {
		method = method.knowing(data.Target)
	}
	f, info, err := method.Guarded(ctx, data.Train, row.Rank, src)
	if err != nil {
		fail(err)
		return row, done
	}
	_, d, p := data.Target.Dims()
	row.MSE = evaluate(f, data.Test)
	row.ZeroMSE = evaluate(twornn.NewModel(1, d, p), data.Test)
	row.TrainMSE, row.Fallback, row.Seconds = info.TrainMSE, info.Fallback, info.Seconds
	row.Status, row.Warnings = info.Status.String(), len(info.Warnings)
	return row, ctx.Err() == nil
}
