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

// warpFor returns the transformation that suits the values of a column: of the
// logarithm, where all are positive, and the root, where none is negative, the one after
// which the size of the changes depends least on the level. Values that spread over less
// than a factor of leastSpread stay as they are.
func warpFor(v []float64) warp {
	log, sqrt := warpTo(logarithm, v), warpTo(root, v)
	if log.Kind == logarithm && log.slope(v) <= sqrt.slope(v) {
		return log
	}
	return sqrt
}

// warpTo returns the transformation of the given kind if the values of a column allow
// it, the root where they allow no logarithm, else none.
func warpTo(kind warpKind, v []float64) warp {
	lo, hi := slices.Min(v), slices.Max(v)
	switch {
	case kind == identity || lo < 0 || hi <= leastSpread*lo || lo == hi:
		return warp{}
	case kind == logarithm && lo > 0:
		return warp{Kind: logarithm, Floor: lo / 2}
	}
	return warp{Kind: root}
}

// slope returns the size of the correlation of |change| with the level, transformed.
func (w warp) slope(v []float64) float64 {
	var n, x, y, xx, xy, yy float64
	for t := 1; t < len(v); t++ {
		a, b := w.of(v[t-1]), w.of(v[t])
		level, change := (a+b)/2, math.Abs(b-a)
		n, x, y = n+1, x+level, y+change
		xx, xy, yy = xx+level*level, xy+level*change, yy+change*change
	}
	xx, xy, yy = xx-x*x/n, xy-x*y/n, yy-y*y/n
	if !(xx > 0 && yy > 0) {
		return 0
	}
	return math.Abs(xy) / math.Sqrt(xx*yy)
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
