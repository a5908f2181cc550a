package twornn

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// axpy adds a x to y.
func axpy(a float64, x, y []float64) {
	if a == 0 {
		return
	}
	y = y[:len(x)]
	for i, v := range x {
		y[i] += a * v
	}
}

func dot(a, b []float64) (s float64) {
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

func norm(a []float64) float64 { return mat.Norm(mat.NewVecDense(len(a), a), 2) }

// sized returns a slice of n zeros in place of *s, in its memory if that is enough.
func sized(s *[]float64, n int) []float64 {
	if cap(*s) < n {
		*s = make([]float64, n)
		return *s
	}
	*s = (*s)[:n]
	clear(*s)
	return *s
}

// pow returns d^l.
func pow(d, l int) int {
	r := 1
	for range l {
		r *= d
	}
	return r
}

func finiteVector(v *mat.VecDense) bool {
	for _, x := range v.RawVector().Data {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}

// relative returns √(sse/energy), the residual that Stats report.
func relative(sse, energy float64) float64 {
	if energy == 0 {
		return math.Sqrt(sse)
	}
	return math.Sqrt(sse / energy)
}

// kronecker sets dst to x₁⊗⋯⊗x_l, the x_t being rows of d numbers in x. With no
// rows dst is 1.
func kronecker(dst, x []float64, d int) {
	dst[0] = 1
	size := 1
	for ; len(x) > 0; x = x[d:] {
		// From the back, so that no entry is overwritten before it is used.
		for i := size - 1; i >= 0; i-- {
			v := dst[i]
			for j := d - 1; j >= 0; j-- {
				dst[i*d+j] = v * x[j]
			}
		}
		size *= d
	}
}
