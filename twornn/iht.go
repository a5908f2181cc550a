package twornn

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
)

// IHT recovers H⁽ˡ⁾ by iterative hard thresholding (Algorithm 1, lines 8 to 12):
// gradient steps
//
//	(H)⟨⟨l,1⟩⟩ ← (H)⟨⟨l,1⟩⟩ + γ Xᵀ(Y − X (H)⟨⟨l,1⟩⟩)
//
// from H = 0, each brought back to tensors whose reshape ⟨⟨⌈l/2⌉, l−⌈l/2⌉+1⟩⟩ has
// matrix rank at most R by a truncated SVD. It costs O(d^{2l}p) an iteration, whatever
// N. It errs if d^l exceeds 4096 or no rank is given.
//
// With Step zero the gradient is taken within the tangent space of those tensors and
// the step is exact there, so nothing has to be tuned and the residual never rises. After a
// dozen such steps the next go to the least of the whole tangent space (Gauss-Newton), at
// O(d^l p k²) for its k dimensions, unless those are more than 400.
type IHT struct {
	// Step is the paper's fixed γ, for the gradient Xᵀ(Y − XH) of the sum of squares: over
	// the measurements as they are with Recover, over those that Fit has brought to unit
	// second moments with Fit. Zero sets each step from the data.
	Step float64
	// Tol stops when ‖H' − H‖ ≤ Tol‖H'‖. Zero means 1e-10, or where a step gains less than
	// the noise lets one see.
	Tol float64
	// MaxIterations is a hard limit. Zero means 2000.
	MaxIterations int
}

// TIHT is IHT on tensors of tensor-train rank at most R, by TT-SVD.
type TIHT struct {
	// Step, Tol and MaxIterations are as in IHT.
	Step          float64
	Tol           float64
	MaxIterations int
}

var _, _ Recovery = IHT{}, TIHT{}

// Recover implements Recovery.
func (o IHT) Recover(ctx context.Context, m *Measurements, rank int, rec Recorder) (*tt.Tensor, Stats, error) {
	l, d, p := m.Dims()
	half := (l + 1) / 2
	dims := []int{linalg.Pow(d, half), linalg.Pow(d, l-half) * p}
	return recovering(ctx, rec, func(rec Recorder) (*tt.Tensor, Stats, error) { return TIHT(o).over(ctx, m, dims, rank, rec) })
}

// Recover implements Recovery.
func (o TIHT) Recover(ctx context.Context, m *Measurements, rank int, rec Recorder) (*tt.Tensor, Stats, error) {
	return recovering(ctx, rec, func(rec Recorder) (*tt.Tensor, Stats, error) { return o.over(ctx, m, m.dims(), rank, rec) })
}

// over is Recover for the shape that is to have low rank.
func (o TIHT) over(ctx context.Context, m *Measurements, dims []int, rank int, rec Recorder) (*tt.Tensor, Stats, error) {
	st := Stats{Status: Converged, N: m.N(), Unknowns: m.Unknowns()}
	if err := checkSteps("IHT or TIHT", o.Step, o.Tol, o.MaxIterations); err != nil {
		return nil, st, err
	}
	if rank <= 0 {
		return nil, st, errNoRank
	}
	l, _, p := m.Dims()
	x, err := newDenseDesign(m, dims)
	if err != nil {
		return nil, st, err
	}
	stop := stopping{Tol: o.Tol, MaxIterations: o.MaxIterations}
	if o.Tol == 0 {
		stop.noise = float64(m.N() * p)
	}
	stop = stop.defaults()
	var h *tt.Tensor
	if o.Step > 0 {
		h, err = x.fixedSteps(ctx, &st, stop, o.Step, rank, m, rec)
	} else {
		h, err = descend(ctx, x, &st, stop, rank, l, m.Energy(), rec)
	}
	if err != nil {
		return nil, st, err
	}
	if h == nil { // Y is zero, or nothing was done
		h, err = tt.SVD(make([]float64, x.c*p), dims, 1, 0)
		st.Residuals = append(st.Residuals, linalg.Relative(m.Energy(), m.Energy()))
	}
	if err == nil && h.Order() != l+1 {
		var full []float64
		if full, err = h.Full(); err == nil {
			h, err = tt.SVD(full, m.dims(), 0, 1e-14)
		}
	}
	return m.ToData(h), st, err
}

// denseDesign is a design held as XᵀX and XᵀY.
type denseDesign struct {
	dims   []int
	c, p   int
	G, C   *mat.Dense // XᵀX and XᵀY, c×c and c×p
	A, B   *mat.Dense // their square roots, for errors to full precision
	energy float64

	// Room for newton.
	J      *mat.Dense
	N      *mat.SymDense
	turned []float64
}

func newDenseDesign(m *Measurements, dims []int) (*denseDesign, error) {
	A, B, err := m.System()
	if err != nil {
		return nil, err
	}
	_, c := A.Dims()
	_, p := B.Dims()
	x := &denseDesign{dims: dims, c: c, p: p, G: new(mat.Dense), C: new(mat.Dense), A: A, B: B, energy: m.Energy(), J: new(mat.Dense)}
	x.G.Mul(A.T(), A)
	x.C.Mul(A.T(), B)
	if !linalg.IsFinite(x.G) || !linalg.IsFinite(x.C) {
		return nil, linalg.ErrNotFinite
	}
	return x, nil
}

