package baseline

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// Autoregression is an autoregression of k series along one record,
//
//	y_{t+1} = C (1, y_t, y_{t−1}, …, y_{t−Order+1}),
//
// with k = 1 an AR(p), else a VAR(p). It is the VAR of one long run, where [VAR] is
// that of windows.
type Autoregression struct {
	Order int
	C     *mat.Dense // k×(1 + Order·k)
}

// rankTol is the relative size below which a direction of the lags counts as none.
const rankTol = 1e-12

// FitAutoregression fits by least squares with an intercept to y, a row a time and a
// column a series. The order, from 0 to most, has the least AIC
//
//	n log det Σ + 2 k (1 + k p)
//
// on the n rows that have most lags; the coefficients are then of all rows that have
// Order lags. One QR factorisation serves all orders: O(n (k most)²). It errs if the
// rows are too few for one lag or hold a value that is not finite. It panics if most
// is negative.
func FitAutoregression(y *mat.Dense, most int) (*Autoregression, error) {
	if most < 0 {
		panic("baseline: the order must not be negative")
	}
	n, k := y.Dims()
	for t := range n {
		for j := range k {
			if v := y.At(t, j); math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("baseline: row %d of column %d of an autoregression is %v; fill or leave out missing values", t, j+1, v)
			}
		}
	}
	most = min(most, n) // so that the products below do not overflow
	// Below that the regression of the largest order has no freedom left.
	for most > 0 && n-most < 2+k+most*k {
		most--
	}
	if n < 3 {
		return nil, fmt.Errorf("baseline: an autoregression needs 3 rows or more, got %d", n)
	}
	// About their means a series that is constant is zero, and gets no coefficient.
	y, mean := centred(y)
	unit := toUnits(y)
	order := leastAIC(y, most)
	design := lags(y, order, order)
	rows, c := design.Dims()
	x := design.Slice(0, rows, 0, c-k).(*mat.Dense)
	b, _, _, err := linalg.LeastSquares(mat.DenseCopyOf(x), mat.DenseCopyOf(design.Slice(0, rows, c-k, c)), rankTol)
	if err != nil {
		return nil, fmt.Errorf("baseline: autoregression of order %d: %w", order, err)
	}
	a := &Autoregression{order, mat.DenseCopyOf(b.T())}
	for j := range k {
		row := a.C.RawRowView(j)
		row[0] = math.Ldexp(row[0], unit[j]) + mean[j]
		for i, w := range row[1:] {
			row[1+i] = math.Ldexp(w, unit[j]-unit[i%k])
		}
		for i, w := range row[1:] {
			row[0] -= w * mean[i%k]
		}
		if !linalg.IsFinite(a.C) {
			return nil, fmt.Errorf("baseline: series %d of an autoregression is in a unit so far from those of others that coefficients overflow; change the units", j+1)
		}
	}
	return a, nil
}

// toUnits divides each series by the power of two that its largest value is of, so that none is taken
// for nothing beside the intercept or another, and returns the exponents. No digit changes.
func toUnits(y *mat.Dense) []int {
	n, k := y.Dims()
	unit := make([]int, k)
	for j := range k {
		largest := 0.0
		for i := range n {
			largest = max(largest, math.Abs(y.At(i, j)))
		}
		_, unit[j] = math.Frexp(largest)
		for i := range n {
			y.Set(i, j, math.Ldexp(y.At(i, j), -unit[j]))
		}
	}
	return unit
}

// centred returns y less the means of its columns, and these.
func centred(y *mat.Dense) (*mat.Dense, []float64) {
	n, k := y.Dims()
	out, mean := mat.DenseCopyOf(y), make([]float64, k)
	for j := range k {
		first := y.At(0, j) // so that a constant series has its value for a mean, exactly
		for i := range n {
			mean[j] += (y.At(i, j) - first) / float64(n)
		}
		mean[j] += first
		for i := range n {
			out.Set(i, j, y.At(i, j)-mean[j])
		}
	}
	return out, mean
}

// lags returns the rows (1, y_{t−1}, …, y_{t−order}, y_t) for t from first on.
func lags(y *mat.Dense, order, first int) *mat.Dense {
	n, k := y.Dims()
	out := mat.NewDense(n-first, 1+k*order+k, nil)
	for t := first; t < n; t++ {
		row := out.RawRowView(t - first)
		row[0] = 1
		for l := 1; l <= order; l++ {
			copy(row[1+(l-1)*k:], y.RawRowView(t-l))
		}
		copy(row[1+k*order:], y.RawRowView(t))
	}
	return out
}

// leastAIC returns the order of least AIC. With the columns in the order of the lags,
// the residual covariances of all orders are read off one triangular factor.
func leastAIC(y *mat.Dense, most int) int {
	_, k := y.Dims()
	r := lags(y, most, most)
	n, c := r.Dims()
	if n < c {
		return 0
	}
	linalg.R(r)
	best, least := 0, math.Inf(1)
	for p := 0; p <= most; p++ {
		rest := r.Slice(1+k*p, c, c-k, c)
		var s mat.SymDense
		s.SymOuterK(1/float64(n), rest.T())
		logDet := logDeterminant(&s, r, n)
		if aic := float64(n)*logDet + float64(2*k*(1+k*p)); aic < least {
			best, least = p, aic
		}
	}
	return best
}

// logDeterminant returns log det s; a singular s counts as one with residuals of the
// rounding of the data, so that the first order without error is taken.
func logDeterminant(s *mat.SymDense, r *mat.Dense, n int) float64 {
	k := s.SymmetricDim()
	_, c := r.Dims()
	floored := mat.NewSymDense(k, nil)
	floored.CopySym(s)
	for j := range k {
		norm := mat.Norm(r.ColView(c-k+j), 2)
		floor := norm * norm / float64(n) * 1e-26
		floored.SetSym(j, j, floored.At(j, j)+max(floor, math.SmallestNonzeroFloat64))
	}
	var ch mat.Cholesky
	if !ch.Factorize(floored) {
		return math.Inf(1)
	}
	return ch.LogDet()
}

// Forecast writes to dst, h×k, the forecasts 1 to h rows after row t of y, each from
// the ones before it. Rows before the first are as the first. It panics if y has not k
// columns or t is no row of y.
func (a *Autoregression) Forecast(dst *mat.Dense, y *mat.Dense, t int) {
	k, _ := a.C.Dims()
	h, c := dst.Dims()
	if _, yc := y.Dims(); yc != k || c != k {
		panic("baseline: dimension mismatch")
	}
	at := func(i int) []float64 { // i rows after t
		if i > 0 {
			return dst.RawRowView(i - 1)
		}
		return y.RawRowView(max(t+i, 0))
	}
	for i := 1; i <= h; i++ {
		row := dst.RawRowView(i - 1)
		for j := range k {
			w := a.C.RawRowView(j)
			sum := w[0]
			for l := 1; l <= a.Order; l++ {
				for m, v := range at(i - l) {
					sum += w[1+(l-1)*k+m] * v
				}
			}
			row[j] = sum
		}
	}
}
