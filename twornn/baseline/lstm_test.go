package baseline

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
)

// kind is the shape of some sequences: n of length k, with outputs after every step
// or after the last.
type kind struct {
	n, k  int
	every bool
}

// mixed yields the kinds in turn, with standard normal inputs (the first a bias) and
// for outputs the sums of the inputs so far, p of them.
func mixed(d, p int, seed uint64, kinds ...kind) iter.Seq[twornn.Sequence] {
	return func(yield func(twornn.Sequence) bool) {
		rnd := rand.New(rand.NewPCG(seed, 3))
		for _, q := range kinds {
			for range q.n {
				var x *mat.Dense
				y := mat.NewDense(max(1, q.k), p, nil)
				if q.k > 0 {
					x = mat.NewDense(q.k, d, nil)
				}
				for t := range q.k {
					x.Set(t, 0, 1)
					for i := 1; i < d; i++ {
						x.Set(t, i, rnd.NormFloat64())
					}
					for j := range p {
						y.Set(t, j, x.At(t, (1+j)%d))
						if t > 0 {
							y.Set(t, j, y.At(t, j)+y.At(t-1, j))
						}
					}
				}
				if !q.every && q.k > 1 {
					y = mat.DenseCopyOf(y.Slice(q.k-1, q.k, 0, p))
				}
				if !yield(twornn.Sequence{X: x, Y: y}) {
					return
				}
			}
		}
	}
}

var allKinds = []kind{{3, 4, false}, {2, 1, false}, {4, 3, true}, {1, 0, false}, {2, 6, true}, {1, 6, false}}

