package datasets

import (
	"fmt"
	"time"
)

// Gaps reports where the times of a series are further apart than its step.
type Gaps struct {
	Step   time.Duration
	Months int // the step if it is calendar months; Step is 0 then
	Count  int // gaps
	Rows   int // rows that would fill them all

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
}

// Gaps returns the report of the gaps; without times there is none.
func (s *Series) Gaps() Gaps {
	g := Gaps{Step: s.step, Months: s.months}
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
			g.Count++
			g.Rows += rows
			if rows > g.Longest {
				g.Longest, g.After, g.Before = rows, s.times[i-1], s.times[i]
			}
		}
	}
	return g
}

// String returns the report in one line.
func (g Gaps) String() string {
	if g.Step == 0 && g.Months == 0 {
		return "no times, so no gaps"
	}
	text := "no gaps"
	if g.Count > 0 {
		text = fmt.Sprintf("%s missing in %s, the longest of %d between %s and %s",
			count(g.Rows, "row"), count(g.Count, "gap"), g.Longest, short(g.After), short(g.Before))
	}
	if g.Irregular > 0 {
		text += fmt.Sprintf("; %s shorter than %s", count(g.Irregular, "step"), stepText(g.Step, g.Months))
	}
	if g.Jittered > 0 {
		text += fmt.Sprintf("; %s a little off %s and taken for it, times kept", count(g.Jittered, "step"), stepText(g.Step, g.Months))
	}
	return text
}
