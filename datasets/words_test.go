package datasets

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
)

// TestReadPAutomaC: words are counted, in the order in which they come, whatever ends
// the lines.
func TestReadPAutomaC(t *testing.T) {
	const text = "5 3\n2 0 2\n0\n2 0 2\n1 1\n3 2 2 2\n"
	for name, s := range map[string]string{
		"LF":         text,
		"CR LF":      strings.ReplaceAll(text, "\n", "\r\n"),
		"no end":     strings.TrimRight(text, "\n"),
		"blanks":     strings.ReplaceAll(text, "\n", " \n"),
		"blank tail": text + "\n\n",
	} {
		w, err := ReadPAutomaC(strings.NewReader(s))
		if err != nil {
			t.Fatal(name, err)
		}
		var words [][]int
		var counts []float64
		for word, c := range w.All() {
			words, counts = append(words, word), append(counts, c)
		}
		want := [][]int{{0, 2}, {}, {1}, {2, 2, 2}}
		if !slices.EqualFunc(words, want, slices.Equal) || !slices.Equal(counts, []float64{2, 1, 1, 1}) {
			t.Errorf("%s: words %v, counts %v", name, words, counts)
		}
		if !slices.Equal(w.Alphabet, []string{"0", "1", "2"}) || w.Total() != 5 || w.Len() != 4 || w.Longest() != 3 || w.Count([]int{0, 2}) != 2 || w.Count([]int{2}) != 0 {
			t.Errorf("%s: %v", name, w)
		}
	}
}

// TestReadPAutomaCErrors: each bad file has an error with its line and a cure.
func TestReadPAutomaCErrors(t *testing.T) {
	for _, c := range []struct {
		name, text string
		line       int
		problem    string
	}{
		{"empty", "", 0, "is empty"},
		{"one number", "5\n", 1, "is not the number of words"},
		{"three numbers", "5 2 1\n", 1, "is not the number of words"},
		{"no symbols", "5 0\n", 1, "is not the number of words"},
		{"huge alphabet", "5 99999999999\n", 1, "is not the number of words"},
		{"negative number", "-1 2\n", 1, "is not the number of words"},
		{"odd length", "1 2\n3 0 1\n", 2, "is the length, and 2 symbols follow"},
		{"out of range", "2 2\n1 0\n2 0 2\n", 3, "is not among the 2 symbols"},
		{"negative symbol", "1 2\n1 -1\n", 2, "is not among the 2 symbols"},
		{"negative length", "1 2\n-1\n", 2, "is no length"},
		{"missing lines", "3 2\n1 0\n", 2, "ends after 1 of the 3 words"},
		{"blank line", "2 2\n\n1 0\n", 2, "is blank"},
		{"lines too many", "1 2\n1 0\n1 1\n", 3, "comes after the 1 words"},
		{"CR only", "1 2\r1 0\r", 1, "holds a CR"},
		{"a letter", "1 2\n1 a\n", 2, "is no whole number"},
		{"a fraction", "1 2\n1 0.5\n", 2, "is no whole number"},
	} {
		_, err := ReadPAutomaC(strings.NewReader(c.text))
		var cell *CellError
		if !errors.As(err, &cell) {
			t.Fatalf("%s: %v", c.name, err)
		}
		if cell.Line != c.line || !strings.Contains(err.Error(), c.problem) || cell.Cure == "" {
			t.Errorf("%s: %v, line %d", c.name, err, cell.Line)
		}
	}
}

// TestWordsOneHot: words to one-hot sequences and back are the same words; a row that is
// no unit vector errs.
func TestWordsOneHot(t *testing.T) {
	w := NewWords([]string{"a", "b", "c"})
	for _, word := range [][]int{{0, 1}, {}, {2, 2, 1}} {
		w.Add(word, 1)
	}
	back, err := WordsFromSequences(w.Sequences(), w.Alphabet)
	if err != nil {
		t.Fatal(err)
	}
	for word := range w.All() {
		if back.Count(word) != 1 {
			t.Errorf("%v came back %v times", word, back.Count(word))
		}
	}
	for s := range w.Sequences() {
		if s.Y.At(0, 0) != 1.0/3 {
			t.Errorf("the share of a word is %v", s.Y.At(0, 0))
		}
	}
	for _, row := range [][]float64{{0, 0, 0}, {1, 1, 0}, {0, 2, 0}, {0.5, 0.5, 0}} {
		if _, err := WordOf(mat.NewDense(1, 3, row)); err == nil {
			t.Errorf("%v passed for a symbol", row)
		}
	}
	two := func(yield func(twornn.Sequence) bool) {
		yield(twornn.Sequence{X: mat.NewDense(1, 2, []float64{1, 0}), Y: mat.NewDense(1, 1, nil)})
	}
	if _, err := WordsFromSequences(two, w.Alphabet); err == nil || !strings.Contains(err.Error(), "sequence 1") {
		t.Error(err)
	}
}

// TestWordsKeys: words whose symbols take more than a byte are told apart.
func TestWordsKeys(t *testing.T) {
	w := NewWords(Numbered(70000))
	words := [][]int{{128}, {0, 1}, {1, 0}, {128, 1}, {16384}, {0, 0, 1}, {65536}, {0}, {}}
	for i, word := range words {
		w.Add(word, float64(i+1))
	}
	for i, word := range words {
		if w.Count(word) != float64(i+1) {
			t.Errorf("%v was counted %v times, not %d", word, w.Count(word), i+1)
		}
	}
}

// TestWordsExtremeCounts: shares are right where the counts add up to more than a number holds; one count
// that does is refused, and so is a nil source.
func TestWordsExtremeCounts(t *testing.T) {
	w := NewWords([]string{"a", "b"})
	for _, word := range [][]int{nil, {0}, {1}, {0, 1}} {
		w.Add(word, math.MaxFloat64)
	}
	for s := range w.Sequences() {
		if got := s.Y.At(0, 0); got != 0.25 {
			t.Errorf("a share of %v of four", got)
		}
	}
	func() {
		defer func() {
			if r := recover(); r == nil || !strings.Contains(r.(string), "counted more often") {
				t.Error(r)
			}
		}()
		w.Add(nil, math.MaxFloat64)
	}()
	if _, err := WordsFromSequences(nil, []string{"a"}); err == nil || !strings.Contains(err.Error(), "the source of sequences is nil") {
		t.Error(err)
	}
}
