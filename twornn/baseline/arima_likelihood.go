package baseline

import "math"

// gainTol is the change of an innovation's variance, relative, from which on the
// filter counts as settled: some ten roundings.
const gainTol = 1e-15

// gains gives the Kalman filter of a stationary ARMA with noise of variance 1, in the
// form of Harvey (1989): with r = max(p, q+1), y_t = x₁ and
//
//	x_i ← φ_i x₁ + x_{i+1} + θ_{i−1} ε,   i = 1 … r,   θ₀ = 1.
//
// From the stationary start the covariance of the state changes by a matrix of rank
// one at each step, W M Wᵀ, so that F (the variance of the innovation) and K (the gain
// times F) follow in O(r) without that covariance (Morf, Sidhu and Kailath 1974). Once
// F moves no more the limits F = 1 and K = φ + θ stand in for good.
type gains struct {
	phi, theta []float64 // φ₁ … φ_r and θ₀ … θ_{r−1}
	K, W       []float64
	F, M       float64
	still      int // steps without a change of F
	settled    bool
}

// newGains returns the filter before the first row. It is not ok if the ARMA is not
// stationary, or so nearly that the variance overflows.
func newGains(a, b []float64) (g *gains, ok bool) {
	r := max(len(a), len(b)+1)
	work := make([]float64, 4*r)
	g = &gains{phi: work[:r], theta: work[r : 2*r], K: work[2*r : 3*r], W: work[3*r:]}
	copy(g.phi, a)
	g.theta[0] = 1
	copy(g.theta[1:], b)
	c, ok := g.covariances(a, b)
	if !ok {
		return nil, false
	}
	g.F = c[0]
	g.shift(g.K, c)
	copy(g.W, g.K)
	g.M = -1 / g.F
	return g, g.F > 0 && !math.IsInf(g.F, 0)
}

// covariances returns those of each x_i with y in the stationary state.
func (g *gains) covariances(a, b []float64) (c []float64, ok bool) {
	r, q := len(g.phi), len(b)
	u, ok := autocovariances(a, r+2*q+1)
	if !ok {
		return nil, false
	}
	ma := g.theta[:q+1]
	gamma := make([]float64, r+1)
	for k := range gamma {
		for i, v := range ma {
			for j, w := range ma {
				if v != 0 && w != 0 { // seasonal ones are mostly zeros
					gamma[k] += v * w * u[abs(k+i-j)]
				}
			}
		}
	}
	psi := impulses(a, b, r)
	c = make([]float64, r)
	c[0] = gamma[0]
	for i := 1; i < r; i++ {
		for j := i; j < r; j++ {
			c[i] += g.phi[j]*gamma[j-i+1] + g.theta[j]*psi[j-i]
		}
	}
	return c, true
}

func abs(i int) int { return max(i, -i) }

// shift sets dst to T x, one step of the state without noise.
func (g *gains) shift(dst, x []float64) {
	first, r := x[0], len(x)
	for i := range r - 1 {
		dst[i] = g.phi[i]*first + x[i+1]
	}
	dst[r-1] = g.phi[r-1] * first
}

// update moves the state x on by a row with innovation v: x ← T x + K v/F.
func (g *gains) update(x []float64, v float64) {
	first, last := x[0], len(x)-1
	v /= g.F
	phi, K := g.phi[:last+1], g.K[:last+1]
	for i, next := range x[1:] {
		x[i] = phi[i]*first + next + K[i]*v
	}
	x[last] = phi[last]*first + K[last]*v
}

// next moves F and K on to the next row.
func (g *gains) next() {
	if g.settled {
		return
	}
	zw := g.W[0]
	change := zw * zw * g.M
	F := g.F + change
	// In one pass, since this is where the time goes: K ← K + M zw T W, W ← T W − K zw/F.
	last := len(g.W) - 1
	phi, K, W := g.phi[:last+1], g.K[:last+1], g.W[:last+1]
	rise, back := g.M*zw, zw/F
	for i := range W {
		tw := phi[i] * zw
		if i < last {
			tw += W[i+1]
		}
		K[i] += rise * tw
		W[i] = tw - K[i]*back
	}
	g.M += change * g.M / g.F
	g.F = F
	// A seasonal one stands still between the seasons: all r states must have passed.
	if g.still++; math.Abs(change) > gainTol*F {
		g.still = 0
	}
	if g.settled = g.still > len(g.phi); g.settled {
		g.F = 1
		for i := range g.K {
			g.K[i] = g.phi[i]
			if i+1 < len(g.theta) {
				g.K[i] += g.theta[i+1]
			}
		}
	}
}

// likelihood is what one pass over w tells of an ARMA.
type likelihood struct {
	mean, sigma2 float64 // the most likely ones
	loglik       float64 // at these
}

// evaluate returns the exact Gaussian likelihood of w under the ARMA (a, b), with σ²
// and, if constant, the mean at their most likely values, which are known in closed
// form: the innovations are linear in the mean. It is not ok where there is none.
func evaluate(w, a, b []float64, constant bool) (l likelihood, ok bool) {
	g, ok := newGains(a, b)
	if !ok {
		return l, false
	}
	r, n := len(g.phi), float64(len(w))
	x, ones := make([]float64, r), make([]float64, r)
	var ww, w1, s11, logs float64
	product := 1.0 // of the F whose logarithm is not in logs yet: few logarithms do
	for _, y := range w {
		v := y - x[0]
		ww += v * v / g.F
		if !g.settled { // then F = 1
			if product *= g.F; product > 1e100 || product < 1e-100 {
				logs += math.Log(product)
				product = 1
			}
		}
		if constant {
			o := 1 - ones[0]
			w1 += v * o / g.F
			s11 += o * o / g.F
			g.update(ones, o)
		}
		g.update(x, v)
		if g.next(); !(g.F > 0) {
			return l, false
		}
	}
	if constant && s11 > 0 {
		l.mean = w1 / s11
		ww -= l.mean * w1
	}
	logs += math.Log(product)
	l.sigma2 = ww / n
	l.loglik = -0.5 * (n*(math.Log(2*math.Pi*l.sigma2)+1) + logs)
	return l, l.sigma2 > 0 && !math.IsInf(l.loglik, 0) && !math.IsNaN(l.loglik)
}
