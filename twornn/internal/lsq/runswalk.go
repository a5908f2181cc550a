package lsq

import (
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// walker goes along runs with the state, its derivatives, and the rows of J that wait to
// be summed.
type walker struct {
	r       *Runs
	apart   bool      // sums are kept by fold
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
	lot     *lot      // draws the rows for JᵀJ; nil: all of them

	batch  *batch      // rows being gathered
	ready  chan *batch // full ones, on their way to be summed; nil until there is one
	spare  chan *batch // summed ones, to be used again
	summed chan bool
}

// batch is some rows of J and e of one fold.
type batch struct {
	fold, rows int
	J, e       []float64
	turned     []float64 // room to sum them in
}

const batchRows = 128

// lot draws the rows for JᵀJ: those that tell of a parameter what few others do, as those at the start of a run
// tell h₀, and of the rest one of so many, always the same ones.
type lot struct {
	of     int
	rnd    *rand.PCG
	told   []float64 // Σ J² of each parameter so far
	passed []float64 // Jᵀe of the rows passed over
}

// draw scales the row and its error so that the drawn ones stand for all in JᵀJ and the row alone in Jᵀe, or, if it
// is passed over, adds it to that.
func (l *lot) draw(row []float64, e *float64) bool {
	tells := false
	for j, v := range row {
		v *= v
		tells = tells || enough*v > l.told[j]
		l.told[j] += v
	}
	if tells {
		return true
	}
	if l.rnd.Uint64()%uint64(l.of) != 0 {
		floats.AddScaled(l.passed, *e, row)
		return false
	}
	size := math.Sqrt(float64(l.of))
	floats.Scale(size, row)
	*e /= size
	return true
}

// batches are some to be used again.
var batches sync.Pool

func newBatch(rows, k int) *batch {
	b, ok := batches.Get().(*batch)
	if !ok {
		b = new(batch)
	}
	b.fold, b.rows = 0, 0
	linalg.Sized(&b.J, rows*k)
	linalg.Sized(&b.e, rows)
	return b
}

// newWalker returns one for so many rows, whose sums are kept by fold or together.
func newWalker(r *Runs, all []float64, col []int, rows int, apart bool) *walker {
	n, k := r.N, r.Dim()
	w := &walker{r: r, apart: apart && r.folds() > 1, all: all, col: col, k: k, sums: make([]Sums, 1)}
	if w.apart {
		w.sums = make([]Sums, r.folds())
	}
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
	w.batch = newBatch(min(rows, batchRows), k)
	w.live = r.live(all[n : n+n*r.D*n])
	for j := range w.live {
		w.live[j] = w.live[j] || slices.Max(col[n+j*n:n+(j+1)*n]) >= 0
	}
	w.start = &runner{r, all, w.h, w.next, nil, w.live, newOwnStart(r, all)}
	if w.start.own != nil {
		w.own = newOwnSums(w.start.own, k)
	}
	if of := rows / (enough * k); r.Thin && !apart && w.own == nil && of > 1 {
		w.lot = &lot{of, rand.NewPCG(1, 1), make([]float64, k), make([]float64, k)}
	}
	return w
}

// add sums up the rows of a batch.
func (w *walker) add(b *batch) {
	s := &w.sums[b.fold]
	for i, e := range b.e[:b.rows] {
		floats.AddScaled(s.G, e, b.J[i*w.k:(i+1)*w.k])
	}
	linalg.AddGram(s.N, b.J[:b.rows*w.k], w.k, &b.turned)
}

// fork lets another processor sum up while the walk goes on, always in the same order.
func (w *walker) fork() {
	w.ready, w.spare, w.summed = make(chan *batch), make(chan *batch, 1), make(chan bool)
	w.spare <- newBatch(len(w.batch.e), w.k)
	go func() {
		for b := range w.ready {
			w.add(b)
			w.spare <- b
		}
		w.summed <- true
	}()
}

// end returns the sums when all rows are in.
func (w *walker) end() []Sums {
	if w.ready == nil {
		w.add(w.batch)
	} else {
		w.flush()
		close(w.ready)
		<-w.summed
		batches.Put(<-w.spare)
	}
	batches.Put(w.batch)
	if w.own != nil {
		floats.Sub(w.sums[w.penalised()].N, w.own.taken)
	}
	if w.lot != nil {
		floats.Add(w.sums[0].G, w.lot.passed)
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
		if w.ready == nil {
			w.fork()
		}
		w.ready <- w.batch
		w.batch = <-w.spare
		w.batch.rows = 0
	}
}

// penalised is that of the runs, if sums are kept by fold.
func (w *walker) penalised() int {
	if !w.apart {
		return 0
	}
	return w.r.penalised()
}

// walk adds the outputs along one run.
func (w *walker) walk(run Run) {
	n, d := w.r.N, w.r.D
	w.start.h = w.h
	square, ok := w.start.begin(run)
	if w.lost = w.lost || !ok; w.lost {
		return
	}
	w.sums[w.penalised()].SSE += square
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
			f := w.r.fold(run, at)
			if f == w.r.Leave-1 {
				continue
			}
			if !w.apart {
				f = 0
			}
			w.output(f, run.Y[at*w.r.P:(at+1)*w.r.P])
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
		s.M++
		s.SSE += e * e
		if w.lot != nil && !w.lot.draw(row, &e) {
			continue
		}
		w.batch.e[w.batch.rows] = e
		w.batch.rows++
	}
}
