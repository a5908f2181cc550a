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
	"github.com/twornn/spectral/twornn/internal/phrase"
)

// ReadModel reads the model file of a PAutomaC problem, the machine that made its words:
// sections I, F, S and T of lines "(state,symbol,state) probability" for the starts, the
// ends, the symbols of a state that does not end, and where they lead. Lines end in LF or
// CR LF. The starts, the symbols of each state that does not always end and the states that each of
// them leads to must sum to 1, up to 1e-6; those of the competition, of twelve digits, do to 2e-12. What is
// wrong in it is a *datasets.CellError, with the line.
func ReadModel(r io.Reader) (*Automaton, error) {
	f := &modelFile{named: make(map[string]bool), entries: make(map[string][]entry)}
	if err := f.read(r); err != nil {
		return nil, err
	}
	n, d := f.states, f.symbols
	if n == 0 || d == 0 {
		return nil, &datasets.CellError{File: modelName, Line: f.line, Problem: "names no state and symbol", Cure: "give the sections I, F, S and T"}
	}
	if !dense(n, d) {
		return nil, &datasets.CellError{File: modelName, Line: f.line, Problem: tooDense(n, d), Cure: "number states and symbols without gaps, or take a smaller machine"}
	}
	if err := f.whole(); err != nil {
		return nil, err
	}
	a := newPFA(n, d)
	for _, e := range f.entries["I"] {
		a.start[e.key[0]] = e.value
	}
	for _, e := range f.entries["F"] {
		a.stop[e.key[0]] = e.value
	}
	write := make([]float64, n*d)
	for _, e := range f.entries["S"] {
		write[e.key[0]*d+e.key[1]] = e.value
	}
	for _, e := range f.entries["T"] {
		i, s, j := e.key[0], e.key[1], e.key[2]
		a.step[s][i*n+j] = (1 - a.stop[i]) * write[i*d+s] * e.value
	}
	if i := a.endless(); i >= 0 {
		return nil, &datasets.CellError{File: modelName, Line: f.line, Problem: fmt.Sprintf("leads to state %d, from where no word ends", i), Cure: "give it, or a state after it, a probability in section F"}
	}
	return &Automaton{Alphabet: datasets.Numbered(d), Parts: []Part{{Method: "file", States: n, Weight: 1, pfa: a}}}, nil
}

const modelName = "PAutomaC model file"

// maxStates bounds what a file may name: a state takes a row of every matrix.
const maxStates = 1 << 12

// dense reports whether the matrices of n states and d symbols keep to a gigabyte, so that no
// small file asks for more memory than there is.
func dense(n, d int) bool { return n <= 1<<13 && d <= 1<<27/(n*n) }

func tooDense(n, d int) string {
	return fmt.Sprintf("names %s and %s, whose matrices would have more than 2^27 numbers", phrase.Count(n, "state"), phrase.Count(d, "symbol"))
}

// endless returns a state that words come to and from which none ends, -1 if there is none.
func (a *pfa) endless() int {
	from := make([][]int, a.n) // the states before each
	to := make([][]int, a.n)
	for _, m := range a.step {
		for i := range a.n {
			for j, v := range m[i*a.n : (i+1)*a.n] {
				if v > 0 {
					to[i], from[j] = append(to[i], j), append(from[j], i)
				}
			}
		}
	}
	met, ends := reach(a.start, to), reach(a.stop, from)
	for i := range a.n {
		// draw ends a word in a state without a way out
		if met[i] && !ends[i] && len(to[i]) > 0 {
			return i
		}
	}
	return -1
}

// reach says which states can be come to from those of positive weight.
func reach(weight []float64, next [][]int) []bool {
	met, todo := make([]bool, len(weight)), []int(nil)
	for i, v := range weight {
		if v > 0 {
			met[i], todo = true, append(todo, i)
		}
	}
	for len(todo) > 0 {
		i := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, j := range next[i] {
			if !met[j] {
				met[j], todo = true, append(todo, j)
			}
		}
	}
	return met
}

// entry is a line of a section.
type entry struct {
	line  int
	key   []int
	value float64
}

