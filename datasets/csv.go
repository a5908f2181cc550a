package datasets

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// NoTime is the CSV.Time of a file whose rows have no times.
const NoTime = "-"

// CSV says how a file is written. The zero value suits a file with commas, decimal
// points and a header.
type CSV struct {
	// Comma separates the fields. Zero means ','.
	Comma rune
	// Decimal is the decimal sign. Zero means '.'.
	Decimal rune
	// Thousands is the sign between groups of three digits. Zero means there is
	// none, and 1,234 is then no number.
	Thousands rune

	// Time names the column of times, which must increase from row to row. Zero
	// means the first column if it is called date, time, datetime, timestamp, utc
	// or so, or if its first cell is a time with the year first; otherwise there
	// are no times. It is an error then if another column seems to hold them, unless
	// Columns asks for it as numbers. NoTime says there are none.
	Time string
	// TimeLayout is the layout of the times, as in package time. Zero means that of
	// the first, if it has the year first. An abbreviation of a zone must be UTC, GMT
	// or one that Location has: another names no one offset.
	TimeLayout string
	// Location is where clocks show the times that do not name their zone. Nil
	// means UTC. In a Series all times are UTC, but days and months are counted on
	// this clock.
	Location *time.Location
	// Step is the sampling step. Zero means the most common one; see Series.Step.
	Step time.Duration

	// Columns are those to read, in the order wanted. None means all but the
	// column of times and those of Where. A header that is all numbers is refused as
	// data if there are none.
	Columns []string
	// Missing are markers of missing values, besides the empty cell, NA, NaN and
	// null, in any case and between any blanks.
	Missing []string
	// Range gives the lowest and the highest value that is possible in a column. A
	// value outside counts as missing, and Series.String says how many there are. An
	// infinity leaves an end open. Nil takes all values.
	Range map[string][2]float64
	// Where keeps the rows in which each of these columns has this text, blanks
	// trimmed. The others are passed over unread: it is the way to one series in a
	// file that stacks several. Nil keeps all rows.
	Where map[string]string
}

// ReadCSV reads the file at path. Besides the errors of package os, all that is
// wrong in the file is a *[CellError]. The file is read once, line by line.
//
// A byte order mark and CR LF are fine. A compressed file, UTF-16, line ends of CR
// alone, a pipe or device (for these there is Read), an empty file, a header alone,
// a row with too many or too few fields, a column without name, two of one name,
// text or an infinity in a column of numbers, a time that repeats or runs backwards:
// each is an error, and nothing is sorted, merged, filled or dropped. With Columns
// set, columns that are not asked for may lack a name, share one, and hold what they
// like.
func ReadCSV(path string, o CSV) (*Series, error) {
	// Looked at first, since opening a pipe can wait for ever.
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("datasets: %w", err)
	case info.IsDir():
		return nil, &CellError{File: path, Problem: "is a directory", Cure: "name a file in it"}
	case !info.Mode().IsRegular():
		return nil, &CellError{File: path, Problem: "is no regular file", Cure: "open it and give it to Read"}
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("datasets: %w", err)
	}
	defer f.Close()
	return Read(f, path, o)
}

// Read does as ReadCSV for a file that is open already; name is for the errors.
func Read(r io.Reader, name string, o CSV) (*Series, error) {
	if name == "" {
		name = "data"
	}
	t, err := newTable(r, name, o)
	if err != nil {
		return nil, err
	}
	for {
		err := t.next()
		if err == io.EOF {
			return t.series()
		}
		if err != nil {
			return nil, err
		}
	}
}

// table is a CSV file on its way into a Series.
type table struct {
	CSV
	name    string
	csv     *csv.Reader
	guard   *guard
	numbers numbers
	clock   clock

	header  []string
	started bool // the roles below are known
	time    int  // field of the times, −1 if none
	fields  []int
	where   []condition
	seen    int // rows read, also those that Where passes over

	out      Series
	signed   []bool // a column has had decimal signs
	lastLine int    // of the row before
	endLine  int    // last line of the record before
}

type condition struct {
	field int
	text  string
}

