package datasets

import (
	"fmt"
	"slices"
	"strings"
)

// layouts of the parts by number, name of a month, and years of two digits.
var partLayout = map[part]string{yearPart: "2006", monthPart: "1", dayPart: "2", yearDayPart: "002", hourPart: "15", minutePart: "4", secondPart: "5"}

// follows says which parts make a time together with the parts before.
var follows = map[part][]part{
	quarterPart: {yearPart}, monthPart: {yearPart}, dayPart: {monthPart}, yearDayPart: {yearPart}, hourPart: {dayPart, yearDayPart}, minutePart: {hourPart}, secondPart: {minutePart},
}

// parts returns the columns called year, month, and so on, in this order, if there is
// a year and another.
func (t *table) parts(rows []row) (fields []int) {
	for i, name := range t.header {
		if p := partOf(name); p != noPart && !t.isTaken(i) && t.holdsPart(rows, i, p) {
			fields = append(fields, i)
		}
	}
	slices.SortStableFunc(fields, func(a, b int) int { return int(partOf(t.header[a])) - int(partOf(t.header[b])) })
	if len(fields) < 2 || partOf(t.header[fields[0]]) != yearPart {
		return nil
	}
	return fields
}

// holdsPart reports whether field i can hold the part p by its values: millimetres of rain
// are no months.
func (t *table) holdsPart(rows []row, i int, p part) bool {
	for _, text := range t.texts(rows, i) {
		v, err := t.numbers.parse(text)
		switch {
		case err != nil && p == monthPart && (fits("Jan", text) || fits("January", text)):
		case p == yearPart && len(text) <= 2 && allDigits(text):
		case err != nil || !p.isPartValue(v):
			return false
		}
	}
	return true
}

// joinParts joins columns called year, month and so on unasked, if they can be read
// in one way only, and refuses them if not.
func (t *table) joinParts(rows []row, fields []int) error {
	layout := t.partsLayout(rows, fields)
	if layout != "" && !shortYear(layout) {
		t.setJoined(fields, layout)
		ok := !slices.ContainsFunc(rows, func(r row) bool {
			text := t.timeText(r.fields)
			_, isQuarter := quarter(text)
			return !isQuarter && !fits(layout, text)
		})
		if ok {
			t.note(TimesJoined, "", fmt.Sprintf("times are joined from the columns %s", t.joinedNames()))
			return nil
		}
		t.time, t.clock.layout = nil, t.TimeLayout
	}
	var quoted []string
	for _, i := range t.chain(fields) {
		quoted = append(quoted, fmt.Sprintf("%q", t.header[i]))
	}
	if len(quoted) == 1 {
		// A year, and what is no part of it. Years that rise are times by themselves.
		year := fields[0]
		if l := t.lookAt(rows, year); year == 0 && len(l.layouts) > 0 && t.risesIn(rows, year) {
			return t.oneTime(rows, year)
		}
		return t.fail(0, t.header[year], "", "seems to hold a part of the times, and the columns beside it do not join with it", "set CSV.Time to NoTime")
	}
	return t.fail(0, t.header[fields[0]], "", "seems to hold a part of the times, which cannot be joined in one way only",
		fmt.Sprintf("set CSV.Times to []string{%s}, or CSV.Time to NoTime", strings.Join(quoted, ", ")))
}

// chain returns those of the parts that join, each following the one before.
func (t *table) chain(fields []int) (joined []int) {
	last := noPart
	for _, i := range fields {
		if p := partOf(t.header[i]); last == noPart || slices.Contains(follows[p], last) {
			joined = append(joined, i)
			last = p
		}
	}
	return joined
}

// partsLayout returns the layout of the texts of parts joined by blanks, or "" if the
// columns are not such parts, each following the one before.
func (t *table) partsLayout(rows []row, fields []int) string {
	var layout []string
	last := noPart
	for _, i := range fields {
		p := partOf(t.header[i])
		if p == noPart || last == noPart && p != yearPart || last != noPart && !slices.Contains(follows[p], last) {
			return ""
		}
		text := partLayout[p]
		if cells := t.texts(rows, i); len(cells) > 0 {
			switch n := len(cells[0]); {
			case p == yearPart && n <= 2:
				text = "06"
			case p == monthPart && !allDigits(strings.TrimSuffix(cells[0], ".0")) && n == 3:
				text = "Jan"
			case p == monthPart && !allDigits(strings.TrimSuffix(cells[0], ".0")):
				text = "January"
			}
		}
		layout = append(layout, text)
		last = p
	}
	if last == quarterPart {
		return Quarter
	}
	return strings.Join(layout, " ")
}

