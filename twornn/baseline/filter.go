package baseline

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Univariate is a fitted model of one column whose parameters stay as they are:
// *ARIMA, *ETS and *RegressionAutomaton. Many goroutines may use one at once.
type Univariate interface {
	// Filter returns a filter that has seen no row yet.
	Filter() Filter
	// String says in a line what was fitted.
	String() string
}

// Filter runs a model along a record, from the first row on. One filter serves one
// record and one goroutine; a record of n rows costs O(n), whatever the origins.
type Filter interface {
	// Update takes the value of the next row. A NaN is a value nobody measured: the
	// filter goes on with its own forecast in its place.
	Update(y float64)
	// Forecast sets mean[k] and variance[k] to what is expected horizons[k] ≥ 1 rows
	// after the last row taken, and to the variance of the error of that; variance
	// may be nil. It leaves the filter as it is. Until the model has seen the rows
	// that it needs to start, the mean is a guess and the variance +Inf.
	Forecast(mean, variance []float64, horizons []int)
}

// ForecastsTo runs m along y and stores the forecasts after every row: row t of mean and
// of variance, len(y)×len(horizons), is what is expected of rows t + horizons[k], from
// rows 0 to t alone. Both are resized if empty; variance may be nil. It costs
// O(len(y)) updates and forecasts, and panics on other shapes or a horizon below 1.
func ForecastsTo(mean, variance *mat.Dense, m Univariate, y []float64, horizons []int) {
	checkHorizons(horizons)
	if len(y) == 0 {
		return
	}
	for _, d := range []*mat.Dense{mean, variance} {
		if d == nil {
			continue
		}
		if d.IsEmpty() {
			d.ReuseAs(len(y), len(horizons))
		}
		if r, c := d.Dims(); r != len(y) || c != len(horizons) {
			panic("baseline: dimension mismatch: forecasts")
		}
	}
	f := m.Filter()
	for t, v := range y {
		f.Update(v)
		var sigma2 []float64
		if variance != nil {
			sigma2 = variance.RawRowView(t)
		}
		f.Forecast(mean.RawRowView(t), sigma2, horizons)
	}
}

func checkHorizons(horizons []int) {
	if len(horizons) == 0 || slices.Min(horizons) < 1 {
		panic("baseline: horizons count rows ahead, from 1 on")
	}
}

// checkForecast panics unless the arguments of a Forecast suit each other.
func checkForecast(mean, variance []float64, horizons []int) {
	checkHorizons(horizons)
	if len(mean) != len(horizons) || variance != nil && len(variance) != len(horizons) {
		panic("baseline: dimension mismatch: forecasts")
	}
}

// checkValues returns an error if y holds what is no number, or if squares of values overflow, or of what they vary by underflow.
func checkValues(y []float64) error {
	for t, v := range y {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("baseline: row %d is %v; fill or cut such rows first", t, v)
		}
		if math.Abs(v) > 1e150 {
			return fmt.Errorf("baseline: row %d is %v, whose square overflows; scale the series to about 1", t, v)
		}
	}
	if len(y) == 0 {
		return nil
	}
	if low, high := slices.Min(y), slices.Max(y); low < high && high-low < 1e-150 {
		return fmt.Errorf("baseline: the series lies between %v and %v, too small to work with, since squares underflow; scale it to about 1", low, high)
	}
	return nil
}
