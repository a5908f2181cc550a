package beam

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
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
// some ten or hundred megabytes are a good size.
//
// What is wrong with the files comes as a sequence with Err, which Open returns: columns or
// steps that differ between files, a value that is no number, no window at all. Read errs, in a
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

// List returns the files of the pattern, by name.
func (f Files) List(ctx context.Context) ([]string, error) { return list(ctx, f.Pattern) }

func list(ctx context.Context, patterns string) (names []string, err error) {
	for pattern := range strings.SplitSeq(patterns, ",") {
		if pattern = strings.TrimSpace(pattern); pattern == "" {
			continue
		}
		fs, err := filesystem.New(ctx, pattern)
		if err != nil {
			return nil, err
		}
		found, err := fs.List(ctx, pattern)
		fs.Close()
		if err != nil {
			return nil, err
		}
		names = append(names, found...)
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// noFile stands for the files if there are none, so that there is something to say so.
const noFile = ""

// listFn emits the names of the files.
type listFn struct{ Pattern string }

func (f *listFn) ProcessElement(ctx context.Context, _ []byte, emit func(string)) error {
	names, err := list(ctx, f.Pattern)
	if len(names) == 0 {
		names = []string{noFile}
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
	if name == noFile {
		emit(count{Problem: fmt.Sprintf("beam: no file is called %s; correct the pattern", f.Files.Pattern)})
		return nil
	}
	all, problem, err := f.Files.series(ctx, name)
	if err != nil {
		return err
	}
	c := countOf(name, all, f.Files.Window)
	c.Problem = problem
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
type readFn struct{ Files Files }

func (f *readFn) ProcessElement(ctx context.Context, name string, counts func(*count) bool, emit func(Sequence)) error {
	p := newPlan(gather(counts), f.Files)
	if p.problem != "" {
		if name == p.names[0] {
			emit(Sequence{Err: p.problem})
		}
		return nil
	}
	all, problem, err := f.Files.series(ctx, name)
	if err != nil {
		return err
	}
	if problem != "" {
		emit(Sequence{Err: problem}) // it has changed since
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
