package experiment

import (
	"context"
	"runtime"
	"slices"
	"sync"

	"github.com/twornn/spectral/twornn"
)

// RunOptions are the choices of Run.
type RunOptions struct {
	// Workers is the number of runs at a time. Zero means GOMAXPROCS.
	Workers int
	// Cache is a file that keeps the rows, and gives them back to the next Run with the
	// same task, method, noise, size, seed and rank. Its folder is made if need be. Empty
	// means none. See Run.
	Cache string
	// Version is part of what a cached row belongs to: say, the commit of the code.
	Version string
	// Progress is told of every row, cached ones first, one call at a time. Its error
	// stops the run. Nil is silent.
	Progress func(Progress) error
}

// Progress is what RunOptions.Progress is told.
type Progress struct {
	Done, Total int
	Cached      int // rows taken from the cache
	Dropped     int // lines of the cache that could not be read
	Row         Row // the latest
}

// Run does the runs of the grid in parallel and returns their rows by task, method,
// noise, size and seed, in the order of the grid, whatever the order they end in.
//
// A run that errs or panics is a row with Err set. If ctx is done or Progress returns an
// error, Run returns the rows there are, and that error.
//
// With a cache every row is appended to the file as soon as it is there, a line of
// JSON. A line that an interruption cut short, or that was changed since, is passed over and
// counted in Progress.Dropped; a file with another line is no cache, and left as it is. Processes may share the
// file. Rows with an error are not kept, since what caused it may have been mended.
// A row belongs to the task's name, choices and target (by its parameters), the
// method's name and settings, and Version, but not to the code: give another Version
// or remove the file when that changes.
//
// Run errs at once if two tasks or methods have one name, a size or noise is out of
// range, or the cache cannot be opened or is another file.
func Run(ctx context.Context, g Grid, o RunOptions) (Rows, error) {
	jobs, err := g.jobs(o.Version)
	if err != nil {
		return nil, err
	}
	c, err := openCache(o.Cache)
	if err != nil {
		return nil, err
	}
	defer c.close()

	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	r := runner{o: o, jobs: jobs, rows: make([]*Row, len(jobs)), stop: stop}
	r.progress.Total, r.progress.Dropped = len(jobs), c.dropped
	var todo []int
	for i, j := range jobs {
		if row, ok := c.rows[j.key]; ok && j.err == nil {
			r.progress.Cached++
			r.done(i, row)
		} else {
			todo = append(todo, i)
		}
	}
	for res := range r.parallel(ctx, todo) {
		if res.row.Err == "" {
			if err := c.add(jobs[res.i].key, res.row); err != nil {
				stop(err)
			}
		}
		r.done(res.i, res.row)
	}
	if err := c.close(); err != nil {
		stop(err)
	}
	return r.finish(ctx)
}

type runner struct {
	o        RunOptions
	jobs     []job
	rows     []*Row
	progress Progress
	stop     context.CancelCauseFunc
	silent   bool // Progress has asked to stop
}

// done records the row of job i and tells of it.
func (r *runner) done(i int, row Row) {
	r.rows[i] = &row
	r.progress.Done++
	r.progress.Row = row
	if r.o.Progress == nil || r.silent {
		return
	}
	if err := r.o.Progress(r.progress); err != nil {
		r.silent = true
		r.stop(err)
	}
}

type outcome struct {
	i   int
	row Row
}

// parallel runs the jobs of the given indices. The channel is closed when no goroutine
// is left; it must be read until then.
func (r *runner) parallel(ctx context.Context, todo []int) <-chan outcome {
	workers := r.o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	next, outcomes := make(chan int), make(chan outcome)
	var all sync.WaitGroup
	all.Go(func() {
		defer close(next)
		for _, i := range todo {
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	})
	for range min(workers, len(todo)) {
		all.Go(func() {
			for i := range next {
				if ctx.Err() != nil {
					return
				}
				if row, done := r.jobs[i].run(ctx); done {
					outcomes <- outcome{i, row}
				}
			}
		})
	}
	go func() {
		all.Wait()
		close(outcomes)
	}()
	return outcomes
}

// finish returns the rows there are, and why there are no more.
func (r *runner) finish(ctx context.Context) (Rows, error) {
	var rows Rows
	for _, row := range r.rows {
		if row != nil {
			rows = append(rows, *row)
		}
	}
	return rows, context.Cause(ctx)
}

func evaluate(f twornn.Predictor, set []twornn.Sequence) float64 {
	return twornn.Evaluate(f, slices.Values(set)).MSE
}
