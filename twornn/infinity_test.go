package twornn_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/baseline"
	"github.com/twornn/spectral/twornn/forecast"
	"github.com/twornn/spectral/twornn/words"
)

// TestInfinityStopsEveryFit: one value that is no finite number, on which a factorisation
// would hang or give NaN, stops every function that learns at once, with an error that says
// where the value is. A missing value of a series alone is bridged.
func TestInfinityStopsEveryFit(t *testing.T) {
	ctx := t.Context()
	for what, bad := range map[string]float64{"NaN": math.NaN(), "+Inf": math.Inf(1), "-Inf": math.Inf(-1)} {
		for _, where := range []string{"input", "output"} {
			data := examples(true, 3)
			if where == "input" {
				data[17].X.Set(1, 1, bad)
			} else {
				data[17].Y.Set(1, 1, bad)
			}
			seq := slices.Values(data)
			model := twornn.Random(2, 2, 2, 0.6, source(1))
			_, err := twornn.Fit(ctx, seq, twornn.Options{})
			_, err2 := twornn.Fit(ctx, seq, twornn.Options{L: 1, Rank: 2, Recovery: twornn.TIHT{}})
			_, err3 := twornn.Collect(seq, 3)
			_, err4 := twornn.CollectRows(seq, 3)
			_, _, err5 := twornn.Adam{Epochs: 1}.Refine(ctx, model, seq, nil)
			_, _, err6 := twornn.LevenbergMarquardt{}.Refine(ctx, model, seq, nil)
			_, err7 := baseline.FitVAR(seq, 1)
			_, _, err8 := baseline.FitRNN(ctx, seq, baseline.RNN{Units: 2, Epochs: 1}, nil)
			_, _, err9 := baseline.FitLSTM(ctx, seq, baseline.LSTM{Units: 2, Epochs: 1}, nil)
			_, err10 := twornn.NewConformal(model, seq, 0.9)
			_, err11 := words.FitOutputs(ctx, seq, words.OutputsOptions{})
			all := []error{err, err2, err3, err4, err5, err6, err7, err8, err9, err10, err11}
			if where == "output" {
				_, err := baseline.FitMean(seq)
				all = append(all, err)
			}
			for i, err := range all {
				if err == nil || !strings.Contains(err.Error(), "sequence 1") || strings.ContainsAny(err.Error(), "\n") {
					t.Errorf("%s as %s, fit %d: %v", what, where, i+1, err)
				}
			}
		}
		series := values(60)
		column, _ := series.Column("a")
		column[17] = bad
		_, err := baseline.FitARIMA(ctx, column, baseline.Order{P: 1})
		_, err2 := baseline.ChooseETS(ctx, column, 6)
		_, err3 := baseline.FitAutomaton(ctx, column, baseline.Automaton{})
		_, err4 := baseline.FitAutoregression(mat.NewDense(60, 1, column), 2)
		for i, err := range []error{err, err2, err3, err4} {
			if err == nil || !strings.Contains(err.Error(), "row 1") {
				t.Errorf("%s in a column, fit %d: %v", what, i+1, err)
			}
		}
		s := datasets.FromColumns([]string{"a"}, column)
		for _, m := range []forecast.Method{forecast.Persistence{}, forecast.Mean{}, forecast.AR{}, forecast.VAR{}, forecast.ETS{}, forecast.Ridge{}, forecast.Spectral{L: 1, States: 2}, forecast.TwoRNN{}} {
			f, err := m.Fit(ctx, s.Rows(0, 50), forecast.Options{})
			if !math.IsNaN(bad) {
				if err == nil || !strings.Contains(err.Error(), `row 17 of column "a"`) {
					t.Errorf("%s, %s: %v", m, what, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s: a missing value: %v", m, err)
				continue
			}
			if y, err := f.Forecast(nil, s, 55); err != nil || math.IsNaN(y.At(0, 0)) {
				t.Errorf("%s, after a missing value: %v, %v", m, y, err)
			}
		}
	}
}

// TestEveryStopIsNoticed: a context that is done stops every function that takes one, and what
// comes of it is its error or a result with a word on it, never one as good as done.
func TestEveryStopIsNoticed(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for name, fit := range fits {
		if strings.HasPrefix(name, "twornn.Result.") || name == "twornn.FitCollection" {
			continue // their table makes what they are of by a fit that must not be stopped
		}
		func() {
			defer func() {
				if r := recover(); r != nil && !strings.Contains(fmt.Sprint(r), "context canceled") {
					t.Errorf("%s: %v", name, r)
				}
			}()
			out := fit(ctx)
			if err, ok := out[len(out)-1].(error); ok && !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
		}()
	}
}