// name returns what stands before the value.
func (e entry) name() string {
	return "(" + strings.Trim(strings.ReplaceAll(fmt.Sprint(e.key), " ", ","), "[]") + ")"
}

// totals holds, of entries that agree in their first numbers, the sum of the values and the last line.
type totals map[[2]int]entry

// add takes in the entries, of which the first k numbers count.
func (t totals) add(entries []entry, k int) totals {
	for _, e := range entries {
		key := [2]int{-1, -1}
		copy(key[:], e.key[:k])
		t[key] = entry{e.line, e.key[:k], t[key].value + e.value}
	}
	return t
}

// off reports whether what has to be 1 is not, up to rounding.
func off(sum float64) bool { return !(math.Abs(sum-1) <= 1e-6) }

// whole returns an error if the file lacks something: a section, or a line without which probabilities
// do not sum to 1; or if it gives one twice.
func (f *modelFile) whole() error {
	for _, name := range sections {
		if !f.named[name] {
			return f.fail("", "has no section "+name, "look whether the file is whole; it has the sections I, F, S and T")
		}
		given := make(map[string]int)
		for _, e := range f.entries[name] {
			if first := given[e.name()]; first > 0 {
				f.line = e.line
				return f.fail(e.name(), fmt.Sprintf("is given in line %d of section %s too", first, name), "leave one of the two out")
			}
			given[e.name()] = e.line
		}
	}
	const cure = "look whether a line is missing or wrong"
	starts := totals{}.add(f.entries["I"], 0)[[2]int{-1, -1}]
	if off(starts.value) {
		f.line = max(starts.line, 1)
		return f.fail("", fmt.Sprintf("ends a section I whose probabilities sum to %.9g, not 1", starts.value), cure)
	}
	stop := totals{}.add(f.entries["F"], 1)
	symbols := totals{}.add(f.entries["S"], 1)
	next := totals{}.add(f.entries["T"], 2)
	met := make([]bool, f.states)
	for _, e := range slices.Concat(f.entries["I"], f.entries["T"]) {
		met[e.key[len(e.key)-1]] = met[e.key[len(e.key)-1]] || e.value > 0
	}
	for i := range f.states {
		s, end := symbols[[2]int{i, -1}], stop[[2]int{i, -1}]
		switch {
		case s.line == 0 && !off(end.value) || s.line == 0 && end.line == 0 && !met[i]:
			// It always ends, or no word comes to it.
		case s.line == 0:
			return f.fail(fmt.Sprintf("(%d)", i), fmt.Sprintf("ends with probability %.9g and has no symbol in section S", end.value), cure)
		case off(s.value):
			f.line = s.line
			return f.fail(fmt.Sprintf("(%d)", i), fmt.Sprintf("is a state whose symbols in section S have probabilities that sum to %.9g, not 1", s.value), cure)
		}
	}
	for _, e := range f.entries["S"] {
		t := next[[2]int{e.key[0], e.key[1]}]
		if e.value > 0 && off(t.value) {
			f.line = max(e.line, t.line)
			return f.fail(e.name(), fmt.Sprintf("leads to states by probabilities in section T that sum to %.9g, not 1", t.value), cure)
		}
	}
	return nil
}

// modelFile is such a file on its way into an automaton.
type modelFile struct {
	line            int
	section         string
	named           map[string]bool // sections that were there
	entries         map[string][]entry
	states, symbols int
}

// sections are those of a file, in their order.
var sections = []string{"I", "F", "S", "T"}

// keys is how many numbers a line of each section names.
var keys = map[string]int{"I": 1, "F": 1, "S": 2, "T": 3}

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

// lineError is the error of a scanner that cannot go on at a line.
func lineError(file string, line int, err error) error {
	if errors.Is(err, bufio.ErrTooLong) {
		return &datasets.CellError{File: file, Line: line, Problem: fmt.Sprintf("is longer than %d KiB, the limit of a line", bufio.MaxScanTokenSize>>10),
			Cure: "look whether it is such a file, and whether its lines end in LF or CR LF"}
	}
	return fmt.Errorf("words: %s, line %d: %w", file, line, err)
}

