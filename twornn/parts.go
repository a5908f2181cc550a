package twornn

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// part is a share of the rows of [X Y].
type part struct {
	n      int
	factor *mat.Dense // rows up to a rotation, at most d^l+p of them; nil if none
	sums   *gramSums  // of further rows; nil if none
	x, y   []float64  // rows not folded in yet: l·d and p numbers each

	// Of the press, which holds its lock for them.
	queue []rows
	busy  bool
}

// rows are the x_1, …, x_l, l·d numbers, and the p outputs of some measurements. They may
// be summed if that loses nothing that counts.
type rows struct {
	x, y   []float64
	summed bool
	sums   *gramSums // of these rows, if they are at hand
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

// add appends the measurement given by the first l rows of x. Where enough rows wait they
// go to the press.
func (m *Measurements) add(x *mat.Dense, y []float64, p *press) {
	q := &m.parts[m.partOf(int(m.outputs.n))]
	for t := range m.length {
		row := x.RawRowView(t)
		q.x = append(q.x, row...)
		for i, v := range row {
			axpy(v, row[:i+1], m.moment[i*m.d:i*m.d+i+1])
		}
	}
	q.y = append(q.y, y...)
	for _, v := range y {
		m.energy += v * v
	}
	m.outputs.add(y)
	q.n++
	if !m.rows() && len(q.y) >= m.p*m.blockRows() {
		p.submit(m, q)
	}
}

// blockRows returns how many rows are folded in at once. Folding into a factor costs
// (d^l+p)² times the rows of the old factor and the new ones: four times as many new rows
// as old ones keep most of it useful. They are also enough to tell the condition of X.
func (m *Measurements) blockRows() int { return max(256, 4*(m.columns()+m.p)) }

// fold folds a block of rows into the part.
func (m *Measurements) fold(q *part, b rows) {
	switch {
	case !b.summed:
		q.factor = m.stacked(q.factor, b)
	case b.sums != nil:
		q.sums = b.sums.plus(q.sums)
	case q.sums == nil:
		q.sums = newGramSums(m.d, m.length, m.p)
		fallthrough
	default:
		q.sums.add(b.x, b.y)
	}
}

// judge says whether a block of rows, as many as there may come, may be summed: the first
// that may sets the size up to which later ones may. After some that may not it gives up.
func (m *Measurements) judge(b *rows) {
	const patience = 3
	n := len(b.y) / m.p
	if n == 0 || m.refused >= patience {
		return
	}
	largest := largestRow(b.x, n, m.length, m.d)
	if m.summedUpTo == 0 && n >= 2*(m.columns()+m.p) {
		s := newGramSums(m.d, m.length, m.p)
		s.add(b.x, b.y)
		if s.losesNothing() {
			m.summedUpTo, b.sums = 10*largest, s
		} else {
			m.refused++
		}
	}
	b.summed = largest <= m.summedUpTo
}

// stacked returns the rows of f, which may be nil, and those of the block, up to a
// rotation.
func (m *Measurements) stacked(f *mat.Dense, b rows) *mat.Dense {
	c, old, n := m.columns(), 0, len(b.y)/m.p
	if n == 0 {
		return f
	}
	if f != nil {
		old, _ = f.Dims()
	}
	a := mat.NewDense(old+n, c+m.p, nil)
	if old > 0 {
		a.Slice(0, old, 0, c+m.p).(*mat.Dense).Copy(f)
	}
	ld := m.length * m.d
	for i := range n {
		row := a.RawRowView(old + i)
		kronecker(row[:c], b.x[i*ld:(i+1)*ld], m.d)
		copy(row[c:], b.y[i*m.p:(i+1)*m.p])
	}
	return triangular(a)
}

// whole returns all rows of [X Y] up to a rotation.
func (m *Measurements) whole() *mat.Dense {
	if m.joined != nil {
		return m.joined
	}
	return m.of(func(int) bool { return true })
}

// without returns the rows of all parts but one up to a rotation, nil if there are none.
func (m *Measurements) without(k int) *mat.Dense { return m.of(func(j int) bool { return j != k }) }

// only returns the rows of one part up to a rotation, nil if it has none.
func (m *Measurements) only(k int) *mat.Dense { return m.of(func(j int) bool { return j == k }) }

// of returns the rows of some parts up to a rotation, at most d^l+p; nil if there are none.
func (m *Measurements) of(these func(k int) bool) *mat.Dense {
	if m.source != nil {
		f := m.source.mapFactor(m.source.of(these), m.turn)
		scaleColumns(f, m.columns(), m.scale)
		return f
	}
	var all part
	var waiting rows
	for k := range m.parts {
		if q := &m.parts[k]; these(k) {
			all.factor = stack(all.factor, q.factor)
			all.sums = all.sums.plus(q.sums)
			waiting.x, waiting.y = append(waiting.x, q.x...), append(waiting.y, q.y...)
		}
	}
	judge := *m // m stays as it is: it may be in use elsewhere
	judge.judge(&waiting)
	m.fold(&all, waiting)
	return stack(all.factor, all.sums.factor())
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
