// Package adam is the stochastic gradient method of Kingma and Ba (2015).
package adam

import "math"

// Adam moves weights against gradients, with β₁ = 0.9, β₂ = 0.999 and ε = 1e-8.
type Adam struct {
	rate           float64
	mean, square   []float64 // moving averages of the gradient and of its squares
	decay1, decay2 float64   // β₁ᵗ and β₂ᵗ
}

// New returns the method for n weights at the given learning rate.
func New(rate float64, n int) *Adam {
	return &Adam{rate, make([]float64, n), make([]float64, n), 1, 1}
}

// Step moves theta one step against the gradient.
func (a *Adam) Step(theta, grad []float64) {
	const beta1, beta2, eps = 0.9, 0.999, 1e-8
	a.decay1 *= beta1
	a.decay2 *= beta2
	rate, square := a.rate/(1-a.decay1), 1/(1-a.decay2)
	for i, g := range grad {
		a.mean[i] += (1 - beta1) * (g - a.mean[i])
		a.square[i] += (1 - beta2) * (g*g - a.square[i])
		theta[i] -= rate * a.mean[i] / (math.Sqrt(a.square[i]*square) + eps)
	}
}
