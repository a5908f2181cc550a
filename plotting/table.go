package plotting

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/twornn/spectral/twornn"
)

// Table is a small table of text. The first column is set to the left, the others,
// which hold figures, to the right.
type Table struct {
	Title  string
	Header []string
	Rows   [][]string
	Note   string // a sentence below
}

// Add appends a row: text as it is, whole numbers plainly, other numbers with Digits(x, 3),
// and anything else as fmt prints it.
func (t *Table) Add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		switch c := c.(type) {
		case float64:
			row[i] = Digits(c, 3)
		default:
			row[i] = fmt.Sprint(c)
		}
	}
	t.Rows = append(t.Rows, row)
}

// Digits prints a number with n digits, the last zeros too, so that 1.20 stands above 1.25; and
// without an exponent up to a million: 2390, not 2.39e+03.
func Digits(x float64, n int) string {
	if x == 0 {
		return "0" // and not -0
	}
	if !finite(x) {
		return strconv.FormatFloat(x, 'g', n, 64)
	}
	n = max(n, 1)
	s := strconv.FormatFloat(x, 'e', n-1, 64)
	at := strings.IndexByte(s, 'e')
	power, _ := strconv.Atoi(s[at+1:]) // after rounding: 9.99 may be 10
	if power < -4 || power >= max(n, 6) {
		return s
	}
	rounded, _ := strconv.ParseFloat(s, 64)
	return strconv.FormatFloat(rounded, 'f', max(n-1-power, 0), 64)
}

// Score is one row of a score table: a predictor's name and its metrics.
type Score struct {
	Name string
	twornn.Metrics
}

// none stands for a figure that there is not.
const none = "–"

// Scores returns the table of the scores, in the order given: RMSE and MAE in the
// unit named, and R² against the given constants, the means of the training targets
// (nil: against the mean of the targets scored). It notes what was left out or is
// not finite, and how many targets there were.
func Scores(title, unit string, mean []float64, scores ...Score) Table {
	t := Table{Title: title, Header: []string{"", "RMSE, " + unit, "MAE, " + unit, "R²"}}
	var notes []string
	var first *Score // of those scored
	var most float64
	for i, s := range scores {
		if s.problem() != "" {
			continue
		}
		if first == nil {
			first = &scores[i]
		}
		if finite(s.RMSE) {
			most = max(most, s.RMSE)
		}
	}
	for _, s := range scores {
		if problem := s.problem(); problem != "" {
			t.Rows = append(t.Rows, []string{s.Name, none, none, none})
			if names := alike(scores, problem); names[0] == s.Name { // said once
				notes = append(notes, strings.Join(slices.Compact(names), ", ")+": "+problem)
			}
			continue
		}
		r2 := s.R2
		switch {
		case mean != nil && len(mean) != len(s.Outputs):
			r2 = math.NaN()
			notes = append(notes, fmt.Sprintf("%s: there are %s for %s", s.Name, count(len(mean), "mean"), count(len(s.Outputs), "output")))
		case mean != nil:
			r2 = s.R2Against(mean)
		}
		t.Rows = append(t.Rows, []string{s.Name, figure(s.RMSE, most), figure(s.MAE, most), score(r2)})
		switch {
		case s.NonFinite == 1:
			notes = append(notes, s.Name+": 1 prediction is not finite")
		case s.NonFinite > 1:
			notes = append(notes, fmt.Sprintf("%s: %d predictions are not finite", s.Name, s.NonFinite))
		}
	}
	if first != nil {
		for _, s := range scores {
			if s.problem() == "" && s.N != first.N {
				notes = append(notes, fmt.Sprintf("%s is scored on %s, %s on %d: not comparable", first.Name, count(first.N, "target"), s.Name, s.N))
			}
		}
		against := "their own mean"
		if mean != nil {
			against = "the training mean"
		}
		notes = append(notes, fmt.Sprintf("%s of %s; R² is the mean over the outputs, against %s", count(first.N, "test target"), count(first.P, "output"), against))
	}
	t.Note = strings.Join(notes, ". ")
	return t
}

// alike returns the names of the scores with the problem.
func alike(scores []Score, problem string) (names []string) {
	for _, s := range scores {
		if s.problem() == problem {
			names = append(names, s.Name)
		}
	}
	return names
}

// problem says why there are no figures, or "".
func (s Score) problem() string {
	switch {
	case s.Err != nil:
		return s.Err.Error()
	case s.N == 0:
		return "nothing was scored"
	}
	return ""
}

// figure prints x with the decimals that give most, the largest of its kind, four
// significant digits, so that figures of a column line up.
func figure(x, most float64) string {
	if !finite(x) {
		return none
	}
	decimals := 3 - int(math.Floor(math.Log10(most)))
	if most == 0 || decimals < 0 || decimals > 7 || x > 1e6*most {
		return fmt.Sprintf("%.4g", x)
	}
	return fmt.Sprintf("%.*f", decimals, x)
}

// score prints an R² with three decimals, or one far below zero with four digits.
func score(r2 float64) string {
	switch {
	case !finite(r2):
		return none
	case math.Abs(r2) < 0.0005:
		return "0.000" // and not -0.000
	case math.Abs(r2) >= 1e5:
		return fmt.Sprintf("%.4g", r2)
	}
	return fmt.Sprintf("%.3f", r2)
}

// columns is the length of the longest row.
func (t Table) columns() int {
	n := len(t.Header)
	for _, row := range t.Rows {
		n = max(n, len(row))
	}
	return n
}

// String returns the table in aligned text.
func (t Table) String() string {
	widths := make([]int, t.columns())
	for _, row := range append([][]string{t.Header}, t.Rows...) {
		for j, c := range row {
			widths[j] = max(widths[j], utf8.RuneCountInString(c))
		}
	}
	var b strings.Builder
	if t.Title != "" {
		b.WriteString(t.Title + "\n\n")
	}
	line := func(row []string) {
		for j, c := range row {
			pad := strings.Repeat(" ", widths[j]-utf8.RuneCountInString(c))
			switch {
			case j > 0:
				b.WriteString("  " + pad + c)
			case len(row) > 1:
				b.WriteString(c + pad)
			default:
				b.WriteString(c)
			}
		}
		b.WriteString("\n")
	}
	line(t.Header)
	rule := make([]string, len(widths))
	for j, w := range widths {
		rule[j] = strings.Repeat("-", w)
	}
	line(rule)
	for _, row := range t.Rows {
		line(row)
	}
	if t.Note != "" {
		b.WriteString("\n" + t.Note + ".\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// Markdown returns the table in Markdown.
func (t Table) Markdown() string {
	var b strings.Builder
	if t.Title != "" {
		b.WriteString("**" + escape(t.Title) + "**\n\n")
	}
	line := func(row []string) {
		for j := range t.columns() {
			c := ""
			if j < len(row) {
				c = row[j]
			}
			b.WriteString("| " + escape(c) + " ")
		}
		b.WriteString("|\n")
	}
	line(t.Header)
	for j := range t.columns() {
		if j == 0 {
			b.WriteString("|:--")
		} else {
			b.WriteString("|--:")
		}
	}
	b.WriteString("|\n")
	for _, row := range t.Rows {
		line(row)
	}
	if t.Note != "" {
		b.WriteString("\n" + escape(t.Note) + ".\n")
	}
	return b.String()
}

// escape keeps text from being read as Markdown.
func escape(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "*", `\*`, "_", `\_`, "<", "&lt;", "$", `\$`).Replace(s)
}
