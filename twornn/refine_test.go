package twornn

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/lsq"
	"github.com/twornn/spectral/twornn/internal/moments"
)

func refine(t *testing.T, o LevenbergMarquardt, m *Model, data []Sequence) (*Model, Stats) {
	t.Helper()
	r, st, err := o.Refine(context.Background(), m, sequences(data...), nil)
	if err != nil {
		t.Fatal(err)
	}
	return r, st
}

func gather(m *Model, n int, noise float64, seed uint64, lengths ...int) (out []Sequence) {
	for s := range drawLengths(m, n, noise, seed, lengths...) {
		out = append(out, s)
	}
	return out
}

// near returns m with every parameter changed by about the part.
func near(m *Model, part float64, seed uint64) *Model {
	n, d, p := m.Dims()
	c, e := m.clone(), Random(n, d, p, part, pcg(seed))
	c.H0.AddVec(c.H0, e.H0)
	c.Omega.Add(c.Omega, e.Omega)
	for i, a := range c.A {
		a.Add(a, e.A[i])
	}
	return c
}

// TestLevenbergMarquardtIsExactWithoutNoise, on compressed lengths, on rows and on long
// sequences with an output after every step.
func TestLevenbergMarquardtIsExactWithoutNoise(t *testing.T) {
	m := Random(3, 2, 2, 0.6, pcg(1))
	start := near(m, 0.05, 2)
	before := start.clone()
	var long []Sequence
	for s := range draw(m, 30, 15, 0, true, 4) {
		long = append(long, s)
	}
	for name, data := range map[string][]Sequence{
		"compressed": gather(m, 200, 0, 3, 1, 2, 3, 4), "few rows": gather(m, 20, 0, 3, 3, 5), "long": long,
	} {
		r, st := refine(t, LevenbergMarquardt{}, start, data)
		if st.Status != Converged || st.Iterations == 0 || len(st.Residuals) != st.Iterations {
			t.Errorf("%s: %v after %d iterations", name, st.Status, st.Iterations)
		}
		// Rounding in some hundred rows leaves 1e-13 or so.
		if e := relativeError(t, r, m, 8); e > 1e-10 {
			t.Errorf("%s: relative error %.2g", name, e)
		}
	}
	if !mat.Equal(start.Omega, before.Omega) || !mat.Equal(start.A[0], before.A[0]) || !mat.Equal(start.H0, before.H0) {
		t.Error("the model given was changed")
	}
}

// TestLevenbergMarquardtEndsAtAMinimum: the optimum with noise is a stationary point by
// differences of the squared error of predictions, whatever the basis of the start, and
// the same from rows, from a whole and from shards.
func TestLevenbergMarquardtEndsAtAMinimum(t *testing.T) {
	m := Random(3, 2, 1, 0.6, pcg(1))
	data := gather(m, 150, 0.2, 3, 1, 2, 3, 4)
	r, st := refine(t, LevenbergMarquardt{}, near(m, 0.05, 2), data)
	if st.Status != Converged || st.Gradient > 1e-4 {
		t.Errorf("%v, %.2g standard errors from the optimum", st.Status, st.Gradient)
	}
	sse := func(m *Model) (sum float64) {
		for _, s := range data {
			e := s.Y.At(0, 0) - m.Predict(nil, s.X)[0]
			sum += e * e
		}
		return sum
	}
	least := sse(r)
	for seed := range uint64(30) {
		const h = 1e-4
		e := near(NewModel(3, 2, 1), 1, seed)
		at := func(h float64) float64 {
			c := r.clone()
			c.H0.AddScaledVec(c.H0, h, e.H0)
			for i, a := range c.A {
				var s mat.Dense
				s.Scale(h, e.A[i])
				a.Add(a, &s)
			}
			var s mat.Dense
			s.Scale(h, e.Omega)
			c.Omega.Add(c.Omega, &s)
			return sse(c)
		}
		up, down := at(h), at(-h)
		// The slope is to be small beside the curvature: within 1e-3 of the minimum.
		if up < least || down < least || math.Abs(up-down) > 20*h*(up+down-2*least) {
			t.Errorf("direction %d: %.9g, %.9g, %.9g is no minimum", seed, down, least, up)
		}
	}
	same := func(name string, q *Model, tol float64) {
		t.Helper()
		if e := relativeError(t, q, r, 4); e > tol {
			t.Errorf("%s: another optimum, by %.2g", name, e)
		}
	}
	// Tol leaves the parameters within 1e-5 standard errors, some 1e-7 of the outputs.
	const tol = 1e-5
	other, err := near(m, 0.05, 2).ChangeBasis(mat.NewDense(3, 3, []float64{2, 1, 0, -30, 1, 4, 0.5, 0.1, 1}))
	if err != nil {
		t.Fatal(err)
	}
	q, _ := refine(t, LevenbergMarquardt{}, other, data)
	same("start in another basis", q, tol)
	rows, err := CollectRows(sequences(data...))
	if err != nil {
		t.Fatal(err)
	}
	a, b := mustCollect(t, sequences(data[:250]...)), mustCollect(t, sequences(data[250:]...))
	if err := a.Merge(b); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]Collection{"rows": rows, "shards": a} {
		q, _, err := LevenbergMarquardt{}.RefineCollection(context.Background(), near(m, 0.05, 2), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		same(name, q, tol)
	}
}

