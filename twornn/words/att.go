package words

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/internal/phrase"
)

// epsilon is the name that OpenFst gives the label 0, which reads nothing.
const epsilon = "<eps>"

// WriteATT writes w as a weighted acceptor in the AT&T text format that OpenFst's
// fstcompile --acceptor reads: lines "from to symbol weight", and "state weight" for the
// outputs. Weights are −ln of the numbers of w, those of the arc types log and log64;
// state 0 is added, and goes to each state with its weight in α by <eps>. Digits are
// such that the logarithms read back are the same.
//
// It errs if w is empty, has a weight that is not finite, more than one output, a negative weight, which has no logarithm, a
// symbol with a blank, any of Unicode's, or one symbol twice. WriteSymbols writes the table of symbols that goes with it.
func WriteATT(out io.Writer, w *twornn.WFA) error {
	if err := checkWFA(w); err != nil {
		return err
	}
	m := w.Model()
	n, d, p := m.Dims()
	if p != 1 {
		return fmt.Errorf("words: the AT&T format has one output, the automaton %d; write them one by one", p)
	}
	if err := symbolsForATT(w.Alphabet); err != nil {
		return err
	}
	b := bufio.NewWriter(out)
	var err error
	weight := func(x float64) string {
		if !(x >= 0) || math.IsInf(x, 1) {
			err = fmt.Errorf("words: the weight %v has no logarithm, which the AT&T format takes; write DOT or npz instead", x)
		}
		return strconv.FormatFloat(0-math.Log(x), 'g', -1, 64) // 0 − 0 is no −0
	}
	for i := range n {
		if x := m.H0.AtVec(i); x != 0 {
			fmt.Fprintf(b, "0\t%d\t%s\t%s\n", i+1, epsilon, weight(x))
		}
	}
	for i := range n {
		for s := range d {
			for j, x := range m.A[s].RawRowView(i) {
				if x != 0 {
					fmt.Fprintf(b, "%d\t%d\t%s\t%s\n", i+1, j+1, w.Alphabet[s], weight(x))
				}
			}
		}
	}
	for i := range n {
		if x := m.Omega.At(0, i); x != 0 {
			fmt.Fprintf(b, "%d\t%s\n", i+1, weight(x))
		}
	}
	if err != nil {
		return err
	}
	return b.Flush()
}

// symbolsForATT returns an error unless each symbol is one word of the format.
func symbolsForATT(alphabet []string) error {
	for _, s := range alphabet {
		// As ReadATT splits lines, at any blank of Unicode.
		if f := strings.Fields(s); len(f) != 1 || f[0] != s || s == epsilon {
			return fmt.Errorf("words: the symbol %q cannot stand in the AT&T format; name it without blanks", s)
		}
	}
	return distinct(alphabet)
}

// WriteSymbols writes the table of symbols for fstcompile --isymbols: <eps> 0, then the
// alphabet from 1.
func WriteSymbols(out io.Writer, alphabet []string) error {
	if err := symbolsForATT(alphabet); err != nil {
		return err
	}
	b := bufio.NewWriter(out)
	fmt.Fprintf(b, "%s\t0\n", epsilon)
	for i, s := range alphabet {
		fmt.Fprintf(b, "%s\t%d\n", s, i+1)
	}
	return b.Flush()
}

// ReadATT reads a weighted acceptor, or a transducer whose labels agree, in the AT&T text
// format, with weights −ln; one that is left out is 0. The start is the state of the
// first line. Arcs by <eps> may leave the start alone, if no arc leads to it: they give α. States keep the
// order of their numbers. A nil alphabet is taken in the order in which symbols come. What is
// wrong is a *datasets.CellError, with the line. A file in which no word ends, as it has no
// line of a state and its weight or none that the start leads to, is refused: it would be the zero function.
func ReadATT(in io.Reader, alphabet []string) (*twornn.WFA, error) {
	f := &attFile{alphabet: slices.Clone(alphabet), closed: alphabet != nil, states: make(map[string]int), symbols: make(map[string]int)}
	for i, s := range slices.Backward(alphabet) {
		f.symbols[s] = i
	}
	scan := bufio.NewScanner(given(in))
	for scan.Scan() {
		f.line++
		if err := f.take(strings.Fields(scan.Text())); err != nil {
			return nil, err
		}
	}
	if err := scan.Err(); err != nil {
		return nil, lineError("AT&T file", f.line+1, err)
	}
	if len(f.states) == 0 {
		return nil, errors.New("words: the AT&T file is empty; it must hold lines of from, to, symbol and weight")
	}
	f.order()
	return f.automaton()
}

// order gives states that are numbered their order, the start staying first.
func (f *attFile) order() {
	names := make([]string, len(f.states))
	for name, i := range f.states {
		names[i] = name
	}
	by := make([]int, len(names)) // the old index of each new one
	number := make([]int, len(names))
	for i, name := range names {
		v, err := strconv.Atoi(name)
		if err != nil {
			return
		}
		by[i], number[i] = i, v
	}
	slices.SortFunc(by[1:], func(i, j int) int { return number[i] - number[j] })
	at := make([]int, len(by))
	for i, old := range by {
		at[old] = i
	}
	for k := range f.arcs {
		f.arcs[k].from = at[f.arcs[k].from]
		if f.arcs[k].symbol != -2 {
			f.arcs[k].to = at[f.arcs[k].to]
		}
	}
}

type attArc struct {
	from, to, symbol, line int // symbol −1 is epsilon, −2 a final weight
	value                  float64
}

