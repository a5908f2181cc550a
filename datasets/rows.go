package datasets

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// readTable reads all of a file.
func readTable(r io.Reader, name string, o CSV, by []string) ([]*Series, error) {
	t, err := newTable(r, name, o)
	if err != nil {
		return nil, err
	}
	t.by = by
	if err := t.readHeader(); err != nil {
		return nil, err
	}
	if len(t.head) > 0 {
		if err := t.start(); err != nil {
			return nil, err
		}
	}
	for _, row := range t.head {
		if err := t.add(row); err != nil {
			return nil, err
		}
	}
	for t.head = nil; t.after == nil; {
		var next row
		if next, t.after = t.read(); t.after == nil {
			if err := t.add(next); err != nil {
				return nil, err
			}
		}
	}
	if t.after != io.EOF {
		return nil, t.after
	}
	return t.series()
}

func newTable(r io.Reader, name string, o CSV) (*table, error) {
	t := &table{CSV: o, name: name, groups: map[string]*group{}, asked: map[string]bool{}}
	if t.Comma == 0 {
		t.Comma = ','
	}
	if t.Comment == "" {
		t.Comment = "#"
	}
	if t.HeaderRows == 0 {
		t.HeaderRows = 1
	}
	if t.Location == nil {
		t.Location = time.UTC
	}
	for _, name := range o.Columns {
		t.asked[name] = true
	}
	if err := t.checkOptions(); err != nil {
		return nil, err
	}
	var err error
	if t.numbers, err = newNumbers(o.Decimal, o.Thousands, o.Missing); err != nil {
		return nil, err
	}
	t.clock = clock{layout: o.TimeLayout, loc: t.Location, decimal: t.numbers.decimal}
	t.rec = &records{b: bufio.NewReaderSize(given(r), 1<<16), comma: t.Comma, comment: t.Comment, latin1: t.Latin1}
	return t, t.checkEncoding(t.rec.b)
}

// add adds a row to its series.
func (t *table) add(r row) error {
	if err := t.checkRow(r); err != nil {
		return err
	}
	t.seen++
	if len(t.time) > 0 && !slices.ContainsFunc(r.fields, func(text string) bool { return strings.TrimSpace(text) != "" }) {
		t.empty++ // it has not even a time
		return nil
	}
	for _, c := range t.where {
		if text := strings.TrimSpace(r.fields[c.field]); text != c.text {
			if !utf8.ValidString(text) {
				return t.failAt(r, c.field, notUTF8, notUTF8Cure)
			}
			return nil
		}
	}
	g, err := t.groupOf(r)
	if err != nil {
		return err
	}
	if len(t.time) > 0 {
		if err := t.addTime(g, r); err != nil {
			return err
		}
	}
	for j, f := range t.fields {
		v, err := t.numbers.parse(r.fields[f])
		if err != nil {
			problem, cure := t.numbers.explain(r.fields[f], err, t.signed[j])
			return t.failAt(r, f, problem, cure)
		}
		if math.Abs(v) >= 1<<53 || t.deltas[j] {
			if v = t.exact(g, j, r.fields[f], v); math.IsInf(v, 0) {
				return t.failAt(r, f, "is so far from the value of the row before that no number holds the difference",
					"mend the file, or leave the column out of CSV.Differences")
			}
		}
		if t.points.on && !math.IsNaN(v) {
			t.points.see(j, r.fields[f], r.line)
		}
		t.signed[j] = t.signed[j] || strings.Contains(r.fields[f], t.numbers.decimal)
		if v < t.ranges[j][0] || v > t.ranges[j][1] {
			v = outOfRange
		}
		g.out.values[j] = append(g.out.values[j], v)
	}
	g.lastLine = r.line
	g.out.rows++
	return nil
}

