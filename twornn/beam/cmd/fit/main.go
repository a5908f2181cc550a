// Fit learns a linear 2-RNN from the files of many series, on one machine or on many:
//
//	go run ./cmd/fit --input 'data/*.csv' --target wind_speed --output model.json
//
// The files are cut into windows, within their groups and never across a gap, and summed up by an
// Apache Beam pipeline; the model is that of twornn.Fit on all windows, and twornn.Load reads it. Without
// --runner all runs in this process. Other runners, and what they need, are in README.md of package
// beam; --help lists Beam's flags among the rest.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/flink"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/spark"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/beam"
)

var (
	input   = flag.String("input", "", "the `files`, a pattern such as 'data/*.csv', or several with commas; *.parquet are read as Parquet")
	output  = flag.String("output", "model.json", "the `file` of the model")
	sums    = flag.String("sums", "", "a `file` for the measurements, which every worker can write and this program can read; it is kept. Empty: one beside the model that is removed")
	target  = flag.String("target", "", "the `columns` to predict, with commas; empty: all")
	columns = flag.String("columns", "", "the `columns` to read, with commas; empty: all")
	group   = flag.String("group", "", "the `columns` whose texts tell series of one file apart, with commas")
	where   = flag.String("where", "", "the `rows` to read, as column=text, with commas; empty: all")
	length  = flag.Int("length", 24, "`rows` of a window")
	horizon = flag.Int("horizon", 1, "how many `rows` ahead to predict")
	bias    = flag.Bool("bias", true, "a constant 1 before the columns")
	rank    = flag.Int("rank", 0, "`states`, at the most; 0: chosen")
	prefix  = flag.Int("L", 0, "`length` of prefixes and suffixes; 0: chosen")

	comma   = flag.String("comma", ",", "the `sign` between fields; a blank: any blanks")
	decimal = flag.String("decimal", ".", "the decimal `sign`")
	missing = flag.String("missing", "", "`texts` of missing values, with commas, beside NA and the like")
	timed   = flag.String("time", "", "the `column` of times; -: none; empty: found by itself")
	layout  = flag.String("time_layout", "", "the `layout` of the times; empty: found by itself")
	zone    = flag.String("zone", "", "the time `zone` of times that name none; empty: UTC")
	step    = flag.Duration("step", 0, "the time between rows; 0: the most common")
	verbose = flag.Bool("verbose", false, "say how each file was read, and what Beam does")
)

func main() {
	flag.Usage = usage
	flag.Parse()
	// On a worker this does not return.
	sdk.Init()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		if ctx.Err() != nil {
			err = errors.New("interrupted; no model was written")
		}
		fmt.Fprintln(os.Stderr, "fit: "+sentence(err))
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: fit --input 'data/*.csv' --target wind_speed --output model.json\n\nlearns a linear 2-RNN from the windows of all files. Its flags, and those of Beam:")
	flag.PrintDefaults()
}

// flags are what errors of the packages name, and the flags that set it.
var flags = strings.NewReplacer(
	"CSV.Columns", "--columns", "CSV.TimeLayout", "--time_layout", "CSV.Time to NoTime", "--time -", "CSV.Time", "--time",
	"CSV.Location", "--zone", "CSV.Step", "--step", "CSV.Comma", "--comma", "CSV.Decimal", "--decimal", "CSV.Missing", "--missing", "CSV.Where", "--where", "CSV.Tolerance", "Tolerance in a program",
	"the columns to read", "in --columns those to read", "set the step", "set --step", "Window.Length", "--length", "lower the length or the horizon", "lower --length or --horizon",
)

// sentence returns an error in one line, without the name of the package it comes from.
func sentence(err error) string {
	text := flags.Replace(strings.Join(strings.Fields(err.Error()), " "))
	for _, name := range []string{"beam: ", "datasets: ", "twornn: "} {
		text = strings.TrimPrefix(text, name)
	}
	return text
}

func run(ctx context.Context) error {
	f, err := files()
	if err != nil {
		return err
	}
	if err := readable(ctx, f); err != nil {
		return err
	}
	runner, err := runnerOf()
	if err != nil {
		return err
	}
	at, done, err := place()
	if err != nil {
		return err
	}
	defer done()
	quiet()
	o := beam.Options{L: *prefix, Rank: *rank}
	began := time.Now()
	job, err := pass(ctx, runner, f, o, at)
	if err != nil {
		return err
	}
	c, err := beam.Open(ctx, at)
	if err != nil {
		return err
	}
	done() // already here: a closed pipe ends the program where it prints
	report(job)
	read := time.Since(began)
	fit, err := twornn.FitCollection(ctx, c, twornn.Options{L: *prefix, Rank: *rank})
	if err != nil {
		return err
	}
	if err := fit.Save(*output); err != nil {
		return err
	}
	fmt.Println(fit)
	fmt.Printf("read in %v, fitted in %v; the model is in %s\n", read.Round(time.Millisecond), (time.Since(began) - read).Round(time.Millisecond), *output)
	return nil
}

