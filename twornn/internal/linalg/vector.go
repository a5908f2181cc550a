package linalg

import (
	"encoding/binary"
	"hash/fnv"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Axpy adds a x to y.
func Axpy(a float64, x, y []float64) {
	if a == 0 {
		return
	}
	y = y[:len(x)]
	for i, v := range x {
		y[i] += a * v
	}
}

// Dot returns Σ a_i b_i, in order.
func Dot(a, b []float64) (s float64) {
	for i, v := range a {
		s += v * b[i]
	}
	return s
}

// Norm returns ‖a‖, without overflow.
func Norm(a []float64) float64 { return mat.Norm(mat.NewVecDense(len(a), a), 2) }

// Sized returns a slice of n zeros in place of *s, in its memory if that is enough.
func Sized(s *[]float64, n int) []float64 {
	if cap(*s) < n {
		*s = make([]float64, n)
		return *s
	}
	*s = (*s)[:n]
	clear(*s)
	return *s
}

// Pow returns d^l.
func Pow(d, l int) int {
	r := 1
	for range l {
		r *= d
	}
	return r
}

// FiniteVector reports whether all entries of v are finite.
func FiniteVector(v *mat.VecDense) bool {
	for _, x := range v.RawVector().Data {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return false
		}
	}
	return true
}

// Relative returns √(sse/energy), the relative residual; √sse if there is no energy.
func Relative(sse, energy float64) float64 {
	if energy == 0 {
		return math.Sqrt(sse)
	}
	return math.Sqrt(sse / energy)
}

// Kronecker sets dst to x₁⊗⋯⊗x_l, the x_t being rows of d numbers in x. With no
// rows dst is 1.
func Kronecker(dst, x []float64, d int) {
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

// Digest returns a number that tells vectors, one after the other, from others.
func Digest(all ...[]float64) uint64 {
	h := fnv.New64a()
	var b [8]byte
	for _, x := range all {
		for _, v := range x {
			binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
			h.Write(b[:])
		}
	}
	return h.Sum64()
}
