package twornn

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
)

// maxUnknowns bounds d^l, the unknowns an output of H⁽ˡ⁾, up to which measurements
// are kept as a triangular factor: at 4096 it takes 134 MB.
const maxUnknowns = 4096

// autoUnknowns bounds d^l for lengths that nobody asked for by number.
const autoUnknowns = 256

// autoLength bounds those lengths themselves: with one input d^l says nothing.
const autoLength = 9

// Measurements are the linear measurements of one Hankel tensor H⁽ˡ⁾: N equations
//
//	Y = X (H⁽ˡ⁾)⟨⟨l,1⟩⟩   X is N×d^l with rows x₁⊗⋯⊗x_l, Y is N×p
//
// one for each sequence of length l. X itself is not kept. Once there are more rows
// than columns only the triangular factor of [X Y] is, (d^l+p)² numbers however
// large N becomes; it determines XᵀX, XᵀY and ‖Y‖², and so every squared error.
// Where d^l exceeds 4096, and after CollectRows, the rows are kept as they came,
// l·d+p numbers each.
//
// The rows are kept in five parts, each of runs of neighbours, so that what a method
// has to choose can be chosen by cross-validation: by its error on rows it has not seen.
//
// Inputs are kept in the coordinates of a frame; tensors that go in and out of the
// package are in those of the data.
type Measurements struct {
	length, d, p int
	frame        *frame
	keepRows     bool
	parts        [parts]part
	moment       []float64 // Σ x_t x_tᵀ over all steps of all rows, d×d
	energy       float64   // ‖Y‖²
	outputs      outputs
	stretch      []float64  // the longest run of inputs met, d numbers a step; see stitcher
	long         sample     // of sequences longer than any measured
	joined       *mat.Dense // all rows up to a rotation, where they will not change
	sumsUpTo     float64    // the ‖x₁⊗⋯⊗x_l‖² up to which rows may be summed; see gramSums
}

// part is a share of the rows of [X Y].
type part struct {
	n      int
	factor *mat.Dense // rows up to a rotation, at most d^l+p of them; nil if none
	sums   *gramSums  // of further rows; nil if none
	x, y   []float64  // rows not folded in yet: l·d and p numbers each
}

func newMeasurements(length, d, p int) *Measurements {
	if length == 0 {
		d = 0 // the empty word says nothing of the inputs
	}
	return &Measurements{length: length, d: d, p: p, moment: make([]float64, d*d), outputs: newOutputs(p)}
}

// Dims returns the length l, the number of inputs d (0 for l = 0) and of outputs p.
func (m *Measurements) Dims() (l, d, p int) { return m.length, m.d, m.p }

// N returns the number of measurements.
func (m *Measurements) N() (n int) {
	for k := range m.parts {
		n += m.parts[k].n
	}
	return n
}

// Unknowns returns d^l, the number of unknowns an output, as a float64 since it
// may exceed any integer.
func (m *Measurements) Unknowns() float64 { return math.Pow(float64(m.d), float64(m.length)) }

// dense reports whether X is small enough to be written out.
func (m *Measurements) dense() bool { return m.length == 0 || m.Unknowns() <= maxUnknowns }

// rows reports whether the rows are there as they came.
func (m *Measurements) rows() bool { return m.keepRows || !m.dense() }

// unfolded reports whether every row is still there as it came.
func (m *Measurements) unfolded() bool {
	for k := range m.parts {
		if m.parts[k].factor != nil || m.parts[k].sums != nil {
			return false
		}
	}
	return true
}

// columns returns d^l of a dense m.
func (m *Measurements) columns() int {
	if m.length == 0 {
		return 1
	}
	return int(m.Unknowns())
}

// add appends the measurement given by the first l rows of x.
func (m *Measurements) add(x *mat.Dense, y []float64) {
	q := &m.parts[m.partOf(m.N())]
	for t := range m.length {
		row := x.RawRowView(t)
		q.x = append(q.x, row...)
		for i, v := range row {
			for j, w := range row[:i+1] {
				m.moment[i*m.d+j] += v * w
			}
		}
	}
	q.y = append(q.y, y...)
	for _, v := range y {
		m.energy += v * v
	}
	m.outputs.add(y)
	q.n++
	// Folding costs (d^l+p)² times the rows of the old factor and the new ones:
	// twice as many new rows as old ones keep most of it useful.
	if !m.rows() && len(q.y)/m.p >= max(256, 2*(m.columns()+m.p)) {
		m.compress(q)
	}
}

