package twornn_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/baseline"
)

// TestIrishWind is the quickstart's claim: one day ahead at four stations, trained on
// 1961-1975 and tested on 1976-1978, all scored on the same targets, R² as the mean
// over the stations against the training mean.
func TestIrishWind(t *testing.T) {
	wind, err := datasets.IrishWind().Select("RPT", "VAL", "DUB", "MAL")
	if err != nil {
		t.Fatal(err)
	}
	train, test := wind.SplitAt(time.Date(1976, 1, 1, 0, 0, 0, 0, time.UTC))
	w := datasets.Window{Length: 3, Horizon: 1, Bias: true, Scaler: datasets.FitScaler(train)}
	fit := func(o twornn.Options) *twornn.Result {
		r, err := twornn.Fit(context.Background(), train.Windows(w), o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	r2 := func(f twornn.Predictor) float64 {
		// Scaled by the training rows, the training mean is 0.
		return twornn.Evaluate(f, test.Windows(w)).R2Against(make([]float64, 4))
	}
	inputs, err := test.TargetInputs(w)
	if err != nil {
		t.Fatal(err)
	}
	var1, err := baseline.FitVAR(train.Windows(w), 1)
	if err != nil {
		t.Fatal(err)
	}
	best := fit(twornn.Options{})
	for _, c := range []struct {
		name      string
		r2        float64
		low, high float64
	}{
		{"persistence", r2(baseline.Persistence(inputs)), 0.13, 0.14},
		{"VAR(1)", r2(var1), 0.345, 0.355},
		{"2-RNN, nothing set", r2(best), 0.355, 0.365},
		{"2-RNN, rank 5", r2(fit(twornn.Options{L: 1, Rank: 5})), 0.350, 0.360},
		{"by least squares alone", r2(fit(twornn.Options{Recovery: twornn.LeastSquares{}})), 0.349, 0.352},
		{"the same on words of equal length", r2(fit(twornn.Options{L: 1, Rank: 4, Basis: twornn.EqualLength, Recovery: twornn.LeastSquares{}})), -0.1, 0.1},
	} {
		if !(c.r2 >= c.low && c.r2 <= c.high) {
			t.Errorf("%s: R² %.4f, want %.3f to %.3f", c.name, c.r2, c.low, c.high)
		}
	}
	// Run on for 30 steps the joint fit keeps its head, which least squares alone loses.
	long := w
	long.Length = 30
	at30 := func(f twornn.Predictor) float64 {
		return twornn.Evaluate(f, test.Windows(long)).R2Against(make([]float64, 4))
	}
	alone := fit(twornn.Options{Recovery: twornn.LeastSquares{}})
	if r := at30(best); r < 0.2 || best.Has(twornn.Unstable) {
		t.Errorf("at 30 steps R² %.3f, warnings %v", r, best.Warnings)
	}
	if r := at30(alone); r > 0 || !alone.Has(twornn.Unstable) {
		t.Errorf("least squares alone: at 30 steps R² %.3f, warnings %v", r, alone.Warnings)
	}
	// The same in knots, by the model that Unscale gives, and without a scaler at all:
	// the fit does not depend on units.
	raw, err := w.Unscale(best.Model)
	if err != nil {
		t.Fatal(err)
	}
	knots := w
	knots.Scaler = nil
	a, b := twornn.Evaluate(raw, test.Windows(knots)), twornn.Evaluate(best, test.Windows(w))
	if math.Abs(a.R2-b.R2) > 1e-9 {
		t.Errorf("R² %v in knots, %v scaled", a.R2, b.R2)
	}
}

// TestIrishStations: four stations from all twelve, where products of stations and days are worth a little.
func TestIrishStations(t *testing.T) {
	train, test := datasets.IrishWind().SplitAt(time.Date(1976, 1, 1, 0, 0, 0, 0, time.UTC))
	w := datasets.Window{Length: 3, Horizon: 1, Bias: true, Scaler: datasets.FitScaler(train), Targets: []string{"RPT", "VAL", "DUB", "MAL"}}
	fit, err := twornn.Fit(context.Background(), train.Windows(w), twornn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r2 := twornn.Evaluate(fit, test.Windows(w)).R2Against(make([]float64, 4))
	if !(r2 >= 0.384 && r2 < 0.39) || !fit.Interactions.Taken {
		t.Errorf("R² %.4f\n%v", r2, fit)
	}
}

// TestRankAskedForIsTheMost: at six stations four states, which Fit tries to see whether the
// rank is low, fit better than three. Three are returned all the same, with a warning, and
// keep their heads on long runs.
func TestRankAskedForIsTheMost(t *testing.T) {
	all := datasets.IrishWind()
	wind, err := all.Select(all.Columns()[:6]...)
	if err != nil {
		t.Fatal(err)
	}
	train, _ := wind.SplitAt(time.Date(1976, 1, 1, 0, 0, 0, 0, time.UTC))
	r, err := twornn.Fit(context.Background(), train.Windows(datasets.Window{Length: 3, Horizon: 1, Bias: true}), twornn.Options{L: 1, Rank: 3})
	if err != nil {
		t.Fatal(err)
	}
	if r.Rank > 3 || !r.Has(twornn.RankLow) || r.Has(twornn.Unstable) {
		t.Errorf("rank %d, warnings %v", r.Rank, r.Warnings)
	}
}
