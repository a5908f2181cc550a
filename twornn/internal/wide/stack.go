package wide

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/lsq"
)

// Data are sequences with the outputs that count.
type Data struct {
	D, P int
	Runs []lsq.Run
	M    int // outputs times p
}

// Add adds a sequence, if it has an output.
func (data *Data) Add(r lsq.Run) {
	if len(r.At) > 0 {
		data.Runs = append(data.Runs, r)
		data.M += len(r.At) * data.P
	}
}

// some returns every so manieth sequence, so that there are about so many outputs times p.
func (data *Data) some(outputs int) *Data {
	stride := data.M / max(outputs, 1)
	if stride < 2 {
		return data
	}
	sub := &Data{D: data.D, P: data.P}
	for i := 0; i < len(data.Runs); i += stride {
		sub.Add(data.Runs[i])
	}
	return sub
}

// energy returns Σ y².
func (data *Data) energy() (sum float64) {
	for _, r := range data.Runs {
		sum += linalg.Dot(r.Y, r.Y)
	}
	return sum
}

// lanes is into how many parts sums over the sequences are split, whatever the number of
// processors; chunk is how many steps are worked on at once.
const (
	lanes = 4
	chunk = 1024
)

// stack works out sums over all sequences. With the state before step t and what an output
// after step s owes to the state after step t,
//
//	M_t = Σ_i (x_t)_i A[i]   h_t = M_tᵀ h_{t−1}   B_{t,s} = Ω M_sᵀ … M_{t+1}ᵀ
//
// the derivative of that output by A[i] is (x_t)_i h_{t−1} B_{t,s}: so M_t for all steps is
// one product of X and the A[i] as vectors, and so is the gradient, of Xᵀ and h_{t−1} λ_tᵀ.
type stack struct {
	data *Data
	lsq.Shape
	rooms [lanes]room
}

// room is the memory of one lane, kept from pass to pass.
type room struct {
	x, M, dM, Z      []float64 // steps × d, n², n², n²
	h, dh, lambda, e []float64
	A, V             []float64 // d×n²: A[i] and the direction's, as rows
	g                []float64 // gradient, A as d×n²
	sse              float64
}

// rows returns A, n×(d·n) as θ has it, as d×n² with A[i] as row i.
func (s *stack) rows(dst *[]float64, A []float64) []float64 {
	n, d := s.N, s.D
	out := linalg.Sized(dst, d*n*n)
	for a := range n {
		for i := range d {
			copy(out[i*n*n+a*n:i*n*n+(a+1)*n], A[a*d*n+i*n:a*d*n+(i+1)*n])
		}
	}
	return out
}

// sum returns the sum of squares at θ and adds to g, if that is not nil, Jᵀe, or where a
// direction v is given JᵀJ v.
func (s *stack) sum(theta, v, g []float64) float64 {
	var wg sync.WaitGroup
	for lane := range lanes {
		wg.Go(func() {
			from, to := len(s.data.Runs)*lane/lanes, len(s.data.Runs)*(lane+1)/lanes
			s.lane(&s.rooms[lane], theta, v, g != nil, s.data.Runs[from:to])
		})
	}
	wg.Wait()
	sse := 0.0
	n, d := s.N, s.D
	for l := range s.rooms {
		r := &s.rooms[l]
		sse += r.sse
		if g == nil {
			continue
		}
		floats.Add(g[:n], r.g[:n])
		for a := range n {
			for i := range d {
				floats.Add(g[n+a*d*n+i*n:n+a*d*n+(i+1)*n], r.g[n+i*n*n+a*n:n+i*n*n+(a+1)*n])
			}
		}
		floats.Add(g[n+n*d*n:], r.g[n+n*d*n:])
	}
	if math.IsNaN(sse) {
		return math.Inf(1)
	}
	return sse
}

// lane is sum for some sequences, a chunk at a time.
func (s *stack) lane(r *room, theta, v []float64, derivatives bool, runs []lsq.Run) {
	n, d := s.N, s.D
	r.sse = 0
	s.rows(&r.A, theta[n:n+n*d*n])
	if v != nil {
		s.rows(&r.V, v[n:n+n*d*n])
	}
	if derivatives {
		linalg.Sized(&r.g, s.Dim())
	}
	for len(runs) > 0 {
		steps, k := 0, 0
		for ; k < len(runs) && (k == 0 || steps < chunk); k++ {
			steps += runs[k].Steps(d)
		}
		s.chunk(r, theta, v, derivatives, runs[:k], steps)
		runs = runs[k:]
	}
}

func general(rows, cols int, data []float64) blas64.General {
	return blas64.General{Rows: rows, Cols: cols, Stride: max(1, cols), Data: data}
}

