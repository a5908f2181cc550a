package forecast

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/twornn/spectral/datasets"
)

// Prediction is one forecast with its interval: made after row Row of a series, for a target
// Horizon rows later, those that are missing in gaps counted.
type Prediction struct {
	Target       string
	Row, Horizon int
	// At is the time of Row and For that of the row forecast, beyond the end of the series by
	// [datasets.Series.TimeAfter]; both are zero where the series has no times, and For where
	// it has no step to go on by.
	At, For             time.Time
	Forecast, Low, High float64
	// Measured is what came, NaN where the series does not say.
	Measured float64
	left     *LeftOut // what was asked for with it and could not be made; nil if nothing
}

// Predictions are forecasts as a table, a row each.
type Predictions []Prediction

// Predictions returns what f forecasts after each of the rows of s, in their order, for each
// horizon and target, with intervals that cover the outcome with the given probability.
// Where rows have times with a step s may begin anywhere: seasons go on as they did in the rows learnt
// from, and a record of another step is an error. Without times its first row is that of the rows
// learnt from. A forecast whose Known columns lack a value up to the row forecast is left
// out, and [Predictions.LeftOut] counts these; if all are, that is an error, which holds a *[FutureError].
// Else it errs and panics as Forecast and Interval do.
func (f *Fitted) Predictions(s *datasets.Series, coverage float64, rows ...int) (Predictions, error) {
	r, err := f.read(s)
	if err != nil {
		return nil, err
	}
	measured := make([][]float64, len(f.task.targets))
	for j, c := range f.task.targets {
		if measured[j], err = r.series.Column(f.task.columns[c]); err != nil {
			return nil, err
		}
	}
	var all Predictions
	var left LeftOut
	for _, t := range rows {
		var late *FutureError
		hat, err := f.Forecast(nil, s, t)
		if err != nil && !errors.As(err, &late) {
			return nil, err
		}
		low, high, err := f.Interval(s, t, coverage)
		if err != nil && !errors.As(err, &late) {
			return nil, err
		}
		for i, h := range f.task.horizons {
			left.Of++
			if column, ahead := r.lacks(f.task, r.row(t), h); ahead > 0 {
				left.add(FutureError{column, t, ahead})
				continue
			}
			for j, c := range f.task.targets {
				p := Prediction{Target: f.task.columns[c], Row: t, Horizon: h, At: timeOf(r.series, r.at(t)), For: timeOf(r.series, r.at(t)+h),
					Forecast: hat.At(i, j), Low: low.At(i, j), High: high.At(i, j), Measured: math.NaN()}
				if to := r.at(t) + h; to < len(measured[j]) {
					p.Measured = measured[j][to]
				}
				all = append(all, p)
			}
		}
	}
	if left.Forecasts > 0 {
		for i := range all {
			all[i].left = &left
		}
	}
	return all, left.err()
}

// LeftOut says which forecasts could not be made of those that were asked for with these.
func (p Predictions) LeftOut() LeftOut {
	if len(p) == 0 || p[0].left == nil {
		return LeftOut{}
	}
	return *p[0].left
}

// String returns the forecasts in columns, and below them what was left out.
func (p Predictions) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, line := range p.table(func(x float64) string { return strconv.FormatFloat(x, 'g', 5, 64) }) {
		fmt.Fprintln(w, strings.Join(line, "\t")+"\t")
	}
	w.Flush()
	if text := p.LeftOut().String(); text != "" {
		b.WriteString(text + "\n")
	}
	return b.String()
}

// timeOf returns the time of a row, which may lie beyond the end of s; zero where rows have none.
func timeOf(s *datasets.Series, row int) time.Time {
	times := s.Times()
	switch {
	case row < len(times):
		return times[row]
	case row < s.Len():
		return time.Time{}
	}
	return s.TimeAfter(row - (s.Len() - 1))
}

// Where returns the forecasts for which keep is true.
func (p Predictions) Where(keep func(Prediction) bool) Predictions {
	var kept Predictions
	for _, x := range p {
		if keep(x) {
			kept = append(kept, x)
		}
	}
	return kept
}

// Of returns the forecasts of one target at one horizon.
func (p Predictions) Of(target string, horizon int) Predictions {
	return p.Where(func(x Prediction) bool { return x.Target == target && x.Horizon == horizon })
}

// Columns returns the numbers of the forecasts, as figures take them.
func (p Predictions) Columns() (times []time.Time, forecast, low, high, measured []float64) {
	for _, x := range p {
		if !x.For.IsZero() {
			times = append(times, x.For)
		}
		forecast, measured = append(forecast, x.Forecast), append(measured, x.Measured)
		low, high = append(low, x.Low), append(high, x.High)
	}
	return times, forecast, low, high, measured
}

// Coverage returns the share of the outcomes within their intervals, the mean width of the
// intervals, and how many outcomes there were; share and width are NaN if there were none.
func (p Predictions) Coverage() (share, width float64, n int) {
	for _, x := range p {
		if math.IsNaN(x.Measured) {
			continue
		}
		n++
		width += x.High - x.Low
		if x.Low <= x.Measured && x.Measured <= x.High {
			share++
		}
	}
	return share / float64(n), width / float64(n), n
}

// WriteCSV writes the forecasts, a line each, under a header: the target, when the forecast was
// made and for when (times as RFC 3339 has them, or else the numbers of the rows, from 0), the
// horizon in rows, the forecast, the ends of its interval, and what was measured, which is
// empty where it is not known. Numbers are written to the last bit.
func (p Predictions) WriteCSV(w io.Writer) error {
	exactly := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	if err := csv.NewWriter(w).WriteAll(p.table(exactly)); err != nil {
		return fmt.Errorf("forecast: cannot write the forecasts: %w", err)
	}
	return nil
}

// table returns the lines of the table, its header first; a number that there is not is empty.
func (p Predictions) table(write func(float64) string) [][]string {
	lines := [][]string{{"target", "made at", "for", "rows ahead", "forecast", "low", "high", "measured"}}
	number := func(x float64) string {
		if math.IsNaN(x) {
			return ""
		}
		return write(x)
	}
	when := func(t time.Time, row int) string {
		if t.IsZero() {
			return strconv.Itoa(row)
		}
		return t.Format(time.RFC3339)
	}
	for _, x := range p {
		lines = append(lines, []string{x.Target, when(x.At, x.Row), when(x.For, x.Row+x.Horizon), strconv.Itoa(x.Horizon),
			number(x.Forecast), number(x.Low), number(x.High), number(x.Measured)})
	}
	return lines
}
