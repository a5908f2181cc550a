package twornn

import (
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// mapped returns the measurements with z = W x in place of each input x. What it returns
// is not to be added to; it is a view on m, which must not change either. It costs
// O(l d^{2l+1} + d^{3l}) once rows are folded.
func (m *Measurements) mapped(W *mat.Dense) *Measurements {
	r, _ := W.Dims()
	q := newMeasurements(m.length, r, m.p)
	q.energy, q.stretch, q.keepRows, q.long = m.energy, mapRows(m.stretch, W), m.keepRows, m.long.mapped(W)
	q.outputs = m.outputs
	if m.length > 0 {
		M := mat.NewDense(m.d, m.d, nil)
		for i := range m.d {
			for j := range i + 1 {
				M.Set(i, j, m.moment[i*m.d+j])
				M.Set(j, i, m.moment[i*m.d+j])
			}
		}
		var wm, wmw mat.Dense
		wm.Mul(W, M)
		wmw.Mul(&wm, W.T())
		q.moment = wmw.RawMatrix().Data
	}
	for k := range m.parts {
		q.parts[k].n = m.parts[k].n
	}
	if m.unfolded() {
		for k := range m.parts {
			q.parts[k].x, q.parts[k].y = mapRows(m.parts[k].x, W), slices.Clip(m.parts[k].y)
		}
		if !q.rows() {
			q.joined = q.whole()
		}
		return q
	}
	q.source, q.turn = m, W
	q.joined = m.mapFactor(m.whole(), W)
	linalg.R(q.joined)
	return q
}

// scaled returns mapped measurements with each output times its scale.
func (m *Measurements) scaled(scale []float64) *Measurements {
	q := *m
	q.scale = scale
	q.outputs = m.outputs.scaled(scale)
	q.energy = q.outputs.energy()
	q.long = m.long.scaled(scale)
	for k := range q.parts {
		y := slices.Clone(q.parts[k].y)
		for i := 0; i < len(y); i += m.p {
			floats.Mul(y[i:i+m.p], scale)
		}
		q.parts[k].y = y
	}
	if m.joined != nil {
		q.joined = mat.DenseCopyOf(m.joined)
		scaleColumns(q.joined, m.columns(), scale)
	}
	return &q
}

// scaleColumns multiplies the columns of f from the given one on by scale, if that is not
// nil.
func scaleColumns(f *mat.Dense, from int, scale []float64) {
	if f == nil || scale == nil {
		return
	}
	r, _ := f.Dims()
	for i := range r {
		floats.Mul(f.RawRowView(i)[from:], scale)
	}
}

// mapFactor returns rows of [X Y] with z = W x in place of each x, never f itself.
func (m *Measurements) mapFactor(f, W *mat.Dense) *mat.Dense {
	if f == nil {
		return nil
	}
	if m.length == 0 {
		return mat.DenseCopyOf(f)
	}
	r, _ := W.Dims()
	rows, _ := f.Dims()
	c, to := m.columns(), pow(r, m.length)
	g := mat.NewDense(rows, to+m.p, nil)
	for i := range rows {
		row, dst := f.RawRowView(i), g.RawRowView(i)
		copy(dst, mapModes(row[:c], W, m.length))
		copy(dst[to:], row[c:])
	}
	return g
}

// mapRows returns W x for every run x of d numbers.
func mapRows(x []float64, W *mat.Dense) []float64 {
	r, d := W.Dims()
	if len(x) == 0 {
		return nil
	}
	var z mat.Dense
	z.Mul(mat.NewDense(len(x)/d, d, x), W.T())
	return z.RawMatrix().Data[:len(x)/d*r]
}

// mapModes returns a ×₁ W ⋯ ×_l W for the dense tensor a of l modes of dimension d.
func mapModes(a []float64, W *mat.Dense, l int) []float64 {
	r, d := W.Dims()
	tail := 1 // entries of one index of the mode at hand
	for range l {
		// From the last mode to the first: a is a stack of d×tail slabs.
		slabs := len(a) / (d * tail)
		b := make([]float64, slabs*r*tail)
		for s := range slabs {
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, W.RawMatrix(),
				blas64.General{Rows: d, Cols: tail, Stride: tail, Data: a[s*d*tail : (s+1)*d*tail]}, 0,
				blas64.General{Rows: r, Cols: tail, Stride: tail, Data: b[s*r*tail : (s+1)*r*tail]})
		}
		a, tail = b, tail*r
	}
	return a
}
