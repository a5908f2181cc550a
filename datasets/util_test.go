package datasets

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"
)

// sharedData are the data beside the repository, for tests that can do without.
const sharedData = "../../shared/data/"

func needFile(t *testing.T, path string) string {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		t.Skipf("the data are not beside this checkout: %v", err)
	}
	return path
}

func read(t *testing.T, text string, o CSV) *Series {
	t.Helper()
	s, err := Read(strings.NewReader(text), "test.csv", o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func column(t *testing.T, s *Series, name string) []float64 {
	t.Helper()
	v, err := s.Column(name)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// same reports whether a and b hold the same bits, any NaN being as good as another.
func same(a, b []float64) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] && !(math.IsNaN(a[i]) && math.IsNaN(b[i])) {
			return false
		}
	}
	return true
}

func panics(t *testing.T, what string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if recover() == nil {
			t.Errorf("%s did not panic", what)
		}
	}()
	f()
}

// hourly returns a series with a row at each of the hours, by way of a file.
func hourly(t *testing.T, hours []int, columns map[string][]float64, names ...string) *Series {
	t.Helper()
	var b strings.Builder
	b.WriteString("time," + strings.Join(names, ",") + "\n")
	for i, h := range hours {
		b.WriteString(time.Date(2020, 1, 1, h, 0, 0, 0, time.UTC).Format(time.RFC3339))
		for _, n := range names {
			fmt.Fprintf(&b, ",%v", columns[n][i])
		}
		b.WriteString("\n")
	}
	return read(t, b.String(), CSV{Step: time.Hour})
}

// readLines returns the fields of the lines of a plain file.
func readLines(path string) (lines [][]string, err error) {
	b, err := os.ReadFile(path)
	for line := range strings.Lines(string(b)) {
		lines = append(lines, strings.Split(strings.TrimSpace(line), ","))
	}
	return lines, err
}
