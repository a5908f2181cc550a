package baseline

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"github.com/twornn/spectral/twornn/internal/stop"
)

// Limits of ChooseARIMA: the highest orders, and where it takes seasonal terms.
const (
	chooseP, chooseQ   = 3, 2
	seasonMost         = 24   // rows; beyond, the filter's state is long and the fit slow
	seasonRows         = 2000 // rows of the series; beyond, short lags know the season
	kpssLevel          = 0.463
	seasonsForSeasonal = 3 // seasons that the series must hold
)

// ChooseARIMA fits the ARIMA of y with the least AIC among p ≤ 3 and q ≤ 2, with and
// without a constant. d is 1 where the test of Kwiatkowski, Phillips, Schmidt and Shin
// rejects at 5 % that the series is stationary, else 0. With a season of 2 to 24 rows,
// and fewer than 2,000 rows but three seasons or more, the seasonal terms are
// (0 or 1, 1, 1): a season of fixed shape is the limit Θ₁ = −1. A season of 0 or
// 1 is none. The test is of the series after its seasonal difference. A constant is tried
// with at most one difference: with two it would be a trend that bends.
//
// It costs some dozens of FitARIMA, and errs as that does if no order can be fitted.
func ChooseARIMA(ctx context.Context, y []float64, season int) (*ARIMA, error) {
	return stop.Within(ctx, func() (*ARIMA, error) { return chooseARIMA(ctx, slices.Clone(y), season) })
}

func chooseARIMA(ctx context.Context, y []float64, season int) (*ARIMA, error) {
	if season < 0 {
		return nil, fmt.Errorf("baseline: the season is %d rows; give 0 for none", season)
	}
	if err := checkValues(y); err != nil {
		return nil, err
	}
	var best *ARIMA
	var failed []error
	for _, o := range candidates(y, season) {
		m, err := fitARIMA(ctx, y, o)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		switch {
		case err != nil:
			failed = append(failed, err)
		case best == nil || m.AIC() < best.AIC():
			best = m
		}
	}
	if best == nil { // all for one reason, most likely
		return nil, errors.Join(failed[:1]...)
	}
	return best, nil
}

// candidates returns the orders to try, the simplest first.
func candidates(y []float64, season int) []Order {
	base := Order{}
	seasonal := season >= 2 && season <= seasonMost && len(y) < seasonRows && len(y) >= seasonsForSeasonal*season
	if seasonal {
		base.Season, base.SD, base.SQ = season, 1, 1
	}
	if kpss(differenced(y, differences(0, base.SD, max(season, 1)))) > kpssLevel {
		base.D = 1
	}
	var all []Order
	for p := range chooseP + 1 {
		for q := range chooseQ + 1 {
			for sp := range 2 {
				if sp > 0 && !seasonal {
					continue
				}
				o := base
				o.P, o.Q, o.SP = p, q, sp
				all = append(all, o)
				if o.Constant = true; o.D+o.SD < 2 {
					all = append(all, o)
				}
			}
		}
	}
	return all
}

// KPSS returns the statistic of Kwiatkowski, Phillips, Schmidt and Shin (1992) for a
// series y that is stationary about a level, with S_t the partial sums of y less its mean
// and s² the long-run variance under Bartlett's weights up to lag ⌊4 (n/100)^¼⌋:
//
//	η = Σ S_t² / (n² s²)
//
// Above 0.463 stationarity is rejected at 5 %. It is 0 for a constant series or none. It errs if a value is not
// finite, as the fits do.
func KPSS(y []float64) (float64, error) {
	if err := checkValues(y); err != nil {
		return 0, err
	}
	return kpss(y), nil
}

// kpss is KPSS of finite values.
func kpss(y []float64) float64 {
	n := len(y)
	if n == 0 {
		return 0
	}
	mean := stat.Mean(y, nil)
	var sum, squares, longRun float64
	e := make([]float64, n)
	for t, v := range y {
		e[t] = v - mean
		sum += e[t]
		squares += sum * sum
		longRun += e[t] * e[t]
	}
	lags := min(n-1, int(4*math.Pow(float64(n)/100, 0.25)))
	for k := 1; k <= lags; k++ {
		weight := 2 * (1 - float64(k)/float64(lags+1))
		for t := k; t < n; t++ {
			longRun += weight * e[t] * e[t-k]
		}
	}
	if !(longRun > 0) {
		return 0
	}
	return squares / (float64(n) * longRun)
}
