package twornn

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
)

// LeastSquares recovers H⁽ˡ⁾ as the solution of
//
//	min_T ‖X (T)⟨⟨l,1⟩⟩ − Y‖_F
//
// (Algorithm 1, line 4). Where that is not unique, it is the one of least norm in
// units in which the columns of X have norm one, so that the inputs' units do not
// matter. Without noise and with N ≥ d^l rows in general position it is exact
// (Theorem 4). It takes no notice of the rank. With noise it is at its worst near
// N = d^l.
//
// It costs O(d^{3l}) beyond the pass over the data, and errs if d^l exceeds 4096.
type LeastSquares struct {
	// RCond is the relative size below which singular values of X, its columns brought
	// to norm one, count as zero. Zero means max(N, d^l) times machine epsilon: what
	// rounding in the sums over N rows can leave of a singular value that is zero.
	RCond float64
}

var _ Recovery = LeastSquares{}

// Recover implements Recovery. rank is ignored: the tensor comes at full rank.
func (ls LeastSquares) Recover(ctx context.Context, m *Measurements, _ int, rec Recorder) (*tt.Tensor, Stats, error) {
	st := Stats{N: m.N(), Unknowns: m.Unknowns()}
	if err := ctx.Err(); err != nil {
		return nil, st, err
	}
	A, B, err := m.system()
	if err != nil {
		return nil, st, err
	}
	var norms []float64
	if m.frame == nil { // else columns are of a size, but for those of no account
		A, norms = normalized(A)
	}
	rtol := ls.RCond
	if rtol == 0 {
		rtol = float64(max(m.N(), m.columns())) * linalg.Eps
	}
	H, rank, rcond, err := linalg.LeastSquares(A, B, rtol)
	if err != nil {
		return nil, st, err
	}
	st.Rank, st.RCond, st.Iterations = rank, rcond, 1
	if rank < m.columns() {
		st.Status = Underdetermined
	}
	residual := relative(squared(residual(A, B, H)), m.energy)
	st.Residuals = []float64{residual}
	if rec != nil && rec.Record(Progress{"recover", m.length, 1, residual}) != nil {
		st.Status = Stopped
	}
	for i, norm := range norms {
		row := H.RawRowView(i)
		for j := range row {
			row[j] /= norm
		}
	}
	h, err := tt.SVD(H.RawMatrix().Data, hankelDims(m.length, m.d, m.p), 0, 0)
	return m.inData(h), st, err
}

// relative returns √(sse/energy), the residual that Stats report.
func relative(sse, energy float64) float64 {
	if energy == 0 {
		return math.Sqrt(sse)
	}
	return math.Sqrt(sse / energy)
}

// normalized returns a with its columns brought to norm one, and the norms (1 for a
// column of zeros).
func normalized(a *mat.Dense) (*mat.Dense, []float64) {
	r, c := a.Dims()
	norms := make([]float64, c)
	for j := range norms {
		if norms[j] = mat.Norm(a.ColView(j), 2); norms[j] == 0 {
			norms[j] = 1
		}
	}
	out := mat.NewDense(r, c, nil)
	for i := range r {
		row := out.RawRowView(i)
		for j, v := range a.RawRowView(i) {
			row[j] = v / norms[j]
		}
	}
	return out, norms
}

// hankelDims returns the dimensions d, …, d, p of H⁽ˡ⁾.
func hankelDims(l, d, p int) []int {
	dims := make([]int, l+1)
	for t := range l {
		dims[t] = d
	}
	dims[l] = p
	return dims
}
