package twornn

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/twornn/spectral/twornn/internal/moments"
	"gonum.org/v1/gonum/mat"
)

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
		"not fitted":           func() error { _, _, err := Adam{}.Refine(context.Background(), nil, data, nil); return err },
		"no sequence":          func() error { _, _, err := Adam{}.Refine(context.Background(), m, sequences(), nil); return err },
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
