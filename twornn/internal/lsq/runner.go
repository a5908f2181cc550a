package lsq

import (
	"gonum.org/v1/gonum/floats"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// At returns the model at θ as a walk along a run, one at a time: it calls out with the number of
// each output of the run and its value, and state with every state, either of which may be
// nil, and reports whether the run came to its end.
func (r *Runs) At(theta []float64) func(run Run, state func(h []float64), out func(i int, y []float64)) bool {
	return newRunner(r, theta).each
}

// runner runs a model along runs, one after the other.
type runner struct {
	*Runs
	all        []float64 // parameters
	h, next, y []float64
	live       []bool    // rows of A that are more than zeros
	own        *ownStart // nil where runs begin at h₀
}

func newRunner(r *Runs, theta []float64) *runner {
	all := r.Pattern.Put(r.Base, theta)
	live := r.live(all[r.N : r.N+r.N*r.D*r.N])
	return &runner{r, all, make([]float64, r.N), make([]float64, r.N), make([]float64, r.P), live, newOwnStart(r, all)}
}

// begin sets the state to the start of the run, and returns the square that its own adds to the
// sum of squares. It reports whether the run came to its end.
func (r *runner) begin(run Run) (square float64, ok bool) {
	floats.ScaleTo(r.h, run.size(), r.all[:r.N])
	if r.own == nil {
		return 0, true
	}
	return r.own.find(run, r.h)
}

func (r *runner) each(run Run, state func(h []float64), out func(i int, y []float64)) bool {
	if _, ok := r.begin(run); !ok {
		return false
	}
	return r.along(run, state, out)
}

// along is each from the state at hand.
func (r *runner) along(run Run, state func(h []float64), out func(i int, y []float64)) bool {
	n, d := r.N, r.D
	A, Omega := r.all[n:n+n*d*n], r.all[n+n*d*n:]
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
		if !r.step(r.next, r.h, run.X[t*d:(t+1)*d], A, r.live) || r.stoppedAt(t) {
			return false
		}
		r.h, r.next = r.next, r.h
	}
}
