package baseline

import "fmt"

// Trend is how the level of an ETS goes on.
type Trend int

const (
	NoTrend       Trend = iota
	AdditiveTrend       // by a slope
	DampedTrend         // by a slope that fades, by Phi a row
)

// Seasonality is how a season joins the level of an ETS.
type Seasonality int

const (
	NoSeason Seasonality = iota
	AdditiveSeason
	MultiplicativeSeason
)

// Form is a kind of exponential smoothing with additive errors.
type Form struct {
	Trend  Trend
	Season Seasonality
	Period int // rows of the season; without one it is not used
}

// String prints, for example, A,Ad,M as Hyndman and others do: error, trend, season.
func (f Form) String() string {
	trends, seasons := [...]string{"N", "A", "Ad"}, [...]string{"N", "A", "M"}
	if f.Trend < 0 || int(f.Trend) >= len(trends) || f.Season < 0 || int(f.Season) >= len(seasons) {
		return fmt.Sprintf("Form(%d,%d)", int(f.Trend), int(f.Season))
	}
	return "A," + trends[f.Trend] + "," + seasons[f.Season]
}

// Parameters returns how many numbers are estimated: weights, the state before the first
// row, and the variance of the noise. Seasons count as one less than they are, since
// their mean is the level's.
func (f Form) Parameters() int {
	k := 3
	if f.Trend != NoTrend {
		k += 2
	}
	if f.Trend == DampedTrend {
		k++
	}
	if f.Season != NoSeason {
		k += f.Period
	}
	return k
}

// period returns the rows of the season, 1 without one.
func (f Form) period() int {
	if f.Season == NoSeason {
		return 1
	}
	return f.Period
}

func (f Form) check() error {
	if f.Trend < NoTrend || f.Trend > DampedTrend || f.Season < NoSeason || f.Season > MultiplicativeSeason {
		return fmt.Errorf("baseline: ETS knows no %v; use the constants of the package", f)
	}
	if f.Season != NoSeason && (f.Period < 2 || f.Period > longest) {
		return fmt.Errorf("baseline: ETS(%v) has a season of %d rows; give 2 to %d", f, f.Period, longest)
	}
	return nil
}

// ETS is exponential smoothing as a model of one state of errors (Hyndman, Koehler, Ord
// and Snyder 2008). With L_t = l_{t−1} + φ b_{t−1} and the season s of the row's place,
//
//	additive or none           multiplicative
//	y_t = L_t + s_{t−m} + ε_t  y_t = L_t s_{t−m} + ε_t        ε_t ~ N(0, Sigma2)
//	l_t = L_t + α ε_t          l_t = L_t + α ε_t / s_{t−m}
//	b_t = φ b_{t−1} + β ε_t    b_t = φ b_{t−1} + β ε_t / s_{t−m}
//	s_t = s_{t−m} + γ ε_t      s_t = s_{t−m} + γ ε_t / L_t
//
// It has exported fields alone, so encoding/gob keeps it.
type ETS struct {
	Form
	Alpha, Beta, Gamma, Phi float64 // β 0 without a trend, γ 0 without a season, φ 1 unless damped
	Level, Slope            float64 // l and b before the first row
	Seasonal                []float64
	Sigma2, LogLik          float64
	N                       int // rows fitted
}

var _ Univariate = (*ETS)(nil)

// AIC is Akaike's criterion, 2 Parameters − 2 LogLik.
func (m *ETS) AIC() float64 { return 2*float64(m.Parameters()) - 2*m.LogLik }

// String says the form, the weights and the criterion in a line.
func (m *ETS) String() string {
	s := fmt.Sprintf("ETS(%v), α %.3g", m.Form, m.Alpha)
	if m.Trend != NoTrend {
		s += fmt.Sprintf(", β %.3g", m.Beta)
	}
	if m.Trend == DampedTrend {
		s += fmt.Sprintf(", φ %.3g", m.Phi)
	}
	if m.Season != NoSeason {
		s += fmt.Sprintf(", γ %.3g, season of %d", m.Gamma, m.Period)
	}
	return s + fmt.Sprintf(", σ² %.4g, AIC %.1f over %d rows", m.Sigma2, m.AIC(), m.N)
}
