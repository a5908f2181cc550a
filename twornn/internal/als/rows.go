package als

import (
	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
	"gonum.org/v1/gonum/mat"
)

// ZeroTrain returns the zero tensor.
func ZeroTrain(dims []int) *tt.Tensor {
	var cores []tt.Core
	for _, d := range dims {
		cores = append(cores, tt.NewCore(1, d, 1))
	}
	return tt.New(cores...)
}

// CopyCores returns copies of the cores.
func CopyCores(cores []tt.Core) []tt.Core {
	out := make([]tt.Core, len(cores))
	for k, c := range cores {
		out[k] = tt.NewCore(c.Left, c.Dim, c.Right)
		copy(out[k].Data, c.Data)
	}
	return out
}

// Rows is a design held as rows of factors.
type Rows struct {
	Dims []int
	N    int
	x    []*mat.Dense // x[t] is n×d: the t-th input of every row
	Y    *mat.Dense   // n×p
	seed uint64

	Shorter *tt.Tensor // that of words of l−1 letters, to begin at; may be nil
}

// New returns the rows with the inputs x[t], N×d, and the outputs y, N×p.
func New(x []*mat.Dense, y *mat.Dense, seed uint64) *Rows {
	n, p := y.Dims()
	r := &Rows{N: n, x: x, Y: y, seed: seed}
	for _, f := range x {
		_, d := f.Dims()
		r.Dims = append(r.Dims, d)
	}
	r.Dims = append(r.Dims, p)
	return r
}

// closeEnough is the share of ‖Y‖² below which what a start leaves is less than what any
// other start is likely to.
const closeEnough = 0.1

// Only returns the design of the given rows.
func (x *Rows) Only(rows []int) *Rows {
	_, p := x.Y.Dims()
	b := &Rows{Dims: x.Dims, N: len(rows), Y: mat.NewDense(len(rows), p, nil)}
	for _, f := range x.x {
		_, d := f.Dims()
		g := mat.NewDense(len(rows), d, nil)
		for i, r := range rows {
			copy(g.RawRowView(i), f.RawRowView(r))
		}
		b.x = append(b.x, g)
	}
	for i, r := range rows {
		copy(b.Y.RawRowView(i), x.Y.RawRowView(r))
	}
	return b
}

// rowwise returns the n×(a·b) matrix whose rows are p_i ⊗ s_i.
func rowwise(p, s *mat.Dense) *mat.Dense {
	n, a := p.Dims()
	_, b := s.Dims()
	k := mat.NewDense(n, a*b, nil)
	for i := range n {
		dst, ss := k.RawRowView(i), s.RawRowView(i)
		for j, v := range p.RawRowView(i) {
			for l, w := range ss {
				dst[j*b+l] = v * w
			}
		}
	}
	return k
}

// matrices returns, for every row i, the matrix Σ_j x_i[j] G[j] of a core, Left×Right
// numbers in row i: one product of X with the core turned to Dim×(Left·Right). The
// long side of X meets few columns, so that is the order in which it is cheap.
func matrices(x *mat.Dense, c tt.Core) *mat.Dense {
	g := mat.NewDense(c.Dim, c.Left*c.Right, nil)
	for a := range c.Left {
		for j := range c.Dim {
			copy(g.RawRowView(j)[a*c.Right:], c.Data[(a*c.Dim+j)*c.Right:(a*c.Dim+j+1)*c.Right])
		}
	}
	var w mat.Dense
	w.Mul(x, g)
	return &w
}

// through returns the rows p_i M_i for the matrices of matrices, times their vectors
// from the left; back returns M_i s_i, from the right.
func through(p, matrices *mat.Dense, right int) *mat.Dense {
	n, left := p.Dims()
	out := mat.NewDense(n, right, nil)
	for i := range n {
		dst, m := out.RawRowView(i), matrices.RawRowView(i)
		for a, v := range p.RawRowView(i)[:left] {
			for b, w := range m[a*right : (a+1)*right] {
				dst[b] += v * w
			}
		}
	}
	return out
}

func back(s, matrices *mat.Dense, left int) *mat.Dense {
	n, right := s.Dims()
	out := mat.NewDense(n, left, nil)
	for i := range n {
		dst, m, v := out.RawRowView(i), matrices.RawRowView(i), s.RawRowView(i)
		for a := range dst {
			dst[a] = linalg.Dot(m[a*right:(a+1)*right], v)
		}
	}
	return out
}

func ones(n int) *mat.Dense {
	o := mat.NewDense(n, 1, nil)
	for i := range n {
		o.Set(i, 0, 1)
	}
	return o
}

// rightOf is the unfolding Left×(Dim·Right).
func rightOf(c tt.Core) *mat.Dense { return mat.NewDense(c.Left, c.Dim*c.Right, c.Data) }

// leftOf is the unfolding (Left·Dim)×Right.
func leftOf(c tt.Core) *mat.Dense { return mat.NewDense(c.Left*c.Dim, c.Right, c.Data) }

