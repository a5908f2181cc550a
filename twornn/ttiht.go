package twornn

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
)

// TTIHT recovers H⁽ˡ⁾ as TIHT does, in tensor-train format throughout (Algorithm 2):
// the estimate is a train of rank R, the rows x₁⊗⋯⊗x_l of X are held as their factors,
// and no array of d^l numbers is ever made. It needs the rows: Fit keeps them for it,
// CollectRows does for FitCollection.
//
// With Batch zero every iteration sees all rows. The gradient Xᵀ(Y − XH) is computed
// within the tangent space of trains of rank R at H, where it is a train of rank 2R,
// and the step is exact there: O(N l d R²) an iteration.
//
// With Batch M it is the paper's algorithm: a random batch of M rows, whose gradient
// is a train of rank M added to H and rounded from rank R+M to R, O((R+M)³ (l d + p)) an
// iteration. The batch's sum is multiplied by γ = Step. Leave Batch zero unless an
// iteration over all rows takes too long: it needs fewer and shorter iterations to the
// same tensor, and batches end at the noise of a batch. A γ that converges shrinks with
// d^l, and from about d^l = 10⁴ on none does in thousands of iterations; steps set from
// the data do.
type TTIHT struct {
	// Batch is M. Zero means all rows.
	Batch int
	// Step is γ for a batch, for the gradient of the sum of squares over its rows. Zero
	// sets each step from the data, exact along the batch's gradient within the tangent
	// space and then shortened to the batch's share of the parameters.
	Step float64
	// Tol stops when ‖H' − H‖ ≤ Tol‖H'‖ (on all rows), or when the residual of a batch
	// is below Tol. Zero means 1e-10.
	Tol float64
	// MaxIterations is a hard limit. Zero means 2000.
	MaxIterations int
	// Seed draws the batches, and the start of the power method with which steps from
	// the data begin; fixed steps begin at zero. The same seed gives the same tensor.
	Seed uint64
}

var _ Recovery = TTIHT{}

func (TTIHT) NeedsRows() bool { return true }

// Recover implements Recovery.
func (o TTIHT) Recover(ctx context.Context, m *Measurements, rank int, rec Recorder) (*tt.Tensor, Stats, error) {
	return o.RecoverFrom(ctx, m, rank, nil, rec)
}

// RecoverFrom implements Continuation: it begins at the better of two starts.
func (o TTIHT) RecoverFrom(ctx context.Context, m *Measurements, rank int, shorter *tt.Tensor, rec Recorder) (*tt.Tensor, Stats, error) {
	st := Stats{Status: Converged, N: m.N(), Unknowns: m.Unknowns()}
	if rank <= 0 {
		return nil, st, errNoRank
	}
	if !m.HasRows() {
		return nil, st, fmt.Errorf("twornn: TTIHT needs the rows of H(%d), which this collection has folded; collect with CollectRows", m.length())
	}
	if o.Batch < 0 {
		return nil, st, fmt.Errorf("twornn: TTIHT.Batch is %d; it may not be negative", o.Batch)
	}
	x := newRowDesign(m, o.Seed)
	x.shorter = m.FromData(shorter)
	stop := stopping{Tol: o.Tol, MaxIterations: o.MaxIterations}.defaults()
	var h *tt.Tensor
	var err error
	switch {
	case m.Energy() == 0:
	case o.Batch > 0 && m.length() > 0:
		h, err = o.batches(ctx, x, &st, stop, rank, m, rec)
	default:
		h, err = descend(ctx, x, &st, stop, rank, m.length(), m.Energy(), rec)
	}
	if err != nil {
		return nil, st, err
	}
	if h == nil {
		h = zeroTrain(x.dims)
		st.Residuals = append(st.Residuals, linalg.Relative(m.Energy(), m.Energy()))
	}
	return m.ToData(h), st, nil
}

// zeroTrain returns the zero tensor.
func zeroTrain(dims []int) *tt.Tensor {
	var cores []tt.Core
	for _, d := range dims {
		cores = append(cores, tt.NewCore(1, d, 1))
	}
	return tt.New(cores...)
}

// rowDesign is a design held as rows of factors.
type rowDesign struct {
	dims []int
	n    int
	x    []*mat.Dense // x[t] is n×d: the t-th input of every row
	y    *mat.Dense   // n×p
	seed uint64

	shorter *tt.Tensor // that of words of l−1 letters, to begin at; may be nil
}

func newRowDesign(m *Measurements, seed uint64) *rowDesign {
	x := &rowDesign{dims: m.dims(), n: m.N(), seed: seed}
	x.x, x.y, _ = m.Rows()
	return x
}

// closeEnough is the share of ‖Y‖² below which what a start leaves is less than what any
// other start is likely to.
const closeEnough = 0.1

