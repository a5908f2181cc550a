package affine

import (
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// gram is the sum of r rᵀ over rows r, summed up a hundred at a time.
type gram struct {
	k    int
	sum  []float64 // k×k, its upper triangle
	rows []float64 // that wait
	room []float64
}

const waiting = 128 // rows, at the most

func newGram(k int) *gram {
	return &gram{k: k, sum: make([]float64, k*k), rows: make([]float64, 0, waiting*k)}
}

// add takes a copy of the row.
func (g *gram) add(row []float64) {
	if g.rows = append(g.rows, row...); len(g.rows) == waiting*g.k {
		g.flush()
	}
}

func (g *gram) flush() {
	linalg.AddGram(g.sum, g.rows, g.k, &g.room)
	g.rows = g.rows[:0]
}

// split returns the sums of rows (x, y), x being the first n numbers: x xᵀ, x yᵀ and ‖y‖².
func (g *gram) split(n int) (XX *mat.SymDense, XY *mat.Dense, YY float64) {
	g.flush()
	all := mat.NewSymDense(g.k, g.sum)
	XX, XY = mat.NewSymDense(n, nil), mat.NewDense(n, g.k-n, nil)
	XX.CopySym(all.SliceSym(0, n))
	for a := range n {
		copy(XY.RawRowView(a), g.sum[a*g.k+n:(a+1)*g.k])
	}
	for a := n; a < g.k; a++ {
		YY += all.At(a, a)
	}
	return XX, XY, YY
}

// rest returns the sum of y yᵀ for rows (x, y), x being the first n numbers.
func (g *gram) rest(n int) *mat.SymDense {
	g.flush()
	out := mat.NewSymDense(g.k-n, nil)
	out.CopySym(mat.NewSymDense(g.k, g.sum).SliceSym(n, g.k))
	return out
}
