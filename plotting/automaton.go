package plotting

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/twornn/spectral/twornn"
)

const (
	mostStates = 12
	negligible = 1e-9 // of the largest
)

// Automaton draws a weighted automaton: its states as numbered circles, the initial
// weights α as arrows in, the final weights Ω as arrows out, [a, b, …] if there are
// several outputs, and the weights A^σ as arrows between the states, labelled
// "symbol: weight". A weight whose magnitude is less than 1e-9 of the largest of its
// kind is left out; numbers have 3 digits. A label for which there is no room is left
// out too, and the line beneath counts them.
//
// It errs if the automaton has more than 12 states, its parts disagree, a weight is not
// finite, or the font lacks a character of a symbol.
func Automaton(title string, w *twornn.WFA) (*plot.Plot, error) {
	d, hidden, err := automaton(w)
	if err != nil {
		return nil, err
	}
	legend := ""
	if hidden > 0 {
		legend = fmt.Sprintf("%s left out for want of room, see HeatMap", count(hidden, "label"))
	}
	return newDiagram(title, legend, d), nil
}

// automaton lays out an automaton, and counts the labels left out.
func automaton(w *twornn.WFA) (d *diagram, hidden int, err error) {
	if err := checkAutomaton(w); err != nil {
		return nil, 0, err
	}
	n := w.Alpha.Len()
	l := newSketch(n)
	// Near the states first, since there is least choice.
	labels := transitions(w)
	for i := range n {
		if s := labels[i][i]; s != "" {
			l.loop(i, s)
		}
	}
	start, end := finals(w)
	for i := range n {
		l.outer(i, start[i], true)
		l.outer(i, end[i], false)
	}
	for gap := 1; gap < n; gap++ {
		for i := 0; i+gap < n; i++ {
			for _, k := range [][2]int{{i, i + gap}, {i + gap, i}} {
				if s := labels[k[0]][k[1]]; s != "" {
					l.arc(k[0], k[1], s, labels[k[1]][k[0]] != "")
				}
			}
		}
	}
	return &l.diagram, l.hidden, nil
}

func checkAutomaton(w *twornn.WFA) error {
	if w == nil || w.Alpha == nil || w.Omega == nil || w.Alpha.Len() == 0 {
		return errors.New("plotting: the automaton is empty")
	}
	n := w.Alpha.Len()
	if n > mostStates {
		return fmt.Errorf("plotting: an automaton of %d states cannot be read; draw one of at most %d: fit a lower rank, or try Model.Minimize", n, mostStates)
	}
	if _, c := w.Omega.Dims(); c != n || len(w.A) != len(w.Alphabet) {
		return errors.New("plotting: the parts of the automaton disagree in size")
	}
	parts := []mat.Matrix{w.Alpha, w.Omega}
	names := []string{"an initial weight", "a final weight"}
	for i, a := range w.A {
		if a == nil {
			return fmt.Errorf("plotting: the automaton has no weights for %q", w.Alphabet[i])
		}
		if r, c := a.Dims(); r != n || c != n {
			return fmt.Errorf("plotting: the weights of %q are %d×%d for %d states", w.Alphabet[i], r, c, n)
		}
		if r, ok := lacking(w.Alphabet[i]); ok {
			return fmt.Errorf("plotting: symbol %q: the font has no %q; give the symbol another name", w.Alphabet[i], r)
		}
		parts, names = append(parts, a), append(names, fmt.Sprintf("a weight of %q", w.Alphabet[i]))
	}
	for k, m := range parts {
		r, c := m.Dims()
		for i := range r {
			for j := range c {
				if !finite(m.At(i, j)) {
					return fmt.Errorf("plotting: %s is %v", names[k], m.At(i, j))
				}
			}
		}
	}
	return nil
}

