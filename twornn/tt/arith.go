package tt

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// Scale stores f a in t. The cores but the first are shared with a.
func (t *Tensor) Scale(f float64, a *Tensor) {
	c := a.cores[0]
	g := NewCore(c.Left, c.Dim, c.Right)
	for i, v := range c.Data {
		g.Data[i] = f * v
	}
	cores := slices.Clone(a.cores)
	cores[0] = g
	t.cores = cores
}

// Add stores a + b in t. Ranks add up; Round brings them down again. It panics if
// the dimensions differ.
func (t *Tensor) Add(a, b *Tensor) {
	if !slices.Equal(a.Dims(), b.Dims()) {
		panic("tt: dimension mismatch")
	}
	m := a.Order()
	if m == 1 {
		g := NewCore(1, a.cores[0].Dim, 1)
		for i := range g.Data {
			g.Data[i] = a.cores[0].Data[i] + b.cores[0].Data[i]
		}
		t.cores = []Core{g}
		return
	}
	cores := make([]Core, m)
	for k := range cores {
		ca, cb := a.cores[k], b.cores[k]
		// Block diagonal: a's matrices in the upper left corner, b's in the lower
		// right; the outer cores are a row and a column of blocks.
		left, right := ca.Left+cb.Left, ca.Right+cb.Right
		rowB, colB := ca.Left, ca.Right
		if k == 0 {
			left, rowB = 1, 0
		}
		if k == m-1 {
			right, colB = 1, 0
		}
		g := NewCore(left, ca.Dim, right)
		put := func(c Core, row, col int) {
			for l := range c.Left {
				for i := range c.Dim {
					src := c.Data[(l*c.Dim+i)*c.Right : (l*c.Dim+i+1)*c.Right]
					copy(g.Data[((row+l)*g.Dim+i)*g.Right+col:], src)
				}
			}
		}
		put(ca, 0, 0)
		put(cb, rowB, colB)
		cores[k] = g
	}
	t.cores = cores
}

// Distance returns ‖a − b‖/‖b‖, the Frobenius norm of the difference as a share of b's: to
// rounding for tensors of up to a million entries, which are written out, and beyond that,
// where products of trains cancel, to some 1e-8. It is +Inf or NaN if b is zero, and panics if
// the dimensions differ.
func Distance(a, b *Tensor) float64 {
	var minus, difference Tensor
	minus.Scale(-1, b)
	difference.Add(a, &minus)
	entries := 1
	for _, d := range a.Dims() {
		if entries *= d; entries > 1_000_000 {
			return difference.Norm() / b.Norm()
		}
	}
	full, err := difference.Full()
	if err != nil {
		return difference.Norm() / b.Norm()
	}
	return linalg.Norm(full) / b.Norm()
}

// ModeProduct stores a ×_k M in t: every index i of mode k (counted from 0) stands
// for Σ_j M[i, j] times the entries at j. It costs O(r² d d'), shares the other cores
// with a, and panics if M has not as many columns as mode k has indices.
func (t *Tensor) ModeProduct(a *Tensor, k int, M mat.Matrix) {
	c := a.cores[k]
	rows, cols := M.Dims()
	if cols != c.Dim {
		panic("tt: dimension mismatch: M")
	}
	g := NewCore(c.Left, rows, c.Right)
	for l := range c.Left {
		slab := mat.NewDense(c.Dim, c.Right, c.Data[l*c.Dim*c.Right:(l+1)*c.Dim*c.Right])
		mat.NewDense(rows, c.Right, g.Data[l*rows*c.Right:(l+1)*rows*c.Right]).Mul(M, slab)
	}
	cores := slices.Clone(a.cores)
	cores[k] = g
	t.cores = cores
}

// Contract returns a •₁ x₁ ⋯ •_k x_k, the first k modes contracted with the vectors:
// a tensor of the other modes in row-major order, a single number if there are none.
// It goes core by core, O(k d r²) and the size of the result, and panics if there are
// more vectors than modes or a length differs from its mode's dimension. The
// result errs as Full does if it is too large.
func (t *Tensor) Contract(x ...[]float64) ([]float64, error) {
	if len(x) > len(t.cores) {
		panic("tt: more vectors than modes")
	}
	row := []float64{1}
	for k, v := range x {
		c := t.cores[k]
		if len(v) != c.Dim {
			panic("tt: dimension mismatch: x")
		}
		next := make([]float64, c.Right)
		for a, w := range row {
			for i, u := range v {
				s := w * u
				for b, g := range c.Data[(a*c.Dim+i)*c.Right : (a*c.Dim+i+1)*c.Right] {
					next[b] += s * g
				}
			}
		}
		row = next
	}
	rest := t.cores[len(x):]
	if len(rest) == 0 {
		return row, nil
	}
	// What is left is a train whose first core takes the row.
	var head mat.Dense
	head.Mul(mat.NewDense(1, len(row), row), rest[0].right())
	first := Core{1, rest[0].Dim, rest[0].Right, head.RawMatrix().Data}
	return New(append([]Core{first}, rest[1:]...)...).Full()
}

// Round stores in t the tensor a with its ranks brought down, to at most rank (0: no
// bound) and as far as the relative tolerance tol allows: ‖T − A‖_F ≤ tol ‖A‖_F if
// rank does not bind. Ranks that carry nothing go without loss even at tol 0. With
// rank alone, the error is at most √(m−1) times the least possible (Oseledets 2011).
// All cores but the last get orthonormal columns. It costs O(m d r³), never expands
// the tensor, errs if an entry is not finite, and leaves a as it was.
func (t *Tensor) Round(a *Tensor, rank int, tol float64) error {
	m := a.Order()
	right, r, err := rightOrthonormal(a.cores[1:])
	if err != nil {
		return err
	}
	var head mat.Dense
	head.Mul(a.cores[0].left(), r)
	rest := denseData(&head)
	_, width := head.Dims()
	// Behind orthonormal rows, the norm of the tensor is that of the first core.
	cut := 0.0
	if m > 1 {
		cut = tol * mat.Norm(&head, 2) / math.Sqrt(float64(m-1))
	}
	cores := make([]Core, 0, m)
	left := 1
	for k := range m - 1 {
		d := a.cores[k].Dim
		u, s, v, err := linalg.SVD(mat.NewDense(left*d, width, rest))
		if err != nil {
			return err
		}
		n := min(keep(s, rank, cut), max(1, linalg.Rank(s, linalg.Eps)))
		cores = append(cores, Core{left, d, n, denseData(u.Slice(0, left*d, 0, n))})
		var sv, next mat.Dense
		sv.Mul(mat.NewDiagDense(n, s[:n]), v.Slice(0, width, 0, n).T())
		next.Mul(&sv, right[k].right())
		rest, left, width = next.RawMatrix().Data, n, right[k].Right
	}
	if m == 1 {
		if !linalg.IsFinite(&head) {
			return linalg.ErrNotFinite
		}
	}
	t.cores = append(cores, Core{left, a.cores[m-1].Dim, 1, rest})
	return nil
}
