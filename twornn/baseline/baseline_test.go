package baseline

import (
	"iter"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
)

// series yields windows of length 3 with a bias over a VAR(2) process of dimension 2,
// y_t = c + B x_t + C x_{t−1} + noise.
func series(n int, noise float64) iter.Seq[twornn.Sequence] {
	return func(yield func(twornn.Sequence) bool) {
		rnd := rand.New(rand.NewPCG(1, 2))
		x := [][]float64{{1, 0.3, -0.2}, {1, 0.1, 0.5}}
		next := func() []float64 {
			a, b := x[len(x)-1], x[len(x)-2]
			return []float64{1,
				0.3 + 0.5*a[1] - 0.2*a[2] + 0.1*b[1] + noise*rnd.NormFloat64(),
				-0.1 + 0.1*a[1] + 0.4*a[2] - 0.3*b[2] + noise*rnd.NormFloat64()}
		}
		x = append(x, next())
		for range n {
			y := next()
			X := mat.NewDense(3, 3, nil)
			for t, row := range x[len(x)-3:] {
				X.SetRow(t, row)
			}
			if !yield(twornn.Sequence{X: X, Y: mat.NewDense(1, 2, y[1:])}) {
				return
			}
			x = append(x, y)
		}
	}
}

// TestVARFindsItsProcess: C (1, x_k, x_{k−1}) has the coefficients of the process.
// The bias among the inputs shares the intercept, so it is read off predictions.
func TestVARFindsItsProcess(t *testing.T) {
	v, err := FitVAR(series(400, 1), 2)
	if err != nil {
		t.Fatal(err)
	}
	at := func(x ...float64) []float64 { return v.Predict(nil, mat.NewDense(3, 3, x)) }
	base := at(1, 7, 7, 1, 0, 0, 1, 0, 0)
	for _, c := range []struct {
		x    []float64
		want [2]float64
	}{
		{[]float64{1, 7, 7, 1, 0, 0, 1, 1, 0}, [2]float64{0.5, 0.1}},
		{[]float64{1, 7, 7, 1, 0, 0, 1, 0, 1}, [2]float64{-0.2, 0.4}},
		{[]float64{1, 7, 7, 1, 1, 0, 1, 0, 0}, [2]float64{0.1, 0}},
		{[]float64{1, 7, 7, 1, 0, 1, 1, 0, 0}, [2]float64{0, -0.3}},
	} {
		for j, y := range at(c.x...) {
			// Five standard errors of a coefficient at N = 400.
			if d := y - base[j]; math.Abs(d-c.want[j]) > 0.25 {
				t.Errorf("coefficient %v, want %v", d, c.want[j])
			}
		}
	}
	if math.Abs(base[0]-0.3) > 0.25 || math.Abs(base[1]+0.1) > 0.25 {
		t.Errorf("intercept %v", base)
	}
	if m := twornn.Evaluate(v, series(400, 1)); math.Abs(m.MSE-1) > 0.15 {
		t.Errorf("training MSE %v with noise of variance 1", m.MSE)
	}
	// One lag leaves out what the second explains.
	one, err := FitVAR(series(400, 1), 1)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := twornn.Evaluate(one, series(400, 1)).MSE, twornn.Evaluate(v, series(400, 1)).MSE; a <= b {
		t.Errorf("order 1 fits with %v, order 2 with %v", a, b)
	}
}

func TestMeanAndPersistence(t *testing.T) {
	m, err := FitMean(series(100, 1))
	if err != nil {
		t.Fatal(err)
	}
	if e := twornn.Evaluate(m, series(100, 1)); math.Abs(e.R2) > 1e-12 {
		t.Errorf("R² of the mean on its own data is %v", e.R2)
	}
	p := Persistence{1, 2}
	for s := range series(5, 1) {
		if y := p.Predict(nil, s.X); y[0] != s.X.At(2, 1) || y[1] != s.X.At(2, 2) {
			t.Errorf("persistence %v of %v", y, mat.Formatted(s.X))
		}
	}
}

func TestErrors(t *testing.T) {
	bad := func(yield func(twornn.Sequence) bool) {
		yield(twornn.Sequence{X: mat.NewDense(1, 1, nil), Y: mat.NewDense(1, 1, []float64{math.NaN()})})
	}
	none := func(func(twornn.Sequence) bool) {}
	for name, f := range map[string]func() error{
		"no sequence to score":                func() error { _, err := FitMean(none); return err },
		"data hold no sequence":               func() error { _, err := FitVAR(none, 1); return err },
		"sequence 1: output 1 of step 1":      func() error { _, err := FitMean(bad); return err },
		"output 1 of step 1 is NaN":           func() error { _, err := FitVAR(bad, 1); return err },
		"sequence 1 has 3 steps; a VAR of or": func() error { _, err := FitVAR(series(5, 1), 4); return err },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
