package datasets

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// look is what a column looks like.
type look struct {
	layouts []string // of times, in text or numbers
	clock   bool     // times of day
	named   bool     // its name says that it holds times
	sure    bool     // its values do
	number  bool     // it holds numbers
}

// isTime reports whether the column is one of times, days among them.
func (l look) isTime() bool { return !l.clock && (l.named || l.sure) }

// isDay reports whether it holds days without a time of day.
func (l look) isDay() bool {
	return len(l.layouts) > 0 && !hasClock(l.layouts[0]) && !slices.ContainsFunc(l.layouts, func(s string) bool { _, kind := numberClocks[s]; return kind })
}

// texts returns the cells of field i that are not missing, trimmed.
func (t *table) texts(rows []row, i int) (texts []string) {
	for _, r := range rows {
		if text := strings.TrimSpace(r.fields[i]); !t.numbers.isMissing(text) {
			texts = append(texts, text)
		}
	}
	return texts
}

// lookAt returns what field i looks like in the rows.
func (t *table) lookAt(rows []row, i int) (l look) {
	l.named = isTimeName(t.header[i])
	texts := t.texts(rows, i)
	if len(texts) == 0 {
		return l
	}
	if isClock(texts[0]) {
		l.clock = true
		return l
	}
	if _, ok := t.numbers.plain(texts[0]); ok {
		l.number = true
		for k, text := range texts {
			plain, ok := t.numbers.plain(text)
			if !ok {
				return l
			}
			texts[k] = plain
		}
		layout, sure := numberLayout(t.header[i], texts)
		if layout != "" {
			l.layouts, l.sure = []string{layout}, sure
			_, elapsed := elapsedName(t.header[i])
			l.named = l.named || elapsed || plainName(t.header[i]) == "year"
		}
		return l
	}
	l.layouts = layoutsOf(texts)
	if len(l.layouts) == 0 && !slices.ContainsFunc(texts, func(text string) bool { return !fits("15.04.05", text) }) {
		l.clock = true
		return l
	}
	if len(l.layouts) > 1 {
		l.layouts = risingLayouts(l.layouts, texts)
	}
	if len(l.layouts) == 0 {
		l.layouts = layoutsOf(texts[:1])
	}
	l.sure = len(l.layouts) > 0
	return l
}

// risingLayouts returns those of several layouts by which the texts rise, if one alone
// does, for no file reads by the others; or else all of them.
func risingLayouts(found, texts []string) []string {
	var rise []string
	for _, l := range found {
		c := clock{layout: l, loc: time.UTC}
		var last time.Time
		ok := true
		for i, text := range texts {
			t, problem, _ := c.parse(text)
			ok = ok && problem == "" && (i == 0 || t.After(last))
			last = t
		}
		if ok {
			rise = append(rise, l)
		}
	}
	if len(rise) == 1 {
		return rise
	}
	return found
}

// clockOnly refuses a column of times of day that has no days beside it.
func (t *table) clockOnly(i int) error {
	return t.fail(0, t.header[i], "", "holds times of day and there is no column of days",
		"set CSV.Time to it and CSV.TimeLayout to 15:04:05 or 15:04 if all rows are of one day, or set CSV.Time to NoTime and CSV.Columns to the columns of numbers")
}

// oneTime takes field i for the times.
func (t *table) oneTime(rows []row, i int) error {
	t.time = []int{i}
	if t.clock.layout != "" {
		t.setGrid(rows)
		return nil
	}
	l := t.lookAt(rows, i)
	switch {
	case len(l.layouts) == 1:
		t.clock.layout = l.layouts[0]
		t.setGrid(rows)
		t.noteLayout(l)
		return nil
	case len(rows) == 0 || len(l.layouts) == 0 && !l.number && !l.clock:
		return nil // the first row will say so
	case l.clock:
		return t.clockOnly(i)
	case l.number:
		return t.failAt(rows[0], i, notOneWay, "set CSV.TimeLayout, to ElapsedSeconds, ElapsedMinutes, ElapsedHours or ElapsedDays if it counts these, or CSV.Time to NoTime")
	}
	return t.failAt(rows[0], i, notOneWay, oneWayCure(t.texts(rows, i)))
}

// setGrid finds what decimal years stand for.
func (t *table) setGrid(rows []row) {
	if t.clock.layout != DecimalYear {
		return
	}
	var values []float64
	for _, text := range t.texts(rows, t.time[0]) {
		if plain, ok := t.numbers.plain(text); ok {
			v, _ := strconv.ParseFloat(plain, 64)
			values = append(values, v)
		}
	}
	t.clock.grid = gridOf(values)
}

// noteLayout says how times are read that do not have the year first.
func (t *table) noteLayout(l look) {
	layout := l.layouts[0]
	if slices.Contains(layouts[:], layout) || layout == Quarter || layout == Week {
		return
	}
	text := fmt.Sprintf("times are read as %s", layout)
	if shortYear(layout) {
		text += "; years of two digits are those of 1969 to 2068"
	}
	t.note(TimesRead, t.header[t.time[0]], text)
}

// isTaken reports whether a field is one of CSV.Where or of ReadGroups.
func (t *table) isTaken(i int) bool {
	_, condition := t.Where[t.header[i]]
	return condition || slices.Contains(t.groupBy, i)
}
