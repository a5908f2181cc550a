package moments

import (
	"fmt"
	"math"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"gonum.org/v1/gonum/mat"
)

// whole returns all rows of [X Y] up to a rotation.
func (m *Length) whole() *mat.Dense {
	if m.joined != nil {
		return m.joined
	}
	return m.of(func(int) bool { return true })
}

// Without returns the rows of all parts but one up to a rotation, nil if there are none.
func (m *Length) Without(k int) *mat.Dense { return m.of(func(j int) bool { return j != k }) }

// Only returns the rows of one part up to a rotation, nil if it has none.
func (m *Length) Only(k int) *mat.Dense { return m.of(func(j int) bool { return j == k }) }

// of returns the rows of some parts up to a rotation, at most d^l+p; nil if there are none.
func (m *Length) of(these func(k int) bool) *mat.Dense {
	if m.source != nil {
		f := m.source.mapFactor(m.source.of(these), m.turn)
		scaleColumns(f, m.Columns(), m.scale)
		return f
	}
	var all part
	var waiting block
	for k := range m.parts {
		if q := &m.parts[k]; these(k) {
			all.factor = linalg.Stack(all.factor, q.factor)
			all.sums = all.sums.plus(q.sums)
			waiting.x, waiting.y = append(waiting.x, q.x...), append(waiting.y, q.y...)
		}
	}
	judge := *m // m stays as it is: it may be in use elsewhere
	judge.judge(&waiting)
	m.fold(&all, waiting)
	return linalg.Stack(all.factor, all.sums.factor())
}

// System returns matrices A and B with AᵀA = XᵀX, AᵀB = XᵀY: what least squares
// needs of the data. It errs if d^l is too large to write them out.
func (m *Length) System() (A, B *mat.Dense, err error) {
	if !m.dense() {
		return nil, nil, fmt.Errorf("twornn: H(%d) has %.4g unknowns for each output, more than a dense recovery holds (%d); lower L or the number of inputs, or recover in tensor-train format with TTIHT",
			m.L, m.Unknowns(), maxUnknowns)
	}
	A, B = m.ColumnsOf(m.whole())
	return A, B, nil
}

// ColumnsOf splits [X Y].
func (m *Length) ColumnsOf(f *mat.Dense) (A, B *mat.Dense) {
	if f == nil {
		return nil, nil
	}
	rows, _ := f.Dims()
	c := m.Columns()
	return f.Slice(0, rows, 0, c).(*mat.Dense), f.Slice(0, rows, c, c+m.P).(*mat.Dense)
}

// Noise returns the standard deviation of what least squares leaves of each output,
// nil where the rows are too few, or the unknowns too many, to tell in passing.
func (m *Length) Noise() []float64 {
	if !m.dense() || m.L == 0 || m.Columns() > 512 || m.N() < 2*(m.Columns()+m.P) {
		return nil
	}
	// The last p rows of the triangular factor of [X Y] are those residuals, rotated.
	f, c := m.whole(), m.Columns()
	rows, _ := f.Dims()
	sd := make([]float64, m.P)
	for j := range sd {
		for i := c; i < rows; i++ {
			sd[j] += f.At(i, c+j) * f.At(i, c+j)
		}
		sd[j] = math.Sqrt(sd[j] / float64(m.N()-c))
	}
	return sd
}

// Each calls f with the rows, one by one, as long as it returns true: x[t] is the t-th
// input. They must be there as they came.
func (m *Length) Each(f func(x [][]float64, y []float64) bool) {
	x := make([][]float64, m.L)
	for k := range m.parts {
		q := &m.parts[k]
		for i := range q.n {
			for t := range x {
				x[t] = q.x[(i*m.L+t)*m.D : (i*m.L+t+1)*m.D]
			}
			if !f(x, q.y[i*m.P:(i+1)*m.P]) {
				return
			}
		}
	}
}

// Rows returns the rows, which must be there as they came: x[t] is N×d, the t-th input
// of each, and y N×p.
func (m *Length) Rows() (x []*mat.Dense, y *mat.Dense) {
	n := m.N()
	y = mat.NewDense(n, m.P, nil)
	for range m.L {
		x = append(x, mat.NewDense(n, m.D, nil))
	}
	row := 0
	m.Each(func(xs [][]float64, ys []float64) bool {
		for t, v := range xs {
			copy(x[t].RawRowView(row), v)
		}
		copy(y.RawRowView(row), ys)
		row++
		return true
	})
	return x, y
}

// Size returns how many rows are in part k.
func (m *Length) Size(k int) int { return m.parts[k].n }

// Raw returns the inputs and outputs of all rows, which must be there as they came: l·d and
// p numbers a row.
func (m *Length) Raw() (x, y []float64) {
	for k := range m.parts {
		x, y = append(x, m.parts[k].x...), append(y, m.parts[k].y...)
	}
	return x, y
}

// Waiting returns the most rows of a part that are not folded in yet.
func (m *Length) Waiting() (most int) {
	for k := range m.parts {
		most = max(most, len(m.parts[k].y)/m.P)
	}
	return most
}
