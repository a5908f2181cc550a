package lsq

import (
	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/moments"
)

// rowBlock is rows as they came: sequences of l steps with outputs after some of them.
type rowBlock struct {
	l, d, p, n int
	at         []int     // the steps with an output, ascending
	x, y       []float64 // l·d and len(at)·p numbers a sequence
}

func newRowBlock(m *moments.Length) *rowBlock {
	b := &rowBlock{l: m.L, d: m.D, p: m.P, n: m.N(), at: []int{m.L}}
	b.x, b.y = m.Raw()
	return b
}

func (b *rowBlock) rows() int    { return b.n }
func (b *rowBlock) outputs() int { return len(b.at) }

// residuals runs each sequence forth for the states. For one output it then runs back for
// the derivatives: with β_l = ω and β_{t−1} = Σ_i (x_t)_i A[i] β_t, that by A[i] is
// Σ_t (x_t)_i h_{t−1} β_tᵀ. For outputs at several steps it takes those of the states along.
func (b *rowBlock) residuals(w *work, own *laneRoom, from, to int, e, J []float64) {
	n, d, p, l, k := w.N, w.D, w.P, b.l, len(w.theta)
	h0, _, Omega := w.Parts(w.theta)
	H := linalg.Sized(&own.h, (l+1)*n)
	M := linalg.Sized(&own.M, l*n*n) // M[t] = Σ_i x_i A[i]
	beta := linalg.Sized(&own.beta, 2*n)
	ka := n + n*d*n
	var S []float64 // ∂h_t/∂(h₀, A), n rows of n+n·dn, for two t
	alone := len(b.at) == 1 && b.at[0] == l
	if J != nil && !alone {
		S = linalg.Sized(&own.S, 2*n*ka)
	}
	copy(H, h0)
	for r := from; r < to; r++ {
		x := b.x[r*l*d : (r+1)*l*d]
		b.states(w, x, H, M)
		eq := (r - from) * len(b.at) * p // the first equation
		for s, t := range b.at {
			h := H[t*n : (t+1)*n]
			for o := range p {
				i := eq + s*p + o
				e[i] = b.y[(r*len(b.at)+s)*p+o] - linalg.Dot(Omega.Data[o*n:(o+1)*n], h)
				if J != nil {
					copy(J[i*k+ka+o*n:], h)
				}
			}
		}
		switch {
		case J == nil:
		case !alone:
			b.forward(w, x, H, M, S[:n*ka], S[n*ka:], J[eq*k:])
		default:
			for o := range p {
				b.back(w, x, H, M, beta, o, J[(eq+o)*k:(eq+o+1)*k])
			}
		}
	}
}

// states sets M[t] to Σ_i (x_t)_i A[i], n×n, and H[t+1] to M[t]ᵀ H[t], for every step.
func (b *rowBlock) states(w *work, x, H, M []float64) {
	n, d := w.N, w.D
	_, A, _ := w.Parts(w.theta)
	dn := d * n
	clear(M)
	for t := range b.l {
		for i, v := range x[t*d : (t+1)*d] {
			if v == 0 {
				continue
			}
			for a := range n {
				linalg.Axpy(v, A.Data[a*dn+i*n:a*dn+(i+1)*n], M[(t*n+a)*n:(t*n+a+1)*n])
			}
		}
		h := H[(t+1)*n : (t+2)*n]
		clear(h)
		for a, v := range H[t*n : (t+1)*n] {
			linalg.Axpy(v, M[(t*n+a)*n:(t*n+a+1)*n], h)
		}
	}
}

// back sets the derivatives by h₀ and A of output o after the last step of one sequence in
// row; room is 2n numbers.
func (b *rowBlock) back(w *work, x, H, M, room []float64, o int, row []float64) {
	n, d := w.N, w.D
	_, _, Omega := w.Parts(w.theta)
	dn := d * n
	beta, before := room[:n], room[n:]
	copy(beta, Omega.Data[o*n:(o+1)*n])
	for t := b.l - 1; t >= 0; t-- {
		h := H[t*n : (t+1)*n]
		for j, v := range x[t*d : (t+1)*d] {
			if v == 0 {
				continue
			}
			for a, s := range h {
				linalg.Axpy(s*v, beta, row[n+a*dn+j*n:n+a*dn+(j+1)*n])
			}
		}
		for a := range n {
			before[a] = linalg.Dot(M[(t*n+a)*n:(t*n+a+1)*n], beta)
		}
		beta, before = before, beta
	}
	copy(row[:n], beta)
}

// Derivatives returns the p×k derivatives by θ of the output after the last of the inputs x,
// d numbers a step.
func (s Shape) Derivatives(theta, x []float64) []float64 {
	b := &rowBlock{l: len(x) / s.D, d: s.D, p: s.P, n: 1, at: []int{len(x) / s.D}, x: x, y: make([]float64, s.P)}
	J := make([]float64, s.P*s.Dim())
	b.residuals(&work{Shape: s, theta: theta}, new(laneRoom), 0, 1, make([]float64, s.P), J)
	return J
}

// forward sets the derivatives by h₀ and A of the outputs along one
// sequence: with S_t = ∂h_t/∂(h₀, A),
//
//	S_t = M_tᵀ S_{t−1},  to whose row b is added (x_t)_i h_{t−1,a} at A[i]_{ab}.
func (b *rowBlock) forward(w *work, x, H, M, S, next, J []float64) {
	n, d, p, k := w.N, w.D, w.P, len(w.theta)
	_, _, Omega := w.Parts(w.theta)
	dn := d * n
	ka := n + n*dn
	clear(S)
	for a := range n {
		S[a*ka+a] = 1
	}
	s := 0
	for t := 0; ; t++ {
		if s < len(b.at) && b.at[s] == t {
			for o := range p {
				row := J[(s*p+o)*k : (s*p+o)*k+ka]
				for a, v := range Omega.Data[o*n : (o+1)*n] {
					linalg.Axpy(v, S[a*ka:(a+1)*ka], row)
				}
			}
			s++
		}
		if t == b.l || s == len(b.at) {
			return
		}
		clear(next)
		for a := range n {
			for c, v := range M[(t*n+a)*n : (t*n+a+1)*n] {
				linalg.Axpy(v, S[a*ka:(a+1)*ka], next[c*ka:(c+1)*ka])
			}
		}
		for i, v := range x[t*d : (t+1)*d] {
			for a, h := range H[t*n : (t+1)*n] {
				for c := range n {
					next[c*ka+n+a*dn+i*n+c] += v * h
				}
			}
		}
		S, next = next, S
	}
}
