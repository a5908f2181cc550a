package experiment

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/baseline"
)

// small is a grid of 16 runs with L = 1: 27 unknowns, milliseconds.
func small() Grid {
	few := Random()
	few.Target = func(seed uint64) (*twornn.Model, error) {
		return twornn.Random(2, 3, 2, 0.5, stream("few", seed)), nil
	}
	g := Grid{
		Tasks: []Task{Addition(), few}, Methods: []Method{LeastSquares(), TIHT()},
		Noises: []float64{0, 0.1}, Sizes: []int{50}, Seeds: Seeds(2),
	}
	for i := range g.Tasks {
		g.Tasks[i].L, g.Tasks[i].TestLength, g.Tasks[i].Test = 1, 4, 20
	}
	return g
}

func run(t *testing.T, g Grid, o RunOptions) Rows {
	t.Helper()
	rows, err := Run(context.Background(), g, o)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// timeless returns the rows without what the clock says, and NaN made comparable.
func timeless(rows Rows) Rows {
	out := slices.Clone(rows)
	for i := range out {
		out[i].Seconds = 0
		for _, v := range []*float64{&out[i].MSE, &out[i].ZeroMSE, &out[i].TrainMSE} {
			if math.IsNaN(*v) {
				*v = -1
			}
		}
	}
	return out
}

func same(t *testing.T, what string, got, want Rows) {
	t.Helper()
	if got, want := timeless(got), timeless(want); !reflect.DeepEqual(got, want) {
		t.Errorf("%s: rows differ:\n%+v\n%+v", what, got, want)
	}
}

func TestDeterminism(t *testing.T) {
	g := small()
	g.Methods = append(g.Methods, Refined("refined", LeastSquares(), twornn.Adam{Epochs: 2}), LSTM("tiny", baseline.LSTM{Units: 2, Epochs: 2}))
	want := run(t, g, RunOptions{Workers: 1})
	if len(want) != 2*4*2*2 {
		t.Fatalf("%d rows", len(want))
	}
	if i := slices.IndexFunc(want, func(r Row) bool { return r.Err != "" }); i >= 0 {
		t.Fatal(want[i])
	}
	same(t, "eight workers", run(t, g, RunOptions{Workers: 8}), want)
	old := runtime.GOMAXPROCS(1)
	same(t, "one core", run(t, g, RunOptions{Workers: 3}), want)
	runtime.GOMAXPROCS(old)

	// The other way round, and each run alone.
	slices.Reverse(g.Tasks)
	slices.Reverse(g.Methods)
	slices.Reverse(g.Noises)
	slices.Reverse(g.Seeds)
	back := run(t, g, RunOptions{})
	slices.Reverse(back)
	same(t, "backwards", back, want)
	g = small()
	alone := run(t, Grid{Tasks: g.Tasks[1:], Methods: g.Methods[1:], Noises: g.Noises[1:], Sizes: g.Sizes, Seeds: g.Seeds[1:]}, RunOptions{})
	i := slices.IndexFunc(want, func(r Row) bool {
		return r.Task == "random" && r.Method == "TIHT" && r.Noise == 0.1 && r.Seed == 1
	})
	same(t, "alone", alone, want[i:i+1])
}

// counted is small, with quick methods and its fits counted.
func counted(fits *int) Grid {
	g := small()
	g.Methods = []Method{LeastSquares(), Spectral("coarse", twornn.Options{Recovery: twornn.LeastSquares{RCond: 0.1}})}
	var mu sync.Mutex
	for i, m := range g.Methods {
		g.Methods[i].Fit = func(ctx context.Context, data iter.Seq[twornn.Sequence], rank int, src rand.Source) (twornn.Predictor, Info, error) {
			mu.Lock()
			*fits++
			mu.Unlock()
			return m.Fit(ctx, data, rank, src)
		}
	}
	return g
}

func TestResume(t *testing.T) {
	fits := 0
	g := counted(&fits)
	path := filepath.Join(t.TempDir(), "cache.jsonl")
	want := run(t, g, RunOptions{Cache: path})
	total := len(want)
	if fits != total {
		t.Fatalf("%d fits for %d rows", fits, total)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	fits = 0
	got := run(t, g, RunOptions{Cache: path})
	if !reflect.DeepEqual(got, want) || fits != 0 {
		t.Errorf("a full cache gave %d fits and rows\n%+v\n%+v", fits, got, want)
	}

	// Interrupted in the middle of the sixth row, at any of its bytes.
	lines := bytes.SplitAfter(text, []byte("\n\n"))
	kept := bytes.Join(lines[:5], nil)
	for _, cut := range []int{1, 2, len(lines[5]) / 2, len(lines[5]) - 4} {
		if err := os.WriteFile(path, append(slices.Clone(kept), lines[5][:cut]...), 0o644); err != nil {
			t.Fatal(err)
		}
		fits = 0
		var last Progress
		got := run(t, g, RunOptions{Cache: path, Progress: func(p Progress) error { last = p; return nil }})
		same(t, "resumed", got, want)
		if fits != total-5 || last.Cached != 5 || last.Done != total {
			t.Errorf("cut at %d: %d fits, progress %+v", cut, fits, last)
		}
		// The torn line does not swallow the next one.
		fits = 0
		same(t, "resumed twice", run(t, g, RunOptions{Cache: path}), want)
		if fits != 0 {
			t.Errorf("cut at %d: %d fits the second time", cut, fits)
		}
	}

	// What a row depends on is in its key.
	change := map[string]func(g *Grid, o *RunOptions){
		"version":  func(_ *Grid, o *RunOptions) { o.Version = "2" },
		"settings": func(g *Grid, _ *RunOptions) { g.Methods[0].Settings += "!"; g.Methods[1].Settings += "!" },
		"rank":     func(g *Grid, _ *RunOptions) { g.Rank = 1 },
		"shared":   func(g *Grid, _ *RunOptions) { g.Tasks[0].Shared = true; g.Tasks[1].Shared = true },
		"target": func(g *Grid, _ *RunOptions) {
			g.Tasks = []Task{Models("addition", []*twornn.Model{twornn.NewModel(2, 3, 1), twornn.NewModel(2, 3, 1)})}
		},
	}
	for what, f := range change {
		g, o := counted(&fits), RunOptions{Cache: path}
		f(&g, &o)
		fits = 0
		if rows := run(t, g, o); fits != len(rows) {
			t.Errorf("another %s: %d fits for %d rows", what, fits, len(rows))
		}
	}
}

// Two runs at once on one file: no line is lost or mixed up.
func TestSharedCache(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache.jsonl")
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			if _, err := Run(context.Background(), small(), RunOptions{Cache: path}); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	c, err := openCache(path)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	if c.dropped != 0 || len(c.rows) != 16 {
		t.Errorf("%d rows, %d lines not readable", len(c.rows), c.dropped)
	}
}

func TestCacheKeepsInfinities(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cache.jsonl")
	c, err := openCache(path)
	if err != nil {
		t.Fatal(err)
	}
	want := Row{Task: "a", MSE: math.Inf(1), ZeroMSE: 0.1, TrainMSE: 1e-300, Rank: 3}
	key := formatVersion + ` task "a" ` + want.key()
	if err := c.add(key, want); err != nil {
		t.Fatal(err)
	}
	c.close()
	if c, err = openCache(path); err != nil || c.rows[key] != want {
		t.Errorf("%+v, %v", c.rows, err)
	}
	c.close()
	if _, err := Run(context.Background(), small(), RunOptions{Cache: t.TempDir()}); err == nil {
		t.Error("a folder served as a cache")
	}
}

func TestInterrupt(t *testing.T) {
	enough := errors.New("enough")
	want := run(t, small(), RunOptions{Workers: 1})
	calls := 0
	rows, err := Run(context.Background(), small(), RunOptions{Workers: 1, Progress: func(p Progress) error {
		if calls++; p.Done == 3 {
			return enough
		}
		return nil
	}})
	// The run at hand when the callback returns is abandoned, or has just ended.
	if !errors.Is(err, enough) || calls != 3 || len(rows) < 3 || len(rows) > 4 {
		t.Errorf("%d calls, %d rows, %v", calls, len(rows), err)
	}
	same(t, "interrupted", rows, want[:len(rows)])

	ctx, cancel := context.WithCancel(context.Background())
	rows, err = Run(ctx, small(), RunOptions{Progress: func(Progress) error { cancel(); return nil }})
	if !errors.Is(err, context.Canceled) || len(rows) == 0 || len(rows) == len(want) {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	// With the context done from the start nothing runs.
	if rows, err = Run(ctx, small(), RunOptions{}); len(rows) != 0 || !errors.Is(err, context.Canceled) {
		t.Errorf("%d rows, %v", len(rows), err)
	}
}

// predictor is a constant that serves as a bad model.
type predictor float64

func (f predictor) Predict(dst []float64, _ mat.Matrix) []float64 {
	for j := range dst {
		dst[j] = float64(f)
	}
	return dst
}

func method(name string, fit func() (twornn.Predictor, error)) Method {
	return Method{Name: name, Fit: func(context.Context, iter.Seq[twornn.Sequence], int, rand.Source) (twornn.Predictor, Info, error) {
		f, err := fit()
		return f, Info{}, err
	}}
}

func TestGuardAndErrors(t *testing.T) {
	g := Grid{
		Tasks: []Task{Addition()}, Noises: []float64{0.1}, Sizes: []int{20}, Seeds: Seeds(1),
		Methods: []Method{
			method("zero", func() (twornn.Predictor, error) { return predictor(0), nil }),
			method("bad", func() (twornn.Predictor, error) { return predictor(100), nil }),
			method("nan", func() (twornn.Predictor, error) { return predictor(math.NaN()), nil }),
			method("errs", func() (twornn.Predictor, error) { return nil, errors.New("no luck") }),
			method("panics", func() (twornn.Predictor, error) { panic("boom") }),
			LeastSquares(),
		},
	}
	path := filepath.Join(t.TempDir(), "cache.jsonl")
	rows := run(t, g, RunOptions{Cache: path})
	if len(rows) != len(g.Methods) {
		t.Fatalf("%d rows", len(rows))
	}
	zero := rows[0]
	if zero.Fallback || zero.MSE != zero.ZeroMSE || zero.MSE < 8 || zero.MSE > 16 { // E y² = 12 after 6 steps
		t.Errorf("%+v", zero)
	}
	for _, r := range rows[1:3] {
		if !r.Fallback || r.MSE != zero.MSE || r.TrainMSE != zero.TrainMSE || r.Warnings != 1 || r.Err != "" {
			t.Errorf("%+v", r)
		}
	}
	for i, text := range map[int]string{3: "no luck", 4: "panic: boom"} {
		if r := rows[i]; r.Err != text || r.Status != "error" || !math.IsNaN(r.MSE) {
			t.Errorf("%+v", r)
		}
	}
	if c, err := openCache(path); err != nil || len(c.rows) != len(rows)-2 {
		t.Errorf("errors are kept: %v, %v", c.rows, err)
	} else {
		c.close()
	}
	// A seed without target is a row too.
	g.Tasks = []Task{Models("none", nil)}
	for _, r := range run(t, g, RunOptions{}) {
		if !strings.Contains(r.Err, "seed 0") {
			t.Errorf("%+v", r)
		}
	}
}

func TestRefined(t *testing.T) {
	train := data(t, Addition(), 0.1, 20, 0).Train
	guarded := func(m Method) (twornn.Predictor, Info, error) {
		return m.Guarded(context.Background(), train, 2, stream("test"))
	}
	start := twornn.Random(2, 3, 1, 0.1, stream("start"))
	plain := method("start", func() (twornn.Predictor, error) { return start, nil })
	_, before, err := guarded(plain)
	if err != nil {
		t.Fatal(err)
	}
	_, after, err := guarded(Refined("refined", plain, twornn.Adam{Rate: 0.05, Epochs: 100}))
	if err != nil || !(after.TrainMSE < before.TrainMSE) {
		t.Errorf("training MSE %v refined to %v, %v", before.TrainMSE, after.TrainMSE, err)
	}
	// The zero function that a guard left stays, flag and all.
	fell := Method{Name: "fell", Fit: func(context.Context, iter.Seq[twornn.Sequence], int, rand.Source) (twornn.Predictor, Info, error) {
		return predictor(0), Info{Fallback: true}, nil
	}}
	if f, info, err := guarded(Refined("refined", fell, twornn.Adam{})); f != predictor(0) || !info.Fallback || err != nil {
		t.Errorf("%v, %+v, %v", f, info, err)
	}
	constant := method("constant", func() (twornn.Predictor, error) { return predictor(0), nil })
	if _, _, err := guarded(Refined("refined", constant, twornn.Adam{})); err == nil || !strings.Contains(err.Error(), "no model") {
		t.Error("a constant was refined:", err)
	}
}

func TestRanksAndSizes(t *testing.T) {
	var ranks []int
	var mu sync.Mutex
	spy := Method{Name: "spy", MaxN: 30, Fit: func(_ context.Context, _ iter.Seq[twornn.Sequence], rank int, _ rand.Source) (twornn.Predictor, Info, error) {
		mu.Lock()
		defer mu.Unlock()
		ranks = append(ranks, rank)
		return predictor(0), Info{}, nil
	}}
	for _, rank := range []int{0, 4, -1} {
		rows := run(t, Grid{[]Task{Addition()}, []Method{spy}, []float64{0}, []int{20, 40}, Seeds(1), rank}, RunOptions{})
		if len(rows) != 1 || rows[0].Rank != ranks[len(ranks)-1] {
			t.Errorf("%+v", rows)
		}
	}
	if want := []int{2, 4, 0}; !slices.Equal(ranks, want) {
		t.Errorf("ranks %v, want %v", ranks, want)
	}
}

func TestBadGrids(t *testing.T) {
	for what, change := range map[string]func(*Grid){
		"two tasks of a name":   func(g *Grid) { g.Tasks[1].Name = g.Tasks[0].Name },
		"two methods of a name": func(g *Grid) { g.Methods[1] = g.Methods[0] },
		"a method without Fit":  func(g *Grid) { g.Methods[0].Fit = nil },
		"N = 0":                 func(g *Grid) { g.Sizes[0] = 0 },
		"a negative noise":      func(g *Grid) { g.Noises[0] = -1 },
		"noise NaN":             func(g *Grid) { g.Noises[0] = math.NaN() },
	} {
		g := small()
		change(&g)
		if _, err := Run(context.Background(), g, RunOptions{}); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}