func newTable(r io.Reader, name string, o CSV) (*table, error) {
	t := &table{CSV: o, name: name, time: -1}
	if t.Comma == 0 {
		t.Comma = ','
	}
	if strings.ContainsRune("\"\r\n\x00\uFFFD", t.Comma) || !utf8.ValidRune(t.Comma) {
		return nil, fmt.Errorf("datasets: CSV.Comma is %q, which cannot separate fields", t.Comma)
	}
	if t.Step < 0 {
		return nil, fmt.Errorf("datasets: CSV.Step is %v; it must not be negative", t.Step)
	}
	for _, name := range slices.Sorted(maps.Keys(t.Range)) {
		if r := t.Range[name]; !(r[0] <= r[1]) {
			return nil, fmt.Errorf("datasets: CSV.Range of column %s is %v to %v; put the lower first", inline(name), r[0], r[1])
		}
	}
	if t.Location == nil {
		t.Location = time.UTC
	}
	var err error
	if t.numbers, err = newNumbers(o.Decimal, o.Thousands, o.Missing); err != nil {
		return nil, err
	}
	t.clock = clock{layout: o.TimeLayout, loc: t.Location}

	t.guard = &guard{r: r, left: maxRecord}
	b := bufio.NewReader(t.guard)
	if err := t.checkEncoding(b); err != nil {
		return nil, err
	}
	t.csv = csv.NewReader(b)
	t.csv.Comma = t.Comma
	t.csv.FieldsPerRecord = -1 // counted here, with a better message
	t.csv.ReuseRecord = true
	header, err := t.read()
	if err == io.EOF {
		return nil, t.fail(0, "", "", "the file is empty", "it needs a header and rows")
	}
	if err != nil {
		return nil, err
	}
	return t, t.readHeader(header)
}

func (t *table) fail(line int, column, text, problem, cure string) error {
	return &CellError{File: t.name, Line: line, Column: column, Text: text, Problem: problem, Cure: cure}
}

// next adds a row, or returns io.EOF when there are no more.
func (t *table) next() error {
	record, err := t.read()
	if err != nil {
		return err
	}
	line, _ := t.csv.FieldPos(0)
	if err := t.checkRecord(record, line); err != nil {
		return err
	}
	t.seen++
	if !t.started {
		if err := t.start(record); err != nil {
			return err
		}
	}
	for _, c := range t.where {
		if strings.TrimSpace(record[c.field]) != c.text {
			return nil
		}
	}
	if t.time >= 0 {
		if err := t.addTime(record[t.time], line); err != nil {
			return err
		}
	}
	for j, f := range t.fields {
		v, err := t.numbers.parse(record[f])
		if err != nil {
			line, _ := t.csv.FieldPos(f)
			problem, cure := t.numbers.explain(record[f], err, t.signed[j])
			return t.fail(line, t.header[f], record[f], problem, cure)
		}
		t.signed[j] = t.signed[j] || strings.Contains(record[f], t.numbers.decimal)
		if r, ok := t.Range[t.header[f]]; ok && (v < r[0] || v > r[1]) {
			v = outOfRange
		}
		t.out.values[j] = append(t.out.values[j], v)
	}
	t.lastLine = line
	t.out.rows++
	return nil
}

// checkRecord refuses a ragged row, and a blank line where it could be a value.
func (t *table) checkRecord(record []string, line int) error {
	if len(record) != len(t.header) {
		if slices.ContainsFunc(record, func(s string) bool { return strings.Contains(s, "\r") }) {
			return t.fail(line, "", "", loneCR, loneCRCure)
		}
		return t.fail(line, "", "", fmt.Sprintf("has %s, the header %d", count(len(record), "field"), len(t.header)),
			"mend the row, or set CSV.Comma; a field that holds the separator needs quotes")
	}
	if len(record) == 1 {
		// encoding/csv skips blank lines. With one column they may be meant.
		if line > t.endLine+1 {
			return t.fail(t.endLine+1, t.header[0], "", "is blank", "write NA for a missing value, or remove the line")
		}
	}
	last := len(record) - 1
	t.endLine, _ = t.csv.FieldPos(last)
	t.endLine += strings.Count(record[last], "\n")
	return nil
}

func (t *table) addTime(text string, line int) error {
	at, problem, cure := t.clock.parse(text)
	if problem != "" {
		return t.fail(line, t.header[t.time], text, problem, cure)
	}
	if n := len(t.out.times); n > 0 {
		last := t.out.times[n-1]
		if problem := order(last, at, fmt.Sprintf("line %d", t.lastLine)); problem != "" {
			cure := "if there is a UTC column, name it in CSV.Time; " +
				"if the file stacks several series, pick one with CSV.Where; else sort or mend the file"
			if at.After(last) {
				cure = "mend the file, or set CSV.Time to NoTime and leave the column out with CSV.Columns"
			}
			return t.fail(line, t.header[t.time], text, problem, cure)
		}
	}
	t.out.times = append(t.out.times, at)
	return nil
}

// series returns what was read.
func (t *table) series() (*Series, error) {
	if t.seen == 0 {
		return nil, t.fail(0, "", "", "has a header and no rows", "it needs rows")
	}
	if t.out.rows == 0 {
		var want []string
		for _, c := range t.where {
			want = append(want, fmt.Sprintf("%s = %s", inline(t.header[c.field]), inline(c.text)))
		}
		return nil, t.fail(0, "", "", fmt.Sprintf("none of its %s has %s", count(t.seen, "row"), strings.Join(want, " and ")),
			"CSV.Where compares whole cells, capitals included")
	}
	s := t.out
	s.name = t.name
	s.setStep(t.Step, t.Location)
	for j := range s.values {
		s.values[j] = slices.Clip(s.values[j])
	}
	return &s, nil
}
