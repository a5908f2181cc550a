package moments

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// Mapped returns the measurements with z = W x in place of each input x. What it returns
// is not to be added to; it is a view on m, which must not change either. It costs
// O(l d^{2l+1} + d^{3l}) once rows are folded.
func (m *Length) Mapped(W *mat.Dense) *Length {
	r, _ := W.Dims()
	q := NewLength(m.L, r, m.P)
	q.Energy, q.Stretch, q.KeepRows, q.Long = m.Energy, mapRows(m.Stretch, W), m.KeepRows, m.Long.mapped(W)
	q.Outputs, q.Kept, q.stretchAt = m.Outputs, m.Kept, m.stretchAt
	if m.L > 0 {
		M := mat.NewDense(m.D, m.D, nil)
		for i := range m.D {
			for j := range i + 1 {
				M.Set(i, j, m.moment[i*m.D+j])
				M.Set(j, i, m.moment[i*m.D+j])
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
	if m.Unfolded() {
		for k := range m.parts {
			q.parts[k].x, q.parts[k].y = mapRows(m.parts[k].x, W), slices.Clip(m.parts[k].y)
		}
		if !q.HasRows() {
			q.joined = q.whole()
		}
		return q
	}
	q.source, q.turn = m, W
	q.joined = m.mapFactor(m.whole(), W)
	linalg.R(q.joined)
	return q
}

// Scaled returns mapped measurements with each output times its scale.
func (m *Length) Scaled(scale []float64) *Length {
	q := *m
	q.scale = scale
	q.Outputs = m.Outputs.scaled(scale)
	q.Energy = q.Outputs.Energy()
	q.Long = m.Long.scaled(scale)
	for k := range q.parts {
		y := slices.Clone(q.parts[k].y)
		for i := 0; i < len(y); i += m.P {
			floats.Mul(y[i:i+m.P], scale)
		}
		q.parts[k].y = y
	}
	if m.joined != nil {
		q.joined = mat.DenseCopyOf(m.joined)
		scaleColumns(q.joined, m.Columns(), scale)
	}
	return &q
}
