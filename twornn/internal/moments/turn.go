package moments

import (
	"github.com/twornn/spectral/twornn/internal/linalg"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// mapFactor returns rows of [X Y] with z = W x in place of each x, never f itself.
func (m *Length) mapFactor(f, W *mat.Dense) *mat.Dense {
	if f == nil {
		return nil
	}
	if m.L == 0 {
		return mat.DenseCopyOf(f)
	}
	r, _ := W.Dims()
	rows, _ := f.Dims()
	c, to := m.Columns(), linalg.Pow(r, m.L)
	g := mat.NewDense(rows, to+m.P, nil)
	for i := range rows {
		row, dst := f.RawRowView(i), g.RawRowView(i)
		copy(dst, mapModes(row[:c], W, m.L))
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
