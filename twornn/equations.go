package twornn

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// equations are what the data say of the parameters θ of a 2-RNN: residuals y − ŷ, whose
// sum of squares is, for Gaussian noise, the log-likelihood up to a constant. They are
// held in blocks of two kinds. Where a length has more rows than unknowns, its factor
//
//	Qᵀ[X Y] = [R B]:  ‖Y − X H⁽ˡ⁾(θ)‖² = ‖B − R H⁽ˡ⁾(θ)‖²
//
// stands for any number of rows, exactly, and an iteration costs nothing in N. Where it
// has fewer, or d^l is too large, the rows themselves are run through the network.
type equations struct {
	n, d, p int
	blocks  []rowsOf
	M       float64 // outputs they stand for
	energy  float64 // Σ y²
	spread  float64 // Σ (y − ȳ)², ȳ the mean at each length

	// What least squares without a model leaves of the compressed lengths, the error that no
	// model need explain, and its degrees of freedom.
	pure, pureDof float64

	room *room // to work in, so that an iteration need not allocate; may be nil
}

// room is what evaluations work in, one after the other.
type room struct {
	work  work
	lanes [lanes]laneRoom
	out   [lanes]sums
}

// laneRoom is what one lane works in.
type laneRoom struct {
	e, J, g, N    []float64
	turned        []float64 // J, transposed
	last, states  []float64 // of a factorBlock
	T, next       []float64
	h, M, beta, S []float64 // of a rowBlock
}

// sized returns a slice of n zeros in place of *s, in its memory if that is enough.
func sized(s *[]float64, n int) []float64 {
	if cap(*s) < n {
		*s = make([]float64, n)
		return *s
	}
	*s = (*s)[:n]
	clear(*s)
	return *s
}

// rowsOf gives the residuals of some rows and their derivatives.
type rowsOf interface {
	// rows returns how many rows there are, outputs how many times p equations each has.
	rows() int
	outputs() int
	// residuals sets the rows of e, and of J unless that is nil, to the residuals of rows
	// from to to and to the derivatives of ŷ (not of the residuals) by θ: for each row, each
	// step with an output, each of the p outputs. J comes cleared.
	residuals(w *work, m *laneRoom, from, to int, e, J []float64)
}

// newEquations returns the equations of all measurements of c, which must be in
// coordinates without a frame.
func newEquations(c Collection, n int) (*equations, error) {
	d, p := c.dims()
	q := &equations{n: n, d: d, p: p}
	for _, l := range c.Lengths() {
		m := c[l]
		if m.N() == 0 {
			continue
		}
		q.M += float64(m.N() * p)
		q.energy += m.outputs.energy()
		q.spread += floats.Sum(m.outputs.m2)
		if m.rows() || m.unfolded() && m.N() <= m.columns() {
			q.blocks = append(q.blocks, newRowBlock(m))
			continue
		}
		R, B, err := m.system()
		if err != nil {
			return nil, err
		}
		q.blocks = append(q.blocks, newFactorBlock(m, R, B))
	}
	q.addLong(c)
	for _, b := range q.blocks {
		if f, ok := b.(*factorBlock); ok && f.dof > 0 {
			q.pure += f.pure
			q.pureDof += f.dof
		}
	}
	return q, nil
}

// lanes is into how many parts sums over rows are split, whatever the number of
// processors, so that the same sums are formed on every machine.
const lanes = 4

// work is what the evaluation at one θ needs: the parameters, and what all rows of a
// block share.
type work struct {
	network
	AO []blas64.General // AO[o] is d×n: row i is A[i] Ω_oᵀ
	As blas64.General   // (d·n)×n: row (i,b), column a is A[i]_{ab}
	// alpha[t] is dᵗ×n: row u is h₀ᵀ A_{u₁} ⋯ A_{u_t}, up to the longest factor block.
	alpha [][]float64
}