// files returns what the flags say of the files.
func files() (beam.Files, error) {
	if flag.NArg() > 0 {
		return beam.Files{}, fmt.Errorf("%q is no flag; quote a pattern, as in --input 'data/*.csv', so that the shell leaves it alone", flag.Arg(0))
	}
	if *input == "" {
		return beam.Files{}, errors.New("no files are named; say --input 'data/*.csv' (--help lists all flags)")
	}
	sign := func(name, text string) (rune, error) {
		r, n := utf8.DecodeRuneInString(text)
		if text == `\t` {
			r, n = '\t', len(text)
		}
		if n == 0 || n != len(text) {
			return 0, fmt.Errorf("--%s is %q; give it one sign", name, text)
		}
		return r, nil
	}
	c, err := sign("comma", *comma)
	if err != nil {
		return beam.Files{}, err
	}
	d, err := sign("decimal", *decimal)
	if err != nil {
		return beam.Files{}, err
	}
	only, err := conditions(*where)
	if err != nil {
		return beam.Files{}, err
	}
	f := beam.Files{
		Pattern: *input,
		Window:  datasets.Window{Length: *length, Horizon: *horizon, Targets: names(*target), Bias: *bias},
		CSV: datasets.CSV{Comma: c, Decimal: d, Missing: names(*missing), Time: *timed, TimeLayout: cmp.Or(layouts[*layout], *layout),
			Step: *step, Columns: names(*columns), Where: only},
		Zone: *zone, Group: names(*group),
	}
	if *rank < 0 || *prefix < 0 {
		return f, errors.New("--rank and --L may not be negative; leave them out to have them chosen")
	}
	if *horizon < 1 || *length < 1 {
		return f, errors.New("--length and --horizon must be 1 or more")
	}
	return f, f.Check()
}

// layouts are the layouts of times that have a name.
var layouts = map[string]string{
	"UnixSeconds": datasets.UnixSeconds, "UnixMillis": datasets.UnixMillis, "UnixMicros": datasets.UnixMicros, "UnixNanos": datasets.UnixNanos,
	"ElapsedMillis": datasets.ElapsedMillis, "ElapsedSeconds": datasets.ElapsedSeconds, "ElapsedMinutes": datasets.ElapsedMinutes,
	"ElapsedHours": datasets.ElapsedHours, "ElapsedDays": datasets.ElapsedDays,
	"DecimalYear": datasets.DecimalYear, "Quarter": datasets.Quarter, "Week": datasets.Week,
}

// conditions returns CSV.Where of column=text, with commas.
func conditions(list string) (map[string]string, error) {
	all := map[string]string{}
	for _, c := range names(list) {
		column, text, ok := strings.Cut(c, "=")
		if !ok {
			return nil, fmt.Errorf("--where has %q; give it column=text", c)
		}
		all[column] = text
	}
	return all, nil
}

// names returns the texts between commas.
func names(list string) (all []string) {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			all = append(all, name)
		}
	}
	return all
}

// readable returns an error if there is no file, or one that is here cannot be read.
func readable(ctx context.Context, f beam.Files) error {
	found, err := f.List(ctx)
	if err != nil {
		return fmt.Errorf("the files %s cannot be listed: %w", f.Pattern, err)
	}
	if len(found) == 0 {
		return fmt.Errorf("no file is called %s; correct --input, a pattern such as 'data/*.csv'", f.Pattern)
	}
	for _, name := range found {
		if strings.Contains(name, "://") {
			continue
		}
		info, err := os.Stat(name)
		if err == nil && info.IsDir() {
			return fmt.Errorf("%s is a directory; name the files in it, as in --input '%s'", name, filepath.Join(name, "*.csv"))
		}
		r, err := os.Open(name)
		if err != nil {
			return fmt.Errorf("a file cannot be read: %w; correct its permissions, or --input", err)
		}
		r.Close()
	}
	return nil
}

// place returns where the measurements go, and what removes them if they are not to be kept.
func place() (at string, done func(), err error) {
	dir := filepath.Dir(*output)
	if info, err := os.Stat(*output); err == nil && info.IsDir() {
		return "", nil, fmt.Errorf("--output %s is a directory; name a file in it", *output)
	}
	tmp, err := os.CreateTemp(dir, filepath.Base(*output)+".*.sums")
	if err != nil {
		return "", nil, fmt.Errorf("the model cannot be written: %w; correct --output", err)
	}
	tmp.Close()
	if *sums == "" {
		at, err := filepath.Abs(tmp.Name())
		return at, func() { os.Remove(tmp.Name()) }, err
	}
	os.Remove(tmp.Name())
	if _, err := filesystem.New(context.Background(), *sums); err != nil {
		return "", nil, fmt.Errorf("--sums %s: %w", *sums, err)
	}
	return *sums, func() {}, nil
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

// runnerOf returns the runner that is asked for. Workers elsewhere run this program, unless
// they are told of another.
func runnerOf() (string, error) {
	here := []string{"prism", "flink", "spark", "universal"}
	runner := cmp.Or(*runners.Runner, "prism")
	if !slices.Contains(here, runner) {
		return "", fmt.Errorf("there is no runner %s in this program, it has %s; Dataflow is not built in, see the README of package beam", runner, strings.Join(here, ", "))
	}
	if runner == "prism" {
		return runner, nil
	}
	if *jobopts.Endpoint == "" {
		return "", fmt.Errorf("the runner %s needs the address of its job server; say --endpoint localhost:8099, if it is there", runner)
	}
	if *jobopts.WorkerBinary == "" && runtime.GOOS == "linux" {
		*jobopts.WorkerBinary, _ = os.Executable()
	}
	return runner, nil
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
	fmt.Printf("%d windows of %d rows from %d rows in %d files (%d without rows); lost to gaps %d, to missing values %d\n",
		n["windows"], *length+*horizon, n["rows"], n["files"], n["files without rows"], n["lost to gaps"], n["lost to missing values"])
}
