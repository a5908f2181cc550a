package forecast

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn/baseline"
)

// ARIMA forecasts each target alone by a seasonal ARIMA whose order has the least AIC.
// See [baseline.ChooseARIMA].
type ARIMA struct {
	// Order is the order. Nil means chosen.
	Order *baseline.Order
}

// ETS forecasts each target alone by exponential smoothing whose form has the least
// AIC. See [baseline.ChooseETS].
type ETS struct{}

// Automaton forecasts each target alone by a regression automaton. See
// [baseline.FitAutomaton].
type Automaton struct {
	// Options are those of the automaton; its horizons are those of the task.
	Options baseline.Automaton
}

var _, _, _ Method = ARIMA{}, ETS{}, Automaton{}

// String implements Method.
func (ARIMA) String() string { return "ARIMA" }

// String implements Method.
func (ETS) String() string { return "ETS" }

// String implements Method.
func (Automaton) String() string { return "regression automaton" }

// Fit implements Method.
func (m ARIMA) Fit(ctx context.Context, train *datasets.Series, o Options) (Forecaster, error) {
	return fitAlone(ctx, train, o, func(y []float64, k *task) (baseline.Univariate, error) {
		if m.Order != nil {
			return baseline.FitARIMA(ctx, y, *m.Order)
		}
		return baseline.ChooseARIMA(ctx, y, k.season())
	})
}

// Fit implements Method.
func (m ETS) Fit(ctx context.Context, train *datasets.Series, o Options) (Forecaster, error) {
	return fitAlone(ctx, train, o, func(y []float64, k *task) (baseline.Univariate, error) {
		return baseline.ChooseETS(ctx, y, k.season())
	})
}

// Fit implements Method.
func (m Automaton) Fit(ctx context.Context, train *datasets.Series, o Options) (Forecaster, error) {
	return fitAlone(ctx, train, o, func(y []float64, k *task) (baseline.Univariate, error) {
		a := m.Options
		a.Horizons = k.horizons
		return baseline.FitAutomaton(ctx, y, a)
	})
}

// season returns the shortest season, 0 without one.
func (k *task) season() int {
	if len(k.seasons) == 0 {
		return 0
	}
	return k.seasons[0]
}

// fitAlone learns a model of each target alone.
func fitAlone(ctx context.Context, train *datasets.Series, o Options, learn func(y []float64, k *task) (baseline.Univariate, error)) (Forecaster, error) {
	return done(fitWith(ctx, train, o, func(r *record, k *task) (engine, error) {
		e := &alone{k: k}
		for c, j := range k.targets {
			m, err := learn(r.v[j], k.part([]int{c}))
			if err != nil {
				return nil, fmt.Errorf("forecast: column %q: %w", k.columns[j], err)
			}
			e.models = append(e.models, m)
		}
		return e, nil
	}))
}

// alone has a model of one column for each target.
type alone struct {
	k      *task
	models []baseline.Univariate
}

func (e *alone) forecast(dst *mat.Dense, r *record, t int) {
	for c, m := range e.models {
		// A filter goes along the record once; what it forecast there is kept.
		all := remember(r, m, func() *mat.Dense {
			f := &mat.Dense{}
			baseline.ForecastsTo(f, nil, m, r.v[e.k.targets[c]], e.k.horizons)
			return f
		})
		for i := range e.k.horizons {
			dst.Set(i, c, all.At(t, i))
		}
	}
}
