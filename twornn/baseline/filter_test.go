package baseline

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// engines fit each kind of Univariate with nothing chosen beforehand.
var engines = map[string]func(y []float64, season int, horizons []int) (Univariate, error){
	"arima": func(y []float64, season int, _ []int) (Univariate, error) {
		return ChooseARIMA(context.Background(), y, season)
	},
	"ets": func(y []float64, season int, _ []int) (Univariate, error) {
		return ChooseETS(context.Background(), y, season)
	},
	"automaton": func(y []float64, _ int, horizons []int) (Univariate, error) {
		return FitAutomaton(context.Background(), y, Automaton{Horizons: horizons})
	},
}

// odd are series that analysts have, and that are no textbook's.
func odd(n int) map[string][]float64 {
	rnd := rand.New(rand.NewPCG(8, 1))
	make := func(f func(t int) float64) []float64 {
		y := make([]float64, n)
		for t := range y {
			y[t] = f(t)
		}
		return y
	}
	walk := 0.0
	return map[string][]float64{
		"zeros":        make(func(int) float64 { return 0 }),
		"constant":     make(func(int) float64 { return -1e6 }),
		"line":         make(func(t int) float64 { return 0.1 * float64(t) }),
		"parabola":     make(func(t int) float64 { return float64(t * t) }),
		"season":       make(func(t int) float64 { return float64(t % 4) }),
		"sine":         make(func(t int) float64 { return math.Sin(0.7 * float64(t)) }),
		"alternating":  make(func(t int) float64 { return float64(1 - 2*(t%2)) }),
		"exponential":  make(func(t int) float64 { return math.Exp(0.1 * float64(t)) }),
		"spike":        make(func(t int) float64 { return map[bool]float64{t == n/2: 1e9}[true] }),
		"step":         make(func(t int) float64 { return float64(2 * t / n) }),
		"rare":         make(func(t int) float64 { return math.Floor(rnd.Float64() * 1.1) }),
		"walk":         make(func(int) float64 { walk += rnd.NormFloat64(); return walk }),
		"offset":       make(func(int) float64 { return 1e9 + rnd.NormFloat64() }),
		"tiny":         make(func(int) float64 { return 1e-140 * rnd.NormFloat64() }),
		"huge":         make(func(int) float64 { return 1e100 * rnd.NormFloat64() }),
		"heavy":        make(func(int) float64 { return math.Tan(1.57 * (2*rnd.Float64() - 1)) }),
		"last differs": make(func(t int) float64 { return map[bool]float64{t == n-1: 1}[true] }),
	}
}

// TestOddSeries: each engine fits each odd series or says why not, and then every forecast
// is a number with a variance that is one, or infinite before the start.
func TestOddSeries(t *testing.T) {
	horizons := []int{1, 4, 7}
	for name, y := range odd(80) {
		for engine, fit := range engines {
			m, err := fit(y[:70], 4, horizons)
			if err != nil {
				t.Errorf("%s, %s: %v", name, engine, err)
				continue
			}
			var mean, variance mat.Dense
			ForecastsTo(&mean, &variance, m, y, horizons)
			for i, v := range mean.RawMatrix().Data {
				if s := variance.RawMatrix().Data[i]; math.IsNaN(v) || math.IsInf(v, 0) || !(s >= 0) {
					t.Errorf("%s, %v: forecast %d is %v, its variance %v", name, m, i, v, s)
					break
				}
			}
		}
	}
}

// TestShortSeries: from no row on, a fit or an error, never a panic.
func TestShortSeries(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 2))
	y := make([]float64, 40)
	for i := range y {
		y[i] = 5 + rnd.NormFloat64()
	}
	for _, n := range []int{0, 1, 2, 3, 5, 8, 11, 13, 16, 20, 25, 40} {
		for name, fit := range engines {
			if _, err := fit(y[:n], 4, []int{1}); err != nil && n == len(y) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// TestEnginesAreDeterministic: the same bits whatever GOMAXPROCS.
func TestEnginesAreDeterministic(t *testing.T) {
	y, _ := trigger(300, 3)
	horizons := []int{1, 3}
	for name, fit := range engines {
		var all [2]mat.Dense
		for i := range all {
			old := runtime.GOMAXPROCS(1 + i)
			m, err := fit(y, 4, horizons)
			runtime.GOMAXPROCS(old)
			if err != nil {
				t.Fatal(name, err)
			}
			ForecastsTo(&all[i], nil, m, y, horizons)
		}
		if !mat.Equal(&all[0], &all[1]) {
			t.Errorf("%s: two fits differ", name)
		}
	}
}

// TestForecastPanics: wrong shapes and horizons.
func TestForecastPanics(t *testing.T) {
	m := anETS(Form{})
	for name, f := range map[string]func(){
		"no horizon":   func() { ForecastsTo(new(mat.Dense), nil, m, []float64{1}, nil) },
		"horizon 0":    func() { m.Filter().Forecast(make([]float64, 1), nil, []int{0}) },
		"mean":         func() { m.Filter().Forecast(make([]float64, 2), nil, []int{1}) },
		"variance":     func() { m.Filter().Forecast(make([]float64, 1), make([]float64, 2), []int{1}) },
		"dst":          func() { ForecastsTo(mat.NewDense(2, 1, nil), nil, m, []float64{1}, []int{1}) },
		"no fit":       func() { (&ETS{Form: Form{Season: AdditiveSeason, Period: 3}}).Filter() },
		"a unit root":  func() { (&ARIMA{Order: Order{P: 1}, AR: []float64{1}}).Filter() },
		"a wrong form": func() { (&ETS{}).Filter() },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}
