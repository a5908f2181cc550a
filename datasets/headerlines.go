package datasets

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// isDatum reports whether a cell is a number or a time.
func (t *table) isDatum(text string) bool {
	text = strings.TrimSpace(text)
	_, number := t.numbers.plain(text)
	return number || layoutOf(text) != "" || isClock(text)
}

// separators are the signs that files are written with, besides blanks.
var separators = [...]rune{';', '\t', '|', ','}

// checkSeparator refuses a header, or a row after it, that is one field and has
// another separator in it.
func (t *table) checkSeparator(line int) error {
	if len(t.header) > 1 {
		return nil
	}
	one := func(line int, text string) error {
		for _, sign := range separators {
			if sign != t.Comma && strings.ContainsRune(text, sign) {
				return t.fail(line, "", text, fmt.Sprintf("is one field; its separator is %q?", sign), fmt.Sprintf("set CSV.Comma to %q", sign))
			}
		}
		return nil
	}
	if err := one(line, t.header[0]); err != nil || len(t.head) == 0 {
		return err
	}
	r := t.head[0]
	if len(r.fields) != 1 {
		return nil
	}
	names, cells := strings.Fields(t.header[0]), strings.Fields(r.fields[0])
	if len(names) > 1 && len(names) == len(cells) && t.Comma != ' ' && t.isDatum(cells[len(cells)-1]) {
		return t.fail(line, "", t.header[0], "is one field; its separator is a blank?", "set CSV.Comma to ' '")
	}
	if t.isDatum(r.fields[0]) || t.numbers.isMissing(strings.TrimSpace(r.fields[0])) {
		return nil // a number with a decimal comma, say
	}
	if layoutOf(strings.Split(r.fields[0], ";")[0]) == "" && strings.ContainsFunc(r.fields[0], isDigitRune) && !strings.Contains(r.fields[0], ";") {
		return nil
	}
	return one(r.line, r.fields[0])
}

func isDigitRune(r rune) bool { return '0' <= r && r <= '9' }

// checkPreamble refuses lines before the header: those of the file of a Campbell
// logger, or of another number of fields than all rows that follow, if these have a
// header of their own.
func (t *table) checkPreamble(line int) error {
	const problem = "is no header but a line before it"
	text := strings.Join(t.header, string(t.Comma))
	if t.header[0] == "TOA5" {
		return t.fail(line, "", text, problem, fmt.Sprintf("set CSV.Skip to %d and CSV.HeaderRows to 3", line))
	}
	n := len(t.head)
	if n < 2 {
		return nil
	}
	width := len(t.head[n-1].fields)
	k := n - 1
	for k > 0 && len(t.head[k-1].fields) == width {
		k--
	}
	if width == len(t.header) || n-k < 2 {
		return nil
	}
	names := t.head[k]
	for i, name := range names.fields {
		if t.isDatum(name) || i == 0 && strings.TrimSpace(name) == "" {
			return nil
		}
	}
	return t.fail(line, "", text, problem, fmt.Sprintf("set CSV.Skip to %d", names.line-1))
}

// checkSheetLine refuses the line that tells a spreadsheet the separator: sep=;
func (t *table) checkSheetLine(line int) error {
	sign, ok := strings.CutPrefix(strings.ToLower(t.header[0]), "sep=")
	if !ok || len(t.header) > 2 || len(t.header) == 2 && sign+t.header[1] != "" {
		return nil
	}
	if sign == "" && len(t.header) == 1 {
		sign = "\t" // a blank, which is trimmed
	}
	cure := fmt.Sprintf("set CSV.Skip to %d", line)
	if r, n := utf8.DecodeRuneInString(sign); n > 0 && n == len(sign) && r != t.Comma {
		cure += fmt.Sprintf(" and CSV.Comma to %q", r)
	}
	return t.fail(line, "", strings.Join(t.header, string(t.Comma)), "tells a spreadsheet the separator, and is no header", cure)
}

// checkLine refuses a header that is one line of something else.
func (t *table) checkLine(line int) error {
	if err := t.checkSheetLine(line); err != nil {
		return err
	}
	if err := t.checkSeparator(line); err != nil {
		return err
	}
	if err := t.checkPreamble(line); err != nil {
		return err
	}
	if cure := t.looksLikeData(); cure != "" {
		return t.fail(line, "", strings.Join(t.header, string(t.Comma)), "is data, no header", cure)
	}
	return nil
}

// looksLikeData returns the cure if the header is a row of a file without one: it
// begins with a time, or is all numbers. Programs do number columns; CSV.Columns says
// that one did.
func (t *table) looksLikeData() (cure string) {
	const put = "put a line with the names of the columns first, or set CSV.Names to them"
	if layoutOf(t.header[0]) != "" {
		return put
	}
	for _, name := range t.header {
		if _, ok := t.numbers.plain(name); !ok || len(t.Columns) > 0 {
			return ""
		}
	}
	return put + "; if these are the names, name those to read in CSV.Columns"
}

// checkUnder refuses rows of units or types under the names: up to four that are
// text where all rows that follow are numbers or times.
func (t *table) checkUnder() error {
	under := 0
	for k := 1; k <= 4 && k < len(t.head); k++ {
		columns := t.strict(t.head[k:min(len(t.head), k+20)])
		isUnits := func(r row) bool { return t.isUnits(r, columns) }
		if len(columns) > 0 && slices.ContainsFunc(t.head[:k], isUnits) && !slices.ContainsFunc(t.head[:k], func(r row) bool { return t.isData(r, columns) }) {
			under = k
		}
	}
	if under == 0 {
		return nil
	}
	r := t.head[0]
	cure := fmt.Sprintf("set CSV.HeaderRows to %d", t.HeaderRows+under)
	if !slices.ContainsFunc(r.fields, func(text string) bool { return strings.TrimSpace(text) == "" }) {
		cure += fmt.Sprintf(", or CSV.Skip to %d if it has the names", r.line-1)
	}
	return t.fail(r.line, "", strings.Join(r.fields, string(t.Comma)), "seems to be a row of units or types under the header", cure)
}

// strict returns the columns that hold numbers or times, and nothing else.
func (t *table) strict(rows []row) (columns []int) {
	for i := range t.header {
		some, all := false, true
		for _, r := range rows {
			if len(r.fields) != len(t.header) {
				return nil
			}
			if t.numbers.isMissing(strings.TrimSpace(r.fields[i])) {
				continue
			}
			some = true
			if all = t.isDatum(r.fields[i]); !all {
				break
			}
		}
		if some && all {
			columns = append(columns, i)
		}
	}
	return columns
}

// isData reports whether a row has a number or a time in one of the columns of these,
// or another number of fields, or nothing in all of them.
func (t *table) isData(r row, columns []int) bool {
	if len(r.fields) != len(t.header) {
		return true
	}
	nothing := true
	for _, i := range columns {
		if t.isDatum(r.fields[i]) {
			return true
		}
		nothing = nothing && t.numbers.isMissing(strings.TrimSpace(r.fields[i]))
	}
	return nothing
}

// isUnits reports whether a row has a word in one of the columns of numbers.
func (t *table) isUnits(r row, columns []int) bool {
	return len(r.fields) == len(t.header) && slices.ContainsFunc(columns, func(i int) bool {
		text := strings.TrimSpace(r.fields[i])
		return !t.numbers.isMissing(text) && strings.ContainsFunc(text, func(c rune) bool { return unicode.IsLetter(c) || strings.ContainsRune("%°'", c) })
	})
}
