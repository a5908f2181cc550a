package words

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
)

// someWFA returns an automaton with weights of both signs, large and small, and names that
// need quotes.
func someWFA() *twornn.WFA {
	m := twornn.Random(4, 3, 2, 1, pcg(1))
	m.A[0].Set(0, 1, 0)
	m.A[1].Set(2, 2, 1e-300)
	m.A[2].Set(1, 1, -1.0/3)
	return m.WFA([]string{"a", `quote " and \`, "ü, two words"})
}

// sameBits fails unless all numbers and names are the same.
func sameBits(t *testing.T, name string, a, b *twornn.WFA) {
	t.Helper()
	ok := mat.Equal(a.Alpha, b.Alpha) && mat.Equal(a.Omega, b.Omega) && len(a.A) == len(b.A)
	for s := range a.A {
		ok = ok && mat.Equal(a.A[s], b.A[s]) && a.Alphabet[s] == b.Alphabet[s]
	}
	if !ok {
		t.Errorf("%s: what came back is not what was written", name)
	}
}

// tool returns the path of a program and skips the test if there is none.
func tool(t *testing.T, name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("%s is not installed, so what it makes of the file is not tested", name)
	}
	return path
}

// run returns what a program prints.
func run(t *testing.T, input []byte, name string, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v: %s", name, err, stderr.String())
	}
	return out
}

// TestDOT: what is read back is what was written, bit for bit, also after Graphviz.
func TestDOT(t *testing.T) {
	w := someWFA()
	var b bytes.Buffer
	if err := WriteDOT(&b, w); err != nil {
		t.Fatal(err)
	}
	back, err := ReadDOT(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	sameBits(t, "DOT", w, back)
	laid := run(t, b.Bytes(), tool(t, "dot"), "-Tdot")
	if !bytes.Contains(laid, []byte("pos=")) {
		t.Error("Graphviz has laid nothing out")
	}
	if back, err = ReadDOT(bytes.NewReader(laid)); err != nil {
		t.Fatal(err)
	}
	sameBits(t, "DOT by Graphviz", w, back)
}

// TestDOTErrors: a text of another kind has an error with its line.
func TestDOTErrors(t *testing.T) {
	for _, s := range []string{"", "graph", "digraph {", "digraph { a -> b }", "digraph {\n alphabet=\"\\\"a\\\"\"\n 1 [alpha=\"1\", omega=\"1\"] }",
		"digraph { alphabet=\"\\\"a\\\"\" 0 [alpha=\"1\", omega=\"1\"] 0 -> 7 [symbol=\"\\\"a\\\"\", a=\"1\"] }", "digraph { 0 [alpha", `digraph { x="`, "digraph { 0 ->",
		"digraph { alphabet=\"\\\"a\\\"\" 0 [alpha=\"NaN\", omega=\"1\"] }", "digraph { alphabet=\"\\\"a\\\"\" 0 [alpha=\"1\", omega=\"Inf\"] }"} {
		if _, err := ReadDOT(strings.NewReader(s)); err == nil || !strings.Contains(err.Error(), "line") {
			t.Errorf("%q: %v", s, err)
		}
	}
}

// TestATT: logarithms lose the last digits alone, in the file, and six digits in OpenFst.
func TestATT(t *testing.T) {
	a := &Automaton{Alphabet: []string{"a", "b", "c"}, Parts: []Part{{States: 3, Weight: 1, pfa: ladder()}}}
	a.Parts[0].pfa.start = []float64{0.25, 0, 0.75}
	w := a.WFA()
	var b, symbols bytes.Buffer
	if err := WriteATT(&b, w); err != nil {
		t.Fatal(err)
	}
	back, err := ReadATT(bytes.NewReader(b.Bytes()), w.Alphabet)
	if err != nil {
		t.Fatal(err)
	}
	if e := apart(w, back); e > 1e-15 {
		t.Errorf("weights came back %v apart", e)
	}
	if err := WriteSymbols(&symbols, w.Alphabet); err != nil {
		t.Fatal(err)
	}
	compile, show := tool(t, "fstcompile"), tool(t, "fstprint")
	table := filepath.Join(t.TempDir(), "symbols")
	if err := os.WriteFile(table, symbols.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	bin := run(t, b.Bytes(), compile, "--acceptor", "--arc_type=log64", "--isymbols="+table)
	text := run(t, bin, show, "--acceptor", "--isymbols="+table)
	if back, err = ReadATT(bytes.NewReader(text), w.Alphabet); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	// OpenFst numbers the states anew.
	if equal, word, err := twornn.Equal(w.Model(), back.Model(), 1e-5); !equal || err != nil {
		t.Errorf("what OpenFst gives back differs on %v: %v", word, err)
	}
}

// apart returns the largest difference of weights.
func apart(a, b *twornn.WFA) float64 {
	if len(a.A) != len(b.A) || a.Alpha.Len() != b.Alpha.Len() {
		return math.Inf(1)
	}
	diff := func(x, y mat.Matrix) float64 {
		var d mat.Dense
		d.Sub(x, y)
		return mat.Max(&d) - mat.Min(&d)
	}
	e := max(diff(a.Alpha, b.Alpha), diff(a.Omega, b.Omega))
	for s := range a.A {
		e = max(e, diff(a.A[s], b.A[s]))
	}
	return e
}

// TestATTErrors: what the format cannot hold, and bad files.
func TestATTErrors(t *testing.T) {
	if err := WriteATT(new(bytes.Buffer), someWFA()); err == nil {
		t.Error("two outputs passed")
	}
	one := twornn.Random(2, 1, 1, 1, pcg(2))
	one.A[0].Set(0, 0, -1)
	if err := WriteATT(new(bytes.Buffer), one.WFA([]string{"a"})); err == nil || !strings.Contains(err.Error(), "no logarithm") {
		t.Error(err)
	}
	for s, want := range map[string]string{
		"":                           "is empty",
		"0 1 a x\n":                  "line 1",
		"0 1 a 1\n1 2 b 1 2 3\n":     "line 2",
		"0 1 a b 1\n":                "fstproject",
		"0 1 a\n1 2 <eps>\n2\n":      "fstrmepsilon",
		"0 1 <eps>\n1 2 a\n0 1\n2\n": "fstrmepsilon",
		"0 1 <eps>\n1 0 a\n1\n":      "fstrmepsilon",
		"0 1 <eps>\n1\n":             "no symbol",
		"0 1 a NaN\n":                "no weight",
		"0 1 a -1e6\n":               "too large",
		"0 1 a 1\n":                  "no state in which a word ends",
		"0 1 a 1\n1 Infinity\n":      "no state in which a word ends",
		"0 1 a\n2 3 a\n3\n":          "line 3: leads from its start",
		"1 2 a\n0 1 a\n0 0\n":        "to no state in which a word ends",
		"0 1 a Infinity\n1\n":        "to no state in which a word ends",
	} {
		if _, err := ReadATT(strings.NewReader(s), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", s, err)
		}
	}
	if _, err := ReadATT(strings.NewReader("0 1 z\n1\n"), []string{"a"}); err == nil || !strings.Contains(err.Error(), "alphabet") {
		t.Error(err)
	}
}

// numpyPython returns a python3 on the path that has numpy, and skips the test if there is none.
func numpyPython(t *testing.T) string {
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		path := filepath.Join(dir, "python3")
		if exec.Command(path, "-c", "import numpy").Run() == nil {
			return path
		}
	}
	t.Skip("no python3 on the path has numpy, so what it makes of the archive is not tested")
	return ""
}

// TestNPZ: bit for bit, there and back, by way of NumPy too, compressed and in the order
// of Fortran.
func TestNPZ(t *testing.T) {
	w := someWFA()
	var b bytes.Buffer
	if err := WriteNPZ(&b, w); err != nil {
		t.Fatal(err)
	}
	back, err := ReadNPZ(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	sameBits(t, "npz", w, back)
	python := numpyPython(t)
	const script = `
import sys, io, numpy as np
z = np.load(io.BytesIO(sys.stdin.buffer.read()))
print(repr(float(z['A'][2][1, 1])), z['A'].shape, list(z['alphabet'])[1], file=sys.stderr)
assert float(z['A'][2][1, 1]) == -1/3 and z['A'].shape == (3, 4, 4) and z['Omega'].shape == (2, 4)
out = io.BytesIO()
np.savez_compressed(out, alpha=z['alpha'], A=np.asfortranarray(z['A']), Omega=np.asfortranarray(z['Omega']), alphabet=z['alphabet'])
sys.stdout.buffer.write(out.getvalue())
`
	again := run(t, b.Bytes(), python, "-c", script)
	if back, err = ReadNPZ(bytes.NewReader(again)); err != nil {
		t.Fatal(err)
	}
	sameBits(t, "npz by NumPy", w, back)
}

// TestNPZSymbols: symbols that its texts cannot hold are refused, others come back, an empty one too.
func TestNPZSymbols(t *testing.T) {
	for s, fits := range map[string]bool{
		"": true, "é": true, "世": true, "\U0001f600": true, "\x01": true,
		"\x00": false, "a\x00": false, "\x00a": false, "\xff": false, "a\xc3": false, "\xed\xa0\x80": false,
	} {
		w := twornn.Random(2, 2, 1, 1, pcg(3)).WFA([]string{"first", s})
		var b bytes.Buffer
		err := WriteNPZ(&b, w)
		if !fits {
			if err == nil || b.Len() > 0 || !strings.Contains(err.Error(), "name it in letters") {
				t.Errorf("%q: %v", s, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		back, err := ReadNPZ(&b)
		if err != nil {
			t.Fatal(err)
		}
		sameBits(t, "npz", w, back)
	}
}

// TestSymbolsThatDoNotComeBack: a symbol that a reader would split, or that occurs twice, is an error on writing, as
// another automaton would be read back.
func TestSymbolsThatDoNotComeBack(t *testing.T) {
	a := &Automaton{Alphabet: []string{"a", "b", "c"}, Parts: []Part{{States: 3, Weight: 1, pfa: ladder()}}}
	w := a.WFA()
	for _, blank := range []string{"\v", "\f", "\u0085", "\u00a0", "\u2028", "\u3000", " "} {
		for _, s := range []string{blank, "x" + blank + "y", blank + "x", "x" + blank} {
			w.Alphabet[1] = s
			var b bytes.Buffer
			if err := WriteATT(&b, w); err == nil || b.Len() > 0 || !strings.Contains(err.Error(), "without blanks") {
				t.Errorf("%q: %v", s, err)
			}
			if err := WriteSymbols(&b, w.Alphabet); err == nil || b.Len() > 0 {
				t.Errorf("%q in the table: %v", s, err)
			}
		}
	}
	w.Alphabet[1] = "a"
	for name, write := range map[string]func(io.Writer, *twornn.WFA) error{"ATT": WriteATT, "DOT": WriteDOT, "npz": WriteNPZ} {
		var b bytes.Buffer
		if err := write(&b, w); err == nil || b.Len() > 0 || !strings.Contains(err.Error(), "twice") {
			t.Errorf("%s: %v", name, err)
		}
	}
	w.Alphabet[1] = "\u200b" // no blank to the reader
	var b bytes.Buffer
	if err := WriteATT(&b, w); err != nil {
		t.Fatal(err)
	}
	back, err := ReadATT(&b, w.Alphabet)
	if err != nil {
		t.Fatal(err)
	}
	if e := apart(w, back); e > 1e-15 {
		t.Errorf("weights came back %v apart", e)
	}
}

// TestNPZErrors: what is no such archive has an error that names the array.
func TestNPZErrors(t *testing.T) {
	if _, err := ReadNPZ(strings.NewReader("no zip")); err == nil || !strings.Contains(err.Error(), "numpy.savez") {
		t.Error(err)
	}
	var b bytes.Buffer
	if err := WriteNPZ(&b, someWFA()); err != nil {
		t.Fatal(err)
	}
	spoilt := bytes.ReplaceAll(b.Bytes(), []byte("Omega.npy"), []byte("omega.npy"))
	if _, err := ReadNPZ(bytes.NewReader(spoilt)); err == nil || !strings.Contains(err.Error(), "no array Omega") {
		t.Error(err)
	}
	spoilt = bytes.ReplaceAll(b.Bytes(), []byte("alphabet.npy"), []byte("alphabeu.npy"))
	if _, err := ReadNPZ(bytes.NewReader(spoilt)); err == nil || !strings.Contains(err.Error(), "alphabeu.npy") {
		t.Error(err)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(-1)} {
		for k, name := range []string{"alpha", "A", "Omega"} {
			w := someWFA()
			switch k {
			case 0:
				w.Alpha.SetVec(1, bad)
			case 1:
				w.A[2].Set(1, 1, bad)
			default:
				w.Omega.Set(0, 1, bad)
			}
			var b bytes.Buffer
			if err := writeNPZ(&b, w); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadNPZ(&b); err == nil || !strings.Contains(err.Error(), "array "+name+" is "+number(bad)) {
				t.Errorf("%v: %v", bad, err)
			}
		}
	}
	for what, want := range map[string]string{"twice": "occurs twice", "bomb": "1 MiB"} {
		if _, err := readNPZ(bytes.NewReader(archive(t, what)), 1<<20); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestHMM: forward probabilities by an independent sum over all paths, and back.
func TestHMM(t *testing.T) {
	const n, d = 5, 3
	a := randomHMM(n, d)
	w, err := a.WFA(datasets.Numbered(d))
	if err != nil {
		t.Fatal(err)
	}
	m := w.Model()
	for _, word := range twornn.Words(d, 5) {
		want := 0.0
		// All paths of states, by counting in base n.
		paths := int(math.Pow(float64(n), float64(len(word))))
		for code := range paths {
			p, at := 1.0, -1
			for k, c := 0, code; k < len(word); k, c = k+1, c/n {
				i := c % n
				if at < 0 {
					p *= a.Start[i]
				} else {
					p *= a.Transition.At(at, i)
				}
				p *= a.Emission.At(i, word[k])
				at = i
			}
			want += p
		}
		if got, err := w.Value(names(w, word)...); err != nil || math.Abs(got[0]-want) > 1e-12 {
			t.Fatalf("%v: %v, by paths %v; %v", word, got, want, err)
		}
		if len(word) == 0 {
			continue
		}
		if got := m.Predict(nil, datasets.OneHot(word, d))[0]; math.Abs(got-want) > 1e-12 {
			t.Fatalf("%v: %v by the 2-RNN, by paths %v", word, got, want)
		}
	}
	back, err := HMMOf(w)
	if err != nil {
		t.Fatal(err)
	}
	if !mat.EqualApprox(back.Transition, a.Transition, 1e-12) || !mat.EqualApprox(back.Emission, a.Emission, 1e-12) {
		t.Error("the model that came back is another")
	}
	w.A[0].Set(1, 2, w.A[0].At(1, 2)+0.1)
	w.A[0].Set(1, 1, w.A[0].At(1, 1)-0.1)
	if _, err := HMMOf(w); err == nil || !strings.Contains(err.Error(), "state 1") {
		t.Error(err)
	}
	a.Start[0] += 0.1
	if _, err := a.WFA(datasets.Numbered(d)); err == nil || !strings.Contains(err.Error(), "sum to") {
		t.Error(err)
	}
}

// names returns the names of the symbols of a word.
func names(w *twornn.WFA, word []int) []string {
	v := make([]string, len(word))
	for i, s := range word {
		v[i] = w.Alphabet[s]
	}
	return v
}

func randomHMM(n, d int) *HMM {
	h := &HMM{Start: make([]float64, n), Transition: mat.NewDense(n, n, nil), Emission: mat.NewDense(n, d, nil)}
	r := pcg(3)
	fill := func(v []float64) {
		for i := range v {
			v[i] = float64(r.Uint64()%1000 + 1)
		}
		scale(v, sum(v))
	}
	fill(h.Start)
	for i := range n {
		fill(h.Transition.RawRowView(i))
		fill(h.Emission.RawRowView(i))
	}
	return h
}

// TestModelFile: what was written is read back to a rounding, with LF and CR LF, and bad files
// have an error with their line.
func TestModelFile(t *testing.T) {
	a := &Automaton{Alphabet: datasets.Numbered(3), Parts: []Part{{States: 3, Weight: 1, pfa: ladder()}}}
	var b bytes.Buffer
	if err := a.WriteModel(&b); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{b.String(), strings.ReplaceAll(b.String(), "\n", "\r\n")} {
		back, err := ReadModel(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if e := apart(a.WFA(), back.WFA()); e > 1e-15 {
			t.Errorf("weights came back %v apart", e)
		}
	}
	for _, s := range []string{"", "X:\n", "(0) 1\n", "I:\n(0) 2\n", "I:\n(0,1) 1\n", "I:\n(-1) 1\n", "I:\n(a) 1\n", "I:\n(99999999) 1\n", "I:\n(0) NaN\n", "I:\n(0",
		"I:\n(4095) 1\nS:\n(0,4095) 1\n",          // half a terabyte
		"I:\n(0) 1\nS:\n(0,0) 1\nT:\n(0,0,0) 1\n", // no word ends
	} {
		if _, err := ReadModel(strings.NewReader(s)); err == nil || !strings.Contains(err.Error(), modelName) {
			t.Errorf("%q: %v", s, err)
		}
	}
}

// TestModelFileWhole: a file without one of its lines, or with one twice or of another value, has an
// error with the place; one of probabilities with twelve digits is read, and one that Fit's automaton gives.
func TestModelFileWhole(t *testing.T) {
	fitted, err := Fit(t.Context(), draw(ladder(), 300, pcg(3)), Options{States: 3})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range []*Automaton{fitted, {Alphabet: datasets.Numbered(3), Parts: []Part{{States: 3, Weight: 1, pfa: ladder()}}}} {
		var b bytes.Buffer
		if err := a.WriteModel(&b); err != nil {
			t.Fatal(err)
		}
		back, err := ReadModel(bytes.NewReader(b.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if e := apart(a.WFA(), back.WFA()); e > 1e-15 {
			t.Errorf("weights came back %v apart", e)
		}
	}
	const whole = `I: (state)
(0) 0.333333333333
(1) 0.666666666667
F: (state)
(0) 0.25
(2) 1
S: (state,symbol)
(0,0) 0.333333333333
(0,1) 0.666666666666
(1,1) 1
T: (state,symbol,state)
(0,0,0) 1
(0,1,2) 1
(1,1,0) 0.142857142857
(1,1,1) 0.857142857142
`
	if _, err := ReadModel(strings.NewReader(whole)); err != nil {
		t.Error(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(whole, "\n"), "\n")
	for i, line := range lines {
		for name, text := range map[string]string{
			"cut before": strings.Join(lines[:i], ""), "without": strings.Join(append(lines[:i:i], lines[i+1:]...), ""), "twice": strings.Join(lines[:i+1], "") + line + strings.Join(lines[i+1:], ""),
		} {
			var at *datasets.CellError
			_, err := ReadModel(strings.NewReader(text))
			if name == "twice" && strings.Contains(line, ":") || name == "without" && line == "(0) 0.25\n" { // that is a file too
				if err != nil {
					t.Errorf("%s line %d, %q: %v", name, i+1, line, err)
				}
			} else if !errors.As(err, &at) || at.Cure == "" {
				t.Errorf("%s line %d, %q: %v", name, i+1, line, err)
			}
		}
	}
	for want, change := range map[string][2]string{
		`line 3: ends a section I whose probabilities sum to 0.833333333, not 1`:                       {"0.666666666667", "0.5"},
		`line 9: "(0)" is a state whose symbols in section S have probabilities that sum to 0.999`:     {"0.666666666666", "0.6657"},
		`line 15: "(1,1)" leads to states by probabilities in section T that sum to 1.14285714, not 1`: {"0.857142857142", "1"},
		`line 4: "(0)" is given in line 2 of section I too`:                                            {"F: (state)", "(0) 0.1\nF: (state)"},
		`"(2)" ends with probability 0.5 and has no symbol in section S`:                               {"(2) 1", "(2) 0.5"},
	} {
		if _, err := ReadModel(strings.NewReader(strings.Replace(whole, change[0], change[1], 1))); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// archive returns a zip file with an array that occurs twice, or that unpacks to more than
// is read.
func archive(t testing.TB, what string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	f, err := z.Create("alpha.npy")
	if err != nil {
		t.Fatal(err)
	}
	if what == "bomb" {
		_, _ = f.Write(make([]byte, 1<<20+1)) // a kilobyte when packed
	} else {
		_, _ = f.Write([]byte("\x93NUMPY\x01\x00\x3b\x00{'descr': '<f8', 'fortran_order': False, 'shape': (1,), } \n12345678"))
		if _, err = z.Create("alpha.npy"); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestLongLines: a line that is too long is an error with the line, the limit and a cure.
func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", 70_000)
	_, att := ReadATT(strings.NewReader("0 1 a 1\n1 0 "+long+"\n"), nil)
	_, model := ReadModel(strings.NewReader("I: (state)\n" + long + "\n"))
	for _, err := range []error{att, model} {
		if cell := (*datasets.CellError)(nil); !errors.As(err, &cell) || cell.Line != 2 || cell.Problem != "is longer than 64 KiB, the limit of a line" || cell.Cure == "" {
			t.Error(err)
		}
	}
}

// TestNothingToReadOrWrite: a reader or an automaton that is nil, an automaton that is empty and one with a
// weight that is not finite are errors, and nothing is written.
func TestNothingToReadOrWrite(t *testing.T) {
	_, att := ReadATT(nil, nil)
	_, dot := ReadDOT(nil)
	_, npz := ReadNPZ(nil)
	_, model := ReadModel(nil)
	for i, err := range []error{att, dot, npz, model} {
		if err == nil || !strings.HasPrefix(err.Error(), "words: ") || !strings.Contains(err.Error(), "there is no reader: it is nil") {
			t.Errorf("%d: %v", i, err)
		}
	}
	spoilt := func(change func(m *twornn.Model)) *twornn.WFA {
		m := twornn.NewModel(2, 1, 1)
		change(m)
		return m.WFA([]string{"a"})
	}
	for want, w := range map[string]*twornn.WFA{
		"it is nil":    nil,
		"is empty":     {},
		"parts are":    {Alphabet: []string{"a"}, Alpha: mat.NewVecDense(2, nil), A: []*mat.Dense{mat.NewDense(3, 3, nil)}, Omega: mat.NewDense(1, 2, nil)},
		"state 1 is N": spoilt(func(m *twornn.Model) { m.H0.SetVec(1, math.NaN()) }),
		"output 1 of ": spoilt(func(m *twornn.Model) { m.Omega.Set(0, 1, math.Inf(1)) }),
		"from state 0": spoilt(func(m *twornn.Model) { m.A[0].Set(0, 1, math.Inf(-1)) }),
	} {
		var b bytes.Buffer
		_, hmm := HMMOf(w)
		for i, err := range []error{WriteATT(&b, w), WriteDOT(&b, w), WriteNPZ(&b, w), hmm} {
			if err == nil || !strings.HasPrefix(err.Error(), "words: ") || !strings.Contains(err.Error(), want) {
				t.Errorf("%s, %d: %v", want, i, err)
			}
		}
		if b.Len() > 0 {
			t.Errorf("%s: %d bytes are written", want, b.Len())
		}
	}
	for _, a := range []*Automaton{nil, {}, {Alphabet: []string{"a"}, Parts: []Part{{States: 1, Weight: 1}}}} {
		for _, err := range []error{a.WriteModel(new(bytes.Buffer)), a.Save(filepath.Join(t.TempDir(), "a"))} {
			if err == nil || !strings.Contains(err.Error(), "it is not fitted") {
				t.Error(err)
			}
		}
	}
}
