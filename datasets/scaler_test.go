package datasets

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
)

// F10: a missing cell is skipped and counted, and nothing becomes NaN.
func TestFitScaler(t *testing.T) {
	s := read(t, "x,constant,none,huge,tiny\n1,0.1,,1e308,1e-308\n2,0.1,,-1e308,3e-308\nNaN,0.1,,1e308,\n3,0.1,,-1e308,\n", CSV{})
	c := FitScaler(s)
	want := &Scaler{
		Columns: []string{"x", "constant", "none", "huge", "tiny"},
		Mean:    []float64{2, .1, 0, 0, 2e-308},
		Std:     []float64{math.Sqrt(2. / 3), 1, 1, 1e308, 1e-308},
		Skipped: []int{1, 0, 4, 0, 2},
	}
	if !reflect.DeepEqual(c.Columns, want.Columns) || !reflect.DeepEqual(c.Skipped, want.Skipped) {
		t.Errorf("%+v", c)
	}
	for j := range want.Mean {
		// A few roundings, of means and squares of numbers of the deviation's size.
		if tol := 1e-14 * want.Std[j]; math.Abs(c.Mean[j]-want.Mean[j]) > tol || math.Abs(c.Std[j]-want.Std[j]) > tol {
			t.Errorf("%s: mean %v, deviation %v, want %v, %v", c.Columns[j], c.Mean[j], c.Std[j], want.Mean[j], want.Std[j])
		}
	}
	if c.Mean[1] != .1 {
		t.Errorf("the mean of a constant is %v", c.Mean[1])
	}
	if e := FitScaler(second(s.Split(.99))); e.check() != nil {
		t.Errorf("no rows: %v", e.check())
	}
}

// A large mean must not eat the deviation: 1e9 + {0, 1, 2} has that of {0, 1, 2}.
func TestScalerLargeMean(t *testing.T) {
	c := FitScaler(read(t, "x\n1000000000\n1000000001\n1000000002\n", CSV{}))
	if math.Abs(c.Std[0]-math.Sqrt(2./3)) > 1e-12 || c.Mean[0] != 1000000001 {
		t.Errorf("%+v", c)
	}
}

// A constant whose mean rounds is a constant still.
func TestScalerConstant(t *testing.T) {
	for _, v := range []string{"0.1", "0.3", "-7.7", "1e300", "0"} {
		for _, n := range []int{1, 3, 10, 1001} {
			c := FitScaler(read(t, "x\n"+strings.Repeat(v+"\n", n), CSV{}))
			if c.Mean[0] != column(t, read(t, "x\n"+v+"\n", CSV{}), "x")[0] || c.Std[0] != 1 {
				t.Errorf("%d times %s: mean %v, deviation %v", n, v, c.Mean[0], c.Std[0])
			}
		}
	}
}

// What varies by rounding alone is not scaled up: a later 1 stays near 1. What varies
// little but really is.
func TestScalerRounding(t *testing.T) {
	for _, c := range []struct {
		file     string
		constant bool
	}{
		{"x\n0.3\n0.30000000000000004\n0.3\n", true},
		{"x\n0\n1e-17\n0\n", true},
		{"x\n-1e300\n-1.0000000000000002e300\n", true},
		{"x\n0.3\n0.30000000000001\n", false},
		{"x\n1e-17\n3e-17\n", false},
		{"x\n9007199254740000\n9007199254740060\n", false},
	} {
		if s := FitScaler(read(t, c.file, CSV{})); (s.Std[0] == 1) != c.constant {
			t.Errorf("%q: deviation %v", c.file, s.Std[0])
		}
	}
}

// F15: no test value has a part in the scaler.
func TestScalerSeesTrainOnly(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 0))
	values := make([]float64, 50)
	for i := range values {
		values[i] = rnd.NormFloat64()
	}
	fit := func() *Scaler {
		var b strings.Builder
		b.WriteString("x\n")
		for _, v := range values {
			fmt.Fprintln(&b, v)
		}
		train, _ := read(t, b.String(), CSV{}).Split(.8)
		return FitScaler(train)
	}
	before := fit()
	for i := 40; i < 50; i++ {
		old := values[i]
		values[i] = 1e6
		if after := fit(); !reflect.DeepEqual(before, after) {
			t.Errorf("row %d, a test row, changed the scaler to %+v", i, after)
		}
		values[i] = old
	}
	values[39]++
	if reflect.DeepEqual(before, fit()) {
		t.Error("the last training row has no part in the scaler")
	}
}

