package forecast

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/twornn/spectral/datasets"
)

// Backtest fits each method to rows 0 to from−1 of s and scores all of them on the
// same targets: the value in every row r from from on, forecast from row r − h for
// each horizon h. A method sees only the training rows when it learns; when it
// forecasts it sees the rows up to r − h, and the Known columns up to r. Missing values
// are not scored, nor forecasts that lack a Known value up to r; Table.LeftOut counts these.
// Rows that are missing in gaps are put in before, as every method does
// (see the package's doc), so that a horizon counts them; Table.Gaps says which. Methods
// of one name are told apart by a number.
//
// It errs if there are no test rows, or none with the Known values that it needs, if a method
// does, or if one forecasts what is no number. It panics if from is not between 1 and Len.
func Backtest(ctx context.Context, s *datasets.Series, from int, ms []Method, o Options) (*Table, error) {
	if s == nil {
		return nil, errNoSeries
	}
	if i := slices.Index(ms, nil); i >= 0 {
		return nil, fmt.Errorf("forecast: method %d of %d is nil; leave it out", i+1, len(ms))
	}
	if from < 1 || from > s.Len() {
		panic("forecast: from is no row of the series")
	}
	if from == s.Len() {
		return nil, errors.New("forecast: no rows are left to test on; lower from")
	}
	b, err := newBacktest(s, from, o)
	if err != nil {
		return nil, err
	}
	table, used := &Table{Gaps: s.Gaps(), steps: b.k.steps, LeftOut: b.left}, map[string]int{}
	s, from = b.s, b.from
	train := s.Rows(0, from)
	for _, m := range ms {
		if ctx.Err() != nil {
			return nil, stopped(ctx, m.String()+" had its turn")
		}
		name := m.String()
		if used[name]++; used[name] > 1 {
			name = fmt.Sprintf("%s %d", name, used[name])
		}
		begin := time.Now()
		f, err := m.Fit(ctx, train, o)
		if err != nil {
			return nil, fmt.Errorf("forecast: %s: %w", name, err)
		}
		seconds := time.Since(begin).Seconds()
		forecasts, err := b.run(ctx, f)
		if err != nil {
			return nil, fmt.Errorf("forecast: %s: %w", name, err)
		}
		if err := b.score(table, name, seconds, forecasts); err != nil {
			return nil, err
		}
	}
	return table, nil
}

// backtest is what all methods are scored on.
type backtest struct {
	s     *datasets.Series // with the rows that its gaps lack, if these are put in
	from  int
	k     *task
	r     *record
	truth [][]float64 // by target, all rows, NaN where missing
	scale []float64   // by target, of MASE
	left  LeftOut
}

func newBacktest(s *datasets.Series, from int, o Options) (*backtest, error) {
	k, err := newTask(s, o)
	if err != nil {
		return nil, err
	}
	k.steps = stepsIn(s)
	r, err := newRecord(s, k, nil)
	if err != nil {
		return nil, err
	}
	b := &backtest{s: r.series, from: r.row(from), k: k, r: r}
	s, from = b.s, b.from
	season := 1
	if len(k.seasons) > 0 && k.seasons[0] < from {
		season = k.seasons[0]
	}
	for _, j := range k.targets {
		v, err := s.Column(k.columns[j])
		if err != nil {
			return nil, err
		}
		sum, n := 0.0, 0
		for t := season; t < from; t++ {
			if d := math.Abs(v[t] - v[t-season]); !math.IsNaN(d) {
				sum, n = sum+d, n+1
			}
		}
		b.truth, b.scale = append(b.truth, v), append(b.scale, sum/float64(n))
	}
	if b.leaveOut(); b.left.Of == 0 {
		return nil, errors.New("forecast: no target has a value in the rows to test on that is as far ahead as a horizon; lower from, or leave rows without values out at the end")
	}
	return b, b.left.err()
}

// leaveOut counts what would be scored, and what of it lacks a Known value.
func (b *backtest) leaveOut() {
	for r := b.from; r < b.s.Len(); r++ {
		if !slices.ContainsFunc(b.truth, func(v []float64) bool { return !math.IsNaN(v[r]) }) {
			continue
		}
		for _, h := range b.k.horizons {
			if r < h {
				continue
			}
			b.left.Of++
			if column, ahead := b.r.lacks(b.k, r-h, h); ahead > 0 {
				// Of the rows as they came, the last up to the origin.
				row := b.r.cameAs(r - h)
				if !b.r.came(r - h) {
					row--
				}
				b.left.add(FutureError{column, row, r - h + ahead - b.r.row(row)})
			}
		}
	}
}

// run returns the forecasts by horizon and target, of each test row.
func (b *backtest) run(ctx context.Context, f Forecaster) ([][][]float64, error) {
	test := b.s.Len() - b.from
	out := make([][][]float64, len(b.k.horizons))
	for i := range out {
		out[i] = make([][]float64, len(b.k.targets))
		for c := range out[i] {
			out[i][c] = make([]float64, test)
			for r := range out[i][c] {
				out[i][c][r] = math.NaN()
			}
		}
	}
	dst := b.k.sized(nil)
	for t := max(0, b.from-b.k.furthest()); t < b.s.Len(); t++ {
		if ctx.Err() != nil {
			return nil, stopped(ctx, fmt.Sprintf("row %d was forecast", t))
		}
		var late *FutureError
		if _, err := f.Forecast(dst, b.s, t); err != nil && !errors.As(err, &late) {
			return nil, fmt.Errorf("row %d: %w", t, err)
		}
		for i, h := range b.k.horizons {
			if t+h >= b.from && t+h < b.s.Len() {
				for c := range b.k.targets {
					out[i][c][t+h-b.from] = dst.At(i, c)
				}
			}
		}
	}
	return out, nil
}

// score adds the rows of one method.
func (b *backtest) score(table *Table, name string, seconds float64, forecasts [][][]float64) error {
	for c, j := range b.k.targets {
		for i, h := range b.k.horizons {
			row := Row{Method: name, Target: b.k.columns[j], Horizon: h, FitSeconds: seconds}
			errs := make([]float64, len(forecasts[i][c]))
			var squares, abs, percent float64
			for r, f := range forecasts[i][c] {
				y := b.truth[c][b.from+r]
				// A row so early that the horizon leads before the record has no forecast.
				if errs[r] = math.NaN(); math.IsNaN(y) || b.from+r-h < 0 {
					continue
				}
				if _, ahead := b.r.lacks(b.k, b.from+r-h, h); ahead > 0 {
					continue
				}
				e := f - y
				if math.IsNaN(e) || math.IsInf(e, 0) {
					return fmt.Errorf("forecast: %s forecasts %v for row %d of %q, which is no number to score; leave it out, or mend its Forecast", name, f, b.from+r, row.Target)
				}
				errs[r] = e
				row.N++
				squares, abs = squares+e*e, abs+math.Abs(e)
				if y == 0 {
					row.Zeros++
				} else {
					percent += math.Abs(e / y)
				}
			}
			n := float64(row.N)
			row.RMSE, row.MAE, row.MASE = math.Sqrt(squares/n), abs/n, abs/n/b.scale[c]
			row.MAPE = 100 * percent / float64(row.N-row.Zeros)
			if math.IsInf(row.MASE, 0) {
				row.MASE = math.NaN()
			}
			if b.r.place != nil {
				n := 0
				for r, e := range errs {
					if b.r.came(b.from + r) {
						errs[n] = e
						n++
					}
				}
				errs = errs[:n]
			}
			table.Rows, table.errors = append(table.Rows, row), append(table.errors, errs)
		}
	}
	return nil
}
