package baseline

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/stop"
)

// FitARIMA fits an ARIMA of the given order to y, rows evenly spaced, by its exact
// Gaussian likelihood: σ² and the mean at their maxima in closed form, the
// coefficients by BFGS on partial autocorrelations, so that φ and Φ are stationary and
// θ and Θ invertible. It starts from Hannan and Rissanen's regression (1982) and, where
// the end is not invertible, once more from small coefficients. An evaluation costs O(len(y) r), with r
// the rows that the order looks back.
//
// It errs if the order is negative or without a season, if y has a NaN or an infinite
// value or is too short for the order, and if ctx is done. Differences that are all
// equal to their mean leave nothing to fit: the coefficients and Sigma2 are then 0 and
// LogLik is +Inf.
func FitARIMA(ctx context.Context, y []float64, o Order) (*ARIMA, error) {
	return stop.Within(ctx, func() (*ARIMA, error) { return fitARIMA(ctx, y, o) })
}

func fitARIMA(ctx context.Context, y []float64, o Order) (*ARIMA, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := checkValues(y); err != nil {
		return nil, err
	}
	delta := differences(o.D, o.SD, max(o.Season, 1))
	f := &arimaFit{o: o, w: differenced(y, delta)}
	if need := o.Parameters() + 2; len(f.w) < need {
		return nil, fmt.Errorf("baseline: ARIMA%v needs %d rows, got %d; give more rows, or lower the order if that is not 0", o, need+len(delta), len(y))
	}
	scale := f.standardise(floats.Norm(y, math.Inf(1)))
	if scale == 0 {
		m := f.coefficients(make([]float64, o.P+o.Q+o.SP+o.SQ))
		m.Mean, m.LogLik = f.shift, math.Inf(1)
		return m, nil
	}
	m, err := f.fit(ctx)
	if err != nil {
		return nil, err
	}
	m.Mean = f.shift + scale*m.Mean
	m.Sigma2 *= scale * scale
	m.LogLik -= float64(m.N) * math.Log(scale)
	return m, nil
}

// standardise takes the mean out of the differences if the order has a constant, and
// then divides them by their root mean square, which it returns: 0 where they are
// nothing but the roundings of a series of size most.
func (f *arimaFit) standardise(most float64) (scale float64) {
	if f.o.Constant {
		f.shift = stat.Mean(f.w, nil)
		floats.AddConst(-f.shift, f.w)
	}
	scale = floats.Norm(f.w, 2) / math.Sqrt(float64(len(f.w)))
	if scale <= constant*most {
		return 0
	}
	floats.Scale(1/scale, f.w)
	return scale
}

// arimaFit is one run of FitARIMA.
type arimaFit struct {
	o     Order
	w     []float64 // the differences, less shift, in units of their root mean square
	shift float64
}

