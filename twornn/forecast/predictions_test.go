package forecast

import (
	"context"
	"encoding/csv"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/twornn/spectral/datasets"
)

// Predictions say what Forecast and Interval say, with the times and the outcomes of the rows
// forecast; beyond the end of the record times go on by its step, and nothing is measured.
func TestPredictions(t *testing.T) {
	s, err := datasets.IrishWind().Rows(0, 400).Select("DUB", "MAL")
	if err != nil {
		t.Fatal(err)
	}
	f, err := TwoRNN{}.Learn(context.Background(), s.Rows(0, 300), Options{Horizons: []int{1, 3}, Seasons: []int{}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.Predictions(s, 0.9, 350, 399)
	if err != nil {
		t.Fatal(err)
	}
	if len(p) != 8 {
		t.Fatalf("%d forecasts of 2 rows, 2 horizons, 2 targets", len(p))
	}
	hat, _ := f.Forecast(nil, s, 350)
	low, high, _ := f.Interval(s, 350, 0.9)
	mal, _ := s.Column("MAL")
	day := time.Date(1961, 1, 1, 0, 0, 0, 0, time.UTC)
	want := Prediction{Target: "MAL", Row: 350, Horizon: 3, At: day.AddDate(0, 0, 350), For: day.AddDate(0, 0, 353),
		Forecast: hat.At(1, 1), Low: low.At(1, 1), High: high.At(1, 1), Measured: mal[353]}
	if p[3] != want {
		t.Errorf("got %+v\nwant %+v", p[3], want)
	}
	if last := p[7]; !math.IsNaN(last.Measured) || !last.For.Equal(day.AddDate(0, 0, 402)) {
		t.Errorf("beyond the end: %+v", last)
	}
	if one := p.Of("DUB", 1); len(one) != 2 || one[0].Target != "DUB" || one[1].Row != 399 {
		t.Errorf("of DUB: %+v", one)
	}

	var b strings.Builder
	if err := p.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	lines, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil || len(lines) != 9 {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	if x, err := strconv.ParseFloat(lines[4][4], 64); err != nil || x != want.Forecast || lines[4][1] != "1961-12-17T00:00:00Z" {
		t.Errorf("the file says %v", lines[4])
	}
	if lines[8][7] != "" {
		t.Errorf("the file has a measured value beyond the end: %v", lines[8])
	}
}

// Coverage counts the outcomes that are known, and no others.
func TestPredictionsCoverage(t *testing.T) {
	p := Predictions{
		{Low: 0, High: 2, Measured: 1}, {Low: 0, High: 4, Measured: 5}, {Low: 0, High: 100, Measured: math.NaN()}, {Low: 0, High: 3, Measured: 0},
	}
	if share, width, n := p.Coverage(); share != 2./3 || width != 3 || n != 3 {
		t.Errorf("%v, %v of %d", share, width, n)
	}
	if share, _, n := p[2:3].Coverage(); !math.IsNaN(share) || n != 0 {
		t.Errorf("of nothing: %v of %d", share, n)
	}
}

// Without times the rows are numbered, earlier ones and those beyond the end.
func TestPredictionsWithoutTimes(t *testing.T) {
	x := make([]float64, 60)
	for i := range x {
		x[i] = math.Sin(float64(i)/3) + float64(i%7)/10
	}
	s := datasets.FromColumns([]string{"x"}, x)
	f, err := TwoRNN{}.Learn(context.Background(), s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.Predictions(s, 0.8, 50, 59)
	if err != nil || len(p) != 2 || !p[0].At.IsZero() || !p[0].For.IsZero() || !p[1].For.IsZero() {
		t.Fatalf("%v, %v", p, err)
	}
	var b strings.Builder
	if err := p.WriteCSV(&b); err != nil || !strings.Contains(b.String(), "\nx,50,51,1,") || !strings.Contains(b.String(), "\nx,59,60,1,") {
		t.Errorf("%v: %s", err, b.String())
	}
}
