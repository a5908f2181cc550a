package twornn

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Activation is the function z₁ of a 2-RNN's states (Equation 1), component by
// component. The zero value is the identity.
type Activation struct {
	Kind ActivationKind
	// Slope is that of LeakyReLU below zero: 1 is the identity, 0 the plain ReLU.
	Slope float64
}

// ActivationKind tells activations apart.
type ActivationKind int

const (
	Identity  ActivationKind = iota // z(u) = u
	LeakyReLU                       // z(u) = u above zero, Slope·u below
	Tanh                            // z(u) = tanh u
)

func (a Activation) String() string {
	switch a.Kind {
	case Identity:
		return "identity"
	case LeakyReLU:
		return fmt.Sprintf("leaky ReLU of slope %g", a.Slope)
	case Tanh:
		return "tanh"
	}
	return fmt.Sprintf("Activation(%d)", int(a.Kind))
}

// of returns z(u), and slope z'(u) given u and z = z(u).
func (a Activation) of(u float64) float64 {
	switch {
	case a.Kind == LeakyReLU && u < 0:
		return a.Slope * u
	case a.Kind == Tanh:
		return math.Tanh(u)
	}
	return u
}

func (a Activation) slope(u, z float64) float64 {
	switch {
	case a.Kind == LeakyReLU && u < 0:
		return a.Slope
	case a.Kind == Tanh:
		return 1 - z*z
	}
	return 1
}

// NonLinear is a 2-RNN with non-linear states:
//
//	h_t = z(Σ_i (x_t)_i A[i]ᵀ h_{t−1})   y_t = Ω h_t
//
// With the identity it is its Model.
type NonLinear struct {
	Model      *Model
	Activation Activation
}

var _ Predictor = (*NonLinear)(nil)

// Predict is as Model.Predict.
func (m *NonLinear) Predict(dst []float64, x mat.Matrix) []float64 {
	n, d, p := m.Model.Dims()
	if dst == nil {
		dst = make([]float64, p)
	}
	if len(dst) != p {
		panic("twornn: dimension mismatch: dst")
	}
	h := append([]float64(nil), m.Model.h0()...)
	if x != nil {
		k, c := x.Dims()
		if k > 0 && c != d {
			panic("twornn: dimension mismatch: x")
		}
		next := make([]float64, n)
		for t := range k {
			clear(next)
			for i, a := range m.Model.A {
				addMulT(next, x.At(t, i), a.RawMatrix().Data, h)
			}
			for j, u := range next {
				h[j] = m.Activation.of(u)
			}
		}
	}
	m.Model.output(dst, h)
	return dst
}

// Takes implements Taker.
func (m *NonLinear) Takes(d, p int) error {
	if m == nil {
		return (*Model)(nil).fitted()
	}
	return m.Model.Takes(d, p)
}
