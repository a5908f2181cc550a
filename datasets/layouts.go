package datasets

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// layouts are those of times that can be read in one way only, whatever the day:
// year first, or a quarter.
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
	"2006-01-02 15",
	"2006-01-02T15",
}

// layoutOf returns the layout that text has, or "".
func layoutOf(text string) string {
	text = strings.TrimSpace(text)
	if len(text) < len("Q1 99") || len(text) > 50 {
		return ""
	}
	if _, ok := quarter(text); ok {
		return Quarter
	}
	if _, ok := week(text); ok {
		return Week
	}
	if len(text) < len("2006-01") {
		return ""
	}
	for _, l := range layouts {
		if l == "2006-01-02 15:04:05 MST" && !strings.HasSuffix(text, " UTC") {
			// Another abbreviation than UTC names no one offset.
			continue
		}
		if fits(l, text) {
			return l
		}
	}
	return ""
}

// fits reports whether text is a time of the layout, 24:00 included.
func fits(layout, text string) bool {
	if _, err := time.Parse(layout, text); err == nil {
		return true
	}
	zero, ok := midnight(layout, text)
	if !ok {
		return false
	}
	t, err := time.Parse(layout, zero)
	h, m, s := t.Clock()
	return err == nil && h+m+s == 0
}

// days are the ways to write a day for which one text alone may not do, by what
// comes first, and clocks those to write a time of day after it.
var (
	days = []string{
		"2006/1/2", "2006/1", "2006M1", "2006m1", "2/1/2006", "1/2/2006", "06/1/2", "2/1/06", "1/2/06",
		"2 Jan 2006", "2 Jan 06", "Jan 2 2006", "Jan 2, 2006", "2 January 2006", "January 2, 2006", "Jan 2006", "2006 Jan",
	}
	clocks = []string{
		"", " 15:04", " 15:04:05", " 15", "T15:04", "T15:04:05", " 3:04 PM", " 3:04:05 PM", " 3:04PM", " 3:04:05PM", ", 15:04", ", 15:04:05", " 1504", " 15.04.05", " 15.04",
	}
	// joined are those of numbers from several columns.
	joined = []string{"20060102", "20060102 15", "20060102 1504", "20060102 150405", "20060102 15:04", "20060102 15:04:05", "20060102T15", "20060102T1504", "20060102T150405", "20060102T150405Z0700"}
)

// candidates are all layouts of times for which one text alone may not do.
var candidates = allLayouts()

func allLayouts() []string {
	all := joined
	for _, day := range days {
		signs := []string{"/", ".", "-"} // of a day in numbers
		switch {
		case strings.Contains(day, " "):
			signs = []string{" ", "-"}
		case !strings.Contains(day, "/"):
			signs = signs[:1]
		}
		for _, sign := range signs {
			d := strings.NewReplacer("/", sign, " ", sign).Replace(day)
			for _, clock := range clocks {
				all = append(all, d+clock)
			}
		}
	}
	return all
}

// layoutsOf returns the layouts that all of the texts have; the first that reads
// them in a way of its own, and no more that read them alike.
func layoutsOf(texts []string) (found []string) {
	texts = slices.Clone(texts)
	for i, text := range texts {
		texts[i] = strings.TrimSpace(text)
	}
	if len(texts) == 0 || len(texts[0]) > 50 || digitsIn(texts[0]) < 4 {
		return nil
	}
	if l := layoutOf(texts[0]); l != "" {
		return []string{l}
	}
	for _, l := range candidates {
		misfit := func(text string) bool { return !fits(l, text) }
		same := func(other string) bool { return alike(l, other, texts) }
		if !slices.ContainsFunc(texts, misfit) && !slices.ContainsFunc(found, same) {
			found = append(found, l)
		}
	}
	return found
}

// digitsIn counts the digits of a text; no time has fewer than four.
func digitsIn(text string) (n int) {
	for i := range len(text) {
		if isDigit(text[i]) {
			n++
		}
	}
	return n
}

// alike reports whether both layouts read all texts as the same times.
func alike(a, b string, texts []string) bool {
	for _, text := range texts {
		if zero, ok := midnight(a, text); ok {
			text = zero
		}
		s, _ := time.Parse(a, text)
		t, _ := time.Parse(b, text)
		if !s.Equal(t) {
			return false
		}
	}
	return true
}

// oneWayCure returns what to do about times that read in no way, or in several.
func oneWayCure(texts []string) string {
	const without = "CSV.Time to NoTime and CSV.Columns to the columns of numbers"
	var ways []string
	for _, l := range layoutsOf(texts) {
		ways = append(ways, fmt.Sprintf("%q (%s)", l, whatFirst(l)))
	}
	if len(ways) > 1 {
		return fmt.Sprintf("set CSV.TimeLayout to %s, or %s", strings.Join(ways, " or "), without)
	}
	return fmt.Sprintf("set CSV.TimeLayout, as of package time (day first is 02/01/2006), or %s", without)
}

func whatFirst(layout string) string {
	switch layout[0] {
	case '1':
		return "month first"
	case '0':
		return "year first"
	}
	return "day first"
}

// isClock reports whether text is a time of day such as 17:24 or 17:24:00.5.
func isClock(text string) bool {
	text = strings.TrimSpace(text)
	return strings.Contains(text, ":") && (fits("15:04", text) || fits("15:04:05", text) || fits("3:04 PM", text) || fits("3:04:05 PM", text))
}

// hasClock reports whether a layout shows the hour.
func hasClock(layout string) bool {
	return strings.Contains(layout, "15") || strings.Contains(layout, "3:04")
}

// shortYear reports whether a layout has years of two digits.
func shortYear(layout string) bool {
	return strings.Contains(strings.ReplaceAll(layout, "2006", ""), "06")
}

func validText(text string) bool { return utf8.ValidString(text) }
