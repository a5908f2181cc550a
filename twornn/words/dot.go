package words

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/internal/store"
)

// WriteDOT writes w as a directed graph for Graphviz: a node a state, and an arrow for each
// weight that is not zero, labelled with its symbol and weight to three digits. The
// attributes alpha, omega, symbol and a, which Graphviz passes over, hold the same in
// digits that give the same numbers when ReadDOT reads them. It errs if w is empty or has a weight that
// is not finite, or one symbol twice.
func WriteDOT(out io.Writer, w *twornn.WFA) error {
	if err := checkWFA(w); err != nil {
		return err
	}
	if err := distinct(w.Alphabet); err != nil {
		return err
	}
	m := w.Model()
	n, d, _ := m.Dims()
	b := bufio.NewWriter(out)
	names := make([]string, d)
	for s, name := range w.Alphabet {
		names[s] = strconv.Quote(name)
	}
	fmt.Fprintf(b, "digraph automaton {\n\trankdir=LR\n\talphabet=%s\n\tnode [shape=circle]\n", quoteDOT(strings.Join(names, " ")))
	for i := range n {
		omega := numbers(mat.Col(nil, i, m.Omega))
		fmt.Fprintf(b, "\t%d [label=\"%d\\n%.3g / %.3g\", alpha=\"%s\", omega=\"%s\"]\n", i, i, m.H0.AtVec(i), m.Omega.At(0, i), number(m.H0.AtVec(i)), omega)
	}
	for i := range n {
		for s := range d {
			for j, x := range m.A[s].RawRowView(i) {
				if x != 0 {
					fmt.Fprintf(b, "\t%d -> %d [label=%s, symbol=%s, a=\"%s\"]\n", i, j,
						quoteDOT(fmt.Sprintf("%s: %.3g", w.Alphabet[s], x)), quoteDOT(names[s]), number(x))
				}
			}
		}
	}
	fmt.Fprintln(b, "}")
	return b.Flush()
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

func numbers(v []float64) string {
	text := make([]string, len(v))
	for i, x := range v {
		text[i] = number(x)
	}
	return strings.Join(text, " ")
}

// quoteDOT returns s as a quoted text of DOT, where only a quote is escaped, and a
// backslash so that the end of one cannot escape what follows.
func quoteDOT(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// ReadDOT reads a graph of WriteDOT, also after Graphviz has laid it out (dot -Tdot). It
// errs, with the line, if the text is not of that kind.
func ReadDOT(in io.Reader) (*twornn.WFA, error) {
	text, err := store.ReadAll(given(in), store.Limit)
	if err != nil {
		return nil, fmt.Errorf("words: the DOT file %w", err)
	}
	f := &dotFile{tokens: tokensDOT(string(text))}
	if err := f.read(); err != nil {
		return nil, err
	}
	return f.automaton()
}

// token is a word, a quoted text or a sign of DOT.
type token struct {
	text string
	line int
}

// tokensDOT splits a text. Quoted texts have their escapes of quotes and backslashes taken
// back, and lines that Graphviz broke with a backslash are joined.
func tokensDOT(s string) []token {
	var tokens []token
	line := 1
	for i := 0; i < len(s); {
		switch c := s[i]; {
		case c == '\n':
			line++
			i++
		case c == ' ' || c == '\t' || c == '\r':
			i++
		case c == '#' || strings.HasPrefix(s[i:], "//"):
			for i < len(s) && s[i] != '\n' {
				i++
			}
		case strings.HasPrefix(s[i:], "->"):
			tokens = append(tokens, token{"->", line})
			i += 2
		case strings.ContainsRune("{}[]=,;", rune(c)):
			tokens = append(tokens, token{string(c), line})
			i++
		case c == '"':
			text, next, lines := quotedDOT(s, i+1)
			tokens = append(tokens, token{text, line})
			i = next
			line += lines
		default:
			from := i
			for i < len(s) && !strings.ContainsRune(" \t\r\n{}[]=,;\"", rune(s[i])) && !strings.HasPrefix(s[i:], "->") {
				i++
			}
			tokens = append(tokens, token{s[from:i], line})
		}
	}
	return tokens
}

// quotedDOT returns the quoted text that begins at s[i], where it ends, and how many lines
// that takes.
func quotedDOT(s string, i int) (text string, next, lines int) {
	var b strings.Builder
	for ; i < len(s) && s[i] != '"'; i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			if s[i] == '\r' && i+1 < len(s) && s[i+1] == '\n' {
				i++
			}
			if s[i] == '\n' {
				lines++
				continue
			}
			if s[i] != '"' && s[i] != '\\' {
				b.WriteByte('\\')
			}
		}
		if s[i] == '\n' {
			lines++
		}
		b.WriteByte(s[i])
	}
	return b.String(), i + 1, lines
}

// dotFile is such a graph on its way into an automaton.
type dotFile struct {
	tokens   []token
	at       int
	alphabet []string
	alpha    []float64
	omega    [][]float64
	arcs     []dotArc
}

type dotArc struct {
	from, to int
	symbol   string
	value    float64
	line     int
}

func (f *dotFile) peek() string {
	if f.at < len(f.tokens) {
		return f.tokens[f.at].text
	}
	return ""
}

func (f *dotFile) next() string {
	t := f.peek()
	f.at++
	return t
}

