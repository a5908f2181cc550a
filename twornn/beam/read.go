package beam

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/twornn/spectral/datasets"
)

func init() {
	sdk.RegisterType(reflect.TypeFor[count]())
	register.DoFn3x1[context.Context, []byte, func(string), error](&listFn{})
	register.DoFn3x1[context.Context, string, func(count), error](&countFn{})
	register.DoFn4x1[context.Context, string, func(*count) bool, func(Sequence), error](&readFn{})
	register.Emitter1[string]()
	register.Emitter1[count]()
	register.Emitter1[Sequence]()
	register.Iter1[count]()
}

// Read returns the windows of all files as a PCollection<Sequence>, with their places: file
// after file by name, and in a file group after group. No window bridges a gap in time, two groups
// or two files; a file without rows is well.
//
// Each file is read twice, once to count its windows, and is held in memory while it is: files of
// some ten or hundred megabytes are a good size. A file that is another the second time is an error.
//
// What is wrong with the files comes as a sequence with Err, which Open returns: columns or
// steps that differ between files, a value that is no number, a pattern without a file, no
// window at all. Read errs, in a
// panic as transforms do, if the choices of f contradict themselves; Files.Check tells before.
func Read(s sdk.Scope, f Files) sdk.PCollection {
	if err := f.check(); err != nil {
		panic(err)
	}
	s = s.Scope("twornn.Read")
	f = f.portable()
	names := sdk.Reshuffle(s, sdk.ParDo(s, &listFn{Pattern: f.Pattern}, sdk.Impulse(s)))
	counts := sdk.SideInput{Input: sdk.ParDo(s, &countFn{Files: f}, names)}
	return sdk.ParDo(s, &readFn{Files: f}, names, counts)
}

// Check returns what is wrong with the choices, if anything.
func (f Files) Check() error { return f.check() }

// List returns the files of the pattern, by name. A file is there once, under the first of its
// names, whatever patterns and links lead to it. It errs where a pattern has no file, and if
// one is a directory, a pipe or a device.
func (f Files) List(ctx context.Context) ([]string, error) {
	names, problem, err := list(ctx, f.Pattern)
	if problem != "" {
		err = errors.New(problem)
	}
	return names, err
}

// noFile begins what stands for the files if they cannot be named: no name has a zero byte. The rest
// says why.
const noFile = "\x00"

// listFn emits the names of the files.
type listFn struct{ Pattern string }

func (f *listFn) ProcessElement(ctx context.Context, _ []byte, emit func(string)) error {
	names, problem, err := list(ctx, f.Pattern)
	if problem != "" {
		names = []string{noFile + problem}
	}
	for _, name := range names {
		emit(name)
	}
	return err
}

// What was read, as counters of the job.
var (
	filesRead      = sdk.NewCounter("twornn", "files")
	rowsRead       = sdk.NewCounter("twornn", "rows")
	windowsRead    = sdk.NewCounter("twornn", "windows")
	lostToGaps     = sdk.NewCounter("twornn", "lost to gaps")
	lostToMissing  = sdk.NewCounter("twornn", "lost to missing values")
	filesWithoutRs = sdk.NewCounter("twornn", "files without rows")
)

// countFn counts the windows of a file.
type countFn struct{ Files Files }

func (f *countFn) ProcessElement(ctx context.Context, name string, emit func(count)) error {
	if problem, ok := strings.CutPrefix(name, noFile); ok {
		emit(count{Name: name, Problem: problem})
		return nil
	}
	text, problem, err := contents(ctx, name)
	if err != nil {
		return err
	}
	var all []*datasets.Series
	if problem == "" {
		all, problem = f.Files.series(text, name)
	}
	c := countOf(name, all, f.Files.Window)
	c.Problem, c.Sum = problem, sumOf(text)
	for _, s := range all {
		log.Info(ctx, s.String())
	}
	filesRead.Inc(ctx, 1)
	if c.Rows == 0 {
		filesWithoutRs.Inc(ctx, 1)
	}
	rowsRead.Inc(ctx, c.Rows)
	windowsRead.Inc(ctx, c.Windows)
	lostToGaps.Inc(ctx, c.Gaps)
	lostToMissing.Inc(ctx, c.Missing)
	emit(c)
	return nil
}

func gather(next func(*count) bool) (all []count) {
	var c count
	for next(&c) {
		all = append(all, c)
	}
	return all
}

// readFn emits the windows of a file or, for the first one, what is wrong with any.
type readFn struct {
	Files Files
	plan  *plan // the same for all files: made for each it would cost the square of their number
}

func (f *readFn) ProcessElement(ctx context.Context, name string, counts func(*count) bool, emit func(Sequence)) error {
	if f.plan == nil {
		p := newPlan(gather(counts), f.Files)
		f.plan = &p
	}
	p := f.plan
	if p.problem != "" {
		if name == p.names[0] {
			emit(Sequence{Err: p.problem})
		}
		return nil
	}
	text, problem, err := contents(ctx, name)
	if err != nil {
		return err
	}
	if problem == "" && sumOf(text) != p.sums[name] {
		problem = fmt.Sprintf("beam: %s was changed while it was read, between the count of its windows and their cutting; run again when it is whole", name)
	}
	if problem != "" {
		emit(Sequence{Err: problem})
		return nil
	}
	all, problem := f.Files.series(text, name)
	if problem != "" {
		emit(Sequence{Err: problem}) // another version of this program has counted
		return nil
	}
	place := p.first[name]
	for _, s := range all {
		if _, err := s.CountWindows(f.Files.Window); err != nil {
			continue // no window
		}
		for w := range s.Windows(f.Files.Window) {
			emit(Of(place, p.total, w))
			place++
		}
	}
	return nil
}