// parts is the number of parts for cross-validation.
const parts = 5

// part5 returns the part of row i, ⌊√i⌋ mod 5: each part has a fifth of the rows, in ever
// longer runs. In runs, since windows of a series overlap their neighbours.
func part5(i int) int { return int(math.Sqrt(float64(i))) % parts }

// heldOut reports whether row i is in the last part.
func heldOut(i int) bool { return part5(i) == parts-1 }

// partOf returns the part of row i. Where factors are large there are two alone, so
// that they take no more memory than they must.
func (m *Measurements) partOf(i int) int {
	k := part5(i)
	if k < parts-1 && !m.rows() && m.columns() > 512 {
		return 0
	}
	return k
}

// compress puts the rows that wait into the sums of the part, or its factor.
func (m *Measurements) compress(q *part) {
	n := len(q.y) / m.p
	if m.sumsUpTo > 0 && largestRow(q.x, n, m.length, m.d) <= m.sumsUpTo {
		if q.sums == nil {
			q.sums = newGramSums(m.d, m.length, m.p)
		}
		q.sums.add(q.x, q.y, n)
	} else {
		q.factor = m.foldRows(q)
		if m.sumsUpTo == 0 && m.length > 0 && mayBeSummed(q.factor, m.columns()) {
			m.sumsUpTo = 10 * largestRow(q.x, n, m.length, m.d)
		}
	}
	q.x, q.y = q.x[:0], q.y[:0]
}

// fold returns the part's [X Y] up to a rotation of its rows, at most d^l+p of them; nil
// if it has none. It leaves q as it was.
func (m *Measurements) fold(q *part) *mat.Dense {
	if q.sums == nil {
		return m.foldRows(q)
	}
	return stack(m.foldRows(q), q.sums.factor())
}

// foldRows is fold for the factor and the rows that wait.
func (m *Measurements) foldRows(q *part) *mat.Dense {
	c := m.columns()
	old := 0
	if q.factor != nil {
		old, _ = q.factor.Dims()
	}
	waiting := len(q.y) / m.p
	if waiting == 0 {
		return q.factor
	}
	a := mat.NewDense(old+waiting, c+m.p, nil)
	if old > 0 {
		a.Slice(0, old, 0, c+m.p).(*mat.Dense).Copy(q.factor)
	}
	for i := range waiting {
		row := a.RawRowView(old + i)
		kronecker(row[:c], q.x[i*m.length*m.d:(i+1)*m.length*m.d], m.d)
		copy(row[c:], q.y[i*m.p:(i+1)*m.p])
	}
	return triangular(a)
}

// triangular returns a up to a rotation of its rows: a itself if it is not taller
// than wide, else its triangular factor. It overwrites a.
func triangular(a *mat.Dense) *mat.Dense {
	r, c := a.Dims()
	if r <= c {
		return a
	}
	linalg.R(a)
	return mat.DenseCopyOf(a.Slice(0, c, 0, c))
}

// stack returns the rows of both up to a rotation. Either may be nil.
func stack(a, b *mat.Dense) *mat.Dense {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	var s mat.Dense
	s.Stack(a, b)
	return triangular(&s)
}

// system returns matrices A and B with AᵀA = XᵀX, AᵀB = XᵀY: what least squares
// needs of the data. It errs if d^l is too large to write them out.
func (m *Measurements) system() (A, B *mat.Dense, err error) {
	if !m.dense() {
		return nil, nil, fmt.Errorf("twornn: H(%d) has %.4g unknowns an output, more than a dense recovery holds (%d); lower L or the number of inputs, or recover in tensor-train format with TTIHT",
			m.length, m.Unknowns(), maxUnknowns)
	}
	A, B = m.columnsOf(m.whole())
	return A, B, nil
}

// whole returns all rows of [X Y] up to a rotation.
func (m *Measurements) whole() *mat.Dense {
	if m.joined != nil {
		return m.joined
	}
	return m.without(-1)
}

