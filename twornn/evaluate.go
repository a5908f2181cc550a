package twornn

import (
	"errors"
	"fmt"
	"iter"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/moments"
	"github.com/twornn/spectral/twornn/internal/phrase"
)

// Predictor is whatever maps a k×d input to p outputs: a Model, a baseline.
type Predictor interface {
	Predict(dst []float64, x mat.Matrix) []float64
}

// Taker is a Predictor that can tell beforehand what data it suits: Takes returns an
// error, for people to read, if it cannot predict p outputs from d inputs (d = 0: from
// the empty word alone). Evaluate asks it, so that such data are an error and no panic.
type Taker interface {
	Takes(d, p int) error
}

// Metrics says how far predictions are from their targets. A target is the last
// row of a sequence's Y, forecast from the inputs up to its step; means go over all N·p targets, in the targets' units.
type Metrics struct {
	N int // sequences scored
	P int // outputs of each

	MSE  float64 // mean of (y−ŷ)²
	RMSE float64 // √MSE
	MAE  float64 // mean of |y−ŷ|
	MAPE float64 // 100 × mean of |(y−ŷ)/y| over the targets that are not 0
	R2   float64 // mean over the outputs that vary of 1 − Σ(y−ŷ)²/Σ(y−ȳ)², NaN if none does; see R2Against

	ZeroTargets int // targets equal to 0, which MAPE leaves out
	NonFinite   int // predictions that are NaN or infinite; MSE is then +Inf

	// Outputs holds the sums of each output, from which all else follows.
	Outputs []OutputMetrics
	// Err says why nothing could be scored; the figures are then NaN.
	Err error
}

// OutputMetrics are the figures of one output.
type OutputMetrics struct {
	MSE, MAE       float64
	R2             float64 // NaN if all targets are the same
	Mean, Variance float64 // of the targets, the variance divided by N
}

// R2Against returns the mean over the outputs of 1 − Σ(y−ŷ)²/Σ(y−c)² for the
// constants c, one an output: with the means of the training targets it says how
// much better the predictions are than those means. Outputs that are that constant in all
// targets, of which nothing is left to explain, do not count. It is NaN if nothing was
// scored or no output counts, and panics if c has not p entries.
func (m Metrics) R2Against(c []float64) float64 {
	if m.Err != nil {
		return math.NaN()
	}
	if len(c) != len(m.Outputs) {
		panic("twornn: dimension mismatch: c")
	}
	var sum, n float64
	for j, o := range m.Outputs {
		b := o.Mean - c[j]
		if spread := o.Variance + b*b; spread > 0 {
			sum += 1 - o.MSE/spread
			n++
		}
	}
	return sum / n
}

// String returns the figures in one line.
func (m Metrics) String() string {
	if m.Err != nil {
		return m.Err.Error()
	}
	s := fmt.Sprintf("RMSE %.4g  MAE %.4g  R² %.4f  (%s, %s)", m.RMSE, m.MAE, m.R2, phrase.Count(m.N, "sequence"), phrase.Count(m.P, "output"))
	if m.NonFinite > 0 {
		s += fmt.Sprintf("; %d predictions are not finite", m.NonFinite)
	}
	return s
}

// Evaluate scores f on the last output of every sequence. It never panics on
// account of the data: an unusable sequence, or none at all, is Metrics.Err.
func Evaluate(f Predictor, data iter.Seq[Sequence]) Metrics {
	var (
		m    Metrics
		sums []outputSums
		mape float64
	)
	err := predict(f, data, func(hat, y []float64) {
		if sums == nil {
			m.P, sums = len(y), make([]outputSums, len(y))
		}
		m.N++
		for j, v := range y {
			e := v - hat[j]
			if math.IsNaN(e) || math.IsInf(e, 0) {
				m.NonFinite++
				e = math.Inf(1)
			}
			sums[j].add(v, e)
			if v == 0 {
				m.ZeroTargets++
			} else {
				mape += math.Abs(e / v)
			}
		}
	})
	if err != nil {
		nan := math.NaN()
		return Metrics{N: m.N, P: m.P, MSE: nan, RMSE: nan, MAE: nan, MAPE: nan, R2: nan, Err: err}
	}
	m.Outputs = make([]OutputMetrics, m.P)
	vary := 0.0
	for j, s := range sums {
		o := s.metrics(float64(m.N))
		m.Outputs[j] = o
		m.MSE += o.MSE / float64(m.P)
		m.MAE += o.MAE / float64(m.P)
		if o.Variance > 0 {
			m.R2 += o.R2
			vary++
		}
	}
	m.R2 /= vary
	m.RMSE = math.Sqrt(m.MSE)
	m.MAPE = 100 * mape / float64(m.N*m.P-m.ZeroTargets)
	return m
}

// Forecasts returns what Evaluate compares: the predictions of f and the targets, a
// row for each sequence and a column for each output. It errs as Evaluate does.
func Forecasts(f Predictor, data iter.Seq[Sequence]) (hat, y *mat.Dense, err error) {
	var hats, ys []float64
	p := 0
	err = predict(f, data, func(hat, y []float64) {
		p = len(y)
		hats, ys = append(hats, hat...), append(ys, y...)
	})
	if err != nil {
		return nil, nil, err
	}
	return mat.NewDense(len(ys)/p, p, hats), mat.NewDense(len(ys)/p, p, ys), nil
}

