package experiment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
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

// peerTargets is the first experiment on the very targets of the peers' medians.
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
	return Models("random-code", models)
}

// The project's aim: from N = 320 on each method's error over that of the authors' code,
// geometric mean over the sizes at most 1.1, none above 1.5 (their medians are over few
// seeds).
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
	randomFits(t, 1000, 5000)
}

func TestRandomFits(t *testing.T) { randomFits(t, 100, 640) }

// randomFits runs random fits of both experiments and all dense recoveries, N from 20 to
// maxN and noise up to 1. None may err, none may predict a NaN or an infinity, and none
// may be worse than the zero function on its training data, or explode on sequences one
// step longer than these, without saying so. It looks at what twornn returns, before the
// guard of this package.
func randomFits(t *testing.T, fits, maxN int) {
	tasks := []Task{Random(), RandomCode(), Addition()}
	methods := []Method{LeastSquares(), NuclearNorm(), IHT(), TIHT()}
	type count struct{ fits, fallback, warned, worse, exploded, silent int }
	counts := map[string]*count{}
	rnd := rand.New(rand.NewPCG(1, 2))
	for i := range fits {
		task, m := tasks[i/4%3], methods[i%4]
		limit := maxN
		if m.Name == "NuclearNorm" {
			limit = min(limit, 640)
		}
		n := int(20 * math.Pow(float64(limit)/20, rnd.Float64()))
		noise, seed := rnd.Float64(), rnd.Uint64()
		what := fmt.Sprintf("fit %d: %s, %s, N %d, noise %.3f, seed %d", i, task.Name, m.Name, n, noise, seed)
		d, err := task.Data(noise, n, seed)
		if err != nil {
			t.Fatal(what, err)
		}
		rank, in, out := d.Target.Dims()
		f, info, err := m.Fit(context.Background(), slices.Values(d.Train), rank, stream(i))
		if err != nil {
			t.Error(what, err)
			continue
		}
		key := task.Name + " " + m.Name
		if counts[key] == nil {
			counts[key] = new(count)
		}
		c := counts[key]
		c.fits++
		if info.Fallback {
			c.fallback++
		}
		res := f.(*twornn.Result)
		if len(info.Warnings) > 0 {
			c.warned++
		}
		zero := twornn.NewModel(1, in, out)
		train, test := evaluate(f, d.Train), evaluate(f, d.Test)
		zeroTrain, zeroTest := evaluate(zero, d.Train), evaluate(zero, d.Test)
		if !(train <= zeroTrain) {
			t.Errorf("%s: training MSE %g, zero function %g, fallback %t", what, train, zeroTrain, info.Fallback)
		}
		if math.IsNaN(test) || math.IsInf(test, 0) {
			t.Errorf("%s: test MSE %g", what, test)
		}
		if test > zeroTest {
			c.worse++
		}
		if test > 100*zeroTest {
			c.exploded++
			if !res.Has(twornn.Unstable) {
				c.silent++
				t.Errorf("%s: test MSE %.3g, zero function %.3g, without a warning that it is unstable (%v)", what, test, zeroTest, info.Warnings)
			}
		}
	}
	for _, task := range tasks {
		for _, m := range methods {
			if c := counts[task.Name+" "+m.Name]; c != nil {
				t.Logf("%-11s %-12s fits %d, fallback %d, with warnings %d, test worse than zero %d, over 100 times %d, of these without a warning of instability %d",
					task.Name, m.Name, c.fits, c.fallback, c.warned, c.worse, c.exploded, c.silent)
			}
		}
	}
}
