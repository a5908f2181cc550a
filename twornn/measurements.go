package twornn

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/moments"
	"github.com/twornn/spectral/twornn/tt"
)

// Measurements are the linear measurements of one Hankel tensor H⁽ˡ⁾: N equations
//
//	Y = X (H⁽ˡ⁾)⟨⟨l,1⟩⟩   X is N×d^l with rows x₁⊗⋯⊗x_l, Y is N×p
//
// one for each sequence of length l. X itself is not kept. Once there are more rows
// than columns only the triangular factor of [X Y] is, or sums of products that tell
// it, (d^l+p)² numbers however large N becomes; they determine XᵀX, XᵀY and ‖Y‖², and
// so every squared error. Where d^l exceeds 4096, and after CollectRows, the rows are
// kept as they came, l·d+p numbers each.
//
// What a Recovery of one's own needs is here: System for methods that work on XᵀX and XᵀY,
// Rows for those in tensor-train format, Fold for what is to be chosen by
// cross-validation. All three are in the coordinates of the measurements, a change of
// basis of the inputs by which Collect keeps products of large columns from losing digits;
// ToData brings the tensor that was recovered in them to those of the data.
type Measurements struct{ of *moments.Length }

// Dims returns the length l, the number of inputs d (0 for l = 0) and of outputs p.
func (m *Measurements) Dims() (l, d, p int) { return m.of.L, m.of.D, m.of.P }

// N returns the number of measurements.
func (m *Measurements) N() int { return m.of.N() }

// Unknowns returns d^l, the number of unknowns for each output, as a float64 since it
// may exceed any integer.
func (m *Measurements) Unknowns() float64 { return m.of.Unknowns() }

// Energy returns ‖Y‖²_F.
func (m *Measurements) Energy() float64 { return m.of.Energy }

// System returns R, m×d^l, and B, m×p, with
//
//	RᵀR = XᵀX   RᵀB = XᵀY   ‖B − R H‖² = ‖Y − X H‖² for every d^l×p matrix H,
//
// of m ≤ d^l+p rows once there are more measurements than that. They are not to be
// changed. It costs O(d^{3l}) at the most, and errs if d^l exceeds 4096.
func (m *Measurements) System() (R, B *mat.Dense, err error) { return m.of.System() }

// HasRows reports whether the measurements are there as they came, one by one.
func (m *Measurements) HasRows() bool { return m.of.HasRows() }

// Rows returns the measurements as they came: x[t], N×d, holds the t-th input of each,
// and y, N×p, the outputs. They are copies. The result is false if the rows are folded
// into a factor; CollectRows keeps them, and Fit does for a RowRecovery.
func (m *Measurements) Rows() (x []*mat.Dense, y *mat.Dense, ok bool) {
	if !m.HasRows() {
		return nil, nil, false
	}
	x, y = m.of.Rows()
	return x, y, true
}

// Folds returns the number of parts for cross-validation.
func (m *Measurements) Folds() int { return moments.Folds }

// Fold returns two systems as System does, for cross-validation: that of the
// measurements outside of part k and that of those within it, and how many there are
// outside. Parts are runs of neighbours. A system without measurements is nil.
// It panics unless 0 ≤ k < Folds().
func (m *Measurements) Fold(k int) (R, B, heldR, heldB *mat.Dense, n int) {
	if k < 0 || k >= moments.Folds {
		panic("twornn: there is no such fold")
	}
	R, B = m.of.ColumnsOf(m.of.Without(k))
	heldR, heldB = m.of.ColumnsOf(m.of.Only(k))
	return R, B, heldR, heldB, m.of.N() - m.of.Size(k)
}

// ToData returns a tensor recovered from System or Rows in the coordinates of the data,
// in which a Recovery returns it: h itself, or a new one.
func (m *Measurements) ToData(h *tt.Tensor) *tt.Tensor {
	if m.of.Frame == nil || h == nil {
		return h
	}
	return alongInputs(h, m.of.Frame.W)
}

// FromData is the inverse of ToData, for a tensor to begin at.
func (m *Measurements) FromData(h *tt.Tensor) *tt.Tensor {
	if m.of.Frame == nil || h == nil {
		return h
	}
	return alongInputs(h, m.of.Frame.T)
}

// dims returns the dimensions d, …, d, p of H⁽ˡ⁾.
func (m *Measurements) dims() []int { return hankelDims(m.Dims()) }

// length returns l.
func (m *Measurements) length() int { return m.of.L }

// SquaredError returns ‖Y − X (h)⟨⟨l,1⟩⟩‖²_F for a tensor h of the dimensions of
// H⁽ˡ⁾. It costs O(d^{2l} p) whatever N, or O(N l d r²) where rows are kept; it never
// expands h then. It panics if the dimensions differ.
func (m *Measurements) SquaredError(h *tt.Tensor) (float64, error) {
	l, d, p := m.Dims()
	if dims := h.Dims(); len(dims) != l+1 || dims[l] != p || (l > 0 && dims[0] != d) {
		panic("twornn: dimension mismatch: h")
	}
	sse, err := squaredErrors(m.of, m.FromData(h))
	return floats.Sum(sse), err
}

// squaredErrors returns the squared error of each output for a tensor in the
// coordinates of the measurements.
func squaredErrors(m *moments.Length, h *tt.Tensor) ([]float64, error) {
	sse := make([]float64, m.P)
	if m.HasRows() {
		return sse, squaredErrorsOfRows(sse, m, h)
	}
	A, B, err := m.System()
	if err != nil {
		return nil, err
	}
	H, err := h.Unfold(m.L)
	if err != nil {
		return nil, err
	}
	e := linalg.Residual(A, B, H)
	r, _ := e.Dims()
	for i := range r {
		for j, v := range e.RawRowView(i) {
			sse[j] += v * v
		}
	}
	return sse, nil
}

func squaredErrorsOfRows(sse []float64, m *moments.Length, h *tt.Tensor) (err error) {
	m.Each(func(x [][]float64, y []float64) bool {
		var hat []float64
		if hat, err = h.Contract(x...); err != nil {
			return false
		}
		for j, v := range y {
			e := v - hat[j]
			sse[j] += e * e
		}
		return true
	})
	return err
}

// alongInputs returns h ×₁ Mᵀ ⋯ ×_l Mᵀ: if h is a tensor of values in z, that of the
// values in x for z = M x.
func alongInputs(h *tt.Tensor, M *mat.Dense) *tt.Tensor {
	for k := range h.Order() - 1 {
		g := new(tt.Tensor)
		g.ModeProduct(h, k, M.T())
		h = g
	}
	return h
}
