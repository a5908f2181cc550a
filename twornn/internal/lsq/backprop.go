package lsq

import (
	"fmt"
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
	groups := map[string][]moments.Example{}
	var shapes []string
	for _, s := range batch {
		rows, _ := s.Y.Dims()
		k := fmt.Sprint(s.Steps(), rows, s.At)
		if groups[k] == nil {
			shapes = append(shapes, k)
		}
		groups[k] = append(groups[k], s)
	}
	for _, k := range shapes {
		for part := range slices.Chunk(groups[k], 256) {
			sse += w.lossOf(part, grad)
		}
	}
	return sse
}

// pass is one run of B sequences of one shape through a network, and back.
type pass struct {
	Network
	batch   []moments.Example
	steps   int
	row     []int            // of Y, by step; −1 without an output
	H, U, E []blas64.General // by step, B rows each: states, what went into the activation, ŷ − y
}

// matrix returns r×c zeros.
func matrix(r, c int) blas64.General {
	return blas64.General{Rows: r, Cols: c, Stride: c, Data: make([]float64, r*c)}
}

// lossOf is Loss for B sequences of one shape.
func (w Network) lossOf(batch []moments.Example, grad []float64) float64 {
	r := pass{Network: w, batch: batch, steps: batch[0].Steps()}
	r.row = make([]int, r.steps+1)
	for t := range r.row {
		r.row[t] = -1
	}
	for i, t := range batch[0].After() {
		r.row[t] = i
	}
	r.forward()
	sse := r.errors()
	if grad != nil {
		r.back(grad)
	}
	return sse
}

// forward works out the states.
func (r *pass) forward() {
	B, n, d := len(r.batch), r.N, r.D
	h0, A, _ := r.Parts(r.Theta)
	r.H, r.U = make([]blas64.General, r.steps+1), make([]blas64.General, r.steps+1)
	r.H[0] = matrix(B, n)
	for b := range B {
		copy(r.H[0].Data[b*n:], h0)
	}
	Z := matrix(B, d*n) // h A[i] for every i
	for t := 1; t <= r.steps; t++ {
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, r.H[t-1], A, 0, Z)
		r.H[t], r.U[t] = matrix(B, n), matrix(B, n)
		for b, s := range r.batch {
			u, h := r.U[t].Data[b*n:(b+1)*n], r.H[t].Data[b*n:(b+1)*n]
			for i, x := range s.X.RawRowView(t - 1) {
				if x == 0 {
					continue
				}
				for j, v := range Z.Data[(b*d+i)*n : (b*d+i+1)*n] {
					u[j] += x * v
				}
			}
			for j, v := range u {
				h[j] = r.Of(v)
			}
		}
	}
}

// errors works out ŷ − y after each step that has an output, and their sum of squares.
func (r *pass) errors() (sse float64) {
	B, p := len(r.batch), r.P
	_, _, Omega := r.Parts(r.Theta)
	r.E = make([]blas64.General, r.steps+1)
	for t, row := range r.row {
		if row < 0 {
			continue
		}
		r.E[t] = matrix(B, p)
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, r.H[t], Omega, 0, r.E[t])
		for b, s := range r.batch {
			e := r.E[t].Data[b*p : (b+1)*p]
			for j, y := range s.Y.RawRowView(row) {
				e[j] -= y
				sse += e[j] * e[j]
			}
		}
	}
	return sse
}

// back adds the gradient.
func (r *pass) back(grad []float64) {
	B, n, d := len(r.batch), r.N, r.D
	_, A, Omega := r.Parts(r.Theta)
	gh0, gA, gOmega := r.Parts(grad)
	dH, dZ := matrix(B, n), matrix(B, d*n)
	for t := r.steps; t >= 0; t-- {
		if r.row[t] >= 0 {
			blas64.Gemm(blas.Trans, blas.NoTrans, 2, r.E[t], r.H[t], 1, gOmega)
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 2, r.E[t], Omega, 1, dH)
		}
		if t == 0 {
			break
		}
		for b, s := range r.batch {
			u, h, g := r.U[t].Data[b*n:(b+1)*n], r.H[t].Data[b*n:(b+1)*n], dH.Data[b*n:(b+1)*n]
			for j := range g {
				g[j] *= r.Slope(u[j], h[j])
			}
			for i, x := range s.X.RawRowView(t - 1) {
				dst := dZ.Data[(b*d+i)*n : (b*d+i+1)*n]
				for j, v := range g {
					dst[j] = x * v
				}
			}
		}
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, r.H[t-1], dZ, 1, gA)
		blas64.Gemm(blas.NoTrans, blas.Trans, 1, dZ, A, 0, dH)
	}
	for b := range B {
		for j, v := range dH.Data[b*n : (b+1)*n] {
			gh0[j] += v
		}
	}
}
