package twornn

import (
	"math"
	"testing"

	"github.com/twornn/spectral/twornn/internal/lsq"
)

// TestLeastSum: no model of fewer states comes below the bound, as far as a search from
// many starts can tell; of the true rank the bound is below the fit; and it is sharp
// enough to tell a state that is well above the noise.
func TestLeastSum(t *testing.T) {
	for _, seed := range []uint64{1, 2, 3} {
		m := Random(3, 2, 2, 0.7, pcg(seed))
		c := mustCollect(t, drawLengths(m, 3000, 0.1, seed, 2, 3, 4))
		w, z, err := newCoordinates(c.set(), standard)
		if err != nil {
			t.Fatal(err)
		}
		q, err := lsq.NewEquations(z, 3)
		if err != nil {
			t.Fatal(err)
		}
		truth := newClimb(q, w.fromData(m))
		truth.run(t.Context(), LevenbergMarquardt{}, nil, nil)
		if b := q.LeastSum(3); !(b < truth.SSE) {
			t.Errorf("seed %d: the bound for the true rank is %v, the fit has %v", seed, b, truth.SSE)
		}
		for _, r := range []int{1, 2} {
			fewer := *q
			fewer.N = r
			least := math.Inf(1)
			for s := range uint64(12) {
				run := newClimb(&fewer, Random(r, 2, 2, 0.5, pcg(100+s)))
				run.run(t.Context(), LevenbergMarquardt{}, nil, nil)
				least = min(least, run.SSE)
			}
			b := q.LeastSum(r)
			if !(b <= least) {
				t.Errorf("seed %d: %d states reach %v, below the bound of %v", seed, r, least, b)
			}
			if !(b > 1.1*truth.SSE) {
				t.Errorf("seed %d: the bound for %d states is %v, the fit of 3 has %v: it tells nothing", seed, r, b, truth.SSE)
			}
		}
	}
}