func TestScalerEncodes(t *testing.T) {
	c := FitScaler(abc(t))
	var j, g Scaler
	text, err := json.Marshal(c)
	if err != nil || json.Unmarshal(text, &j) != nil || !reflect.DeepEqual(c, &j) {
		t.Errorf("JSON: %s, %v, %+v", text, err, j)
	}
	var b bytes.Buffer
	if gob.NewEncoder(&b).Encode(c) != nil || gob.NewDecoder(&b).Decode(&g) != nil || !reflect.DeepEqual(c, &g) {
		t.Errorf("gob: %+v", g)
	}
}

// On every word, the empty one included, Unscale's model gives in raw units what the
// model gives on scaled inputs.
func TestUnscale(t *testing.T) {
	rnd := rand.New(rand.NewPCG(16, 0))
	for _, c := range []struct {
		n, columns int
		targets    []int
	}{{1, 1, nil}, {3, 2, []int{1}}, {5, 3, []int{2, 0}}, {2, 4, nil}, {4, 2, []int{1, 1}}} {
		scaler := &Scaler{}
		for j := range c.columns {
			scaler.Columns = append(scaler.Columns, fmt.Sprint("x", j))
			scaler.Mean = append(scaler.Mean, 20*rnd.NormFloat64())
			scaler.Std = append(scaler.Std, math.Exp(rnd.NormFloat64()))
		}
		var targets []string
		for _, j := range c.targets {
			targets = append(targets, scaler.Columns[j])
		}
		if targets == nil {
			for j := range c.columns {
				c.targets = append(c.targets, j)
			}
		}
		m := twornn.Random(c.n, 1+c.columns, len(c.targets), .5, rnd)
		raw, err := scaler.Unscale(m, targets...)
		if err != nil {
			t.Fatal(err)
		}
		if n, d, p := raw.Dims(); n != c.n+1 || d != 1+c.columns || p != len(c.targets) {
			t.Errorf("n, d, p = %d, %d, %d", n, d, p)
		}
		for k := range 8 {
			var X, S *mat.Dense
			var x, s mat.Matrix
			if k > 0 {
				X, S = mat.NewDense(k, 1+c.columns, nil), mat.NewDense(k, 1+c.columns, nil)
				x, s = X, S
			}
			for i := range k {
				X.Set(i, 0, 1)
				S.Set(i, 0, 1)
				for j := range c.columns {
					v := rnd.NormFloat64()
					S.Set(i, 1+j, v)
					X.Set(i, 1+j, scaler.Mean[j]+scaler.Std[j]*v)
				}
			}
			got, hat := raw.Predict(nil, x), m.Predict(nil, s)
			for i, j := range c.targets {
				want := scaler.Mean[j] + scaler.Std[j]*hat[i]
				// Means of some 20 deviations cancel in each step: about 1e-14 a step.
				if math.Abs(got[i]-want) > 1e-10*(math.Abs(scaler.Mean[j])+scaler.Std[j]*math.Abs(hat[i])) {
					t.Errorf("n=%d, length %d: output %d is %v, want %v", c.n, k, i, got[i], want)
				}
			}
		}
	}
}

// The same by way of windows, scaled and raw, of real data.
func TestUnscaleWindows(t *testing.T) {
	s, err := IrishWind().Select("RPT", "VAL", "MAL")
	if err != nil {
		t.Fatal(err)
	}
	w := Window{Length: 4, Horizon: 2, Targets: []string{"MAL"}, Bias: true}
	scaled := w
	scaled.Scaler = FitScaler(first(s.Split(.5)))
	m := twornn.Random(3, 4, 1, .4, rand.NewPCG(17, 0))
	raw, err := scaled.Scaler.Unscale(m, w.Targets...)
	if err != nil {
		t.Fatal(err)
	}
	mean, std, _ := scaled.Scaler.of("MAL")
	a := twornn.Evaluate(m, s.Windows(scaled))
	b := twornn.Evaluate(raw, s.Windows(w))
	if a.Err != nil || math.Abs(std*a.RMSE/b.RMSE-1) > 1e-10 || math.Abs(a.R2-b.R2) > 1e-10*math.Abs(a.R2) {
		t.Errorf("scaled %v, raw %v", a, b)
	}
	if y := b.Outputs[0].Mean; math.Abs(mean+std*a.Outputs[0].Mean-y) > 1e-10*y {
		t.Errorf("targets of mean %v", y)
	}
}

