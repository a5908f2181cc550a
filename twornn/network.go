package twornn

import (
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// network is a 2-RNN as gradient descent sees it: one vector θ of parameters, and the
// squared error with its exact gradient for batches of sequences, which run through
// the network side by side in matrix products.
//
// θ holds h₀, then A as the n×(d·n) matrix of all A[i] side by side, then Ω.
type network struct {
	n, d, p int
	z       Activation
	theta   []float64
}

func newNetwork(m *NonLinear) network {
	n, d, p := m.Model.Dims()
	w := network{n: n, d: d, p: p, z: m.Activation}
	w.theta = append(w.theta, m.Model.h0()...)
	for a := range n {
		for _, A := range m.Model.A {
			w.theta = append(w.theta, A.RawRowView(a)...)
		}
	}
	for j := range p {
		w.theta = append(w.theta, m.Model.Omega.RawRowView(j)...)
	}
	return w
}

// parts returns h₀, A and Ω within θ, or within a gradient of its shape.
func (w network) parts(theta []float64) (h0 []float64, A, Omega blas64.General) {
	n, dn := w.n, w.d*w.n
	return theta[:n],
		blas64.General{Rows: n, Cols: dn, Stride: dn, Data: theta[n : n+n*dn]},
		blas64.General{Rows: w.p, Cols: n, Stride: n, Data: theta[n+n*dn:]}
}

func (w network) model() *Model {
	m := NewModel(w.n, w.d, w.p)
	h0, A, Omega := w.parts(w.theta)
	copy(m.H0.RawVector().Data, h0)
	for i, a := range m.A {
		for r := range w.n {
			copy(a.RawRowView(r), A.Data[r*A.Stride+i*w.n:r*A.Stride+(i+1)*w.n])
		}
	}
	for j := range w.p {
		copy(m.Omega.RawRowView(j), Omega.Data[j*w.n:(j+1)*w.n])
	}
	return m
}

// loss returns Σ‖y − ŷ‖² over all outputs that the sequences give, and adds its
// gradient to grad unless that is nil.
func (w network) loss(batch []Sequence, grad []float64) (sse float64) {
	// Sequences of one shape go together, in the order in which shapes first occur.
	type shape struct{ steps, rows int }
	groups := map[shape][]Sequence{}
	var shapes []shape
	for _, s := range batch {
		rows, _ := s.Y.Dims()
		k := shape{s.Len(), rows}
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

// lossOf is loss for B sequences of one shape.
func (w network) lossOf(batch []Sequence, steps, rows int, grad []float64) (sse float64) {
	B, n, d, p := len(batch), w.n, w.d, w.p
	h0, A, Omega := w.parts(w.theta)
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
				h[j] = w.z.of(v)
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
	gh0, gA, gOmega := w.parts(grad)
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
				g[j] *= w.z.slope(u[j], h[j])
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