// TestOutputsOfOtherUnitsWeighAlike: an output in a unit a million times smaller is fitted
// as well, since each counts in units of its noise.
func TestOutputsOfOtherUnitsWeighAlike(t *testing.T) {
	m := Random(2, 2, 2, 0.7, pcg(5))
	data := gather(m, 200, 0.1, 3, 1, 2, 3)
	r, _ := refine(t, LevenbergMarquardt{}, near(m, 0.05, 2), data)
	scaled := func(m *Model) *Model {
		c := m.clone()
		for j := range 2 {
			c.Omega.Set(1, j, 1e6*c.Omega.At(1, j))
		}
		return c
	}
	for i := range data {
		data[i].Y.Set(0, 1, 1e6*data[i].Y.At(0, 1))
	}
	q, _ := refine(t, LevenbergMarquardt{}, scaled(near(m, 0.05, 2)), data)
	if e := relativeError(t, q, scaled(r), 3); e > 1e-5 {
		t.Errorf("the fits differ by %.2g", e)
	}
}

func TestLevenbergMarquardtStops(t *testing.T) {
	m := Random(3, 2, 1, 0.6, pcg(1))
	data, start := gather(m, 150, 0.2, 3, 1, 2, 3, 4), near(m, 0.3, 2)
	mse := func(m *Model) float64 { return Evaluate(m, sequences(data...)).MSE }
	_, st := refine(t, LevenbergMarquardt{MaxIterations: 1}, start, data)
	if st.Status != IterationLimit || st.Iterations != 1 || !(st.Gradient > 0.1) {
		t.Errorf("one iteration: %v, %d, %.2g from the optimum", st.Status, st.Iterations, st.Gradient)
	}
	r, st, err := LevenbergMarquardt{}.Refine(context.Background(), start, sequences(data...), &stopAfter{left: 1})
	if err != nil || st.Status != Stopped || st.Iterations != 2 || mse(r) >= mse(start) {
		t.Errorf("stopped by the recorder: %v, %d iterations, %v", st.Status, st.Iterations, err)
	}
	done, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := (LevenbergMarquardt{}).Refine(done, start, sequences(data...), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled in the pass over the data: %v", err)
	}
	r, st, err = LevenbergMarquardt{}.RefineCollection(done, start, mustCollect(t, sequences(data...)), nil)
	if err != nil || st.Status != Stopped || mse(r) != mse(start) {
		t.Errorf("cancelled: %v, %v", st.Status, err)
	}
}

