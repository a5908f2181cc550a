package lsq

import (
	"slices"

	"github.com/twornn/spectral/twornn/internal/moments"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Network is a 2-RNN as gradient descent sees it: one vector θ of parameters, and the
// squared error with its exact gradient for batches of sequences, which run through
// the network side by side in matrix products.
type Network struct {
	Shape
	Theta []float64
	// The function of the states, z = Of(u), and its derivative Slope(u, z).
	Of    func(u float64) float64
	Slope func(u, z float64) float64
}

// Loss returns Σ‖y − ŷ‖² over all outputs that the sequences give, and adds its
// gradient to grad unless that is nil.
func (w Network) Loss(batch []moments.Example, grad []float64) (sse float64) {
	// Sequences of one shape go together, in the order in which shapes first occur.
	type shape struct{ steps, rows int }
	groups := map[shape][]moments.Example{}
	var shapes []shape
	for _, s := range batch {
		rows, _ := s.Y.Dims()
		k := shape{s.Steps(), rows}
		if groups[k] == nil {
			shapes = append(shapes, k)
		}
		groups[k] = append(groups[k], s)
	}
	for _, k := range shapes {
		for part := range slices.Chunk(groups[k], 256) {
			sse += w.lossOf(part, k.steps, k.rows, grad)
		}
	}
	return sse
}

// lossOf is Loss for B sequences of one shape.
func (w Network) lossOf(batch []moments.Example, steps, rows int, grad []float64) (sse float64) {
	B, n, d, p := len(batch), w.N, w.D, w.P
	h0, A, Omega := w.Parts(w.Theta)
	matrix := func(r, c int) blas64.General {
		return blas64.General{Rows: r, Cols: c, Stride: c, Data: make([]float64, r*c)}
	}
	// H[t] is B×n: the states after t steps; U[t] what went into the activation.
	H, U := make([]blas64.General, steps+1), make([]blas64.General, steps+1)
	H[0] = matrix(B, n)
	for b := range B {
		copy(H[0].Data[b*n:], h0)
	}
	Z := matrix(B, d*n) // h A[i] for every i
	for t := 1; t <= steps; t++ {
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, H[t-1], A, 0, Z)
		H[t], U[t] = matrix(B, n), matrix(B, n)
		for b, s := range batch {
			u, h := U[t].Data[b*n:(b+1)*n], H[t].Data[b*n:(b+1)*n]
			for i, x := range s.X.RawRowView(t - 1) {
				if x == 0 {
					continue
				}
				for j, v := range Z.Data[(b*d+i)*n : (b*d+i+1)*n] {
					u[j] += x * v
				}
			}
			for j, v := range u {
				h[j] = w.Of(v)
			}
		}
	}
	E := make([]blas64.General, steps+1) // ŷ − y after each step that has an output
	first := steps - rows + 1
	for t := first; t <= steps; t++ {
		E[t] = matrix(B, p)
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, H[t], Omega, 0, E[t])
		for b, s := range batch {
			e := E[t].Data[b*p : (b+1)*p]
			for j, y := range s.Y.RawRowView(t - first) {
				e[j] -= y
				sse += e[j] * e[j]
			}
		}
	}
	if grad == nil {
		return sse
	}
	gh0, gA, gOmega := w.Parts(grad)
	dH, dZ := matrix(B, n), matrix(B, d*n)
	for t := steps; t >= 0; t-- {
		if t >= first {
			blas64.Gemm(blas.Trans, blas.NoTrans, 2, E[t], H[t], 1, gOmega)
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 2, E[t], Omega, 1, dH)
		}
		if t == 0 {
			break
		}
		for b, s := range batch {
			u, h, g := U[t].Data[b*n:(b+1)*n], H[t].Data[b*n:(b+1)*n], dH.Data[b*n:(b+1)*n]
			for j := range g {
				g[j] *= w.Slope(u[j], h[j])
			}
			for i, x := range s.X.RawRowView(t - 1) {
				dst := dZ.Data[(b*d+i)*n : (b*d+i+1)*n]
				for j, v := range g {
					dst[j] = x * v
				}
			}
		}
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, H[t-1], dZ, 1, gA)
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, dZ, A, 0, dH)
	}
	for b := range B {
		for j, v := range dH.Data[b*n : (b+1)*n] {
			gh0[j] += v
		}
	}
	return sse
}
