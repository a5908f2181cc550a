package forecast

import (
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/twornn/spectral/datasets"
)

// Thresholds of the search for seasons.
const (
	// The profile of the first half must correlate with the second half this much, and by
	// this many standard errors of chance.
	leastProfile  = 0.15
	profileErrors = 5
	// And so much more than with lengths beside it.
	aboveOthers = 1.5
	// A season that fits this often or less into another one found is a wave of that.
	wavesOfOther = 3
	// A season that fewer than a third of the targets show may be chance this likely, over all targets and lengths tried.
	mostChance = 0.01
	// A season must have been seen this often.
	leastCycles = 4
	// A long season is looked at in so many parts.
	profileParts = 52
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

// fewRows is below how many rows the times of a record tell no step for sure.
const fewRows = 10

// since returns how many rows have to stand before the first of s for the seasons to go on as they did in
// the rows that were learnt from. It errs if the rows are another time apart than those.
func (k *task) since(s *datasets.Series) (int, error) {
	times := s.Times()
	if k.first.IsZero() || len(times) == 0 {
		return 0, nil
	}
	if other := stepOf(s.Gaps()); other != k.step {
		if len(times) < fewRows || other == (step{}) {
			return 0, nil
		}
		return 0, fmt.Errorf("forecast: the rows are %v apart, those that were learnt from %v: give rows at the same step, or learn from rows like these", other, k.step)
	}
	period := 1
	for _, m := range k.seasons {
		a, b := period, m
		for b > 0 {
			a, b = b, a%b
		}
		if period *= m / a; period > mostAhead {
			return 0, fmt.Errorf("forecast: seasons of %v rows meet again after more than %d: give the record from a row on that lies a multiple of them after the first that was learnt from", k.seasons, mostAhead)
		}
	}
	var steps int
	if k.step.months > 0 {
		a, b := k.first, times[0]
		steps = (12*(b.Year()-a.Year()) + int(b.Month()) - int(a.Month())) / k.step.months
	} else {
		steps = int(math.Round(float64(times[0].Sub(k.first)) / float64(k.step.time)))
	}
	return (steps%period + period) % period, nil
}

// findSeasons returns the usual seasons that the training rows show, and those of each target,
// nil if all have the same. What a third of the targets show is a season of all. What fewer
// show is one of these alone, and only if no chance made it: among many columns one may
// look seasonal.
func findSeasons(r *record, k *task, s *datasets.Series) (found []int, own [][]int) {
	lengths := slices.DeleteFunc(usual(s), func(m int) bool { return r.n < leastCycles*m })
	columns := make([][]float64, len(k.targets))
	for c, j := range k.targets {
		columns[c] = r.v[j]
	}
	rest := slices.Clone(columns)
	var common []int
	for _, m := range lengths {
		shown := 0
		for _, v := range rest {
			shown += int(flag(isSeason(v, m)))
		}
		if 3*shown < len(rest) {
			continue
		}
		common = append(common, m)
		for c := range rest {
			rest[c] = withoutSeason(rest[c], m)
		}
	}
	differ, tried := false, float64(len(columns)*len(lengths))
	for _, v := range columns {
		var seasons []int
		for _, m := range lengths {
			if slices.Contains(common, m) || isSeason(v, m) && tried*chance(detrended(v, m), m) < mostChance {
				seasons, v = append(seasons, m), withoutSeason(v, m)
			}
		}
		seasons = withoutWaves(seasons)
		found, own = append(found, seasons...), append(own, seasons)
		differ = differ || !slices.Equal(seasons, own[0])
	}
	slices.Sort(found)
	if found = slices.Compact(found); !differ {
		own = nil
	}
	return found, own
}

// withoutWaves leaves out the seasons that are waves of another.
func withoutWaves(found []int) []int {
	whole := slices.Clone(found)
	return slices.DeleteFunc(found, func(m int) bool {
		return slices.ContainsFunc(whole, func(o int) bool { return o > m && o%m == 0 && o <= wavesOfOther*m })
	})
}

// isSeason tells whether the profile of v over m rows stays, and better than those of
// lengths that are no season of anything: slow swings look seasonal at any length. Less
// the mean of the m rows about each, the means by place in the season of the first half of the
// rows must be found again in the second half. What a shorter season found before explains
// has been taken off.
func isSeason(v []float64, m int) bool {
	own := steadiness(detrended(v, m), m)
	if own < max(leastProfile, profileErrors/math.Sqrt(float64(len(v))/2)) {
		return false
	}
	for _, f := range []float64{0.71, 0.79, 0.87, 1.13, 1.21, 1.29} {
		other := int(math.Round(f * float64(m)))
		if other > 1 && other != m && steadiness(detrended(v, other), other) > own/aboveOthers {
			return false
		}
	}
	return true
}

// steadiness returns the correlation of the second half of v with the profile of the
// first over m rows.
func steadiness(v []float64, m int) float64 {
	half := len(v) / 2
	profile := seasonMeans(v[:half], m)
	var xy, xx, yy float64
	for i := half; i < len(v); i++ {
		x, y := profile[partOf(i, m)], v[i]
		xy, xx, yy = xy+x*y, xx+x*x, yy+y*y
	}
	if !(xx > 0 && yy > 0) {
		return 0
	}
	return xy / math.Sqrt(xx*yy)
}

// chance returns how likely the profile of the first half of v is found again in the second half as
// well as it is, if v has no season: by Student's t over the seasons of m rows there, each taken as one
// observation, since the rows within it follow each other.
func chance(v []float64, m int) float64 {
	half := len(v) / 2
	profile := seasonMeans(v[:half], m)
	var likeness []float64
	for i := half; i+m <= len(v); i += m {
		sum := 0.0
		for t := i; t < i+m; t++ {
			sum += profile[partOf(t, m)] * v[t]
		}
		likeness = append(likeness, sum)
	}
	n := float64(len(likeness))
	if n < 2 {
		return 1
	}
	mu, squares := mean(likeness), 0.0
	for _, x := range likeness {
		squares += (x - mu) * (x - mu)
	}
	if !(squares > 0) {
		return flag(!(mu > 0)) // the same each time
	}
	return distuv.StudentsT{Sigma: 1, Nu: n - 1}.Survival(mu / math.Sqrt(squares/(n*(n-1))))
}

// partOf returns the part of a season of m rows that row i is in.
func partOf(i, m int) int {
	if m <= profileParts {
		return i % m
	}
	return i % m * profileParts / m
}

// seasonMeans returns the mean of v by part of the season.
func seasonMeans(v []float64, m int) []float64 {
	sum, n := make([]float64, min(m, profileParts)), make([]float64, min(m, profileParts))
	for i, x := range v {
		sum[partOf(i, m)] += x
		n[partOf(i, m)]++
	}
	for p := range sum {
		sum[p] /= max(n[p], 1)
	}
	return sum
}

// withoutSeason returns v less the mean by place in a season of m rows.
func withoutSeason(v []float64, m int) []float64 {
	profile := seasonMeans(v, m)
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = x - profile[partOf(i, m)]
	}
	return out
}

// detrended returns v less the mean of the m or m+1 rows about each row, in units of
// the typical distance from it.
func detrended(v []float64, m int) []float64 {
	sums := make([]float64, len(v)+1)
	for i, x := range v {
		sums[i+1] = sums[i] + x
	}
	out := make([]float64, len(v))
	for i, x := range v {
		from, to := max(0, i-m/2), min(len(v), i+m/2+1)
		out[i] = x - (sums[to]-sums[from])/float64(to-from)
	}
	return out
}
