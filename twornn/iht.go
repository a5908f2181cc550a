package twornn

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
)

// IHT recovers H⁽ˡ⁾ by iterative hard thresholding (Algorithm 1, lines 8 to 11):
// gradient steps
//
//	(H)⟨⟨l,1⟩⟩ ← (H)⟨⟨l,1⟩⟩ + γ Xᵀ(Y − X (H)⟨⟨l,1⟩⟩)
//
// from H = 0, each projected by a truncated SVD on tensors whose reshape
// ⟨⟨⌈l/2⌉, l−⌈l/2⌉+1⟩⟩ has matrix rank at most R. It costs O(d^{2l}p) an iteration,
// whatever N, and errs if d^l exceeds 4096 or no rank is given.
type IHT struct {
	// Step is γ, for the gradient XᵀX H − XᵀY. Zero sets it from the data at each
	// iteration, by the curvature along the last step, and halves it until the
	// residual does not rise.
	Step float64
	// Tol stops when ‖H' − H‖ ≤ Tol‖H'‖. Zero means 1e-10.
	Tol float64
	// MaxIterations is a hard limit. Zero means 2000.
	MaxIterations int
}

// TIHT is IHT with the projection on tensors of tensor-train rank at most R, by
// TT-SVD.
type TIHT struct {
	// Step, Tol and MaxIterations are as in IHT.
	Step          float64
	Tol           float64
	MaxIterations int
}

var _, _ Recovery = IHT{}, TIHT{}

// Recover implements Recovery.
func (o IHT) Recover(ctx context.Context, m *Measurements, rank int, rec Recorder) (*tt.Tensor, Stats, error) {
	half := (m.length + 1) / 2
	dims := []int{pow(m.d, half), pow(m.d, m.length-half) * m.p}
	return thresholding(o).recover(ctx, m, dims, rank, rec)
}

// Recover implements Recovery.
func (o TIHT) Recover(ctx context.Context, m *Measurements, rank int, rec Recorder) (*tt.Tensor, Stats, error) {
	return thresholding(o).recover(ctx, m, hankelDims(m.length, m.d, m.p), rank, rec)
}

// thresholding is IHT and TIHT: they differ in the shape that is brought to low rank.
type thresholding struct {
	Step          float64
	Tol           float64
	MaxIterations int
}

