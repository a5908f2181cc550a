package datasets

import (
	"fmt"
	"math"
	"strings"
	"text/tabwriter"
)

// String returns a short summary: the rows and their period, the step, the gaps,
// and of each column the missing values, the smallest, mean and largest.
func (s *Series) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s", inline(s.name), count(s.rows, "row"), count(len(s.columns), "column"))
	switch {
	case s.times == nil:
		b.WriteString("\nno times")
	case s.rows > 0:
		fmt.Fprintf(&b, "\n%s to %s UTC, step %s\n%v", short(s.times[0]), short(s.times[s.rows-1]), shortStep(s.step), s.Gaps())
	}
	b.WriteString("\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "column\tmissing\tmin\tmean\tmax\t")
	missing := s.Missing()
	for j, c := range s.columns {
		fmt.Fprintf(w, "%s\t%d\t", inline(c), missing[j])
		if low, mean, high, n := spread(s.values[j]); n > 0 {
			fmt.Fprintf(w, "%.5g\t%.5g\t%.5g\t", low, mean, high)
		} else {
			fmt.Fprint(w, "-\t-\t-\t")
		}
		fmt.Fprintln(w)
	}
	w.Flush()
	return strings.TrimRight(b.String(), "\n")
}

// spread returns the smallest, mean and largest of the n values that are there.
func spread(v []float64) (low, mean, high float64, n int) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, x := range v {
		if math.IsNaN(x) {
			continue
		}
		n++
		low, high = min(low, x), max(high, x)
		// The two halves keep x − mean from overflowing.
		mean += x/float64(n) - mean/float64(n)
	}
	return low, mean, high, n
}
