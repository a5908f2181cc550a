package datasets

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
)

// Scaler holds the mean and the standard deviation of each column of a training
// series. A window scaled with it holds (x−Mean)/Std. Its fields are exported so that
// encoding/json and encoding/gob keep it beside the model it belongs to.
type Scaler struct {
	Columns []string
	Mean    []float64
	// Std is the standard deviation with divisor n, the number of values. It is 1
	// for a column that does not vary, or by rounding alone.
	Std []float64
	// Skipped counts the missing values, and infinite ones of FromColumns, which Mean and Std leave out.
	Skipped []int
}

// FitScaler returns the scaler of train. Fit it on the training rows alone: scores on
// rows the scaler has seen are too good. A column without any value gets Mean 0 and
// Std 1; no window can hold it, so neither is ever used. All means and deviations are
// finite, and all deviations positive. A nil series gives a scaler without columns, which is
// an error of whatever uses it.
func FitScaler(train *Series) *Scaler {
	if train == nil {
		return &Scaler{}
	}
	c := &Scaler{Columns: train.Columns(), Skipped: train.Missing()}
	for j, v := range train.values {
		c.Skipped[j] += infinite(v)
		mean, std := moments(v)
		c.Mean = append(c.Mean, mean)
		c.Std = append(c.Std, std)
	}
	return c
}

// moments returns the mean and the standard deviation of the values that are finite.
func moments(v []float64) (mean, std float64) {
	low, mean, high, n := spread(v)
	if n == 0 {
		return 0, 1
	}
	// Deviations in units of the largest, so that no square overflows or vanishes.
	unit, part := max(high-mean, mean-low), 1.0
	if math.IsInf(unit, 1) {
		// No deviation overflows from halves of the values.
		part = 0.5
		unit = max(part*high-part*mean, part*mean-part*low)
	}
	if unit == 0 || isConstant(v, low, mean, high) {
		// What varies by rounding alone must not be scaled up to 1.
		return mean, 1
	}
	var squares float64
	for _, x := range v {
		if isFinite(x) {
			e := (part*x - part*mean) / unit
			squares += e * e
		}
	}
	// Half the range at the most, which is a number.
	std = min(unit*math.Sqrt(squares/float64(n))/part, math.MaxFloat64)
	if !(std > 0) {
		std = 1
	}
	return mean, std
}

// check returns an error if the scaler was damaged on its way, say in a file.
func (c *Scaler) check() error {
	if c == nil || len(c.Columns) == 0 {
		return errors.New("datasets: the scaler is not fitted; use FitScaler")
	}
	if len(c.Mean) != len(c.Columns) || len(c.Std) != len(c.Columns) {
		return fmt.Errorf("datasets: the scaler has %s, %s and %s; fit it again",
			count(len(c.Columns), "column"), count(len(c.Mean), "mean"), count(len(c.Std), "deviation"))
	}
	for j, name := range c.Columns {
		m, s := c.Mean[j], c.Std[j]
		if math.IsNaN(m) || math.IsInf(m, 0) || !(s > 0) || math.IsInf(s, 0) {
			return fmt.Errorf("datasets: the scaler has mean %v and deviation %v for column %s; fit it again", m, s, inline(name))
		}
	}
	return nil
}

// of returns the mean and the deviation of a column.
func (c *Scaler) of(name string) (mean, std float64, err error) {
	j := slices.Index(c.Columns, name)
	if j < 0 {
		return 0, 0, fmt.Errorf("datasets: the scaler has no column %s; it has %s", inline(name), list(c.Columns))
	}
	return c.Mean[j], c.Std[j], nil
}

// Unscale returns the model that does in the units of the file what m does on windows
// scaled with c, exactly: for every word of raw inputs its outputs are
//
//	μ_y + σ_y ŷ
//
// with ŷ those of m on the scaled inputs. Input 0 is the bias, and the others are the
// columns of c in its order: the windows had Bias set, and their series the columns
// of the series c was fitted on. The targets are those of the windows, Window.Targets in
// the same order; none means all columns. Window.Unscale cannot get them wrong.
//
// A scaled input is x̂ = T x for raw x = (1, x_1, …, x_d), with T_00 = 1,
// T_j0 = −μ_j/σ_j and T_jj = 1/σ_j. Hence the new slices
//
//	A'_i = Σ_j T_ji A_j   that is   A'_0 = A_0 − Σ_j (μ_j/σ_j) A_j,   A'_j = A_j/σ_j
//
// The mean μ_y needs a further state that stays 1: h' = h ⊕ 1, where A'_0 has the
// entry 1 from that state to itself and no other A'_i has an entry for it. Since
// x_0 = 1, it stays 1. So Ω' = (diag(σ_y) Ω, μ_y), and the result has n+1 states.
//
// It errs if m is not fitted, if its inputs are not the bias and the columns, if its
// outputs are not the targets, or if a target is no column.
func (c *Scaler) Unscale(m *twornn.Model, targets ...string) (*twornn.Model, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if m == nil || m.H0 == nil || m.Omega == nil || len(m.A) == 0 {
		return nil, errors.New("datasets: the model is not fitted; fit it first")
	}
	if len(targets) == 0 {
		targets = c.Columns
	}
	n, d, p := m.Dims()
	if d != 1+len(c.Columns) {
		return nil, fmt.Errorf("datasets: the model has %s, the bias and the scaler's columns are %d; fit it on windows with Bias and all of %s",
			count(d, "input"), 1+len(c.Columns), list(c.Columns))
	}
	if p != len(targets) {
		return nil, fmt.Errorf("datasets: the model has %s for %s; name the Targets of its windows",
			count(p, "output"), count(len(targets), "target"))
	}

	T := mat.NewDense(d, d, nil)
	T.Set(0, 0, 1)
	for j := range c.Columns {
		T.Set(j+1, 0, -c.Mean[j]/c.Std[j])
		T.Set(j+1, j+1, 1/c.Std[j])
	}
	mapped := m.MapInputs(T)
	raw := twornn.NewModel(n+1, d, p)
	raw.H0.SliceVec(0, n).(*mat.VecDense).CopyVec(m.H0)
	raw.H0.SetVec(n, 1)
	for i, a := range mapped.A {
		raw.A[i].Slice(0, n, 0, n).(*mat.Dense).Copy(a)
	}
	raw.A[0].Set(n, n, 1)
	for k, name := range targets {
		mean, std, err := c.of(name)
		if err != nil {
			return nil, err
		}
		for i := range n {
			raw.Omega.Set(k, i, std*m.Omega.At(k, i))
		}
		raw.Omega.Set(k, n, mean)
	}
	return raw, nil
}