// predict calls each with the prediction of f and the last output of every sequence.
func predict(f Predictor, data iter.Seq[Sequence], each func(hat, y []float64)) error {
	var check checker
	var hat []float64
	if f == nil {
		return errors.New("twornn: there is nothing to score: the predictor is nil; fit one first")
	}
	for s := range given(data) {
		if err := check.next(s); err != nil {
			return err
		}
		if model, ok := f.(Taker); ok {
			if err := model.Takes(check.d, check.p); err != nil {
				return err
			}
		}
		if hat == nil {
			hat = make([]float64, check.p)
		}
		x, y := s.last()
		f.Predict(hat, x)
		each(hat, y)
	}
	if check.n == 0 {
		return errors.New("twornn: the data hold no sequence to score; give one at the least")
	}
	return nil
}

// outputSums gathers one output's targets y and errors e. The variance is
// accumulated by Welford's update, which keeps its digits when the mean is large.
type outputSums struct {
	n, mean, m2 float64
	abs, sq     float64
}

func (s *outputSums) add(y, e float64) {
	s.n++
	delta := y - s.mean
	s.mean += delta / s.n
	s.m2 += delta * (y - s.mean)
	s.abs += math.Abs(e)
	s.sq += e * e
}

func (s outputSums) metrics(n float64) OutputMetrics {
	r2 := math.NaN()
	if s.m2 > 0 {
		r2 = 1 - s.sq/s.m2
	}
	return OutputMetrics{MSE: s.sq / n, MAE: s.abs / n, R2: r2, Mean: s.mean, Variance: s.m2 / n}
}

// Activation is the function z₁ of a 2-RNN's states (Equation 1), component by
// component. The zero value is the identity.
type Activation struct {
	Kind ActivationKind
	// Slope is that of LeakyReLU below zero: 1 is the identity, 0 the plain ReLU.
	Slope float64
}

// ActivationKind tells activations apart.
type ActivationKind int

const (
	Identity  ActivationKind = iota // z(u) = u
	LeakyReLU                       // z(u) = u above zero, Slope·u below
	Tanh                            // z(u) = tanh u
)

func (a Activation) String() string {
	switch a.Kind {
	case Identity:
		return "identity"
	case LeakyReLU:
		return fmt.Sprintf("leaky ReLU of slope %g", a.Slope)
	case Tanh:
		return "tanh"
	}
	return fmt.Sprintf("Activation(%d)", int(a.Kind))
}

// of returns z(u), and slope z'(u) given u and z = z(u).
func (a Activation) of(u float64) float64 {
	switch {
	case a.Kind == LeakyReLU && u < 0:
		return a.Slope * u
	case a.Kind == Tanh:
		return math.Tanh(u)
	}
	return u
}

func (a Activation) slope(u, z float64) float64 {
	switch {
	case a.Kind == LeakyReLU && u < 0:
		return a.Slope
	case a.Kind == Tanh:
		return 1 - z*z
	}
	return 1
}

// NonLinear is a 2-RNN with non-linear states:
//
//	h_t = z(Σ_i (x_t)_i A[i]ᵀ h_{t−1})   y_t = Ω h_t
//
// With the identity it is its Model.
type NonLinear struct {
	Model      *Model
	Activation Activation
}

var _ Predictor = (*NonLinear)(nil)

// Predict is as Model.Predict.
func (m *NonLinear) Predict(dst []float64, x mat.Matrix) []float64 {
	n, d, p := m.Model.Dims()
	if dst == nil {
		dst = make([]float64, p)
	}
	if len(dst) != p {
		panic("twornn: dimension mismatch: dst")
	}
	h := append([]float64(nil), m.Model.h0()...)
	if x != nil {
		k, c := x.Dims()
		if k > 0 && c != d {
			panic("twornn: dimension mismatch: x")
		}
		next := make([]float64, n)
		for t := range k {
			clear(next)
			for i, a := range m.Model.A {
				addMulT(next, x.At(t, i), a.RawMatrix().Data, h)
			}
			for j, u := range next {
				h[j] = m.Activation.of(u)
			}
		}
	}
	m.Model.output(dst, h, 0)
	return dst
}

// Takes implements Taker.
func (m *NonLinear) Takes(d, p int) error {
	if m == nil {
		return (*Model)(nil).fitted()
	}
	return m.Model.Takes(d, p)
}

// meanSquares returns the mean square of the errors of m on the outputs of the sample after more
// steps than so many, and of those outputs themselves, for each output; nil if there are none.
func meanSquares(s moments.Sample, steps int, m *Model) (mse, zero []float64) {
	_, _, p := m.Dims()
	mse, zero = make([]float64, p), make([]float64, p)
	n := 0.0
	var hat mat.Dense
	for _, e := range s.Kept {
		hat.Reset()
		m.OutputsTo(&hat, e.X)
		for i, t := range e.After() {
			if t <= steps {
				continue
			}
			n++
			for o, y := range e.Y.RawRowView(i) {
				mse[o] += math.Pow(y-hat.At(t-1, o), 2)
				zero[o] += y * y
			}
		}
	}
	if n == 0 {
		return nil, nil
	}
	floats.Scale(1/n, mse)
	floats.Scale(1/n, zero)
	return mse, zero
}

// meanSquaresOf returns the mean squared error of the model over the outputs kept, each
// counted once, in the units of the data, and that of the zero function.
func meanSquaresOf(k *moments.Kept, m *Model) (mse, zero float64) {
	_, d, p := m.Dims()
	n := 0.0
	for _, run := range k.Runs {
		var y mat.Dense
		if steps := len(run.X) / d; steps > 0 {
			m.OutputsTo(&y, mat.NewDense(steps, d, run.X))
		}
		for i := run.Fresh; i < len(run.At); i++ {
			hat := m.Predict(nil, nil)
			if t := run.At[i]; t > 0 {
				hat = y.RawRowView(t - 1)
			}
			for o, v := range run.Y[i*p : (i+1)*p] {
				mse += (v - hat[o]) * (v - hat[o])
				zero += v * v
				n++
			}
		}
	}
	return mse / n, zero / n
}