func (q *equations) setWork(w *work, theta []float64) {
	w.network = network{n: q.n, d: q.d, p: q.p, theta: theta}
	h0, A, Omega := w.parts(theta)
	n, d := q.n, q.d
	w.As = blas64.General{Rows: d * n, Cols: n, Stride: n, Data: sized(&w.As.Data, d*n*n)}
	for a := range n {
		for j, v := range A.Data[a*d*n : (a+1)*d*n] {
			w.As.Data[j*n+a] = v
		}
	}
	if len(w.AO) != q.p {
		w.AO = make([]blas64.General, q.p)
	}
	for o := range q.p {
		ao := blas64.General{Rows: d, Cols: n, Stride: n, Data: sized(&w.AO[o].Data, d*n)}
		for i := range d {
			for b, v := range Omega.Data[o*n : (o+1)*n] {
				axpy(v, w.As.Data[(i*n+b)*n:(i*n+b+1)*n], ao.Data[i*n:(i+1)*n])
			}
		}
		w.AO[o] = ao
	}
	longest := -1
	for _, b := range q.blocks {
		if f, ok := b.(*factorBlock); ok {
			longest = max(longest, f.l)
		}
	}
	if len(w.alpha) != longest+1 {
		w.alpha = make([][]float64, longest+1)
	}
	for t := range w.alpha {
		if t == 0 {
			copy(sized(&w.alpha[0], n), h0)
			continue
		}
		last := w.alpha[t-1]
		rows := len(last) / n
		sized(&w.alpha[t], rows*d*n) // row (u, i): the n-vectors of u times A, side by side
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1,
			blas64.General{Rows: rows, Cols: n, Stride: n, Data: last}, A, 0,
			blas64.General{Rows: rows, Cols: d * n, Stride: d * n, Data: w.alpha[t]})
	}
}

// sse returns the sum of squared residuals at θ.
func (q *equations) sse(theta []float64) (sum float64) {
	for _, s := range q.each(theta, false) {
		sum += s.sse
	}
	return sum
}

// normal sets N to JᵀJ, k×k, and g to Jᵀ(y − ŷ), and returns the sum of squares.
func (q *equations) normal(theta []float64, N *mat.SymDense, g []float64) (sum float64) {
	k := len(theta)
	raw := N.RawSymmetric()
	clear(raw.Data)
	clear(g)
	for _, s := range q.each(theta, true) {
		sum += s.sse
		for i, v := range s.g {
			g[i] += v
		}
		for i := range k {
			row := raw.Data[i*raw.Stride:]
			for j, v := range s.N[i*k+i : (i+1)*k] {
				row[i+j] += v
			}
		}
	}
	return sum
}

// sums are the sums over the rows of one lane.
type sums struct {
	sse  float64
	g, N []float64 // the upper triangle of N
}

// lackOfFit compares what a model leaves, beyond what least squares without a model leaves
// of the compressed lengths, with the latter. If the model is as good as the truth but for
// noise, both are, over their degrees of freedom, independent estimates of σ², and their
// ratio has an F distribution: lackOfFit returns by how many of its standard deviations it
// exceeds 1. It is +Inf where there is nothing to compare with.
func (q *equations) lackOfFit(sse float64) float64 {
	free := q.M - q.pureDof - float64(freeParameters(q.n, q.d, q.p))
	if q.pureDof < 10 || free < 10 || q.pure == 0 {
		return math.Inf(1)
	}
	F := (sse - q.pure) / free / (q.pure / q.pureDof)
	return (F - 1) / math.Sqrt(2/free+2/q.pureDof)
}

// each returns the sums of every lane.
func (q *equations) each(theta []float64, derivatives bool) []sums {
	m := q.room
	if m == nil {
		m = new(room)
	}
	q.setWork(&m.work, theta)
	var wg sync.WaitGroup
	for lane := range lanes {
		wg.Go(func() { m.out[lane] = q.lane(&m.work, &m.lanes[lane], lane, derivatives) })
	}
	wg.Wait()
	return m.out[:]
}

