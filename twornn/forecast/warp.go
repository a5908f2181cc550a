package forecast

import (
	"math"
	"slices"
)

// warp is a transformation of a column that makes its changes alike at all levels.
type warp struct {
	Kind  warpKind
	Floor float64 // below which a value counts as Floor
}

type warpKind int

const (
	identity  warpKind = iota
	root               // √x, for columns that are not negative
	logarithm          // log x, for columns that are positive
)

func (w warpKind) String() string {
	return [...]string{"level", "root", "log"}[w]
}

// of returns x transformed.
func (w warp) of(x float64) float64 {
	switch w.Kind {
	case root:
		return math.Sqrt(max(x, w.Floor))
	case logarithm:
		return math.Log(max(x, w.Floor))
	}
	return x
}

// mean returns the expectation of the value whose transform is z plus noise of the
// given variance, taken as normal.
func (w warp) mean(z, variance float64) float64 {
	switch w.Kind {
	case root:
		return max(z, 0)*max(z, 0) + variance
	case logarithm:
		// No more than what a noise of standard deviation 1 adds.
		return math.Exp(z + min(variance, 1)/2)
	}
	return z
}

// warpFor returns the transformation that the values of a column allow: the logarithm
// if all are positive and they spread over more than a factor of leastSpread, the root
// if none is negative, else none.
func warpFor(v []float64) warp {
	lo, hi := slices.Min(v), slices.Max(v)
	switch {
	case lo == hi:
		return warp{}
	case lo > 0 && hi > leastSpread*lo:
		return warp{Kind: logarithm, Floor: lo / 2}
	case lo >= 0 && hi > 0 && hi > leastSpread*lo:
		return warp{Kind: root}
	}
	return warp{}
}

// leastSpread is the ratio of the largest to the smallest value from which on
// transforming a column makes a difference.
const leastSpread = 1.5

// warped returns the columns of r, each transformed by its warp. The result is shared.
func (r *record) warped(w []warp) [][]float64 {
	plain := true
	for _, x := range w {
		plain = plain && x.Kind == identity
	}
	if plain {
		return r.v
	}
	return remember(r, &w[0], func() [][]float64 {
		out := make([][]float64, len(r.v))
		for j, v := range r.v {
			if w[j].Kind == identity {
				out[j] = v
				continue
			}
			out[j] = make([]float64, len(v))
			for t, x := range v {
				out[j][t] = w[j].of(x)
			}
		}
		return out
	})
}
