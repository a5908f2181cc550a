package datasets

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
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
	if len(l.layouts) > 1 {
		l.layouts = risingLayouts(l.layouts, texts)
	}
	if len(l.layouts) == 0 {
		l.layouts = layoutsOf(texts[:1])
	}
	l.sure = len(l.layouts) > 0
	return l
}

// findTimes settles which fields hold the times and how they are read.
func (t *table) findTimes(rows []row) error {
	switch {
	case t.Time == NoTime:
		return nil
	case len(t.Times) > 0:
		var fields []int
		for k, name := range t.Times {
			i, err := t.field(name, "CSV.Times")
			if err != nil {
				return err
			}
			if slices.Contains(t.Times[:k], name) {
				return fmt.Errorf("datasets: CSV.Times names %s twice", inline(name))
			}
			fields = append(fields, i)
		}
		return t.joinTimes(rows, fields)
	case t.Time != "":
		i, err := t.field(t.Time, "CSV.Time")
		if err != nil {
			return err
		}
		if err := t.checkPartial(rows, i); err != nil {
			return err
		}
		return t.oneTime(rows, i)
	}
	return t.guessTimes(rows)
}

// guessTimes finds the times unasked, or refuses where it would have to guess.
func (t *table) guessTimes(rows []row) error {
	if len(rows) == 0 {
		return nil
	}
	looks := make([]look, len(t.header))
	var free, clocks []int // columns that may hold times, times of day
	for i, name := range t.header {
		if t.asked[name] || t.isTaken(i) {
			continue
		}
		looks[i] = t.lookAt(rows, i)
		if looks[i].clock {
			clocks = append(clocks, i)
		}
		if looks[i].isTime() {
			free = append(free, i)
		}
	}
	parts := t.parts()
	if len(parts) > 1 {
		free = slices.DeleteFunc(free, func(i int) bool { return slices.Contains(parts, i) })
	}
	switch {
	case len(free) == 0 && len(parts) > 1:
		return t.joinParts(rows, parts)
	case len(free) == 0 && slices.Contains(clocks, 0) && looks[0].named:
		return t.clockOnly(0)
	case len(free) == 0:
		return nil
	}
	i := free[0]
	first := i == 0 && (looks[0].named || !looks[0].number) || slices.Contains(clocks, 0) && looks[i].isDay()
	if t.TimeLayout == "" && looks[i].isDay() {
		switch hours := t.hours(rows, i); {
		case first && len(clocks) == 1:
			return t.joinTimes(rows, []int{i, clocks[0]})
		case first && len(clocks) == 0 && len(hours) == 1:
			return t.joinTimes(rows, []int{i, hours[0]})
		case len(clocks) > 0:
			return t.elsewhere(looks, i, clocks[0])
		case len(hours) > 0 && !first:
			return t.elsewhere(looks, i, hours[0])
		}
	}
	if !first || i != 0 {
		return t.elsewhere(looks, i, -1)
	}
	return t.oneTime(rows, 0)
}

// elsewhere refuses a file that has its times in another column than the first,
// since a series that lost them would have no gaps.
func (t *table) elsewhere(looks []look, i, clock int) error {
	name := t.header[i]
	problem := "seems to hold the times, which only the first column is taken for unasked"
	if i == 0 {
		problem = "seems to hold times, though its name does not say so"
	}
	if name == "" {
		problem = fmt.Sprintf("field %d of the header, without a name, %s", i+1, problem)
	}
	cure := "name it in CSV.Time"
	if clock >= 0 {
		cure = fmt.Sprintf("set CSV.Times to []string{%q, %q}", name, t.header[clock])
	}
	cure += ", or set CSV.Time to NoTime"
	if !looks[i].number || clock >= 0 {
		cure += " and CSV.Columns to the columns of numbers"
	}
	return t.fail(0, name, "", problem, cure)
}

// clockOnly refuses a column of times of day that has no days beside it.
func (t *table) clockOnly(i int) error {
	return t.fail(0, t.header[i], "", "holds times of day and there is no column of days",
		"set CSV.Time to it and CSV.TimeLayout to 15:04:05 or 15:04 if all rows are of one day, or set CSV.Time to NoTime and CSV.Columns to the columns of numbers")
}

// checkPartial refuses to take field i alone for the times if it holds but a part of
// them: days that repeat, times of day, or a year beside months.
func (t *table) checkPartial(rows []row, i int) error {
	if t.TimeLayout != "" || len(rows) < 2 {
		return nil
	}
	refuse := func(fields ...int) error {
		var quoted []string
		for _, f := range fields {
			quoted = append(quoted, fmt.Sprintf("%q", t.header[f]))
		}
		return t.fail(0, t.header[i], "", "holds but a part of the times", fmt.Sprintf("set CSV.Times to []string{%s}", strings.Join(quoted, ", ")))
	}
	repeats := strings.TrimSpace(rows[0].fields[i]) == strings.TrimSpace(rows[1].fields[i])
	if parts := t.chain(t.parts()); len(parts) > 1 && slices.Contains(parts, i) {
		return refuse(parts...)
	}
	l := t.lookAt(rows, i)
	for k := range t.header {
		if k == i || t.isTaken(k) || !l.clock && !(l.isDay() && repeats) {
			continue
		}
		switch other := t.lookAt(rows, k); {
		case l.clock && other.isDay() && (other.named || other.sure):
			return refuse(k, i)
		case !l.clock && other.clock:
			return refuse(i, k)
		}
	}
	if hours := t.hours(rows, i); l.isDay() && len(hours) > 0 {
		return refuse(i, hours[0])
	}
	return nil
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
	if slices.Contains(layouts[:], layout) || layout == Quarter {
		return
	}
	text := fmt.Sprintf("times are read as %s", layout)
	if shortYear(layout) {
		text += "; years of two digits are those of 1969 to 2068"
	}
	t.note(TimesRead, t.header[t.time[0]], text)
}

// hours returns the columns of whole hours beside days that repeat.
func (t *table) hours(rows []row, day int) (found []int) {
	if len(rows) < 2 || strings.TrimSpace(rows[0].fields[day]) != strings.TrimSpace(rows[1].fields[day]) {
		return nil
	}
	for i, name := range t.header {
		if partOf(name) == hourPart && i != day && !t.isTaken(i) && !slices.ContainsFunc(t.texts(rows, i), func(text string) bool {
			h, err := strconv.Atoi(text)
			return err != nil || h < 0 || h > 24
		}) {
			found = append(found, i)
		}
	}
	return found
}
