package lsq

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Errors returns the sum of squared residuals of each fold at θ, +Inf where a run is lost.
func (r *Runs) Errors(theta []float64) []float64 {
	n := max(1, min(lanes, len(r.Data))) // of no runs the sums are zero
	sums := make([][]float64, n)
	var wg sync.WaitGroup
	for lane := range n {
		wg.Go(func() { sums[lane] = r.errors(theta, r.Data[len(r.Data)*lane/n:len(r.Data)*(lane+1)/n]) })
	}
	wg.Wait()
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
	for f, s := range r.Sums(theta) {
		if f == r.Leave-1 {
			continue
		}
		sse += s.SSE
		floats.Add(g, s.G)
		for i := range k {
			floats.Add(raw.Data[i*raw.Stride+i:i*raw.Stride+k], s.N[i*k+i:(i+1)*k])
		}
	}
	return sse + r.Rest
}

// Sums returns the sums of each fold at θ.
func (r *Runs) Sums(theta []float64) []Sums {
	n := max(1, min(lanes, len(r.Data))) // of no runs the sums are zero
	parts := make([][]Sums, n)
	all, col := r.Pattern.Put(r.Base, theta), r.Pattern.columns()
	var wg sync.WaitGroup
	for lane := range n {
		wg.Go(func() {
			w := newWalker(r, all, col)
			for i := len(r.Data) * lane / n; i < len(r.Data)*(lane+1)/n && !w.lost; i++ {
				w.walk(r.Data[i])
				w.lost = w.lost || r.stopped()
			}
			parts[lane] = w.end()
		})
	}
	wg.Wait()
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
