package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn/beam"
)

// own are the flags of this program, apart from those of Beam.
var own = flag.NewFlagSet("fit", flag.ContinueOnError)

var (
	input   patterns
	output  = own.String("output", "model.json", "the `file` of the model")
	sums    = own.String("sums", "", "a `file` for the measurements, which every worker can write and this program can read; it is kept. Empty: one beside the model that is removed")
	target  = own.String("target", "", "the `columns` to predict, with commas; empty: all")
	columns = own.String("columns", "", "the `columns` to read, with commas; empty: all")
	group   = own.String("group", "", "the `columns` whose texts tell series of one file apart, with commas")
	where   = own.String("where", "", "the `rows` to read, as column=text, with commas; empty: all")
	length  = own.Int("length", 24, "how many `rows` of inputs a window has; the last target is --horizon rows after them")
	horizon = own.Int("horizon", 1, "how many `rows` ahead to predict")
	bias    = own.Bool("bias", true, "a constant 1 before the columns")
	rank    = own.Int("rank", 0, "`states`, at the most; 0: chosen")
	prefix  = own.Int("L", 0, "`length` of prefixes and suffixes; 0: chosen")

	comma   = own.String("comma", ",", "the `sign` between fields; a blank: any blanks")
	decimal = own.String("decimal", ".", "the decimal `sign`")
	missing = own.String("missing", "", "`texts` of missing values, with commas, beside NA and the like")
	timed   = own.String("time", "", "the `column` of times; -: none. Without this flag the first column, if it holds times: they are looked for nowhere else")
	layout  = own.String("time_layout", "", "the `layout` of the times; empty: found by itself")
	zone    = own.String("zone", "", "the time `zone` of times that name none; empty: UTC")
	step    = own.Duration("step", 0, "the `time` between rows, such as 10m or 1h; 0: the most common")
	verbose = own.Bool("verbose", false, "say how each file was read, and what Beam does")
)

func init() {
	own.Var(&input, "input", "the `files`, a pattern such as 'data/*.csv', or several with commas, or the flag several times; *.parquet are read as Parquet")
}

// patterns are those of all --input there are: none replaces another unseen.
type patterns []string

func (p *patterns) String() string { return strings.Join(*p, ",") }

func (p *patterns) Set(text string) error {
	*p = append(*p, text)
	return nil
}

// parse reads the flags, those of Beam among them. It returns flag.ErrHelp if help is asked for.
func parse(args []string) error {
	own.VisitAll(func(f *flag.Flag) { flag.Var(f.Value, f.Name, f.Usage) })
	flag.CommandLine.Init("fit", flag.ContinueOnError)
	flag.CommandLine.SetOutput(io.Discard) // or it prints all flags of Beam after a mistake
	flag.CommandLine.Usage = func() {}
	err := flag.CommandLine.Parse(args)
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		return mistake(err.Error())
	}
	return err
}

var badValue = regexp.MustCompile(`^invalid (?:boolean )?value (".*") for (?:flag )?-([^:]+): `)

// mistake returns what package flag says of a flag, with the cure.
func mistake(text string) error {
	if name, ok := strings.CutPrefix(text, "flag provided but not defined: -"); ok {
		cure := "--help lists all"
		if like := alike(name); like != "" {
			cure = fmt.Sprintf("say --%s, or see --help", like)
		}
		return fmt.Errorf("there is no flag --%s; %s", name, cure)
	}
	if name, ok := strings.CutPrefix(text, "flag needs an argument: -"); ok {
		return fmt.Errorf("--%s has no value; give it %s", name, wanted(name))
	}
	if m := badValue.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("--%s is %s; give it %s", m[2], m[1], wanted(m[2]))
	}
	return fmt.Errorf("%s; --help lists all flags", text)
}

