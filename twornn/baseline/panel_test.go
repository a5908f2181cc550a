package baseline

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// panelSeries is a series of one column of the shared panel.
type panelSeries struct {
	Name     string
	Targets  []string
	Train    int
	Season   int
	Horizons []int

	y       []float64
	rmse    map[string]map[int]float64 // of the folder's methods, by horizon
	choices map[string]string          // their orders and forms
}

// readPanel reads the series of one column. It skips the test where there are none.
func readPanel(t testing.TB) (list []panelSeries) {
	folder := filepath.Join("..", "..", "..", "shared", "data", "panel")
	b, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
	if err != nil {
		t.Skip("the panel of series is not here")
	}
	var all []panelSeries
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	results, choices := readTable(t, folder, "results"), readTable(t, folder, "choices")
	for _, s := range all {
		rows := readTable(t, folder, s.Name)
		if len(rows[0]) != 2 { // time and one column
			continue
		}
		for _, r := range rows[1:] {
			s.y = append(s.y, number(t, r[1]))
		}
		s.rmse, s.choices = map[string]map[int]float64{"arima": {}, "ets": {}}, map[string]string{}
		for _, r := range results[1:] { // series, horizon, method, relRMSE, RMSE
			if at := s.rmse[r[2]]; r[0] == s.Name && at != nil {
				at[int(number(t, r[1]))] = number(t, r[4])
			}
		}
		for _, r := range choices[1:] { // series, horizon, method, choice
			if r[0] == s.Name {
				s.choices[r[2]] = r[3]
			}
		}
		list = append(list, s)
	}
	return list
}

func readTable(t testing.TB, folder, name string) [][]string {
	f, err := os.Open(filepath.Join(folder, name+".csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

func number(t testing.TB, s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
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

// TestOnPanel: by the same rules the choice is that of statsmodels, and the errors on
// the test rows within 1 % of its. Both are maxima of the same likelihoods.
func TestOnPanel(t *testing.T) {
	ctx := context.Background()
	for _, s := range readPanel(t) {
		arima, err := ChooseARIMA(ctx, s.y[:s.Train], s.Season)
		if err != nil {
			t.Fatal(s.Name, err)
		}
		ets, err := ChooseETS(ctx, s.y[:s.Train], s.Season)
		if err != nil {
			t.Fatal(s.Name, err)
		}
		for _, c := range []struct {
			method, choice string
			m              Univariate
		}{{"arima", arima.Order.String(), arima}, {"ets", ets.Form.String(), ets}} {
			if c.choice != s.choices[c.method] {
				t.Errorf("%s: chose %v, statsmodels %s", s.Name, c.m, s.choices[c.method])
			}
			for k, got := range rollingRMSE(c.m, s.y, s.Train, s.Horizons) {
				h := s.Horizons[k]
				want := s.rmse[c.method][h]
				t.Logf("%s, %s %s, h=%d: RMSE %.6g, statsmodels %.6g (%+.2f %%)", s.Name, c.method, c.choice, h, got, want, 100*(got/want-1))
				if !(math.Abs(got/want-1) <= 0.01) {
					t.Errorf("%s, %v, h=%d: RMSE %.5g, statsmodels %.5g", s.Name, c.m, h, got, want)
				}
			}
		}
	}
}
