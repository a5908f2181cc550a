package lsq

import (
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Errors returns the sum of squared residuals of each fold at θ, +Inf where a run is lost.
func (r *Runs) Errors(theta []float64) []float64 {
	n := r.lanes()
	sums := make([][]float64, n)
	r.inLanes(n, func(lane int, data []Run) { sums[lane] = r.errors(theta, data) })
	total := make([]float64, r.folds())
	for _, s := range sums {
		floats.Add(total, s)
	}
	return total
}

// errors is Errors for some of the runs.
func (r *Runs) errors(theta []float64, data []Run) []float64 {
	s, walk := make([]float64, r.folds()), newRunner(r, theta)
	for _, run := range data {
		square, ok := walk.begin(run)
		s[r.penalised()] += square
		ok = ok && walk.along(run, nil, func(i int, y []float64) {
			f := r.fold(run, i)
			for o, v := range y {
				e := run.Y[i*r.P+o] - v
				s[f] += e * e
			}
		})
		if !ok || r.stopped() {
			for f := range s {
				s[f] = math.Inf(1)
			}
		}
	}
	return s
}

// SSE returns the sum of squares over all folds but the one that is left out.
func (r *Runs) SSE(theta []float64) float64 {
	s := r.Errors(theta)
	if r.Leave > 0 {
		s[r.Leave-1] = 0
	}
	return floats.Sum(s) + r.Rest
}

// Normal sets N to JᵀJ and g to Jᵀe over all folds but the one left out, and returns the
// sum of squares, +Inf if a run is lost.
func (r *Runs) Normal(theta []float64, N *mat.SymDense, g []float64) float64 {
	k, raw := r.Dim(), N.RawSymmetric()
	clear(raw.Data)
	clear(g)
	sse := 0.0
	for _, s := range r.kept(theta) {
		sse += s.SSE
		floats.Add(g, s.G)
		for i := range k {
			floats.Add(raw.Data[i*raw.Stride+i:i*raw.Stride+k], s.N[i*k+i:(i+1)*k])
		}
	}
	return sse + r.Rest
}

// kept returns the sums at θ of what is not left out, by fold if they are known so, or else together.
func (r *Runs) kept(theta []float64) []Sums {
	if r.Known == nil || !slices.Equal(theta, r.Known.Theta) {
		return r.sums(theta, false)
	}
	var kept []Sums
	for f, s := range r.Known.Sums {
		if f != r.Leave-1 {
			kept = append(kept, s)
		}
	}
	return kept
}

// Sums returns the sums of each fold at θ.
func (r *Runs) Sums(theta []float64) []Sums { return r.sums(theta, true) }

// sums returns those of each fold, or of all that are not left out together.
func (r *Runs) sums(theta []float64, apart bool) []Sums {
	n := r.lanes()
	parts := make([][]Sums, n)
	all, col := r.Pattern.Put(r.Base, theta), r.Pattern.columns()
	r.inLanes(n, func(lane int, data []Run) {
		rows := 0
		for _, run := range data {
			rows += len(run.At) * r.P
		}
		w := newWalker(r, all, col, rows, apart)
		for i := 0; i < len(data) && !w.lost; i++ {
			w.walk(data[i])
			w.lost = w.lost || r.stopped()
		}
		parts[lane] = w.end()
	})
	total := parts[0]
	for _, part := range parts[1:] {
		for f, s := range part {
			t := &total[f]
			t.M += s.M
			t.SSE += s.SSE
			floats.Add(t.G, s.G)
			floats.Add(t.N, s.N)
		}
	}
	return total
}

// laneWork is about how many multiplications are worth a lane of their own.
const laneWork = 100_000

// lanes returns into how many parts sums over the runs are split, whatever the number of processors.
func (r *Runs) lanes() int {
	work := 0
	for _, run := range r.Data {
		work += len(run.X)*r.N*r.N + len(run.Y)*r.Dim()
	}
	return max(1, min(lanes, len(r.Data), work*r.Dim()/laneWork)) // of no runs the sums are zero
}

// inLanes calls f with the runs of each of n lanes, all at once.
func (r *Runs) inLanes(n int, f func(lane int, data []Run)) {
	if n == 1 {
		f(0, r.Data)
		return
	}
	var wg sync.WaitGroup
	for lane := range n {
		wg.Go(func() { f(lane, r.Data[len(r.Data)*lane/n:len(r.Data)*(lane+1)/n]) })
	}
	wg.Wait()
}