// joinTimes takes the fields together for the times.
func (t *table) joinTimes(rows []row, fields []int) error {
	if len(fields) == 1 {
		return t.oneTime(rows, fields[0])
	}
	if t.TimeLayout != "" {
		t.setJoined(fields, t.TimeLayout)
		return nil
	}
	sorted := slices.Clone(fields)
	slices.SortStableFunc(sorted, func(a, b int) int { return int(partOf(t.header[a])) - int(partOf(t.header[b])) })
	if layout := t.partsLayout(rows, sorted); layout != "" {
		t.setJoined(sorted, layout)
		t.note(TimesJoined, "", fmt.Sprintf("times are joined from the columns %s", t.joinedNames()))
		return nil
	}
	t.setJoined(fields, "")
	var texts []string
	for _, r := range rows {
		lacks := func(i int) bool { return strings.TrimSpace(r.fields[i]) == "" }
		if !slices.ContainsFunc(fields, lacks) {
			texts = append(texts, t.timeText(r.fields))
		}
	}
	found := t.wholeLayout(texts)
	if len(found) == 0 {
		found = risingLayouts(layoutsOf(texts), texts)
	}
	switch {
	case len(texts) == 0:
		return nil // the first row will say so
	case len(found) != 1:
		return t.fail(rows[0].line, t.joinedNames(), texts[0], notOneWay, oneWayCure(texts))
	}
	t.clock.layout = found[0]
	t.note(TimesJoined, "", fmt.Sprintf("times are joined from the columns %s and read as %s", t.joinedNames(), found[0]))
	return nil
}

// wholeLayout returns the layout of whole numbers that follow each other as year,
// month, day, hour, minute and second.
func (t *table) wholeLayout(texts []string) []string {
	if len(texts) == 0 {
		return nil
	}
	numbers := strings.Fields(texts[0])
	if len(numbers) != len(t.time) || len(numbers) > 6 || len(numbers[0]) != 4 {
		return nil
	}
	for k, i := range t.time {
		// A name that is known must be where it belongs.
		if p := partOf(t.header[i]); p != noPart && p != wholeParts[k] {
			return nil
		}
	}
	layout := strings.Join(strings.Fields("2006 1 2 15 4 5")[:len(numbers)], " ")
	for _, text := range texts {
		if !fits(layout, text) {
			return nil
		}
	}
	return []string{layout}
}

var wholeParts = [6]part{yearPart, monthPart, dayPart, hourPart, minutePart, secondPart}

// risesIn reports whether the numbers of field i rise from row to row.
func (t *table) risesIn(rows []row, i int) bool {
	var values []float64
	for _, text := range t.texts(rows, i) {
		v, err := t.numbers.parse(text)
		if err != nil {
			return false
		}
		values = append(values, v)
	}
	return rising(values)
}

func (t *table) setJoined(fields []int, layout string) {
	t.time, t.clock.layout = fields, layout
	t.pad = len(fields) > 1 && partOf(t.header[fields[1]]) == yearDayPart
}

func (t *table) joinedNames() string {
	var names []string
	for _, i := range t.time {
		names = append(names, inline(t.header[i]))
	}
	return strings.Join(names, ", ")
}

// timeText returns the text of the time of a row.
func (t *table) timeText(fields []string) string {
	if len(t.time) == 1 {
		return fields[t.time[0]]
	}
	var b strings.Builder
	for k, i := range t.time {
		if k > 0 {
			b.WriteByte(' ')
		}
		text := strings.TrimSuffix(strings.TrimSpace(fields[i]), ".0")
		if t.pad && k == 1 {
			b.WriteString(strings.Repeat("0", max(0, 3-len(text))))
		}
		if k == 1 && partOf(t.header[i]) == quarterPart && allDigits(text) {
			b.WriteByte('Q')
		}
		b.WriteString(text)
	}
	return b.String()
}
