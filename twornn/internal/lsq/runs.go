package lsq

import "math"

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
	Stop    func() bool // asked at each run, and along long ones, whether to give up: sums are then +Inf; nil: never
	Folds   int         // parts that sums are kept of; zero: one
	Leave   int         // the fold that is left out, counted from 1; zero: none
	// Own > 0 lets each run begin at a start of its own, h₀ + δ on the states of which h₀ is free:
	// that of least Σe² + Own ‖δ‖² over the outputs that are not left out, which sums then
	// contain. The outputs are linear in δ, so that it is eliminated exactly.
	Own   float64
	Known *Known // if not nil, what Normal needs no pass for
	// Thin lets Normal sum JᵀJ over some of the rows, drawn by lot, and scale it, where there are more than enough
	// for that: the sum of squares and Jᵀe are still of all. Steps of a descent come out nearly the same.
	Thin bool
}

// enough is how many rows for each parameter give JᵀJ well enough for a step, to some eighth in any direction if rows are alike.
const enough = 64

// Known are the sums of each fold at a θ.
type Known struct {
	Theta []float64
	Sums  []Sums
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

// look is after how many steps of a run Stop is asked again.
const look = 1024

// stoppedAt is stopped, asked now and then along a run.
func (r *Runs) stoppedAt(t int) bool { return t%look == look-1 && r.stopped() }

// penalised returns the fold whose sums the squares of own starts are added to: not the one left out.
func (r *Runs) penalised() int {
	if r.Leave == 1 && r.Folds > 1 {
		return 1
	}
	return 0
}

// fold returns the fold of output i of the run.
func (r *Runs) fold(run Run, i int) int {
	if r.Folds <= 1 {
		return 0
	}
	return run.Fold[i]
}

// lost is the size of a state, beside those of order one, at which a run is given up.
const lost = 1e6

// live tells for each state a and input i, at a·d + i, whether the row a of A[i] is more than zeros:
// of a linear system most are not.
func (r *Runs) live(A []float64) []bool {
	out := make([]bool, r.N*r.D)
	for j := range out {
		for _, v := range A[j*r.N : (j+1)*r.N] {
			out[j] = out[j] || v != 0
		}
	}
	return out
}

// step sets next to Σ_i x_i A[i]ᵀ h and reports whether it is of any use.
func (r *Runs) step(next, h, x, A []float64, live []bool) bool {
	n, dn := r.N, r.D*r.N
	clear(next)
	for a, s := range h {
		if s == 0 {
			continue
		}
		for i, v := range x {
			if c := v * s; live[a*r.D+i] && c != 0 {
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
