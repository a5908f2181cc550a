package twornn

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// lastValue predicts the last input.
type lastValue struct{}

func (lastValue) Predict(dst []float64, x mat.Matrix) []float64 {
	k, _ := x.Dims()
	dst[0] = x.At(k-1, 0)
	return dst
}

// TestEvaluateByHand: errors 1, −2 and 3 on the targets 1, 2 and 6.
func TestEvaluateByHand(t *testing.T) {
	var data []Sequence
	for i, y := range []float64{1, 2, 6} {
		x := y - []float64{1, -2, 3}[i]
		data = append(data, Sequence{X: mat.NewDense(2, 1, []float64{99, x}), Y: mat.NewDense(2, 1, []float64{-99, y})})
	}
	m := Evaluate(lastValue{}, sequences(data...))
	for name, c := range map[string][2]float64{
		"MSE":       {m.MSE, 14.0 / 3},
		"RMSE":      {m.RMSE, math.Sqrt(14.0 / 3)},
		"MAE":       {m.MAE, 2},
		"MAPE":      {m.MAPE, 100 * (1 + 1 + 0.5) / 3},
		"R2":        {m.R2, 1 - 14.0/14},                          // Σ(y−3)² = 4+1+9
		"against 2": {m.R2Against([]float64{2}), 1 - 14.0/(1+16)}, // Σ(y−2)² = 1+0+16
		"N":         {float64(m.N), 3},
		"mean":      {m.Outputs[0].Mean, 3},
		"variance":  {m.Outputs[0].Variance, 14.0 / 3},
	} {
		if math.Abs(c[0]-c[1]) > 1e-12 {
			t.Errorf("%s = %v, want %v", name, c[0], c[1])
		}
	}
	hat, y, err := Forecasts(lastValue{}, sequences(data...))
	if err != nil || hat.At(1, 0) != 4 || y.At(2, 0) != 6 {
		t.Errorf("forecasts %v of %v, %v", hat, y, err)
	}
}

// TestPersistenceErrsByTheHorizon: of y(t) = t, persistence is off by exactly h.
func TestPersistenceErrsByTheHorizon(t *testing.T) {
	for h := 1; h <= 5; h++ {
		var data []Sequence
		for i := range 20 {
			data = append(data, Sequence{X: mat.NewDense(1, 1, []float64{float64(i)}), Y: mat.NewDense(1, 1, []float64{float64(i + h)})})
		}
		if m := Evaluate(lastValue{}, sequences(data...)); m.MAE != float64(h) || m.RMSE != float64(h) {
			t.Errorf("horizon %d: MAE %v, RMSE %v", h, m.MAE, m.RMSE)
		}
	}
}

func TestEvaluateCountsWhatItCannotUse(t *testing.T) {
	data := sequences(
		Sequence{X: mat.NewDense(1, 1, []float64{1}), Y: mat.NewDense(1, 1, []float64{0})},
		Sequence{X: mat.NewDense(1, 1, []float64{2}), Y: mat.NewDense(1, 1, []float64{4})})
	m := Evaluate(lastValue{}, data)
	if m.ZeroTargets != 1 || m.MAPE != 50 {
		t.Errorf("zero targets %d, MAPE %v", m.ZeroTargets, m.MAPE)
	}
	big := NewModel(1, 1, 1)
	big.H0.SetVec(0, 1e200)
	big.A[0].Set(0, 0, 1e200)
	big.Omega.Set(0, 0, 1)
	m = Evaluate(big, data)
	if m.NonFinite != 2 || !math.IsInf(m.MSE, 1) || !strings.Contains(m.String(), "2 predictions are not finite") {
		t.Errorf("%+v", m)
	}
}

func TestEvaluateErrors(t *testing.T) {
	good := Sequence{X: mat.NewDense(2, 2, nil), Y: mat.NewDense(1, 1, nil)}
	cause := errors.New("cause")
	for _, c := range []struct {
		name string
		f    Predictor
		data []Sequence
		want string
	}{
		{"none", NewModel(1, 2, 1), nil, "no sequence to score"},
		{"source", NewModel(1, 2, 1), []Sequence{good, {Err: cause}}, "cause"},
		{"nil model", (*Model)(nil), []Sequence{good}, "not fitted"},
		{"empty model", new(Model), []Sequence{good}, "not fitted"},
		{"empty result", new(Result), []Sequence{good}, "not fitted"},
		{"inputs", NewModel(1, 3, 1), []Sequence{good}, "takes 3 inputs and gives 1 output, the data have 2 and 1"},
		{"outputs", NewModel(1, 2, 2), []Sequence{good}, "gives 2 outputs"},
	} {
		m := Evaluate(c.f, sequences(c.data...))
		if m.Err == nil || !strings.Contains(m.Err.Error(), c.want) || !math.IsNaN(m.MSE) || !math.IsNaN(m.R2Against(nil)) {
			t.Errorf("%s: %+v", c.name, m)
		}
		if _, _, err := Forecasts(c.f, sequences(c.data...)); err == nil {
			t.Errorf("%s: Forecasts does not err", c.name)
		}
	}
	// The empty word has no inputs to disagree with.
	word := Sequence{Y: mat.NewDense(1, 1, []float64{3})}
	if m := Evaluate(NewModel(1, 2, 1), sequences(word, good)); m.Err != nil || m.N != 2 {
		t.Errorf("the empty word: %+v", m)
	}
}

// TestConstantOutputHasNoR2: of a target that never moves there is nothing to explain.
func TestConstantOutputHasNoR2(t *testing.T) {
	m := NewModel(1, 1, 2) // predicts 0
	var data []Sequence
	for i := range 4 {
		data = append(data, Sequence{X: mat.NewDense(1, 1, nil), Y: mat.NewDense(1, 2, []float64{3, float64(i)})})
	}
	e := Evaluate(m, sequences(data...))
	// The second has a mean square of 3.5 and a variance of 1.25.
	if !math.IsNaN(e.Outputs[0].R2) || math.Abs(e.R2-(1-3.5/1.25)) > 1e-12 || e.R2 != e.Outputs[1].R2 {
		t.Errorf("R² %v, of the outputs %v and %v", e.R2, e.Outputs[0].R2, e.Outputs[1].R2)
	}
	for i := range data {
		data[i].Y.Set(0, 1, 1)
	}
	if e := Evaluate(m, sequences(data...)); !math.IsNaN(e.R2) {
		t.Errorf("no output varies, R² is %v", e.R2)
	}
}
