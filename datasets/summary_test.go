package datasets

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func TestIndexIsNoted(t *testing.T) {
	file := func(n int, f func(i int) string) string {
		var b strings.Builder
		b.WriteString("hour_index,x\n")
		for i := range n {
			fmt.Fprintf(&b, "%s,%d\n", f(i), i*i)
		}
		return read(t, b.String(), CSV{}).String()
	}
	const note = "\nnote: column hour_index counts the rows; leave it out with Select"
	from5 := func(i int) string { return fmt.Sprint(5 + i) }
	if got := file(20, from5); !strings.HasSuffix(got, note) || strings.Count(got, "note") != 1 {
		t.Errorf("20 rows:\n%s", got)
	}
	for name, got := range map[string]string{
		"19 rows":   file(19, from5),
		"squares":   file(30, func(i int) string { return fmt.Sprint(i * i) }),
		"one lacks": file(30, func(i int) string { return []string{fmt.Sprint(i), ""}[i/29] }),
	} {
		if strings.Contains(got, "note") {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

// A value that cannot be is missing, is counted, and gets into no window.
func TestRange(t *testing.T) {
	const file = "x,y\n0,1\n1048.36,1\n,1\n10,1\n-0.1,1\n5,-1\n"
	s := read(t, file, CSV{Range: map[string][2]float64{"x": {0, 10}, "y": {math.Inf(-1), 1}}})
	nan := math.NaN()
	if x := column(t, s, "x"); !same(x, []float64{0, nan, nan, 10, nan, 5}) || !slices.Equal(s.Missing(), []int{3, 0}) {
		t.Errorf("x is %v, missing %v", x, s.Missing())
	}
	want := strings.TrimPrefix(`
test.csv: 6 rows, 2 columns
no times
  column  missing  out of range  min     mean  max
       x        3             2    0        5   10
       y        0             0   -1  0.66667    1
warning: 3 of 6 rows (50 %) lack a value, which no window holds`, "\n")
	if got := s.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	// A view counts those in its own rows.
	head, tail := s.Split(.5)
	for _, c := range []struct {
		s    *Series
		want int
	}{{head, 1}, {tail, 1}, {s.slice(2, 4), 0}} {
		if n, some := c.s.outside(); n[0] != c.want || some != (c.want > 0) || strings.Contains(c.s.String(), "out of range") != some {
			t.Errorf("%d out of range, want %d:\n%v", n[0], c.want, c.s)
		}
	}
	if got := read(t, file, CSV{}).String(); strings.Contains(got, "out of range") {
		t.Errorf("without Range:\n%s", got)
	}
}
