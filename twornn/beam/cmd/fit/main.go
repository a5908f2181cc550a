// Fit learns a linear 2-RNN from the files of many series, on one machine or on many:
//
//	go run ./cmd/fit --input 'data/*.csv' --target wind_speed --output model.json
//
// The files are cut into windows, within their groups and never across a gap, and summed up by an
// Apache Beam pipeline; the model is that of twornn.Fit on all windows, and twornn.Load reads it. Without
// --runner all runs in this process. Other runners, and what they need, are in README.md of package
// beam; --help lists Beam's flags after its own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"

	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/beam"
)

func main() {
	err := parse(os.Args[1:])
	if errors.Is(err, flag.ErrHelp) {
		usage(os.Stdout)
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "fit: "+err.Error())
		os.Exit(2)
	}
	// On a worker this does not return.
	sdk.Init()
	ctx, stop := signal.NotifyContext(context.Background(), signals()...)
	context.AfterFunc(ctx, stop) // a second one ends the program at once
	if err := run(ctx); err != nil {
		if ctx.Err() != nil && !errors.Is(err, errInterrupted) {
			err = errInterrupted
		}
		fmt.Fprintln(os.Stderr, "fit: "+sentence(err))
		os.Exit(1)
	}
}

var errInterrupted = errors.New("interrupted; no model was written")

// signals are those that end a run, less those that whoever has started it, such as nohup, wants ignored.
func signals() []os.Signal {
	all := []os.Signal{syscall.SIGTERM} // an empty list would stand for all there are
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			all = append(all, s)
		}
	}
	return all
}

func run(ctx context.Context) error {
	f, err := files()
	if err != nil {
		return err
	}
	runner, err := runnerOf()
	if err != nil {
		return err
	}
	out, err := reserve(ctx, f)
	if err != nil {
		return err
	}
	defer out.drop()
	quiet()
	began := time.Now()
	job, err := pass(ctx, runner, f, beam.Options{L: *prefix, Rank: *rank}, out.part)
	if err != nil {
		return err
	}
	c, err := beam.Open(ctx, out.part)
	if err == nil {
		err = out.keep(ctx)
	}
	if err != nil {
		return err
	}
	out.drop() // already here: a closed pipe ends the program where it prints
	report(job)
	read := time.Since(began)
	fit, err := twornn.FitCollection(ctx, c, twornn.Options{L: *prefix, Rank: *rank})
	if err == nil {
		err = ctx.Err() // the best so far is not the model that was asked for
	}
	if err == nil {
		err = fit.Save(out.model)
	}
	if err != nil && ctx.Err() != nil {
		err = errInterrupted
	}
	if err != nil && *sums != "" {
		return fmt.Errorf("%w; the measurements of all files are in %s", err, *sums)
	}
	if err != nil {
		return err
	}
	fmt.Println(fit)
	fmt.Printf("read in %v, fitted in %v; the model is in %s\n", read.Round(time.Millisecond), (time.Since(began) - read).Round(time.Millisecond), *output)
	return nil
}

// quiet keeps back what Beam has to say, unless it is asked for.
func quiet() {
	if *verbose {
		return
	}
	slog.SetDefault(slog.New(slog.DiscardHandler))
}

// pass reads the files and writes what they come to.
func pass(ctx context.Context, runner string, f beam.Files, o beam.Options, at string) (sdk.PipelineResult, error) {
	p, s := sdk.NewPipelineWithRoot()
	beam.Write(s, beam.Collect(s, o, beam.Read(s, f)), at)
	r, err := sdk.Run(ctx, runner, p)
	if err != nil {
		return nil, fmt.Errorf("the %s runner failed: %w", runner, err)
	}
	return r, nil
}

// report prints what was read.
func report(r sdk.PipelineResult) {
	if r == nil {
		return
	}
	n := map[string]int64{}
	for _, c := range r.Metrics().AllMetrics().Counters() {
		n[c.Key.Name] += c.Result()
	}
	if n["files"] == 0 {
		return // the runner does not count
	}
	fmt.Printf("%s of %s from %s in %s (%d without rows); lost to gaps %d, to missing values %d\n",
		counted(n["windows"], "window"), counted(int64(*length+*horizon), "row"), counted(n["rows"], "row"), counted(n["files"], "file"),
		n["files without rows"], n["lost to gaps"], n["lost to missing values"])
}

// counted returns "1 file", "2 files".
func counted(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