func (f *modelFile) read(r io.Reader) error {
	scan := bufio.NewScanner(given(r))
	for scan.Scan() {
		f.line++
		text := strings.TrimSpace(scan.Text())
		if text == "" {
			continue
		}
		if name, _, ok := strings.Cut(text, ":"); ok {
			if keys[name] == 0 {
				return f.fail(text, "names no section", "sections are I, F, S and T")
			}
			f.section, f.named[name] = name, true
			continue
		}
		e, err := f.entry(text)
		if err != nil {
			return err
		}
		f.entries[f.section] = append(f.entries[f.section], e)
	}
	if err := scan.Err(); err != nil {
		return lineError(modelName, f.line+1, err)
	}
	return nil
}

// entry reads "(1,2) 0.5".
func (f *modelFile) entry(text string) (entry, error) {
	e := entry{line: f.line}
	key, value, ok := strings.Cut(text, ")")
	if !ok || !strings.HasPrefix(key, "(") || f.section == "" {
		return e, f.fail(text, "is no entry of a section", "write (state,symbol) and a probability below a line such as S: (state,symbol)")
	}
	for k, part := range strings.Split(key[1:], ",") {
		v, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || v < 0 || v >= maxStates {
			return e, f.fail(part, "is no state or symbol", fmt.Sprintf("number them from 0, up to %d", maxStates-1))
		}
		if k == 1 {
			f.symbols = max(f.symbols, v+1)
		} else {
			f.states = max(f.states, v+1)
		}
		e.key = append(e.key, v)
	}
	if len(e.key) != keys[f.section] {
		return e, f.fail(text, fmt.Sprintf("names %s, not the %d of section %s", phrase.Count(len(e.key), "number"), keys[f.section], f.section), "mend the line")
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || !(v >= 0 && v <= 1+1e-6) {
		return e, f.fail(strings.TrimSpace(value), "is no probability", "write a number from 0 to 1")
	}
	e.value = v
	return e, nil
}

func (f *modelFile) fail(text, problem, cure string) error {
	return &datasets.CellError{File: modelName, Line: f.line, Text: text, Problem: problem, Cure: cure}
}

// WriteModel writes a as the model file of a PAutomaC problem, parts side by side, with
// digits that give the same numbers when read. A state whose ways out have no weight is
// left without symbols. It errs if a is not fitted.
func (a *Automaton) WriteModel(w io.Writer) error {
	if err := a.fitted(); err != nil {
		return fmt.Errorf("words: cannot write the automaton: %w", err)
	}
	b := bufio.NewWriter(w)
	m := a.Model()
	n, d, _ := m.Dims()
	fmt.Fprintln(b, "I: (state)")
	for i := range n {
		line(b, m.H0.AtVec(i), i)
	}
	fmt.Fprintln(b, "F: (state)")
	for i := range n {
		line(b, m.Omega.At(0, i), i)
	}
	fmt.Fprintln(b, "S: (state,symbol)")
	for i := range n {
		out := 0.0 // 1 − F, without the rounding
		for s := range d {
			out += sum(m.A[s].RawRowView(i))
		}
		for s := range d {
			if out > 0 {
				line(b, sum(m.A[s].RawRowView(i))/out, i, s)
			}
		}
	}
	fmt.Fprintln(b, "T: (state,symbol,state)")
	for i := range n {
		for s := range d {
			row := m.A[s].RawRowView(i)
			t := sum(row)
			for j, v := range row {
				if t > 0 {
					line(b, v/t, i, s, j)
				}
			}
		}
	}
	return b.Flush()
}

// line writes an entry, if it is positive.
func line(b *bufio.Writer, v float64, key ...int) {
	if !(v > 0) {
		return
	}
	text := make([]string, len(key))
	for i, k := range key {
		text[i] = strconv.Itoa(k)
	}
	fmt.Fprintf(b, "\t(%s) %s\n", strings.Join(text, ","), strconv.FormatFloat(v, 'g', -1, 64))
}
