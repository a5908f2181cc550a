package datasets

import (
	"fmt"
	"math"
	"slices"
	"time"
)

// Gaps reports where the times of a series are further apart than its step.
type Gaps struct {
	Step   time.Duration
	Months int // the step if it is calendar months; Step is 0 then
	Count  int // gaps
	Rows   int // rows that would fill them all, as Series.Complete does

	// First is the time of the row before the first gap.
	First time.Time
	// Longest is the number of rows that would fill the longest gap, the first of
	// these if several are as long. It lies between the times After and Before of
	// the two rows that are there.
	Longest       int
	After, Before time.Time

	// Irregular counts neighbours that are closer than Step. No window holds both.
	Irregular int
	// Jittered counts neighbours that are not exactly Step apart, or a whole number
	// of steps, but within the tolerance, which is as good. Their times are kept.
	Jittered int

	// Uneven says that the times have no step in common: fewer than half of the
	// neighbours in the whole file are Step apart, and more than a tenth are closer, or
	// the gaps would take more rows than there are. CSV.Step says otherwise.
	Uneven bool
	// Calendar says that the gaps are hours of the day or days of the week at which the
	// whole file has no rows, as nights or weekends: at least half of what is missing.
	Calendar bool
}

// Gaps returns the report of the gaps; without times there is none.
func (s *Series) Gaps() Gaps {
	g := Gaps{Step: s.step, Months: s.months, Uneven: s.uneven, Calendar: s.closed != nil}
	if s.step <= 0 && s.months == 0 {
		return g
	}
	for i := 1; i < len(s.times); i++ {
		d, step := s.apart(i)
		if s.months == 0 && s.loc == nil && d != int64(s.times[i].Sub(s.times[i-1])) {
			g.Jittered++
		}
		switch {
		case d < step:
			g.Irregular++
		case d > step:
			// The number of whole steps that end before the next row.
			rows := int((d - 1) / step)
			if g.Count++; g.Count == 1 {
				g.First = s.times[i-1]
			}
			g.Rows += rows
			if rows > g.Longest {
				g.Longest, g.After, g.Before = rows, s.times[i-1], s.times[i]
			}
		}
	}
	return g
}

// isUneven is what Gaps.Uneven says, of all rows.
func (s *Series) isUneven() bool {
	g, n := s.Gaps(), s.rows-1
	return 2*(n-g.Count-g.Irregular) < n && (10*g.Irregular > n || g.Rows > s.rows)
}

// String returns the report in one line.
func (g Gaps) String() string {
	if g.Step == 0 && g.Months == 0 {
		return "no times, so no gaps"
	}
	text := "no gaps"
	if g.Count > 0 {
		first := ""
		if !g.First.Equal(g.After) {
			first = fmt.Sprintf("the first after %s, ", short(g.First))
		}
		text = fmt.Sprintf("%s missing in %s, %sthe longest of %d between %s and %s",
			count(g.Rows, "row"), count(g.Count, "gap"), first, g.Longest, short(g.After), short(g.Before))
	}
	if g.Calendar {
		text += "; most are hours of the day or days of the week that have no rows at all"
	}
	if g.Irregular > 0 {
		text += fmt.Sprintf("; %s shorter than %s", count(g.Irregular, "step"), stepText(g.Step, g.Months))
	}
	if g.Jittered > 0 {
		text += fmt.Sprintf("; %s a little off %s and taken for it, times kept", count(g.Jittered, "step"), stepText(g.Step, g.Months))
	}
	return text
}

// mostComplete bounds the numbers of a completed series.
const mostComplete = 1 << 27

// Complete returns the series with a row for every step: where times are missing it puts
// in rows whose values are all missing (NaN), so that no value is made up. Rows that are
// there stay as they are. Package forecast does so by itself.
//
// It returns s if there is no gap. It errs if the times have no common step, or if so many
// rows are missing that there would be more than 2²⁷ numbers.
func (s *Series) Complete() (*Series, error) {
	g := s.Gaps()
	switch columns := max(len(s.columns), 1); {
	case g.Uneven:
		return nil, fmt.Errorf("datasets: the times of %s have no common step, most often they are %s apart: set CSV.Step if that or another is the step, or bring the record to even steps first, by means over hours or days, say",
			inline(s.name), stepText(s.step, s.months))
	case g.Count == 0:
		return s, nil
	case g.Rows > mostComplete/columns-s.rows:
		return nil, fmt.Errorf("datasets: %s lacks %s at a step of %s, too many to put in; set CSV.Step if the step is longer",
			inline(s.name), count(g.Rows, "row"), stepText(s.step, s.months))
	}
	v := *s
	v.rows, v.times, v.values = s.rows+g.Rows, make([]time.Time, 0, s.rows+g.Rows), make([][]float64, len(s.values))
	for j := range v.values {
		v.values[j] = make([]float64, 0, v.rows)
	}
	for i, t := range s.times {
		s.missingBefore(i, func(t time.Time) {
			v.times = append(v.times, t)
			for j := range v.values {
				v.values[j] = append(v.values[j], math.NaN())
			}
		})
		v.times = append(v.times, t)
		for j := range v.values {
			v.values[j] = append(v.values[j], s.values[j][i])
		}
	}
	return &v, nil
}