// wanted returns what a flag takes.
func wanted(name string) string {
	f := flag.Lookup(name)
	if f == nil {
		return "one"
	}
	g, _ := f.Value.(flag.Getter)
	if g == nil {
		return "a text"
	}
	switch g.Get().(type) {
	case int, int64, uint, uint64:
		return "a whole number"
	case bool:
		return "true or false"
	case time.Duration:
		return "a number with its unit, such as 10m or 1h"
	}
	return "a text"
}

// alike returns the flag whose name is nearest, if it is near.
func alike(name string) (best string) {
	least := 1 + len(name)/3
	flag.VisitAll(func(f *flag.Flag) {
		if d := edits(name, f.Name); d < least || d == least && best == "" {
			best, least = f.Name, d
		}
	})
	return best
}

// edits returns by how many insertions, deletions and replacements of bytes a becomes b.
func edits(a, b string) int {
	row := make([]int, len(b)+1) // from the beginning of a so far to each beginning of b
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		corner := row[0]
		row[0]++
		for j := range len(b) {
			replaced := corner
			if a[i] != b[j] {
				replaced++
			}
			corner = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// usage prints the flags, those of this program first.
func usage(w io.Writer) {
	fmt.Fprint(w, "usage: fit --input 'data/*.csv' --target wind_speed --output model.json\n\nlearns a linear 2-RNN from the windows of all files, in this process if no --runner is named.\n\n")
	own.SetOutput(w)
	own.PrintDefaults()
	fmt.Fprint(w, "\nFlags of Apache Beam, for other runners (--runner flink --endpoint localhost:8099, say):\n\n")
	theirs := flag.NewFlagSet("", flag.ContinueOnError)
	flag.VisitAll(func(f *flag.Flag) {
		if own.Lookup(f.Name) == nil {
			theirs.Var(f.Value, f.Name, f.Usage)
		}
	})
	theirs.SetOutput(w)
	theirs.PrintDefaults()
}

// flags are what errors of the packages name, and the flags that set it.
var flags = strings.NewReplacer(
	", or set CSV.Names to them", "", "with CSV.Where or read all with ReadGroups", "with --where or tell them apart by --group",
	"or pick rows by it with CSV.Where", "pick rows by it with --where, or tell series apart by it with --group", "the columns of ReadGroups", "--group",
	"CSV.Columns", "--columns", "CSV.TimeLayout", "--time_layout", "CSV.Time to NoTime", "--time -", "CSV.Time", "--time",
	"CSV.Location", "--zone", "CSV.Step", "--step", "CSV.Comma", "--comma", "CSV.Decimal", "--decimal", "CSV.Missing", "--missing", "CSV.Where", "--where", "CSV.Tolerance", "Tolerance in a program",
	"the columns to read", "in --columns those to read", "set the step", "set --step", "name the column of times, in all files, or say that there are none", "name it in --time, or say --time -", " and Horizon", " and --horizon", "Window.Length", "--length", "lower the length", "lower --length", "or the horizon", "or --horizon",
)

// sentence returns an error in one line, without the name of the package it comes from.
func sentence(err error) string {
	text := flags.Replace(strings.Join(strings.Fields(err.Error()), " "))
	for _, name := range []string{"beam: ", "datasets: ", "twornn: "} {
		text = strings.TrimPrefix(text, name)
	}
	return text
}

// files returns what the flags say of the files.
func files() (beam.Files, error) {
	if flag.NArg() > 0 {
		return beam.Files{}, fmt.Errorf("%q is no flag; quote a pattern, as in --input 'data/*.csv', so that the shell leaves it alone", flag.Arg(0))
	}
	if strings.Trim(input.String(), ", ") == "" {
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
		Pattern: input.String(),
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
	if err := f.Check(); err != nil {
		return f, err
	}
	if *prefix > (*length-1)/2 {
		cure := "leave out --L"
		if *length >= 3 {
			cure = fmt.Sprintf("lower --L to %d", (*length-1)/2)
		}
		return f, fmt.Errorf("--L %d takes windows of 2 L + 1 = %d rows of inputs, and --length is %d; %s, or raise --length", *prefix, 2**prefix+1, *length, cure)
	}
	return f, nil
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
