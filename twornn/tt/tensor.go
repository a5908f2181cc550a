package tt

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// MaxFull is the number of entries up to which Full and Unfold expand a tensor.
const MaxFull = 1 << 27

// ErrSize is wrapped by the error of an expansion to more than MaxFull entries.
var ErrSize = errors.New("tt: too large to expand")

// Core is one core of a train: the matrices G[0], …, G[Dim−1], each Left×Right.
// Entry (a, i, b) is Data[(a·Dim+i)·Right+b], so that Data is, without a copy, both
// the (Left·Dim)×Right and the Left×(Dim·Right) unfolding.
type Core struct {
	Left, Dim, Right int
	Data             []float64
}

// NewCore returns a core of zeros.
func NewCore(left, dim, right int) Core {
	return Core{left, dim, right, make([]float64, left*dim*right)}
}

// At returns the entry (a, i, b).
func (c Core) At(a, i, b int) float64 { return c.Data[(a*c.Dim+i)*c.Right+b] }

// Set sets the entry (a, i, b).
func (c Core) Set(a, i, b int, v float64) { c.Data[(a*c.Dim+i)*c.Right+b] = v }

// Slice returns the matrix G[i] as a view.
func (c Core) Slice(i int) mat.Matrix { return coreSlice{c, i} }

type coreSlice struct {
	c Core
	i int
}

func (s coreSlice) Dims() (int, int)    { return s.c.Left, s.c.Right }
func (s coreSlice) At(a, b int) float64 { return s.c.At(a, s.i, b) }
func (s coreSlice) T() mat.Matrix       { return mat.Transpose{Matrix: s} }

// left returns the (Left·Dim)×Right unfolding, right the Left×(Dim·Right) one: views.
func (c Core) left() *mat.Dense  { return mat.NewDense(c.Left*c.Dim, c.Right, c.Data) }
func (c Core) right() *mat.Dense { return mat.NewDense(c.Left, c.Dim*c.Right, c.Data) }

// Tensor is a tensor in tensor-train format, of order one or more.
type Tensor struct{ cores []Core }

// New returns the tensor ⟦cores⟧, whose data it shares. It panics if there is no
// core, a core is empty, or the ranks of neighbours disagree; the outer ranks are 1.
func New(cores ...Core) *Tensor {
	if len(cores) == 0 {
		panic("tt: no cores")
	}
	r := 1
	for _, c := range cores {
		if c.Left != r || c.Dim <= 0 || c.Right <= 0 || len(c.Data) != c.Left*c.Dim*c.Right {
			panic("tt: dimension mismatch: cores")
		}
		r = c.Right
	}
	if r != 1 {
		panic("tt: dimension mismatch: the last core's right rank is not 1")
	}
	return &Tensor{cores}
}

// Order returns the number of indices.
func (t *Tensor) Order() int { return len(t.cores) }

// Core returns core k, counted from 0, whose data it shares.
func (t *Tensor) Core(k int) Core { return t.cores[k] }

// Dims returns the dimensions d₁, …, d_m.
func (t *Tensor) Dims() []int {
	d := make([]int, len(t.cores))
	for k, c := range t.cores {
		d[k] = c.Dim
	}
	return d
}

// Ranks returns the ranks r₁, …, r_{m−1} of the bonds between the cores.
func (t *Tensor) Ranks() []int {
	r := make([]int, 0, len(t.cores)-1)
	for _, c := range t.cores[1:] {
		r = append(r, c.Left)
	}
	return r
}

// At returns the entry at the given indices, one an index, counted from 0, in
// O(m r²). It panics if their number is not the order or one is out of range.
func (t *Tensor) At(index ...int) float64 {
	if len(index) != len(t.cores) {
		panic("tt: dimension mismatch: index")
	}
	row := []float64{1}
	for k, c := range t.cores {
		if index[k] < 0 || index[k] >= c.Dim {
			panic("tt: index out of range")
		}
		next := make([]float64, c.Right)
		for a, w := range row {
			for b := range next {
				next[b] += w * c.At(a, index[k], b)
			}
		}
		row = next
	}
	return row[0]
}

// Full returns all entries in row-major order. It errs, before it allocates, if
// they are more than MaxFull.
func (t *Tensor) Full() ([]float64, error) {
	m, err := t.Unfold(0)
	if err != nil {
		return nil, err
	}
	return m.RawMatrix().Data, nil
}

// Unfold returns the reshape (T)⟨⟨k, m−k⟩⟩: the matrix whose rows are the first k
// indices and whose columns are the others. It errs as Full does, and panics
// unless 0 ≤ k ≤ m.
func (t *Tensor) Unfold(k int) (*mat.Dense, error) {
	if k < 0 || k > len(t.cores) {
		panic("tt: no such unfolding")
	}
	size, rows := 1.0, 1
	for j, c := range t.cores {
		size *= float64(c.Dim)
		if j < k {
			rows *= c.Dim
		}
	}
	if size > MaxFull {
		return nil, fmt.Errorf("%w: %.3g entries, at most %d", ErrSize, size, MaxFull)
	}
	full := mat.NewDense(1, 1, []float64{1})
	for _, c := range t.cores {
		// full is (d₁⋯d_j)×r_j; times the core it is (d₁⋯d_j)×(d_{j+1} r_{j+1}).
		var next mat.Dense
		next.Mul(full, c.right())
		r, q := next.Dims()
		full = mat.NewDense(r*q/c.Right, c.Right, next.RawMatrix().Data)
	}
	return mat.NewDense(rows, int(size)/rows, full.RawMatrix().Data), nil
}

// Norm returns the Frobenius norm, in O(m d r³).
func (t *Tensor) Norm() float64 { return math.Sqrt(max(0, Dot(t, t))) }

// Dot returns the inner product Σ a[i₁, …, i_m] b[i₁, …, i_m], in O(m d r³).
// It panics if the dimensions differ.
func Dot(a, b *Tensor) float64 {
	if a.Order() != b.Order() {
		panic("tt: dimension mismatch")
	}
	return leftProduct(a, b, a.Order()).At(0, 0)
}
