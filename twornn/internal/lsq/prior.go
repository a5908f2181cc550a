package lsq

import "gonum.org/v1/gonum/mat"

// Ridge is a problem with Gaussian priors: the sum of squares plus Σ_j Weight[j] θ_j².
// A weight is the prior's precision times the variance of the noise.
type Ridge struct {
	Problem
	Weight []float64
}

// Penalty returns Σ_j Weight[j] θ_j².
func (r Ridge) Penalty(theta []float64) (sum float64) {
	for j, w := range r.Weight {
		sum += w * theta[j] * theta[j]
	}
	return sum
}

// SSE returns the sum of squares and the penalty.
func (r Ridge) SSE(theta []float64) float64 { return r.Problem.SSE(theta) + r.Penalty(theta) }

// Normal adds the priors' part to the normal equations.
func (r Ridge) Normal(theta []float64, N *mat.SymDense, g []float64) float64 {
	sse := r.Problem.Normal(theta, N, g)
	for j, w := range r.Weight {
		N.SetSym(j, j, N.At(j, j)+w)
		g[j] -= w * theta[j]
	}
	return sse + r.Penalty(theta)
}
