package forecast

import (
	"context"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/twornn/spectral/datasets"
)

// TestRijnhaven forecasts five stretches of wind, one fit for all horizons each.
func TestRijnhaven(t *testing.T) {
	horizons := []int{1, 3, 6}
	sum := make([]float64, len(horizons))
	for c := range 5 {
		dir := fmt.Sprintf("%srijnhaven/case%d/", shared, c)
		train := readColumns(t, dir+"train.csv", []string{"wind_speed"})
		test := readColumns(t, dir+"test.csv", []string{"wind_speed"})
		a, _ := train.Column("wind_speed")
		b, _ := test.Column("wind_speed")
		s, from := datasets.FromColumns([]string{"wind_speed"}, append(a, b...)), len(a)
		if os.Getenv("PANEL") == "inner" {
			s, from = train, from*3/4
		}
		table, err := Backtest(context.Background(), s, from, []Method{Persistence{}, AR{}, TwoRNN{}}, Options{Horizons: horizons})
		if err != nil {
			t.Fatal(err)
		}
		for i, h := range horizons {
			j := table.find("2-RNN", "wind_speed", h)
			sum[i] += table.Rows[j].RMSE / 5
			rel := table.Relative("2-RNN", "persistence", h)
			t.Logf("case %d, h %d: RMSE %.4f, over persistence %.4f, AR %.4f", c, h, table.Rows[j].RMSE, rel, table.Relative("AR", "persistence", h))
			if rel > 1.03 {
				t.Errorf("case %d, h %d: %.4f of persistence", c, h, rel)
			}
		}
	}
	t.Logf("means %.4f", sum)
	if os.Getenv("PANEL") == "inner" {
		return
	}
	for i, most := range []float64{0.401, 0.639, 0.765} {
		if sum[i] > most {
			t.Errorf("h %d: RMSE %.4f, want at most %.3f", horizons[i], sum[i], most)
		}
	}
}

// TestWindTables has a row for each method at each of the paper's horizons, on the same
// rows; what repeats the last value errs as persistence does.
func TestWindTables(t *testing.T) {
	s := noisy(90, 7)
	table, err := WindTables(context.Background(), s, "b", 60)
	if err != nil {
		t.Fatal(err)
	}
	if len(table.Rows) != len(WindMethods())*3 {
		t.Fatalf("%d rows", len(table.Rows))
	}
	for _, r := range table.Rows {
		if r.N != 30 || math.IsNaN(r.RMSE) || math.IsNaN(r.MAPE) || math.IsNaN(r.MAE) {
			t.Errorf("%+v", r)
		}
	}
	if f := table.Frame(); f.Err != nil || f.Nrow() != len(table.Rows) {
		t.Errorf("%v", f)
	}
	if _, err := WindTables(context.Background(), s, "c", 60); err == nil {
		t.Error("no such column, no error")
	}
}

// TestIrishWind forecasts four stations one day ahead from all twelve.
func TestIrishWind(t *testing.T) {
	s := datasets.IrishWind()
	from := s.Len() * 5 / 6 // 1976 to 1978 are for the test
	if testing.Short() {
		t.Skip("a fit of twelve stations")
	}
	if os.Getenv("PANEL") == "inner" {
		s = s.Rows(0, from)
		from = s.Len() * 4 / 5
	}
	o := Options{Targets: []string{"RPT", "VAL", "DUB", "MAL"}, Seasons: []int{365}}
	table, err := Backtest(context.Background(), s, from, []Method{Mean{}, VAR{Most: 3}, TwoRNN{}}, o)
	if err != nil {
		t.Fatal(err)
	}
	r2 := map[string]float64{}
	for _, r := range table.Rows {
		base := table.Rows[table.find("mean", r.Target, 1)].RMSE
		r2[r.Method] += (1 - math.Pow(r.RMSE/base, 2)) / 4
	}
	t.Logf("R² %v, fit %.1f s", r2, table.Rows[len(table.Rows)-1].FitSeconds)
	if r2["2-RNN"] < 0.395 && os.Getenv("PANEL") == "" {
		t.Errorf("R² %.4f, want 0.395", r2["2-RNN"])
	}
}
