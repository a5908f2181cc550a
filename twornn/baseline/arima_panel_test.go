package baseline

import (
	"bufio"
	"context"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// panel is a series of the shared folder of one column, and what statsmodels chose.
type panelSeries struct {
	name     string
	train    int
	season   int
	horizons []int
	order    Order
	arima    []float64 // RMSE of its ARIMA at each horizon, from results.csv
}

// The orders are those of choices.csv and the RMSE those of results.csv, which
// statsmodels' SARIMAX made.
var panelSeriesOfOne = []panelSeries{
	{"lynx", 91, 0, []int{1, 3, 10}, Order{P: 3, Q: 2, Constant: true}, []float64{0.231205, 0.428076, 0.469357}},
	{"cement", 186, 4, []int{1, 2, 4}, Order{P: 2, Q: 2, SD: 1, SQ: 1, Season: 4, Constant: true}, []float64{0.119365, 0.138981, 0.165023}},
	{"sunspots", 2648, 0, []int{1, 6, 12}, Order{P: 3, Q: 2, Constant: true}, []float64{22.2629, 29.9732, 36.7095}},
	{"walkers", 1580, 7, []int{1, 3, 7}, Order{P: 1, Q: 2, SP: 1, SD: 1, SQ: 1, Season: 7}, []float64{1013.64, 1135.74, 1234.92}},
	{"cafes", 340, 12, []int{1, 6, 12}, Order{P: 2, D: 1, Q: 1, SD: 1, SQ: 1, Season: 12}, []float64{0.0541658, 0.0982804, 0.115391}},
	{"mintemp", 2920, 0, []int{1, 3, 7}, Order{P: 3, Q: 1, Constant: true}, []float64{2.20572, 2.68441, 2.76524}},
}

// readPanel reads the last column of a file of the shared panel.
func readPanel(t testing.TB, name string) []float64 {
	f, err := os.Open(filepath.Join("..", "..", "..", "shared", "data", "panel", name+".csv"))
	if err != nil {
		t.Skip("the panel of series is not here")
	}
	defer f.Close()
	var y []float64
	for sc := bufio.NewScanner(f); sc.Scan(); {
		cells := strings.Split(sc.Text(), ",")
		v, err := strconv.ParseFloat(cells[len(cells)-1], 64)
		if err != nil {
			continue
		}
		y = append(y, v)
	}
	return y
}

// rollingRMSE returns the RMSE of m at each horizon over the rows from on.
func rollingRMSE(m Univariate, y []float64, from int, horizons []int) []float64 {
	sum := make([]float64, len(horizons))
	mean := make([]float64, len(horizons))
	f := m.Filter()
	for t, v := range y {
		f.Update(v)
		f.Forecast(mean, nil, horizons)
		for k, h := range horizons {
			if t+h >= from && t+h < len(y) {
				e := y[t+h] - mean[k]
				sum[k] += e * e
			}
		}
	}
	for k := range sum {
		sum[k] = math.Sqrt(sum[k] / float64(len(y)-from))
	}
	return sum
}

func TestARIMAOnPanel(t *testing.T) {
	for _, s := range panelSeriesOfOne {
		y := readPanel(t, s.name)
		m, err := FitARIMA(context.Background(), y[:s.train], s.order)
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
			continue
		}
		got := rollingRMSE(m, y, s.train, s.horizons)
		for k, want := range s.arima {
			t.Logf("%s h=%d: RMSE %.6g, statsmodels %.6g (%+.2f %%)", s.name, s.horizons[k], got[k], want, 100*(got[k]/want-1))
			if math.Abs(got[k]/want-1) > 0.01 {
				t.Errorf("%s, %v, h=%d: RMSE %.5g, statsmodels %.5g", s.name, m, s.horizons[k], got[k], want)
			}
		}
	}
}

// TestChooseARIMAOnPanel: the orders are those that statsmodels chose by the same rules.
func TestChooseARIMAOnPanel(t *testing.T) {
	for _, s := range panelSeriesOfOne {
		if testing.Short() && s.name == "walkers" {
			continue
		}
		m, err := ChooseARIMA(context.Background(), readPanel(t, s.name)[:s.train], s.season)
		if err != nil {
			t.Errorf("%s: %v", s.name, err)
		} else if m.Order != s.order {
			t.Errorf("%s: chose %v, statsmodels %v", s.name, m, s.order)
		}
	}
}
