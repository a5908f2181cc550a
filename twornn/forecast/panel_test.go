package forecast

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/twornn/spectral/datasets"
)

const shared = "../../../shared/data/"

// panelSeries is an entry of the panel's manifest.
type panelSeries struct {
	Name, File             string
	Columns, Targets       []string
	Season, Season2, Train int
	Horizons               []int
	series                 *datasets.Series
}

func (p panelSeries) options() Options {
	o := Options{Targets: p.Targets, Horizons: p.Horizons}
	for _, s := range []int{p.Season, p.Season2} {
		if s > 0 {
			o.Seasons = append(o.Seasons, s)
		}
	}
	return o
}

// readPanel reads the panel of series, or skips the test.
func readPanel(t testing.TB) []panelSeries {
	text, err := os.ReadFile(shared + "panel/manifest.json")
	if err != nil {
		t.Skip("the panel of series is not here")
	}
	var ps []panelSeries
	if err := json.Unmarshal(text, &ps); err != nil {
		t.Fatal(err)
	}
	for i := range ps {
		ps[i].series = readColumns(t, shared+"panel/"+ps[i].File, ps[i].Columns)
	}
	return ps
}

// readColumns reads numbers by column, without the times.
func readColumns(t testing.TB, path string, columns []string) *datasets.Series {
	f, err := os.Open(filepath.FromSlash(path))
	if err != nil {
		t.Skip("a shared series is not here")
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	values := make([][]float64, len(columns))
	for c, name := range columns {
		for i, head := range lines[0] {
			if head != name {
				continue
			}
			for _, line := range lines[1:] {
				v, err := strconv.ParseFloat(line[i], 64)
				if err != nil {
					t.Fatal(err)
				}
				values[c] = append(values[c], v)
			}
		}
	}
	return datasets.FromColumns(columns, values...)
}

// published reads relRMSE of the panel's baselines.
func published(t testing.TB) map[string]float64 {
	f, err := os.Open(shared + "panel/results.csv")
	if err != nil {
		t.Skip("the panel of series is not here")
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]float64{}
	for _, l := range lines[1:] {
		out[l[0]+","+l[1]+","+l[2]], _ = strconv.ParseFloat(l[3], 64)
	}
	return out
}

// TestRivals holds the simple methods against figures made elsewhere by the same rule.
// The long series are only tried if PANEL is set.
func TestRivals(t *testing.T) {
	want := published(t)
	names := map[string]string{"persistence": "persistence", "seasonal": "seasonal", "mean": "mean", "AR": "ar", "VAR": "var", "ridge": "ridge", "ETS": "ets", "ARIMA": "arima"}
	only := os.Getenv("SERIES")
	for _, p := range readPanel(t) {
		if only != "" && p.Name != only || p.series.Len() > 4000 && os.Getenv("PANEL") == "" {
			continue
		}
		ms := []Method{Persistence{}, Mean{}, AR{}, Ridge{}}
		if p.Season > 0 {
			ms = append(ms, Seasonal{})
		}
		if len(p.Columns) > 1 {
			ms = append(ms, VAR{})
		}
		if len(p.Columns) == 1 && p.series.Len() < 500 {
			ms = append(ms, ETS{}, ARIMA{})
		}
		table, err := Backtest(context.Background(), p.series, p.Train, ms, p.options())
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range ms {
			for _, h := range p.Horizons {
				key := fmt.Sprintf("%s,%d,%s", p.Name, h, names[m.String()])
				got := table.Relative(m.String(), "persistence", h)
				if testing.Verbose() {
					fmt.Println(key, got, want[key], table.Rows[0].FitSeconds)
				}
				if w, ok := want[key]; !ok || !(math.Abs(got/w-1) < 0.03) {
					t.Errorf("%s: %.4f, want %.4f", key, got, w)
				}
			}
		}
	}
}
