package lsq

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Net is a linear 2-RNN (h₀, A, Ω): h_t = Σ_i (x_t)_i A[i]ᵀ h_{t−1}, y_t = Ω h_t.
type Net struct {
	H0    *mat.VecDense
	A     []*mat.Dense
	Omega *mat.Dense
}

// Shape is the numbers of states, inputs and outputs, and with them the layout of θ, the
// parameters as one vector: h₀, then A as the n×(d·n) matrix of all A[i] side by side, then
// Ω by rows.
type Shape struct{ N, D, P int }

// ShapeOf returns the shape of m.
func ShapeOf(m *Net) Shape {
	p, n := m.Omega.Dims()
	return Shape{n, len(m.A), p}
}

// Dim returns the number of parameters.
func (s Shape) Dim() int { return s.N * (1 + s.D*s.N + s.P) }

// Free returns how many of the parameters are free: n(dn+p+1) less the n² of a change of
// basis.
func (s Shape) Free() int { return s.N*(s.D*s.N+s.P+1) - s.N*s.N }

// Parts returns h₀, A and Ω within θ, or within a gradient of its shape.
func (s Shape) Parts(theta []float64) (h0 []float64, A, Omega blas64.General) {
	n, dn := s.N, s.D*s.N
	return theta[:n],
		blas64.General{Rows: n, Cols: dn, Stride: dn, Data: theta[n : n+n*dn]},
		blas64.General{Rows: s.P, Cols: n, Stride: n, Data: theta[n+n*dn:]}
}

// Theta returns the parameters of m.
func Theta(m *Net) []float64 {
	n, _ := m.H0.Dims()
	theta := make([]float64, 0, ShapeOf(m).Dim())
	for a := range n {
		theta = append(theta, m.H0.AtVec(a))
	}
	for a := range n {
		for _, A := range m.A {
			theta = append(theta, A.RawRowView(a)...)
		}
	}
	p, _ := m.Omega.Dims()
	for j := range p {
		theta = append(theta, m.Omega.RawRowView(j)...)
	}
	return theta
}

// Net returns the network of the parameters θ, which are copied.
func (s Shape) Net(theta []float64) *Net {
	m := NewNet(s)
	h0, A, Omega := s.Parts(theta)
	copy(m.H0.RawVector().Data, h0)
	for i, a := range m.A {
		for r := range s.N {
			copy(a.RawRowView(r), A.Data[r*A.Stride+i*s.N:r*A.Stride+(i+1)*s.N])
		}
	}
	for j := range s.P {
		copy(m.Omega.RawRowView(j), Omega.Data[j*s.N:(j+1)*s.N])
	}
	return m
}

// NewNet returns the zero function of the shape.
func NewNet(s Shape) *Net {
	m := &Net{H0: mat.NewVecDense(s.N, nil), Omega: mat.NewDense(s.P, s.N, nil)}
	for range s.D {
		m.A = append(m.A, mat.NewDense(s.N, s.N, nil))
	}
	return m
}