// transitions returns the labels of the arrows from i to j, "" where there is none.
func transitions(w *twornn.WFA) [][]string {
	n := w.Alpha.Len()
	most := 0.0
	for _, a := range w.A {
		most = max(most, mat.Max(a), -mat.Min(a))
	}
	labels := make([][]string, n)
	for i := range labels {
		labels[i] = make([]string, n)
		for j := range n {
			// Symbols of one weight share an entry: "a, b: 0.5".
			var weights []string
			symbols := map[string][]string{}
			for s, a := range w.A {
				if v := a.At(i, j); math.Abs(v) > negligible*most {
					x := digits3(v)
					if symbols[x] == nil {
						weights = append(weights, x)
					}
					symbols[x] = append(symbols[x], shown(w.Alphabet[s]))
				}
			}
			for k, x := range weights {
				weights[k] = strings.Join(abridge(symbols[x], 6), ", ") + ": " + x
			}
			labels[i][j] = wrapEntries(abridge(weights, 6))
		}
	}
	return labels
}

// finals returns the labels of the arrows in and out, "" where there is none.
func finals(w *twornn.WFA) (start, end []string) {
	n := w.Alpha.Len()
	p, _ := w.Omega.Dims()
	start, end = make([]string, n), make([]string, n)
	first := max(mat.Max(w.Alpha), -mat.Min(w.Alpha))
	last := max(mat.Max(w.Omega), -mat.Min(w.Omega))
	for i := range n {
		if v := w.Alpha.AtVec(i); math.Abs(v) > negligible*first {
			start[i] = digits3(v)
		}
		var column []string
		some := false
		for j := range p {
			v := w.Omega.At(j, i)
			if math.Abs(v) > negligible*last {
				some = true
			} else {
				v = 0
			}
			column = append(column, digits3(v))
		}
		switch {
		case some && p == 1:
			end[i] = column[0]
		case some:
			end[i] = "[" + strings.Join(abridge(column, 4), ", ") + "]"
		}
	}
	return start, end
}

// digits3 prints a number with 3 digits.
func digits3(v float64) string {
	s := strconv.FormatFloat(v, 'g', 3, 64)
	if r, _ := strconv.ParseFloat(s, 64); math.Abs(r) >= 1000 && math.Abs(r) < 1e6 {
		s = strconv.FormatFloat(r, 'f', 0, 64) // 1230, not 1.23e+03
	}
	return minus(s)
}

// shown returns a symbol as it is written.
func shown(symbol string) string {
	if strings.TrimSpace(symbol) != symbol || symbol == "" || strings.Contains(symbol, "\n") {
		symbol = strconv.Quote(symbol)
	}
	if r := []rune(symbol); len(r) > 12 {
		symbol = string(r[:11]) + "…"
	}
	return symbol
}

// abridge keeps the first and last of a long list.
func abridge(s []string, most int) []string {
	if len(s) <= most {
		return s
	}
	return append(append([]string{}, s[:most-2]...), "…", s[len(s)-1])
}

// wrapEntries joins entries, with a new line before one that would make a line long.
func wrapEntries(entries []string) string {
	var b strings.Builder
	length := 0
	for i, e := range entries {
		size := len([]rune(e))
		switch {
		case i > 0 && length+size > 16:
			b.WriteString(",\n")
			length = 0
		case i > 0:
			b.WriteString(", ")
		}
		b.WriteString(e)
		length += size + 2
	}
	return b.String()
}

// statePlaces returns where the states lie, and the direction outwards of each, in degrees:
// up to 3 on a line, more around a circle drawn flat, as the figure is.
func statePlaces(n int) (at []vg.Point, out []float64) {
	if n <= 3 {
		for i := range n {
			at = append(at, vg.Point{X: vg.Length(i) * 150})
			out = append(out, 90)
		}
		return at, out
	}
	a, b := 225.0, 64.0
	const steps = 3600
	around := func(k int) vg.Point {
		s, c := math.Sincos(math.Pi - 2*math.Pi*float64(k)/steps) // from the left, clockwise
		return vg.Point{X: vg.Length(a * c), Y: vg.Length(b * s)}
	}
	// Equal distances along the curve.
	sums := make([]float64, steps+1)
	for k := range steps {
		sums[k+1] = sums[k] + float64(distance(around(k), around(k+1)))
	}
	k := 0
	for i := range n {
		for sums[k] < sums[steps]*float64(i)/float64(n) {
			k++
		}
		p := around(k)
		at = append(at, p)
		out = append(out, math.Atan2(float64(p.Y)/b/b, float64(p.X)/a/a)*180/math.Pi)
	}
	return at, out
}
