package tangent

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/als"
	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
)

// Dense is a Design held as XᵀX and XᵀY.
type Dense struct {
	dims []int
	c, p int
	G, C *mat.Dense // XᵀX and XᵀY, c×c and c×p
	A, B *mat.Dense // their square roots, for errors to full precision

	// Room for newton.
	J      *mat.Dense
	N      *mat.SymDense
	turned []float64
}

// NewDense returns the design of the measurements with ‖B − A H‖² = ‖Y − X H‖², A having d^l
// columns and B p, of tensors of the given dimensions: of those the rank is meant. It errs if
// their products are not finite.
func NewDense(A, B *mat.Dense, dims []int) (*Dense, error) {
	_, c := A.Dims()
	_, p := B.Dims()
	x := &Dense{dims: dims, c: c, p: p, G: new(mat.Dense), C: new(mat.Dense), A: A, B: B, J: new(mat.Dense)}
	x.G.Mul(A.T(), A)
	x.C.Mul(A.T(), B)
	if !linalg.IsFinite(x.G) || !linalg.IsFinite(x.C) {
		return nil, linalg.ErrNotFinite
	}
	return x, nil
}

// matrix returns the tensor as (H)⟨⟨l,1⟩⟩.
func (x *Dense) matrix(h *tt.Tensor) (*mat.Dense, error) {
	full, err := h.Full()
	if err != nil {
		return nil, err
	}
	return mat.NewDense(x.c, x.p, full), nil
}

// Start implements Design.
func (x *Dense) Start(rank int) (*tt.Tensor, error) {
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

// Gradient implements Design.
func (x *Dense) Gradient(p *tt.Point) (tt.Tangent, float64, error) {
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
func (x *Dense) newton(p *tt.Point, g tt.Tangent, mu float64) (tt.Tangent, bool) {
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

// Quadratic implements Design.
func (x *Dense) Quadratic(p *tt.Point, eta tt.Tangent) (float64, error) {
	E, err := x.matrix(p.Embed(0, 1, eta))
	if err != nil {
		return 0, err
	}
	return linalg.Inner(E, linalg.Times(x.G, E)), nil
}

// SquaredError implements Design.
func (x *Dense) SquaredError(h *tt.Tensor) (float64, error) {
	H, err := x.matrix(h)
	if err != nil {
		return 0, err
	}
	return linalg.Squared(linalg.Residual(x.A, x.B, H)), nil
}

// FixedSteps is the paper's iteration to the letter, with a fixed step γ, from zero. It returns
// nil if it was stopped before the first, and ErrDiverged if the step is too long.
func (x *Dense) FixedSteps(ctx context.Context, r *Run, step float64, rank int) (*tt.Tensor, error) {
	H := mat.NewDense(x.c, x.p, nil)
	var h *tt.Tensor
	for r.Iterations < r.MaxIterations {
		if ctx.Err() != nil {
			r.Status = als.Stopped
			return h, nil
		}
		e := linalg.Residual(x.A, x.B, H)
		var next mat.Dense
		next.Scale(step, linalg.TransposedTimes(x.A, e))
		next.Add(H, &next)
		if !linalg.IsFinite(&next) || linalg.Squared(e) > 1e12*r.Energy {
			return nil, ErrDiverged
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
		if r.told(linalg.Relative(linalg.Squared(linalg.Residual(x.A, x.B, H)), r.Energy)) {
			return h, nil
		}
		if mat.Norm(&moved, 2) <= r.Tol*mat.Norm(H, 2) {
			return h, nil
		}
	}
	r.Status = als.Limit
	if all := r.Residuals; len(all) > 0 && !(all[len(all)-1] <= math.Max(1, all[0])) {
		return nil, ErrDiverged
	}
	return h, nil
}
