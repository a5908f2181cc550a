package lsq

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// ownStart finds the start of a run: with j_i the derivative of an output by δ and e_i its error
// from h₀,
//
//	δ = (Σ j_i j_iᵀ + Own I)⁻¹ Σ e_i j_i
type ownStart struct {
	*Runs
	all    []float64 // parameters
	states []int     // that have starts of their own
	h, g   []float64
	j      []float64
	M      []float64 // n×n: Σ_i x_i A[i]
	next   []float64
	Phi, T []float64 // n×m: the derivatives of the state by δ, and those of the next
	N      *mat.SymDense
}

// newOwnStart returns it, nil where all runs begin at h₀.
func newOwnStart(r *Runs, all []float64) *ownStart {
	if r.Own == 0 {
		return nil
	}
	s := &ownStart{Runs: r, all: all}
	for _, i := range r.Pattern.Free {
		if i < r.N {
			s.states = append(s.states, i)
		}
	}
	if len(s.states) == 0 {
		return nil
	}
	n, m := r.N, len(s.states)
	s.h, s.next, s.M = make([]float64, n), make([]float64, n), make([]float64, n*n)
	s.g, s.j = make([]float64, m), make([]float64, m)
	s.Phi, s.T = make([]float64, n*m), make([]float64, n*m)
	s.N = mat.NewSymDense(m, nil)
	return s
}

// find adds δ to the start h of a run, and returns Own ‖δ‖² and whether the run came to its end.
func (s *ownStart) find(run Run, h []float64) (square float64, ok bool) {
	if !s.gather(run, h) {
		return 0, false
	}
	m := len(s.states)
	for a := range m {
		s.N.SetSym(a, a, s.N.At(a, a)+s.Own)
	}
	R, ok := linalg.Cholesky(s.N)
	if !ok || !linalg.SolveCholesky(R, mat.NewDense(m, 1, s.g)) {
		return 0, false
	}
	for a, i := range s.states {
		v := s.g[a]
		h[i] += v
		square += s.Own * v * v
	}
	return square, true
}

// gather sums up j jᵀ and e j along the run from h, the fold that is left out apart.
func (s *ownStart) gather(run Run, h []float64) bool {
	n, d, m := s.Runs.N, s.D, len(s.states)
	A, Omega := s.all[n:n+n*d*n], s.all[n+n*d*n:]
	copy(s.h, h)
	s.N.Zero()
	clear(s.g)
	clear(s.Phi)
	for a, i := range s.states {
		s.Phi[i*m+a] = 1
	}
	j, at, raw := s.j, 0, s.N.RawSymmetric()
	for t, steps := 0, run.Steps(d); ; t++ {
		for ; at < len(run.At) && run.At[at] == t; at++ {
			if s.Leave > 0 && s.fold(run, at) == s.Leave-1 {
				continue
			}
			for o := range s.P {
				omega := Omega[o*n : (o+1)*n]
				clear(j)
				for a, v := range omega {
					floats.AddScaled(j, v, s.Phi[a*m:(a+1)*m])
				}
				floats.AddScaled(s.g, run.Y[at*s.P+o]-linalg.Dot(omega, s.h), j)
				for a, v := range j {
					floats.AddScaled(raw.Data[a*raw.Stride+a:a*raw.Stride+m], v, j[a:])
				}
			}
		}
		if t == steps || at == len(run.At) {
			return true
		}
		clear(s.M)
		clear(s.T)
		clear(s.next)
		for a, h := range s.h {
			M := s.M[a*n : (a+1)*n]
			for i, v := range run.X[t*d : (t+1)*d] {
				if v != 0 {
					linalg.Axpy(v, A[a*d*n+i*n:a*d*n+(i+1)*n], M)
				}
			}
			linalg.Axpy(h, M, s.next)
			for b, v := range M {
				if v != 0 {
					floats.AddScaled(s.T[b*m:(b+1)*m], v, s.Phi[a*m:(a+1)*m])
				}
			}
		}
		s.h, s.next, s.Phi, s.T = s.next, s.h, s.T, s.Phi
		for _, v := range s.h {
			if !(math.Abs(v) < lost) {
				return false
			}
		}
		if s.stoppedAt(t) {
			return false
		}
	}
}

// ownSums gather what the starts take of JᵀJ: of each run, with J_δ its columns of h₀,
//
//	JᵀJ_δ (J_δᵀJ_δ + Own I)⁻¹ J_δᵀJ
//
// so that a step of the parameters takes the starts along.
type ownSums struct {
	own   float64
	m, k  int
	C     *mat.Dense // J_δᵀJ of the run at hand, m×k: the columns of h₀ come first
	taken []float64  // k×k
}

func newOwnSums(s *ownStart, k int) *ownSums {
	m := len(s.states)
	return &ownSums{s.Own, m, k, mat.NewDense(m, k, nil), make([]float64, k*k)}
}

func (s *ownSums) begin() { s.C.Zero() }

// add adds the row of J of an output.
func (s *ownSums) add(row []float64) {
	for a, v := range row[:s.m] {
		if v != 0 {
			floats.AddScaled(s.C.RawRowView(a), v, row)
		}
	}
}

// end takes the run at hand in.
func (s *ownSums) end() {
	W := mat.NewSymDense(s.m, nil)
	for a := range s.m {
		for b := a; b < s.m; b++ {
			W.SetSym(a, b, s.C.At(a, b))
		}
		W.SetSym(a, a, W.At(a, a)+s.own)
	}
	var K mat.Dense
	X := mat.DenseCopyOf(s.C)
	R, ok := linalg.Cholesky(W)
	if !ok || !linalg.SolveCholesky(R, X) {
		return // a step is then as if this start stood still
	}
	K.Mul(s.C.T(), X)
	floats.Add(s.taken, K.RawMatrix().Data)
}
