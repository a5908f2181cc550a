package datasets

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// clock reads cells as times. The layout, if it was not given, is that of the
// first time read, and all others must have it too.
type clock struct {
	layout    string
	loc       *time.Location
	decimal   string // the decimal sign of times that are numbers; empty for a point
	grid      grid   // of decimal years
	midnights int    // times written as 24:00
	twice     int    // times of an hour that comes twice
	firstOf   string // the first of these, and how it is read
}

// parse returns the time of a cell in UTC, or what is wrong with it and the cure.
func (c *clock) parse(text string) (t time.Time, problem, cure string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return t, "the time is missing", "give every row its time"
	}
	if c.layout == "" {
		if c.layout = layoutOf(text); c.layout == "" {
			return t, notOneWay, oneWayCure([]string{text})
		}
	}
	if read, ok := numberClocks[c.layout]; ok {
		plain := text
		if c.decimal != "" && c.decimal != "." {
			plain = strings.Replace(text, c.decimal, ".", 1)
		}
		t, ok := read(c.grid, c.loc, plain)
		if !ok {
			return t, "is no time of the kind " + c.layout, "set CSV.TimeLayout to the kind of these times, or mend the file"
		}
		return t, "", ""
	}
	return c.parseLayout(text)
}

// notOneWay is what is wrong with a time that nothing tells how to read.
const notOneWay = "is no time that reads in one way only"

// parseLayout is parse for a layout of package time.
func (c *clock) parseLayout(text string) (t time.Time, problem, cure string) {
	layout, days := c.layout, 0
	t, err := time.ParseInLocation(layout, text, c.loc)
	if err != nil {
		zero, ok := midnight(layout, text)
		if ok {
			text, days = zero, 1
			t, err = time.ParseInLocation(layout, text, c.loc)
		}
		if h, m, s := t.Clock(); !ok || err != nil || h+m+s+t.Nanosecond() != 0 {
			if !validText(text) {
				return t, notUTF8, notUTF8Cure
			}
			return t, fmt.Sprintf("is no time of the layout %s", inline(layout)), "set CSV.TimeLayout, or mend the file"
		}
		c.midnights++
	}
	if name := unknownZone(layout, t, c.loc); name != "" {
		return t, fmt.Sprintf("is in the zone %s, an abbreviation that names no one offset", inline(name)),
			"write an offset such as -0700, or leave the zone out of the file and CSV.TimeLayout and set CSV.Location"
	}
	if c.loc == time.UTC {
		return nextDay(t, days), "", ""
	}
	// Where the clocks go forward an hour does not exist, and package time moves
	// it. The clock on the wall, read as UTC, tells.
	if wall, err := time.Parse(layout, text); err == nil && !sameWall(wall, t) {
		return t, fmt.Sprintf("does not exist in %v, where the clocks go forward", c.loc),
			"the column is in another time zone; set CSV.Location to it: nil for UTC, time.FixedZone for winter time all the year"
	}
	if which := whichOf(t); which != "" && !namesZone(layout) {
		if c.twice == 0 {
			c.firstOf = fmt.Sprintf("%s is read as the %s of the two, %s", inline(text), which, t.Format("15:04 -07:00"))
		}
		c.twice++
	}
	return nextDay(t, days), "", ""
}

// nextDay returns t in UTC, days later. It leaves t alone if days is 0: adding none
// picks the first of an hour that comes twice.
func nextDay(t time.Time, days int) time.Time {
	if days == 0 {
		return t.UTC()
	}
	return t.AddDate(0, 0, days).UTC()
}

// unknownZone returns the abbreviation of t's zone if t was read with offset 0 only
// because package time does not know it. It knows those of loc.
func unknownZone(layout string, t time.Time, loc *time.Location) string {
	if !strings.Contains(layout, "MST") || strings.Contains(layout, "-07") || strings.Contains(layout, "Z07") || t.Location() == loc {
		return ""
	}
	switch name := t.Location().String(); name {
	case "UTC", "GMT":
		return ""
	default:
		return name
	}
}

func sameWall(a, b time.Time) bool {
	if a.Equal(b) {
		return true // the text names its zone
	}
	h1, m1, s1 := a.Clock()
	h2, m2, s2 := b.Clock()
	return h1 == h2 && m1 == m2 && s1 == s2 && a.YearDay() == b.YearDay()
}

// comesTwice returns why t, which is not after the last of times, may be no fault of the file: daylight
// saving time ends, and an hour of local time comes twice. It is empty if that is not the place for it.
// Where the zone is not known, that is a Sunday's small hours in rows of an hour or less.
func (c *clock) comesTwice(times []time.Time, t time.Time) (why string) {
	last := times[len(times)-1]
	_, number := numberClocks[c.layout]
	if back := last.Sub(t); number || back < 0 || back >= time.Hour || namesZone(c.layout) {
		return ""
	}
	if c.loc != time.UTC {
		if whichOf(t.In(c.loc)) == "" {
			return ""
		}
		return fmt.Sprintf("where the clocks of %v go back and an hour comes twice", c.loc)
	}
	if n := len(times); n < 2 || last.Sub(times[n-2]) > time.Hour || t.Hour() > 3 || t.Weekday() != time.Sunday {
		return ""
	}
	switch first, lastOf := t.Day() <= 7, t.AddDate(0, 0, 7).Month() != t.Month(); {
	case t.Month() == time.October && lastOf, t.Month() == time.November && first, t.Month() == time.April && first:
		return "as where daylight saving time ends and an hour of local time comes twice"
	}
	return ""
}

// twiceCure is what to do with an hour that comes twice.
const twiceCure = "if so, write the times in UTC or with their offset, as 2020-10-25T02:00:00+01:00"

// namesZone reports whether times of a layout say how far from UTC they are.
func namesZone(layout string) bool {
	return strings.Contains(layout, "MST") || strings.Contains(layout, "-07") || strings.Contains(layout, "Z07")
}

// whichOf returns "second" if the clock on the wall shows at t what it showed before, "first" if it shows
// it again soon after, and "" for a time that comes once.
func whichOf(t time.Time) string {
	_, before := t.Add(-3 * time.Hour).Zone()
	_, after := t.Add(3 * time.Hour).Zone()
	back := time.Duration(before-after) * time.Second
	switch {
	case back <= 0:
		return ""
	case sameWall(t, t.Add(-back)):
		return "second"
	case sameWall(t, t.Add(back)):
		return "first"
	}
	return ""
}

// order returns what is wrong with a time t that follows the last, if anything.
func order(last, t time.Time, where string) (problem string) {
	switch {
	case t.Equal(last):
		return "repeats the time of " + where
	case t.Before(last):
		return "is earlier than the time of " + where
	case t.Sub(last) == math.MaxInt64:
		// No time.Duration is longer, and Sub says no more.
		return "is more than 292 years after the time of " + where
	}
	return ""
}
