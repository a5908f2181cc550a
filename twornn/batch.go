package twornn

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
)

// PredictBatch stores f(x[i]), the output after the last row of the k×d matrix x[i], in
// row i of dst. Sequences may differ in length; an empty one, or nil, gives Ω h₀. An empty
// dst is resized to len(x)×p; for a batch of another size, dst.Reset() empties it.
//
// It runs 64 sequences side by side, so that a step is one product of matrices,
// and on all processors; the outputs agree with those of Predict up to rounding, and do
// not depend on the number of processors. It costs O(k d n²) a sequence, allocates only
// dst if that is empty (and, the first time, room to work in), and panics if an x[i] has
// not d columns or dst is not len(x)×p.
func (m *Model) PredictBatch(dst *mat.Dense, x []*mat.Dense) {
	n, d, p := m.Dims()
	if len(x) == 0 {
		return
	}
	if dst.IsEmpty() {
		dst.ReuseAs(len(x), p)
	}
	if r, c := dst.Dims(); r != len(x) || c != p {
		panic("twornn: dimension mismatch: dst")
	}
	for _, s := range x {
		if steps(s) > 0 && s.RawMatrix().Cols != d {
			panic("twornn: dimension mismatch: x")
		}
	}
	job := batchJobs.Get().(*batchJob)
	defer batchJobs.Put(job)
	job.set(m, x, dst)
	workers := min(runtime.GOMAXPROCS(0), (len(x)+batchWidth-1)/batchWidth)
	for range workers - 1 {
		job.wg.Add(1)
		go job.workAside()
	}
	job.work(n, d)
	job.wg.Wait()
	job.m, job.x, job.dst = nil, nil, nil
}

// batchWidth is how many sequences run side by side: enough for long rows, few enough for
// the states to stay in a core's own cache.
const batchWidth = 64

// steps returns the number of steps of x, which may be nil.
func steps(x *mat.Dense) int {
	if x == nil || x.IsEmpty() {
		return 0
	}
	return x.RawMatrix().Rows
}

// batchJob is one call of PredictBatch.
type batchJob struct {
	m     *Model
	x     []*mat.Dense
	dst   *mat.Dense
	order []int     // the sequences, the longest first
	A     []float64 // row b of n, column (a,i): A[i]_{ab}
	next  atomic.Int64
	wg    sync.WaitGroup
}

var (
	batchJobs  = sync.Pool{New: func() any { return new(batchJob) }}
	batchRooms = sync.Pool{New: func() any { return new(batchRoom) }}
)

// batchRoom is what a worker works in: rows of numbers, one for each sequence at hand.
type batchRoom struct{ h, next, in, products []float64 }

func (j *batchJob) set(m *Model, x []*mat.Dense, dst *mat.Dense) {
	n, d, _ := m.Dims()
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

func (j *batchJob) workAside() {
	defer j.wg.Done()
	n, d, _ := j.m.Dims()
	j.work(n, d)
}

// work takes one group of sequences after the other.
func (j *batchJob) work(n, d int) {
	r := batchRooms.Get().(*batchRoom)
	defer batchRooms.Put(r)
	for {
		from := int(j.next.Add(1)-1) * batchWidth
		if from >= len(j.order) {
			return
		}
		j.run(r, j.order[from:min(from+batchWidth, len(j.order))], n, d)
	}
}

// run runs a group, the longest sequence first, to its end.
func (j *batchJob) run(r *batchRoom, group []int, n, d int) {
	w := len(group)
	h, next := linalg.Sized(&r.h, n*w), linalg.Sized(&r.next, n*w)
	in, products := linalg.Sized(&r.in, d*w), linalg.Sized(&r.products, n*d*w)
	for a, v := range j.m.h0() {
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
func (j *batchJob) output(s int, h []float64, stride int) {
	y := j.dst.RawRowView(s)
	for o := range y {
		var sum float64
		for a, w := range j.m.Omega.RawRowView(o) {
			sum += w * h[a*stride]
		}
		y[o] = sum
	}
}
