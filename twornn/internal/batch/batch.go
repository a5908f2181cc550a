// Package batch runs a linear 2-RNN (h₀, A, Ω) over many sequences side by side.
package batch

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/lsq"
)

// Predict stores Ω h_k, the output after the last row of the k×d matrix x[i], in row i of dst,
// len(x)×p. An x[i] that is empty or nil gives Ω h₀. It runs width sequences side by side, so
// that a step is one product of matrices, on all processors; outputs do not depend on how many.
func Predict(dst *mat.Dense, m *lsq.Net, x []*mat.Dense) {
	j := jobs.Get().(*job)
	defer jobs.Put(j)
	j.set(m, x, dst)
	workers := min(runtime.GOMAXPROCS(0), (len(x)+width-1)/width)
	for range workers - 1 {
		j.wg.Add(1)
		go j.workAside()
	}
	j.work()
	j.wg.Wait()
	j.m, j.x, j.dst = nil, nil, nil
}

// width is how many sequences run side by side: enough for long rows, few enough for
// the states to stay in a core's own cache.
const width = 64

// steps returns the number of steps of x, which may be nil.
func steps(x *mat.Dense) int {
	if x == nil || x.IsEmpty() {
		return 0
	}
	return x.RawMatrix().Rows
}

// job is one call of Predict.
type job struct {
	m     *lsq.Net
	x     []*mat.Dense
	dst   *mat.Dense
	order []int     // the sequences, the longest first
	A     []float64 // row b of n, column (a,i): A[i]_{ab}
	next  atomic.Int64
	wg    sync.WaitGroup
}

var (
	jobs  = sync.Pool{New: func() any { return new(job) }}
	rooms = sync.Pool{New: func() any { return new(room) }}
)

// room is what a worker works in: rows of numbers, one for each sequence at hand.
type room struct{ h, next, in, products []float64 }

func (j *job) set(m *lsq.Net, x []*mat.Dense, dst *mat.Dense) {
	n, d := m.H0.Len(), len(m.A)
	j.m, j.x, j.dst = m, x, dst
	j.next.Store(0)
	j.order = j.order[:0]
	for i := range x {
		j.order = append(j.order, i)
	}
	slices.SortStableFunc(j.order, func(a, b int) int { return steps(x[b]) - steps(x[a]) })
	linalg.Sized(&j.A, n*n*d)
	for i, a := range m.A {
		for from := range n {
			for to, v := range a.RawRowView(from) {
				j.A[(to*n+from)*d+i] = v
			}
		}
	}
}

func (j *job) workAside() {
	defer j.wg.Done()
	j.work()
}

// work takes one group of sequences after the other.
func (j *job) work() {
	r := rooms.Get().(*room)
	defer rooms.Put(r)
	for {
		from := int(j.next.Add(1)-1) * width
		if from >= len(j.order) {
			return
		}
		j.run(r, j.order[from:min(from+width, len(j.order))])
	}
}

// run runs a group, the longest sequence first, to its end.
func (j *job) run(r *room, group []int) {
	n, d, w := j.m.H0.Len(), len(j.m.A), len(group)
	h, next := linalg.Sized(&r.h, n*w), linalg.Sized(&r.next, n*w)
	in, products := linalg.Sized(&r.in, d*w), linalg.Sized(&r.products, n*d*w)
	for a := range n {
		v := j.m.H0.AtVec(a)
		for c := range w {
			h[a*w+c] = v
		}
	}
	active := w // sequences that have not ended; the rows keep their stride w
	for t := 0; ; t++ {
		for active > 0 && steps(j.x[group[active-1]]) == t {
			active--
			j.output(group[active], h[active:], w)
		}
		if active == 0 {
			return
		}
		for c, s := range group[:active] {
			raw := j.x[s].RawMatrix()
			for i, v := range raw.Data[t*raw.Stride : t*raw.Stride+d] {
				in[i*w+c] = v
			}
		}
		for a := range n {
			ha := h[a*w : a*w+active]
			for i := range d {
				floats.MulTo(products[(a*d+i)*w:(a*d+i)*w+active], ha, in[i*w:i*w+active])
			}
		}
		all := blas64.General{Rows: n * d, Cols: active, Stride: w, Data: products}
		for b := range n {
			blas64.Gemv(blas.Trans, 1, all, blas64.Vector{N: n * d, Inc: 1, Data: j.A[b*n*d:]}, 0,
				blas64.Vector{N: active, Inc: 1, Data: next[b*w:]})
		}
		h, next = next, h
	}
}

// output sets row s of dst to Ω h, h having its entries at the given stride.
func (j *job) output(s int, h []float64, stride int) {
	y := j.dst.RawRowView(s)
	for o := range y {
		var sum float64
		for a, w := range j.m.Omega.RawRowView(o) {
			sum += w * h[a*stride]
		}
		y[o] = sum
	}
}