func TestUnscaleErrors(t *testing.T) {
	c := FitScaler(abc(t))
	m := twornn.NewModel(2, 4, 3)
	for name, f := range map[string]func() (*twornn.Model, error){
		"no scaler":      func() (*twornn.Model, error) { return (*Scaler)(nil).Unscale(m) },
		"no model":       func() (*twornn.Model, error) { return c.Unscale(nil) },
		"zero model":     func() (*twornn.Model, error) { return c.Unscale(&twornn.Model{}) },
		"no bias":        func() (*twornn.Model, error) { return c.Unscale(twornn.NewModel(2, 3, 3)) },
		"target count":   func() (*twornn.Model, error) { return c.Unscale(m, "a") },
		"unknown target": func() (*twornn.Model, error) { return c.Unscale(m, "a", "b", "z") },
		"damaged":        func() (*twornn.Model, error) { return (&Scaler{Columns: []string{"a"}, Mean: []float64{1}}).Unscale(m) },
		"damaged value": func() (*twornn.Model, error) {
			return (&Scaler{Columns: []string{"a"}, Mean: []float64{math.NaN()}, Std: []float64{1}}).Unscale(twornn.NewModel(1, 2, 1))
		},
	} {
		if got, err := f(); err == nil || got != nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

func TestWindowUnscale(t *testing.T) {
	s := abc(t)
	w := Window{Length: 1, Bias: true, Targets: []string{"b"}, Scaler: FitScaler(s)}
	m := twornn.NewModel(1, 4, 1)
	m.H0.SetVec(0, 1)
	m.A[2].Set(0, 0, 1)
	m.Omega.Set(0, 0, 1) // of scaled inputs, this repeats b
	raw, err := w.Unscale(m)
	if err != nil {
		t.Fatal(err)
	}
	// Rounding of one division and one product.
	if y := raw.Predict(nil, mat.NewDense(1, 4, []float64{1, 3, 44, 5})); math.Abs(y[0]-44) > 1e-12 {
		t.Errorf("b of 44 is predicted to be %v", y)
	}
	for want, bad := range map[string]Window{
		"Window.Scaler is nil":     {Length: 1, Bias: true},
		"Window.Bias is false":     {Length: 1, Scaler: w.Scaler},
		"1 output for 3 targets":   {Length: 1, Bias: true, Scaler: w.Scaler},
		"no column z; it has a, b": {Length: 1, Bias: true, Targets: []string{"z"}, Scaler: w.Scaler},
	} {
		if raw, err := bad.Unscale(m); err == nil || raw != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v is no error with %q", err, want)
		}
	}
}

// TestScalerOfExtremes: where the deviations from the mean are beyond the numbers, the standard deviation
// is right all the same, and so are the windows.
func TestScalerOfExtremes(t *testing.T) {
	// Three of 1.7e308 and one of −1.7e308: mean 0.85e308, deviation √3/2 · 1.7e308.
	s := read(t, "x,y\n1.7e308,1\n1.7e308,2\n-1.7e308,3\n1.7e308,4\n", CSV{})
	c := FitScaler(s)
	if math.Abs(c.Mean[0]/.85e308-1) > 1e-14 || math.Abs(c.Std[0]/(math.Sqrt(3)/2*1.7e308)-1) > 1e-14 {
		t.Errorf("mean %v, deviation %v", c.Mean[0], c.Std[0])
	}
	x := firstWindow(t, s, Window{Length: 3, Scaler: c}).X
	for i, want := range []float64{1 / math.Sqrt(3), 1 / math.Sqrt(3), -math.Sqrt(3)} {
		if got := x.At(i, 0); math.Abs(got-want) > 1e-14 {
			t.Errorf("row %d: %v, not %v", i, got, want)
		}
	}
	if m := FitScaler(read(t, "x\n1.7976931348623157e308\n-1.7976931348623157e308\n1\n", CSV{})); m.check() != nil {
		t.Errorf("%+v", m)
	}
}

// firstWindow returns the first of the windows.
func firstWindow(t *testing.T, s *Series, w Window) twornn.Sequence {
	t.Helper()
	for q := range s.Windows(w) {
		if q.Err != nil {
			t.Fatal(q.Err)
		}
		return q
	}
	t.Fatal("no window")
	return twornn.Sequence{}
}
