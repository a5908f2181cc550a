package twornn

import (
	"math"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"gonum.org/v1/gonum/mat"
)

// normalized returns a with its columns brought to norm one, and the norms (1 for a
// column of zeros).
func normalized(a *mat.Dense) (*mat.Dense, []float64) {
	r, c := a.Dims()
	norms := make([]float64, c)
	for j := range norms {
		if norms[j] = mat.Norm(a.ColView(j), 2); norms[j] == 0 {
			norms[j] = 1
		}
	}
	out := mat.NewDense(r, c, nil)
	for i := range r {
		row := out.RawRowView(i)
		for j, v := range a.RawRowView(i) {
			row[j] = v / norms[j]
		}
	}
	return out, norms
}

// root returns L with L Lᵀ = a, for a symmetric a without negative eigenvalues but for
// rounding; nil if a is not finite.
func root(a *mat.Dense) *mat.Dense {
	n, _ := a.Dims()
	s := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			v := (a.At(i, j) + a.At(j, i)) / 2
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil
			}
			s.SetSym(i, j, v)
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(s, true) {
		return nil
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	for j, e := range eig.Values(nil) {
		f := math.Sqrt(max(e, 0))
		for i := range n {
			v.Set(i, j, f*v.At(i, j))
		}
	}
	return &v
}

// triangular returns a up to a rotation of its rows: a itself if it is not taller
// than wide, else its triangular factor. It overwrites a.
func triangular(a *mat.Dense) *mat.Dense {
	r, c := a.Dims()
	if r <= c {
		return a
	}
	linalg.R(a)
	return mat.DenseCopyOf(a.Slice(0, c, 0, c))
}

// stack returns the rows of both up to a rotation. Either may be nil.
func stack(a, b *mat.Dense) *mat.Dense {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	var s mat.Dense
	s.Stack(a, b)
	return triangular(&s)
}

// pinv returns the Moore-Penrose pseudo-inverse.
func pinv(a *mat.Dense) (*mat.Dense, error) {
	r, _ := a.Dims()
	eye := mat.NewDense(r, r, nil)
	for i := range r {
		eye.Set(i, i, 1)
	}
	x, _, _, err := linalg.LeastSquares(a, eye, 0)
	return x, err
}
