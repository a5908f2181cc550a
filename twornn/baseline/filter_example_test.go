package baseline_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/baseline"
)

// Sales of forty quarters, with growth, a season and noise: the order and the form are
// chosen, and the next year forecast with its uncertainty.
func ExampleChooseARIMA() {
	rnd := rand.New(rand.NewPCG(1, 1))
	y := make([]float64, 40)
	for t := range y {
		y[t] = 100 + 2*float64(t) + []float64{-20, 5, 0, 15}[t%4] + 2*rnd.NormFloat64()
	}
	arima, err := baseline.ChooseARIMA(context.Background(), y, 4)
	if err != nil {
		panic(err)
	}
	ets, err := baseline.ChooseETS(context.Background(), y, 4)
	if err != nil {
		panic(err)
	}
	horizons := []int{1, 2, 3, 4}
	fmt.Printf("ARIMA%v, ETS(%v)\n", arima.Order, ets.Form)
	for _, m := range []baseline.Univariate{arima, ets} {
		var mean, variance mat.Dense
		baseline.ForecastsTo(&mean, &variance, m, y, horizons)
		for k, h := range horizons {
			fmt.Printf(" %d: %.0f ± %.1f", h, mean.At(39, k), math.Sqrt(variance.At(39, k)))
		}
		fmt.Println()
	}
	// Output:
	// ARIMA(0,0,0)(0,1,1)4 const, ETS(A,A,A)
	//  1: 160 ± 2.2 2: 188 ± 2.2 3: 184 ± 2.2 4: 202 ± 2.2
	//  1: 160 ± 2.1 2: 188 ± 2.1 3: 184 ± 2.1 4: 202 ± 2.1
}

// A heater that is switched on below 18 degrees and off from 22 on: whether a room of 20
// degrees grows warmer or colder depends on how it came there, which is a state.
func ExampleFitAutomaton() {
	rnd := rand.New(rand.NewPCG(1, 2))
	y := make([]float64, 400)
	degrees, slope := 20.0, 1.0
	for t := range y {
		degrees += slope + 0.2*rnd.NormFloat64()
		if degrees < 18 {
			slope = 1
		} else if degrees >= 22 {
			slope = -1
		}
		y[t] = degrees
	}
	a, err := baseline.FitAutomaton(context.Background(), y, baseline.Automaton{})
	if err != nil {
		panic(err)
	}
	fmt.Println(a)
	f := a.Filter()
	next := make([]float64, 1)
	for _, path := range [][]float64{{17, 18, 19, 20}, {23, 22, 21, 20}} {
		for _, v := range path {
			f.Update(v)
		}
		f.Forecast(next, nil, []int{1})
		fmt.Printf("after %v: %.1f\n", path, next[0])
	}
	// Output:
	// regression automaton of 8 states and 40 guards with lines, windows of 8 rows, penalty 6
	// after [17 18 19 20]: 20.5
	// after [23 22 21 20]: 19.1
}
