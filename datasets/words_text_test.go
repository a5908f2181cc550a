package datasets

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// TestReadLines: symbols by characters, blanks and commas.
func TestReadLines(t *testing.T) {
	for _, c := range []struct {
		text, separator string
		alphabet        []string
		words           [][]int
	}{
		{"aba\nü\n\nab", "", []string{"a", "b", "ü"}, [][]int{{0, 1, 0}, {2}, {}, {0, 1}}},
		{"the cat\r\n the  dog \r\n", " ", []string{"the", "cat", "dog"}, [][]int{{0, 1}, {0, 2}}},
		{"x, y y,x\n", ",", []string{"x", "y y"}, [][]int{{0, 1, 0}}},
	} {
		w, err := ReadLines(strings.NewReader(c.text), c.separator)
		if err != nil {
			t.Fatal(err)
		}
		var words [][]int
		for word := range w.All() {
			words = append(words, word)
		}
		if !slices.Equal(w.Alphabet, c.alphabet) || !slices.EqualFunc(words, c.words, slices.Equal) {
			t.Errorf("%q: %q %v", c.text, w.Alphabet, words)
		}
		// The same by a data frame.
		lines := strings.Split(strings.TrimRight(strings.ReplaceAll(c.text, "\r", ""), "\n"), "\n")
		f, err := WordsFromFrame(dataframe.New(series.New(lines, series.String, "w")), "w", c.separator)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(f.Alphabet, w.Alphabet) || f.Len() != w.Len() {
			t.Errorf("%q: by a data frame %v", c.text, f)
		}
	}
}

// TestReadLinesErrors: bad lines and cells have an error with their place.
func TestReadLinesErrors(t *testing.T) {
	for text, line := range map[string]int{"a,b\na,,b\n": 2, "a\n\xff\n": 2, "a\rb\r\n": 1} {
		var cell *CellError
		if _, err := ReadLines(strings.NewReader(text), ","); !errors.As(err, &cell) || cell.Line != line || cell.Cure == "" {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := ReadLines(strings.NewReader("\n\n"), ""); err == nil {
		t.Error("no symbol at all passed")
	}
	df := dataframe.New(series.New([]string{"ab", "NaN"}, series.String, "w"), series.New([]int{1, 2}, series.Int, "n"))
	var cell *CellError
	if _, err := WordsFromFrame(df, "w", ""); !errors.As(err, &cell) || cell.Row != 2 {
		t.Error(err)
	}
	if _, err := WordsFromFrame(df, "n", ""); !errors.As(err, &cell) {
		t.Error(err)
	}
	if _, err := WordsFromFrame(df, "x", ""); err == nil || !strings.Contains(err.Error(), "no column x") {
		t.Error(err)
	}
}

// TestRecode: words keep their symbols by name.
func TestRecode(t *testing.T) {
	w, err := ReadLines(strings.NewReader("ba\nb\nb"), "")
	if err != nil {
		t.Fatal(err)
	}
	r, err := w.Recode([]string{"a", "b", "c"})
	if err != nil {
		t.Fatal(err)
	}
	if r.Count([]int{1, 0}) != 1 || r.Count([]int{1}) != 2 {
		t.Error(r)
	}
	if _, err := w.Recode([]string{"a"}); err == nil || !strings.Contains(err.Error(), "symbol b") {
		t.Error(err)
	}
}

// TestLongWords: a line that is too long is an error with the line, the limit and a cure.
func TestLongWords(t *testing.T) {
	// What bufio.Scanner says after 256 MiB, without these.
	long := func(before string) io.Reader {
		return io.MultiReader(strings.NewReader(before), iotest.ErrReader(bufio.ErrTooLong))
	}
	_, lines := ReadLines(long("a b\n"), " ")
	_, numbers := ReadPAutomaC(long("2 3\n"))
	_, head := ReadPAutomaC(long(""))
	_, end := ReadPAutomaC(long("1 3\n1 0\n"))
	for line, err := range map[int][]error{1: {head}, 2: {lines, numbers}, 3: {end}} {
		for _, err := range err {
			if cell := (*CellError)(nil); !errors.As(err, &cell) || cell.Line != line || cell.Problem != "is longer than 256 MiB, the limit of a line" || cell.Cure == "" {
				t.Errorf("line %d: %v", line, err)
			}
		}
	}
}

// TestRecodeAlphabets: an alphabet that is empty, or names a symbol twice, is an error.
func TestRecodeAlphabets(t *testing.T) {
	w := NewWords([]string{"a"})
	for want, alphabet := range map[string][]string{"alphabet is empty": nil, "a occurs twice": {"a", "a"}} {
		if _, err := w.Recode(alphabet); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
