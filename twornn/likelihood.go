package twornn

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
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

	room *[lanes]room // to work in, so that an iteration need not allocate; may be nil
}

// room is what one lane works in.
type room struct {
	e, J, g, N      []float64
	R, last, states []float64
	T, next         []float64
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
	residuals(w *work, m *room, from, to int, e, J []float64)
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

func (q *equations) work(theta []float64) *work {
	w := &work{network: network{n: q.n, d: q.d, p: q.p, theta: theta}}
	h0, A, Omega := w.parts(theta)
	n, d := q.n, q.d
	w.As = blas64.General{Rows: d * n, Cols: n, Stride: n, Data: make([]float64, d*n*n)}
	for a := range n {
		for j, v := range A.Data[a*d*n : (a+1)*d*n] {
			w.As.Data[j*n+a] = v
		}
	}
	longest := -1
	for _, b := range q.blocks {
		if f, ok := b.(*factorBlock); ok {
			longest = max(longest, f.l)
		}
	}
	for o := range q.p {
		ao := blas64.General{Rows: d, Cols: n, Stride: n, Data: make([]float64, d*n)}
		for i := range d {
			for b, v := range Omega.Data[o*n : (o+1)*n] {
				axpy(v, w.As.Data[(i*n+b)*n:(i*n+b+1)*n], ao.Data[i*n:(i+1)*n])
			}
		}
		w.AO = append(w.AO, ao)
	}
	if longest >= 0 {
		w.alpha = append(w.alpha, h0)
	}
	for range longest {
		last := w.alpha[len(w.alpha)-1]
		rows := len(last) / n
		next := make([]float64, rows*d*n) // row (u, i): the n-vectors of u times A, side by side
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1,
			blas64.General{Rows: rows, Cols: n, Stride: n, Data: last}, A, 0,
			blas64.General{Rows: rows, Cols: d * n, Stride: d * n, Data: next})
		w.alpha = append(w.alpha, next)
	}
	return w
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
	w := q.work(theta)
	out := make([]sums, lanes)
	var wg sync.WaitGroup
	for lane := range lanes {
		wg.Add(1)
		go func() {
			defer wg.Done()
			out[lane] = q.lane(w, lane, derivatives)
		}()
	}
	wg.Wait()
	return out
}

