package symbols

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Span is an orthonormal basis that grows.
type Span struct{ basis [][]float64 }

// NewSpan returns the span of nothing, in so many dimensions.
func NewSpan(width int) *Span { return &Span{make([][]float64, 0, width)} }

// off returns what sticks out of the span of v, and its norm.
func (q *Span) off(v []float64) ([]float64, float64) {
	v = slices.Clone(v)
	for range 2 { // once leaves rounding errors of the size of v
		for _, b := range q.basis {
			floats.AddScaled(v, -floats.Dot(b, v), b)
		}
	}
	return v, math.Sqrt(floats.Dot(v, v))
}

// Residual returns the norm of what sticks out of the span of v.
func (q *Span) Residual(v []float64) float64 {
	_, r := q.off(v)
	return r
}

// AddAbove takes v into the span, if more than a share tol of it sticks out, and reports that.
func (q *Span) AddAbove(v []float64, tol float64) bool {
	w, r := q.off(v)
	if !(r > tol*math.Sqrt(floats.Dot(v, v))) {
		return false
	}
	for i := range w {
		w[i] /= r
	}
	q.basis = append(q.basis, w)
	return true
}

// Add takes v into the span, unless it is there but for rounding.
func (q *Span) Add(v []float64) bool { return q.AddAbove(v, 1e-12) }