// without returns the rows of all parts but one up to a rotation, nil if there are none.
func (m *Measurements) without(k int) (f *mat.Dense) {
	for j := range m.parts {
		if j != k {
			f = stack(f, m.fold(&m.parts[j]))
		}
	}
	return f
}

// columnsOf splits [X Y].
func (m *Measurements) columnsOf(f *mat.Dense) (A, B *mat.Dense) {
	if f == nil {
		return nil, nil
	}
	rows, _ := f.Dims()
	c := m.columns()
	return f.Slice(0, rows, 0, c).(*mat.Dense), f.Slice(0, rows, c, c+m.p).(*mat.Dense)
}

// SquaredError returns ‖Y − X (h)⟨⟨l,1⟩⟩‖²_F for a tensor h of the dimensions of
// H⁽ˡ⁾. It costs O(d^{2l} p) whatever N, or O(N l d r²) where rows are kept; it never
// expands h then. It panics if the dimensions differ.
func (m *Measurements) SquaredError(h *tt.Tensor) (float64, error) {
	dims := h.Dims()
	if len(dims) != m.length+1 || dims[m.length] != m.p || (m.length > 0 && dims[0] != m.d) {
		panic("twornn: dimension mismatch: h")
	}
	if m.frame != nil {
		h = alongInputs(h, m.frame.T)
	}
	sse, err := m.squaredErrors(h)
	return floats.Sum(sse), err
}

// squaredErrors returns the squared error of each output for a tensor in the
// coordinates of the frame.
func (m *Measurements) squaredErrors(h *tt.Tensor) ([]float64, error) {
	sse := make([]float64, m.p)
	if m.rows() {
		return sse, m.squaredErrorsOfRows(sse, h)
	}
	A, B, err := m.system()
	if err != nil {
		return nil, err
	}
	H, err := h.Unfold(m.length)
	if err != nil {
		return nil, err
	}
	e := residual(A, B, H)
	r, _ := e.Dims()
	for i := range r {
		for j, v := range e.RawRowView(i) {
			sse[j] += v * v
		}
	}
	return sse, nil
}

func (m *Measurements) squaredErrorsOfRows(sse []float64, h *tt.Tensor) error {
	x := make([][]float64, m.length)
	for k := range m.parts {
		q := &m.parts[k]
		for i := range q.n {
			for t := range x {
				x[t] = q.x[(i*m.length+t)*m.d : (i*m.length+t+1)*m.d]
			}
			hat, err := h.Contract(x...)
			if err != nil {
				return err
			}
			for j, y := range q.y[i*m.p : (i+1)*m.p] {
				e := y - hat[j]
				sse[j] += e * e
			}
		}
	}
	return nil
}

// alongInputs returns h ×₁ Mᵀ ⋯ ×_l Mᵀ: if h is a tensor of values in z, that of the
// values in x for z = M x.
func alongInputs(h *tt.Tensor, M *mat.Dense) *tt.Tensor {
	for k := range h.Order() - 1 {
		g := new(tt.Tensor)
		g.ModeProduct(h, k, M.T())
		h = g
	}
	return h
}

// inData returns a recovered tensor in the coordinates of the data.
func (m *Measurements) inData(h *tt.Tensor) *tt.Tensor {
	if m.frame == nil || h == nil {
		return h
	}
	return alongInputs(h, m.frame.W)
}

// residual returns B − A H.
func residual(A, B, H *mat.Dense) *mat.Dense {
	e := times(A, H)
	e.Sub(B, e)
	return e
}

// squared returns ‖a‖²_F.
func squared(a *mat.Dense) float64 {
	norm := mat.Norm(a, 2)
	return norm * norm
}

// merge adds the measurements of o.
func (m *Measurements) merge(o *Measurements) {
	for k := range m.parts {
		q, r := &m.parts[k], &o.parts[k]
		for _, f := range []*mat.Dense{r.factor, r.sums.factor()} {
			if f != nil {
				q.factor = stack(q.factor, mat.DenseCopyOf(f))
			}
		}
		q.x, q.y = append(q.x, r.x...), append(q.y, r.y...)
		q.n += r.n
	}
	for i, v := range o.moment {
		m.moment[i] += v
	}
	m.energy += o.energy
	m.outputs.merge(o.outputs)
	if len(o.stretch) > len(m.stretch) {
		m.stretch = o.stretch
	}
	m.long.merge(o.long)
}

