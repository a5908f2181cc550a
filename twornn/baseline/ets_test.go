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

// forms are all nine, with a season of three.
func forms() (all []Form) {
	for _, s := range []Seasonality{NoSeason, AdditiveSeason, MultiplicativeSeason} {
		for _, trend := range []Trend{NoTrend, AdditiveTrend, DampedTrend} {
			f := Form{Trend: trend, Season: s}
			if s != NoSeason {
				f.Period = 3
			}
			all = append(all, f)
		}
	}
	return all
}

// anETS returns a model of the form with a level of 10.
func anETS(f Form) *ETS {
	m := &ETS{Form: f, Alpha: 0.5, Phi: 1, Level: 10, Seasonal: make([]float64, f.period()), Sigma2: 0.3}
	if f.Trend != NoTrend {
		m.Slope, m.Beta = 0.2, 0.1
	}
	if f.Trend == DampedTrend {
		m.Phi = 0.9
	}
	switch f.Season {
	case AdditiveSeason:
		m.Seasonal, m.Gamma = []float64{-1, 0.4, 0.6}, 0.2
	case MultiplicativeSeason:
		m.Seasonal, m.Gamma = []float64{0.8, 1.1, 1.1}, 0.2
	}
	return m
}

// TestETSWrittenOut follows three models by hand.
func TestETSWrittenOut(t *testing.T) {
	for _, c := range []struct {
		m    *ETS
		y    []float64
		want []float64 // 1, 2 and 4 rows ahead
	}{
		// α ½: 10, 11, 11.5.
		{anETS(Form{}), []float64{12, 12}, []float64{11.5, 11.5, 11.5}},
		// L 10.2, ε 1: l 10.7, b 0.3. L 11, ε −1: l 10.5, b 0.2.
		{anETS(Form{Trend: AdditiveTrend}), []float64{11.2, 10}, []float64{10.7, 10.9, 11.3}},
		// 10·0.8 = 8, ε 1.6: l 10 + 0.8/0.8 = 11, s₁ 0.8 + 0.32/10 = 0.832.
		// 11·1.1 = 12.1, ε 2.2: l 11 + 1.1/1.1 = 12, s₂ 1.1 + 0.44/11 = 1.14.
		{anETS(Form{Season: MultiplicativeSeason, Period: 3}), []float64{9.6, 14.3}, []float64{13.2, 12 * 0.832, 13.2}},
	} {
		var got mat.Dense
		ForecastsTo(&got, nil, c.m, c.y, []int{1, 2, 4})
		if row := got.RawRowView(len(c.y) - 1); !near(row, c.want, 1e-12) {
			t.Errorf("%v: %v, by hand %v", c.m, row, c.want)
		}
	}
}

// TestETSIsARIMA: simple smoothing forecasts as an ARIMA(0, 1, 1) with θ = α − 1, and
// Holt's as an ARIMA(0, 2, 2), once the start is forgotten, with the same variances.
func TestETSIsARIMA(t *testing.T) {
	y := make([]float64, 400)
	rnd := rand.New(rand.NewPCG(5, 1))
	for i := range y {
		y[i] = rnd.NormFloat64()
	}
	simple, holt := anETS(Form{}), anETS(Form{Trend: AdditiveTrend})
	for _, c := range []struct {
		ets   *ETS
		arima *ARIMA
	}{
		{simple, &ARIMA{Order: Order{D: 1, Q: 1}, MA: []float64{-0.5}, Sigma2: 0.3}},
		{holt, &ARIMA{Order: Order{D: 2, Q: 2}, MA: []float64{0.5 + 0.1 - 2, 0.5}, Sigma2: 0.3}},
	} {
		horizons := []int{1, 2, 9}
		var a, av, b, bv mat.Dense
		ForecastsTo(&a, &av, c.ets, y, horizons)
		ForecastsTo(&b, &bv, c.arima, y, horizons)
		last := len(y) - 1
		if !near(a.RawRowView(last), b.RawRowView(last), 1e-9) {
			t.Errorf("%v: %v, ARIMA %v", c.ets, a.RawRowView(last), b.RawRowView(last))
		}
		if !near(av.RawRowView(last), bv.RawRowView(last), 1e-9) {
			t.Errorf("%v: variances %v, ARIMA %v", c.ets, av.RawRowView(last), bv.RawRowView(last))
		}
	}
}

// TestETSVariance: the variance is that of the sum of each later error times what it
// does to the forecast, found by giving the filter a row a little off. The step of 1e-6
// errs by 1e-6 where the season multiplies, and by roundings of 1e-9 elsewhere.
func TestETSVariance(t *testing.T) {
	const h, step = 8, 1e-6
	for _, form := range forms() {
		m := anETS(form)
		want := 1.0
		for j := 1; j < h; j++ {
			var mean [2][1]float64
			for k := range mean {
				f := m.Filter()
				for i := range h - j {
					var next [1]float64
					f.Forecast(next[:], nil, []int{1})
					if i == h-j-1 {
						next[0] += step * float64(k)
					}
					f.Update(next[0])
				}
				f.Forecast(mean[k][:], nil, []int{j})
			}
			c := (mean[1][0] - mean[0][0]) / step
			want += c * c
		}
		var mean, variance [1]float64
		m.Filter().Forecast(mean[:], variance[:], []int{h})
		if math.Abs(variance[0]-want*m.Sigma2) > 1e-5 {
			t.Errorf("%v: variance %v, by steps %v", form, variance[0], want*m.Sigma2)
		}
	}
}

