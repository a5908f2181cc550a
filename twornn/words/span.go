package words

import (
	"math"
	"slices"
)

// span is an orthonormal basis that grows.
type span struct{ basis [][]float64 }

func newSpan(width int) *span { return &span{make([][]float64, 0, width)} }

// off returns what sticks out of the span of v, and its norm.
func (q *span) off(v []float64) ([]float64, float64) {
	v = slices.Clone(v)
	for range 2 { // once leaves rounding errors of the size of v
		for _, b := range q.basis {
			axpy(-dot(b, v), b, v)
		}
	}
	return v, math.Sqrt(dot(v, v))
}

// residual returns the norm of what sticks out of the span of v.
func (q *span) residual(v []float64) float64 {
	_, r := q.off(v)
	return r
}

// add takes v into the span, if more than a share tol of it sticks out, and reports that.
func (q *span) addAbove(v []float64, tol float64) bool {
	w, r := q.off(v)
	if !(r > tol*math.Sqrt(dot(v, v))) {
		return false
	}
	scale(w, r)
	q.basis = append(q.basis, w)
	return true
}

// add takes v into the span, unless it is there but for rounding.
func (q *span) add(v []float64) bool { return q.addAbove(v, 1e-12) }
