package moments

import (
	"fmt"
	"math"
	"slices"
)

// Outlier is a value far outside the others of its column.
type Outlier struct {
	Input     bool // or an output
	Column    int  // from 0
	run, step int  // from 0
	Value     float64
	spreads   float64 // how many standard deviations of the bulk it is from the median
	share     float64 // of the column's sum of squares about the median
}

func (o Outlier) String() string {
	what := "output"
	if o.Input {
		what = "input"
	}
	return fmt.Sprintf("%s %d is %.3g at step %d of sequence %d, %.3g times the usual spread from its median, and holds %.0f %% of the column's sum of squares",
		what, o.Column+1, o.Value, o.step+1, o.run+1, o.spreads, 100*o.share)
}

// value is one of a column, with where it stands.
type value struct {
	v         float64
	run, step int
}

// Outliers returns the largest outlier of each column that has one: a value further from the
// median than so many standard deviations, as the quartiles tell them, with such a share of
// the sum of squares or more.
func (k *Kept) Outliers(d, p int, spreads, share float64) (out []Outlier) {
	for j := range d {
		column := func(yield func(value)) {
			for i, r := range k.Runs {
				for t := 0; (t+1)*d <= len(r.X); t++ {
					yield(value{r.X[t*d+j], i, t})
				}
			}
		}
		out = appendOutlier(out, column, Outlier{Input: true, Column: j}, spreads, share)
	}
	for o := range p {
		column := func(yield func(value)) {
			for i, r := range k.Runs {
				for n := r.Fresh; n < len(r.At); n++ {
					yield(value{r.Y[n*p+o], i, r.At[n] - 1})
				}
			}
		}
		out = appendOutlier(out, column, Outlier{Column: o}, spreads, share)
	}
	return out
}

// bulk is how many values are enough to tell the quartiles of a column, to some hundredths of its spread.
const bulk = 10_000

// appendOutlier appends that of a column, if there is one.
func appendOutlier(out []Outlier, column func(yield func(value)), o Outlier, spreads, share float64) []Outlier {
	total := 0
	column(func(value) { total++ })
	if total < 5 {
		return out
	}
	// The bulk is told by some of the values, evenly over the column.
	stride := 1 + total/bulk
	all, at := make([]float64, 0, total/stride+1), 0
	column(func(v value) {
		if at%stride == 0 {
			all = append(all, v.v)
		}
		at++
	})
	slices.Sort(all)
	n := len(all)
	median := all[n/2]
	spread := (all[3*n/4] - all[n/4]) / 1.349 // of a normal distribution
	if spread == 0 {                          // most are the same, as in words, or where it seldom rains
		for _, v := range all {
			spread += 1.25 * math.Abs(v-median) / float64(n)
		}
	}
	sum, far := 0.0, 0.0
	column(func(v value) {
		e := math.Abs(v.v - median)
		sum += e * e
		if e > far {
			far, o.Value, o.run, o.step = e, v.v, v.run, v.step
		}
	})
	o.spreads, o.share = far/spread, far*far/sum
	if o.spreads > spreads && o.share > share && far > 1e-8*math.Abs(median) {
		out = append(out, o)
	}
	return out
}
