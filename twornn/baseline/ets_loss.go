package baseline

import "math"

// Bounds of the weights, those of the forecasting literature: α inside (0, 1), β below
// α, γ below 1 − α, and a φ that tells a damped trend from a line and from none.
const (
	leastWeight      = 1e-4
	dampLow, dampTop = 0.8, 0.98
)

// etsLoss is the fit of an ETS to y as a function of free parameters: the logits of α,
// β/α, φ and γ/(1−α) where the form has them, then l, b and all seasons but the last.
type etsLoss struct {
	form   Form
	y      []float64
	start  *ETS    // states are counted from these …
	season float64 // … in units of 1, seasons in units of this
	m      ETS     // the model of the parameters at hand
	// What each row leaves for the way back.
	L, slope, s, e []float64
	place          []float64 // seasons on the way, then their derivatives
	dm             ETS       // derivatives by the parts of m
}

// noiseFloor is added to σ², in units of the series' variance, so that the logarithm of
// a perfect fit is finite.
const noiseFloor = 1e-20

func newETSLoss(form Form, y []float64, start *ETS, season float64) *etsLoss {
	n, m := len(y), form.period()
	l := &etsLoss{form: form, y: y, start: start, season: season,
		L: make([]float64, n), slope: make([]float64, n), s: make([]float64, n), e: make([]float64, n),
		place: make([]float64, m)}
	l.m, l.dm = ETS{Form: form, Seasonal: make([]float64, m)}, ETS{Seasonal: make([]float64, m)}
	return l
}

// weights runs over the free weights in order: call gets the low and high end, the value
// and the derivative of each. β's and γ's range depends on α, which comes first.
func (l *etsLoss) weights(m, dm *ETS, call func(low, high float64, v, d *float64)) {
	call(leastWeight, 1-leastWeight, &m.Alpha, &dm.Alpha)
	if l.form.Trend != NoTrend {
		call(0, m.Alpha, &m.Beta, &dm.Beta)
	}
	if l.form.Trend == DampedTrend {
		call(dampLow, dampTop, &m.Phi, &dm.Phi)
	}
	if l.form.Season != NoSeason {
		call(0, 1-m.Alpha, &m.Gamma, &dm.Gamma)
	}
}

// set turns the parameters x into l.m.
func (l *etsLoss) set(x []float64) {
	l.m.Phi = 1
	l.weights(&l.m, &l.dm, func(low, high float64, v, _ *float64) {
		*v = low + (high-low)*sigmoid(x[0])
		x = x[1:]
	})
	l.m.Level, x = l.start.Level+x[0], x[1:]
	if l.form.Trend != NoTrend {
		l.m.Slope, x = l.start.Slope+x[0], x[1:]
	}
	if last := l.form.period() - 1; last > 0 {
		copy(l.m.Seasonal, l.start.Seasonal)
		for j, v := range x {
			l.m.Seasonal[j] += l.season * v
			l.m.Seasonal[last] -= l.season * v
		}
	}
}

// loss returns ½ log σ² at x, +Inf where the states overflow or a multiplicative one is
// not positive, and its gradient in grad if that is not nil. It costs O(len(y)).
func (l *etsLoss) loss(grad, x []float64) float64 {
	l.set(x)
	sse, ok := l.forward()
	if !ok {
		return math.Inf(1)
	}
	n := float64(len(l.y))
	if grad != nil {
		l.backward()
		l.chain(grad, x, 0.5/(sse+n*noiseFloor))
	}
	return 0.5 * math.Log(sse/n+noiseFloor)
}

// forward runs l.m along the rows, and returns the sum of the squared errors.
func (l *etsLoss) forward() (sse float64, ok bool) {
	m := &l.m
	copy(l.place, m.Seasonal)
	level, slope, at := m.Level, m.Slope, 0
	multiplies := l.form.Season == MultiplicativeSeason
	for t, y := range l.y {
		L, s := level+m.Phi*slope, l.place[at]
		e := y - L - s
		if multiplies {
			if !(L > 0 && s > 0) {
				return 0, false
			}
			e = y - L*s
		}
		l.L[t], l.s[t], l.slope[t], l.e[t] = L, s, slope, e
		sse += e * e
		if multiplies {
			l.place[at] += m.Gamma * e / L
			e /= s
		} else {
			l.place[at] += m.Gamma * e
		}
		level, slope = L+m.Alpha*e, m.Phi*slope+m.Beta*e
		if at++; at == len(l.place) {
			at = 0
		}
	}
	return sse, !math.IsInf(sse, 0) && !math.IsNaN(sse)
}

// backward sets l.dm to the derivatives of the sum of squared errors, by going back over
// the rows: level, slope and place hold its derivatives by the state after the row.
func (l *etsLoss) backward() {
	m := &l.m
	clear(l.place)
	var level, slope, alpha, beta, gamma, phi float64
	at := (len(l.y) - 1) % len(l.place)
	for t := len(l.y) - 1; t >= 0; t-- {
		e, L, s := l.e[t], l.L[t], l.s[t]
		season := l.place[at]
		var dL, ds, de float64
		if l.form.Season == MultiplicativeSeason {
			de = 2*e + (level*m.Alpha+slope*m.Beta)/s + season*m.Gamma/L
			alpha += level * e / s
			beta += slope * e / s
			gamma += season * e / L
			dL = level - season*m.Gamma*e/(L*L) - de*s
			ds = season - (level*m.Alpha+slope*m.Beta)*e/(s*s) - de*L
		} else {
			de = 2*e + level*m.Alpha + slope*m.Beta + season*m.Gamma
			alpha += level * e
			beta += slope * e
			gamma += season * e
			dL, ds = level-de, season-de
		}
		phi += (dL + slope) * l.slope[t]
		level, slope = dL, m.Phi*(dL+slope)
		l.place[at] = ds
		if at--; at < 0 {
			at = len(l.place) - 1
		}
	}
	l.dm.Alpha, l.dm.Beta, l.dm.Gamma, l.dm.Phi = alpha, beta, gamma, phi
	l.dm.Level, l.dm.Slope = level, slope
	copy(l.dm.Seasonal, l.place)
}

// chain sets grad to scale times the derivatives by the free parameters x.
func (l *etsLoss) chain(grad, x []float64, scale float64) {
	// α moves the ranges of β = α σ(·) and γ = (1−α) σ(·).
	l.dm.Alpha += l.dm.Beta * l.m.Beta / l.m.Alpha
	l.dm.Alpha -= l.dm.Gamma * l.m.Gamma / (1 - l.m.Alpha)
	g := grad
	put := func(v float64) { g[0], g, x = scale*v, g[1:], x[1:] }
	l.weights(&l.m, &l.dm, func(low, high float64, _, d *float64) {
		p := sigmoid(x[0])
		put(*d * (high - low) * p * (1 - p))
	})
	put(l.dm.Level)
	if l.form.Trend != NoTrend {
		put(l.dm.Slope)
	}
	if last := l.form.period() - 1; last > 0 {
		for j := range last {
			put(l.season * (l.dm.Seasonal[j] - l.dm.Seasonal[last]))
		}
	}
}