// kronecker sets dst to x₁⊗⋯⊗x_l, the x_t being rows of d numbers in x. With no
// rows dst is 1.
func kronecker(dst, x []float64, d int) {
	dst[0] = 1
	size := 1
	for ; len(x) > 0; x = x[d:] {
		// From the back, so that no entry is overwritten before it is used.
		for i := size - 1; i >= 0; i-- {
			v := dst[i]
			for j := d - 1; j >= 0; j-- {
				dst[i*d+j] = v * x[j]
			}
		}
		size *= d
	}
}

// Collection holds the measurements of each length.
type Collection map[int]*Measurements

// Lengths returns the lengths in ascending order.
func (c Collection) Lengths() []int { return slices.Sorted(maps.Keys(c)) }

// Merge adds the measurements of o, so that shards of the data, collected apart,
// join into what one pass over all of it gives, up to rounding. o is not changed.
// It errs, with c unchanged, if the numbers of inputs or outputs differ.
func (c Collection) Merge(o Collection) error {
	d, p := c.dims()
	if d2, p2 := o.dims(); p2 != 0 && p != 0 && (d != d2 && d != 0 && d2 != 0 || p != p2) {
		return fmt.Errorf("twornn: cannot merge: %d inputs and %d outputs against %d and %d", d, p, d2, p2)
	}
	for l, m := range o {
		if c[l] != nil && c[l].keepRows != m.keepRows {
			return errors.New("twornn: cannot merge: one collection keeps its rows (CollectRows), the other does not")
		}
	}
	// One frame for all: that of c, if it has one.
	to := c.frame()
	if to == nil {
		to = o.frame()
	}
	for l, m := range c {
		c[l] = m.in(to)
	}
	for _, l := range o.Lengths() {
		m := o[l].in(to)
		if c[l] == nil {
			c[l] = newMeasurements(l, m.d, m.p)
			c[l].keepRows, c[l].frame = m.keepRows, to
		}
		c[l].merge(m)
	}
	return c.reframe()
}

// frame returns the frame of the collection.
func (c Collection) frame() *frame {
	for _, m := range c {
		if m.frame != nil {
			return m.frame
		}
	}
	return nil
}

// in returns the measurements in the coordinates of another frame.
func (m *Measurements) in(to *frame) *Measurements {
	M := m.frame.to(to)
	if M == nil || m.length == 0 {
		return m
	}
	q := m.mapped(M, nil)
	q.frame, q.joined = to, nil
	for k := range q.parts {
		if f := q.parts[k].factor; f != nil {
			linalg.R(f) // a factor stays triangular
		}
	}
	return q
}

// dims returns the numbers of inputs and outputs, 0 where unknown.
func (c Collection) dims() (d, p int) {
	for _, m := range c {
		d, p = max(d, m.d), m.p
	}
	return d, p
}

// moments returns E xxᵀ over all steps of all measurements.
func (c Collection) moments(d int) *mat.SymDense {
	M := mat.NewSymDense(d, nil)
	steps := 0
	for _, l := range c.Lengths() {
		m := c[l]
		steps += m.N() * l
		for i := range m.d {
			for j := range i + 1 {
				M.SetSym(i, j, M.At(i, j)+m.moment[i*m.d+j])
			}
		}
	}
	if steps > 0 {
		M.ScaleSym(1/float64(steps), M)
	}
	return M
}

// Collect reads the data once and gathers the measurements of each length asked
// for. A sequence with an output after every step measures H⁽ˡ⁾ by its first l
// steps for every l up to its own length (the paper's remark after Theorem 4); one
// with a single output measures its own length alone. Without lengths, all are
// collected up to 9 for which d^l ≤ 256, and lengths up to 3 in any case.
//
// A length of which the data hold nothing is absent from the result. Memory stays
// bounded by (d^l+p)² numbers a length, up to d^l = 4096; beyond, it grows with N.
// Collect errs at the first sequence that is unusable: the source's own error, a
// NaN or an infinity, shapes that disagree.
func Collect(data iter.Seq[Sequence], lengths ...int) (Collection, error) {
	return collector{lengths: lengths}.collect(data)
}

