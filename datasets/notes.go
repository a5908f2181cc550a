package datasets

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Notes returns what the reader of a series should know, in the order of
// Series.String: how the file was read; what its rows lack; columns that count the
// rows, do not vary or hold times; values that may be markers of missing ones. What
// is about rows is about the rows of this view.
func (s *Series) Notes() []Note {
	notes := slices.Clone(s.notes)
	notes = append(notes, s.lossNotes()...)
	for j, name := range s.columns {
		if n, ok := columnNote(name, s.values[j]); ok {
			n.Column = name
			// An hour may be an input; without times it is what is left of them.
			n.Warning = n.Warning || n.Kind == TimePart && s.times == nil
			notes = append(notes, n)
		}
	}
	return notes
}

// lossNotes warns of what is lost where it is more than a tenth.
func (s *Series) lossNotes() (notes []Note) {
	warn := func(kind NoteKind, n, of int, text string) {
		if n > 0 && 10*n > of {
			if n == 1 {
				text = strings.NewReplacer(" are ", " is ", " lack ", " lacks ").Replace(text)
			}
			notes = append(notes, Note{kind, "", true, fmt.Sprintf(text, n, of, percent(n, of))})
		}
	}
	g := s.Gaps()
	switch {
	case g.Uneven:
		notes = append(notes, Note{UnevenTimes, "", true, fmt.Sprintf("the times have no common step: in the whole file fewer than half of the rows come %s after the one before, and no window holds others; set CSV.Step if that or another is the step, or bring the record to even steps first, by means over hours or days, say",
			stepText(s.step, s.months))})
	case g.Calendar:
		warn(LostToGaps, g.Rows, s.rows+g.Rows, "%d of %d rows (%s) are missing in gaps, which no window bridges; if the rows follow each other all the same, as working days do, set CSV.Time to NoTime and CSV.Columns to the columns of numbers")
	default:
		warn(LostToGaps, g.Rows, s.rows+g.Rows, "%d of %d rows (%s) are missing in gaps, which no window bridges")
		warn(LostToSteps, g.Irregular, s.rows-1, "%d of %d steps (%s) are shorter than the step, and no window holds both rows; set CSV.Step, or raise CSV.Tolerance")
	}
	lack := 0
	for i := range s.rows {
		for j := range s.values {
			if math.IsNaN(s.values[j][i]) {
				lack++
				break
			}
		}
	}
	warn(LostToMissing, lack, s.rows, "%d of %d rows (%s) lack a value, which no window holds")
	return notes
}

// columnNote says why a column can hardly be a variable, or what in it looks odd.
func columnNote(name string, v []float64) (Note, bool) {
	const leave = "leave it out with Select"
	switch {
	case infinite(v) > 0:
		return Note{Kind: Infinite, Warning: true, Text: fmt.Sprintf("column %s is infinite in %s; make these NaN to count them as missing", inline(name), count(infinite(v), "row"))}, true
	case countsRows(name, v):
		return Note{Kind: Counter, Text: fmt.Sprintf("column %s counts the rows; %s", inline(name), leave)}, true
	case isPart(name, v):
		return Note{Kind: TimePart, Text: fmt.Sprintf("column %s holds a part of the time; name it in CSV.Times, or %s", inline(name), leave)}, true
	}
	if layout := timeNumbers(name, v); layout != "" {
		return Note{Kind: TimePart, Warning: true, Text: fmt.Sprintf("column %s looks like times, %s; name it in CSV.Time, or %s", inline(name), layout, leave)}, true
	}
	if len(v) > 1 {
		if low, mean, high, n := spread(v); n > 1 && isConstant(v, low, mean, high) {
			return Note{Kind: Constant, Text: fmt.Sprintf("column %s is constant, %.5g in all rows; %s", inline(name), mean, leave)}, true
		}
	}
	if step, ok := ramp(v); ok {
		return Note{Kind: Counter, Text: fmt.Sprintf("column %s rises by %.5g from each row to the next, as a clock does; name it in CSV.Time, or %s", inline(name), step, leave)}, true
	}
	if x, n, ok := farValue(v); ok {
		return Note{Kind: FarValue, Warning: true, Text: fmt.Sprintf(
			"column %s is %s in %s, far from all other values; if that means missing, add it to CSV.Missing", inline(name), strconv.FormatFloat(x, 'g', -1, 64), count(n, "row"))}, true
	}
	return Note{}, false
}