func (q *equations) lane(w *work, m *laneRoom, lane int, derivatives bool) (s sums) {
	k := len(w.theta)
	if derivatives {
		s.g, s.N = sized(&m.g, k), sized(&m.N, k*k)
	}
	for _, b := range q.blocks {
		const chunk = 256 // equations
		per := b.outputs() * q.p
		size := max(1, chunk/per)
		rows := b.rows()
		end := rows * (lane + 1) / lanes
		for from := rows * lane / lanes; from < end; from += size {
			to := min(end, from+size)
			e := sized(&m.e, (to-from)*per)
			if !derivatives {
				b.residuals(w, m, from, to, e, nil)
			} else {
				J := sized(&m.J, len(e)*k)
				b.residuals(w, m, from, to, e, J)
				gram(s.N, J, k, &m.turned)
				for i, v := range e {
					axpy(v, J[i*k:(i+1)*k], s.g)
				}
			}
			for _, v := range e {
				s.sse += v * v
			}
		}
	}
	return s
}

// gram adds the upper triangle of JᵀJ to N, J having k columns. It works in room, on J
// transposed: rows times vectors, for which gonum has its fastest kernel at these sizes.
func gram(N, J []float64, k int, room *[]float64) {
	const chunk = 128
	for ; len(J) > 0; J = J[min(chunk*k, len(J)):] {
		m := min(chunk, len(J)/k)
		T := sized(room, m*k)
		for r := range m {
			for c, v := range J[r*k : (r+1)*k] {
				T[c*m+r] = v
			}
		}
		for i := range k {
			rows := blas64.General{Rows: k - i, Cols: m, Stride: m, Data: T[i*m:]}
			blas64.Gemv(blas.NoTrans, 1, rows, blas64.Vector{N: m, Inc: 1, Data: T[i*m:]}, 1,
				blas64.Vector{N: k - i, Inc: 1, Data: N[i*k+i:]})
		}
	}
}

// axpy adds a x to y.
func axpy(a float64, x, y []float64) {
	if a == 0 {
		return
	}
	y = y[:len(x)]
	for i, v := range x {
		y[i] += a * v
	}
}

// maxLongOutputs bounds how many outputs of a sample of longer sequences are fitted: some
// thousand keep a model on the path, more would take most of the time.
const maxLongOutputs = 4096

// addLong adds the sequences that are longer than any length measured, those of one
// shape together, with their outputs beyond that length.
func (q *equations) addLong(c Collection) {
	ls := c.Lengths()
	if len(ls) == 0 {
		return
	}
	longest := ls[len(ls)-1]
	type shape struct{ steps, outputs int }
	blocks := map[shape]*rowBlock{}
	long := c[longest].long
	stride := 1
	if !long.all {
		outputs := 0
		for _, s := range long.kept {
			rows, _ := s.Y.Dims()
			outputs += min(rows, s.Len())
		}
		stride = (outputs + maxLongOutputs - 1) / maxLongOutputs
	}
	for i, s := range long.kept {
		if i%stride != 0 {
			continue
		}
		k := s.Len()
		rows, _ := s.Y.Dims()
		last := min(rows, k-longest)
		if last < 1 {
			continue // of a length between those measured, and not one of them
		}
		b := blocks[shape{k, last}]
		if b == nil {
			b = &rowBlock{l: k, d: q.d, p: q.p, last: last}
			blocks[shape{k, last}] = b
			q.blocks = append(q.blocks, b)
		}
		for t := range k {
			b.x = append(b.x, s.X.RawRowView(t)...)
		}
		for t := rows - last; t < rows; t++ {
			b.y = append(b.y, s.Y.RawRowView(t)...)
			for o, v := range s.Y.RawRowView(t) {
				mean := c[longest].outputs.mean[o]
				q.energy += v * v
				q.spread += (v - mean) * (v - mean)
			}
		}
		b.n++
		q.M += float64(last * q.p)
	}
}