func (q *equations) lane(w *work, lane int, derivatives bool) (s sums) {
	k := len(w.theta)
	m := new(room)
	if q.room != nil {
		m = &q.room[lane]
	}
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
				gram(s.N, J, k)
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

// gram adds the upper triangle of JᵀJ to N, four rows at a time, so that each entry of N
// is read and written once for eight operations: faster than gonum's Gemm and Syrk at these
// sizes, and without the half that is not needed.
func gram(N, J []float64, k int) {
	m := len(J) / k
	r := 0
	for ; r+4 <= m; r += 4 {
		j0, j1, j2, j3 := J[r*k:(r+1)*k], J[(r+1)*k:(r+2)*k], J[(r+2)*k:(r+3)*k], J[(r+3)*k:(r+4)*k]
		for i := range k {
			a0, a1, a2, a3 := j0[i], j1[i], j2[i], j3[i]
			if a0 == 0 && a1 == 0 && a2 == 0 && a3 == 0 {
				continue
			}
			dst := N[i*k+i : (i+1)*k]
			s0, s1, s2, s3 := j0[i:][:len(dst)], j1[i:][:len(dst)], j2[i:][:len(dst)], j3[i:][:len(dst)]
			for c := range dst {
				dst[c] += a0*s0[c] + a1*s1[c] + a2*s2[c] + a3*s3[c]
			}
		}
	}
	for ; r < m; r++ {
		row := J[r*k : (r+1)*k]
		for i, v := range row {
			axpy(v, row[i:], N[i*k+i:(i+1)*k])
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

// factorBlock is a length in compressed form.
type factorBlock struct {
	l    int
	R, B *mat.Dense // m×d^l and m×p
	// What least squares without a model leaves, and its degrees of freedom.
	pure, dof float64
	// See leastSum.
	once  sync.Once
	least float64
	tails [][]float64
}

func newFactorBlock(m *Measurements, R, B *mat.Dense) *factorBlock {
	rows, c := R.Dims()
	b := &factorBlock{l: m.length, R: R, B: B}
	if rows > c {
		// The last p rows of the triangular factor of [R B] are what is left, rotated.
		ab := mat.NewDense(rows, c+m.p, nil)
		ab.Slice(0, rows, 0, c).(*mat.Dense).Copy(R)
		ab.Slice(0, rows, c, c+m.p).(*mat.Dense).Copy(B)
		linalg.R(ab)
		for i := c; i < rows; i++ {
			for _, v := range ab.RawRowView(i)[c:] {
				b.pure += v * v
			}
		}
		b.dof = float64((m.N() - c) * m.p)
	}
	return b
}

func (b *factorBlock) rows() int    { r, _ := b.R.Dims(); return r }
func (b *factorBlock) outputs() int { return 1 }

// residuals goes from the last letter to the first. With the row ρ of R as a tensor of l
// letters, and ω = Ω_oᵀ,
//
//	T_t(u) = Σ_v ρ(uv) A_v ω   for words u of t letters, v of the l−t others
//
// is n numbers a word, and T_{t−1}(u) = Σ_i A[i] T_t(ui). Then ŷ_o = h₀ᵀ T_0, which by h₀
// has the derivative T_0, and by A[i]
//
//	Σ_t Σ_u (h₀ᵀ A_u)ᵀ T_t(ui)ᵀ   over words u of t−1 letters.
func (b *factorBlock) residuals(w *work, own *room, from, to int, e, J []float64) {
	n, d, p, l := w.n, w.d, w.p, b.l
	_, c := b.R.Dims()
	k := len(w.theta)
	_, A, Omega := w.parts(w.theta)
	m := to - from
	raw := b.R.RawMatrix()
	R := sized(&own.R, m*c)
	for i := range m {
		copy(R[i*c:(i+1)*c], raw.Data[(from+i)*raw.Stride:(from+i)*raw.Stride+c])
	}
	// last is (a, i) ↦ Σ_u (h₀ᵀA_u)_a ρ(ui); states is Σ_w ρ(w) h₀ᵀA_w, so that ŷ = Ω states.
	last, states := sized(&own.last, m*d*n), sized(&own.states, m*n)
	if l == 0 {
		for i := range m {
			axpy(R[i], w.alpha[0], states[i*n:(i+1)*n])
		}
	} else {
		words := c / d
		for i := range m {
			dst := last[i*d*n : (i+1)*d*n] // n×d
			for u := range words {
				rho := R[i*c+u*d : i*c+(u+1)*d]
				for a, v := range w.alpha[l-1][u*n : (u+1)*n] {
					axpy(v, rho, dst[a*d:(a+1)*d])
				}
			}
			for a := range n {
				for j := range d {
					axpy(dst[a*d+j], A.Data[a*d*n+j*n:a*d*n+(j+1)*n], states[i*n:(i+1)*n])
				}
			}
		}
	}
	for i := range m {
		y := b.B.RawRowView(from + i)
		for o := range p {
			e[i*p+o] = y[o] - dot(Omega.Data[o*n:(o+1)*n], states[i*n:(i+1)*n])
		}
	}
	if J == nil {
		return
	}
	dn := d * n
	for o := range p {
		for i := range m {
			row := J[(i*p+o)*k : (i*p+o+1)*k]
			copy(row[n+n*dn+o*n:], states[i*n:(i+1)*n])
			if l == 0 {
				axpy(R[i], Omega.Data[o*n:(o+1)*n], row[:n])
				continue
			}
			for a := range n {
				for j := range d {
					axpy(last[i*dn+a*d+j], Omega.Data[o*n:(o+1)*n], row[n+a*dn+j*n:n+a*dn+(j+1)*n])
				}
			}
		}
		if l == 0 {
			continue
		}
		// T is (row, u)×n.
		rows := m * c / d
		T, next := &own.T, &own.next
		sized(T, rows*n)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1,
			blas64.General{Rows: rows, Cols: d, Stride: d, Data: R}, w.AO[o], 0,
			blas64.General{Rows: rows, Cols: n, Stride: n, Data: *T})
		for t := l - 1; t >= 1; t-- {
			words := len(*T) / (m * dn) // of t−1 letters
			for i := range m {
				dst := J[(i*p+o)*k+n : (i*p+o)*k+n+n*dn]
				for u := range words {
					ti := (*T)[(i*words+u)*dn : (i*words+u+1)*dn]
					for a, v := range w.alpha[t-1][u*n : (u+1)*n] {
						axpy(v, ti, dst[a*dn:(a+1)*dn])
					}
				}
			}
			sized(next, m*words*n)
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1,
				blas64.General{Rows: m * words, Cols: dn, Stride: dn, Data: *T}, w.As, 0,
				blas64.General{Rows: m * words, Cols: n, Stride: n, Data: *next})
			T, next = next, T
		}
		for i := range m {
			copy(J[(i*p+o)*k:(i*p+o)*k+n], (*T)[i*n:(i+1)*n])
		}
	}
}

// rowBlock is rows as they came: sequences of l steps with outputs after the last of them.
type rowBlock struct {
	l, d, p, n int
	last       int       // how many of the steps have an output
	x, y       []float64 // l·d and last·p numbers a sequence
}

func newRowBlock(m *Measurements) *rowBlock {
	b := &rowBlock{l: m.length, d: m.d, p: m.p, n: m.N(), last: 1}
	for k := range m.parts {
		b.x = append(b.x, m.parts[k].x...)
		b.y = append(b.y, m.parts[k].y...)
	}
	return b
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

func (b *rowBlock) rows() int    { return b.n }
func (b *rowBlock) outputs() int { return b.last }

// residuals runs each sequence forth for the states. For one output it then runs back for
// the derivatives: with β_l = ω and β_{t−1} = Σ_i (x_t)_i A[i] β_t, that by A[i] is
// Σ_t (x_t)_i h_{t−1} β_tᵀ. For outputs at several steps it takes those of the states along.
func (b *rowBlock) residuals(w *work, _ *room, from, to int, e, J []float64) {
	n, d, p, l, k := w.n, w.d, w.p, b.l, len(w.theta)
	h0, A, Omega := w.parts(w.theta)
	dn := d * n
	H := make([]float64, (l+1)*n)
	M := make([]float64, l*n*n) // M[t] = Σ_i x_i A[i]
	beta, before := make([]float64, n), make([]float64, n)
	var S, next []float64 // ∂h_t/∂(h₀, A), n rows of n+n·dn
	ka := n + n*dn
	if J != nil && b.last > 1 {
		S, next = make([]float64, n*ka), make([]float64, n*ka)
	}
	copy(H, h0)
	for r := from; r < to; r++ {
		x := b.x[r*l*d : (r+1)*l*d]
		clear(M)
		for t := range l {
			for i, v := range x[t*d : (t+1)*d] {
				if v == 0 {
					continue
				}
				for a := range n {
					axpy(v, A.Data[a*dn+i*n:a*dn+(i+1)*n], M[(t*n+a)*n:(t*n+a+1)*n])
				}
			}
			h := H[(t+1)*n : (t+2)*n]
			clear(h)
			for a, v := range H[t*n : (t+1)*n] {
				axpy(v, M[(t*n+a)*n:(t*n+a+1)*n], h)
			}
		}
		eq := (r - from) * b.last * p // the first equation
		for t := l - b.last + 1; t <= l; t++ {
			h := H[t*n : (t+1)*n]
			for o := range p {
				i := eq + (t-1-l+b.last)*p + o
				e[i] = b.y[r*b.last*p+(t-1-l+b.last)*p+o] - dot(Omega.Data[o*n:(o+1)*n], h)
				if J != nil {
					copy(J[i*k+ka+o*n:], h)
				}
			}
		}
		if J == nil {
			continue
		}
		if b.last > 1 {
			b.forward(w, x, H, M, S, next, J[eq*k:])
			continue
		}
		for o := range p {
			row := J[(eq+o)*k : (eq+o+1)*k]
			copy(beta, Omega.Data[o*n:(o+1)*n])
			for t := l - 1; t >= 0; t-- {
				h := H[t*n : (t+1)*n]
				for j, v := range x[t*d : (t+1)*d] {
					if v == 0 {
						continue
					}
					for a, s := range h {
						axpy(s*v, beta, row[n+a*dn+j*n:n+a*dn+(j+1)*n])
					}
				}
				for a := range n {
					before[a] = dot(M[(t*n+a)*n:(t*n+a+1)*n], beta)
				}
				beta, before = before, beta
			}
			copy(row[:n], beta)
		}
	}
}

// forward sets the derivatives by h₀ and A of the outputs after the last steps of one
// sequence: with S_t = ∂h_t/∂(h₀, A),
//
//	S_t = M_tᵀ S_{t−1},  to whose row b is added (x_t)_i h_{t−1,a} at A[i]_{ab}.
func (b *rowBlock) forward(w *work, x, H, M, S, next, J []float64) {
	n, d, p, k := w.n, w.d, w.p, len(w.theta)
	_, _, Omega := w.parts(w.theta)
	dn := d * n
	ka := n + n*dn
	clear(S)
	for a := range n {
		S[a*ka+a] = 1
	}
	for t := range b.l {
		clear(next)
		for a := range n {
			for c, v := range M[(t*n+a)*n : (t*n+a+1)*n] {
				axpy(v, S[a*ka:(a+1)*ka], next[c*ka:(c+1)*ka])
			}
		}
		for i, v := range x[t*d : (t+1)*d] {
			for a, h := range H[t*n : (t+1)*n] {
				for c := range n {
					next[c*ka+n+a*dn+i*n+c] += v * h
				}
			}
		}
		S, next = next, S
		if s := t - b.l + b.last; s >= 0 {
			for o := range p {
				row := J[(s*p+o)*k : (s*p+o)*k+ka]
				for a, v := range Omega.Data[o*n : (o+1)*n] {
					axpy(v, S[a*ka:(a+1)*ka], row)
				}
			}
		}
	}
}
