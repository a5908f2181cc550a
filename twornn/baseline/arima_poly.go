package baseline

import "math"

// Polynomials in the backshift B are kept as the numbers that a recursion uses: an
// autoregression 1 − a₁B − … as a, a moving average 1 + b₁B + … as b. Constant terms
// are 1 throughout.

// product returns the coefficients of (1 + a₁B + …)(1 + b₁Bˢ + b₂B²ˢ + …).
func product(a, b []float64, s int) []float64 {
	c := make([]float64, len(a)+s*len(b))
	copy(c, a)
	for j, v := range b {
		c[(j+1)*s-1] += v
		for i, w := range a {
			c[(j+1)*s+i] += v * w
		}
	}
	return c
}

// negated returns −a.
func negated(a []float64) []float64 {
	n := make([]float64, len(a))
	for i, v := range a {
		n[i] = -v
	}
	return n
}

// differences returns δ of y_t = w_t + Σ δ_k y_{t−k}, where w = (1−B)^d (1−Bˢ)^D y.
func differences(d, seasonal, s int) []float64 {
	var c []float64
	for range d {
		c = product(c, []float64{-1}, 1)
	}
	for range seasonal {
		c = product(c, []float64{-1}, s)
	}
	return negated(c)
}

// differenced returns w_t = y_t − Σ δ_k y_{t−k} for the rows that have all of them.
func differenced(y, delta []float64) []float64 {
	w := make([]float64, max(0, len(y)-len(delta)))
	for t := range w {
		w[t] = y[t+len(delta)]
		for k, v := range delta {
			w[t] -= v * y[t+len(delta)-1-k]
		}
	}
	return w
}

// fromPartial returns the stationary autoregression with partial autocorrelations r,
// all of size below 1, by the Durbin-Levinson recursion. Every stationary one has
// exactly one such r (Barndorff-Nielsen and Schou 1973; Monahan 1984).
func fromPartial(r []float64) []float64 {
	a, b := make([]float64, len(r)), make([]float64, len(r))
	for k, v := range r {
		copy(b, a[:k])
		for i := range k {
			a[i] = b[i] - v*b[k-1-i]
		}
		a[k] = v
	}
	return a
}

// toPartial undoes fromPartial. It is not ok if the autoregression is not stationary.
func toPartial(a []float64) (r []float64, ok bool) {
	r = append(r, a...)
	b := make([]float64, len(a))
	for k := len(a) - 1; k >= 0; k-- {
		v := r[k]
		if !(math.Abs(v) < 1) {
			return r, false
		}
		copy(b, r[:k])
		for i := range k {
			r[i] = (b[i] + v*b[k-1-i]) / (1 - v*v)
		}
	}
	return r, true
}

// autocovariances returns γ₀ … γ_{n−1} of the autoregression a driven by noise of
// variance 1. It is not ok if a is not stationary.
func autocovariances(a []float64, n int) (gamma []float64, ok bool) {
	r, ok := toPartial(a)
	if !ok {
		return nil, false
	}
	gamma = make([]float64, max(n, len(a)+1))
	gamma[0] = 1
	for _, v := range r {
		gamma[0] /= 1 - v*v
	}
	// Up to the order, from the partial autocorrelations: sums without cancellation
	// against 1 − Σ, which near a unit root would lose the digits.
	part, prev := make([]float64, len(a)), make([]float64, len(a))
	left := gamma[0]
	for k, v := range r {
		gamma[k+1] = v * left
		for i := range k {
			gamma[k+1] += part[i] * gamma[k-i]
		}
		copy(prev, part[:k])
		for i := range k {
			part[i] = prev[i] - v*prev[k-1-i]
		}
		part[k] = v
		left *= 1 - v*v
	}
	for k := len(a) + 1; k < n; k++ {
		for i, v := range a {
			gamma[k] += v * gamma[k-1-i]
		}
	}
	return gamma[:n], true
}

// impulses returns ψ₀ … ψ_{n−1}, the response of (1 + Σ b B) / (1 − Σ a B) to an impulse.
func impulses(a, b []float64, n int) []float64 {
	psi := make([]float64, n)
	for k := range psi {
		switch {
		case k == 0:
			psi[k] = 1
		case k <= len(b):
			psi[k] = b[k-1]
		}
		for i := range min(k, len(a)) {
			psi[k] += a[i] * psi[k-1-i]
		}
	}
	return psi
}