func (f *dotFile) fail(problem string) error {
	line := 0
	if len(f.tokens) > 0 {
		line = f.tokens[min(f.at, len(f.tokens)-1)].line
	}
	return fmt.Errorf("words: DOT, line %d: %s; read what WriteDOT wrote, or Graphviz made of it", line, problem)
}

// read goes through the statements of the graph.
func (f *dotFile) read() error {
	for f.at < len(f.tokens) && f.peek() != "{" {
		f.at++
	}
	if f.next() != "{" {
		return f.fail("there is no graph")
	}
	for f.peek() != "}" {
		if f.at >= len(f.tokens) {
			return f.fail("the graph breaks off")
		}
		name := f.next()
		var err error
		switch {
		case name == ";" || name == ",":
		case f.peek() == "=":
			f.at++
			err = f.setting(name, f.next())
		case f.peek() == "->":
			f.at++
			err = f.arc(name, f.next())
		case f.peek() == "[":
			err = f.node(name)
		default:
			err = f.fail(fmt.Sprintf("%s is no statement that is known", shown(name)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *dotFile) setting(name, value string) error {
	if name != "alphabet" {
		return nil
	}
	for value = strings.TrimSpace(value); value != ""; value = strings.TrimSpace(value) {
		q, err := strconv.QuotedPrefix(value)
		if err != nil {
			return f.fail("the alphabet cannot be read")
		}
		s, _ := strconv.Unquote(q)
		f.alphabet = append(f.alphabet, s)
		value = value[len(q):]
	}
	return nil
}

// attributes reads [a=b, c=d].
func (f *dotFile) attributes() (map[string]string, error) {
	v := make(map[string]string)
	if f.peek() != "[" {
		return v, nil
	}
	f.at++
	for f.peek() != "]" {
		if f.peek() == "," || f.peek() == ";" {
			f.at++
			continue
		}
		name := f.next()
		if f.next() != "=" || f.at >= len(f.tokens) {
			return nil, f.fail("an attribute has no value")
		}
		v[name] = f.next()
	}
	f.at++
	return v, nil
}

// node reads the attributes of a state, or those that Graphviz gives to all nodes.
func (f *dotFile) node(name string) error {
	v, err := f.attributes()
	if err != nil {
		return err
	}
	switch name {
	case "node", "edge":
		return nil
	case "graph":
		if a, ok := v["alphabet"]; ok {
			return f.setting("alphabet", a)
		}
		return nil
	}
	i, err := strconv.Atoi(name)
	if err != nil || i != len(f.alpha) || i >= maxStates {
		return f.fail(fmt.Sprintf("the state %s is not number %d", shown(name), len(f.alpha)))
	}
	alpha, err := finite(v["alpha"])
	if err != nil {
		return f.fail(fmt.Sprintf("state %d has no number alpha", i))
	}
	var omega []float64
	for _, s := range strings.Fields(v["omega"]) {
		x, err := finite(s)
		if err != nil {
			return f.fail(fmt.Sprintf("state %d has %.40q in omega", i, s))
		}
		omega = append(omega, x)
	}
	if len(omega) == 0 || i > 0 && len(omega) != len(f.omega[0]) {
		return f.fail(fmt.Sprintf("state %d has %d outputs", i, len(omega)))
	}
	f.alpha, f.omega = append(f.alpha, alpha), append(f.omega, omega)
	return nil
}

// finite reads a number that is neither NaN nor infinite.
func finite(s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
		err = strconv.ErrRange
	}
	return x, err
}

// arc reads the attributes of an arrow.
func (f *dotFile) arc(from, to string) error {
	line := f.tokens[min(f.at, len(f.tokens))-1].line
	v, err := f.attributes()
	if err != nil {
		return err
	}
	i, err := strconv.Atoi(from)
	j, err2 := strconv.Atoi(to)
	x, err3 := finite(v["a"])
	s, err4 := strconv.Unquote(v["symbol"])
	if err := errors.Join(err, err2, err3, err4); err != nil {
		return f.fail(fmt.Sprintf("the arrow from %s to %s has no symbol and number a", shown(from), shown(to)))
	}
	f.arcs = append(f.arcs, dotArc{i, j, s, x, line})
	return nil
}

func (f *dotFile) automaton() (*twornn.WFA, error) {
	n, d := len(f.alpha), len(f.alphabet)
	if n == 0 || d == 0 {
		return nil, f.fail("there is no state, or no alphabet")
	}
	index := make(map[string]int, d)
	for s, name := range f.alphabet {
		if _, ok := index[name]; ok {
			return nil, f.fail(fmt.Sprintf("the symbol %.40q occurs twice in the alphabet", name))
		}
		index[name] = s
	}
	if !dense(n, d) {
		return nil, f.fail("the graph " + tooDense(n, d))
	}
	m := twornn.NewModel(n, d, len(f.omega[0]))
	for i, x := range f.alpha {
		m.H0.SetVec(i, x)
		for k, y := range f.omega[i] {
			m.Omega.Set(k, i, y)
		}
	}
	for _, a := range f.arcs {
		s, ok := index[a.symbol]
		if !ok || a.from < 0 || a.from >= n || a.to < 0 || a.to >= n {
			return nil, fmt.Errorf("words: DOT, line %d: an arrow from %d to %d by %.40q has a state or symbol that is not there", a.line, a.from, a.to, a.symbol)
		}
		m.A[s].Set(a.from, a.to, a.value)
	}
	return m.WFA(f.alphabet), nil
}
