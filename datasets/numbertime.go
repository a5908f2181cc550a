package datasets

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// numberClocks read the kinds of time that package time does not know.
var numberClocks = map[string]func(g grid, loc *time.Location, text string) (time.Time, bool){
	UnixSeconds: units(time.Second), UnixMillis: units(time.Millisecond), UnixMicros: units(time.Microsecond), UnixNanos: units(1),
	ElapsedMillis: units(time.Millisecond), ElapsedSeconds: units(time.Second), ElapsedMinutes: units(time.Minute),
	ElapsedHours: units(time.Hour), ElapsedDays: units(oneDay),
	Quarter: func(_ grid, loc *time.Location, text string) (time.Time, bool) {
		t, ok := quarter(text)
		return inLocation(t, loc), ok
	},
	Week: func(_ grid, loc *time.Location, text string) (time.Time, bool) {
		t, ok := week(text)
		return inLocation(t, loc), ok
	},
	DecimalYear: func(g grid, loc *time.Location, text string) (time.Time, bool) {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !plainNumber(text) || v < 1 || v >= 9999 {
			return time.Time{}, false
		}
		return inLocation(decimalYear(v, g), loc), true
	},
}

// inLocation returns the time at which the clock in loc shows what t shows in UTC.
func inLocation(t time.Time, loc *time.Location) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), loc).UTC()
}

// units reads a count of units since 1970, whole ones without rounding.
func units(unit time.Duration) func(grid, *time.Location, string) (time.Time, bool) {
	perSecond := int64(time.Second / unit) // 0 for longer units
	return func(_ grid, _ *time.Location, text string) (time.Time, bool) {
		whole, fraction, _ := strings.Cut(text, ".")
		n, err := strconv.ParseInt(whole, 10, 64)
		if err != nil || fraction != "" && !allDigits(fraction) {
			v, err := strconv.ParseFloat(text, 64)
			seconds := v * unit.Seconds()
			if err != nil || !plainNumber(text) || !(math.Abs(seconds) < maxSeconds) {
				return time.Time{}, false
			}
			s := math.Floor(seconds)
			return time.Unix(int64(s), int64(math.Round(1e9*(seconds-s)))).UTC(), true
		}
		part := 0.0
		if fraction != "" {
			part, _ = strconv.ParseFloat("0."+fraction, 64)
		}
		if strings.HasPrefix(whole, "-") {
			part = -part
		}
		ns := int64(math.Round(part * float64(unit)))
		if perSecond > 0 {
			t := time.Unix(n/perSecond, n%perSecond*int64(unit)+ns).UTC()
			return t, n/perSecond < maxSeconds && n/perSecond > -maxSeconds
		}
		if limit := int64(maxSeconds / unit.Seconds()); n > limit || n < -limit {
			return time.Time{}, false
		}
		return time.Unix(n*int64(unit/time.Second), ns).UTC(), true
	}
}

// maxSeconds bounds times to the years that have four digits.
const maxSeconds = 253e9

// plainNumber reports whether text is a number with a decimal point.
func plainNumber(text string) bool {
	_, ok := numbers{decimal: "."}.plain(text)
	return ok
}

// grid says what the fractions of decimal years stand for.
type grid int

const (
	dayGrid    grid = iota // the share of the days of the year
	monthStart             // twelfths
	monthMid               // twelfths and a half
)

// gridOf returns the grid that all of the values are on.
func gridOf(values []float64) grid {
	// How far values are from whole months at most; far if two are of one month.
	off := func(shift float64) (most float64) {
		for i, v := range values {
			m := 12*v - shift
			most = max(most, math.Abs(m-math.Round(m)))
			if i > 0 && math.Round(m) == math.Round(12*values[i-1]-shift) {
				return 1
			}
		}
		return most
	}
	// Two decimals of a year are off by up to 0.06 of a month; the middles of months
	// that have 28 to 31 days by up to 0.1.
	switch {
	case off(0) <= .07:
		return monthStart
	case off(.5) <= .13:
		return monthMid
	}
	return dayGrid
}

func decimalYear(v float64, g grid) time.Time {
	year := int(math.Floor(v))
	switch g {
	case monthStart:
		return time.Date(0, time.Month(1+int(math.Round(12*v))), 1, 0, 0, 0, 0, time.UTC)
	case monthMid:
		return time.Date(0, time.Month(1+int(math.Round(12*v-.5))), 15, 0, 0, 0, 0, time.UTC)
	}
	first := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
	length := first.AddDate(1, 0, 0).Sub(first)
	d := time.Duration((v - float64(year)) * float64(length))
	// Three decimals of a year are good to a third of a day, more to the day.
	if whole := d.Round(oneDay); (d - whole).Abs() < oneDay/5 {
		d = whole
	}
	return first.Add(d.Round(time.Second))
}

// numberLayout returns how numbers are written that could be times, going by their
// values and, where these leave it open, the name of their column. Sure says that the
// values alone tell.
func numberLayout(name string, texts []string) (layout string, sure bool) {
	if len(texts) == 0 {
		return "", false
	}
	values := make([]float64, len(texts))
	whole, digits := true, len(texts[0])
	for i, text := range texts {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || !plainNumber(text) {
			return "", false
		}
		values[i] = v
		whole = whole && v == math.Trunc(v)
		if len(text) != digits || !allDigits(text) {
			digits = 0
		}
	}
	compact := map[int]string{4: "2006", 6: "200601", 8: "20060102", 10: "2006010215", 12: "200601021504", 14: "20060102150405"}[digits]
	if compact != "" && allDates(compact, texts) {
		if digits >= 8 || isTimeName(name) || plainName(name) == "year" || plainName(name) == "month" {
			return compact, digits >= 8 && distinct(values)
		}
	}
	low, high := slices.Min(values), slices.Max(values)
	for _, e := range []struct {
		layout string
		low    float64
	}{{UnixSeconds, 1e8}, {UnixMillis, 1e11}, {UnixMicros, 1e14}, {UnixNanos, 1e17}} {
		if low >= e.low && high < 41*e.low {
			return e.layout, whole && regular(values, 5e-8*e.low)
		}
	}
	if layout, ok := elapsedName(name); ok && rising(values) {
		return layout, false
	}
	switch plainName(name) {
	case "year", "date", "time", "decimalyear", "decimaldate", "yeardecimal", "datedecimal":
		if low >= minYear && high < maxYear {
			return DecimalYear, false
		}
	}
	return "", false
}

// allDates reports whether all texts are dates of the layout, in years one meets.
func allDates(layout string, texts []string) bool {
	return !slices.ContainsFunc(texts, func(text string) bool {
		return !fits(layout, text) || text[:4] < "1500" || text[:4] > "2299"
	})
}

// distinct reports whether there are three values or more, all rising.
func distinct(values []float64) bool { return len(values) >= 3 && rising(values) }

func rising(values []float64) bool {
	for i := 1; i < len(values); i++ {
		if values[i] <= values[i-1] {
			return false
		}
	}
	return true
}

// regular reports whether values rise, most by the same multiple of unit: a counter
// near 10⁹ rises by less than the five seconds that Unix times are taken to be apart.
func regular(values []float64, unit float64) bool {
	if !distinct(values) {
		return false
	}
	d := make([]int64, len(values)-1)
	for i := range d {
		d[i] = int64(values[i+1] - values[i])
	}
	common, n := mostCommon(d), 0
	for _, x := range d {
		if x == common {
			n++
		}
	}
	return 2*n >= len(d) && math.Mod(float64(common), unit) == 0
}
