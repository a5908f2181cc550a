package datasets

import (
	"strings"
	"testing"
)

// TestMonths: a first column of months, year first, is one of times.
func TestMonths(t *testing.T) {
	for _, sep := range []string{"-", "/"} {
		text := strings.ReplaceAll("month,sales\n2004-01,3\n2004-02,4\n2004-03,5\n2004-05,6\n", "-", sep)
		s := read(t, text, CSV{})
		if n := s.Len(); n != 4 || len(s.Columns()) != 1 || len(s.Times()) != 4 || s.Times()[1].Month() != 2 {
			t.Errorf("%s: %v", sep, s)
		}
	}
}
