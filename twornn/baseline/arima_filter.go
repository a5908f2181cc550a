package baseline

import "math"

// arimaFilter is the Kalman filter of an ARIMA. The first rows, as many as the
// differences look back, are taken as given (a diffuse start comes to the same); from
// there on the differences follow a stationary ARMA from its stationary start.
type arimaFilter struct {
	m     *ARIMA
	g     *gains
	x     []float64 // state of the differences, less their mean, of the next row
	delta []float64
	past  []float64 // the last len(delta) rows, the latest last
	seen  int
	psi   []float64 // impulses of the undifferenced series, for the variances

	ahead, state []float64 // workspace
}

// Filter implements Univariate. A forecast costs O(h (r + differences)), with h the
// longest horizon and r the order; variances are those of the settled filter.
func (m *ARIMA) Filter() Filter {
	a, b := m.arma()
	g, ok := newGains(a, b)
	if !ok {
		panic("baseline: the ARIMA is not stationary; fit it with FitARIMA")
	}
	delta := differences(m.D, m.SD, max(m.Season, 1))
	r := len(g.phi)
	return &arimaFilter{m: m, g: g, x: make([]float64, r), state: make([]float64, r),
		delta: delta, past: make([]float64, len(delta))}
}

// level returns the row that the difference w makes of the rows before it: those of
// past and then those of ahead.
func (f *arimaFilter) level(w float64, past, ahead []float64) float64 {
	for k, v := range f.delta {
		if v == 0 {
			continue
		}
		if i := len(ahead) - 1 - k; i >= 0 {
			w += v * ahead[i]
		} else {
			w += v * past[len(past)+i]
		}
	}
	return w
}

// Update implements Filter.
func (f *arimaFilter) Update(y float64) {
	started := f.seen >= len(f.delta)
	if math.IsNaN(y) {
		y = f.guess()
		if started {
			y = f.level(f.m.Mean+f.x[0], f.past, nil)
		}
	}
	if started {
		w := y - f.level(0, f.past, nil) - f.m.Mean
		f.g.update(f.x, w-f.x[0])
		f.g.next()
	}
	if len(f.past) > 0 {
		copy(f.past, f.past[1:])
		f.past[len(f.past)-1] = y
	}
	f.seen++
}

// guess is what is expected before the filter has started: the last row, or 0.
func (f *arimaFilter) guess() float64 {
	if f.seen == 0 || len(f.past) == 0 {
		return 0
	}
	return f.past[len(f.past)-1]
}

// Forecast implements Filter.
func (f *arimaFilter) Forecast(mean, variance []float64, horizons []int) {
	checkForecast(mean, variance, horizons)
	if f.seen < len(f.delta) {
		for k := range horizons {
			mean[k] = f.guess()
			if variance != nil {
				variance[k] = math.Inf(1)
			}
		}
		return
	}
	most := 0
	for _, h := range horizons {
		most = max(most, h)
	}
	copy(f.state, f.x)
	f.ahead = f.ahead[:0]
	for range most {
		f.ahead = append(f.ahead, f.level(f.m.Mean+f.state[0], f.past, f.ahead))
		f.g.shift(f.state, f.state)
	}
	if variance != nil && len(f.psi) < most {
		f.respond(most)
	}
	for k, h := range horizons {
		mean[k] = f.ahead[h-1]
		if variance != nil {
			variance[k] = 0
			for _, v := range f.psi[:h] {
				variance[k] += v * v * f.m.Sigma2
			}
		}
	}
}

// respond sets psi to n impulses of the series itself.
func (f *arimaFilter) respond(n int) {
	a, b := f.m.arma()
	f.psi = impulses(negated(product(negated(a), negated(f.delta), 1)), b, n)
}