// readAll returns the examples that mixed yields.
func readAll(t testing.TB, d, p int, kinds ...kind) *examples {
	t.Helper()
	set, err := readExamples(t.Context(), mixed(d, p, 5, kinds...))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// TestScales: a change of the units of inputs and outputs, with offsets, changes the
// predictions by just that, and a bias stays one. Powers of two make all but the
// offsets exact: the training magnifies roundings of 1e-16, to less than 1e-8.
func TestScales(t *testing.T) {
	o := LSTM{Units: 4, Epochs: 30, Batch: 16}
	data := mixed(3, 2, 1, kind{60, 3, false}, kind{30, 4, true})
	change := func(yield func(twornn.Sequence) bool) {
		for s := range data {
			x, y := mat.DenseCopyOf(s.X), mat.DenseCopyOf(s.Y)
			x.Apply(func(_, j int, v float64) float64 { return []float64{v, 1024*v + 3000, v / 64}[j] }, x)
			y.Apply(func(_, j int, v float64) float64 { return 256*v + []float64{1e4, 0}[j] }, y)
			if !yield(twornn.Sequence{X: x, Y: y}) {
				return
			}
		}
	}
	a, _, err := FitLSTM(t.Context(), data, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := FitLSTM(t.Context(), change, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	next, stop := iter.Pull(iter.Seq[twornn.Sequence](change))
	defer stop()
	for s := range data {
		c, _ := next()
		want, got := a.Predict(nil, s.X), b.Predict(nil, c.X)
		if !near([]float64{(got[0] - 1e4) / 256, got[1] / 256}, want, 1e-8) {
			t.Fatalf("prediction %v in other units, %v in these", got, want)
		}
	}
}

// TestConstants: constant inputs and outputs, zeros and a bias of ones among them, make
// no NaN, and a constant output is found.
func TestConstants(t *testing.T) {
	for _, c := range [][4]float64{{1, 0, 5, 0}, {-3, 1e6, 0, 0}, {0.1, 0, -7, -7}} {
		data := func(yield func(twornn.Sequence) bool) {
			for range 20 {
				if !yield(twornn.Sequence{X: mat.NewDense(2, 2, []float64{c[0], c[1], c[0], c[1]}), Y: mat.NewDense(1, 2, c[2:])}) {
					return
				}
			}
		}
		nw, st, err := FitLSTM(t.Context(), data, LSTM{Units: 3, Epochs: 400, Patience: 400, LearningRate: 0.01}, nil)
		if err != nil {
			t.Fatal(err)
		}
		// In units of the largest output, Adam comes to within some rates of it.
		got := nw.Predict(nil, mat.NewDense(1, 2, c[:2]))
		if !near(got, c[2:], 0.05*max(1, math.Abs(c[2]))) || math.IsNaN(st.Residuals[0]) {
			t.Errorf("%v: predicted %v with residual %v", c, got, st.Residuals[len(st.Residuals)-1])
		}
	}
}

// recorder keeps what it is told, and stops the run at the given epoch.
type recorder struct {
	told []twornn.Progress
	at   int
	stop func() error
}

func (r *recorder) Record(p twornn.Progress) error {
	r.told = append(r.told, p)
	if len(r.told) == r.at {
		return r.stop()
	}
	return nil
}

// TestBestWeights: the network returned has the least residual that was told, on the
// sequences held out, which are the last of each length.
func TestBestWeights(t *testing.T) {
	kinds := []kind{{50, 2, false}, {50, 4, true}}
	data := func(yield func(twornn.Sequence) bool) {
		rnd := rand.New(rand.NewPCG(4, 4))
		for s := range mixed(3, 1, 2, kinds...) { // noise, to be learnt by heart
			s.Y.Apply(func(_, _ int, v float64) float64 { return v + 2*rnd.NormFloat64() }, s.Y)
			if !yield(s) {
				return
			}
		}
	}
	var rec recorder
	nw, st, err := FitLSTM(t.Context(), data, LSTM{LearningRate: 0.02, Patience: 60}, &rec)
	if err != nil {
		t.Fatal(err)
	}
	if st.Status != twornn.Converged || st.Iterations != len(rec.told) || st.N != 100 || st.Unknowns != 20*4*24+21 {
		t.Errorf("%v after %d epochs, %d told; N %d, %v weights", st.Status, st.Iterations, len(rec.told), st.N, st.Unknowns)
	}
	i := 0
	var sse, energy float64
	for s := range data {
		if i%50 >= 40 {
			var y mat.Dense
			nw.OutputsTo(&y, s.X)
			rows, _ := s.Y.Dims()
			for r := range rows {
				e := y.At(s.Len()-rows+r, 0) - s.Y.At(r, 0)
				sse, energy = sse+e*e, energy+s.Y.At(r, 0)*s.Y.At(r, 0)
			}
		}
		i++
	}
	best := slices.Min(st.Residuals)
	if got := math.Sqrt(sse / energy); math.Abs(got-best) > 1e-10 {
		t.Errorf("residual of the network %v, the least told %v", got, best)
	}
	if p := rec.told[len(rec.told)-1]; p.Stage != "train" || p.Iteration != len(rec.told) || p.Residual != st.Residuals[len(rec.told)-1] {
		t.Errorf("last told: %+v", p)
	}
	if last := st.Residuals[len(st.Residuals)-1]; slices.Index(st.Residuals, best) != len(st.Residuals)-61 || last <= best {
		t.Errorf("best epoch %d of %d, residual %v, last %v", slices.Index(st.Residuals, best)+1, len(st.Residuals), best, last)
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		fraction    float64
		kinds       []kind
		train, held int
	}{
		{0.2, []kind{{10, 2, false}, {5, 3, true}}, 12, 3},
		{0.2, []kind{{1, 1, false}, {1, 2, false}, {1, 3, false}, {1, 4, false}, {1, 5, false}}, 4, 1},
		{0.2, []kind{{1, 3, false}}, 1, 1}, // judged on what it is trained on
		{-1, []kind{{7, 3, false}}, 7, 7},
	} {
		set := readAll(t, 2, 1, c.kinds...)
		set.split(c.fraction)
		if len(set.train) != c.train || len(set.held) != c.held {
			t.Errorf("%v of %v: %d and %d", c.fraction, c.kinds, len(set.train), len(set.held))
		}
	}
}

// TestDeterminism: the same bits from the same seed whatever GOMAXPROCS, with more
// units than gonum multiplies in one goroutine; others from another seed.
func TestDeterminism(t *testing.T) {
	fit := func(seed uint64) *Network {
		nw, _, err := FitLSTM(t.Context(), mixed(3, 1, 1, kind{150, 3, false}, kind{50, 2, true}), LSTM{Units: 70, Epochs: 3, Src: rand.NewPCG(seed, 1)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return nw
	}
	a := fit(1)
	old := runtime.GOMAXPROCS(1)
	b := fit(1)
	runtime.GOMAXPROCS(old)
	if !mat.Equal(a.W, b.W) || !mat.Equal(a.Out, b.Out) {
		t.Error("two runs with one seed differ")
	}
	if mat.Equal(a.W, fit(2).W) {
		t.Error("two seeds give the same weights")
	}
}

// TestInterruption: the best weights so far, whoever stops the run.
func TestInterruption(t *testing.T) {
	data := mixed(3, 1, 1, kind{100, 3, false})
	whole, _, err := FitLSTM(t.Context(), data, LSTM{Epochs: 3}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var cancel context.CancelFunc
	for name, stop := range map[string]func() error{
		"recorder": func() error { return errors.New("enough") },
		"context":  func() error { cancel(); return nil },
	} {
		var ctx context.Context
		ctx, cancel = context.WithCancel(t.Context())
		rec := &recorder{at: 3, stop: stop}
		nw, st, err := FitLSTM(ctx, data, LSTM{}, rec)
		cancel()
		if err != nil || st.Status != twornn.Stopped || st.Iterations != 3 || len(rec.told) != 3 {
			t.Errorf("%s: %v after %d epochs, %v", name, st.Status, st.Iterations, err)
			continue
		}
		if !mat.Equal(nw.W, whole.W) || !mat.Equal(nw.Out, whole.Out) {
			t.Errorf("%s: not the weights after three epochs", name)
		}
	}

	// ctx done after the last sequence is read: the first weights.
	ctx, cancel := context.WithCancel(t.Context())
	nw, st, err := FitLSTM(ctx, func(yield func(twornn.Sequence) bool) {
		for s := range data {
			if !yield(s) {
				return
			}
		}
		cancel()
	}, LSTM{}, nil)
	if err != nil || st.Status != twornn.Stopped || st.Iterations != 0 || nw == nil {
		t.Errorf("%v after %d epochs, %v", st.Status, st.Iterations, err)
	}
	if _, _, err := FitLSTM(ctx, data, LSTM{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("ctx done before: %v", err)
	}
}

func TestLSTMErrors(t *testing.T) {
	one := func(k, d, rows, p int, v float64) twornn.Sequence {
		x, y := mat.NewDense(k, d, nil), mat.NewDense(rows, p, nil)
		x.Set(k-1, 0, v)
		y.Set(0, 0, v)
		return twornn.Sequence{X: x, Y: y}
	}
	seqs := func(s ...twornn.Sequence) iter.Seq[twornn.Sequence] { return slices.Values(s) }
	good := one(2, 1, 1, 1, 1)
	for want, c := range map[string]struct {
		data iter.Seq[twornn.Sequence]
		o    LSTM
	}{
		"twornn: the data hold no sequence":                     {data: seqs()},
		"sequence 2: input 1 of step 3 is NaN":                  {data: seqs(good, one(3, 1, 1, 1, math.NaN()))},
		"sequence 2 has 2 inputs, those before it 1":            {data: seqs(good, one(2, 2, 1, 1, 0))},
		"sequence 2 has 2 outputs, those before it 1":           {data: seqs(good, one(2, 1, 1, 2, 0))},
		"for 3 steps; give one a step":                          {data: seqs(one(3, 1, 2, 1, 0))},
		"the station is closed":                                 {data: seqs(good, twornn.Sequence{Err: errors.New("the station is closed")})},
		"baseline: no sequence has an input":                    {data: seqs(twornn.Sequence{Y: mat.NewDense(1, 1, nil)})},
		"baseline: Units -1":                                    {seqs(good), LSTM{Units: -1}},
		"baseline: LearningRate NaN":                            {seqs(good), LSTM{LearningRate: math.NaN()}},
		"baseline: Validation 1 holds out all":                  {seqs(good), LSTM{Validation: 1}},
		"sequence 1: input 1 of step 2 is 1e+200, too large":    {data: seqs(one(2, 1, 1, 1, 1e200), one(2, 1, 1, 1, -1e200), good)},
		"after epoch 1 is +Inf; scale the data to about 1 or l": {seqs(good), LSTM{LearningRate: 1e300}},
	} {
		nw, _, err := FitLSTM(t.Context(), c.data, c.o, nil)
		if err == nil || !strings.Contains(err.Error(), want) || nw != nil {
			t.Errorf("%q: %v", want, err)
		}
	}
}

// TestDivergenceIsRejected: steps so long that every epoch is worse leave the best
// weights before them, and all finite.
func TestDivergenceIsRejected(t *testing.T) {
	nw, st, err := FitLSTM(t.Context(), mixed(3, 1, 1, kind{100, 3, false}), LSTM{LearningRate: 1e6, Epochs: 20}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if st.Status != twornn.IterationLimit || slices.Min(st.Residuals) < 10 {
		t.Errorf("%v, residuals %v", st.Status, st.Residuals)
	}
	if most := mat.Norm(nw.W, math.Inf(1)); !(most < 100) {
		t.Errorf("‖W‖ = %v", most)
	}
}

// TestAllocations: none in an epoch, one in Predict for its workspace.
func TestAllocations(t *testing.T) {
	tr := benchTrainer(t, 100)
	ctx := t.Context()
	if n := testing.AllocsPerRun(3, func() { tr.epoch(ctx); tr.score(ctx) }); n != 0 {
		t.Errorf("%v allocations an epoch", n)
	}
	dst, x := make([]float64, 2), mat.NewDense(5, 3, nil)
	if n := testing.AllocsPerRun(10, func() { tr.nw.Predict(dst, x) }); n > 1 {
		t.Errorf("%v allocations a prediction", n)
	}
}

func benchTrainer(t testing.TB, batch int) *trainer {
	set := readAll(t, 3, 2, kind{2000, 5, false})
	set.split(0.2)
	return newTrainer(set, LSTM{Batch: batch}.filled(), lstmCell)
}

// BenchmarkEpoch trains on 1600 sequences of 5 steps and scores 400, d = 3, p = 2.
func BenchmarkEpoch(b *testing.B) {
	for _, batch := range []int{32, 100, 256} {
		b.Run(fmt.Sprintf("units=20/batch=%d", batch), func(b *testing.B) {
			tr := benchTrainer(b, batch)
			b.ReportAllocs()
			for b.Loop() {
				tr.epoch(b.Context())
				tr.score(b.Context())
			}
		})
	}
}
