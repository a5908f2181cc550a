package moments

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// part5 returns the part of row i, ⌊√i⌋ mod 5: each part has a fifth of the rows, in ever
// longer runs. In runs, since windows of a series overlap their neighbours.
func part5(i int) int { return int(math.Sqrt(float64(i))) % Folds }

// HeldOut reports whether row i is in the last part.
func HeldOut(i int) bool { return part5(i) == Folds-1 }

// partOf returns the part of row i. Where factors are large there are two alone, so
// that they take no more memory than they must.
func (m *Length) partOf(i int) int {
	k := part5(i)
	if k < Folds-1 && !m.HasRows() && m.Columns() > 512 {
		return 0
	}
	return k
}

// blockRows returns how many rows are folded in at once. Folding into a factor costs
// (d^l+p)² times the rows of the old factor and the new ones: four times as many new rows
// as old ones keep most of it useful. They are also enough to tell the condition of X.
func (m *Length) blockRows() int { return max(256, 4*(m.Columns()+m.P)) }

// fold folds a block of rows into the part.
func (m *Length) fold(q *part, b block) {
	switch {
	case !b.summed:
		q.factor = m.stacked(q.factor, b)
	case b.sums != nil:
		q.sums = b.sums.plus(q.sums)
	case q.sums == nil:
		q.sums = newGramSums(m.D, m.L, m.P)
		fallthrough
	default:
		q.sums.add(b.x, b.y)
	}
}

// judge says whether a block of rows, as many as there may come, may be summed: the first
// that may sets the size up to which later ones may. After some that may not it gives up.
func (m *Length) judge(b *block) {
	const patience = 3
	n := len(b.y) / m.P
	if n == 0 || m.refused >= patience {
		return
	}
	largest := largestRow(b.x, n, m.L, m.D)
	if m.summedUpTo == 0 && n >= 2*(m.Columns()+m.P) {
		s := newGramSums(m.D, m.L, m.P)
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
func (m *Length) stacked(f *mat.Dense, b block) *mat.Dense {
	c, old, n := m.Columns(), 0, len(b.y)/m.P
	if n == 0 {
		return f
	}
	if f != nil {
		old, _ = f.Dims()
	}
	a := mat.NewDense(old+n, c+m.P, nil)
	if old > 0 {
		a.Slice(0, old, 0, c+m.P).(*mat.Dense).Copy(f)
	}
	ld := m.L * m.D
	for i := range n {
		row := a.RawRowView(old + i)
		linalg.Kronecker(row[:c], b.x[i*ld:(i+1)*ld], m.D)
		copy(row[c:], b.y[i*m.P:(i+1)*m.P])
	}
	return linalg.Triangular(a)
}
