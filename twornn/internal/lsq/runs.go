package lsq

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// Run is a stretch of inputs, of any length, with the outputs measured along it.
type Run struct {
	X    []float64 // k×d
	Y    []float64 // p numbers for each of At
	At   []int     // after which step each output stands, ascending; 0 is before the first
	Fold []int     // of each output, where sums are kept by fold
	Size float64   // the run begins at Size times h₀; zero: 1
}

// size returns what h₀ is multiplied by.
func (r Run) size() float64 {
	if r.Size == 0 {
		return 1
	}
	return r.Size
}

// Steps returns the number of steps k.
func (r Run) Steps(d int) int { return len(r.X) / d }

// Runs are the residuals of a 2-RNN along runs of any length,
//
//	h_t = Σ_i (x_t)_i A[i]ᵀ h_{t−1}   e = y − Ω h_t   after the steps with an output,
//
// with exact derivatives by the free parameters. Nothing is kept of a run beyond its
// data: the derivatives of the state, S_t = ∂h_t/∂θ, go along with it, and those of the
// outputs go into JᵀJ a hundred rows at a time. A pass with k free parameters costs
// O(n² k) a step and O(k²) an output.
type Runs struct {
	Shape
	Data    []Run
	Pattern Pattern
	Base    []float64   // all parameters; those that are not free stay as here
	Rest    float64     // a sum of squares that no θ changes, added to that of the runs
	Stop    func() bool // asked at each run whether to give up: sums are then +Inf; nil: never
	Folds   int         // parts that sums are kept of; zero: one
	Leave   int         // the fold that is left out, counted from 1; zero: none
}

// Sums are the sums over the rows of one fold.
type Sums struct {
	M   int // outputs times p
	SSE float64
	G   []float64 // Jᵀe
	N   []float64 // JᵀJ, its upper triangle
}

// Dim returns the number of free parameters.
func (r *Runs) Dim() int { return len(r.Pattern.Free) }

func (r *Runs) folds() int { return max(1, r.Folds) }

// stopped reports whether to give up.
func (r *Runs) stopped() bool { return r.Stop != nil && r.Stop() }

// fold returns the fold of output i of the run.
func (r *Runs) fold(run Run, i int) int {
	if r.Folds <= 1 {
		return 0
	}
	return run.Fold[i]
}

// lost is the size of a state, beside those of order one, at which a run is given up.
const lost = 1e6

// step sets next to Σ_i x_i A[i]ᵀ h and reports whether it is of any use.
func (r *Runs) step(next, h, x, A []float64) bool {
	n, dn := r.N, r.D*r.N
	clear(next)
	for a, s := range h {
		if s == 0 {
			continue
		}
		for i, v := range x {
			if c := v * s; c != 0 {
				for b, w := range A[a*dn+i*n : a*dn+(i+1)*n] {
					next[b] += c * w
				}
			}
		}
	}
	for _, v := range next {
		if !(math.Abs(v) < lost) {
			return false
		}
	}
	return true
}

// Each calls out with the number of each output of the run and its value at θ, and state
// with every state, either of which may be nil. It reports whether the run came to its end.
func (r *Runs) Each(theta []float64, run Run, state func(h []float64), out func(i int, y []float64)) bool {
	return newRunner(r, theta).each(run, state, out)
}

// runner runs a model along runs, one after the other.
type runner struct {
	*Runs
	all        []float64 // parameters
	h, next, y []float64
}

func newRunner(r *Runs, theta []float64) *runner {
	return &runner{r, r.Pattern.Put(r.Base, theta), make([]float64, r.N), make([]float64, r.N), make([]float64, r.P)}
}

func (r *runner) each(run Run, state func(h []float64), out func(i int, y []float64)) bool {
	n, d := r.N, r.D
	A, Omega := r.all[n:n+n*d*n], r.all[n+n*d*n:]
	floats.ScaleTo(r.h, run.size(), r.all[:n])
	at, steps := 0, run.Steps(d)
	for t := 0; ; t++ {
		if state != nil {
			state(r.h)
		}
		for ; at < len(run.At) && run.At[at] == t && out != nil; at++ {
			for o := range r.y {
				r.y[o] = linalg.Dot(Omega[o*n:(o+1)*n], r.h)
			}
			out(at, r.y)
		}
		if t == steps || state == nil && at == len(run.At) {
			return true
		}
		if !r.step(r.next, r.h, run.X[t*d:(t+1)*d], A) {
			return false
		}
		r.h, r.next = r.next, r.h
	}
}
