package symbols

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// rowsOf returns the rows of a with the given numbers.
func rowsOf(a *mat.Dense, rows []int) *mat.Dense {
	_, n := a.Dims()
	b := mat.NewDense(len(rows), n, nil)
	for i, r := range rows {
		b.SetRow(i, a.RawRowView(r))
	}
	return b
}

// distinctRows returns the numbers of the rows that differ from those before by more
// than tol of their size, until they are more than four times the columns; all that follow,
// then. It gives up, with false, beyond the operations that limit allows, if that is positive.
func distinctRows(H *mat.Dense, tol, limit float64) (kept []int, ok bool) {
	n, width := H.Dims()
	known := make(map[string]bool)
	for i := range n {
		row := H.RawRowView(i)
		k := fmt.Sprint(row)
		if known[k] {
			continue
		}
		known[k] = true
		same := slices.ContainsFunc(kept, func(j int) bool { return close(row, H.RawRowView(j), tol) })
		if same {
			continue
		}
		if kept = append(kept, i); len(kept) > 4*width {
			return append(kept, rest(i+1, n)...), true
		}
		if rows := float64(len(kept)); limit > 0 && rows*rows*float64(width) > limit {
			return nil, false
		}
	}
	return kept, true
}

// rest returns the numbers from i to n−1.
func rest(i, n int) []int {
	r := make([]int, 0, n-i)
	for ; i < n; i++ {
		r = append(r, i)
	}
	return r
}

// close reports whether a and b differ by no more than tol of their largest entry.
func close(a, b []float64, tol float64) bool {
	size, diff := 0.0, 0.0
	for i, x := range a {
		size = max(size, math.Abs(x), math.Abs(b[i]))
		diff = max(diff, math.Abs(x-b[i]))
	}
	return diff <= tol*size
}
