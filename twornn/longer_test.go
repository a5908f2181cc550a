package twornn

import (
	"context"
	"testing"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// TestLonger: from the exact tensor of shorter words that of longer ones follows by one
// linear solve, for every length and number of outputs, with fewer rows than d^l; and
// recoveries begin there. From a wrong one they do as well as from none.
func TestLonger(t *testing.T) {
	for _, c := range []struct{ n, d, p, l, N int }{{3, 10, 1, 3, 600}, {2, 6, 3, 3, 150}, {3, 4, 2, 5, 400}, {2, 5, 1, 4, 300}} {
		m := Random(c.n, c.d, c.p, 0.5, pcg(1))
		col, err := CollectRows(drawLengths(m, c.N, 0, 1, c.l), c.l)
		if err != nil {
			t.Fatal(err)
		}
		x := rowsOf(col[c.l], 0)
		h, err := x.Continued(m.Hankel(c.l-1), c.n)
		if err != nil {
			t.Fatal(err)
		}
		sse, err := x.SquaredError(h)
		if e := linalg.Relative(sse, linalg.Squared(x.Y)); err != nil || e > 1e-10 {
			t.Errorf("%+v: a residual of %.2g (%v)", c, e, err)
		}
		for _, r := range []Continuation{TTIHT{}, ALS{}} {
			_, st, err := r.RecoverFrom(context.Background(), col[c.l], c.n, m.Hankel(c.l-1), nil)
			if err != nil {
				t.Fatal(err)
			}
			if last := st.Residuals[len(st.Residuals)-1]; last > 1e-9 || st.Iterations > 3 {
				t.Errorf("%+v, %T: %d iterations to a residual of %.2g", c, r, st.Iterations, last)
			}
			other := Random(c.n, c.d, c.p, 0.5, pcg(9)).Hankel(c.l - 1)
			_, from, err := r.RecoverFrom(context.Background(), col[c.l], c.n, other, nil)
			_, alone, err2 := r.Recover(context.Background(), col[c.l], c.n, nil)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			a, b := from.Residuals[len(from.Residuals)-1], alone.Residuals[len(alone.Residuals)-1]
			if a > 1e-9 && a > 1.01*b {
				t.Errorf("%+v, %T: a residual of %.2g from a wrong start, %.2g from none", c, r, a, b)
			}
		}
	}
	col, err := CollectRows(drawLengths(Random(2, 3, 1, 0.5, pcg(1)), 20, 0, 1, 2), 2)
	if err != nil {
		t.Fatal(err)
	}
	if h, err := rowsOf(col[2], 0).Continued(Random(2, 3, 1, 1, pcg(2)).Hankel(1), 2); h != nil || err != nil {
		t.Errorf("words of two letters have no middle: %v %v", h, err)
	}
}
