package forecast_test

import (
	"context"
	"fmt"
	"math"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn/forecast"
)

// tides returns two columns of n rows: a wave of twelve rows on a slow one, and a known
// input that it follows.
func tides(n int) *datasets.Series {
	level, gate := make([]float64, n), make([]float64, n)
	for t := range n {
		gate[t] = float64(t * t % 7 % 3)
		level[t] = 5 + math.Sin(2*math.Pi*float64(t)/12) + math.Sin(float64(t)/31) + 0.5*gate[t]
	}
	return datasets.FromColumns([]string{"level", "gate"}, level, gate)
}

func ExampleBacktest() {
	o := forecast.Options{Horizons: []int{1, 6}, Known: []string{"gate"}, Seasons: []int{12}}
	table, err := forecast.Backtest(context.Background(), tides(100), 80,
		[]forecast.Method{forecast.Persistence{}, forecast.Seasonal{}, forecast.TwoRNN{}}, o)
	if err != nil {
		panic(err)
	}
	for _, r := range table.Rows {
		fmt.Printf("%-11s %d ahead: RMSE %.2f\n", r.Method, r.Horizon, r.RMSE)
	}
	// Output:
	// persistence 1 ahead: RMSE 0.50
	// persistence 6 ahead: RMSE 1.50
	// seasonal    1 ahead: RMSE 0.57
	// seasonal    6 ahead: RMSE 0.57
	// 2-RNN       1 ahead: RMSE 0.00
	// 2-RNN       6 ahead: RMSE 0.00
}

func ExampleTwoRNN() {
	s := tides(100)
	f, err := forecast.TwoRNN{}.Learn(context.Background(), s.Rows(0, 80), forecast.Options{Targets: []string{"level"}, Seasons: []int{12}})
	if err != nil {
		panic(err)
	}
	// The rows that came since need no new fit.
	next, err := f.Forecast(nil, s, 99)
	if err != nil {
		panic(err)
	}
	low, high, err := f.Interval(s, 99, 0.9)
	if err != nil {
		panic(err)
	}
	fmt.Println(low.At(0, 0) <= next.At(0, 0), next.At(0, 0) <= high.At(0, 0))
	// Output: true true
}
