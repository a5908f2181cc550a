package datasets

import (
	"strconv"
	"strings"
	"time"
)

// Values of CSV.TimeLayout for times that are numbers or quarters, beside the layouts
// of package time, among which are those of days and hours without signs: 20060102
// and 2006010215.
const (
	UnixSeconds = "Unix seconds" // since 1970-01-01 UTC
	UnixMillis  = "Unix milliseconds"
	UnixMicros  = "Unix microseconds"
	UnixNanos   = "Unix nanoseconds"

	// Elapsed times have no date: 0 is shown as 1970-01-01 00:00.
	ElapsedMillis  = "elapsed milliseconds"
	ElapsedSeconds = "elapsed seconds"
	ElapsedMinutes = "elapsed minutes"
	ElapsedHours   = "elapsed hours"
	ElapsedDays    = "elapsed days"

	// DecimalYear is 1987.25 for the first of April: months if all times are those of
	// months, their beginnings or their middles, and days of the year if not.
	DecimalYear = "decimal year"
	// Quarter is 2001Q3, 2001-Q3 or Q3 2001, the first day of the quarter.
	Quarter = "quarter"
	// Week is a week by ISO 8601, 2020-W05 or 2020W05, and its Monday.
	Week = "week"
)

// quarter reads 2001Q3, 2001-Q3, 2001 Q3, 2001/Q3 and Q3 2001.
func quarter(text string) (time.Time, bool) {
	q := strings.IndexAny(text, "Qq")
	if q < 0 || q+1 >= len(text) || text[q+1] < '1' || text[q+1] > '4' {
		return time.Time{}, false
	}
	year := text[:q]
	if q == 0 {
		year = text[2:]
	} else if q+2 != len(text) {
		return time.Time{}, false
	}
	if year = strings.Trim(year, " -/:"); len(year) != 4 || !allDigits(year) {
		return time.Time{}, false
	}
	y, _ := strconv.Atoi(year)
	return time.Date(y, time.Month(3*(text[q+1]-'1')+1), 1, 0, 0, 0, 0, time.UTC), true
}

// midnight returns text with the hour 24 as 00, and whether it has the hour 24. The
// hour is found by the place of 15 in the layout: the same run of digits, and the
// same digit of it.
func midnight(layout, text string) (string, bool) {
	at := strings.Index(layout, "15")
	if at < 0 || !strings.Contains(text, "24") {
		return text, false
	}
	run, offset := 0, 0
	for i := range at {
		switch {
		case isDigit(layout[i]):
			offset++
		case offset > 0:
			run, offset = run+1, 0
		}
	}
	for i, inside := 0, false; i < len(text); i++ {
		if !isDigit(text[i]) {
			inside = false
			continue
		}
		if inside {
			continue
		}
		inside = true
		if run == 0 {
			h := i + offset
			if h+2 > len(text) || text[h:h+2] != "24" || !allDigits(text[i:h]) {
				return text, false
			}
			return text[:h] + "00" + text[h+2:], true
		}
		run--
	}
	return text, false
}

// week reads 2020-W05 and 2020W05, weeks by ISO 8601.
func week(text string) (time.Time, bool) {
	w := strings.IndexAny(text, "Ww")
	if w < 4 || w > 5 || len(text) != w+3 || !allDigits(text[:4]) || w == 5 && text[4] != '-' || !allDigits(text[w+1:]) {
		return time.Time{}, false
	}
	y, _ := strconv.Atoi(text[:4])
	n, _ := strconv.Atoi(text[w+1:])
	// The fourth of January is in the first week.
	first := time.Date(y, 1, 4, 0, 0, 0, 0, time.UTC)
	monday := first.AddDate(0, 0, 7*(n-1)-(int(first.Weekday())+6)%7)
	year, back := monday.ISOWeek()
	return monday, n > 0 && year == y && back == n
}
