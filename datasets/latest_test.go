package datasets

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// TestLatestContinuesWindows: on a series cut one row short, the latest window is the
// input of the next window of the whole.
func TestLatestContinuesWindows(t *testing.T) {
	s := IrishWind().slice(0, 50)
	w := Window{Length: 4, Horizon: 2, Bias: true, Scaler: FitScaler(s)}
	i := 0
	for seq := range s.Windows(w) {
		x, err := s.slice(0, i+4).Latest(w)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(x.RawMatrix().Data, seq.X.RawMatrix().Data) {
			t.Fatalf("window %d: the latest inputs differ", i)
		}
		i++
	}
	times, err := s.TargetTimes(w)
	if err != nil || len(times) != i {
		t.Fatalf("%d times for %d windows, %v", len(times), i, err)
	}
	if first := time.Date(1961, 1, 6, 0, 0, 0, 0, time.UTC); !times[0].Equal(first) || !times[i-1].Equal(s.times[49]) {
		t.Errorf("targets from %v to %v", times[0], times[i-1])
	}
}

func TestLatestErrors(t *testing.T) {
	const head = "date,a,b\n2020-01-01,1,2\n2020-01-02,3,4\n"
	for _, c := range []struct {
		text   string
		length int
		want   string
	}{
		{head, 3, "the latest window needs 3 rows, the series has 2"},
		{head, 0, "Window.Length is 0"},
		{head + "2020-01-03,5,NA\n", 2, "lacks a value: column b, row 3 (2020-01-03T00:00:00Z)"},
		{head + "2020-01-05,5,6\n", 2, "bridges a gap before row 3 (2020-01-05T00:00:00Z)"},
	} {
		_, err := read(t, c.text, CSV{}).Latest(Window{Length: c.length})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	if _, err := read(t, "a,b\n1,2\n3,4\n", CSV{}).TargetTimes(Window{Length: 1}); err == nil || !strings.Contains(err.Error(), "no times") {
		t.Errorf("TargetTimes without times: %v", err)
	}
	if _, err := read(t, head, CSV{}).TargetTimes(Window{Length: 2}); err == nil {
		t.Error("TargetTimes without windows")
	}
}
