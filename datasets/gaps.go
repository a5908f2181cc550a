package datasets

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Gaps reports where the times of a series are further apart than its step.
type Gaps struct {
	Step  time.Duration
	Count int // gaps
	Rows  int // rows that would fill them all

	// Longest is the number of rows that would fill the longest gap, the first of
	// these if several are as long. It lies between the times After and Before of
	// the two rows that are there.
	Longest       int
	After, Before time.Time

	// Irregular counts neighbours that are closer than Step. No window holds both.
	Irregular int
}

// Gaps returns the report of the gaps; without times there is none.
func (s *Series) Gaps() Gaps {
	g := Gaps{Step: s.step}
	if s.step <= 0 {
		return g
	}
	for i := 1; i < len(s.times); i++ {
		d := s.times[i].Sub(s.times[i-1])
		switch {
		case d < s.step:
			g.Irregular++
		case d > s.step:
			// The number of whole steps that end before the next row.
			rows := int((d - 1) / s.step)
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
	if g.Step == 0 {
		return "no times, so no gaps"
	}
	text := "no gaps"
	if g.Count > 0 {
		text = fmt.Sprintf("%s missing in %s, the longest of %d between %s and %s",
			count(g.Rows, "row"), count(g.Count, "gap"), g.Longest, short(g.After), short(g.Before))
	}
	if g.Irregular > 0 {
		text += fmt.Sprintf("; %s shorter than %s", count(g.Irregular, "step"), shortStep(g.Step))
	}
	return text
}

// commonStep returns the most common difference of neighbours, the shortest of
// these if several are as common, and 0 for fewer than two times.
func commonStep(times []time.Time) time.Duration {
	if len(times) < 2 {
		return 0
	}
	d := make([]time.Duration, len(times)-1)
	for i := range d {
		d[i] = times[i+1].Sub(times[i])
	}
	slices.Sort(d)
	var step time.Duration
	most, run := 0, 0
	for i := range d {
		if i > 0 && d[i] != d[i-1] {
			run = 0
		}
		if run++; run > most {
			most, step = run, d[i]
		}
	}
	return step
}

// short returns a time without the parts that are zero.
func short(t time.Time) string {
	switch {
	case t.Nanosecond() != 0:
		return t.Format("2006-01-02 15:04:05.999999999")
	case t.Second() != 0:
		return t.Format("2006-01-02 15:04:05")
	case t.Hour() != 0 || t.Minute() != 0:
		return t.Format("2006-01-02 15:04")
	}
	return t.Format("2006-01-02")
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

// count returns n with a noun, in the plural if need be.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
