package main

import (
	"math"

	"github.com/twornn/spectral/twornn"
	"gonum.org/v1/gonum/mat"
)

// ridge is the simple rival: the outputs after t steps by regression on the inputs of the last
// three of them and, where wanted, a constant, a regression of its own for each t up to three.
// The weight is that of least generalised cross-validation, for inputs of unit variance.
type ridge struct {
	constant bool
	d, p     int
	by       map[int]*mat.Dense // coefficients by min(t, 3)
	use      map[int][]bool     // which features moved in training, or are the constant
}

const lags = 3

func (g *ridge) features(x mat.Matrix, t int) []float64 {
	l := min(t, lags)
	out := make([]float64, 0, 1+l*g.d)
	if g.constant {
		out = append(out, 1)
	}
	for j := range l {
		for i := range g.d {
			out = append(out, x.At(t-1-j, i))
		}
	}
	return out
}

// fitRidge fits it to the data.
func fitRidge(data []twornn.Sequence, d, p int, constant bool) *ridge {
	g := &ridge{constant: constant, d: d, p: p, by: map[int]*mat.Dense{}, use: map[int][]bool{}}
	rows, outs := map[int][][]float64{}, map[int][][]float64{}
	for _, s := range data {
		each(s, func(t int, y []float64) {
			l := min(t, lags)
			rows[l] = append(rows[l], g.features(s.X, t))
			outs[l] = append(outs[l], y)
		})
	}
	for l, X := range rows {
		g.by[l], g.use[l] = solve(X, outs[l], constant)
	}
	return g
}

// each calls f with every output and the step after which it stands.
func each(s twornn.Sequence, f func(t int, y []float64)) {
	k := s.Len()
	if rows, _ := s.Y.Dims(); rows == 1 {
		f(k, s.Y.RawRowView(0))
		return
	}
	for t := range k {
		f(t+1, s.Y.RawRowView(t))
	}
}

// solve returns the coefficients, 0 for features that are not used.
func solve(X, Y [][]float64, constant bool) (*mat.Dense, []bool) {
	n, k, p := len(X), len(X[0]), len(Y[0])
	mean, size, use := scaling(X, constant)
	offset := make([]float64, p)
	A, B := mat.NewDense(n, k, nil), mat.NewDense(n, p, nil)
	for i := range n {
		for o := range p {
			if constant {
				offset[o] += Y[i][o] / float64(n)
			}
		}
	}
	for i := range n {
		for j := range k {
			if use[j] {
				A.Set(i, j, (X[i][j]-mean[j])/size[j])
			}
		}
		for o := range p {
			B.Set(i, o, Y[i][o]-offset[o])
		}
	}
	H := shrunk(A, B, constant)
	for j := range k {
		for o := range p {
			if !use[j] {
				H.Set(j, o, 0)
				continue
			}
			H.Set(j, o, H.At(j, o)/size[j])
			offset[o] -= mean[j] * H.At(j, o)
		}
	}
	if constant {
		for o := range p {
			H.Set(0, o, offset[o]) // feature 0 is 1, and does not move
		}
		use[0] = true
	}
	return H, use
}

// scaling returns the mean of each feature, or 0 where no constant takes it up, its size about
// that, and whether it moves.
func scaling(X [][]float64, constant bool) (mean, size []float64, use []bool) {
	n, k := len(X), len(X[0])
	mean, size, use = make([]float64, k), make([]float64, k), make([]bool, k)
	for j := range k {
		var s, q float64
		for _, x := range X {
			s += x[j] / float64(n)
		}
		for _, x := range X {
			q += sq(x[j]-s) / float64(n)
		}
		if mean[j] = s; !constant {
			q += s * s
			mean[j] = 0
		}
		size[j] = math.Sqrt(q)
		use[j] = size[j] > 1e-10*math.Abs(s)
	}
	return mean, size, use
}

// shrunk returns the coefficients of B on A, of each output with a weight of its own.
func shrunk(A, B *mat.Dense, constant bool) *mat.Dense {
	_, k := A.Dims()
	_, p := B.Dims()
	H := mat.NewDense(k, p, nil)
	var svd mat.SVD
	if !svd.Factorize(A, mat.SVDThin) {
		return H
	}
	var U, V mat.Dense
	svd.UTo(&U)
	svd.VTo(&V)
	for o := range p {
		H.SetCol(o, oneRidge(&U, &V, svd.Values(nil), mat.Col(nil, o, B), constant))
	}
	return H
}

// oneRidge returns the coefficients of one output with the weight of least generalised
// cross-validation.
func oneRidge(U, V *mat.Dense, s, b []float64, constant bool) []float64 {
	n, r := U.Dims()
	k, _ := V.Dims()
	z := make([]float64, r)
	energy := 0.0
	for i, v := range b {
		energy += v * v
		for j := range r {
			z[j] += U.At(i, j) * v
		}
	}
	best, least := make([]float64, k), math.Inf(1)
	for e := -12.0; e <= 3; e++ {
		lambda, sse, trace := math.Pow(10, e)*float64(n), energy, 0.0
		if constant {
			trace = 1
		}
		h := make([]float64, k)
		for j := range r {
			f := s[j] * s[j] / (s[j]*s[j] + lambda)
			trace += f
			sse -= z[j] * z[j] * (1 - (1-f)*(1-f))
			if s[j] > 0 {
				for i := range k {
					h[i] += V.At(i, j) * f * z[j] / s[j]
				}
			}
		}
		if free := float64(n) - trace; free > 0.5 {
			if score := max(sse, 1e-20*energy) / (free * free); score < least {
				best, least = h, score
			}
		}
	}
	return best
}

// Predict implements twornn.Predictor.
func (g *ridge) Predict(dst []float64, x mat.Matrix) []float64 {
	if dst == nil {
		dst = make([]float64, g.p)
	}
	clear(dst)
	t, _ := x.Dims()
	H := g.by[min(t, lags)]
	if H == nil {
		return dst
	}
	for j, v := range g.features(x, t) {
		for o := range dst {
			dst[o] += v * H.At(j, o)
		}
	}
	return dst
}
