package words

import (
	"archive/zip"
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/internal/store"
)

// soundWFA fails unless all of w is finite and of shapes that agree. What a file took is
// written as a file again, and read back.
func soundWFA(t *testing.T, w *twornn.WFA, err error) bool {
	t.Helper()
	if err != nil {
		if w != nil || strings.ContainsAny(err.Error(), "\r\n\x00") || len(err.Error()) > 2000 {
			t.Fatalf("the error is %q", err)
		}
		return false
	}
	m := w.Model()
	n, d, p := m.Dims()
	if len(w.Alphabet) != d || n < 1 || p < 1 {
		t.Fatalf("%d states, %d symbols, %d outputs, %d names", n, d, p, len(w.Alphabet))
	}
	check := func(what string, v []float64) {
		for _, x := range v {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("%v in %s", x, what)
			}
		}
	}
	check("alpha", m.H0.RawVector().Data)
	check("omega", m.Omega.RawMatrix().Data)
	for _, a := range m.A {
		check("A", a.RawMatrix().Data)
	}
	return n*n*d < 1<<16 // small enough to be written
}

// Whatever the text, ReadDOT returns: an automaton that comes back the same, or an error.
func FuzzReadDOT(f *testing.F) {
	var b bytes.Buffer
	if err := WriteDOT(&b, someWFA()); err != nil {
		f.Fatal(err)
	}
	const one = `digraph { alphabet="\"a\"" 0 [alpha="1", omega="1"] 0 -> 0 [symbol="\"a\"", a="1"] }`
	for _, s := range []string{b.String(), one, "", "digraph {", "}{", "digraph { 0 [", "digraph { 0 -> ", `digraph { "\`, `digraph { alphabet="`, "digraph { a = ", strings.Repeat("{", 1<<12), strings.Repeat("->", 1<<12),
		strings.Replace(one, `omega="1"`, `omega="`+strings.Repeat("1 ", 1<<12)+`"`, 1), strings.Replace(one, `alpha="1"`, `alpha="NaN"`, 1),
		strings.Replace(one, "0 -> 0", "0 -> 99999999999", 1), strings.Replace(one, `0 [`, `4095 [`, 1), strings.Replace(one, "0 -> 0", "-1 -> 0", 1), strings.Replace(one, `a="1"`, `a="1e999"`, 1)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		w, err := ReadDOT(bytes.NewReader(text))
		if !soundWFA(t, w, err) {
			return
		}
		var b bytes.Buffer
		if err := WriteDOT(&b, w); err != nil {
			t.Fatal(err)
		}
		back, err := ReadDOT(&b)
		if err != nil {
			t.Fatal(err)
		}
		sameBits(t, "DOT", w, back)
	})
}

// Whatever the text, ReadATT returns: an automaton that is no zero function, or an error.
func FuzzReadATT(f *testing.F) {
	for _, s := range []string{"", "0 1 a 0.5\n1\n", "0 0 a a 0\n0 1\n", "0 1 <eps> 0\n1 1 b\n1 2\n", "1\n", "0 1 a NaN\n1\n", "0 1 a -1e6\n1\n", "0 1 a 1e6\n1\n", "0 1 a Infinity\n1 -Infinity\n", "0 99999999999 a\n0\n", "x y z\ny\n",
		"0 1 a b 1\n1\n", "0 1 <eps>\n1 2 <eps>\n2\n", strings.Repeat("0 1 a\n", 1<<10) + "1\n", strings.Repeat("0 ", 1<<12), "0 1 " + strings.Repeat("a", 1<<12) + "\n1\n"} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, open bool) {
		var alphabet []string
		if !open {
			alphabet = []string{"a", "b"}
		}
		w, err := ReadATT(bytes.NewReader(text), alphabet)
		if soundWFA(t, w, err) {
			sum := 0.0
			for _, x := range w.Model().Omega.RawMatrix().Data {
				sum += x
			}
			if !(sum > 0) {
				t.Fatal("the zero function")
			}
		}
	})
}

