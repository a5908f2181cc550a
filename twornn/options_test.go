package twornn

import (
	"context"
	"math"
	"strings"
	"testing"
)

// TestOptionsAreChecked: values that no method can work with are errors that name the
// option, before any work.
func TestOptionsAreChecked(t *testing.T) {
	m := Random(2, 2, 1, 0.6, pcg(1))
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		r    Recovery
		want string
	}{
		{NuclearNorm{Lambda: nan}, "Lambda"}, {NuclearNorm{Lambda: inf}, "Lambda"}, {NuclearNorm{MaxIterations: -1}, "MaxIterations"}, {NuclearNorm{Tol: -1}, "Tol"},
		{IHT{Step: -1}, "Step"}, {IHT{Tol: nan}, "Tol"}, {TIHT{Step: inf}, "Step"}, {TIHT{MaxIterations: -1}, "MaxIterations"},
		{TTIHT{Step: -1}, "Step"}, {TTIHT{Tol: -1}, "Tol"}, {TTIHT{MaxIterations: -2}, "MaxIterations"}, {TTIHT{Batch: -1}, "Batch"},
		{LeastSquares{RCond: -1}, "RCond"}, {LeastSquares{RCond: nan}, "RCond"}, {LeastSquares{RCond: 2}, "RCond"},
		{ALS{Tol: nan}, "Tol"}, {ALS{MaxIterations: -1}, "MaxIterations"},
	} {
		h, _, err := c.r.Recover(context.Background(), measureFor(t, c.r, m, 50, 2, 0.1, 2), 1, nil)
		if err == nil || h != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%T %+v: %v", c.r, c.r, err)
		}
	}
}
