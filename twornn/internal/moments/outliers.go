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
	alike     int     // how many values are the same, itself among them
	share     float64 // of all these in the column's sum of squares about the median
}

func (o Outlier) String() string {
	what := "output"
	if o.Input {
		what = "input"
	}
	where := fmt.Sprintf("step %d of sequence %d", o.step+1, o.run+1)
	if o.alike > 1 {
		where = fmt.Sprintf("%d steps, first at %s (does it stand for what is missing?)", o.alike, where)
	}
	return fmt.Sprintf("%s %d is %.3g at %s, %.3g times the usual spread from its median, and holds %.0f %% of the column's sum of squares",
		what, o.Column+1, o.Value, where, o.spreads, 100*o.share)
}

// Outliers returns the largest outlier of each column that has one: a value further from the
// median than so many standard deviations, as the quartiles tell them, with such a share of
// the sum of squares or more. Where the bulk moves, values that are the same count together, as do those that stand for
// what is missing.
func (k *Kept) Outliers(d, p int, spreads, share float64) (out []Outlier) {
	for _, c := range k.columns(d, p) {
		if o, ok := c.outlier(spreads, share); ok {
			out = append(out, o)
		}
	}
	return out
}

// bulk is how many values are enough to tell the quartiles of a column, to some hundredths of its spread.
const bulk = 10_000

// column is one input or output of the data.
type column struct {
	some           []float64 // of its values, evenly over the data, sorted
	median, spread float64   // of the bulk
	moves          bool      // the quartiles differ
	n              int
	sum, far       float64 // about the median: the sum of squares, the largest distance
	at             Outlier // where that is
}

// columns returns the inputs and then the outputs, each output once.
func (k *Kept) columns(d, p int) []*column {
	all := make([]*column, d+p)
	for j := range all {
		all[j] = &column{at: Outlier{Input: j < d, Column: j}}
		if j >= d {
			all[j].at.Column = j - d
		}
	}
	inputs, outputs := 0, 0
	for _, r := range k.Runs {
		inputs += len(r.X) / max(d, 1)
		outputs += len(r.At) - r.Fresh
	}
	k.rows(d, p, func(x bool, row []float64, i, _, _ int) {
		of, n := all[d:], outputs
		if x {
			of, n = all[:d], inputs
		}
		if i%(1+n/bulk) == 0 {
			for j, v := range row {
				of[j].some = append(of[j].some, v)
			}
		}
	})
	for _, c := range all {
		c.quartiles()
	}
	k.rows(d, p, func(x bool, row []float64, _, run, step int) {
		of := all[d:]
		if x {
			of = all[:d]
		}
		for j, v := range row {
			c := of[j]
			e := math.Abs(v - c.median)
			c.sum += e * e
			c.n++
			switch {
			case e > c.far:
				c.far, c.at.Value, c.at.run, c.at.step, c.at.alike = e, v, run, step, 1
			case v == c.at.Value && c.moves:
				c.at.alike++
			}
		}
	})
	return all
}

// rows calls f with each step's inputs and each fresh row of outputs, the i-th of its kind.
func (k *Kept) rows(d, p int, f func(x bool, row []float64, i, run, step int)) {
	inputs, outputs := 0, 0
	for run, r := range k.Runs {
		for t := 0; (t+1)*d <= len(r.X) && d > 0; t++ {
			f(true, r.X[t*d:(t+1)*d], inputs, run, t)
			inputs++
		}
		for n := r.Fresh; n < len(r.At); n++ {
			f(false, r.Y[n*p:(n+1)*p], outputs, run, r.At[n]-1)
			outputs++
		}
	}
}

// quartiles finds the median and the spread of the bulk.
func (c *column) quartiles() {
	slices.Sort(c.some)
	n := len(c.some)
	if n == 0 {
		return
	}
	c.median = c.some[n/2]
	c.spread = (c.some[3*n/4] - c.some[n/4]) / 1.349 // of a normal distribution
	c.moves = c.spread > 0
	if !c.moves { // most are the same, as in words, or where it seldom rains
		for _, v := range c.some {
			c.spread += 1.25 * math.Abs(v-c.median) / float64(n)
		}
	}
}

// outlier returns the value that is furthest, and whether it is one.
func (c *column) outlier(spreads, share float64) (Outlier, bool) {
	o := c.at
	o.spreads, o.share = c.far/c.spread, float64(o.alike)*c.far*c.far/c.sum
	if o.alike >= 3 { // no bulk has so many alike out there
		spreads, share = spreads/3, 2*share
	}
	return o, c.n >= 5 && o.spreads > spreads && o.share > share && c.far > 1e-8*math.Abs(c.median)
}
