package forecast

import "math"

// all returns 0, 1, …, n−1.
func all(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// thinned returns at most about most of the rows, evenly spaced.
func thinned(rows []int, most int) []int {
	if len(rows) <= most {
		return rows
	}
	var out []int
	for i := range most {
		out = append(out, rows[i*len(rows)/most])
	}
	return out
}

// changeRange returns the range of the changes of v over h rows that end before row
// end. A change half as large again as any seen is believed, a larger one is not.
func changeRange(v []float64, h, end int) (low, high float64) {
	for t := 0; t+h < end; t++ {
		d := v[t+h] - v[t]
		low, high = min(low, d), max(high, d)
	}
	return 1.5 * low, 1.5 * high
}

// isFinite tells whether x is a number.
func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// mean returns the mean of v, 0 of none.
func mean(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x / float64(len(v))
	}
	return s
}

// rms returns the root of the mean square of v.
func rms(v []float64) float64 {
	s := 0.0
	for _, x := range v {
		s += x * x / float64(len(v))
	}
	return math.Sqrt(s)
}

// largest returns the largest magnitude in v, 0 of none.
func largest(v []float64) float64 {
	most := 0.0
	for _, x := range v {
		most = max(most, math.Abs(x))
	}
	return most
}

// flag returns 1 if ok, else 0.
func flag(ok bool) float64 {
	if ok {
		return 1
	}
	return 0
}

// seasonBefore returns the last row not after t that has the place of t+h in the
// season; if the record began later, its first row at that place, or t at worst.
func seasonBefore(t, h, season int) int {
	back := (h + season - 1) / season * season
	if i := t + h - back; i >= 0 {
		return i
	}
	return t
}

// spread returns the mean square of the changes forecast.
func spread(forecasts, last []float64) float64 {
	s := 0.0
	for i, f := range forecasts {
		s += (f - last[i]) * (f - last[i]) / float64(len(forecasts))
	}
	return s
}
