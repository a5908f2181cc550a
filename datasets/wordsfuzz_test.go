package datasets

import (
	"bytes"
	"fmt"
	"math"
	"strings"
	"testing"
)

// soundWords returns what is wrong with words that a file gave, "" if nothing is.
func soundWords(w *Words) string {
	total := 0.0
	for word, count := range w.All() {
		total += count
		for _, s := range word {
			if s < 0 || s >= len(w.Alphabet) {
				return fmt.Sprintf("symbol %d of %d", s, len(w.Alphabet))
			}
		}
	}
	if math.Abs(total-w.Total()) > 1e-9*total {
		return fmt.Sprintf("%v words, %v in all", total, w.Total())
	}
	return ""
}

// wordError returns what is wrong with the error of a file of words.
func wordError(w *Words, err error) string {
	switch {
	case w != nil:
		return "words beside an error"
	case strings.ContainsAny(err.Error(), "\r\n\x00") || len(err.Error()) > 2000:
		return "no line that can be read"
	case !strings.HasPrefix(err.Error(), "datasets: "):
		return "no package"
	}
	return ""
}

// Whatever the file, ReadPAutomaC returns sound words or an error in one line; sizes that
// its first line claims allocate little.
func FuzzReadPAutomaC(f *testing.F) {
	for _, file := range []string{"", "2 3\n1 0\n2 1 2\n", "2 3\r\n1 0\r\n0\r\n", "9223372036854775807 1048576\n", "1 99999999999\n1 0\n", "1 1048577\n", "1 0\n0\n",
		"-1 1\n", "1 1\n99999999 0\n", "1 1\n9223372036854775807\n", "1 1\n-9223372036854775808 0\n", "1 2\n1 2\n", "1 1\n1 0\n1 0\n", "1 1\r1 0\r", "1 1\n\n", "1\t1 \n1\t0 \n",
		"\xEF\xBB\xBF1 1\n0\n", "1 1\n+1 0\n", "1 1\n1 ٠\n", strings.Repeat("1 ", 1<<16), "1 1\n" + strings.Repeat("1", 1<<16)} {
		f.Add([]byte(file))
	}
	f.Fuzz(func(t *testing.T, file []byte) {
		w, err := ReadPAutomaC(bytes.NewReader(file))
		if err != nil {
			if problem := wordError(w, err); problem != "" {
				t.Fatalf("%s: %q", problem, err)
			}
			return
		}
		if problem := soundWords(w); problem != "" {
			t.Fatal(problem)
		}
	})
}

// Whatever the file and the separator, ReadLines returns words that say the same when they
// are written out, or an error in one line.
func FuzzReadLines(f *testing.F) {
	for _, file := range []string{"", "a b\nb\n", "a,b\r\n,\r\n", "\n\n", "a\rb", "\xFF", "\xEF\xBB\xBFa", "é é", "a\u2028b c", strings.Repeat("a", 1<<16), strings.Repeat("a b ", 1<<14)} {
		for _, separator := range []string{"", " ", ",", "ab"} {
			f.Add([]byte(file), separator)
		}
	}
	f.Fuzz(func(t *testing.T, file []byte, separator string) {
		w, err := ReadLines(bytes.NewReader(file), separator)
		if err != nil {
			if problem := wordError(w, err); problem != "" {
				t.Fatalf("%s: %q", problem, err)
			}
			return
		}
		if problem := soundWords(w); problem != "" {
			t.Fatal(problem)
		}
		seen := map[string]bool{}
		for _, s := range w.Alphabet {
			if s == "" || seen[s] {
				t.Fatalf("the symbol %q is empty or occurs twice", s)
			}
			seen[s] = true
		}
	})
}
