package affine

import (
	"gonum.org/v1/gonum/mat"
)

// mostProducts is up to how many products of input and state are regressed on.
const mostProducts = 400

// WithReadout returns a linear system with products of the last input and the state before it in
// its outputs,
//
//	y_t = C s_t + c + Σ_i (u_t)_i D_i s_{t−1}
//
// found by ridge regression with the weight of least generalised cross-validation. It is a
// system with interactions, of p states more, that come of products alone and lead nowhere but
// to the outputs. It returns nil if the products are too many, or not to be had.
func (s *System) WithReadout(data *Data) *System {
	n, m, u := s.N, s.States(), s.D-1
	if m*u == 0 || m*u > mostProducts {
		return nil
	}
	k := n + m*u
	XX, XY := mat.NewSymDense(k, nil), mat.NewDense(k, s.P, nil)
	YY, rows := 0.0, 0.0
	ok := s.products(data, func(x, e []float64) {
		rows++
		XX.SymRankOne(XX, 1, mat.NewVecDense(k, x))
		for o, v := range e {
			YY += v * v
			for i, w := range x {
				XY.Set(i, o, XY.At(i, o)+v*w)
			}
		}
	})
	if !ok {
		return nil
	}
	B, dof, sse := ridgeGCV(XX, XY, YY, rows)
	if B == nil {
		return nil
	}
	g := s.readout(B)
	g.SSE, g.Known = sse, s.Known+(dof-float64(n))*float64(s.P)
	g.Noise = sse / max(float64(data.M)-g.Known, 1)
	g.Normalise(data)
	return g
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

// readout returns the system with the coefficients B of (s_t, u_t ⊗ s_{t−1}) added to its outputs.
func (s *System) readout(B *mat.Dense) *System {
	n, m := s.N, s.States()
	g := NewSystem(m+s.P, s.D, s.P)
	g.Products, g.Tau = true, s.Tau
	g.Lambda, g.Noise = s.Tau*s.Noise, s.Noise
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
			*g.out(o, b) = *s.out(o, b) + B.At(b, o)
		}
		*g.out(o, n+o) = 1
		for j := range s.D - 1 {
			for a := range m {
				*g.at(1+j, 1+a, n+o) = B.At(n+j*m+a, o)
			}
		}
	}
	return g
}
