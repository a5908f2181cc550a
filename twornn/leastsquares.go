package twornn

import (
	"context"
	"fmt"

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
	return recovering(ctx, rec, func(rec Recorder) (*tt.Tensor, Stats, error) { return ls.recover(ctx, m, rec) })
}

func (ls LeastSquares) recover(ctx context.Context, m *Measurements, rec Recorder) (*tt.Tensor, Stats, error) {
	st := Stats{Status: Converged, N: m.N(), Unknowns: m.Unknowns()}
	if !(ls.RCond >= 0 && ls.RCond < 1) {
		return nil, st, fmt.Errorf("twornn: LeastSquares.RCond is %v; it must be from 0 to below 1; zero means the level of rounding", ls.RCond)
	}
	if err := ctx.Err(); err != nil {
		return nil, st, err
	}
	A, B, err := m.System()
	if err != nil {
		return nil, st, err
	}
	_, columns := A.Dims()
	var norms []float64
	if m.of.Frame == nil { // else columns are of a size, but for those of no account
		A, norms = linalg.UnitColumns(A)
	}
	rtol := ls.RCond
	if rtol == 0 {
		rtol = float64(max(m.N(), columns)) * linalg.Eps
	}
	H, rank, rcond, err := linalg.LeastSquares(A, B, rtol)
	if err != nil {
		return nil, st, err
	}
	st.Rank, st.RCond, st.Iterations = rank, rcond, 1
	if rank < columns {
		st.Status = Underdetermined
	}
	residual := linalg.Relative(linalg.Squared(linalg.Residual(A, B, H)), m.Energy())
	st.Residuals = []float64{residual}
	if stops(rec, Progress{"recover", m.length(), 1, residual}) {
		st.Status = Stopped
	}
	for i, norm := range norms {
		row := H.RawRowView(i)
		for j := range row {
			row[j] /= norm
		}
	}
	h, err := tt.SVD(H.RawMatrix().Data, m.dims(), 0, 0)
	return m.ToData(h), st, err
}