// missingBefore calls f with the times that are missing between rows i−1 and i.
func (s *Series) missingBefore(i int, f func(t time.Time)) {
	if i == 0 {
		return
	}
	d, step := s.apart(i)
	for k := range int((d - 1) / step) {
		f(s.stepsAfter(s.times[i-1], k+1))
	}
}

// stepsAfter returns the time that is k steps after t.
func (s *Series) stepsAfter(t time.Time, k int) time.Time {
	if s.loc == nil {
		return t.Add(time.Duration(k) * s.step)
	}
	at := t.In(s.loc)
	year, month, day := at.Date()
	hour, minute, second := at.Clock()
	if s.months > 0 {
		month += time.Month(k * s.months)
		last := time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
		// On the last days of months, or on one day of all of them.
		if s.monthEnds() {
			day = last
		}
		day = min(day, last)
	} else {
		day += k * int(s.step/oneDay)
	}
	return time.Date(year, month, day, hour, minute, second, at.Nanosecond(), s.loc).UTC()
}

// monthEnds reports whether every row is of the last day of a month.
func (s *Series) monthEnds() bool {
	return !slices.ContainsFunc(s.times, func(t time.Time) bool { return onWall(t, s.loc).AddDate(0, 0, 1).Day() != 1 })
}

// TimeAfter returns the time that is so many steps after the last row: that of a forecast.
// Where the series has a calendar (Gaps.Calendar) it passes over the hours and days that
// have no rows. It is the zero time without times or a common step, and where steps lead further than
// 292 years, or ten million days or months. It panics if steps is negative.
func (s *Series) TimeAfter(steps int) time.Time {
	if steps < 0 {
		panic("datasets: TimeAfter goes forward; steps must not be negative")
	}
	if len(s.times) == 0 || s.step <= 0 && s.months == 0 || s.uneven {
		return time.Time{}
	}
	most := 10_000_000 // days or months
	if s.loc == nil {
		most = math.MaxInt64 / int(s.step) // a time.Duration holds no more
	}
	if steps > most {
		return time.Time{}
	}
	last := s.times[len(s.times)-1]
	if s.closed == nil {
		return s.stepsAfter(last, steps)
	}
	k := 0
	for steps > 0 {
		if k == most {
			return time.Time{}
		}
		if k++; s.closed.open(s.stepsAfter(last, k)) {
			steps--
		}
	}
	return s.stepsAfter(last, k)
}

// closed says which places of the day and of the week have no rows; nil where it is not told.
type closed struct {
	step      time.Duration
	day, week []bool
}

// Cycles that a file must hold for places of them without a row to mean something.
const (
	leastDays  = 10
	leastWeeks = 4
)

// findClosed returns the places of the day and of the week that have no rows, if they are
// at least half of what is missing.
func (s *Series) findClosed() *closed {
	g := s.Gaps()
	if g.Count == 0 || s.uneven || s.step <= 0 || s.step > oneDay || g.Rows > 20*s.rows {
		return nil
	}
	c := &closed{step: s.step}
	span := s.times[len(s.times)-1].Sub(s.times[0])
	if span >= leastDays*oneDay && s.step < oneDay && oneDay%s.step == 0 {
		c.day = make([]bool, oneDay/s.step)
	}
	if span >= leastWeeks*7*oneDay && 7*oneDay%s.step == 0 {
		c.week = make([]bool, 7*oneDay/s.step)
	}
	for _, places := range [][]bool{c.day, c.week} {
		for i := range places {
			places[i] = true
		}
		for _, t := range s.times {
			if len(places) > 0 {
				places[c.place(t, len(places))] = false
			}
		}
	}
	shut := 0
	for i := range s.times {
		s.missingBefore(i, func(t time.Time) {
			if !c.open(t) {
				shut++
			}
		})
	}
	if 2*shut < g.Rows {
		return nil
	}
	return c
}

// place returns the place of t in a day or week of n steps.
func (c *closed) place(t time.Time, n int) int {
	// Seconds and nanoseconds apart, as a Duration holds 292 years only.
	cycle := time.Duration(n) * c.step
	into := time.Duration(t.Unix()%int64(max(cycle/time.Second, 1)))*time.Second + time.Duration(t.Nanosecond())
	return int((into + cycle) % cycle / c.step)
}

// open reports whether there are rows at the place of t.
func (c *closed) open(t time.Time) bool {
	return (len(c.day) == 0 || !c.day[c.place(t, len(c.day))]) && (len(c.week) == 0 || !c.week[c.place(t, len(c.week))])
}
