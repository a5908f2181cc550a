package moments

import (
	"fmt"
	"math"
	"slices"
)

// Break is a place from which on an output lies at another level, or is of another size.
type Break struct {
	output        int
	run, step     int
	before, after float64 // means; of the logarithm of its distance from the median, if size
	size          bool
}

func (b Break) String() string {
	where := fmt.Sprintf("from step %d of sequence %d on", b.step+1, b.run+1)
	if b.size {
		return fmt.Sprintf("%s output %d goes %.3g times as far up and down as before", where, b.output+1, math.Exp(b.after-b.before))
	}
	how, by := "higher", b.after-b.before
	if by < 0 {
		how, by = "lower", -by
	}
	return fmt.Sprintf("%s output %d lies about %.3g %s than before", where, b.output+1, by, how)
}

const (
	leastSide = 10 // outputs before a break and after it
	near      = 5  // of these on either side tell whether it is at once
)

// Break returns the first output, of a record that its runs follow one another in, whose level or size changes at once, and a
// step explains such a share of the variance or more, where no input changes its own within a tenth of the record.
func (k *Kept) Break(d, p int, share float64) (Break, bool) {
	var runs, steps []int
	columns := make([][]float64, d+p) // the inputs at the steps with an output, and the outputs
	for r, run := range k.Runs {
		for q := run.Fresh; q < len(run.At); q++ {
			t := run.At[q]
			if t == 0 {
				continue // there is no input
			}
			runs, steps = append(runs, r), append(steps, t-1)
			for j, v := range run.X[(t-1)*d : t*d] {
				columns[j] = append(columns[j], v)
			}
			for o, v := range run.Y[q*p : (q+1)*p] {
				columns[d+o] = append(columns[d+o], v)
			}
		}
	}
	if n := len(runs); n < 6*leastSide {
		return Break{}, false
	}
	var told []int // where inputs change
	for _, c := range columns[:d] {
		for _, v := range [][]float64{c, sizes(c)} {
			if at, of, _, _ := split(v); of > share/2 {
				told = append(told, at)
			}
		}
	}
	for o, c := range columns[d:] {
		for i, v := range [][]float64{c, sizes(c)} {
			at, of, before, after := split(v)
			known := slices.ContainsFunc(told, func(k int) bool { return 10*max(k-at, at-k) <= len(v) })
			if of >= share && !known && atOnce(v, at, after-before) {
				return Break{o, runs[at], steps[at], before, after, i == 1}, true
			}
		}
	}
	return Break{}, false
}

// sizes returns the logarithms of the distances from the median, where that is not 0; none if it often is.
func sizes(v []float64) []float64 {
	s := slices.Sorted(slices.Values(v))
	median, out := s[len(s)/2], make([]float64, len(v))
	least := math.Inf(1)
	for i, x := range v {
		if out[i] = math.Log(math.Abs(x - median)); !math.IsInf(out[i], -1) {
			least = min(least, out[i])
		}
	}
	zeros := 0
	for i, x := range out {
		if math.IsInf(x, -1) {
			out[i] = least
			zeros++
		}
	}
	if 4*zeros > len(v) {
		return nil
	}
	return out
}

// split returns the place at which a step of the level explains the most of the variance, what share that is, and the means
// before it and from it on.
func split(v []float64) (at int, share, before, after float64) {
	n := float64(len(v))
	mean, all := 0.0, 0.0
	for _, x := range v {
		mean += x / n
	}
	for _, x := range v {
		all += (x - mean) * (x - mean)
	}
	if !(all > 0) {
		return 0, 0, 0, 0
	}
	sum, most := 0.0, 0.0
	for i, x := range v {
		if m := float64(i); i >= leastSide && i <= len(v)-leastSide {
			if between := sum * sum * n / (m * (n - m)); between > most {
				at, most, before, after = i, between, mean+sum/m, mean-sum/(n-m)
			}
		}
		sum += x - mean
	}
	return at, most / all, before, after
}

// atOnce reports whether the few values from a place on differ from the few before it by at least half of a step.
func atOnce(v []float64, at int, step float64) bool {
	by := 0.0
	for i := range near {
		by += (v[at+i] - v[at-1-i]) / near
	}
	return by/step > 0.5
}
