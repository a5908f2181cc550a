package datasets

import (
	"fmt"
	"strings"
)

const (
	delftWidth = 33
	// oldWidth is the least that a line of the old loggers may have: WindSpeed is
	// column 14 in them too.
	oldWidth = 14
	maxLine  = 1 << 16
)

// TUDelftReport says what ReadTUDelft took from a file and what it did not. Lines =
// Blank + Records + all Rejected.
type TUDelftReport struct {
	Lines, Blank, Records int
	// Disordered counts the records earlier than one before them. They are in their
	// hours all the same.
	Disordered int
	// Rejected are the lines that are no record, by reason, in the order in which the
	// reasons came up.
	Rejected []Rejection
	// Columns count the values of the records, in the order of the series.
	Columns []ColumnReport
	// Hours counts the clock hours with a record, and of the first column, FullHours
	// those with all 12 values and ShortHours those with fewer than the least count,
	// which are missing.
	Hours, FullHours, ShortHours int
}

// cellKind says what a cell holds; one that a line lacks is missing.
type cellKind int

const (
	missingCell cellKind = iota
	valueCell
	textCell
	farCell
)

// Rejection is a reason to reject lines, and how many there are.
type Rejection struct {
	Reason string
	Count  int
	First  int // line of the first
}

// ColumnReport counts the values of a column by what they are.
type ColumnReport struct {
	Column                                string
	Values, Missing, NoNumber, OutOfRange int
}

// Reasons to reject a line.
const (
	tooLong   = "longer than any line of a station"
	noTime    = "no time"
	repeated  = "the time of a record before"
	backwards = "earlier than a record before"
	tooMany   = "more columns than 33: two records on a line?"
	cutOff    = "fewer columns than 33: cut off?"
	garbage   = "fewer columns than 14: cut off, or garbage"
)

func widthReason(width int) string {
	switch {
	case width > delftWidth:
		return tooMany
	case width < oldWidth:
		return garbage
	}
	return cutOff
}

func newDelftReport(columns []string) TUDelftReport {
	var r TUDelftReport
	for _, name := range columns {
		r.Columns = append(r.Columns, ColumnReport{Column: name})
	}
	return r
}

func (c *ColumnReport) count(kind cellKind) {
	switch kind {
	case valueCell:
		c.Values++
	case textCell:
		c.NoNumber++
	case farCell:
		c.OutOfRange++
	default:
		c.Missing++
	}
}

// reject counts a line that is no record.
func (r *TUDelftReport) reject(reason string, line int) {
	for i := range r.Rejected {
		if r.Rejected[i].Reason == reason {
			r.Rejected[i].Count++
			return
		}
	}
	r.Rejected = append(r.Rejected, Rejection{reason, 1, line})
}

// rejected counts the lines that are no record, those of repeated times aside.
func (r TUDelftReport) rejected() (n, repeats int) {
	for _, x := range r.Rejected {
		if x.Reason == repeated {
			repeats = x.Count
		} else {
			n += x.Count
		}
	}
	return n, repeats
}

// String returns the report as some lines of text.
func (r TUDelftReport) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", count(r.Lines, "line"), count(r.Records, "record"))
	fmt.Fprintf(&b, ", %d blank, %d out of order\n", r.Blank, r.Disordered)
	for _, x := range r.Rejected {
		fmt.Fprintf(&b, "rejected %d: %s, the first on line %d\n", x.Count, x.Reason, x.First)
	}
	for _, c := range r.Columns {
		fmt.Fprintf(&b, "%s: %s, %d missing, %d no number, %d out of range\n", c.Column, count(c.Values, "value"), c.Missing, c.NoNumber, c.OutOfRange)
	}
	fmt.Fprintf(&b, "%s, %d with all 12 values, %d with too few", count(r.Hours, "hour"), r.FullHours, r.ShortHours)
	return b.String()
}
