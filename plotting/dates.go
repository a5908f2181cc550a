package plotting

import (
	"math"
	"time"

	"gonum.org/v1/plot"
)

// seconds returns where a time stands on an axis: the seconds since 1970.
func seconds(t time.Time) float64 { return float64(t.Unix()) + float64(t.Nanosecond())/1e9 }

// dates marks a time axis at round times, in UTC.
type dates struct{}

// dateStep is the distance of two marks, one of the four, and how they are printed.
type dateStep struct {
	years, months, days int
	time                time.Duration
	layout              string
}

// dateSteps lists the distances, the shortest first.
var dateSteps = func() (steps []dateStep) {
	for _, s := range []time.Duration{1, 2, 5, 10, 20, 50, 100, 200, 500} {
		steps = append(steps, dateStep{time: s * time.Millisecond, layout: "15:04:05.000"})
	}
	for _, s := range []time.Duration{1, 2, 5, 15, 30} {
		steps = append(steps, dateStep{time: s * time.Second, layout: "2 Jan 15:04:05"})
	}
	for _, m := range []time.Duration{1, 2, 5, 15, 30, 60, 120, 180, 360, 720} {
		steps = append(steps, dateStep{time: m * time.Minute, layout: "2 Jan 15:04"})
	}
	for _, d := range []int{1, 2, 4, 7, 14} {
		steps = append(steps, dateStep{days: d, layout: "2 Jan 2006"})
	}
	for _, m := range []int{1, 2, 3, 6} {
		steps = append(steps, dateStep{months: m, layout: "Jan 2006"})
	}
	for _, y := range []int{1, 2, 5, 10, 20, 50, 100, 200, 500} {
		steps = append(steps, dateStep{years: y, layout: "2006"})
	}
	return steps
}()

// Ticks uses the shortest distance whose labels do not run together.
func (dates) Ticks(low, high float64) []plot.Tick {
	var ticks []plot.Tick
	for _, step := range dateSteps {
		// Some 80 characters fit beside each other.
		most := min(7, 80/len(step.layout))
		if ticks = step.ticks(low, high, most+1); len(ticks) <= most {
			break
		}
	}
	return ticks
}

// ticks returns the first ticks in a range, as many as are asked for.
func (s dateStep) ticks(low, high float64, n int) []plot.Tick {
	var ticks []plot.Tick
	// The first mark lies before low by less than a step.
	whole, part := math.Modf(low)
	for t := s.start(time.Unix(int64(whole), int64(part*1e9)).UTC()); len(ticks) < n; t = s.next(t) {
		v := seconds(t)
		if v > high {
			break
		}
		if v >= low {
			ticks = append(ticks, plot.Tick{Value: v, Label: t.Format(s.layout)})
		}
	}
	return ticks
}

func (s dateStep) next(t time.Time) time.Time {
	return t.AddDate(s.years, s.months, s.days).Add(s.time)
}

// start returns the last round time at or before t.
func (s dateStep) start(t time.Time) time.Time {
	year, month, day := t.Date()
	switch {
	case s.years > 0:
		return time.Date(year-year%s.years, 1, 1, 0, 0, 0, 0, time.UTC)
	case s.months > 0:
		return time.Date(year, month-(month-1)%time.Month(s.months), 1, 0, 0, 0, 0, time.UTC)
	case s.days > 0:
		return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	}
	return t.Truncate(s.time)
}