// matrix returns the tensor as (H)⟨⟨l,1⟩⟩.
func (x *denseDesign) matrix(h *tt.Tensor) (*mat.Dense, error) {
	full, err := h.Full()
	if err != nil {
		return nil, err
	}
	return mat.NewDense(x.c, x.p, full), nil
}

func (x *denseDesign) Start(rank int) (*tt.Tensor, error) {
	h, err := tt.SVD(x.C.RawMatrix().Data, x.dims, rank, 0)
	if err != nil {
		return nil, err
	}
	H, err := x.matrix(h)
	if err != nil {
		return nil, err
	}
	q := linalg.Inner(H, linalg.Times(x.G, H))
	if q == 0 {
		return nil, nil
	}
	h.Scale(linalg.Inner(x.C, H)/q, h)
	return h, nil
}

func (x *denseDesign) Gradient(p *tt.Point) (tt.Tangent, float64, error) {
	H, err := x.matrix(p.Tensor())
	if err != nil {
		return tt.Tangent{}, 0, err
	}
	// Through the residual and not as XᵀY − XᵀX H: near a perfect fit that difference
	// would be of numbers that agree in all digits.
	e := linalg.Residual(x.A, x.B, H)
	return p.ProjectDense(linalg.TransposedTimes(x.A, e).RawMatrix().Data), linalg.Squared(e), nil
}

// newton implements newtonian. It costs O(d^l p k²), k the dimension of the tangent space.
func (x *denseDesign) newton(p *tt.Point, g tt.Tangent, mu float64) (tt.Tangent, bool) {
	c := tt.NewChart(p)
	k := c.Dim()
	if k > maxTangent {
		return tt.Tangent{}, false
	}
	if _, have := x.J.Dims(); have != k {
		x.J, x.N = new(mat.Dense), mat.NewSymDense(k, nil)
	}
	c.Design(x.J, x.A, x.p)
	N := x.N
	clear(N.RawSymmetric().Data)
	linalg.AddGram(N.RawSymmetric().Data, x.J.RawMatrix().Data, k, &x.turned)
	trace := 0.0
	for i := range k {
		trace += N.At(i, i)
	}
	for i := range k {
		N.SetSym(i, i, N.At(i, i)+mu*trace/float64(k))
	}
	R, ok := linalg.Cholesky(N)
	if !ok {
		return tt.Tangent{}, false
	}
	eta := c.Coordinates(g)
	v := blas64.Vector{N: k, Inc: 1, Data: eta}
	blas64.Trsv(blas.Trans, R, v)
	blas64.Trsv(blas.NoTrans, R, v)
	return c.Tangent(eta), linalg.FiniteVector(mat.NewVecDense(k, eta))
}

// maxTangent bounds the dimension of tangent spaces over which least squares is solved.
const maxTangent = 400

func (x *denseDesign) Quadratic(p *tt.Point, eta tt.Tangent) (float64, error) {
	E, err := x.matrix(p.Embed(0, 1, eta))
	if err != nil {
		return 0, err
	}
	return linalg.Inner(E, linalg.Times(x.G, E)), nil
}

func (x *denseDesign) SquaredError(h *tt.Tensor) (float64, error) {
	H, err := x.matrix(h)
	if err != nil {
		return 0, err
	}
	return linalg.Squared(linalg.Residual(x.A, x.B, H)), nil
}

// fixedSteps is the paper's iteration to the letter, with a fixed step.
func (x *denseDesign) fixedSteps(ctx context.Context, st *Stats, o stopping, step float64, rank int, m *Measurements, rec Recorder) (*tt.Tensor, error) {
	H := mat.NewDense(x.c, x.p, nil)
	var h *tt.Tensor
	for st.Iterations < o.MaxIterations {
		if ctx.Err() != nil {
			st.Status = Stopped
			return h, nil
		}
		e := linalg.Residual(x.A, x.B, H)
		var next mat.Dense
		next.Scale(step, linalg.TransposedTimes(x.A, e))
		next.Add(H, &next)
		if !linalg.IsFinite(&next) || linalg.Squared(e) > 1e12*x.energy {
			return nil, errDiverged(m.length(), st.Iterations, step)
		}
		t, err := tt.SVD(next.RawMatrix().Data, x.dims, rank, 0)
		if err != nil {
			return nil, err
		}
		to, err := x.matrix(t)
		if err != nil {
			return nil, err
		}
		var moved mat.Dense
		moved.Sub(to, H)
		h, H = t, to
		r := linalg.Relative(linalg.Squared(linalg.Residual(x.A, x.B, H)), m.Energy())
		st.Iterations++
		st.Residuals = append(st.Residuals, r)
		if stops(rec, Progress{"recover", m.length(), st.Iterations, r}) {
			st.Status = Stopped
			return h, nil
		}
		if mat.Norm(&moved, 2) <= o.Tol*mat.Norm(H, 2) {
			return h, nil
		}
	}
	st.Status = IterationLimit
	if r := st.Residuals; len(r) > 0 && !(r[len(r)-1] <= math.Max(1, r[0])) {
		return nil, errDiverged(m.length(), st.Iterations, step)
	}
	return h, nil
}