// attFile is such a file on its way into an automaton.
type attFile struct {
	line     int
	alphabet []string
	closed   bool
	states   map[string]int
	symbols  map[string]int
	arcs     []attArc
}

func (f *attFile) fail(text, problem, cure string) error {
	return &datasets.CellError{File: "AT&T file", Line: f.line, Text: text, Problem: problem, Cure: cure}
}

// take reads a line: from to symbol [symbol] [weight], or state [weight].
func (f *attFile) take(v []string) error {
	if len(v) == 0 {
		return nil
	}
	arc := attArc{from: f.state(v[0]), symbol: -2, value: 1, line: f.line}
	rest := v[1:]
	if len(v) > 2 {
		arc.to = f.state(v[1])
		s, err := f.symbol(v[2])
		if err != nil {
			return err
		}
		arc.symbol = s
		rest = v[3:]
		if len(rest) > 1 {
			if rest[0] != v[2] {
				return f.fail(rest[0], "is not the symbol that is read, "+shown(v[2]), "an automaton reads and writes the same; project it with fstproject")
			}
			rest = rest[1:]
		}
	}
	if len(rest) > 1 {
		return f.fail(rest[1], "comes after the weight", "a line is from, to, symbol and weight, or state and weight")
	}
	if len(rest) == 1 {
		x, err := strconv.ParseFloat(rest[0], 64)
		if err != nil || math.IsNaN(x) || math.IsInf(x, -1) {
			return f.fail(rest[0], "is no weight", "write −ln of a number")
		}
		if arc.value = math.Exp(-x); math.IsInf(arc.value, 1) {
			return f.fail(rest[0], "is −ln of a number too large to hold", "weights are −ln of a number; change their scale")
		}
	}
	f.arcs = append(f.arcs, arc)
	return nil
}

func (f *attFile) state(name string) int {
	i, ok := f.states[name]
	if !ok {
		i = len(f.states)
		f.states[name] = i
	}
	return i
}

func (f *attFile) symbol(name string) (int, error) {
	if name == epsilon {
		return -1, nil
	}
	i, ok := f.symbols[name]
	if !ok && f.closed {
		return 0, f.fail(name, "is not in the alphabet", "read it with its own alphabet, or with nil")
	}
	if !ok {
		i = len(f.alphabet)
		f.symbols[name] = i
		f.alphabet = append(f.alphabet, name)
	}
	return i, nil
}

// automaton returns the automaton of the arcs, without the start where that only goes on by
// epsilon.
func (f *attFile) automaton() (*twornn.WFA, error) {
	if len(f.alphabet) == 0 {
		return nil, errors.New("words: the AT&T file has no symbol; give the alphabet")
	}
	if n := len(f.states); n > maxStates {
		return nil, fmt.Errorf("words: the AT&T file has %s; up to %d can be dense matrices", phrase.Count(n, "state"), maxStates)
	}
	if n, d := len(f.states), len(f.alphabet); !dense(n, d) {
		return nil, fmt.Errorf("words: the AT&T file %s; take a smaller machine", tooDense(n, d))
	}
	if !slices.ContainsFunc(f.arcs, func(a attArc) bool { return a.symbol == -2 && a.value > 0 }) {
		return nil, f.fail("", "has no state in which a word ends, so that every word would have the value 0", "give each final state a line of its own, the state and its weight, 0 for the number 1")
	}
	silent, bad := f.silent()
	if bad != nil {
		f.line = bad.line
		return nil, f.fail(epsilon, "leaves a state other than a start without other arcs", "remove it with fstrmepsilon")
	}
	skip := 0
	if silent && len(f.states) > 1 {
		skip = 1
	}
	n := len(f.states) - skip
	m := twornn.NewModel(n, len(f.alphabet), 1)
	if skip == 0 {
		m.H0.SetVec(0, 1)
	}
	for _, a := range f.arcs {
		i, j := a.from-skip, a.to-skip
		switch a.symbol {
		case -1:
			m.H0.SetVec(j, m.H0.AtVec(j)+a.value)
		case -2:
			m.Omega.Set(0, i, m.Omega.At(0, i)+a.value)
		default:
			m.A[a.symbol].Set(i, j, m.A[a.symbol].At(i, j)+a.value)
		}
	}
	if !ends(m) {
		return nil, f.fail("", "leads from its start, the state of its first line, to no state in which a word ends, so that every word would have the value 0", "look whether lines are missing, and begin with a line of the start")
	}
	return m.WFA(f.alphabet), nil
}

// ends reports whether a path of weights that are not zero leads from a start to an end.
func ends(m *twornn.Model) bool {
	n, _, _ := m.Dims()
	next := make([][]int, n)
	for _, A := range m.A {
		for i := range n {
			for j, x := range A.RawRowView(i) {
				if x != 0 {
					next[i] = append(next[i], j)
				}
			}
		}
	}
	for i, met := range reach(m.H0.RawVector().Data, next) {
		if met && m.Omega.At(0, i) != 0 {
			return true
		}
	}
	return false
}

// silent reports whether the start goes on by epsilon alone, and an epsilon that is out of
// place, if there is one.
func (f *attFile) silent() (silent bool, bad *attArc) {
	silent = true
	for _, a := range f.arcs {
		if a.symbol != -1 && a.from == 0 || a.symbol != -2 && a.to == 0 {
			silent = false
		}
	}
	for i, a := range f.arcs {
		if a.symbol == -1 && (a.from != 0 || !silent) {
			return silent, &f.arcs[i]
		}
	}
	return silent, nil
}
