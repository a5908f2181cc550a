package beam

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
)

// TestFailedBundle: prism does not try a bundle again. The job fails, and nothing is written; done again
// on the same files it comes to the model of one machine.
func TestFailedBundle(t *testing.T) {
	const stations = 8
	all := readings(stations, 40)
	shaky.reset()
	for k := range stations {
		shaky.files[fmt.Sprintf("shaky://%d.csv", k)] = csvOf(all[k*40 : (k+1)*40])
	}
	failed := false
	shaky.open = func(name string, n int) (string, error) {
		if name == "shaky://3.csv" && n == 2 { // the first to count
			failed = true
			return "", errors.New("the worker is lost")
		}
		return shaky.files[name], nil
	}
	f := Files{Pattern: "shaky://*.csv", Window: window(), Group: []string{"station"}, CSV: datasets.CSV{Time: "time"}}
	path := filepath.Join(t.TempDir(), "sums")
	job := func() error {
		p, s := sdk.NewPipelineWithRoot()
		Write(s, Collect(s, Options{}, Read(s, f)), path)
		_, err := sdk.Run(context.Background(), "prism", p)
		return err
	}
	err := job()
	if err == nil || !failed || !strings.Contains(err.Error(), "the worker is lost") || shaky.opened["shaky://3.csv"] != 2 {
		t.Errorf("error %v after %d readings: a bundle that was tried again would have been read a third time", err, shaky.opened["shaky://3.csv"])
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
	if err := job(); err != nil {
		t.Fatal(err)
	}
	c, err := Open(context.Background(), path)
	sameAsFit(t, all, c, err)
}

// sameAsFit checks what was collected of rows against twornn.Fit.
func sameAsFit(t *testing.T, all []reading, c twornn.Collection, err error) {
	t.Helper()
	source := onOneMachine(t, all)
	want, fitErr := twornn.Fit(context.Background(), source, twornn.Options{})
	if fitErr != nil {
		t.Fatal(fitErr)
	}
	var data []twornn.Sequence
	for s := range source {
		data = append(data, s)
	}
	d := apart(want.Model, fitOf(t, c, err), data)
	t.Logf("%d windows, %.2g apart", c[4].N(), d)
	if c[4].N() != len(data) || !(d <= 1e-10) {
		t.Errorf("%d windows of %d, %.3g apart", c[4].N(), len(data), d)
	}
}

// TestBundlesTriedAgain goes through the stages of a job as a runner does that tries bundles again:
// counts come twice, readings break off at some window and are lost with their accumulator or are done twice
// with one of both taken, merges change their accumulators and are lost, and the result is written
// twice.
func TestBundlesTriedAgain(t *testing.T) {
	const stations, files = 64, 64
	all := readings(stations, 40)
	ctx := context.Background()
	rnd := pcg(8)
	f := Files{Pattern: write(t, all, files, stations, "csv"), Window: window(), Group: []string{"station"}, CSV: datasets.CSV{Time: "time"}}
	try := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var names []string
	for range 2 { // lost, and done again
		names = nil
		try((&listFn{Pattern: f.Pattern}).ProcessElement(ctx, nil, func(name string) { names = append(names, name) }))
	}
	rnd.Shuffle(files, func(i, j int) { names[i], names[j] = names[j], names[i] })
	var counts []count
	for _, name := range names {
		var c count
		for range 1 + rnd.IntN(2) {
			try((&countFn{Files: f}).ProcessElement(ctx, name, func(n count) { c = n }))
		}
		counts = append(counts, c)
	}
	side := func() func(*count) bool {
		next := 0
		return func(c *count) bool {
			if next == len(counts) {
				return false
			}
			*c = counts[next]
			next++
			return true
		}
	}
	combine := &collectFn{}
	// bundle reads a file into an accumulator, of which most windows at the most come.
	bundle := func(name string, most int) (s share, whole bool) {
		defer func() {
			if r := recover(); r != nil && r != "lost" {
				panic(r)
			}
		}()
		s = combine.CreateAccumulator()
		n := 0
		try((&readFn{Files: f}).ProcessElement(ctx, name, side(), func(q Sequence) {
			if n++; n > most {
				panic("lost")
			}
			q, err := decodeSequence(encodeSequence(q))
			try(err)
			s = combine.AddInput(s, q)
		}))
		return through(t, s), true
	}
	var waiting []share
	lost := 0
	for _, name := range names {
		s, whole := bundle(name, rnd.IntN(40))
		if !whole || rnd.IntN(2) == 0 { // a whole one whose answer did not come
			lost++
			s, whole = bundle(name, 1000)
		}
		if !whole {
			t.Fatal("a bundle is not whole")
		}
		waiting = append(waiting, s)
	}
	for len(waiting) > 1 {
		i := rnd.IntN(len(waiting) - 1)
		a, b := waiting[i], waiting[i+1]
		// Both as the runner has them: a merge may change its accumulators, which then come anew.
		again := []share{through(t, a), through(t, b)}
		m := combine.MergeAccumulators(a, b)
		if rnd.IntN(2) == 0 {
			lost++
			m = combine.MergeAccumulators(again[0], again[1])
		}
		waiting[i] = through(t, m)
		waiting = append(waiting[:i+1], waiting[i+2:]...)
	}
	text := combine.ExtractOutput(waiting[0])
	path := filepath.Join(t.TempDir(), "sums")
	for range 2 {
		try((&writeFn{Path: path}).ProcessElement(ctx, text))
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("left %v, %v", left, err)
	}
	if lost < files {
		t.Errorf("only %d bundles were lost", lost)
	}
	c, err := Open(ctx, path)
	sameAsFit(t, all, c, err)
}
