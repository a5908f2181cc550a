package plotting

import (
	"fmt"
	"math"
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

// Score is one row of a score table: a predictor's name and its metrics.
type Score struct {
	Name string
	twornn.Metrics
}

// Scores returns the table of the scores, in the order given: RMSE and MAE in the
// unit named, and R² against the given constants, the means of the training targets
// (nil: against the mean of the targets scored). It notes what was left out or is
// not finite, and how many targets there were.
func Scores(title, unit string, mean []float64, scores ...Score) Table {
	t := Table{Title: title, Header: []string{"", "RMSE, " + unit, "MAE, " + unit, "R²"}}
	var notes []string
	var most float64
	for _, s := range scores {
		if s.Err == nil && finite(s.RMSE) {
			most = max(most, s.RMSE)
		}
	}
	for _, s := range scores {
		if s.Err != nil {
			t.Rows = append(t.Rows, []string{s.Name, "–", "–", "–"})
			notes = append(notes, s.Name+": "+s.Err.Error())
			continue
		}
		r2 := s.R2
		if mean != nil {
			r2 = s.R2Against(mean)
		}
		t.Rows = append(t.Rows, []string{s.Name, figure(s.RMSE, most), figure(s.MAE, most), fmt.Sprintf("%.3f", r2)})
		if s.NonFinite > 0 {
			notes = append(notes, fmt.Sprintf("%s: %d predictions are not finite", s.Name, s.NonFinite))
		}
	}
	if len(scores) > 0 && scores[0].Err == nil {
		n := scores[0].N
		for _, s := range scores {
			if s.Err == nil && s.N != n {
				notes = append(notes, fmt.Sprintf("%s is scored on %d targets, %s on %d: not comparable", scores[0].Name, n, s.Name, s.N))
			}
		}
		against := "their own mean"
		if mean != nil {
			against = "the training mean"
		}
		notes = append(notes, fmt.Sprintf("%d test targets of %d outputs; R² is the mean over the outputs, against %s", n, scores[0].P, against))
	}
	t.Note = strings.Join(notes, ". ")
	return t
}

// figure prints x with the decimals that give most, the largest of its kind, four
// significant digits, so that figures of a column line up.
func figure(x, most float64) string {
	decimals := 3 - int(math.Floor(math.Log10(most)))
	if most == 0 || decimals < 0 || decimals > 7 || x > 1e6*most {
		return fmt.Sprintf("%.4g", x)
	}
	return fmt.Sprintf("%.*f", decimals, x)
}

// String returns the table in aligned text.
func (t Table) String() string {
	widths := make([]int, len(t.Header))
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
		for _, c := range row {
			b.WriteString("| " + escape(c) + " ")
		}
		b.WriteString("|\n")
	}
	line(t.Header)
	for j := range t.Header {
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
