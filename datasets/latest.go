package datasets

import (
	"fmt"
	"time"

	"gonum.org/v1/gonum/mat"
)

// Latest returns the inputs X of the window that ends in the last row: what a model
// fitted on these windows needs to forecast w.Horizon rows beyond the end of the
// series. It errs as Windows does: if w does not fit the series, or its last w.Length
// rows bridge a gap or lack a value.
func (s *Series) Latest(w Window) (*mat.Dense, error) {
	c, err := newCutter(s, w)
	if err != nil {
		return nil, err
	}
	if s.rows < w.Length {
		return nil, fmt.Errorf("datasets: the latest window needs %s, the series has %d; lower Window.Length, or take more rows", count(w.Length, "row"), s.rows)
	}
	first := s.rows - w.Length
	for i := first; i < s.rows; i++ {
		for j, name := range s.columns {
			if c.lacks(i, []int{j}) {
				return nil, fmt.Errorf("datasets: the latest window lacks a value: column %s, row %d%s; end the series before it", inline(name), i+1, s.when(i))
			}
		}
		if i > first && c.gapBefore(i) {
			return nil, fmt.Errorf("datasets: the latest window bridges a gap before row %d%s; lower Window.Length, or end the series before it", i+1, s.when(i))
		}
	}
	return c.inputs(first), nil
}

// when returns the time of row i for an error, if rows have times.
func (s *Series) when(i int) string {
	if s.times == nil {
		return ""
	}
	return " (" + s.times[i].Format(time.RFC3339) + ")"
}

// TargetTimes returns, for each sequence of Windows in order, the time of its last
// target: where a forecast belongs on a time axis. It errs as Windows does, or if the
// series has no times.
func (s *Series) TargetTimes(w Window) ([]time.Time, error) {
	c, err := newCutter(s, w)
	if err == nil {
		err = c.fits()
	}
	if err != nil {
		return nil, err
	}
	if s.times == nil {
		return nil, fmt.Errorf("datasets: %s has no times; name its column of times in CSV.Time", inline(s.name))
	}
	var times []time.Time
	r := c.each(func(t int) bool {
		times = append(times, s.times[t+c.w.Length-1+c.w.Horizon])
		return true
	})
	if r.Kept == 0 {
		return nil, c.none(r)
	}
	return times, nil
}
