package lsq

import (
	"github.com/twornn/spectral/twornn/internal/linalg"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// rowsOf gives the residuals of some rows and their derivatives.
type rowsOf interface {
	// rows returns how many rows there are, outputs how many times p equations each has.
	rows() int
	outputs() int
	// residuals sets the rows of e, and of J unless that is nil, to the residuals of rows
	// from to to and to the derivatives of ŷ (not of the residuals) by θ: for each row, each
	// step with an output, each of the p outputs. J comes cleared.
	residuals(w *work, m *laneRoom, from, to int, e, J []float64)
}

// laneRoom is what one lane works in.
type laneRoom struct {
	e, J, g, N    []float64
	turned        []float64 // J, transposed
	last, states  []float64 // of a factorBlock
	T, next       []float64
	h, M, beta, S []float64 // of a rowBlock
}

// work is what an evaluation at one θ needs: the parameters, and what all rows of a
// block share.
type work struct {
	Shape
	theta []float64
	AO    []blas64.General // AO[o] is d×n: row i is A[i] Ω_oᵀ
	As    blas64.General   // (d·n)×n: row (i,b), column a is A[i]_{ab}
	// alpha[t] is dᵗ×n: row u is h₀ᵀ A_{u₁} ⋯ A_{u_t}, up to the longest factor block.
	alpha [][]float64
}

// set works out what all blocks share at θ, with the states after words of up to longest
// letters; −1 for none.
func (w *work) set(s Shape, theta []float64, longest int) {
	w.Shape, w.theta = s, theta
	h0, A, Omega := w.Parts(theta)
	n, d := s.N, s.D
	w.As = blas64.General{Rows: d * n, Cols: n, Stride: n, Data: linalg.Sized(&w.As.Data, d*n*n)}
	for a := range n {
		for j, v := range A.Data[a*d*n : (a+1)*d*n] {
			w.As.Data[j*n+a] = v
		}
	}
	if len(w.AO) != s.P {
		w.AO = make([]blas64.General, s.P)
	}
	for o := range s.P {
		ao := blas64.General{Rows: d, Cols: n, Stride: n, Data: linalg.Sized(&w.AO[o].Data, d*n)}
		for i := range d {
			for b, v := range Omega.Data[o*n : (o+1)*n] {
				linalg.Axpy(v, w.As.Data[(i*n+b)*n:(i*n+b+1)*n], ao.Data[i*n:(i+1)*n])
			}
		}
		w.AO[o] = ao
	}
	if len(w.alpha) != longest+1 {
		w.alpha = make([][]float64, longest+1)
	}
	for t := range w.alpha {
		if t == 0 {
			copy(linalg.Sized(&w.alpha[0], n), h0)
			continue
		}
		last := w.alpha[t-1]
		rows := len(last) / n
		linalg.Sized(&w.alpha[t], rows*d*n) // row (u, i): the n-vectors of u times A, side by side
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1,
			blas64.General{Rows: rows, Cols: n, Stride: n, Data: last}, A, 0,
			blas64.General{Rows: rows, Cols: d * n, Stride: d * n, Data: w.alpha[t]})
	}
}
