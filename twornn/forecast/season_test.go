package forecast

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twornn/spectral/datasets"
)

// seasonsOf returns what is found where no season is given.
func seasonsOf(t *testing.T, s *datasets.Series, targets ...string) []int {
	t.Helper()
	k, err := newTask(s, Options{Targets: targets})
	if err != nil {
		t.Fatal(err)
	}
	r, err := newRecord(s, k, nil)
	if err != nil {
		t.Fatal(err)
	}
	found, _ := findSeasons(r, k, s)
	return found
}

// TestFindSeasons: nested seasons on a trend are found, a random walk and a cycle whose
// phase drifts have none.
func TestFindSeasons(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 3))
	n := 2000
	nested, walk, cycle := make([]float64, n), make([]float64, n), make([]float64, n)
	x, phase := 0.0, 0.0
	for i := range n {
		day, week := float64(i%24), float64(i%168)
		nested[i] = 0.05*float64(i) + 3*math.Sin(2*math.Pi*day/24) + 2*math.Cos(2*math.Pi*week/168) + rnd.NormFloat64()
		x += rnd.NormFloat64()
		walk[i] = x
		phase += 2*math.Pi/9.6 + 0.3*rnd.NormFloat64()
		cycle[i] = math.Sin(phase)
	}
	s := datasets.FromColumns([]string{"nested", "walk", "cycle"}, nested, walk, cycle)
	if got := seasonsOf(t, s, "nested"); !slices.Contains(got, 24) || !slices.Contains(got, 168) {
		t.Errorf("nested: %v", got)
	}
	for _, name := range []string{"walk", "cycle"} {
		if got := seasonsOf(t, s, name); len(got) > 0 {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestFindSeasonOfOne: a season that one of many targets shows is found, as that of this one alone, which
// changes nothing for the others.
func TestFindSeasonOfOne(t *testing.T) {
	rnd := rand.New(rand.NewPCG(0, 1))
	n, train := 1000, 800
	names, v := []string{"sales"}, [][]float64{make([]float64, n)}
	for i := range n {
		v[0][i] = 5*math.Sin(2*math.Pi*float64(i)/7) + 2*rnd.NormFloat64()
	}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		x, y := 0.0, make([]float64, n)
		for i := range y {
			x = 0.95*x + rnd.NormFloat64()
			y[i] = x
		}
		names, v = append(names, name), append(v, y)
	}
	s := datasets.FromColumns(names, v...)
	if got := seasonsOf(t, s.Rows(0, train)); !slices.Equal(got, []int{7}) {
		t.Errorf("beside others: %v", got)
	}
	if got := seasonsOf(t, s.Rows(0, train), names[1:]...); len(got) > 0 {
		t.Errorf("of the others: %v", got)
	}
	score := func(seasons []int) *Table {
		table, err := Backtest(context.Background(), s, train, []Method{Persistence{}, Seasonal{}, ETS{}, Ridge{}}, Options{Seasons: seasons})
		if err != nil {
			t.Fatal(err)
		}
		return table
	}
	found, none, named := score(nil), score([]int{1}), score([]int{7})
	for i, row := range found.Rows {
		// Noise of 2 is left by the season, of 2√2 by the value a season before; ridge has a choice for all
		// targets in common without it, which may be the better or the worse one.
		switch own := row.Target == "sales"; {
		case row.Method == "persistence":
		case row.Method == "ridge" && own && row.RMSE > 1.02*named.Rows[i].RMSE, row.Method != "ridge" && own && row.RMSE != named.Rows[i].RMSE:
			t.Errorf("%s of %s: RMSE %.4g, where the season is named %.4g", row.Method, row.Target, row.RMSE, named.Rows[i].RMSE)
		case row.Method == "ridge" && !own && row.RMSE > 1.02*none.Rows[i].RMSE, row.Method != "ridge" && !own && row.RMSE != none.Rows[i].RMSE:
			t.Errorf("%s of %s: RMSE %.4g, without any season %.4g", row.Method, row.Target, row.RMSE, none.Rows[i].RMSE)
		}
	}
}

// TestSeasonsOfWind: daily means of wind have a year, which nobody told.
func TestSeasonsOfWind(t *testing.T) {
	s := datasets.IrishWind()
	if got := seasonsOf(t, s.Between(s.Times()[0], time.Date(1976, 1, 1, 0, 0, 0, 0, time.UTC)), "DUB"); !slices.Equal(got, []int{365}) {
		t.Errorf("%v", got)
	}
}

// TestSeasonsOfPanel finds those of the training parts that the manifest names.
func TestSeasonsOfPanel(t *testing.T) {
	for _, p := range readPanel(t) {
		got := seasonsOf(t, p.series.Rows(0, p.Train), p.Targets...)
		t.Logf("%s: %v, named %d and %d", p.Name, got, p.Season, p.Season2)
		if p.Season == 0 && len(got) > 0 {
			t.Errorf("%s has no season, found %v", p.Name, got)
		}
	}
}

// TestSeasonsGoOnInAPart: a record that begins later than the rows learnt from is at the same place in the
// season; one of another step is refused.
func TestSeasonsGoOnInAPart(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	rows := func(step time.Duration, n int) *datasets.Series {
		level, v := 0.0, make([]float64, n)
		for i := range v {
			level = 0.5*level + 0.3*r.NormFloat64()
			v[i] = 3*math.Sin(2*math.Pi*float64(i)/7) + level
		}
		return timed(t, moments(n, func(i int) time.Time { return march(time.Duration(i) * step) }), "a", v)
	}
	s := rows(24*time.Hour, 400)
	learnt, _ := s.SplitAt(s.Times()[300])
	fitted, err := TwoRNN{}.Learn(context.Background(), learnt, Options{Seasons: []int{7}})
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := fitted.Write(&file); err != nil {
		t.Fatal(err)
	}
	again, err := Read(&file)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := again.Predictions(s, 0.9, 390)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{301, 303, 299} {
		_, part := s.SplitAt(s.Times()[cut])
		got, err := again.Predictions(part, 0.9, 390-cut)
		if err != nil {
			t.Fatal(err)
		}
		// What was before the cut is forgotten by half a row, 0.5^89.
		if g, w := got[0], whole[0]; math.Abs(g.Forecast-w.Forecast) > 0.02 || !g.For.Equal(w.For) || g.Measured != w.Measured {
			t.Errorf("from row %d on: %+v, from all rows %+v", cut, g, w)
		}
	}
	if _, err := again.Predictions(rows(time.Hour, 400), 0.9, 399); err == nil || !strings.Contains(err.Error(), "apart") {
		t.Errorf("hours by a forecaster of days: %v", err)
	}
}
