package phrase

import "testing"

// TestPhrases: one, several and none; plurals in -ies, but not of days; sizes; lines of a width.
func TestPhrases(t *testing.T) {
	for got, want := range map[string]string{
		Count(1, "query") + Count(0, "state"): "1 query0 states", Count(2, "query") + Count(2, "day"): "2 queries2 days",
		List([]int{2, 4, 5}): "2, 4 and 5", List([]int{2}): "2", List(nil): "",
		Bytes(4e9): "4 GB", Bytes(1234): "1.23 kB", Bytes(2.5e12): "2.5 TB",
		Wrap("aa bb cc", 5, "\n  "): "aa bb\n  cc", Wrap("Σσ ω", 4, "\n"): "Σσ ω",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
