package baseline

import (
	"bytes"
	"context"
	"encoding/gob"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// simulate returns n rows of m, after as many as its differences look back.
func simulate(m *ARIMA, n int, rnd *rand.Rand) []float64 {
	a, b := m.arma()
	psi := impulses(a, b, 300)
	delta := differences(m.D, m.SD, max(m.Season, 1))
	e := make([]float64, n+300)
	for i := range e {
		e[i] = rnd.NormFloat64() * math.Sqrt(m.Sigma2)
	}
	y := make([]float64, 0, n)
	for t := range n {
		v := m.Mean
		for k, p := range psi {
			v += p * e[t+300-k]
		}
		for k, d := range delta {
			if t-1-k >= 0 {
				v += d * y[t-1-k]
			}
		}
		y = append(y, v)
	}
	return y
}

// TestARIMARecovers: the coefficients of long simulated runs come back within four of
// their standard errors, √((1−φ²)/n) of one coefficient alone, and (1−φ²)(1+φθ)²/(n(φ+θ)²)
// squared of φ in an ARMA(1, 1).
func TestARIMARecovers(t *testing.T) {
	const n = 4000
	for _, c := range []struct {
		m  ARIMA
		se []float64
	}{
		{ARIMA{Order: Order{P: 1, Constant: true}, AR: []float64{0.7}, Mean: 5, Sigma2: 4}, []float64{math.Sqrt(0.51 / n)}},
		{ARIMA{Order: Order{D: 1, Q: 1}, MA: []float64{-0.5}, Sigma2: 1}, []float64{math.Sqrt(0.75 / n)}},
		{ARIMA{Order: Order{P: 1, Q: 1}, AR: []float64{0.8}, MA: []float64{0.4}, Sigma2: 1},
			[]float64{math.Sqrt(0.36/n) * 1.32 / 1.2, math.Sqrt(0.84/n) * 1.32 / 1.2}},
		{ARIMA{Order: Order{Q: 1, SD: 1, SQ: 1, Season: 12}, MA: []float64{-0.4}, SMA: []float64{-0.6}, Sigma2: 1},
			[]float64{math.Sqrt(0.84 / n), math.Sqrt(0.64 / n)}},
	} {
		y := simulate(&c.m, n, rand.New(rand.NewPCG(4, 3)))
		got, err := FitARIMA(context.Background(), y, c.m.Order)
		if err != nil {
			t.Fatal(err)
		}
		g := append(append(append(append([]float64{}, got.AR...), got.MA...), got.SAR...), got.SMA...)
		w := append(append(append(append([]float64{}, c.m.AR...), c.m.MA...), c.m.SAR...), c.m.SMA...)
		for i, se := range c.se {
			if math.Abs(g[i]-w[i]) > 4*se {
				t.Errorf("%v: coefficient %d is %v, made with %v ± %v", c.m.Order, i, g[i], w[i], se)
			}
		}
		if se := c.m.Sigma2 * math.Sqrt(2./n); math.Abs(got.Sigma2-c.m.Sigma2) > 4*se {
			t.Errorf("%v: σ² %v, made with %v ± %v", c.m.Order, got.Sigma2, c.m.Sigma2, se)
		}
		if c.m.Constant {
			if se := math.Sqrt(c.m.Sigma2/n) / 0.3; math.Abs(got.Mean-c.m.Mean) > 4*se {
				t.Errorf("mean %v, made with %v ± %v", got.Mean, c.m.Mean, se)
			}
		}
	}
}

// TestARIMAForecastsAgainstDense: forecasts of a stationary ARMA are the conditional
// means of its joint normal distribution, and the variances those of the errors once the
// filter has settled, here to 1e-6.
func TestARIMAForecastsAgainstDense(t *testing.T) {
	const n, most = 60, 7
	rnd := rand.New(rand.NewPCG(4, 4))
	horizons := []int{1, 3, most}
	for _, m := range armas {
		m.Sigma2, m.Mean = 2, 1.5
		y := make([]float64, n)
		for i := range y {
			y[i] = rnd.NormFloat64()
		}
		c := covariance(&m, n+most)
		var chol mat.Cholesky
		chol.Factorize(c.SliceSym(0, n).(*mat.SymDense))
		z := mat.NewVecDense(n, nil)
		for i, v := range y {
			z.SetVec(i, v-m.Mean)
		}
		if err := chol.SolveVecTo(z, z); err != nil {
			t.Fatal(err)
		}
		var mean, variance mat.Dense
		ForecastsTo(&mean, &variance, &m, y, horizons)
		for k, h := range horizons {
			cross := mat.NewVecDense(n, nil)
			for i := range n {
				cross.SetVec(i, c.At(n-1+h, i))
			}
			want := m.Mean + mat.Dot(cross, z)
			if got := mean.At(n-1, k); math.Abs(got-want) > 1e-9 {
				t.Errorf("%v, h=%d: forecast %v, dense %v", m.Order, h, got, want)
			}
			if err := chol.SolveVecTo(z, cross); err != nil {
				t.Fatal(err)
			}
			wantVar := 2 * (c.At(0, 0) - mat.Dot(cross, z))
			for i, v := range y { // z was used up
				z.SetVec(i, v-m.Mean)
			}
			_ = chol.SolveVecTo(z, z)
			// (−0.8) every sixth row settles like 0.8^(2·10), or 1e-2, in 60 rows.
			tol := 1e-6
			if m.SQ > 0 {
				tol = 0.03
			}
			if got := variance.At(n-1, k); math.Abs(got-wantVar) > tol {
				t.Errorf("%v, h=%d: variance %v, dense %v", m.Order, h, got, wantVar)
			}
		}
	}
}

// TestARIMALevels: differences are undone. A random walk persists, with variance h σ²;
// with a drift it goes on by it; a seasonal one repeats the season; and d = 2 goes on
// along a line.
func TestARIMALevels(t *testing.T) {
	y := []float64{3, 1, 4, 1, 5, 9, 2, 6}
	horizons := []int{1, 2, 5}
	for _, c := range []struct {
		m    ARIMA
		want []float64
	}{
		{ARIMA{Order: Order{D: 1}, Sigma2: 2}, []float64{6, 6, 6}},
		{ARIMA{Order: Order{D: 1, Constant: true}, Mean: 0.5}, []float64{6.5, 7, 8.5}},
		{ARIMA{Order: Order{SD: 1, Season: 4}}, []float64{5, 9, 5}},
		{ARIMA{Order: Order{D: 1, SD: 1, Season: 4}}, []float64{10, 14, 15}},
		{ARIMA{Order: Order{D: 2}}, []float64{10, 14, 26}},
	} {
		var mean, variance mat.Dense
		ForecastsTo(&mean, &variance, &c.m, y, horizons)
		if got := mean.RawRowView(len(y) - 1); !near(got, c.want, 1e-12) {
			t.Errorf("%v: %v, want %v", c.m.Order, got, c.want)
		}
		if c.m.Sigma2 > 0 && !near(variance.RawRowView(7), []float64{2, 4, 10}, 1e-12) {
			t.Error("variances of a random walk", variance.RawRowView(7))
		}
	}
}

// TestFilterLooksBackOnly: forecasts after row t are the same whatever comes later, and a
// row that nobody measured leaves numbers.
func TestFilterLooksBackOnly(t *testing.T) {
	y := simulate(&ARIMA{Order: Order{P: 1, D: 1, SD: 1, Season: 4}, AR: []float64{0.5}, Sigma2: 1}, 80, rand.New(rand.NewPCG(4, 5)))
	m, err := ChooseARIMA(context.Background(), y[:60], 4)
	if err != nil {
		t.Fatal(err)
	}
	horizons := []int{1, 6}
	var whole, part mat.Dense
	ForecastsTo(&whole, nil, m, y, horizons)
	ForecastsTo(&part, nil, m, y[:70], horizons)
	if !mat.Equal(whole.Slice(0, 70, 0, 2), &part) {
		t.Error("later rows change forecasts")
	}
	y[0], y[30], y[79] = math.NaN(), math.NaN(), math.NaN()
	ForecastsTo(&whole, nil, m, y, horizons)
	for _, v := range whole.RawMatrix().Data {
		if math.IsNaN(v) {
			t.Fatal("a NaN is passed on")
		}
	}
}

// TestKPSS by hand: 1, 2, 3, 4 have partial sums −1.5, −2, −1.5, 0 of their deviations,
// and with one lag of weight ½ a long-run variance of (5 + 1.25)/4: η = 8.5/(16·25/16).
func TestKPSS(t *testing.T) {
	if got, err := KPSS([]float64{1, 2, 3, 4}); err != nil || math.Abs(got-0.34) > 1e-15 {
		t.Errorf("%v, want 0.34", got)
	}
	rnd := rand.New(rand.NewPCG(4, 6))
	noise, walk := make([]float64, 500), make([]float64, 500)
	for i := range noise {
		noise[i] = rnd.NormFloat64()
		walk[i] = walk[max(i-1, 0)] + noise[i]
	}
	if a, b := kpss(noise), kpss(walk); !(a < kpssLevel && b > kpssLevel) {
		t.Errorf("noise %v, random walk %v, level %v", a, b, kpssLevel)
	}
	if kpss(nil) != 0 || kpss([]float64{2, 2, 2}) != 0 {
		t.Error("a constant is not stationary")
	}
	if _, err := KPSS([]float64{1, math.NaN(), 3}); err == nil || !strings.Contains(err.Error(), "row 1 is NaN") {
		t.Errorf("of a missing value: %v", err)
	}
}

func TestARIMAErrors(t *testing.T) {
	ramp := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	for _, c := range []struct {
		y    []float64
		o    Order
		want string
	}{
		{ramp, Order{P: -1}, "negative order"},
		{ramp, Order{SQ: 1}, "season of 0"},
		{ramp, Order{P: 9, Q: 9}, "needs 21 rows, got 12"},
		{ramp, Order{SD: 2, Season: 900}, "more than 1000 rows"},
		{[]float64{1, math.NaN()}, Order{}, "row 1 is NaN"},
		{[]float64{1, math.Inf(1)}, Order{}, "row 1 is +Inf"},
		{[]float64{1e160, 1}, Order{}, "overflows"},
		{[]float64{1e-160, 0, -1e-160, 0}, Order{}, "too small to work with"},
		{[]float64{1e-140, 1e-140 + 1e-154, 1e-140, 1e-140}, Order{}, "too small to work with"},
		{nil, Order{}, "needs 3 rows, got 0"},
	} {
		if _, err := FitARIMA(context.Background(), c.y, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %q", c.o, err, c.want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ChooseARIMA(ctx, simulate(&armas[0], 50, rand.New(rand.NewPCG(1, 1))), 0); err == nil {
		t.Error("a context that is done goes unseen")
	}
	if _, err := ChooseARIMA(context.Background(), ramp, -1); err == nil {
		t.Error("a negative season passes")
	}
	m, err := ChooseARIMA(context.Background(), ramp, 0) // exact: a line
	if err != nil {
		t.Fatal(err)
	}
	if got := rollingRMSE(m, ramp, 2, []int{1, 4}); !near(got, []float64{0, 0}, 1e-12) {
		t.Errorf("%v: errors %v on a line", m, got)
	}
}

// TestARIMAScale: a model of c y is that of y in other units, and gob keeps it.
func TestARIMAScale(t *testing.T) {
	y := simulate(&ARIMA{Order: Order{P: 1, Q: 1, Constant: true}, AR: []float64{0.6}, MA: []float64{0.3}, Mean: 10, Sigma2: 1}, 200, rand.New(rand.NewPCG(4, 7)))
	small := make([]float64, len(y))
	for i, v := range y {
		small[i] = math.Ldexp(v, -480) // of smaller ones squares, and so variances, underflow
	}
	o := Order{P: 1, Q: 1, Constant: true}
	a, err := FitARIMA(context.Background(), y, o)
	if err != nil {
		t.Fatal(err)
	}
	b, err := FitARIMA(context.Background(), small, o)
	if err != nil {
		t.Fatal(err)
	}
	if !near(a.AR, b.AR, 0) || !near(a.MA, b.MA, 0) || math.Ldexp(b.Mean, 480) != a.Mean {
		t.Errorf("%v %v and %v %v", a.AR, a.Mean, b.AR, b.Mean)
	}
	var buf bytes.Buffer
	var back ARIMA
	if err := gob.NewEncoder(&buf).Encode(a); err != nil {
		t.Fatal(err)
	}
	if err := gob.NewDecoder(&buf).Decode(&back); err != nil || !reflect.DeepEqual(*a, back) && back.AR == nil {
		t.Errorf("gob keeps %v as %v: %v", a, &back, err)
	}
}
