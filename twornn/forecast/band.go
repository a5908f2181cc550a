package forecast

import (
	"math"
	"slices"
)

// band is what the held-out errors of one forecast tell of its uncertainty: quantiles
// of errors over their scale at the time.
type band struct {
	Scale scaleKind
	// Floor is added to the magnitude of the forecast for a scale by level.
	Floor float64 `json:",omitempty"`
	// Phase has the scale by place in the season of that many rows.
	Phase []float64 `json:",omitempty"`
	// Widen is a factor above 1: the weights suit the rows held out, most where they are
	// few.
	Widen float64
	// Quantiles are those of error over scale, in order, all of them or evenly spaced.
	Quantiles []float64
}

// scaleKind says what the width of an interval follows beside the horizon.
type scaleKind int

const (
	constantScale scaleKind = iota
	levelScale              // the size of the forecast
	phaseScale              // the place in the season
)

// mostQuantiles bounds what a band keeps.
const mostQuantiles = 400

// widening is how much wider intervals are than the errors held out, times the root of
// their number.
const widening = 1.5

// bandGain is what a scale must gain in mean log-likelihood a row over a constant one.
const bandGain = 0.03

// newBand chooses the scale that makes the errors likeliest, and keeps their quantiles.
// The forecasts are of the rows at+h, and errors are truth less forecast.
func newBand(forecasts, truth []float64, rows []int, h int, seasons []int) band {
	errs := make([]float64, len(truth))
	size := 0.0
	for i := range errs {
		errs[i] = truth[i] - forecasts[i]
		size += math.Abs(forecasts[i]) / float64(len(errs))
	}
	best := band{Scale: constantScale}
	least := best.surprise(errs, forecasts, rows, h)
	positive := slices.Min(truth) >= 0
	if positive && size > 0 {
		for _, floor := range []float64{0.03, 0.3, 1} {
			b := band{Scale: levelScale, Floor: floor * size}
			if s := b.surprise(errs, forecasts, rows, h); s < least-bandGain {
				best, least = b, s
			}
		}
	}
	for _, s := range seasons {
		// Each place must have been seen often enough for its spread to be known.
		if s > 1 && len(errs) >= 30*s {
			b := band{Scale: phaseScale, Phase: phases(errs, rows, h, s)}
			if v := b.surprise(errs, forecasts, rows, h); v < least-bandGain {
				best, least = b, v
			}
		}
	}
	q := make([]float64, len(errs))
	for i, e := range errs {
		if sc := best.scale(forecasts[i], rows[i]+h); sc > 0 {
			q[i] = e / sc
		}
	}
	slices.Sort(q)
	best.Widen = 1 + widening/math.Sqrt(float64(max(len(errs), 1)))
	best.Quantiles = thinnedValues(q)
	return best
}

// phases returns the mean absolute error by place in the season, drawn a little towards
// the mean over all.
func phases(errs []float64, rows []int, h, season int) []float64 {
	sum, n := make([]float64, season), make([]float64, season)
	all := 0.0
	for i, e := range errs {
		p := (rows[i] + h) % season
		sum[p], n[p] = sum[p]+math.Abs(e), n[p]+1
		all += math.Abs(e) / float64(len(errs))
	}
	for p := range sum {
		sum[p] = (sum[p] + 5*all) / (n[p] + 5)
	}
	return sum
}

// scale returns the scale of the error of forecast f of a row.
func (b *band) scale(f float64, row int) float64 {
	switch b.Scale {
	case levelScale:
		return math.Abs(f) + b.Floor
	case phaseScale:
		return b.Phase[row%len(b.Phase)]
	}
	return 1
}

// surprise is the mean negative log-likelihood of the errors, as Laplace's, at the best
// common factor of the scale.
func (b *band) surprise(errs, forecasts []float64, rows []int, h int) float64 {
	sum, logs, n := 0.0, 0.0, 0.0
	for i, e := range errs {
		if s := b.scale(forecasts[i], rows[i]+h); s > 0 {
			sum, logs, n = sum+math.Abs(e)/s, logs+math.Log(s), n+1
		}
	}
	if sum == 0 || n == 0 {
		return math.Inf(-1)
	}
	return math.Log(sum/n) + logs/n
}

// thinnedValues keeps at most mostQuantiles sorted values, evenly spaced with both ends.
func thinnedValues(q []float64) []float64 {
	if len(q) <= mostQuantiles {
		return q
	}
	out := make([]float64, mostQuantiles)
	for i := range out {
		out[i] = q[i*(len(q)-1)/(mostQuantiles-1)]
	}
	return out
}

// between returns the interval about forecast f of a row that covers with the given
// probability, by the ranks (n+1)(1±p)/2 of the errors, as of exchangeable ones, and by so
// much more on both sides, in the units of the errors. It holds f, which where errors are skewed
// may lie beyond those ranks: so it can't be turned round, and what widens it leaves no outcome out.
func (b *band) between(f float64, row int, p, more float64) (low, high float64) {
	n := len(b.Quantiles)
	s := b.scale(f, row) * b.Widen
	if n == 0 {
		return f, f
	}
	at := func(rank float64) float64 {
		rank = min(max(rank, 0), float64(n-1))
		i := int(rank)
		if i == n-1 {
			return b.Quantiles[i]
		}
		return b.Quantiles[i] + (rank-float64(i))*(b.Quantiles[i+1]-b.Quantiles[i])
	}
	low = f + s*(min(at(float64(n+1)*(1-p)/2-1), 0)-more)
	high = f + s*(max(at(float64(n+1)*(1+p)/2-1), 0)+more)
	return low, high
}

// beyond returns how far value y of a row lies outside the widest interval about forecast f, in the
// units of the errors.
func (b *band) beyond(y, f float64, row int) float64 {
	low, high := b.between(f, row, 1, 0)
	if s := b.scale(f, row) * b.Widen; s > 0 {
		return max(low-y, y-high, 0) / s
	}
	return 0
}
