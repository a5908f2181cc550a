package datasets

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// setStep settles how the rows are spaced, and whether evenly: at the step given, or by
// the rule of Series.Step if it is 0. loc is the clock that counts months and days.
func (s *Series) setStep(step time.Duration, loc *time.Location) {
	if s.times == nil {
		return
	}
	s.findStep(step, loc)
	s.uneven = step == 0 && s.isUneven()
	s.closed = s.findClosed()
}

func (s *Series) findStep(step time.Duration, loc *time.Location) {
	wall := make([]time.Time, len(s.times))
	for i, t := range s.times {
		wall[i] = onWall(t, loc)
	}
	if step == 0 {
		if s.months = commonMonths(wall); s.months > 0 {
			s.loc = loc
			return
		}
	}
	local := step
	if s.step = step; step == 0 {
		s.step, local = commonStep(s.times), commonStep(wall)
		if n := countSteps(s.times, s.step); s.tolerance >= 0 && 2*n < len(s.times)-1 {
			s.step = s.jitterStep(n)
			local = s.step
		}
	}
	// Midnights are 23 or 25 hours apart where the clocks change.
	if local > 0 && local%oneDay == 0 && countSteps(wall, local) > countSteps(s.times, s.step) {
		s.step, s.loc = local, loc
	}
}

// apart returns the distance of rows i−1 and i and the step of the series, in the
// same unit: months or nanoseconds.
func (s *Series) apart(i int) (d, step int64) {
	a, b := s.times[i-1], s.times[i]
	if s.loc != nil {
		a, b = onWall(a, s.loc), onWall(b, s.loc)
	}
	if s.months > 0 {
		return month(b) - month(a), int64(s.months)
	}
	return s.snap(int64(b.Sub(a))), int64(s.step)
}

// slack returns by how much a step may be off.
func (s *Series) slack() int64 {
	switch {
	case s.tolerance < 0:
		return 0
	case s.tolerance == 0:
		return int64(s.step) / 20
	}
	return int64(s.tolerance * float64(s.step))
}

// snap returns the distance d of two rows, or the whole number of steps it is but for
// the tolerance.
func (s *Series) snap(d int64) int64 {
	step := int64(s.step)
	if step <= 0 {
		return d
	}
	whole := (d + step/2) / step * step
	if whole > 0 && max(d-whole, whole-d) <= s.slack() {
		return whole
	}
	return d
}

// onWall returns what the clock on the wall in loc shows at t, as if it were UTC.
func onWall(t time.Time, loc *time.Location) time.Time {
	if loc == time.UTC {
		return t
	}
	t = t.In(loc)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// month numbers the months of all years.
func month(t time.Time) int64 { return 12*int64(t.Year()) + int64(t.Month()) }

// commonMonths returns the most common difference of neighbours in months, if all
// are whole months: the times of day are the same, and so are the days of the month,
// or else all are the last day of one. It returns 0 if not, or for fewer than two.
func commonMonths(times []time.Time) int {
	if len(times) < 2 {
		return 0
	}
	clock := func(t time.Time) time.Duration { return t.Sub(t.Truncate(oneDay)) }
	sameDay, ends := true, true
	d := make([]int64, len(times)-1)
	for i, t := range times {
		sameDay = sameDay && t.Day() == times[0].Day()
		ends = ends && t.AddDate(0, 0, 1).Day() == 1
		if clock(t) != clock(times[0]) || !sameDay && !ends {
			return 0
		}
		if i > 0 {
			d[i-1] = month(t) - month(times[i-1])
		}
	}
	return int(mostCommon(d))
}

// commonStep returns the most common difference of neighbours, the shortest of
// these if several are as common, and 0 for fewer than two times.
func commonStep(times []time.Time) time.Duration {
	if len(times) < 2 {
		return 0
	}
	d := make([]int64, len(times)-1)
	for i := range d {
		d[i] = int64(times[i+1].Sub(times[i]))
	}
	return time.Duration(mostCommon(d))
}

// jitterStep returns the step of times that jitter, of which n neighbours at most are
// the same distance apart: the middle of the densest stretch of distances as wide as
// the tolerance, if that holds most distances and twice as many as n; rounded to whole
// seconds or what else is near. Otherwise it returns the step as it is.
func (s *Series) jitterStep(n int) time.Duration {
	d := make([]int64, len(s.times)-1)
	for i := range d {
		d[i] = int64(s.times[i+1].Sub(s.times[i]))
	}
	slices.Sort(d)
	share := 2 * s.tolerance
	if share == 0 {
		share = .1
	}
	first, most, low := 0, 0, 0
	for i, x := range d {
		for float64(x) > (1+share)*float64(d[low]) {
			low++
		}
		if i-low+1 > most {
			first, most = low, i-low+1
		}
	}
	if 2*most < len(d) || most < 2*n {
		return s.step
	}
	middle := time.Duration(d[first+most/2])
	for _, unit := range []time.Duration{oneDay, time.Hour, time.Minute, time.Second, time.Millisecond, time.Microsecond} {
		if near := middle.Round(unit); near > 0 && (near-middle).Abs() <= middle/50 {
			return near
		}
	}
	return middle
}

// countSteps returns how many neighbours are one step apart.
func countSteps(times []time.Time, step time.Duration) (n int) {
	for i := 1; i < len(times); i++ {
		if times[i].Sub(times[i-1]) == step {
			n++
		}
	}
	return n
}

// stepText returns a step for a reader: 24h, 1 month.
func stepText(step time.Duration, months int) string {
	if months > 0 {
		return count(months, "month")
	}
	return shortStep(step)
}

// shortStep returns a duration without the parts that are zero: 24h, not 24h0m0s.
func shortStep(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// stepLine returns the step and the clock it counts on, if that is not UTC's.
func (s *Series) stepLine() string {
	text := "step " + stepText(s.step, s.months)
	if s.uneven {
		return fmt.Sprintf("no common step, most often %s", stepText(s.step, s.months))
	}
	if s.loc != nil && s.loc != time.UTC {
		text += fmt.Sprintf(" by the clock of %v", s.loc)
	}
	return text
}