// Whatever the archive, ReadNPZ returns: an automaton that comes back the same, or an error.
func FuzzReadNPZ(f *testing.F) {
	var b bytes.Buffer
	if err := WriteNPZ(&b, someWFA()); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes(), true)
	f.Add([]byte("PK\x05\x06"+strings.Repeat("\x00", 18)), true)
	f.Add(archive(f, "twice"), true)
	f.Add(archive(f, "bomb"), true)
	head := func(kind, order, shape string) []byte {
		h := "{'descr': '" + kind + "', 'fortran_order': " + order + ", 'shape': (" + shape + "), }"
		return append([]byte("\x93NUMPY\x01\x00"+string(rune(len(h)))+"\x00"+h), make([]byte, 8)...)
	}
	for _, h := range [][]byte{head("<f8", "False", "1,"), head("<f8", "True", "1, 1"), head("<f8", "True", "1, 1, 1"), head("<f8", "False", "9223372036854775807, 3, 3"), head("<f8", "False", "4294967296, 4294967296, 0"),
		head("<f-8", "False", "1,"), head("<U2", "False", "1,"), head("<U4611686018427387904", "False", "1,"), head("<f8", "False", ""), nil, []byte("\x93NUMPY\x02\x00\xff\xff\xff\xff")} {
		f.Add(h, false)
	}
	f.Fuzz(func(t *testing.T, data []byte, whole bool) {
		if !whole { // the same array under all names, where the bytes of an archive would hide it behind its checksums
			var b bytes.Buffer
			z := zip.NewWriter(&b)
			for _, name := range []string{"alpha", "A", "Omega", "alphabet"} {
				w, err := z.Create(name + ".npy")
				if err != nil {
					t.Fatal(err)
				}
				_, _ = w.Write(data)
			}
			if err := z.Close(); err != nil {
				t.Fatal(err)
			}
			data = b.Bytes()
		}
		w, err := readNPZ(bytes.NewReader(data), 1<<22)
		if !soundWFA(t, w, err) {
			return
		}
		var b bytes.Buffer
		if err := WriteNPZ(&b, w); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadNPZ(&b); err != nil {
			t.Fatal(err)
		}
	})
}

// Whatever the text, ReadModel returns: an automaton whose words have probabilities, or an
// error.
func FuzzReadModel(f *testing.F) {
	var b bytes.Buffer
	if err := (&Automaton{Alphabet: datasets.Numbered(3), Parts: []Part{{States: 3, Weight: 1, pfa: ladder()}}}).WriteModel(&b); err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{b.String(), "", "I:\n(0) 1\nF:\n(0) 0.5\nS:\n(0,0) 1\nT:\n(0,0,0) 1\n", "I:\n(4095) 1\nS:\n(0,4095) 1\n", "I:\n(99999999999999999999) 1\n", "I:\n(-1) 1\n", "I:\n(0) NaN\n", "I:\n(0) 1e-320\nS:\n(0,0) 1\n",
		"I:\n(0) 1\nS:\n(0,0) 1\nT:\n(0,0,0) 1\n", "T:\n(0,0) 1\n", "(0) 1\n", "I:\n(0", "I:\n()\n", "I:\n(0)\n", ":\n", strings.Repeat("I:", 1<<15)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		a, err := ReadModel(bytes.NewReader(text))
		if err != nil {
			if a != nil || strings.ContainsAny(err.Error(), "\r\n\x00") {
				t.Fatalf("the error is %q", err)
			}
			return
		}
		for _, word := range [][]int{{}, {0}, {0, 0}} {
			if p := a.LogProb(word); math.IsNaN(p) || math.IsInf(p, 1) {
				t.Fatalf("the logarithm of the probability of %v is %v", word, p)
			}
		}
	})
}

// Whatever the text, sealed or not, an automaton that Save can write again comes of it, or
// an error.
func FuzzLoadAutomaton(f *testing.F) {
	text, err := someAutomaton(f).encode()
	if err != nil {
		f.Fatal(err)
	}
	whole := `{"format":"twornn automaton of words","version":1,"alphabet":["a"],"parts":[{"method":"EM","weight":1,"heldOut":0,"start":[1],"stop":[0.5],"step":[[0.5]]}]}`
	for _, s := range []string{string(text), whole, strings.Replace(whole, "[[0.5]]", "[[],[]]", 1), strings.Replace(whole, "[1]", strings.Repeat("[", 1<<12), 1), strings.Replace(whole, "[1]", `["1"]`, 1), strings.Replace(whole, "[1]", `[1`+strings.Repeat(",1", 1<<12)+`]`, 1),
		strings.Replace(whole, "[1]", "[1e999]", 1), strings.Replace(whole, `"weight":1`, `"weight":1e308`, 1), "", "{}", "null", "[]"} {
		f.Add([]byte(s), true)
		f.Add([]byte(s), false)
	}
	f.Fuzz(func(t *testing.T, text []byte, seal bool) {
		if seal {
			text = store.Seal(text)
		}
		a, err := decode(text)
		if err != nil {
			return
		}
		again, err := a.encode()
		if err != nil {
			t.Fatal(err)
		}
		b, err := decode(again)
		if err != nil {
			t.Fatal(err)
		}
		sameBits(t, "a saved automaton", a.WFA(), b.WFA())
	})
}