// chunk adds the sequences of one chunk.
func (s *stack) chunk(r *room, theta, v []float64, derivatives bool, runs []lsq.Run, steps int) {
	n, d := s.N, s.D
	x := linalg.Sized(&r.x, steps*d)[:0]
	for _, run := range runs {
		x = append(x, run.X...)
	}
	X := general(steps, d, x)
	M, dM, Z := linalg.Sized(&r.M, steps*n*n), []float64(nil), []float64(nil)
	if steps > 0 {
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, X, general(d, n*n, r.A), 0, general(steps, n*n, M))
		if v != nil {
			dM = linalg.Sized(&r.dM, steps*n*n)
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, X, general(d, n*n, r.V), 0, general(steps, n*n, dM))
		}
	}
	if derivatives {
		Z = linalg.Sized(&r.Z, steps*n*n)
	}
	at := 0
	for _, run := range runs {
		k := run.Steps(d) * n * n
		var dm, z []float64
		if v != nil {
			dm = dM[at : at+k]
		}
		if derivatives {
			z = Z[at : at+k]
		}
		e := s.forward(r, theta, v, run, M[at:at+k], dm)
		if derivatives {
			s.back(r, theta, e, run, M[at:at+k], z)
		}
		at += k
	}
	if derivatives && steps > 0 {
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, X, general(steps, n*n, Z), 1, general(d, n*n, r.g[n:n+n*d*n]))
	}
}

// forward goes along one sequence with the state and, if v is not nil, its derivative along v. It
// returns the errors of the outputs, or their derivatives, and adds their squares.
func (s *stack) forward(r *room, theta, v []float64, run lsq.Run, M, dM []float64) (e []float64) {
	n, p, k := s.N, s.P, run.Steps(s.D)
	first := n + n*s.D*n
	Omega := theta[first:]
	h := linalg.Sized(&r.h, (k+1)*n)
	copy(h, theta[:n])
	for t := range k {
		turn(h[(t+1)*n:(t+2)*n], M[t*n*n:(t+1)*n*n], h[t*n:(t+1)*n])
	}
	dh := linalg.Sized(&r.dh, (k+1)*n)
	if v != nil {
		copy(dh, v[:n])
		for t := range k {
			next := dh[(t+1)*n : (t+2)*n]
			turn(next, M[t*n*n:(t+1)*n*n], dh[t*n:(t+1)*n])
			turn(next, dM[t*n*n:(t+1)*n*n], h[t*n:(t+1)*n])
		}
	}
	e = linalg.Sized(&r.e, len(run.At)*p)
	for i, t := range run.At {
		for o := range p {
			omega, state, w := Omega[o*n:(o+1)*n], h[t*n:(t+1)*n], 0.0
			if v == nil {
				w = run.Y[i*p+o] - linalg.Dot(omega, state)
			} else {
				w = linalg.Dot(omega, dh[t*n:(t+1)*n]) + linalg.Dot(v[first+o*n:first+(o+1)*n], state)
			}
			e[i*p+o] = w
			r.sse += w * w
		}
	}
	return e
}

// back goes back along the sequence that forward went, with λ_t = Σ_s B_{t,s}ᵀ e_s. It sets Z to
// h_{t−1} λ_tᵀ, and adds to the gradient by h₀ and Ω.
func (s *stack) back(r *room, theta, e []float64, run lsq.Run, M, Z []float64) {
	n, p, k := s.N, s.P, run.Steps(s.D)
	first := n + n*s.D*n
	Omega, h := theta[first:], r.h
	lambda := linalg.Sized(&r.lambda, 2*n)
	now, before := lambda[:n], lambda[n:]
	i := len(run.At) - 1
	for t := k; ; t-- {
		for ; i >= 0 && run.At[i] == t; i-- {
			for o := range p {
				w := e[i*p+o]
				linalg.Axpy(w, Omega[o*n:(o+1)*n], now)
				linalg.Axpy(w, h[t*n:(t+1)*n], r.g[first+o*n:first+(o+1)*n])
			}
		}
		if t == 0 {
			break
		}
		z, m := Z[(t-1)*n*n:t*n*n], M[(t-1)*n*n:t*n*n]
		for a := range n {
			linalg.Axpy(h[(t-1)*n+a], now, z[a*n:(a+1)*n])
			before[a] = linalg.Dot(m[a*n:(a+1)*n], now)
		}
		now, before = before, now
	}
	floats.Add(r.g[:n], now)
}

// turn adds Mᵀh to dst.
func turn(dst, M, h []float64) {
	n := len(h)
	for a, v := range h {
		linalg.Axpy(v, M[a*n:(a+1)*n], dst)
	}
}

// SSE returns the sum of squares at θ.
func (s *stack) SSE(theta []float64) float64 { return s.sum(theta, nil, nil) }

// Gradient sets g to Jᵀ(y − ŷ) and returns the sum of squares.
func (s *stack) Gradient(theta, g []float64) float64 {
	clear(g)
	return s.sum(theta, nil, g)
}

// Curvature sets dst to JᵀJ v, J being the derivatives of ŷ at θ.
func (s *stack) Curvature(theta, v, dst []float64) {
	clear(dst)
	s.sum(theta, v, dst)
}
