package moments

import "testing"

// TestParts: each has about a fifth of the rows, in runs that grow, whatever N.
func TestParts(t *testing.T) {
	for _, n := range []int{100, 1000, 100_000} {
		var size, runs [Folds]int
		for i := range n {
			k := part5(i)
			size[k]++
			if i == 0 || part5(i-1) != k {
				runs[k]++
			}
		}
		for k := range size {
			if share := float64(size[k]) / float64(n); share < 0.1 || share > 0.3 {
				t.Errorf("N = %d: a share of %.2f is in part %d", n, share, k)
			}
			if runs[k] > size[k]/4 {
				t.Errorf("N = %d: %d rows in %d runs", n, size[k], runs[k])
			}
		}
	}
}
