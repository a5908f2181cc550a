package moments

import (
	"iter"
	"math"
	"math/rand/v2"
	"slices"
)

// Long runs are ten times as long as the longest example, but of no fewer steps than longLeast and
// no more than longMost, or three times as long where that is more: what a user may do with a model.
const (
	longTimes, longLeast, longMost, longMore = 10, 100, 1000, 3
	longSteps                                = 10_000 // of all runs, or one
)

// LongRuns yields the inputs of n runs that are much longer than the examples, of so many steps each.
// Examples are joined as they came where they overlap, as windows of a series do, and else by
// chance; those with an outlying input are left out. If there are no others n is 0.
func (k *Kept) LongRuns(d int, wild []Outlier) (runs iter.Seq[[]float64], steps, n int) {
	longest := 0
	var usable []int
	for i, r := range k.Runs {
		longest = max(longest, len(r.X)/d)
		if len(r.X) > 0 && !beyond(r.X, d, wild) {
			usable = append(usable, i)
		}
	}
	steps = max(min(max(longTimes*longest, longLeast), longMost), longMore*longest)
	if len(usable) > 0 {
		n = max(1, longSteps/steps)
	}
	return func(yield func([]float64) bool) {
		rnd, overlap := rand.New(rand.NewPCG(9, 2)), k.overlapInputs(d)
		for range n {
			if !yield(k.longRun(usable, steps*d, d, overlap, rnd)) {
				return
			}
		}
	}, steps, n
}

// beyond reports whether the inputs hold one that is as far out as an outlier of its column, or
// nearly so.
func beyond(x []float64, d int, wild []Outlier) bool {
	for _, o := range wild {
		if !o.Input {
			continue
		}
		for t := o.Column; t < len(x); t += d {
			if math.Abs(x[t]) > 0.1*math.Abs(o.Value) {
				return true
			}
		}
	}
	return false
}

// overlapInputs reports whether most runs begin with the inputs of the one before but for its first.
func (k *Kept) overlapInputs(d int) bool {
	n := 0
	for i := 1; i < len(k.Runs); i++ {
		a, b := k.Runs[i-1].X, k.Runs[i].X
		if len(a) == len(b) && len(a) > d && slices.Equal(a[d:], b[:len(b)-d]) {
			n++
		}
	}
	return 2*n > len(k.Runs)
}

// longRun returns inputs of so many numbers, joined from the runs that are usable.
func (k *Kept) longRun(usable []int, numbers, d int, overlap bool, rnd *rand.Rand) []float64 {
	x := make([]float64, 0, numbers)
	at := rnd.IntN(len(usable))
	for first := true; len(x) < numbers; first = false {
		r := k.Runs[usable[at]].X
		if first && len(usable) == 1 {
			r = r[rnd.IntN(len(r)/d)*d:] // a single run begins anywhere
		}
		x = append(x, r[:min(len(r), numbers-len(x))]...)
		if at = (at + len(r)/d) % len(usable); !overlap { // else the window that goes on where this one ended
			at = rnd.IntN(len(usable))
		}
	}
	return x
}
