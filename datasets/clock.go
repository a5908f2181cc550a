package datasets

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// layouts are those of times that can be read in one way only: year first. A day
// and a month that could be swapped need CSV.TimeLayout.
var layouts = [...]string{
	"2006-01",
	"2006-01-02",
	"2006-01-02 15:04",
	"2006-01-02 15:04:05",
	"2006-01-02 15:04Z07:00",
	"2006-01-02 15:04:05Z07:00",
	"2006-01-02 15:04:05Z0700",
	"2006-01-02 15:04:05Z07",
	"2006-01-02 15:04:05 Z07:00",
	"2006-01-02 15:04:05 Z0700",
	"2006-01-02 15:04:05 -0700 MST",
	"2006-01-02 15:04:05 MST",
	"2006-01-02T15:04",
	"2006-01-02T15:04:05",
	"2006-01-02T15:04Z07:00",
	"2006-01-02T15:04:05Z07:00",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04:05Z07",
	"2006/01",
	"2006/01/02",
	"2006/01/02 15:04",
	"2006/01/02 15:04:05",
}

// layoutOf returns the layout that text has, or "".
func layoutOf(text string) string {
	text = strings.TrimSpace(text)
	if len(text) < len("2006-01") || len(text) > 50 {
		return ""
	}
	for _, l := range layouts {
		if l == "2006-01-02 15:04:05 MST" && !strings.HasSuffix(text, " UTC") {
			// Another abbreviation than UTC names no one offset.
			continue
		}
		if _, err := time.Parse(l, text); err == nil {
			return l
		}
	}
	return ""
}

// isTimeName reports whether a column of that name is taken to hold the times.
func isTimeName(name string) bool {
	switch strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name)) {
	case "date", "time", "datetime", "timestamp", "timehour", "datehour", "dateutc", "timeutc", "utc", "utctime":
		return true
	}
	return false
}

// clock reads cells as times. The layout, if it was not given, is that of the
// first time read, and all others must have it too.
type clock struct {
	layout string
	loc    *time.Location
}

// parse returns the time of a cell in UTC, or what is wrong with it and the cure.
func (c *clock) parse(text string) (t time.Time, problem, cure string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return t, "the time is missing", "give every row its time"
	}
	if c.layout == "" {
		c.layout = layoutOf(text)
	}
	if c.layout == "" {
		return t, "is no time that reads in one way only",
			"set CSV.TimeLayout, as of package time (day first is 02/01/2006), or CSV.Time to NoTime"
	}
	t, err := time.ParseInLocation(c.layout, text, c.loc)
	if err != nil {
		return t, fmt.Sprintf("is no time of the layout %s", c.layout), "set CSV.TimeLayout, or mend the file"
	}
	if name := unknownZone(c.layout, t, c.loc); name != "" {
		return t, fmt.Sprintf("is in the zone %s, an abbreviation that names no one offset", inline(name)),
			"write an offset such as -0700, or leave the zone out of the file and CSV.TimeLayout and set CSV.Location"
	}
	// Where the clocks go forward an hour does not exist, and package time moves
	// it. The clock on the wall, read as UTC, tells.
	if c.loc == time.UTC {
		return t.UTC(), "", ""
	}
	if wall, err := time.Parse(c.layout, text); err == nil && !sameWall(wall, t) {
		return t, fmt.Sprintf("does not exist in %v, where the clocks go forward", c.loc),
			"the column is in another time zone; set CSV.Location to it"
	}
	return t.UTC(), "", ""
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
