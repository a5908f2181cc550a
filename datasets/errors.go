package datasets

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CellError says what in a file or a data frame could not be taken, where it is,
// and what to do. Its text is one line. All that can be wrong inside a file is a
// CellError, so that errors.As finds the place; parts that do not apply are zero.
type CellError struct {
	File    string // name of the file, or "data frame"
	Line    int    // line of the file, counted from 1
	Row     int    // row of the data frame, counted from 1
	Column  string // name of the column
	Text    string // what stands there
	Problem string // what is wrong with it
	Cure    string // what to do
}

// ErrNoRows is what a CellError is, by errors.Is, where a file is empty, has a header alone,
// or no row that Where keeps: of many files that belong together some may.
var ErrNoRows = errors.New("datasets: there are no rows")

const emptyFile, headerAlone = "the file is empty", "has a header and no rows"

// noneOfIts begins what is wrong where Where keeps no row.
const noneOfIts = "none of its "

// Is reports whether the error is ErrNoRows.
func (e *CellError) Is(target error) bool {
	return target == ErrNoRows && (e.Problem == emptyFile || e.Problem == headerAlone || strings.HasPrefix(e.Problem, noneOfIts))
}

// Error returns the place, the text, the problem and the cure in one line.
func (e *CellError) Error() string {
	var b strings.Builder
	b.WriteString("datasets: " + inline(e.File))
	if e.Line > 0 {
		fmt.Fprintf(&b, ", line %d", e.Line)
	}
	if e.Row > 0 {
		fmt.Fprintf(&b, ", row %d", e.Row)
	}
	if e.Column != "" {
		b.WriteString(", column " + inline(e.Column))
	}
	b.WriteString(": ")
	if e.Text != "" {
		b.WriteString(quote(e.Text) + " ")
	}
	b.WriteString(e.Problem)
	if e.Cure != "" {
		b.WriteString("; " + e.Cure)
	}
	return b.String()
}

// maxQuoted is the number of characters of a text that an error repeats.
const maxQuoted = 60

// quote returns s in quotes, cut if it is long: a cell can be a megabyte.
func quote(s string) string {
	if len(s) <= maxQuoted {
		return strconv.Quote(s)
	}
	cut := maxQuoted
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return strconv.Quote(s[:cut]) + "…"
}

// inline returns s as it is if it fits in a line of text, and quoted if not.
func inline(s string) string {
	odd := func(r rune) bool { return !unicode.IsPrint(r) || r == utf8.RuneError }
	if s == "" || len(s) > 4*maxQuoted || strings.ContainsFunc(s, odd) {
		return quote(s)
	}
	return s
}

// maxListed is the number of columns that an error lists.
const maxListed = 20

// list returns names for an error: those there are, with commas.
func list(names []string) string {
	var b strings.Builder
	for i, n := range names {
		if i == maxListed {
			fmt.Fprintf(&b, " and %d more", len(names)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(inline(n))
	}
	return b.String()
}

// given returns r, and for nil, from which there is nothing to read, a reader that says so.
func given(r io.Reader) io.Reader {
	if r == nil {
		return noReader{}
	}
	return r
}

type noReader struct{}

func (noReader) Read([]byte) (int, error) {
	return 0, errors.New("there is no reader: it is nil; open the file first, and look at the error that came with it")
}
