package baseline

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// pass is the workspace in which mini-batches go forwards and backwards through a
// network. A batch has its longest sequences first, so that those with a step t are
// its first count[t] rows: every product is one of whole matrices, without padding.
//
// Block t of each matrix below has a row for each sequence of at least t steps.
type pass struct {
	nw      *Network
	u, d, p int
	set     *examples

	batch        []int     // indices into set.all
	steps        int       // of the longest sequence of the batch
	count, start []int     // rows of block t, and the first of them
	s            []float64 // (x_{t+1} 1 h_t), d+1+u a row
	z            []float64 // gates of step t, a row as wide as W; block 0 is not used
	c, tanh      []float64 // c_t and tanh(c_t), u a row
	e            []float64 // y_t, then its error, p a row
	dh           []float64 // ∂loss/∂h_t, u a row
	dc           []float64 // ∂loss/∂c_t of the step at hand, u a row
}

// batchRows returns the most rows that the blocks of a batch of up to size examples have
// together, and the steps of the longest example.
func (set *examples) batchRows(size int) (rows, longest int) {
	steps := make([]int, len(set.all))
	for i, e := range set.all {
		steps[i] = e.steps
	}
	slices.Sort(steps)
	size = min(size, len(steps))
	rows = size
	for _, k := range steps[len(steps)-size:] {
		rows += k
	}
	return rows, steps[len(steps)-1]
}

// newPass returns a workspace for batches of up to size examples of set.
func newPass(nw *Network, set *examples, size int) *pass {
	u, d, p := nw.Dims()
	size = min(size, len(set.all))
	rows, longest := set.batchRows(size)
	return &pass{
		nw: nw, u: u, d: d, p: p, set: set,
		batch: make([]int, 0, size),
		count: make([]int, longest+2), start: make([]int, longest+2),
		s: make([]float64, rows*(d+1+u)), z: make([]float64, rows*nw.width()),
		c: make([]float64, rows*u), tanh: make([]float64, rows*u),
		e: make([]float64, rows*p), dh: make([]float64, rows*u), dc: make([]float64, size*u),
	}
}

// rows returns r rows of the matrix of the given width, from the first row of block t.
func (b *pass) rows(t, r int, data []float64, width int) blas64.General {
	first := b.start[t] * width
	return blas64.General{Rows: r, Cols: width, Stride: width, Data: data[first : first+r*width]}
}

// columns returns the columns of m from the given one on.
func columns(m blas64.General, from int) blas64.General {
	return blas64.General{Rows: m.Rows, Cols: m.Cols - from, Stride: m.Stride, Data: m.Data[from:]}
}

// forward runs the examples with the given indices through the network, and returns
// the squared error and the number of outputs that it sums over.
func (b *pass) forward(indices []int) (sse float64, n int) {
	b.load(indices)
	u, d := b.u, b.d
	W, width := b.nw.W.RawMatrix(), d+1+u
	gates := W.Cols
	for t := 1; t <= b.steps; t++ {
		r := b.count[t]
		gemm(blas.NoTrans, blas.NoTrans, 1, b.rows(t-1, r, b.s, width), W, 0, b.rows(t, r, b.z, gates))
		h, z := b.rows(t, r, b.s, width).Data, b.rows(t, r, b.z, gates).Data
		c, tanh, prev := b.rows(t, r, b.c, u).Data, b.rows(t, r, b.tanh, u).Data, b.rows(t-1, r, b.c, u).Data
		for i := range r {
			cell(h[i*width+d+1:(i+1)*width], c[i*u:(i+1)*u], tanh[i*u:(i+1)*u], z[i*gates:(i+1)*gates], prev[i*u:(i+1)*u])
		}
	}
	all := b.start[b.steps+1]
	gemm(blas.NoTrans, blas.NoTrans, 1, columns(b.rows(0, all, b.s, width), d), b.nw.Out.RawMatrix(), 0, b.rows(0, all, b.e, b.p))
	return b.errors()
}

