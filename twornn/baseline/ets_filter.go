package baseline

import (
	"math"
	"slices"
)

// etsFilter carries the state of an ETS along a record.
type etsFilter struct {
	m            *ETS
	level, slope float64
	season       []float64 // by place
	place        int       // of the next row
}

// Filter implements Univariate. A forecast costs O(h), h the longest horizon. Variances
// of a multiplicative season are to first order in the errors.
func (m *ETS) Filter() Filter {
	f := &etsFilter{m: m, level: m.Level, slope: m.Slope, season: slices.Clone(m.Seasonal)}
	if len(f.season) != m.period() {
		panic("baseline: the ETS is not fitted; fit it with FitETS")
	}
	return f
}

// Update implements Filter.
func (f *etsFilter) Update(y float64) {
	m, s := f.m, f.season[f.place]
	L := f.level + m.Phi*f.slope
	if m.Season == MultiplicativeSeason {
		e := y - L*s
		if math.IsNaN(y) {
			e = 0
		}
		// A level or season of 0 has lost the other for good: it keeps what it has.
		if s != 0 && L != 0 {
			f.level, f.slope = L+m.Alpha*e/s, m.Phi*f.slope+m.Beta*e/s
			f.season[f.place] += m.Gamma * e / L
		}
	} else {
		e := y - L - s
		if math.IsNaN(y) {
			e = 0
		}
		f.level, f.slope = L+m.Alpha*e, m.Phi*f.slope+m.Beta*e
		f.season[f.place] += m.Gamma * e
	}
	f.place = (f.place + 1) % len(f.season)
}

// Forecast implements Filter.
func (f *etsFilter) Forecast(mean, variance []float64, horizons []int) {
	checkForecast(mean, variance, horizons)
	for k, h := range horizons {
		L, s := f.ahead(h)
		if mean[k] = L + s; f.m.Season == MultiplicativeSeason {
			mean[k] = L * s
		}
		if variance != nil {
			variance[k] = f.variance(h, L, s)
		}
	}
}

// fading returns φ + φ² + … + φʰ.
func (m *ETS) fading(h int) float64 {
	if m.Phi == 1 {
		return float64(h)
	}
	return m.Phi * (1 - math.Pow(m.Phi, float64(h))) / (1 - m.Phi)
}

// ahead returns the level and the season expected h rows ahead.
func (f *etsFilter) ahead(h int) (L, s float64) {
	return f.level + f.m.fading(h)*f.slope, f.season[(f.place+h-1)%len(f.season)]
}

// variance returns σ²(1 + Σ c_j²), c_j being how an error moves the row j after it, for
// j = 1 … h−1; L and s are those h rows ahead.
func (f *etsFilter) variance(h int, L, s float64) float64 {
	m, sum, faded := f.m, 1.0, 0.0
	power := 1.0
	for j := 1; j < h; j++ {
		power *= m.Phi
		faded += power
		c, season := m.Alpha+m.Beta*faded, 0.0
		if j%len(f.season) == 0 {
			season = m.Gamma
		}
		if m.Season == MultiplicativeSeason {
			if then, at := f.ahead(h - j); then != 0 && at != 0 {
				c, season = c*s/at, season*L/then
			}
		}
		sum += (c + season) * (c + season)
	}
	return m.Sigma2 * sum
}