// Outputs returns X(H)⟨⟨l,1⟩⟩, n×p, one product a core.
func (x *Rows) Outputs(h *tt.Tensor) *mat.Dense {
	P := ones(x.N)
	for t, f := range x.x {
		c := h.Core(t)
		P = through(P, matrices(f, c), c.Right)
	}
	var y mat.Dense
	y.Mul(P, rightOf(h.Core(len(x.x))))
	return &y
}

// SquaredError returns ‖Y − XH‖².
func (x *Rows) SquaredError(h *tt.Tensor) (float64, error) {
	e := x.Outputs(h)
	e.Sub(x.Y, e)
	return linalg.Squared(e), nil
}

// Project returns Xᵀ E projected on the tangent space at p, for any n×p matrix E:
// for each core the product of what the cores before and after make of every row.
func (x *Rows) Project(p *tt.Point, E *mat.Dense) tt.Tangent {
	l := len(x.x)
	// S[k] is n×r_k: the rows of E and the factors after core k, through the cores V.
	S := make([]*mat.Dense, l+1)
	S[l] = new(mat.Dense)
	if l > 0 {
		S[l].Mul(E, rightOf(p.V[l-1]).T())
	}
	for k := l - 1; k > 0; k-- {
		c := p.V[k-1]
		S[k] = back(S[k+1], matrices(x.x[k], c), c.Left)
	}
	delta := make([]tt.Core, l+1)
	P := ones(x.N)
	for k, f := range x.x {
		u := p.U[k]
		var g mat.Dense // d×(Left·Right)
		g.Mul(f.T(), rowwise(P, S[k+1]))
		delta[k] = tt.NewCore(u.Left, u.Dim, u.Right)
		for a := range u.Left {
			for j := range u.Dim {
				copy(delta[k].Data[(a*u.Dim+j)*u.Right:(a*u.Dim+j+1)*u.Right], g.RawRowView(j)[a*u.Right:])
			}
		}
		P = through(P, matrices(f, u), u.Right)
	}
	var d mat.Dense
	d.Mul(P.T(), E)
	delta[l] = tt.Core{Left: p.C.Left, Dim: p.C.Dim, Right: 1, Data: d.RawMatrix().Data}
	return p.Gauge(delta)
}

// Gradient returns Xᵀ(Y − XH) projected on the tangent space at H, and ‖Y − XH‖².
func (x *Rows) Gradient(p *tt.Point) (tt.Tangent, float64, error) {
	e := x.Outputs(p.Tensor())
	e.Sub(x.Y, e)
	return x.Project(p, e), linalg.Squared(e), nil
}

// Quadratic returns ‖Xη‖² for a tangent η at p.
func (x *Rows) Quadratic(p *tt.Point, eta tt.Tangent) (float64, error) {
	return linalg.Squared(x.Outputs(p.Embed(0, 1, eta))), nil
}

// GradientTrain returns γ Xᵀ E as the train of rank n that Equation 4 of the
// supplement gives: diagonal cores of the rows' factors.
func (x *Rows) GradientTrain(gamma float64, E *mat.Dense) *tt.Tensor {
	l := len(x.x)
	cores := make([]tt.Core, l+1)
	for t, f := range x.x {
		_, d := f.Dims()
		left := x.N
		if t == 0 {
			left = 1
		}
		c := tt.NewCore(left, d, x.N)
		for i := range x.N {
			for j, v := range f.RawRowView(i) {
				if t == 0 {
					c.Set(0, j, i, gamma*v)
				} else {
					c.Set(i, j, i, v)
				}
			}
		}
		cores[t] = c
	}
	_, p := E.Dims()
	cores[l] = tt.Core{Left: x.N, Dim: p, Right: 1, Data: mat.DenseCopyOf(E).RawMatrix().Data}
	return tt.New(cores...)
}

// sizes returns the ‖x₁⊗⋯⊗x_l‖² of the rows, the mean of each factor's being 1.
func (x *Rows) sizes() []float64 {
	q := make([]float64, x.N)
	for i := range q {
		q[i] = 1
	}
	for _, f := range x.x {
		mean := linalg.Squared(f) / float64(x.N)
		if mean == 0 {
			continue
		}
		for i := range q {
			row := f.RawRowView(i)
			q[i] *= linalg.Dot(row, row) / mean
		}
	}
	return q
}

// bonds returns the ranks that the dimensions can carry, at most rank each.
func bonds(dims []int, rank int) []int {
	out := make([]int, len(dims)-1)
	left := 1
	for k := range out {
		left = min(left*dims[k], rank)
		out[k] = left
	}
	right := 1
	for k := len(out) - 1; k >= 0; k-- {
		right = min(right*dims[k+1], rank)
		out[k] = min(out[k], right)
	}
	return out
}

// parametersAt returns the number of free parameters of trains of the rank.
func parametersAt(dims []int, rank int) (n int) {
	left := 1
	for k, right := range append(bonds(dims, rank), 1) {
		n += left * dims[k] * right
		if k < len(dims)-1 {
			n -= right * right
		}
		left = right
	}
	return n
}
