package datasets

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// table is a CSV file on its way into one Series or several.
type table struct {
	CSV
	name    string
	by      []string // columns that tell the series apart
	rec     *records
	numbers numbers
	clock   clock

	header []string
	units  []string       // under the names, nil if there are none
	index  map[string]int // the first field of each name
	asked  map[string]bool
	head   []row // rows read ahead, to see what the columns hold
	after  error // what came after the head, nil if more rows do

	time    []int // fields of the times, none if there are none
	pad     bool  // the second of them is a day of the year
	fields  []int
	ranges  [][2]float64 // of fields; NaN if none
	deltas  []bool       // of fields: CSV.Differences
	where   []condition
	groupBy []int
	seen    int // rows read, also those that Where passes over
	empty   int // rows with nothing in any field

	signed  []bool // a column has had decimal signs
	points  points
	beyond  []int // whole numbers that a float64 cannot hold
	notes   []Note
	groups  map[string]*group
	order   []*group
	endLine int // last line of the record before
}

// group is one series that is read.
type group struct {
	out      Series
	lastLine int // of the row before
	last     []whole
}

type condition struct {
	field int
	text  string
}

// row is a record with its place.
type row struct {
	fields []string
	line   int
	lines  []int // of the fields, nil if all are on line
	end    int   // its last line
	blank  int   // the last blank line before
}

// checkOptions refuses settings that no file suits.
func (t *table) checkOptions() error {
	if strings.ContainsRune("\"'\r\n\x00\uFFFD+-.", t.Comma) || !utf8.ValidRune(t.Comma) || unicode.IsLetter(t.Comma) || unicode.IsDigit(t.Comma) {
		return fmt.Errorf("datasets: CSV.Comma is %q, which cannot separate fields: it must be no digit, letter, quote, sign or point, as numbers and names have these", t.Comma)
	}
	switch {
	case t.Step < 0:
		return fmt.Errorf("datasets: CSV.Step is %v; it must not be negative", t.Step)
	case t.Skip < 0 || t.HeaderRows < 0:
		return fmt.Errorf("datasets: CSV.Skip is %d and CSV.HeaderRows %d; they must not be negative", t.Skip, t.HeaderRows)
	case !(t.Tolerance < .5):
		return fmt.Errorf("datasets: CSV.Tolerance is %v; it must be less than half a step", t.Tolerance)
	case t.Time != "" && len(t.Times) > 0:
		return fmt.Errorf("datasets: CSV.Time is %s and CSV.Times %s; set one of them", inline(t.Time), list(t.Times))
	}
	for _, name := range slices.Sorted(maps.Keys(t.Range)) {
		if r := t.Range[name]; !(r[0] <= r[1]) {
			return fmt.Errorf("datasets: CSV.Range of column %s is %v to %v; put the lower first", inline(name), r[0], r[1])
		}
	}
	return nil
}

func (t *table) fail(line int, column, text, problem, cure string) error {
	return &CellError{File: t.name, Line: line, Column: column, Text: text, Problem: problem, Cure: cure}
}

// failAt is fail for field i of a row.
func (t *table) failAt(r row, i int, problem, cure string) error {
	line := r.line
	if i < len(r.lines) {
		line = r.lines[i]
	}
	return t.fail(line, t.header[i], r.fields[i], problem, cure)
}

func (t *table) note(kind NoteKind, column, text string) {
	t.notes = append(t.notes, Note{Kind: kind, Column: column, Text: text})
}

// whole is the value of a column in the row before, for differences.
type whole struct {
	there bool
	exact bool  // n is the value, and not only v
	n     int64 // if it is whole and fits
	v     float64
}
