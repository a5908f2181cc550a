package affine

import (
	"math"
	"math/cmplx"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/lsq"
)

// System is a 2-RNN with states (1, s): all parameters (h₀, A, Ω), A being n×(d·n).
type System struct {
	N, D, P  int // states with the constant one, inputs, outputs
	Theta    []float64
	Products bool    // whether any N_i is free
	Lambda   float64 // weight of N_i² beside the squared errors
	Noise    float64 // variance of what is left
	Tau      float64 // how many errors in a row count as one
	SSE      float64
	Known    float64   // how many parameters the data determine
	Folds    []float64 // mean squared error on each part of the data by a fit to the others

	Iterations int        // of the last fit
	Ended      lsq.Status // of its last round
}

// NewSystem returns the system with m states beside the constant one, all zero.
func NewSystem(m, d, p int) *System {
	n := m + 1
	s := &System{N: n, D: d, P: p, Theta: make([]float64, n+n*d*n+p*n), Noise: 1, Tau: 1}
	s.Theta[0] = 1
	*s.at(0, 0, 0) = 1
	return s
}

// at returns A[i]_{ab}: what goes from state a by input i into state b.
func (s *System) at(i, a, b int) *float64 { return &s.Theta[s.N+a*s.D*s.N+i*s.N+b] }

// out returns Ω_{ob}.
func (s *System) out(o, b int) *float64 { return &s.Theta[s.N+s.N*s.D*s.N+o*s.N+b] }

// States returns the number of states beside the constant one.
func (s *System) States() int { return s.N - 1 }

func (s *System) clone() *System {
	c := *s
	c.Theta = append([]float64(nil), s.Theta...)
	c.Folds = nil
	return &c
}

// runs returns the residuals of the system on the data, with the interactions free or not.
func (s *System) runs(data *Data) *lsq.Runs {
	r := &lsq.Runs{Shape: lsq.Shape{N: s.N, D: s.D, P: s.P}, Data: data.Runs, Rest: data.Rest, Stop: data.Stop, Base: s.Theta,
		Pattern: lsq.Affine(s.N, s.D, s.P, s.Products)}
	if data.Own {
		r.Own = s.Tau * s.Noise // in normal form a state has variance 1
	}
	return r
}

// errorOn returns the mean squared error on a part that was left out (see Without).
func (s *System) errorOn(held *Data) float64 {
	r := s.runs(held)
	theta := r.Pattern.Take(s.Theta)
	if !held.Own {
		return r.SSE(theta) / float64(held.M)
	}
	r.Folds, r.Leave = 2, 2
	return r.Errors(theta)[1] / float64(held.M)
}

// moments returns E h hᵀ over all steps of the data, false if the system is of no use there.
func (s *System) moments(data *Data) (*mat.SymDense, bool) {
	n := s.N
	C := mat.NewSymDense(n, nil)
	raw := C.RawSymmetric()
	r := s.runs(data)
	along := r.At(r.Pattern.Take(s.Theta))
	for _, run := range data.Runs {
		ok := along(run, func(h []float64) {
			for a, v := range h {
				for b := a; b < n; b++ {
					raw.Data[a*raw.Stride+b] += v * h[b]
				}
			}
		}, nil)
		if !ok {
			return nil, false
		}
	}
	C.ScaleSym(1/C.At(0, 0), C) // the constant state counts the steps
	return C, true
}

// Normalise changes the basis of s so that over the data E s = 0 and E s sᵀ = I, which
// leaves what the system computes as it is. A state that does not move keeps its size.
func (s *System) Normalise(data *Data) bool {
	C, ok := s.moments(data)
	if !ok {
		return false
	}
	for a := 1; a < s.N; a++ {
		if v := C.At(a, a); v > 0 {
			C.SetSym(a, a, v*(1+1e-9))
		} else {
			C.SetSym(a, a, 1)
		}
	}
	var ch mat.Cholesky
	if !ch.Factorize(C) {
		return true // two states move as one: the fit goes on as it is
	}
	var L, T mat.TriDense
	ch.LTo(&L)
	if T.InverseTri(&L) != nil {
		return true
	}
	s.change(mat.DenseCopyOf(&T), mat.DenseCopyOf(&L))
	return true
}