func (f *arimaFit) fit(ctx context.Context) (*ARIMA, error) {
	var best *ARIMA
	for _, start := range f.starts() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if m := f.model(f.descend(ctx, start)); m != nil && (best == nil || m.betterThan(best)) {
			best = m
		}
		if best != nil && best.invertible() {
			break
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if best == nil {
		return nil, fmt.Errorf("baseline: ARIMA%v has no finite likelihood on these %d rows; lower the order", f.o, len(f.w))
	}
	return best, nil
}

// edge is the partial autocorrelation of a moving average from which on it counts as
// one with a unit root. The likelihood of few rows often has a peak there, which tells
// of a frequency that these rows happen to lack (Sargan and Bhargava 1983).
const edge = 0.999

// betterThan prefers an end inside the invertible region, then the likelier one.
func (m *ARIMA) betterThan(o *ARIMA) bool {
	if in, other := m.invertible(), o.invertible(); in != other {
		return in
	}
	return m.LogLik > o.LogLik
}

func (m *ARIMA) invertible() bool {
	for _, b := range [][]float64{m.MA, m.SMA} {
		r, ok := toPartial(negated(b))
		if !ok || len(r) > 0 && floats.Norm(r, math.Inf(1)) > edge {
			return false
		}
	}
	return true
}

// bound keeps partial autocorrelations off ±1, where the stationary variance overflows.
const bound = 1 - 1e-7

// coefficients turns unbounded parameters, those of AR, MA, SAR and SMA in turn, into a
// model. A parameter x stands for the partial autocorrelation x/√(1+x²) (Jones 1980).
func (f *arimaFit) coefficients(theta []float64) *ARIMA {
	take := func(n int) []float64 {
		r := make([]float64, n)
		for i, x := range theta[:n] {
			r[i] = bound * x / math.Sqrt(1+x*x)
		}
		theta = theta[n:]
		return fromPartial(r)
	}
	m := &ARIMA{Order: f.o, N: len(f.w)}
	m.AR, m.MA = take(f.o.P), negated(take(f.o.Q))
	m.SAR, m.SMA = take(f.o.SP), negated(take(f.o.SQ))
	return m
}

// parameters undoes coefficients, and draws in what is not stationary or invertible.
func (f *arimaFit) parameters(m *ARIMA) []float64 {
	var theta []float64
	for _, a := range [][]float64{m.AR, negated(m.MA), m.SAR, negated(m.SMA)} {
		r, ok := toPartial(a)
		for !ok || floats.Norm(r, math.Inf(1)) > 0.97 {
			for k, shrink := 0, 0.9; k < len(a); k, shrink = k+1, shrink*0.9 {
				a[k] *= shrink
			}
			r, ok = toPartial(a)
		}
		for _, v := range r {
			theta = append(theta, v/math.Sqrt(1-v*v))
		}
	}
	return theta
}

// model returns the fitted model at theta, nil where there is none.
func (f *arimaFit) model(theta []float64) *ARIMA {
	m := f.coefficients(theta)
	a, b := m.arma()
	l, ok := evaluate(f.w, a, b, f.o.Constant)
	if !ok {
		return nil
	}
	m.Mean, m.Sigma2, m.LogLik = l.mean, l.sigma2, l.loglik
	return m
}

// descend returns the parameters at which BFGS from theta ends.
func (f *arimaFit) descend(ctx context.Context, theta []float64) []float64 {
	loss := func(theta []float64) float64 {
		a, b := f.coefficients(theta).arma()
		l, ok := evaluate(f.w, a, b, f.o.Constant)
		if !ok {
			return math.Inf(1)
		}
		return -l.loglik / float64(len(f.w))
	}
	descent := bfgs{iterations: 200, gradient: 1e-6, change: 1e-9, f: func(grad, x []float64) float64 {
		if grad != nil {
			central(grad, x, loss)
		}
		return loss(x)
	}}
	theta, _ = descent.minimise(ctx, theta)
	return theta
}

// starts returns the parameters to descend from.
func (f *arimaFit) starts() [][]float64 {
	o := f.o
	small := make([]float64, o.P+o.Q+o.SP+o.SQ)
	for i := range small {
		small[i] = 0.1
	}
	if m := f.regress(); m != nil {
		return [][]float64{f.parameters(m), small}
	}
	return [][]float64{small}
}

// regress is the start of Hannan and Rissanen: noise from a long autoregression, then
// least squares on the past of the series and of that noise. It leaves out the products
// of seasonal and plain terms, and is nil where the rows are too few.
func (f *arimaFit) regress() *ARIMA {
	o, n := f.o, len(f.w)
	lags := max(o.P, o.Q, o.Season*max(o.SP, o.SQ))
	long := min(lags+10, n/4)
	columns := o.P + o.Q + o.SP + o.SQ
	first := long + lags
	if columns == 0 || long == 0 || n-first < 2*columns+5 {
		return nil
	}
	e := innovations(f.w, long)
	X, Y := mat.NewDense(n-first, columns, nil), mat.NewDense(n-first, 1, f.w[first:])
	for t := first; t < n; t++ {
		row := X.RawRowView(t - first)[:0]
		for _, part := range []struct {
			from  []float64
			order int
			step  int
		}{{f.w, o.P, 1}, {e, o.Q, 1}, {f.w, o.SP, o.Season}, {e, o.SQ, o.Season}} {
			for k := range part.order {
				row = append(row, part.from[t-(k+1)*part.step])
			}
		}
	}
	beta, _, _, err := linalg.LeastSquares(X, Y, 1e-10)
	if err != nil {
		return nil
	}
	c := mat.Col(nil, 0, beta)
	return &ARIMA{Order: o, AR: c[:o.P], MA: c[o.P : o.P+o.Q],
		SAR: c[o.P+o.Q : columns-o.SQ], SMA: c[columns-o.SQ:]}
}

// innovations returns the errors of an autoregression of the given order by the
// Yule-Walker equations, which the Durbin-Levinson recursion solves. The first, without
// a past, are 0.
func innovations(w []float64, order int) []float64 {
	gamma := make([]float64, order+1)
	for k := range gamma {
		gamma[k] = floats.Dot(w[k:], w[:len(w)-k])
	}
	r, left := make([]float64, 0, order), gamma[0]
	for k := range order {
		a := fromPartial(r)
		v := gamma[k+1]
		for i := range a {
			v -= a[i] * gamma[k-i]
		}
		v /= left
		r = append(r, v)
		left *= 1 - v*v
	}
	a, e := fromPartial(r), make([]float64, len(w))
	for t := order; t < len(w); t++ {
		e[t] = w[t]
		for k, v := range a {
			e[t] -= v * w[t-1-k]
		}
	}
	return e
}
