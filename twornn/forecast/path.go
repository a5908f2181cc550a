package forecast

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/baseline"
)

// path is a state-space model carried along the record: an autoregression of some
// columns, an ARIMA or an exponential smoothing of one, in transformed values.
type path struct {
	Name    string
	Warps   int   // into the model's sets of transformations
	Columns []int // of the task
	Auto    *baseline.Autoregression
	ARIMA   *baseline.ARIMA
	ETS     *baseline.ETS
	// By column and horizon: the variance of the error, and the range of changes that
	// are believed, all transformed.
	Variance, Low, High [][]float64
}

// pathMaker learns a path from transformed rows. A path learnt at an earlier origin,
// before, settles the form: later ones estimate its coefficients anew.
type pathMaker struct {
	name    string
	columns []int
	learn   func(ctx context.Context, y *mat.Dense, before *path) (*path, error)
}

// Limits of the state-space candidates.
const (
	mostSmoothed  = 3000  // rows that ARIMA and exponential smoothing learn from, the last ones
	mostRegressed = 20000 // that autoregressions learn from
	mostStates    = 4     // targets from which on only autoregressions are tried
)

// pathMakers lists the state-space models that are tried.
func pathMakers(k *task, n int) []pathMaker {
	var out []pathMaker
	for _, j := range k.targets {
		out = append(out, pathMaker{"AR", []int{j}, func(_ context.Context, y *mat.Dense, _ *path) (*path, error) {
			a, err := baseline.FitAutoregression(y, min(24, n/10))
			return &path{Auto: a}, err
		}})
	}
	if d := len(k.columns); d > 1 {
		out = append(out, pathMaker{"VAR", all(d), func(_ context.Context, y *mat.Dense, _ *path) (*path, error) {
			a, err := baseline.FitAutoregression(y, min(12, n/(5*d)))
			return &path{Auto: a}, err
		}})
	}
	if k.asked >= mostStates {
		return out
	}
	season := 0
	if len(k.seasons) > 0 {
		season = k.seasons[0]
	}
	for _, j := range k.targets {
		out = append(out, pathMaker{"ARIMA", []int{j}, func(ctx context.Context, y *mat.Dense, before *path) (*path, error) {
			if before != nil {
				a, err := baseline.FitARIMA(ctx, latest(y), before.ARIMA.Order)
				return &path{ARIMA: a}, err
			}
			a, err := baseline.ChooseARIMA(ctx, latest(y), season)
			return &path{ARIMA: a}, err
		}}, pathMaker{"ETS", []int{j}, func(ctx context.Context, y *mat.Dense, before *path) (*path, error) {
			if before != nil {
				a, err := baseline.FitETS(ctx, latest(y), before.ETS.Form)
				return &path{ETS: a}, err
			}
			a, err := baseline.ChooseETS(ctx, latest(y), season)
			return &path{ETS: a}, err
		}})
	}
	return out
}

// latest returns the last rows of a column.
func latest(y *mat.Dense) []float64 {
	v := mat.Col(nil, 0, y)
	return v[max(0, len(v)-mostSmoothed):]
}

// univariate returns the model of one column, nil for an autoregression.
func (p *path) univariate() baseline.Univariate {
	switch {
	case p.ARIMA != nil:
		return p.ARIMA
	case p.ETS != nil:
		return p.ETS
	}
	return nil
}

// forecasts returns for each horizon the transformed forecasts, a row for each of rows
// and a column for each column of the path.
func (p *path) forecasts(r *record, warps []warp, rows, horizons []int) []*mat.Dense {
	out := make([]*mat.Dense, len(horizons))
	for i := range out {
		out[i] = mat.NewDense(max(len(rows), 1), len(p.Columns), nil)
	}
	v := r.warped(warps)
	if u := p.univariate(); u != nil {
		m := remember(r, p, func() *mat.Dense {
			m := &mat.Dense{}
			baseline.ForecastsTo(m, nil, u, v[p.Columns[0]], horizons)
			return m
		})
		for i := range horizons {
			for row, t := range rows {
				out[i].Set(row, 0, m.At(t, i))
			}
		}
		return out
	}
	far := 0
	for _, h := range horizons {
		far = max(far, h)
	}
	ahead, y := mat.NewDense(far, len(p.Columns), nil), mat.NewDense(max(p.Auto.Order, 1), len(p.Columns), nil)
	back, _ := y.Dims()
	for row, t := range rows {
		for i := range back {
			for c, j := range p.Columns {
				y.Set(i, c, v[j][max(t-back+1+i, 0)])
			}
		}
		p.Auto.Forecast(ahead, y, back-1)
		for i, h := range horizons {
			out[i].SetRow(row, ahead.RawRowView(h-1))
		}
	}
	return out
}

// settle sets the variances and the ranges of changes by the rows before end.
func (p *path) settle(r *record, warps []warp, horizons []int, end int) {
	v := r.warped(warps)
	for c, j := range p.Columns {
		p.Variance = append(p.Variance, make([]float64, len(horizons)))
		p.Low, p.High = append(p.Low, make([]float64, len(horizons))), append(p.High, make([]float64, len(horizons)))
		for i, h := range horizons {
			p.Low[c][i], p.High[c][i] = changeRange(v[j], h, end)
		}
	}
	far := 0
	for _, h := range horizons {
		far = max(far, h)
	}
	var rows []int
	for t := end / 4; t+far < end; t++ {
		rows = append(rows, t)
	}
	rows = thinned(rows, 300)
	if len(rows) == 0 {
		return
	}
	for i, f := range p.forecasts(r, warps, rows, horizons) {
		for c, j := range p.Columns {
			for row, t := range rows {
				e := v[j][t+horizons[i]] - f.At(row, c)
				p.Variance[c][i] += e * e / float64(len(rows))
			}
		}
	}
}

// value turns a transformed forecast of column c of the path into a value.
func (p *path) value(z float64, r *record, warps []warp, c, i, t int) float64 {
	j := p.Columns[c]
	last := r.warped(warps)[j][t]
	z = last + min(max(z-last, p.Low[c][i]), p.High[c][i])
	return warps[j].mean(z, p.Variance[c][i])
}

// place returns where a column of the task is in the path, −1 if it is not.
func (p *path) place(column int) int {
	for c, j := range p.Columns {
		if j == column {
			return c
		}
	}
	return -1
}

// learnPath learns a path from the rows before end.
func learnPath(ctx context.Context, m pathMaker, r *record, warps []warp, horizons []int, end int, before *path) (*path, error) {
	v := r.warped(warps)
	from := max(0, end-mostRegressed)
	y := mat.NewDense(end-from, len(m.columns), nil)
	for t := range end - from {
		for c, j := range m.columns {
			y.Set(t, c, v[j][from+t])
		}
	}
	p, err := m.learn(ctx, y, before)
	if err != nil {
		return nil, err
	}
	p.Name, p.Columns = m.name, m.columns
	// A perfect fit has no likelihood, which could not be saved.
	if p.ARIMA != nil && !isFinite(p.ARIMA.LogLik) {
		p.ARIMA.LogLik = math.MaxFloat64
	}
	if p.ETS != nil && !isFinite(p.ETS.LogLik) {
		p.ETS.LogLik = math.MaxFloat64
	}
	p.settle(r, warps, horizons, end)
	return p, nil
}
