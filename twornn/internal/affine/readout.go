package affine

import (
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/lsq"
)

// mostProducts is up to how many products of input and state are regressed on.
const mostProducts = 400

// readouts tell, for every weight of a ridge, the linear system with products of the last input and the
// state before it in its outputs,
//
//	y_t = C s_t + c + Σ_i (u_t)_i D_i s_{t−1}
//
// The weight is on D alone. With X the states and Z the products over all outputs, z = Z less what
// X tells of it, and E the errors of the linear system less what X tells of them,
//
//	D = (zᵀz + λ)⁻¹ zᵀE   and C, c change by (XᵀX)⁻¹ Xᵀ(E − Z D)
type readouts struct {
	s      *System
	rows   float64
	values []float64 // eigenvalues of zᵀz
	V      mat.Dense // its eigenvectors
	VzE    mat.Dense // Vᵀ zᵀE
	back   mat.Dense // (XᵀX)⁻¹ XᵀE, and then (XᵀX)⁻¹ XᵀZ
	EE     float64   // ‖E‖²
}

// newReadouts returns those of a linear system, nil if the products are too many or not to be had.
func newReadouts(s *System, data *Data) *readouts {
	n, m, u := s.N, s.States(), s.D-1
	if m*u == 0 || m*u > mostProducts {
		return nil
	}
	k := m * u
	g := &readouts{s: s}
	sums := newGram(n + s.P + k)
	row := make([]float64, n+s.P+k)
	ok := s.products(data, func(x, e []float64) {
		g.rows++
		copy(row, x[:n])
		copy(row[n:], e)
		copy(row[n+s.P:], x[n:])
		sums.add(row)
	})
	if !ok || g.rows == 0 {
		return nil
	}
	XX, XEZ, _ := sums.split(n)
	for a := range n {
		XX.SetSym(a, a, XX.At(a, a)*(1+1e-9)+1e-12*g.rows)
	}
	var ch mat.Cholesky
	if !ch.Factorize(XX) || ch.SolveTo(&g.back, XEZ) != nil && !linalg.IsFinite(&g.back) {
		return nil
	}
	rest := sums.rest(n)
	var told mat.Dense
	told.Mul(XEZ.T(), &g.back)
	for a := range s.P + k {
		for b := a; b < s.P+k; b++ {
			rest.SetSym(a, b, rest.At(a, b)-told.At(a, b))
		}
	}
	for o := range s.P {
		g.EE += rest.At(o, o)
	}
	var eig mat.EigenSym
	if !eig.Factorize(rest.SliceSym(s.P, s.P+k), true) {
		return nil
	}
	g.values = eig.Values(nil)
	eig.VectorsTo(&g.V)
	zE := mat.NewDense(k, s.P, nil)
	for i := range k {
		for o := range s.P {
			zE.Set(i, o, rest.At(o, s.P+i))
		}
	}
	g.VzE.Mul(g.V.T(), zE)
	return g
}

// with returns the system for the weight λ = weight × rows. It has interactions, and p states
// more, that come of products alone and lead nowhere but to the outputs.
func (g *readouts) with(weight float64, data *Data) *System {
	n, p, lambda := g.s.N, g.s.P, weight*g.rows
	k := len(g.values)
	R := mat.NewDense(k, p, nil)
	known, sse := 0.0, g.EE
	for i, v := range g.values {
		v = max(v, 0)
		known += v / (v + lambda)
		for o := range p {
			z := g.VzE.At(i, o)
			c := z / (v + lambda)
			R.Set(i, o, c)
			sse += v*c*c - 2*c*z
		}
	}
	var D mat.Dense
	D.Mul(&g.V, R)
	C := mat.DenseCopyOf(g.back.Slice(0, n, 0, p))
	var less mat.Dense
	less.Mul(g.back.Slice(0, n, p, p+k), &D)
	C.Sub(C, &less)
	q := g.s.readout(C, &D)
	q.SSE, q.Known = max(sse, 0), g.s.Known+known*float64(p)
	q.Noise = q.SSE / max(float64(data.M)-q.Known, 1)
	q.Ended = lsq.Converged // as the regression tells it
	return q
}

// products calls add with (s_t, u_t ⊗ s_{t−1}), the constant state among s_t, and the error of the
// output after each step t > 0 that has one.
func (s *System) products(data *Data, add func(x, e []float64)) bool {
	n, m, u := s.N, s.States(), s.D-1
	x, e := make([]float64, n+m*u), make([]float64, s.P)
	before, now := make([]float64, n), make([]float64, n)
	r := s.runs(data)
	along := r.At(r.Pattern.Take(s.Theta))
	for _, run := range data.Runs {
		t := -1
		ok := along(run, func(h []float64) {
			t++
			copy(before, now)
			copy(now, h)
		}, func(i int, y []float64) {
			if t == 0 {
				return
			}
			copy(x, now)
			for j, v := range run.X[(t-1)*s.D+1 : t*s.D] {
				for a := range m {
					x[n+j*m+a] = v * before[1+a]
				}
			}
			for o := range e {
				e[o] = run.Y[i*s.P+o] - y[o]
			}
			add(x, e)
		})
		if !ok {
			return false
		}
	}
	return true
}

// readout returns the system with C added to what the states give to the outputs, and D what the
// products u_t ⊗ s_{t−1} do.
func (s *System) readout(C, D *mat.Dense) *System {
	n, m := s.N, s.States()
	g := NewSystem(m+s.P, s.D, s.P)
	g.Products, g.Tau = true, s.Tau
	g.Lambda = s.Tau * s.Noise
	copy(g.Theta, s.Theta[:n])
	for i := range s.D {
		for a := range n {
			for b := range n {
				*g.at(i, a, b) = *s.at(i, a, b)
			}
		}
	}
	for o := range s.P {
		for b := range n {
			*g.out(o, b) = *s.out(o, b) + C.At(b, o)
		}
		*g.out(o, n+o) = 1
		for j := range s.D - 1 {
			for a := range m {
				*g.at(1+j, 1+a, n+o) = D.At(j*m+a, o)
			}
		}
	}
	return g
}