func (o thresholding) recover(ctx context.Context, m *Measurements, dims []int, rank int, rec Recorder) (*tt.Tensor, Stats, error) {
	st := Stats{N: m.N(), Unknowns: m.Unknowns()}
	if rank <= 0 {
		return nil, st, errNoRank
	}
	if o.Tol == 0 {
		o.Tol = 1e-10
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 2000
	}
	A, B, err := m.system()
	if err != nil {
		return nil, st, err
	}
	c, p := m.columns(), m.p
	var G, C mat.Dense // XᵀX and XᵀY
	G.Mul(A.T(), A)
	C.Mul(A.T(), B)
	if !linalg.IsFinite(&G) || !linalg.IsFinite(&C) {
		return nil, st, linalg.ErrNotFinite
	}

	var (
		H       = mat.NewDense(c, p, nil)
		train   *tt.Tensor
		sse     = m.energy
		grad    = mat.DenseCopyOf(&C) // C − G H
		gamma   = o.Step
		least   = 1 / largest(&G) // a step that cannot overshoot
		blocked = false
	)
	if gamma == 0 {
		gamma = least
	}
	project := func(h *mat.Dense) (*mat.Dense, *tt.Tensor, error) {
		t, err := tt.SVD(h.RawMatrix().Data, dims, rank, 0)
		if err != nil {
			return nil, nil, err
		}
		full, err := t.Full()
		return mat.NewDense(c, p, full), t, err
	}
	for st.Iterations < o.MaxIterations && !blocked {
		if ctx.Err() != nil {
			st.Status = Stopped
			break
		}
		var next, step, gs *mat.Dense
		var nextTrain *tt.Tensor
		var nextSSE float64
		for {
			var moved mat.Dense
			moved.Scale(gamma, grad)
			moved.Add(H, &moved)
			if next, nextTrain, err = project(&moved); err != nil {
				if o.Step > 0 {
					return nil, st, errDiverged(m.length, st.Iterations, o.Step)
				}
				return nil, st, err
			}
			// ‖Y − X(H+S)‖² = ‖Y − XH‖² − 2⟨grad, S⟩ + ⟨S, GS⟩.
			step, gs = new(mat.Dense), new(mat.Dense)
			step.Sub(next, H)
			gs.Mul(&G, step)
			nextSSE = sse - 2*inner(grad, step) + inner(step, gs)
			if o.Step > 0 || nextSSE <= sse*(1+1e-14) {
				break
			}
			if gamma <= least/1024 {
				blocked = true // no step lowers the residual any more
				break
			}
			gamma /= 2
		}
		if blocked {
			break
		}
		if math.IsNaN(nextSSE) || nextSSE > 1e6*m.energy {
			return nil, st, errDiverged(m.length, st.Iterations, gamma)
		}
		moved, size := mat.Norm(step, 2), mat.Norm(next, 2)
		H, train, sse = next, nextTrain, max(0, nextSSE)
		grad.Sub(grad, gs)
		st.Iterations++
		st.Residuals = append(st.Residuals, relative(sse, m.energy))
		if rec != nil && rec.Record(Progress{"recover", m.length, st.Iterations, relative(sse, m.energy)}) != nil {
			st.Status = Stopped
			break
		}
		if moved <= o.Tol*size {
			blocked = true
			break
		}
		if curvature := inner(step, gs); o.Step == 0 && curvature > 0 {
			// The step that would be exact along the last one (Barzilai and Borwein
			// 1988). Directions that the projection cuts off do not slow it down.
			gamma = max(least, min(moved*moved/curvature, 1e3*least))
		}
		if st.Iterations%50 == 0 {
			// The running differences collect rounding errors; start them afresh.
			grad.Mul(&G, H)
			grad.Sub(&C, grad)
			sse = squared(residual(A, B, H))
		}
	}
	if st.Status != Stopped && !blocked {
		st.Status = IterationLimit
	}
	if train == nil {
		if train, err = tt.SVD(H.RawMatrix().Data, dims, 1, 0); err != nil {
			return nil, st, err
		}
	}
	h, err := reshaped(train, m)
	return h, st, err
}

// reshaped returns a train over other dimensions as one over d, …, d, p.
func reshaped(t *tt.Tensor, m *Measurements) (*tt.Tensor, error) {
	if t.Order() == m.length+1 {
		return t, nil
	}
	full, err := t.Full()
	if err != nil {
		return nil, err
	}
	return tt.SVD(full, hankelDims(m.length, m.d, m.p), 0, 1e-14)
}

// largest returns the largest eigenvalue of the symmetric matrix g, or a bound just
// above it, by the power method.
func largest(g *mat.Dense) float64 {
	n, _ := g.Dims()
	v := mat.NewVecDense(n, nil)
	for i := range n {
		v.SetVec(i, 1+1/float64(i+1)) // no symmetry to be stuck in
	}
	var w mat.VecDense
	lambda := 0.0
	for range 100 {
		w.MulVec(g, v)
		size := mat.Norm(&w, 2)
		if size == 0 {
			return 1
		}
		v.ScaleVec(1/size, &w)
		if size <= lambda*(1+1e-6) {
			lambda = size
			break
		}
		lambda = size
	}
	return 1.05 * lambda
}

// inner returns Σ a_ij b_ij.
func inner(a, b *mat.Dense) (s float64) {
	r, _ := a.Dims()
	for i := range r {
		s += dot(a.RawRowView(i), b.RawRowView(i))
	}
	return s
}
