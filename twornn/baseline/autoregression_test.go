package baseline

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestAutoregressionOfRecurrence: a noise-free recurrence of two series is continued
// without error, at the order that it has.
func TestAutoregressionOfRecurrence(t *testing.T) {
	y := mat.NewDense(120, 2, nil)
	y.SetRow(0, []float64{1, 0.3})
	y.SetRow(1, []float64{0.5, -0.7})
	for i := 2; i < 120; i++ {
		a, b := y.RawRowView(i-1), y.RawRowView(i-2)
		y.SetRow(i, []float64{0.2 + 1.2*a[0] - 0.1*a[1] - 0.9*b[0], 0.1 + 0.3*a[0] + 0.8*a[1] - 0.6*b[1]})
	}
	a, err := FitAutoregression(mat.DenseCopyOf(y.Slice(0, 80, 0, 2)), 6)
	if err != nil {
		t.Fatal(err)
	}
	if a.Order != 2 {
		t.Errorf("order %d, want 2", a.Order)
	}
	f := mat.NewDense(10, 2, nil)
	a.Forecast(f, y, 99)
	for h := range 10 {
		for j := range 2 {
			// Rounding, grown over ten steps of a stable recurrence.
			if e := math.Abs(f.At(h, j) - y.At(100+h, j)); !(e < 1e-9) {
				t.Errorf("h %d, series %d: error %g", h+1, j, e)
			}
		}
	}
}

// TestAutoregressionOrder: AIC agrees with the regressions of each order done alone.
func TestAutoregressionOrder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 5))
	y := mat.NewDense(300, 1, nil)
	for i := 3; i < 300; i++ {
		y.Set(i, 0, 0.6*y.At(i-1, 0)-0.4*y.At(i-3, 0)+rnd.NormFloat64())
	}
	const most = 8
	best, least := 0, math.Inf(1)
	for p := 0; p <= most; p++ {
		d := lags(y, p, most)
		n, c := d.Dims()
		var qr mat.QR
		qr.Factorize(d.Slice(0, n, 0, c-1))
		var b, e mat.Dense
		if err := qr.SolveTo(&b, false, d.Slice(0, n, c-1, c)); err != nil {
			t.Fatal(err)
		}
		e.Mul(d.Slice(0, n, 0, c-1), &b)
		e.Sub(d.Slice(0, n, c-1, c), &e)
		rss := math.Pow(mat.Norm(&e, 2), 2)
		if aic := float64(n)*math.Log(rss/float64(n)) + 2*float64(1+p); aic < least {
			best, least = p, aic
		}
	}
	a, err := FitAutoregression(y, most)
	if err != nil || a.Order != best {
		t.Errorf("order %d, want %d (%v)", a.Order, best, err)
	}
}

func TestAutoregressionEdges(t *testing.T) {
	if _, err := FitAutoregression(mat.NewDense(2, 1, nil), 3); err == nil {
		t.Error("two rows are no series")
	}
	if _, err := FitAutoregression(mat.NewDense(4, 1, []float64{1, 2, math.NaN(), 3}), 1); err == nil {
		t.Error("NaN taken")
	}
	a, err := FitAutoregression(mat.NewDense(9, 1, []float64{7, 7, 7, 7, 7, 7, 7, 7, 7}), 3)
	if err != nil {
		t.Fatal(err)
	}
	f := mat.NewDense(2, 1, nil)
	if a.Forecast(f, mat.NewDense(1, 1, []float64{7}), 0); math.Abs(f.At(1, 0)-7) > 1e-12 {
		t.Errorf("constant series: %v", f)
	}
}

// TestAutoregressionUnits: in units in which values are 1e-60 or 1e60, and in several at once, an
// autoregression is the one of the usual units.
func TestAutoregressionUnits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 6))
	y := mat.NewDense(200, 2, nil)
	for i := 1; i < 200; i++ {
		a := y.RawRowView(i - 1)
		y.SetRow(i, []float64{0.1 + 0.7*a[0] - 0.3*a[1] + rnd.NormFloat64(), 0.5*a[1] + 0.2*a[0] + rnd.NormFloat64()})
	}
	want := mat.NewDense(3, 2, nil)
	a, err := FitAutoregression(y, 4)
	if err != nil {
		t.Fatal(err)
	}
	a.Forecast(want, y, 150)
	for _, exp := range [][2]int{{-200, -200}, {200, 200}, {-200, 0}, {40, -40}, {-300, 300}} {
		z := mat.NewDense(200, 2, nil)
		z.Apply(func(_, j int, v float64) float64 { return math.Ldexp(v, exp[j]) }, y)
		b, err := FitAutoregression(z, 4)
		if err != nil {
			t.Fatal(exp, err)
		}
		if b.Order != a.Order {
			t.Errorf("%v: order %d, not %d", exp, b.Order, a.Order)
		}
		got := mat.NewDense(3, 2, nil)
		b.Forecast(got, z, 150)
		for h := range 3 {
			for j := range 2 {
				if v := math.Ldexp(got.At(h, j), -exp[j]); math.Abs(v-want.At(h, j)) > 1e-12 {
					t.Errorf("%v: %d ahead series %d is %v, not %v", exp, h+1, j+1, v, want.At(h, j))
				}
			}
		}
	}
}
