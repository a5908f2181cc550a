package forecast

import (
	"math"
)

// Thresholds of the combination.
const (
	// From this many held-out rows on the errors' covariances are trusted too.
	rowsForCovariance = 400
	// A candidate with a mean squared error this much above the least stays out then.
	nearBest = 0.2
	// The covariances are shrunk towards independence by this share of the variances.
	independence = 0.3
	// The gain over persistence counts in full from the second of these numbers of its
	// standard errors on, over the blocks or over the rows, and not at all below the first.
	gainFrom, gainFull = 0.5, 1.5
	// What gain a series with structure is expected to show, as a logarithm of the ratio
	// of squared errors, and how much that varies.
	usualGain, usualSpread = 0.4, 0.4
)

// weights returns the weight of each candidate of x, not negative and of sum 1, by the
// rows held out in its first blocks. Candidate 0 is persistence.
//
//	w_i ∝ g_i^{−√m/2}, g_i = Π_b (MSE_ib / MSE_0b)^{1/B}
//
// with m rows in B blocks: near equal where there are few rows, and no single block
// decides. With many rows the mean of these and of the w that minimise wᵀ(S + ρ diag S)w
// on the simplex is taken, S the covariance of the errors. Where the gain over
// persistence is no clearer than chance the rest goes to persistence.
func (x *cell) weights(blocks int) []float64 {
	rows := 0
	for _, n := range x.blocks[:blocks] {
		rows += n
	}
	gain := make([]float64, len(x.candidates))
	for i, c := range x.candidates {
		gain[i] = mean(x.gains(c.forecasts, blocks))
	}
	w := powers(gain, math.Sqrt(float64(rows))/2)
	if rows >= rowsForCovariance {
		for i, v := range x.leastVariance(rows) {
			w[i] = (w[i] + v) / 2
		}
	}
	f := x.combined(w)
	share := max(confidence(x.gains(f, blocks)), x.clear(f, rows))
	for i := range w {
		w[i] *= share
	}
	w[0] += 1 - share
	return trimmed(w)
}

// gains returns for each block the logarithm of the squared error over persistence's.
func (x *cell) gains(forecasts []float64, blocks int) []float64 {
	var out []float64
	at := 0
	for _, n := range x.blocks[:blocks] {
		own, last := 0.0, 0.0
		for i := at; i < at+n; i++ {
			own += (forecasts[i] - x.truth[i]) * (forecasts[i] - x.truth[i])
			last += (x.last[i] - x.truth[i]) * (x.last[i] - x.truth[i])
		}
		if at += n; last > 0 {
			// Without noise a method may make no error at all.
			out = append(out, math.Log(max(own/last, 1e-24)))
		}
	}
	return out
}

// powers returns weights ∝ exp(−k·gain).
func powers(gain []float64, k float64) []float64 {
	least, sum := math.Inf(1), 0.0
	for _, g := range gain {
		least = min(least, g)
	}
	w := make([]float64, len(gain))
	for i, g := range gain {
		w[i] = math.Exp(-k * (g - least))
		sum += w[i]
	}
	for i := range w {
		w[i] /= sum
	}
	return w
}

// combined returns the weighted sum of the candidates' held-out forecasts.
func (x *cell) combined(w []float64) []float64 {
	out := make([]float64, len(x.truth))
	for i, c := range x.candidates {
		if w[i] == 0 {
			continue
		}
		for t, f := range c.forecasts {
			out[t] += w[i] * f
		}
	}
	return out
}

// confidence returns the share of a forecast that the gains of its blocks support: the
// larger of a test against none at all, and the posterior probability that a series
// with structure, not a random walk, made them.
func confidence(gains []float64) float64 {
	n := float64(len(gains))
	if n < 2 {
		return 1
	}
	m, v := mean(gains), 0.0
	for _, g := range gains {
		v += (g - m) * (g - m) / (n - 1)
	}
	if m >= 0 {
		return 0
	}
	se := math.Sqrt(v/n + 1e-5)
	share := min(max((-m/se-gainFrom)/(gainFull-gainFrom), 0), 1)
	density := func(mu, sd float64) float64 { return math.Exp(-(m-mu)*(m-mu)/(2*sd*sd)) / sd }
	walk, structure := density(0, se), density(-usualGain, math.Hypot(se, usualSpread))
	if walk+structure == 0 {
		return 1 // a gain far beyond either
	}
	return max(share, structure/(walk+structure))
}

// clear returns the share of a forecast that its gain over persistence on all rows
// supports: none where it is no larger than chance, all from gainFull standard errors on.
func (x *cell) clear(f []float64, rows int) float64 {
	d := make([]float64, rows)
	for i := range d {
		own, last := f[i]-x.truth[i], x.last[i]-x.truth[i]
		d[i] = last*last - own*own
	}
	m, se := meanError(d, x.h)
	if !(se > 0) {
		return 0
	}
	return min(max((m/se-gainFrom)/(gainFull-gainFrom), 0), 1)
}

// leastVariance returns the weights that minimise wᵀ(S + ρ diag S)w among the
// candidates near the best.
func (x *cell) leastVariance(rows int) []float64 {
	mse := make([]float64, len(x.candidates))
	least := math.Inf(1)
	for i, c := range x.candidates {
		for t := range rows {
			e := c.forecasts[t] - x.truth[t]
			mse[i] += e * e / float64(rows)
		}
		least = min(least, mse[i])
	}
	var use []int
	for i, v := range mse {
		if v <= (1+nearBest)*least {
			use = append(use, i)
		}
	}
	s := make([][]float64, len(use))
	for i := range use {
		s[i] = make([]float64, len(use))
		for j := range i + 1 {
			a, b := x.candidates[use[i]].forecasts, x.candidates[use[j]].forecasts
			for t := range rows {
				s[i][j] += (a[t] - x.truth[t]) * (b[t] - x.truth[t]) / float64(rows)
			}
			s[j][i] = s[i][j]
		}
		s[i][i] *= 1 + independence
	}
	w := make([]float64, len(mse))
	for i, v := range simplex(s) {
		w[use[i]] = v
	}
	return w
}

// simplex minimises wᵀSw over w ≥ 0 with sum 1 by exponentiated gradient steps.
func simplex(s [][]float64) []float64 {
	k := len(s)
	w, g := make([]float64, k), make([]float64, k)
	for i := range w {
		w[i] = 1 / float64(k)
	}
	for range 2000 {
		value, steep := 0.0, 0.0
		for i := range g {
			g[i] = 0
			for j := range w {
				g[i] += s[i][j] * w[j]
			}
			value += w[i] * g[i]
		}
		for _, v := range g {
			steep = max(steep, math.Abs(v-value))
		}
		// Also where there is no error at all.
		if !(steep > 1e-9*value) {
			break
		}
		step, sum := 1/max(value, steep), 0.0
		for i := range w {
			w[i] *= math.Exp(-step * (g[i] - value))
			sum += w[i]
		}
		for i := range w {
			w[i] /= sum
		}
	}
	return w
}

// leastWeight is what a candidate must weigh to be kept.
const leastWeight = 0.01

// trimmed drops weights that hardly matter.
func trimmed(w []float64) []float64 {
	sum := 0.0
	for i := range w {
		if w[i] < leastWeight {
			w[i] = 0
		}
		sum += w[i]
	}
	for i := range w {
		w[i] /= sum
	}
	return w
}
