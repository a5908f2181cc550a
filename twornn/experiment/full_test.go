package experiment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/twornn/spectral/twornn"
)

// full skips tests that take minutes unless they are asked for.
func full(t *testing.T) {
	t.Helper()
	if os.Getenv("TWORNN_FULL") == "" {
		t.Skip("set TWORNN_FULL=1 to run this; it takes minutes")
	}
}

// peerTargets is the first experiment as the peers' medians have it: their very targets,
// and one draw of the noise for both outputs.
func peerTargets(t *testing.T) Task {
	t.Helper()
	var models []*twornn.Model
	for seed := range 10 {
		path := filepath.Join("..", "..", "..", "shared", "data", "models", fmt.Sprintf("random-code-%d.json", seed))
		m, err := twornn.Load(path)
		if errors.Is(err, fs.ErrNotExist) {
			t.Skip("the peers' target models are not here (", path, "), so there is nothing to compare with")
		}
		if err != nil {
			t.Fatal(err)
		}
		models = append(models, m)
	}
	task := Models("random-code", models)
	task.Shared = true
	return task
}

// The project's aim: from N = 320 on each method's error over that of the authors' code,
// geometric mean over the sizes at most 1.1, none above 1.5 (their medians are over few
// seeds). TWORNN_CACHE names a file that keeps the rows, TWORNN_VERSION their version.
func TestPeersFull(t *testing.T) {
	full(t)
	nuclear := NuclearNorm()
	nuclear.MaxN = 640 // the peers' largest
	g := Grid{
		Tasks:   []Task{peerTargets(t), Addition()},
		Methods: []Method{LeastSquares(), nuclear, IHT(), TIHT()},
		Noises:  []float64{0.1, 1},
		Sizes:   []int{320, 640, 1280, 2560, 5000},
		Seeds:   Seeds(10),
	}
	start := time.Now()
	rows, err := Run(context.Background(), g, RunOptions{Cache: os.Getenv("TWORNN_CACHE"), Version: os.Getenv("TWORNN_VERSION")})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d fits in %v", len(rows), time.Since(start).Round(time.Second))
	for _, c := range Compare(Medians(rows), Peers()) {
		t.Log(c)
		if !(c.GeoMean <= 1.1) {
			t.Errorf("%s, noise %g, %s: geometric mean %.3f", c.Task, c.Noise, c.Method, c.GeoMean)
		}
		if !(c.Worst <= 1.5) {
			t.Errorf("%s, noise %g, %s: worst ratio %.3f", c.Task, c.Noise, c.Method, c.Worst)
		}
	}
	for _, r := range rows {
		if r.Err != "" {
			t.Errorf("%+v", r)
		}
	}
}

func TestRandomFitsFull(t *testing.T) {
	full(t)
	randomFits(t, 1000, []int{20, 5000}, Random(), RandomCode(), Addition())
}

// The same in seconds: L = 1, with 27 unknowns in place of 243.
func TestRandomFits(t *testing.T) {
	tasks := []Task{Random(), RandomCode(), Addition()}
	for i := range tasks {
		tasks[i].L, tasks[i].TestLength = 1, 4
	}
	randomFits(t, 100, []int{5, 500}, tasks...)
}

// fitCounts counts what came of the fits of a task by a method.
type fitCounts struct{ fits, fallback, warned, worse, exploded int }

// randomFits runs random fits of the tasks by all dense recoveries, N within the limits
// and noise up to 1. None may err, none may predict a NaN or an infinity, and none may
// be worse than the zero function on its training data, or over a hundred times worse on
// sequences one step longer than these, without saying so. It looks at what twornn
// returns, before the guard of this package.
func randomFits(t *testing.T, fits int, sizes []int, tasks ...Task) {
	methods := []Method{LeastSquares(), NuclearNorm(), IHT(), TIHT()}
	counts := map[string]*fitCounts{}
	var mu sync.Mutex // of counts
	var workers sync.WaitGroup
	next := make(chan int)
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := range next {
				randomFit(t, i, sizes, tasks[i/4%len(tasks)], methods[i%4], func(key string, c fitCounts) {
					mu.Lock()
					defer mu.Unlock()
					if counts[key] == nil {
						counts[key] = new(fitCounts)
					}
					counts[key].add(c)
				})
			}
		})
	}
	for i := range fits {
		if end, ok := t.Deadline(); ok && time.Until(end) < time.Minute {
			t.Errorf("only %d of %d fits: the time is up; give go test a longer -timeout", i, fits)
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
	var all fitCounts
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%-24s %v", key, *counts[key])
		all.add(*counts[key])
	}
	t.Logf("%-24s %v", "all", all)
}

func (c *fitCounts) add(o fitCounts) {
	c.fits += o.fits
	c.fallback += o.fallback
	c.warned += o.warned
	c.worse += o.worse
	c.exploded += o.exploded
}

func (c fitCounts) String() string {
	return fmt.Sprintf("fits %d, fallbacks %d, with warnings %d, test error above the zero function's %d, above 100 times that %d",
		c.fits, c.fallback, c.warned, c.worse, c.exploded)
}

// randomFit is fit i, a function of i alone.
func randomFit(t *testing.T, i int, sizes []int, task Task, m Method, count func(string, fitCounts)) {
	rnd := rand.New(rand.NewPCG(1, uint64(i)))
	n := int(float64(sizes[0]) * math.Pow(float64(sizes[1])/float64(sizes[0]), rnd.Float64()))
	noise, seed := rnd.Float64(), rnd.Uint64()
	what := fmt.Sprintf("fit %d: %s, %s, N %d, noise %.3f, seed %d", i, task.Name, m.Name, n, noise, seed)
	d, err := task.Data(noise, n, seed)
	if err != nil {
		t.Error(what, err)
		return
	}
	rank, in, out := d.Target.Dims()
	if task.L == 1 {
		rank = min(rank, in) // the block has no more rows
	}
	f, info, err := m.Fit(context.Background(), slices.Values(d.Train), rank, stream(i))
	if err != nil {
		t.Error(what, err)
		return
	}
	zero := twornn.NewModel(1, in, out)
	train, zeroTrain := evaluate(f, d.Train), evaluate(zero, d.Train)
	test, zeroTest := evaluate(f, d.Test), evaluate(zero, d.Test)
	if !(train <= zeroTrain) {
		t.Errorf("%s: training MSE %g, zero function %g, fallback %t", what, train, zeroTrain, info.Fallback)
	}
	if math.IsNaN(test) || math.IsInf(test, 0) {
		t.Errorf("%s: test MSE %g", what, test)
	}
	c := fitCounts{fits: 1}
	if info.Fallback {
		c.fallback = 1
	}
	if len(info.Warnings) > 0 {
		c.warned = 1
	}
	if test > zeroTest {
		c.worse = 1
	}
	if test > 100*zeroTest {
		c.exploded = 1
		if res := f.(*twornn.Result); !res.Has(twornn.Unstable) {
			t.Errorf("%s: test MSE %.3g, zero function %.3g, without a warning that it is unstable (%v)", what, test, zeroTest, info.Warnings)
		}
	}
	count(task.Name+" "+m.Name, c)
}