// only returns the design of the given rows.
func (x *rowDesign) only(rows []int) *rowDesign {
	_, p := x.y.Dims()
	b := &rowDesign{dims: x.dims, n: len(rows), y: mat.NewDense(len(rows), p, nil)}
	for _, f := range x.x {
		_, d := f.Dims()
		g := mat.NewDense(len(rows), d, nil)
		for i, r := range rows {
			copy(g.RawRowView(i), f.RawRowView(r))
		}
		b.x = append(b.x, g)
	}
	for i, r := range rows {
		copy(b.y.RawRowView(i), x.y.RawRowView(r))
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

// outputs returns X(H)⟨⟨l,1⟩⟩, n×p, one product a core.
func (x *rowDesign) outputs(h *tt.Tensor) *mat.Dense {
	P := ones(x.n)
	for t, f := range x.x {
		c := h.Core(t)
		P = through(P, matrices(f, c), c.Right)
	}
	var y mat.Dense
	y.Mul(P, rightOf(h.Core(len(x.x))))
	return &y
}

func (x *rowDesign) squaredError(h *tt.Tensor) (float64, error) {
	e := x.outputs(h)
	e.Sub(x.y, e)
	return linalg.Squared(e), nil
}

// start is where the shorter words lead, if that explains most of Y. Else it climbs from
// a random train to the leading directions of the gradient at zero XᵀY: the first rounds
// of a power method, none of which expands it.
func (x *rowDesign) start(rank int) (*tt.Tensor, error) {
	if h, err := x.longer(x.shorter, rank); h != nil || err != nil {
		if err != nil {
			return nil, err
		}
		sse, err := x.squaredError(h)
		if err != nil || sse < closeEnough*linalg.Squared(x.y) {
			return h, err
		}
	}
	rnd := rand.New(rand.NewPCG(x.seed, 1))
	cores := make([]tt.Core, len(x.dims))
	left := 1
	for k, d := range x.dims {
		right := rank
		if k == len(x.dims)-1 {
			right = 1
		}
		cores[k] = tt.NewCore(left, d, right)
		for i := range cores[k].Data {
			cores[k].Data[i] = rnd.NormFloat64()
		}
		left = right
	}
	h := tt.New(cores...)
	for range 5 {
		p, err := tt.NewPoint(h)
		if err != nil {
			return nil, err
		}
		g := x.project(p, x.y)
		if g.Norm() == 0 {
			return nil, nil
		}
		next := new(tt.Tensor)
		if err := next.Round(p.Embed(0, 1, g), rank, 0); err != nil {
			return nil, err
		}
		h = next
	}
	y := x.outputs(h)
	q := linalg.Squared(y)
	if q == 0 {
		return nil, nil
	}
	h.Scale(linalg.Inner(x.y, y)/q, h)
	return h, nil
}

// project returns Xᵀ E projected on the tangent space at p, for any n×p matrix E:
// for each core the product of what the cores before and after make of every row.
func (x *rowDesign) project(p *tt.Point, E *mat.Dense) tt.Tangent {
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
	P := ones(x.n)
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

func (x *rowDesign) gradient(p *tt.Point) (tt.Tangent, float64, error) {
	e := x.outputs(p.Tensor())
	e.Sub(x.y, e)
	return x.project(p, e), linalg.Squared(e), nil
}

func (x *rowDesign) quadratic(p *tt.Point, eta tt.Tangent) (float64, error) {
	return linalg.Squared(x.outputs(p.Embed(0, 1, eta))), nil
}

// batches is Algorithm 2 with mini-batches.
func (o TTIHT) batches(ctx context.Context, x *rowDesign, st *Stats, stop stopping, rank int, m *Measurements, rec Recorder) (*tt.Tensor, error) {
	rnd := rand.New(rand.NewPCG(o.Seed, 2))
	M := min(o.Batch, x.n)
	_, outputs := x.y.Dims()
	h := zeroTrain(x.dims)
	if o.Step == 0 {
		// From zero, steps within the tangent space would have nowhere to go.
		start, err := x.start(rank)
		if err != nil || start == nil {
			return nil, err
		}
		h = start
	}
	var order []int
	for st.Iterations < stop.MaxIterations {
		if ctx.Err() != nil {
			st.Status = Stopped
			return h, nil
		}
		if len(order) < M {
			order = rnd.Perm(x.n)
		}
		b := x.only(order[:M])
		order = order[M:]
		e := b.outputs(h)
		e.Sub(b.y, e)
		r := linalg.Relative(linalg.Squared(e), linalg.Squared(b.y))
		if math.IsNaN(r) || r > 1e6 {
			return nil, errDiverged(m.length(), st.Iterations, o.Step)
		}
		next := new(tt.Tensor)
		if o.Step > 0 {
			next.Add(h, b.gradientTrain(o.Step, e))
		} else {
			p, err := tt.NewPoint(h)
			if err != nil {
				return nil, err
			}
			g := b.project(p, e)
			q, err := b.quadratic(p, g)
			if err != nil {
				return nil, err
			}
			step := 0.0
			if q > 0 {
				// A batch of fewer equations than the train has parameters would be fitted
				// at the expense of the others: go its share of the way.
				share := float64(M*outputs) / float64(M*outputs+parameters(p))
				step = share * tt.DotTangents(g, g) / q
			}
			next = p.Embed(1, step, g)
		}
		rounded := new(tt.Tensor)
		if err := rounded.Round(next, rank, 0); err != nil {
			return nil, errDiverged(m.length(), st.Iterations, o.Step)
		}
		h = rounded
		st.Iterations++
		st.Residuals = append(st.Residuals, r)
		if rec != nil && rec.Record(Progress{"recover", m.length(), st.Iterations, r}) != nil {
			st.Status = Stopped
			return h, nil
		}
		if r <= stop.Tol {
			return h, nil
		}
	}
	st.Status = IterationLimit
	return h, nil
}

// parameters returns the number of entries of all cores.
func parameters(p *tt.Point) int {
	n := len(p.C.Data)
	for _, c := range p.U {
		n += len(c.Data)
	}
	return n
}

// gradientTrain returns γ Xᵀ E as the train of rank n that Equation 4 of the
// supplement gives: diagonal cores of the rows' factors.
func (x *rowDesign) gradientTrain(gamma float64, E *mat.Dense) *tt.Tensor {
	l := len(x.x)
	cores := make([]tt.Core, l+1)
	for t, f := range x.x {
		_, d := f.Dims()
		left := x.n
		if t == 0 {
			left = 1
		}
		c := tt.NewCore(left, d, x.n)
		for i := range x.n {
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
	cores[l] = tt.Core{Left: x.n, Dim: p, Right: 1, Data: mat.DenseCopyOf(E).RawMatrix().Data}
	return tt.New(cores...)
}
