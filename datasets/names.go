package datasets

import (
	"math"
	"strings"
)

// isTimeName reports whether a column of that name is taken to hold the times.
func isTimeName(name string) bool {
	switch plainName(name) {
	case "date", "time", "datetime", "timestamp", "timehour", "datehour", "dateutc", "timeutc", "utc", "utctime",
		"ts", "datum", "epoch", "unix", "unixtime", "timestampms", "timestamps", "datetimeutc", "timestamputc",
		"yyyymmdd", "yyyymmddhh", "yyyymm", "yyyymmddhhmm", "yyyymmddhhmmss", "decimalyear", "decimaldate", "yearquarter":
		return true
	}
	return false
}

// plainName returns a name in small letters, without blanks, dashes and underscores.
func plainName(name string) string {
	return joints.Replace(strings.ToLower(name))
}

var joints = strings.NewReplacer("_", "", "-", "", " ", "")

// elapsedName returns the unit that a name gives a time that runs: elapsed_s, time
// [min], t (h).
func elapsedName(name string) (layout string, ok bool) {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return strings.ContainsRune(" _-.,/()[]", r) })
	if len(words) == 1 && (words[0] == "seconds" || words[0] == "elapsed") {
		return ElapsedSeconds, true
	}
	// T_min is a temperature as a rule, t [min] a time.
	if len(words) < 2 || words[0] != "time" && words[0] != "elapsed" && (words[0] != "t" || !strings.ContainsAny(name, "([")) {
		return "", false
	}
	layout, ok = elapsedUnits[words[len(words)-1]]
	return layout, ok
}

var elapsedUnits = map[string]string{
	"ms": ElapsedMillis, "milliseconds": ElapsedMillis, "s": ElapsedSeconds, "sec": ElapsedSeconds, "secs": ElapsedSeconds, "seconds": ElapsedSeconds,
	"min": ElapsedMinutes, "minutes": ElapsedMinutes, "h": ElapsedHours, "hr": ElapsedHours, "hours": ElapsedHours,
	"d": ElapsedDays, "days": ElapsedDays,
}

// part is what a column holds of a time, in the order in which they join.
type part int

const (
	noPart part = iota
	yearPart
	quarterPart
	monthPart
	dayPart
	yearDayPart // day of the year, in place of month and day
	hourPart
	minutePart
	secondPart
)

// partOf returns the part of a time that a name stands for.
func partOf(name string) part {
	switch plainName(name) {
	case "year", "yr", "yyyy", "yy":
		return yearPart
	case "quarter", "qtr":
		return quarterPart
	case "month", "mon", "mo", "mm":
		return monthPart
	case "day", "dy", "dd", "dom", "dayofmonth":
		return dayPart
	case "doy", "dayofyear", "yday", "jday", "julianday":
		return yearDayPart
	case "hour", "hr", "hh", "hourofday":
		return hourPart
	case "minute", "mi":
		return minutePart
	case "second", "ss":
		return secondPart
	}
	return noPart
}

// partLimits are the least and the largest value of each part.
var partLimits = map[part][2]float64{
	yearPart: {minYear, maxYear}, quarterPart: {1, 4}, monthPart: {1, 12}, dayPart: {1, 31}, yearDayPart: {1, 366},
	hourPart: {0, 24}, minutePart: {0, 59}, secondPart: {0, 60},
}

// The years that numbers are taken for.
const minYear, maxYear = 1500, 2300

// isPartValue reports whether x can be the part of a time.
func (p part) isPartValue(x float64) bool {
	r := partLimits[p]
	return x >= r[0] && x <= r[1] && (x == math.Trunc(x) || p == secondPart)
}