// CollectRows is Collect for recoveries in tensor-train format, TTIHT among them:
// every measurement is kept as it came, l·d+p numbers, and d^l may be any size; without
// lengths all up to 9 are collected. It takes memory in proportion to N.
func CollectRows(data iter.Seq[Sequence], lengths ...int) (Collection, error) {
	return collector{lengths: lengths, keepRows: true}.collect(data)
}

// collector says what a pass over the data gathers.
type collector struct {
	lengths  []int // to be measured; none: those worth it
	keepRows bool  // as they come
	limit    int   // of d^l, for the lengths worth it; zero: the usual ones
	all      bool  // keep every longer sequence, not a sample
}

func (o collector) collect(data iter.Seq[Sequence]) (Collection, error) {
	lengths, keepRows := o.lengths, o.keepRows
	for _, l := range lengths {
		if l < 0 {
			panic("twornn: a length is negative")
		}
	}
	c := Collection{}
	var (
		run   stitcher
		long  = sample{all: o.all}
		check checker
		block []Sequence // the first sequences, until there is a frame
		fr    *frame
	)
	take := func(s Sequence) {
		s = fr.apply(s)
		k := s.Len()
		rows, _ := s.Y.Dims()
		run.add(s.X)
		if !o.wanted(k, check.d) {
			long.add(s)
		}
		for t := range rows {
			l := k
			if rows > 1 {
				l = t + 1
			}
			if !o.wanted(l, check.d) {
				continue
			}
			if c[l] == nil {
				c[l] = newMeasurements(l, check.d, check.p)
				c[l].keepRows, c[l].frame = keepRows, fr
			}
			c[l].add(s.X, s.Y.RawRowView(t))
		}
	}
	settle := func() (err error) {
		if fr, err = newFrame(block, check.d); err != nil {
			return err
		}
		for _, s := range block {
			take(s)
		}
		block = nil
		return nil
	}
	for s := range data {
		if err := check.next(s); err != nil {
			return nil, err
		}
		if check.n > blockSize {
			take(s)
			continue
		}
		block = append(block, s.clone()) // a source may use its matrices again
		if check.n == blockSize {
			if err := settle(); err != nil {
				return nil, err
			}
		}
	}
	if block != nil {
		if err := settle(); err != nil {
			return nil, err
		}
	}
	if check.n == 0 {
		return nil, errors.New("twornn: the data hold no sequence")
	}
	if len(c) == 0 && len(lengths) == 0 {
		return nil, fmt.Errorf("twornn: no sequence is short enough to be measured unasked: with %s, lengths up to 9 with d^l ≤ %d are; give L, or outputs after every step",
			count(check.d, "input"), autoUnknowns)
	}
	if ls := c.Lengths(); len(ls) > 0 {
		last := c[ls[len(ls)-1]]
		last.stretch, last.long = run.longest, long
	}
	return c, nil
}

// wanted reports whether length l is among those asked for, or worth collecting if
// none were.
func (o collector) wanted(l, d int) bool {
	size := math.Pow(float64(d), float64(l))
	switch {
	case len(o.lengths) > 0:
		return slices.Contains(o.lengths, l)
	case o.keepRows:
		return l <= autoLength
	case o.limit > 0:
		return size <= float64(o.limit)
	}
	return l <= autoLength && size <= autoUnknowns || l <= 3
}

// outputs gathers the mean and the spread of each output, by Welford's update, which
// keeps its digits when the mean is large.
type outputs struct {
	n        float64
	mean, m2 []float64
	largest  float64 // |y|
}

func newOutputs(p int) outputs { return outputs{mean: make([]float64, p), m2: make([]float64, p)} }

func (o *outputs) add(y []float64) {
	o.n++
	for j, v := range y {
		o.largest = max(o.largest, v, -v)
		delta := v - o.mean[j]
		o.mean[j] += delta / o.n
		o.m2[j] += delta * (v - o.mean[j])
	}
}

func (o *outputs) merge(b outputs) {
	if b.n == 0 {
		return
	}
	n := o.n + b.n
	o.largest = max(o.largest, b.largest)
	for j := range o.mean {
		delta := b.mean[j] - o.mean[j]
		o.mean[j] += delta * b.n / n
		o.m2[j] += b.m2[j] + delta*delta*o.n*b.n/n
	}
	o.n = n
}
