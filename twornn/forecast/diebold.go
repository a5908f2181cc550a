package forecast

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// DieboldMariano tests whether the squared errors of two forecasts of the same rows,
// h rows ahead, differ by more than chance. With d_t = a_t² − b_t², its mean d̄ and the
// autocovariances γ_k of d,
//
//	statistic = d̄ / √(V/n),   V = γ_0 + 2 Σ_{k<K} (1 − k/K) γ_k   (Newey and West 1987),
//
// K the larger of h and ⌈n^⅓⌉. Positive: b errs less. p is two-sided, of the normal
// distribution (Diebold and Mariano 1995). Rows where either is NaN are left out. With
// fewer than 3 rows, or no difference at all, the statistic is 0 and p is 1. It panics
// if the lengths differ.
func DieboldMariano(a, b []float64, h int) (statistic, p float64) {
	if len(a) != len(b) {
		panic("forecast: dimension mismatch: errors")
	}
	d := make([]float64, 0, len(a))
	for i := range a {
		if x := a[i]*a[i] - b[i]*b[i]; !math.IsNaN(x) {
			d = append(d, x)
		}
	}
	mean, se := meanError(d, h)
	if !(se > 0) {
		return 0, 1
	}
	statistic = mean / se
	return statistic, 2 * distuv.UnitNormal.Survival(math.Abs(statistic))
}

// meanError returns the mean of d and its standard error by Newey and West, 0 if it
// has none.
func meanError(d []float64, h int) (mean, se float64) {
	n := len(d)
	if n < 3 {
		return 0, 0
	}
	for _, x := range d {
		mean += x / float64(n)
	}
	k := min(max(h, int(math.Ceil(math.Cbrt(float64(n))))), n-1)
	v := 0.0
	for lag := range k {
		g := 0.0
		for i := lag; i < n; i++ {
			g += (d[i] - mean) * (d[i-lag] - mean)
		}
		w := 1.0
		if lag > 0 {
			w = 2 * (1 - float64(lag)/float64(k))
		}
		v += w * g / float64(n)
	}
	if !(v > 0) {
		return mean, 0
	}
	return mean, math.Sqrt(v / float64(n))
}