// change writes the system in the states T h, L being T⁻¹:
//
//	h₀ → T h₀   A[i] → Lᵀ A[i] Tᵀ   Ω → Ω L
func (s *System) change(T, L *mat.Dense) {
	n, d := s.N, s.D
	h := mat.NewVecDense(n, slices.Clone(s.Theta[:n]))
	mat.NewVecDense(n, s.Theta[:n]).MulVec(T, h)
	A, B := mat.NewDense(n, d*n, s.Theta[n:n+n*d*n]), new(mat.Dense)
	B.Mul(L.T(), A)
	for i := range d {
		to := A.Slice(0, n, i*n, (i+1)*n).(*mat.Dense)
		to.Mul(B.Slice(0, n, i*n, (i+1)*n), T.T())
		for a := range n {
			to.Set(a, 0, 0)
		}
	}
	s.Theta[0], *s.at(0, 0, 0) = 1, 1 // exactly
	O := s.Theta[n+n*d*n:]
	mat.NewDense(s.P, n, O).Mul(mat.NewDense(s.P, n, slices.Clone(O)), L)
}

// changes returns the directions in which a change of basis moves the free parameters, a row
// each: those of (I + ε e_r e_cᵀ) h for every state r but the constant one, and
// every c,
//
//	δh₀ = e_r h₀_c   δA[i] = A[i] e_c e_rᵀ − e_c e_rᵀ A[i]   δΩ = −Ω e_r e_cᵀ
func (s *System) changes(q lsq.Pattern) *mat.Dense {
	n := s.N
	T := mat.NewDense((n-1)*n, len(q.Free), nil)
	d := &System{N: n, D: s.D, P: s.P, Theta: make([]float64, len(s.Theta))}
	for r := 1; r < n; r++ {
		for c := range n {
			clear(d.Theta)
			d.Theta[r] = s.Theta[c]
			for i := range s.D {
				for a := range n {
					*d.at(i, a, r) += *s.at(i, a, c)
				}
				for b := range n {
					*d.at(i, c, b) -= *s.at(i, r, b)
				}
			}
			for o := range s.P {
				*d.out(o, c) = -*s.out(o, r)
			}
			row := T.RawRowView((r-1)*n + c)
			for j, i := range q.Free {
				row[j] = d.Theta[i]
			}
		}
	}
	return T
}

// Range returns the largest absolute output along the run, +Inf if it is lost.
func (s *System) Range(data *Data, run lsq.Run) (most float64) {
	r := s.runs(data)
	r.Own = 0 // there are no outputs to tell the start
	run.At, run.Y, run.Fold = nil, nil, nil
	steps := run.Steps(s.D)
	for t := range steps {
		run.At = append(run.At, t+1)
	}
	ok := r.At(r.Pattern.Take(s.Theta))(run, nil, func(_ int, y []float64) {
		for _, v := range y {
			most = max(most, math.Abs(v))
		}
	})
	if !ok {
		return math.Inf(1)
	}
	return most
}

// limit returns the bound on the eigenvalues of F of a linear system: e^{−5/T}, so that what a
// state holds decays to a hundredth over the longest run, T steps, and can tell nothing of its
// start at the end; of many short runs one. Where states may grow it is what data.Grows says, and along few runs with
// interactions, whose part in the decay F does not show, there is none.
func (s *System) limit(data *Data) float64 {
	switch {
	case s.Products && !data.many():
		return math.Inf(1)
	case data.Grows > 0:
		return data.pace()
	case data.many():
		return 1
	}
	return math.Exp(-5 / float64(data.longest()))
}

// keepTo scales F so that it has no eigenvalue beyond the limit, and reports whether it had.
func (s *System) keepTo(limit float64) bool {
	r := s.Radius()
	if !(r > limit) {
		return false
	}
	for a := 1; a < s.N; a++ {
		for b := 1; b < s.N; b++ {
			*s.at(0, a, b) *= limit / r
		}
	}
	return true
}

// Damped returns the system with all that goes into its states, but for the constant one, scaled by f: with
// f of zero its outputs are c after every step.
func (s *System) Damped(f float64) *System {
	g := s.clone()
	for i := range s.D {
		for a := range s.N {
			for b := 1; b < s.N; b++ {
				*g.at(i, a, b) *= f
			}
		}
	}
	return g
}

// bounded reports whether no state grows by itself, or where it may by no more than that.
func (s *System) bounded(data *Data) bool {
	if data.Grows > 0 {
		return s.Radius() <= data.pace()*(1+1e-12)
	}
	return s.Radius() < 1
}

// Radius returns the largest absolute eigenvalue of F: from 1 on a state grows by itself, by
// little over the data perhaps, where its start is fitted, and without bound after them.
func (s *System) Radius() (most float64) {
	m := s.States()
	F := mat.NewDense(m, m, nil)
	for a := range m {
		for b := range m {
			F.Set(a, b, *s.at(0, 1+a, 1+b))
		}
	}
	var eig mat.Eigen
	if !eig.Factorize(F, mat.EigenNone) {
		return math.Inf(1)
	}
	for _, v := range eig.Values(nil) {
		most = max(most, cmplx.Abs(v))
	}
	return most
}
