package datasets

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
)

// String returns a short summary: the rows and their period, the step, the gaps,
// and of each column the missing values, how many of these were out of CSV.Range if
// any was, the smallest, mean and largest, with its unit if the file gave one; and
// the notes, see Series.Notes.
func (s *Series) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s", inline(s.name), count(s.rows, "row"), count(len(s.columns), "column"))
	switch {
	case s.times == nil:
		b.WriteString("\nno times")
	case s.rows > 0:
		fmt.Fprintf(&b, "\n%s to %s UTC, %s\n%v", short(s.times[0]), short(s.times[s.rows-1]), s.stepLine(), s.Gaps())
	}
	b.WriteString("\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	missing := s.Missing()
	outside, anyOutside := s.outside()
	fmt.Fprint(w, "column\tmissing\t")
	if anyOutside {
		fmt.Fprint(w, "out of range\t")
	}
	fmt.Fprint(w, "min\tmean\tmax\t")
	if s.units != nil {
		fmt.Fprint(w, "unit\t")
	}
	fmt.Fprintln(w)
	for j, c := range s.columns {
		fmt.Fprintf(w, "%s\t%d\t", inline(c), missing[j])
		if anyOutside {
			fmt.Fprintf(w, "%d\t", outside[j])
		}
		if low, mean, high, n := spread(s.values[j]); n > 0 {
			fmt.Fprintf(w, "%.5g\t%.5g\t%.5g\t", low, mean, high)
		} else {
			fmt.Fprint(w, "-\t-\t-\t")
		}
		if s.units != nil {
			fmt.Fprintf(w, "%s\t", inline(s.units[j]))
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	for _, n := range s.Notes() {
		fmt.Fprintln(&b, n)
	}
	return strings.TrimRight(b.String(), "\n")
}

// outOfRange stands for a value outside CSV.Range. It is a NaN like any other, but
// has bits of its own, so that a view can count those in its rows.
var outOfRange = math.Float64frombits(0x7FF8_0000_0000_0B0B)

// outside returns how many values of each column were out of range, and whether any.
func (s *Series) outside() (n []int, some bool) {
	n = make([]int, len(s.columns))
	for j, v := range s.values {
		for _, x := range v {
			if math.Float64bits(x) == math.Float64bits(outOfRange) {
				n[j]++
				some = true
			}
		}
	}
	return n, some
}
