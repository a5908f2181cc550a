package lsq

import (
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/moments"
)

// factorBlock is a length in compressed form.
type factorBlock struct {
	l    int
	R, B *mat.Dense // m×d^l and m×p
	// What least squares without a model leaves, and its degrees of freedom.
	pure, dof float64
	upper     bool // R is upper triangular
	// See leastSum.
	once  sync.Once
	least float64
	tails [][]float64
}

func newFactorBlock(m *moments.Length, R, B *mat.Dense) *factorBlock {
	rows, c := R.Dims()
	b := &factorBlock{l: m.L, R: R, B: B, upper: linalg.IsUpper(R)}
	if rows > c {
		// The last p rows of the triangular factor of [R B] are what is left, rotated.
		ab := mat.NewDense(rows, c+m.P, nil)
		ab.Slice(0, rows, 0, c).(*mat.Dense).Copy(R)
		ab.Slice(0, rows, c, c+m.P).(*mat.Dense).Copy(B)
		linalg.R(ab)
		for i := c; i < rows; i++ {
			for _, v := range ab.RawRowView(i)[c:] {
				b.pure += v * v
			}
		}
		b.dof = float64((m.N() - c) * m.P)
	}
	return b
}

func (b *factorBlock) rows() int    { r, _ := b.R.Dims(); return r }
func (b *factorBlock) outputs() int { return 1 }

// residuals goes from the last letter to the first. With the row ρ of R as a tensor of l
// letters, and ω = Ω_oᵀ,
//
//	T_t(u) = Σ_v ρ(uv) A_v ω   for words u of t letters, v of the l−t others
//
// is n numbers a word, and T_{t−1}(u) = Σ_i A[i] T_t(ui). Then ŷ_o = h₀ᵀ T_0, which by h₀
// has the derivative T_0, and by A[i]
//
//	Σ_t Σ_u (h₀ᵀ A_u)ᵀ T_t(ui)ᵀ   over words u of t−1 letters.
//
// As R is triangular, words before the first row's number add nothing: they are left out.
func (b *factorBlock) residuals(w *work, own *laneRoom, from, to int, e, J []float64) {
	n, d, p, l := w.N, w.D, w.P, b.l
	k := len(w.theta)
	dn := d * n
	_, A, Omega := w.Parts(w.theta)
	m := to - from
	// last is (a, i) ↦ Σ_u (h₀ᵀA_u)_a ρ(ui); states is Σ_w ρ(w) h₀ᵀA_w, so that ŷ = Ω states.
	last, states := linalg.Sized(&own.last, m*dn), linalg.Sized(&own.states, m*n)
	for i := range m {
		rho, h := b.row(from+i), states[i*n:(i+1)*n]
		if l == 0 {
			linalg.Axpy(rho[0], w.alpha[0], h)
		} else {
			dst := last[i*dn : (i+1)*dn] // n×d
			for u := b.first(from+i) / d; u < len(rho)/d; u++ {
				for a, v := range w.alpha[l-1][u*n : (u+1)*n] {
					linalg.Axpy(v, rho[u*d:(u+1)*d], dst[a*d:(a+1)*d])
				}
			}
			for a := range n {
				for j := range d {
					linalg.Axpy(dst[a*d+j], A.Data[a*dn+j*n:a*dn+(j+1)*n], h)
				}
			}
		}
		y := b.B.RawRowView(from + i)
		for o := range p {
			e[i*p+o] = y[o] - linalg.Dot(Omega.Data[o*n:(o+1)*n], h)
		}
	}
	if J == nil {
		return
	}
	for o := range p {
		omega := Omega.Data[o*n : (o+1)*n]
		for i := range m {
			row := J[(i*p+o)*k : (i*p+o+1)*k]
			copy(row[n+n*dn+o*n:], states[i*n:(i+1)*n])
			if l == 0 {
				linalg.Axpy(b.row(from + i)[0], omega, row[:n])
				continue
			}
			for a := range n {
				for j := range d {
					linalg.Axpy(last[i*dn+a*d+j], omega, row[n+a*dn+j*n:n+a*dn+(j+1)*n])
				}
			}
			copy(row[:n], b.back(w, own, from+i, o, row[n:n+n*dn]))
		}
	}
}

// back adds the terms of t < l to the derivative dA of output o in a row of R by A, and
// returns that by h₀. l is 1 at least.
func (b *factorBlock) back(w *work, own *laneRoom, i, o int, dA []float64) []float64 {
	n, d, l := w.N, w.D, b.l
	rho := b.row(i)
	// T is of the words from the u-th on, a multiple of d but at the end; those before are
	// zero.
	u := b.first(i) / d
	if l > 1 {
		u -= u % d
	}
	T, next := &own.T, &own.next
	linalg.Sized(T, (len(rho)/d-u)*n)
	for v := max(u, b.first(i)/d); v < len(rho)/d; v++ {
		dst := (*T)[(v-u)*n : (v-u+1)*n]
		for j, x := range rho[v*d : (v+1)*d] {
			linalg.Axpy(x, w.AO[o].Data[j*n:(j+1)*n], dst)
		}
	}
	for t := l - 1; t >= 1; t-- {
		// By words of t−1 letters, from the first that has one among those of T on.
		first, words := u/d, len(w.alpha[t-1])/n
		start := first
		if t > 1 {
			start -= first % d
		}
		linalg.Sized(next, (words-start)*n)
		w.fold(*T, w.alpha[t-1][first*n:], dA, (*next)[(first-start)*n:])
		u, T, next = start, next, T
	}
	return *T
}

// fold adds Σ_u α_uᵀ T_u to dA, n×dn, for words u with rows α_u of n and T_u of dn numbers,
// and sets row u of next to T_u As.
func (w *work) fold(T, alpha, dA, next []float64) {
	n, dn := w.N, w.D*w.N
	words := len(T) / dn
	// Below so many words gonum's calls cost more than they save.
	const many = 6
	if words < many {
		for u := range words {
			tu := T[u*dn : (u+1)*dn]
			for a, x := range alpha[u*n : (u+1)*n] {
				linalg.Axpy(x, tu, dA[a*dn:(a+1)*dn])
			}
			dst := next[u*n : (u+1)*n]
			for c, x := range tu {
				linalg.Axpy(x, w.As.Data[c*n:(c+1)*n], dst)
			}
		}
		return
	}
	_, A, _ := w.Parts(w.theta) // As, transposed
	t := blas64.General{Rows: words, Cols: dn, Stride: dn, Data: T}
	for a := range n {
		blas64.Gemv(blas.Trans, 1, t, blas64.Vector{N: words, Inc: n, Data: alpha[a:]}, 1, blas64.Vector{N: dn, Inc: 1, Data: dA[a*dn:]})
		blas64.Gemv(blas.NoTrans, 1, t, blas64.Vector{N: dn, Inc: 1, Data: A.Data[a*dn:]}, 0, blas64.Vector{N: words, Inc: n, Data: next[a:]})
	}
}

// row returns a row of R.
func (b *factorBlock) row(i int) []float64 { return b.R.RawRowView(i) }

// first returns the first column of a row of R that may not be zero.
func (b *factorBlock) first(i int) int {
	if !b.upper {
		return 0
	}
	_, c := b.R.Dims()
	return min(i, c-1)
}