// TestETSGradient: the way back over the rows gives central differences, for all forms,
// and forward the errors that the filter makes.
func TestETSGradient(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 2))
	for _, form := range forms() {
		y := make([]float64, 20)
		for i := range y {
			y[i] = 10 + rnd.NormFloat64()
		}
		l := newETSLoss(form, y, anETS(form), 0.3)
		x := make([]float64, form.Parameters()-1)
		for i := range x {
			x[i] = 0.5 * rnd.NormFloat64()
		}
		got, want := make([]float64, len(x)), make([]float64, len(x))
		at := l.loss(got, x)
		if !near([]float64{math.Log(meanSquare(&l.m, y)) / 2}, []float64{at}, 1e-12) {
			t.Errorf("%v: loss %v, of the filter's errors %v", form, at, math.Log(meanSquare(&l.m, y))/2)
		}
		central(want, x, func(x []float64) float64 { return l.loss(nil, x) })
		if !near(got, want, 1e-8) {
			t.Errorf("%v: gradient %v, by differences %v", form, got, want)
		}
	}
}

// meanSquare returns the mean of the squared errors of one row ahead.
func meanSquare(m Univariate, y []float64) (sum float64) {
	f := m.Filter()
	var mean [1]float64
	for _, v := range y {
		f.Forecast(mean[:], nil, []int{1})
		f.Update(v)
		sum += (v - mean[0]) * (v - mean[0])
	}
	return sum / float64(len(y))
}

// TestETSRecovers: the form and the weights of a simulated run come back. 0.05 is some
// three standard errors of α, √(α(2−α)/n) for simple smoothing.
func TestETSRecovers(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 3))
	for _, form := range []Form{{}, {AdditiveTrend, AdditiveSeason, 3}, {NoTrend, MultiplicativeSeason, 3}} {
		m := anETS(form)
		m.Level, m.Sigma2 = 200, 1
		y := make([]float64, 2000)
		f := m.Filter()
		var mean [1]float64
		for i := range y {
			f.Forecast(mean[:], nil, []int{1})
			y[i] = mean[0] + rnd.NormFloat64()
			f.Update(y[i])
		}
		got, err := ChooseETS(context.Background(), y, form.Period)
		if err != nil {
			t.Fatal(err)
		}
		if got.Form != form {
			t.Errorf("%v: chose %v", form, got)
		}
		if !near([]float64{got.Alpha, got.Beta, got.Gamma}, []float64{m.Alpha, m.Beta, m.Gamma}, 0.06) {
			t.Errorf("%v: %v, made with α %v, β %v, γ %v", form, got, m.Alpha, m.Beta, m.Gamma)
		}
		if math.Abs(got.Sigma2-1) > 4*math.Sqrt(2./2000) {
			t.Errorf("%v: σ² %v, made with 1", form, got.Sigma2)
		}
	}
}

// TestETSLine: a line is forecast exactly, a constant too, and rows that nobody measured
// leave numbers.
func TestETSLine(t *testing.T) {
	for _, step := range []float64{0, 1} {
		y := make([]float64, 40)
		for i := range y {
			y[i] = 3 + step*float64(i)
		}
		m, err := ChooseETS(context.Background(), y[:30], 4)
		if err != nil {
			t.Fatal(err)
		}
		if got := rollingRMSE(m, y, 30, []int{1, 5}); !near(got, []float64{0, 0}, 1e-6) {
			t.Errorf("%v: errors %v on a line", m, got)
		}
		y[3] = math.NaN()
		if got := rollingRMSE(m, y, 30, []int{1}); math.IsNaN(got[0]) {
			t.Error("a NaN is passed on")
		}
	}
}

func TestETSErrors(t *testing.T) {
	ramp := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 0}
	for _, c := range []struct {
		y    []float64
		f    Form
		want string
	}{
		{ramp, Form{Trend: 7}, "knows no Form(7,0)"},
		{ramp, Form{Season: AdditiveSeason, Period: 1}, "season of 1 rows"},
		{ramp, Form{Season: AdditiveSeason, Period: 8}, "needs 16 rows, got 12"},
		{ramp, Form{Season: MultiplicativeSeason, Period: 4}, "row 11 is 0"},
		{[]float64{1, math.NaN()}, Form{}, "row 1 is NaN"},
		{nil, Form{}, "needs 5 rows, got 0"},
	} {
		if _, err := FitETS(context.Background(), c.y, c.f); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: error %v, want %q", c.f, err, c.want)
		}
	}
	if _, err := ChooseETS(context.Background(), nil, 0); err == nil {
		t.Error("no rows are fitted")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := ChooseETS(ctx, ramp, 0); err == nil {
		t.Error("a context that is done goes unseen")
	}
}

func TestETSGob(t *testing.T) {
	m := anETS(Form{DampedTrend, AdditiveSeason, 3})
	var buf bytes.Buffer
	var back ETS
	if err := gob.NewEncoder(&buf).Encode(m); err != nil {
		t.Fatal(err)
	}
	if err := gob.NewDecoder(&buf).Decode(&back); err != nil || !reflect.DeepEqual(*m, back) {
		t.Errorf("gob keeps %v as %v: %v", m, &back, err)
	}
}