func TestLevenbergMarquardtErrors(t *testing.T) {
	m := Random(2, 2, 1, 0.6, pcg(1))
	data := gather(m, 20, 0.2, 3, 1, 2, 3)
	nan := mat.NewDense(1, 2, []float64{1, math.NaN()})
	for name, f := range map[string]func() error{
		"Tol": func() error {
			return second(LevenbergMarquardt{Tol: math.NaN()}.Refine(context.Background(), m, sequences(data...), nil))
		},
		"limit": func() error {
			return second(LevenbergMarquardt{MaxIterations: -1}.Refine(context.Background(), m, sequences(data...), nil))
		},
		"other inputs": func() error {
			return second(LevenbergMarquardt{}.Refine(context.Background(), Random(2, 3, 1, 1, pcg(1)), sequences(data...), nil))
		},
		"no model": func() error {
			return second(LevenbergMarquardt{}.Refine(context.Background(), nil, sequences(data...), nil))
		},
		"no data": func() error { return second(LevenbergMarquardt{}.Refine(context.Background(), m, sequences(), nil)) },
		"NaN": func() error {
			return second(LevenbergMarquardt{}.Refine(context.Background(), m, sequences(Sequence{X: nan, Y: mat.NewDense(1, 1, nil)}), nil))
		},
	} {
		if f() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	// Zero data, and a model that does not err: nothing to do, and no NaN.
	zero := NewModel(2, 2, 1)
	r, st := refine(t, LevenbergMarquardt{}, zero, gather(zero, 20, 0, 3, 1, 2, 3))
	if y := r.Predict(nil, data[0].X); y[0] != 0 || math.IsNaN(st.Gradient) {
		t.Errorf("zero data: f = %v, %+v", y, st)
	}
}

func second(_ *Model, _ Stats, err error) error { return err }

// TestIterationsDoNotAllocate: an evaluation of the normal equations takes no memory for
// what it works in; what is left is a goroutine a lane and its like.
func TestIterationsDoNotAllocate(t *testing.T) {
	m := Random(3, 2, 2, 0.7, pcg(1))
	c := mustCollect(t, chain(drawLengths(m, 400, 0.1, 1, 2, 4), drawLengths(m, 20, 0.1, 2, 5)))
	_, z, err := newCoordinates(c.set(), standard)
	if err != nil {
		t.Fatal(err)
	}
	q, err := lsq.NewEquations(z, 3)
	if err != nil {
		t.Fatal(err)
	}
	r := newClimb(q, m)
	N, g := mat.NewSymDense(len(r.Theta), nil), make([]float64, len(r.Theta))
	r.q.Open()
	r.q.Normal(r.Theta, N, g)
	if n := testing.AllocsPerRun(20, func() { r.q.Normal(r.Theta, N, g) }); n > 4*4 {
		t.Errorf("%v allocations an evaluation", n)
	}
}

// TestGradientIsTheDerivative compares every entry with central differences, for all
// activations, mixed lengths, outputs after every step, after the last, and after some.
func TestGradientIsTheDerivative(t *testing.T) {
	m := Random(3, 2, 2, 0.7, pcg(1))
	data := append(all(m, 4, 3, 0.5, true, 1), all(m, 3, 5, 0.5, false, 2)...)
	data = append(data, all(m, 2, 1, 0.5, false, 3)...)
	data = append(data, Sequence{Y: mat.NewDense(1, 2, []float64{0.3, -0.4})})
	for _, s := range all(m, 2, 4, 0.5, true, 4) {
		data = append(data, Sequence{X: s.X, Y: mat.DenseCopyOf(s.Y.Slice(0, 2, 0, 2)), At: []int{0, 3}})
	}
	for _, z := range []Activation{{}, {LeakyReLU, 0.3}, {LeakyReLU, 0}, {Tanh, 0}} {
		w := newNetwork(&NonLinear{m, z})
		grad := make([]float64, len(w.Theta))
		var batch []moments.Example
		for _, s := range data {
			batch = append(batch, s.example())
		}
		loss := w.Loss(batch, grad)
		// The loss is that of the predictions.
		var want float64
		for _, s := range data {
			for steps, y := range s.Outputs() {
				var x mat.Matrix
				if steps > 0 {
					x = s.X.Slice(0, steps, 0, 2)
				}
				for j, hat := range (&NonLinear{m, z}).Predict(nil, x) {
					want += (hat - y[j]) * (hat - y[j])
				}
			}
		}
		if math.Abs(loss-want) > 1e-11*want {
			t.Errorf("%v: loss %v, want %v", z, loss, want)
		}
		for i := range w.Theta {
			const eps = 1e-6
			old := w.Theta[i]
			w.Theta[i] = old + eps
			up := w.Loss(batch, nil)
			w.Theta[i] = old - eps
			down := w.Loss(batch, nil)
			w.Theta[i] = old
			// Central differences are off by ε² and by rounding over ε.
			if num := (up - down) / (2 * eps); math.Abs(num-grad[i]) > 1e-6*(1+math.Abs(num)) {
				t.Errorf("%v: parameter %d: gradient %v, differences %v", z, i, grad[i], num)
			}
		}
		if back := w.Net(w.Theta); !sameModel((*Model)(back), m) {
			t.Errorf("%v: the parameters changed on the way", z)
		}
	}
}

// TestAdamRefines: from a spectral estimate on noisy data it comes nearer to the truth
// (in the paper's words, it almost always leads to significant improvements).
func TestAdamRefines(t *testing.T) {
	// The running differences of the paper's second experiment: h counts, 1 stays.
	m := NewModel(2, 3, 1)
	m.H0.SetVec(1, 1)
	m.A[0].Set(0, 0, 1)
	m.A[0].Set(1, 1, 1)
	m.A[1].Set(1, 0, -1)
	m.A[2].Set(1, 0, 1)
	m.Omega.Set(0, 0, 1)
	biased := func(data []Sequence) []Sequence {
		for _, s := range data {
			old := m.Predict(nil, s.X)[0]
			for t := range s.Len() {
				s.X.Set(t, 0, 1)
			}
			s.Y.Set(0, 0, s.Y.At(0, 0)-old+m.Predict(nil, s.X)[0])
		}
		return data
	}
	var train []Sequence
	for _, l := range []int{2, 4, 5} {
		train = append(train, biased(all(m, 320, l, 0.1, false, uint64(l)))...)
	}
	data := sequences(train...)
	start := fit(t, data, Options{L: 2, Rank: 2, Recovery: TIHT{}})
	refined, st, err := Adam{Epochs: 300}.Refine(context.Background(), start.Model, data, nil)
	if err != nil {
		t.Fatal(err)
	}
	test := sequences(biased(all(m, 500, 6, 0, false, 3))...)
	before, after := Evaluate(start, test).MSE, Evaluate(refined, test).MSE
	// Published: 0.0066 before, 0.0006 after.
	if !(after < 0.3*before) || !(after < 0.0015) {
		t.Errorf("test MSE %.3g before, %.3g after %d epochs (%v)", before, after, st.Iterations, st.Status)
	}
	again, _, _ := Adam{Epochs: 300}.Refine(context.Background(), start.Model, data, nil)
	if !sameModel(refined, again) {
		t.Error("the same seed gives another model")
	}
}

// TestAdamNeverHarms: at the truth without noise, and with a rate that diverges, what
// comes back is no worse on the sequences held out than what went in.
func TestAdamNeverHarms(t *testing.T) {
	m := Random(3, 2, 1, 0.5, pcg(4))
	data := draw(m, 200, 4, 0, true, 4)
	for _, rate := range []float64{0.001, 1, 1e100, 1e300} {
		got, st, err := Adam{Rate: rate, Epochs: 5}.Refine(context.Background(), m, data, nil)
		if err != nil {
			t.Fatal(err)
		}
		if e := relativeError(t, got, m, 4); e > 1e-9 {
			t.Errorf("rate %g: relative error %.2g after %d epochs", rate, e, st.Iterations)
		}
	}
}

// TestLowerSlope: data of a ReLU network are better explained by it than by the best
// linear one, and the way from slope 1 to 0.1 finds that.
func TestLowerSlope(t *testing.T) {
	truth := &NonLinear{Random(3, 3, 1, 0.6, pcg(5)), Activation{LeakyReLU, 0.1}}
	relabel := func(seed uint64, n int) []Sequence {
		data := all(truth.Model, n, 4, 0, false, seed)
		for i := range data {
			data[i].X.SetCol(0, []float64{1, 1, 1, 1})
			data[i].Y.Set(0, 0, truth.Predict(nil, data[i].X)[0])
		}
		return data
	}
	train, test := sequences(relabel(6, 600)...), sequences(relabel(7, 300)...)
	linear, _, err := Adam{Rate: 0.01, Epochs: 150}.Refine(context.Background(), Random(3, 3, 1, 0.5, pcg(6)), train, nil)
	if err != nil {
		t.Fatal(err)
	}
	bent, st, err := Adam{Rate: 0.01, Epochs: 60}.LowerSlope(context.Background(), linear, train, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if bent.Activation.Slope != 0.1 || st.Iterations != len(st.Residuals) {
		t.Errorf("%v, %d iterations", bent.Activation, st.Iterations)
	}
	if a, b := Evaluate(linear, test).MSE, Evaluate(bent, test).MSE; !(b < 0.9*a) {
		t.Errorf("test MSE %.3g of the linear network, %.3g of the non-linear one", a, b)
	}
}

func TestAdamStopsAndErrs(t *testing.T) {
	m := Random(2, 2, 1, 0.5, pcg(7))
	data := draw(m, 50, 3, 0.1, true, 7)
	if got, st, err := (Adam{}).Refine(context.Background(), m, data, &stopAfter{left: 2}); err != nil || got == nil || st.Status != Stopped || st.Iterations != 3 {
		t.Errorf("recorder: %v after %d, %v", st.Status, st.Iterations, err)
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := (Adam{}).Refine(cancelled, m, data, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled while reading: %v", err)
	}
	for name, f := range map[string]func() error{
		"none may be negative": func() error { _, _, err := Adam{Rate: -1}.Refine(context.Background(), m, data, nil); return err },
		"NaN or infinite": func() error {
			bad := m.clone()
			bad.H0.SetVec(0, math.NaN())
			_, _, err := Adam{}.Refine(context.Background(), bad, data, nil)
			return err
		},
		"not fitted":  func() error { _, _, err := Adam{}.Refine(context.Background(), nil, data, nil); return err },
		"no sequence": func() error { _, _, err := Adam{}.Refine(context.Background(), m, sequences(), nil); return err },
		"takes 2 inputs": func() error {
			_, _, err := Adam{}.Refine(context.Background(), m, draw(NewModel(1, 3, 1), 2, 2, 0, true, 1), nil)
			return err
		},
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// TestAdamCopiesWhatItKeeps: a source that uses its matrices again gives the same model.
func TestAdamCopiesWhatItKeeps(t *testing.T) {
	m := Random(2, 2, 1, 0.6, pcg(1))
	data := all(m, 60, 3, 0.1, true, 2)
	at := near(m, 0.3, 4)
	o := Adam{Epochs: 5}
	a, _, err := o.Refine(context.Background(), at, sequences(data...), nil)
	if err != nil {
		t.Fatal(err)
	}
	b, _, err := o.Refine(context.Background(), at, reusing(data), nil)
	if err != nil {
		t.Fatal(err)
	}
	if !sameModel(a, b) {
		t.Error("the models differ")
	}
}

// TestRefineThatHasNoRoom: a model of more parameters than normal equations have room for is an error before they
// are allocated, in LevenbergMarquardt and in Likelihood; it says how large they are and what copes.
func TestRefineThatHasNoRoom(t *testing.T) {
	m := Random(200, 2, 1, 0.05, pcg(1))
	data := draw(Random(2, 2, 1, 0.5, pcg(2)), 50, 4, 0.1, true, 1)
	_, _, err := LevenbergMarquardt{}.Refine(t.Context(), m, data, nil)
	_, other := Likelihood(t.Context(), mustCollect(t, data), m, Options{})
	for _, err := range []error{err, other} {
		if err == nil || !strings.Contains(err.Error(), "200 states") || !strings.Contains(err.Error(), "TB") && !strings.Contains(err.Error(), "GB") || !strings.Contains(err.Error(), "Adam") {
			t.Errorf("%v", err)
		}
	}
}

// TestRefineStillBegin: an input that does not move in the steps that are measured moves later, and the model keeps
// what it says of it.
func TestRefineStillBegin(t *testing.T) {
	rnd := rand.New(pcg(1))
	m := NewModel(2, 2, 1) // y_t = 0.9 y_{t-1} + u_t
	m.H0.SetVec(0, 1)
	m.A[0].Copy(mat.NewDense(2, 2, []float64{1, 0, 0, 0.9}))
	m.A[1].Set(0, 1, 1)
	m.Omega.Set(0, 1, 1)
	s := Sequence{X: mat.NewDense(300, 2, nil), Y: mat.NewDense(300, 1, nil)}
	for t := range 300 {
		s.X.Set(t, 0, 1)
		if t >= 30 {
			s.X.Set(t, 1, rnd.NormFloat64())
		}
	}
	m.OutputsTo(s.Y, s.X)
	for t := range 300 {
		s.Y.Set(t, 0, s.Y.At(t, 0)+0.1*rnd.NormFloat64())
	}
	mse := func(m *Model) float64 {
		var e mat.Dense
		m.OutputsTo(&e, s.X)
		e.Sub(&e, s.Y)
		return linalg.Squared(&e) / 300
	}
	if r, st := refine(t, LevenbergMarquardt{}, m, []Sequence{s}); !(mse(r) < mse(m)) {
		t.Errorf("the true model has MSE %.3g on all steps, refined %.3g (%+v)", mse(m), mse(r), st)
	}
}