// countsRows reports whether v is an index: 20 rows or more, or 3 if its name says
// so, each one more than the one before; but for a tenth if its name says so.
func countsRows(name string, v []float64) bool {
	named := false
	switch plainName(name) {
	case "record", "recno", "recordno", "recnum", "rn", "index", "idx", "id", "row", "rowid", "rownumber", "no", "nr", "number", "count", "counter", "seq", "sequence":
		named = true
	}
	ones := 0
	for i := 1; i < len(v); i++ {
		if v[i]-v[i-1] == 1 {
			ones++
		}
	}
	if ones == len(v)-1 {
		return len(v) >= 20 || named && len(v) >= 3
	}
	return named && len(v) >= 20 && 10*ones >= 9*(len(v)-1)
}

// ramp returns by how much v rises from row to row, if it is the same for 20 rows or
// more.
func ramp(v []float64) (step float64, ok bool) {
	if len(v) < 20 {
		return 0, false
	}
	step = (v[len(v)-1] - v[0]) / float64(len(v)-1)
	for i := 1; i < len(v); i++ {
		if !(math.Abs(v[i]-v[i-1]-step) <= 1e-6*step) {
			return 0, false
		}
	}
	return step, step > 0 && !math.IsInf(step, 0)
}

// isPart reports whether a column is called year, month and so on, and holds the like.
func isPart(name string, v []float64) bool {
	p := partOf(name)
	return p != noPart && len(v) > 0 && !slices.ContainsFunc(v, func(x float64) bool { return !p.isPartValue(x) })
}

// timeNumbers returns how the numbers of a column would read as times, or "".
func timeNumbers(name string, v []float64) string {
	if len(v) < 3 {
		return ""
	}
	v = v[:min(len(v), 200)]
	texts := make([]string, len(v))
	for i, x := range v {
		if math.IsNaN(x) || i > 0 && x <= v[i-1] {
			return ""
		}
		texts[i] = strconv.FormatFloat(x, 'f', -1, 64)
	}
	layout, sure := numberLayout(name, texts)
	if _, elapsed := elapsedName(name); sure || layout != "" && (isTimeName(name) || elapsed) {
		return layout
	}
	return ""
}

// isConstant reports whether values vary by no more than rounding: by 8 units in the
// last place; or between 0, which most are, and what is left of a difference of
// numbers near 1.
func isConstant(v []float64, low, mean, high float64) bool {
	const ulp = 0x1p-52
	if high-low <= 8*ulp*max(math.Abs(low), math.Abs(high)) {
		return true
	}
	if max(math.Abs(low), math.Abs(high)) > 8*ulp {
		return false
	}
	zeros, n := 0, 0
	for _, x := range v {
		if !math.IsNaN(x) {
			n++
		}
		if x == 0 {
			zeros++
		}
	}
	return 2*zeros > n
}

// farValue returns the least or the largest value if it recurs and lies far from the
// others: further than these spread, or below 0 where no other is and all nines or
// hundreds. It returns how often it is there.
func farValue(v []float64) (x float64, n int, ok bool) {
	if x, n, ok = farLow(v, 1); ok {
		return x, n, ok
	}
	x, n, ok = farLow(v, -1)
	return -x, n, ok
}

// farLow is farValue for the least of sign·v.
func farLow(v []float64, sign float64) (x float64, n int, ok bool) {
	low, next, high := math.Inf(1), math.Inf(1), math.Inf(-1)
	total, others := 0, 0
	for _, y := range v {
		if math.IsNaN(y) {
			continue
		}
		y *= sign
		total++
		switch {
		case y < low:
			low, next, n = y, low, 1
		case y == low:
			n++
		case y < next:
			next = y
		}
		high = max(high, y)
	}
	others = total - n
	x = low
	if n < 3 || 500*n < total || others < 10 || n > others {
		return x, n, false
	}
	distance := next - low
	if high > next && distance > high-next {
		return x, n, true
	}
	return x, n, sign > 0 && low < 0 && next >= 0 && high > next && isCode(-low)
}

// isCode reports whether x is written as codes are: 9, 99.9, 999, 8888, 200, 1000.
func isCode(x float64) bool {
	digits := strings.Replace(strconv.FormatFloat(x, 'f', -1, 64), ".", "", 1)
	if x >= 9 && strings.Trim(digits, digits[:1]) == "" {
		return true
	}
	return x >= 100 && len(strings.TrimRight(digits, "0")) == 1
}
