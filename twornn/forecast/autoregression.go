package forecast

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn/baseline"
)

// AR forecasts each target alone by an autoregression of an order chosen by AIC,
// iterated over the horizons. See [baseline.FitAutoregression].
type AR struct {
	// Most is the largest order. Zero means 24, or a tenth of the rows if that is less.
	Most int
}

// VAR forecasts all columns together by a vector autoregression of an order chosen by
// AIC, iterated over the horizons. It knows no future of the Known columns.
type VAR struct {
	// Most is the largest order. Zero means 12, or the rows over five times the columns
	// if that is less.
	Most int
}

var _, _ Method = AR{}, VAR{}

// String implements Method.
func (AR) String() string { return "AR" }

// String implements Method.
func (VAR) String() string { return "VAR" }

// Fit implements Method.
func (m AR) Fit(ctx context.Context, train *datasets.Series, o Options) (Forecaster, error) {
	if err := notNegative("AR.Most", m.Most); err != nil {
		return nil, err
	}
	return done(fitWith(ctx, train, o, func(r *record, k *task) (engine, error) {
		e := iterated{k: k}
		for _, j := range k.targets {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			most := m.Most
			if most == 0 {
				most = min(24, r.n/10)
			}
			if err := e.add(r, []int{j}, most); err != nil {
				return nil, err
			}
		}
		return e, nil
	}))
}

// Fit implements Method.
func (m VAR) Fit(ctx context.Context, train *datasets.Series, o Options) (Forecaster, error) {
	if err := notNegative("VAR.Most", m.Most); err != nil {
		return nil, err
	}
	return done(fitWith(ctx, train, o, func(r *record, k *task) (engine, error) {
		e := iterated{k: k}
		most := m.Most
		if most == 0 {
			most = min(12, r.n/(5*len(k.columns)))
		}
		if err := e.add(r, all(len(k.columns)), most); err != nil {
			return nil, err
		}
		return e, nil
	}))
}

// notNegative returns an error if an option is.
func notNegative(option string, v int) error {
	if v < 0 {
		return fmt.Errorf("forecast: %s is %d; it must not be negative, and zero means the default", option, v)
	}
	return nil
}

// iterated is a set of autoregressions, each of some columns.
type iterated struct {
	k     *task
	parts []part
}

// part is an autoregression of the columns that column lists; target c of the task is
// its series own[c], −1 if it is of another part.
type part struct {
	a       *baseline.Autoregression
	columns []int
	own     []int
}

// add fits the columns. The targets of the part are the entries of k.targets that are
// among the columns.
func (e *iterated) add(r *record, columns []int, most int) error {
	a, err := baseline.FitAutoregression(r.dense(columns, 0, r.n), most)
	if err != nil {
		return fmt.Errorf("forecast: column %q: %w", e.k.columns[columns[0]], err)
	}
	p := part{a: a, columns: columns, own: make([]int, len(e.k.targets))}
	for c, j := range e.k.targets {
		p.own[c] = -1
		for i, column := range columns {
			if column == j {
				p.own[c] = i
			}
		}
	}
	e.parts = append(e.parts, p)
	return nil
}

// dense returns rows from to to−1 of some columns.
func (r *record) dense(columns []int, from, to int) *mat.Dense {
	d := mat.NewDense(to-from, len(columns), nil)
	for i := range to - from {
		row := d.RawRowView(i)
		for c, j := range columns {
			row[c] = r.v[j][from+i]
		}
	}
	return d
}

func (e iterated) forecast(dst *mat.Dense, r *record, t int) {
	far := e.k.furthest()
	for _, p := range e.parts {
		from := max(0, t+1-max(p.a.Order, 1))
		path := mat.NewDense(far, len(p.columns), nil)
		p.a.Forecast(path, r.dense(p.columns, from, t+1), t-from)
		for c, i := range p.own {
			if i < 0 {
				continue
			}
			for row, h := range e.k.horizons {
				dst.Set(row, c, path.At(h-1, i))
			}
		}
	}
}
