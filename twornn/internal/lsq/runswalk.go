package lsq

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// walker goes along runs with the state, its derivatives, and the rows of J that wait to
// be summed.
type walker struct {
	r       *Runs
	all     []float64 // parameters
	col     []int     // of J, for each parameter
	k, ka   int       // free parameters; those of h₀ and A, which come first
	h, next []float64 // n: the state, and the next
	S, T    []float64 // n×ka: its derivatives, and those of the next
	M       []float64 // n×n: Σ_i x_i A[i]
	sums    []Sums    // of each fold
	lost    bool      // a run grew without bound
	live    []bool    // rows of A that are more than zeros, or free
	start   *runner   // finds the starts of the runs
	own     *ownSums  // of runs with starts of their own; nil for others

	batch  batch      // rows being gathered
	ready  chan batch // full ones, on their way to be summed
	spare  chan batch // summed ones, to be used again
	summed chan bool
}

// batch is some rows of J and e of one fold.
type batch struct {
	fold, rows int
	J, e       []float64
}

const batchRows = 128

func newWalker(r *Runs, all []float64, col []int) *walker {
	n, k := r.N, r.Dim()
	w := &walker{r: r, all: all, col: col, k: k, sums: make([]Sums, r.folds()),
		ready: make(chan batch), spare: make(chan batch, 1), summed: make(chan bool)}
	for _, i := range r.Pattern.Free {
		if i < n+n*r.D*n {
			w.ka++
		}
	}
	w.h, w.next, w.M = make([]float64, n), make([]float64, n), make([]float64, n*n)
	w.S, w.T = make([]float64, n*w.ka), make([]float64, n*w.ka)
	for f := range w.sums {
		w.sums[f].G, w.sums[f].N = make([]float64, k), make([]float64, k*k)
	}
	w.batch = batch{J: make([]float64, batchRows*k), e: make([]float64, batchRows)}
	w.live = r.live(all[n : n+n*r.D*n])
	for j := range w.live {
		w.live[j] = w.live[j] || slices.Max(col[n+j*n:n+(j+1)*n]) >= 0
	}
	w.start = &runner{r, all, w.h, w.next, nil, w.live, newOwnStart(r, all)}
	if w.start.own != nil {
		w.own = newOwnSums(w.start.own, k)
	}
	w.spare <- batch{J: make([]float64, batchRows*k), e: make([]float64, batchRows)}
	// While the walk goes on another processor sums up, always in the same order.
	go func() {
		var turned []float64
		for b := range w.ready {
			s := &w.sums[b.fold]
			for i, e := range b.e[:b.rows] {
				floats.AddScaled(s.G, e, b.J[i*k:(i+1)*k])
			}
			linalg.AddGram(s.N, b.J[:b.rows*k], k, &turned)
			w.spare <- b
		}
		w.summed <- true
	}()
	return w
}

// end returns the sums when all rows are in.
func (w *walker) end() []Sums {
	w.flush()
	close(w.ready)
	<-w.summed
	if w.own != nil {
		floats.Sub(w.sums[w.r.penalised()].N, w.own.taken)
	}
	if w.lost {
		for f := range w.sums {
			w.sums[f].SSE = math.Inf(1)
		}
	}
	return w.sums
}

// flush sends the rows gathered on to be summed.
func (w *walker) flush() {
	if w.batch.rows > 0 {
		w.ready <- w.batch
		w.batch = <-w.spare
		w.batch.rows = 0
	}
}

// walk adds the outputs along one run.
func (w *walker) walk(run Run) {
	n, d := w.r.N, w.r.D
	w.start.h = w.h
	square, ok := w.start.begin(run)
	if w.lost = w.lost || !ok; w.lost {
		return
	}
	w.sums[w.r.penalised()].SSE += square
	clear(w.S)
	for a := range n {
		if c := w.col[a]; c >= 0 {
			w.S[a*w.ka+c] = run.size()
		}
	}
	if w.own != nil {
		w.own.begin()
		defer w.own.end()
	}
	at, steps := 0, run.Steps(d)
	for t := 0; ; t++ {
		for ; at < len(run.At) && run.At[at] == t; at++ {
			if f := w.r.fold(run, at); f != w.r.Leave-1 {
				w.output(f, run.Y[at*w.r.P:(at+1)*w.r.P])
			}
		}
		if t == steps || at == len(run.At) {
			return
		}
		if w.step(run.X[t*d : (t+1)*d]); w.lost || w.r.stoppedAt(t) {
			w.lost = true
			return
		}
	}
}

// step goes one step on: S_t = Mᵀ S_{t−1}, to whose row b is added x_i h_{t−1,a} in the
// column of A[i]_{ab}.
func (w *walker) step(x []float64) {
	n, ka, dn := w.r.N, w.ka, w.r.D*w.r.N
	A := w.all[n : n+n*dn]
	clear(w.M)
	clear(w.next)
	clear(w.T)
	for a, s := range w.h {
		M := w.M[a*n : (a+1)*n]
		for i, v := range x {
			if v == 0 || !w.live[a*w.r.D+i] {
				continue
			}
			linalg.Axpy(v, A[a*dn+i*n:a*dn+(i+1)*n], M)
			if v *= s; v != 0 {
				for b, c := range w.col[n+a*dn+i*n : n+a*dn+(i+1)*n] {
					if c >= 0 {
						w.T[b*ka+c] += v
					}
				}
			}
		}
		S := w.S[a*ka : (a+1)*ka]
		for b, m := range M {
			if m != 0 {
				w.next[b] += m * s
				floats.AddScaled(w.T[b*ka:(b+1)*ka], m, S)
			}
		}
	}
	w.h, w.next, w.S, w.T = w.next, w.h, w.T, w.S
	for _, v := range w.h {
		w.lost = w.lost || !(math.Abs(v) < lost)
	}
}

// output adds the p rows of an output.
func (w *walker) output(fold int, y []float64) {
	n, ka, k := w.r.N, w.ka, w.k
	first := n + n*w.r.D*n
	if w.batch.fold != fold {
		w.flush()
		w.batch.fold = fold
	}
	s := &w.sums[fold]
	for o, v := range y {
		if w.batch.rows == batchRows {
			w.flush()
			w.batch.fold = fold
		}
		omega := w.all[first+o*n : first+(o+1)*n]
		row := w.batch.J[w.batch.rows*k : (w.batch.rows+1)*k]
		clear(row)
		for a, v := range omega {
			if v != 0 {
				floats.AddScaled(row[:ka], v, w.S[a*ka:(a+1)*ka])
			}
			if c := w.col[first+o*n+a]; c >= 0 {
				row[c] = w.h[a]
			}
		}
		if w.own != nil {
			w.own.add(row)
		}
		e := v - linalg.Dot(omega, w.h)
		w.batch.e[w.batch.rows] = e
		w.batch.rows++
		s.M++
		s.SSE += e * e
	}
}