// load sorts the batch, lays out the blocks, and fills in inputs, ones and h₀ = c₀ = 0.
func (b *pass) load(indices []int) {
	b.batch = append(b.batch[:0], indices...)
	all := b.set.all
	slices.SortFunc(b.batch, func(i, j int) int {
		return cmp.Or(cmp.Compare(all[j].steps, all[i].steps), cmp.Compare(i, j))
	})
	b.steps = all[b.batch[0]].steps
	clear(b.count)
	for _, i := range b.batch {
		b.count[all[i].steps]++
	}
	for t := b.steps - 1; t >= 0; t-- {
		b.count[t] += b.count[t+1]
	}
	for t := range b.steps + 1 {
		b.start[t+1] = b.start[t] + b.count[t]
	}
	width := b.d + 1 + b.u
	for t := range b.steps + 1 {
		s := b.rows(t, b.count[t], b.s, width).Data
		for r := range b.count[t] {
			row := s[r*width : (r+1)*width]
			if e := all[b.batch[r]]; t < e.steps {
				copy(row[:b.d], b.set.x[e.x+t*b.d:])
			}
			row[b.d] = 1
			if t == 0 {
				clear(row[b.d+1:])
			}
		}
	}
	clear(b.rows(0, b.count[0], b.c, b.u).Data)
}

// errors turns the outputs in e into their errors, 0 where the data give no output,
// and returns the sum of their squares and the number of outputs given.
func (b *pass) errors() (sse float64, n int) {
	for t := range b.steps + 1 {
		e := b.rows(t, b.count[t], b.e, b.p).Data
		for r := range b.count[t] {
			row := e[r*b.p : (r+1)*b.p]
			y := b.set.target(b.batch[r], t)
			if y == nil {
				clear(row)
				continue
			}
			n += b.p
			for j, v := range y {
				row[j] -= v
				sse += row[j] * row[j]
			}
		}
	}
	return sse, n
}

// backward sets grad to the gradient of scale times the squared error of the batch
// that was last put forward. It uses up the gates and errors of that.
func (b *pass) backward(grad *Network, scale float64) {
	u, d, p := b.u, b.d, b.p
	W, dW := b.nw.W.RawMatrix(), grad.W.RawMatrix()
	Out, dOut := b.nw.Out.RawMatrix(), grad.Out.RawMatrix()
	width := d + 1 + u
	all := b.start[b.steps+1]
	e := b.rows(0, all, b.e, p)
	gemm(blas.Trans, blas.NoTrans, 2*scale, columns(b.rows(0, all, b.s, width), d), e, 0, dOut)
	outH := blas64.General{Rows: u, Cols: p, Stride: Out.Stride, Data: Out.Data[Out.Stride:]}
	gemm(blas.NoTrans, blas.Trans, 2*scale, e, outH, 0, b.rows(0, all, b.dh, u))

	gates := W.Cols
	wH := blas64.General{Rows: u, Cols: gates, Stride: W.Stride, Data: W.Data[(d+1)*W.Stride:]}
	clear(dW.Data)
	clear(b.dc)
	for t := b.steps; t >= 1; t-- {
		r := b.count[t]
		z := b.rows(t, r, b.z, gates)
		dh, tanh, prev := b.rows(t, r, b.dh, u).Data, b.rows(t, r, b.tanh, u).Data, b.rows(t-1, r, b.c, u).Data
		for i := range r {
			cellBack(z.Data[i*gates:(i+1)*gates], b.dc[i*u:(i+1)*u], dh[i*u:(i+1)*u], tanh[i*u:(i+1)*u], prev[i*u:(i+1)*u])
		}
		gemm(blas.Trans, blas.NoTrans, 1, b.rows(t-1, r, b.s, width), z, 1, dW)
		if t > 1 {
			gemm(blas.NoTrans, blas.Trans, 1, z, wH, 1, b.rows(t-1, r, b.dh, u))
		}
	}
}

// gemm is blas64.Gemm in strips of 64 rows. Those gonum multiplies at once, where it
// would start goroutines for each of these small products (up to 48 units; it does
// for more, with the same bits).
func gemm(tA, tB blas.Transpose, alpha float64, a, b blas64.General, beta float64, c blas64.General) {
	if tA != blas.NoTrans {
		blas64.Gemm(tA, tB, alpha, a, b, beta, c)
		return
	}
	for i := 0; i < c.Rows; i += 64 {
		r := min(64, c.Rows-i)
		as := blas64.General{Rows: r, Cols: a.Cols, Stride: a.Stride, Data: a.Data[i*a.Stride:]}
		cs := blas64.General{Rows: r, Cols: c.Cols, Stride: c.Stride, Data: c.Data[i*c.Stride:]}
		blas64.Gemm(tA, tB, alpha, as, b, beta, cs)
	}
}
