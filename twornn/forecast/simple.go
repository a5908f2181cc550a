package forecast

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
)

// Persistence forecasts that each target stays what it is at row t.
type Persistence struct{}

// Seasonal forecasts what each target was one season before, or as many seasons as
// lead back to a row that is known. With several seasons it takes the one that errs
// least on the training rows, over all targets that have them and all horizons, each
// target in units of its persistence. A target without any is forecast as by Persistence.
type Seasonal struct{}

// Mean forecasts the mean of each target over the training rows.
type Mean struct{}

var _, _, _ Method = Persistence{}, Seasonal{}, Mean{}

// String implements Method.
func (Persistence) String() string { return "persistence" }

// String implements Method.
func (Seasonal) String() string { return "seasonal" }

// String implements Method.
func (Mean) String() string { return "mean" }

// Fit implements Method.
func (Persistence) Fit(ctx context.Context, train *datasets.Series, o Options) (Forecaster, error) {
	return done(fitWith(ctx, train, o, func(_ *record, k *task) (engine, error) { return repeat{k, 0}, nil }))
}

// Fit implements Method.
func (Seasonal) Fit(ctx context.Context, train *datasets.Series, o Options) (Forecaster, error) {
	return done(fitWith(ctx, train, o, func(r *record, k *task) (engine, error) {
		var parts apart
		for _, group := range k.alike() {
			k := k.part(group)
			best, least := repeat{k, 0}, math.Inf(1)
			for _, s := range k.seasons {
				e := repeat{k, s}
				if v := e.error(r); v < least {
					best, least = e, v
				}
			}
			parts.engines, parts.at = append(parts.engines, best), append(parts.at, group)
		}
		return parts, nil
	}))
}

// Fit implements Method.
func (Mean) Fit(ctx context.Context, train *datasets.Series, o Options) (Forecaster, error) {
	return done(fitWith(ctx, train, o, func(r *record, k *task) (engine, error) {
		m := make(constant, len(k.targets))
		for c, j := range k.targets {
			sum, n := 0.0, 0
			for t := range r.n {
				if r.has(j, t) {
					sum, n = sum+r.v[j][t], n+1
				}
			}
			m[c] = sum / float64(max(n, 1))
		}
		return m, nil
	}))
}

// done makes a nil *forecaster a nil Forecaster.
func done(f *forecaster, err error) (Forecaster, error) {
	if err != nil {
		return nil, err
	}
	return f, nil
}

// repeat is persistence, or with a season the value that many rows before.
type repeat struct {
	k      *task
	season int // 0: none
}

// before returns the row that stands for row t+h of which only those to t are known.
func (e repeat) before(t, h int) int {
	if e.season == 0 {
		return t
	}
	return seasonBefore(t, h, e.season)
}

func (e repeat) forecast(dst *mat.Dense, r *record, t int) {
	for i, h := range e.k.horizons {
		for c, j := range e.k.targets {
			dst.Set(i, c, r.v[j][e.before(t, h)])
		}
	}
}

// error returns the sum over targets and horizons of the squared error on r, in units
// of persistence's.
func (e repeat) error(r *record) float64 {
	total := 0.0
	for _, h := range e.k.horizons {
		for _, j := range e.k.targets {
			own, last := 0.0, 0.0
			for t := e.season; t+h < r.n; t++ {
				d, p := r.v[j][t+h]-r.v[j][e.before(t, h)], r.v[j][t+h]-r.v[j][t]
				own, last = own+d*d, last+p*p
			}
			if last > 0 {
				total += own / last
			}
		}
	}
	return total
}

// constant forecasts its entries.
type constant []float64

func (m constant) forecast(dst *mat.Dense, _ *record, _ int) {
	h, _ := dst.Dims()
	for i := range h {
		dst.SetRow(i, m)
	}
}
