package forecast

import (
	"math"
	"slices"
	"time"

	"github.com/twornn/spectral/datasets"
)

// Thresholds of the search for seasons.
const (
	// A season is believed if the autocorrelation of the changes there is this many
	// standard errors of white noise above zero, and at least leastSeasonal.
	seasonErrors  = 4
	leastSeasonal = 0.3
	// It must have been seen this often.
	leastCycles = 3
)

// usual returns the seasons to look for, by the step of the series: a day and a week
// of hours, a week and a year of days, a year of weeks, months or quarters.
func usual(s *datasets.Series) []int {
	switch g := s.Gaps(); {
	case s.Step() == 0 && g.Months > 0:
		if g.Months < 12 && 12%g.Months == 0 {
			return []int{12 / g.Months}
		}
		return nil
	case s.Step() == 0:
		return []int{4, 7, 12, 24, 52, 168, 365}
	}
	var out []int
	for _, d := range []time.Duration{24 * time.Hour, 7 * 24 * time.Hour, 8766 * time.Hour} {
		// Less than two rows make no season, and half a row more or less is none.
		if n := float64(d) / float64(s.Step()); n >= 2 && n < 1e5 && (math.Abs(n-math.Round(n)) < 1e-9 || n > 50) {
			out = append(out, int(n))
		}
	}
	return out
}

// findSeasons returns the usual seasons that the training rows show: a season must
// raise the autocorrelation of the changes of a target there above those beside it.
func findSeasons(r *record, k *task, s *datasets.Series) []int {
	var found []int
	for _, m := range usual(s) {
		if r.n < leastCycles*m {
			continue
		}
		for _, j := range k.targets {
			if isSeason(r.v[j], m) {
				found = append(found, m)
				break
			}
		}
	}
	slices.Sort(found)
	return found
}

// isSeason tests whether the changes of v repeat after m rows.
func isSeason(v []float64, m int) bool {
	d := make([]float64, len(v)-1)
	mean := 0.0
	for i := range d {
		d[i] = v[i+1] - v[i]
		mean += d[i] / float64(len(d))
	}
	at := func(lag int) float64 {
		num, den := 0.0, 0.0
		for i := range d {
			x := d[i] - mean
			den += x * x
			if i >= lag {
				num += x * (d[i-lag] - mean)
			}
		}
		if den == 0 {
			return 0
		}
		return num / den
	}
	own := at(m)
	if own < max(leastSeasonal, seasonErrors/math.Sqrt(float64(len(d)))) {
		return false
	}
	if m < 4 {
		return true
	}
	return own > at(m-1) && own > at(m+1)
}