// checkRow refuses a ragged row, and a blank line where it could be a value.
func (t *table) checkRow(r row) error {
	if len(r.fields) != len(t.header) {
		if slices.ContainsFunc(r.fields, func(s string) bool { return strings.Contains(s, "\r") }) {
			return t.fail(r.line, "", "", loneCR, loneCRCure)
		}
		return t.fail(r.line, "", "", fmt.Sprintf("has %s, the header %d", count(len(r.fields), "field"), len(t.header)),
			"mend the row, or set CSV.Comma; a field that holds the separator needs quotes")
	}
	// Blank lines are passed over. With one column they may be meant.
	if len(r.fields) == 1 && r.blank > t.endLine {
		return t.fail(r.blank, t.header[0], "", "is blank", "write NA for a missing value, or remove the line")
	}
	t.endLine = r.end
	return nil
}

// groupOf returns the series that a row belongs to.
func (t *table) groupOf(r row) (*group, error) {
	key := ""
	var texts []string
	if len(t.groupBy) == 1 {
		key = strings.TrimSpace(r.fields[t.groupBy[0]])
	} else {
		for _, f := range t.groupBy {
			key += strings.TrimSpace(r.fields[f]) + "\x00"
		}
	}
	if g := t.groups[key]; g != nil {
		return g, nil
	}
	for _, f := range t.groupBy {
		text := strings.TrimSpace(r.fields[f])
		if !utf8.ValidString(text) {
			return nil, t.failAt(r, f, notUTF8, notUTF8Cure)
		}
		texts = append(texts, text)
	}
	g := &group{last: make([]whole, len(t.fields))}
	g.out.group = texts
	g.out.values = make([][]float64, len(t.fields))
	t.groups[strings.Clone(key)] = g
	t.order = append(t.order, g)
	return g, nil
}

// addTime adds the time of a row.
func (t *table) addTime(g *group, r row) error {
	text := t.timeText(r.fields)
	at, problem, cure := t.clock.parse(text)
	if last := len(g.out.times) - 1; problem == "" && last >= 0 {
		before := g.out.times[last]
		if problem = order(before, at, fmt.Sprintf("line %d", g.lastLine)); problem != "" {
			cure = "if there is a UTC column, name it in CSV.Time; " +
				"if the file stacks several series, pick one with CSV.Where or read all with ReadGroups; else sort or mend the file"
			if len(t.time) > 1 && len(t.Times) == 0 {
				cure += "; if the rows are no series, set CSV.Time to NoTime"
			}
			if why := t.clock.comesTwice(g.out.times, at); why != "" {
				problem += ", " + why
				cure = twiceCure + "; " + cure
			}
			if at.After(before) {
				cure = "mend the file, or set CSV.Time to NoTime and leave the column out with CSV.Columns"
			}
		}
	}
	if problem != "" {
		line := r.line
		if i := t.time[0]; i < len(r.lines) {
			line = r.lines[i]
		}
		var names []string
		for _, f := range t.time {
			names = append(names, t.header[f])
		}
		return t.fail(line, strings.Join(names, ", "), text, problem, cure)
	}
	g.out.times = append(g.out.times, at)
	return nil
}

// series returns what was read.
func (t *table) series() ([]*Series, error) {
	if t.seen == 0 {
		return nil, t.fail(0, "", "", headerAlone, "it needs rows")
	}
	if len(t.order) == 0 {
		var want []string
		for _, c := range t.where {
			want = append(want, fmt.Sprintf("%s = %s", inline(t.header[c.field]), inline(c.text)))
		}
		return nil, t.fail(0, "", "", fmt.Sprintf(noneOfIts+"%s has %s", count(t.seen, "row"), strings.Join(want, " and ")),
			"CSV.Where compares whole cells, capitals included")
	}
	if t.Decimal == t.Comma && !slices.Contains(t.signed, true) {
		// In quotes a number may have the sign of the separator.
		return nil, t.fail(0, "", "", fmt.Sprintf("has no number with the decimal sign %q, which separates its fields too", t.Comma), "set CSV.Comma or CSV.Decimal to another sign; where both are one, numbers need quotes")
	}
	if err := t.checkPoints(); err != nil {
		return nil, err
	}
	t.closingNotes()
	var all []*Series
	for _, g := range t.order {
		s := &g.out
		s.name = t.name
		if len(t.by) > 0 {
			s.name += ": " + strings.Join(s.group, ", ")
		}
		for k, f := range t.fields {
			s.columns = append(s.columns, t.header[f])
			if t.units != nil {
				s.units = append(s.units, t.units[f])
			}
			s.values[k] = slices.Clip(s.values[k])
		}
		if len(t.time) > 0 {
			s.timeName = t.header[t.time[0]]
		}
		if len(t.time) > 1 {
			s.timeName = "time"
		}
		s.notes = t.notes
		s.tolerance = t.Tolerance
		s.setStep(t.Step, t.Location)
		all = append(all, s)
	}
	return all, nil
}

