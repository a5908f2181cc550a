package baseline

import (
	"fmt"
	"strings"
)

// Order is that of a seasonal ARIMA(P, D, Q)(SP, SD, SQ)_Season. The seasonal orders
// need a Season of two rows or more.
type Order struct {
	P, D, Q    int
	SP, SD, SQ int
	Season     int
	// Constant gives the differenced series a mean other than 0.
	Constant bool
}

// String prints, for example, (2,0,2)(0,1,1)4 const.
func (o Order) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "(%d,%d,%d)", o.P, o.D, o.Q)
	if o.SP+o.SD+o.SQ > 0 {
		fmt.Fprintf(&s, "(%d,%d,%d)%d", o.SP, o.SD, o.SQ, o.Season)
	}
	if o.Constant {
		s.WriteString(" const")
	}
	return s.String()
}

// Parameters returns how many numbers are estimated, the variance of the noise included.
func (o Order) Parameters() int {
	k := o.P + o.Q + o.SP + o.SQ + 1
	if o.Constant {
		k++
	}
	return k
}

// longest is the most rows that an order may look back: the filter's state has as many.
const longest = 1000

func (o Order) check() error {
	if min(o.P, o.D, o.Q, o.SP, o.SD, o.SQ, o.Season) < 0 {
		return fmt.Errorf("baseline: ARIMA%v has a negative order; orders count from 0", o)
	}
	if o.SP+o.SD+o.SQ > 0 && o.Season < 2 {
		return fmt.Errorf("baseline: ARIMA%v has seasonal terms and a season of %d; give a season of 2 rows or more", o, o.Season)
	}
	if o.SP+o.SD+o.SQ > 0 && o.Season > longest || o.P+o.Q+o.D > longest || (o.SP+o.SD+o.SQ)*o.Season > longest {
		return fmt.Errorf("baseline: ARIMA%v looks back over more than %d rows; lower the orders or the season", o, longest)
	}
	return nil
}

// ARIMA is a seasonal autoregressive integrated moving average: with the differences
// w = (1−B)^D (1−B^Season)^SD y,
//
//	φ(B) Φ(B^Season) (w_t − Mean) = θ(B) Θ(B^Season) ε_t,   ε_t ~ N(0, Sigma2),
//
// φ(B) = 1 − AR₁B − …, Φ likewise of SAR, θ(B) = 1 + MA₁B + …, Θ likewise of SMA
// (Box and Jenkins 1970). It has exported fields alone, so encoding/gob keeps it.
type ARIMA struct {
	Order
	AR, MA, SAR, SMA []float64
	Mean             float64 // of the differenced series; 0 without a Constant
	Sigma2           float64 // of the noise, the most likely one
	LogLik           float64 // of the differenced rows
	N                int     // how many of these there were
}

var _ Univariate = (*ARIMA)(nil)

// AIC is Akaike's criterion, 2 Parameters − 2 LogLik. Compare it only between models
// of equal differences.
func (m *ARIMA) AIC() float64 { return 2*float64(m.Parameters()) - 2*m.LogLik }

// String says the order, the variance and the criterion in a line.
func (m *ARIMA) String() string {
	return fmt.Sprintf("ARIMA%v, σ² %.4g, AIC %.1f over %d rows", m.Order, m.Sigma2, m.AIC(), m.N)
}

// arma returns the multiplied out polynomials: w_t = Σ a_k w_{t−k} + ε_t + Σ b_k ε_{t−k}.
func (m *ARIMA) arma() (a, b []float64) {
	s := max(m.Season, 1)
	return negated(product(negated(m.AR), negated(m.SAR), s)), product(m.MA, m.SMA, s)
}