// checkPoints refuses a file whose points read in two ways.
func (t *table) checkPoints() error {
	j := t.points.inDoubt()
	if j < 0 {
		return nil
	}
	c := t.points.columns[j]
	return t.fail(c.line, t.header[t.fields[j]], c.first,
		fmt.Sprintf("is %s or, with a sign between thousands, %s: every point of the file stands before three digits, and cells of the column have none", c.first, strings.Replace(c.first, ".", "", 1)),
		"decimal point? set CSV.Decimal to '.'; thousands sign? set CSV.Decimal to ',' and CSV.Thousands to '.'")
}

// pointsNote says which columns are read with decimal points, though nothing in the file tells them from
// signs between thousands.
func (t *table) pointsNote() {
	columns := t.points.allGrouped()
	if len(columns) == 0 {
		return
	}
	var names []string
	for _, j := range columns {
		names = append(names, t.header[t.fields[j]])
	}
	about, column := "columns "+list(names)+" have", ""
	if len(names) == 1 {
		about, column = "column "+inline(names[0])+" has", names[0]
	}
	first := t.points.columns[columns[0]].first
	t.note(PointsDecimal, column, fmt.Sprintf("%s a point before three digits in every cell, and nothing in the file tells what it is: %s is read as that, not as %s; decimal point? set CSV.Decimal to '.', and this note goes; thousands sign? set CSV.Decimal to ',' and CSV.Thousands to '.'",
		about, first, strings.Replace(first, ".", "", 1)))
}

// closingNotes says what was counted while reading.
func (t *table) closingNotes() {
	if n := t.rec.comments; n > 0 {
		t.note(Comments, "", fmt.Sprintf("%s of comment passed over", count(n, "line")))
	}
	if n := t.empty; n > 0 {
		t.note(Comments, "", fmt.Sprintf("%s with nothing in them passed over", count(n, "row")))
	}
	t.pointsNote()
	if line := t.rec.utf8; line != "" && !t.rec.noUTF8 {
		// The first word that differs, as it is and as it was read.
		word := line
		for _, word = range strings.FieldsFunc(line, func(r rune) bool { return r == t.Comma || r == '"' || unicode.IsSpace(r) }) {
			if strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) {
				break
			}
		}
		t.note(OtherEncoding, "", fmt.Sprintf("all text of the file is UTF-8, and CSV.Latin1 has it read as another: %s as %s; if it should be %s, leave CSV.Latin1 unset",
			inline(word), inline(t.rec.decode([]byte(word))), inline(word)))
	}
	if n := t.clock.midnights; n > 0 {
		t.note(Midnights, "", fmt.Sprintf("%s at 24:00, read as the start of the next day", count(n, "time")))
	}
	if n := t.clock.twice; n > 0 {
		stand := " stand"
		if n == 1 {
			stand = " stands"
		}
		t.note(OnceOfTwice, t.header[t.time[0]], fmt.Sprintf("%s%s once in the hour that comes twice, where the clocks of %v go back: %s, and the other is missing; if that is wrong, write the times in UTC or with their offset, as 2020-10-25T02:00:00+01:00",
			count(n, "time"), stand, t.Location, t.clock.firstOf))
	}
	for j, n := range t.beyond {
		if name := t.header[t.fields[j]]; n > 0 {
			t.notes = append(t.notes, Note{DigitsLost, name, true, fmt.Sprintf(
				"column %s has %s beyond 2^53 whose last digits float64 cannot hold; CSV.Differences reads how much they grow, exactly", inline(name), count(n, "whole number"))})
		}
	}
}
