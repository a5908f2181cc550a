package twornn

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/tt"
)

// maxUnknowns bounds d^l, the unknowns an output of H⁽ˡ⁾, up to which measurements
// are kept as a triangular factor: at 4096 it takes 134 MB.
const maxUnknowns = 4096

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
// The rows are kept in five parts, each of runs of neighbours, so that what a method
// has to choose can be chosen by cross-validation: by its error on rows it has not seen.
//
// Inputs are kept in the coordinates of a frame; tensors that go in and out of the
// package are in those of the data.
type Measurements struct {
	length, d, p int
	unknowns     float64 // d^l
	frame        *frame
	keepRows     bool
	parts        [parts]part
	moment       []float64 // Σ x_t x_tᵀ over all steps of all rows, d×d
	energy       float64   // ‖Y‖²
	outputs      outputs
	stretch      []float64 // the longest run of inputs met, d numbers a step; see stitcher
	long         sample    // of sequences longer than any measured
	summedUpTo   float64   // the ‖x₁⊗⋯⊗x_l‖² up to which rows may be summed; see judge
	refused      int       // blocks of rows that might not

	// Of measurements in other coordinates, which do not change: those of the data, z = W x,
	// the factor of the outputs, and all rows as one triangular factor.
	source *Measurements
	turn   *mat.Dense // W
	scale  []float64
	joined *mat.Dense
}

func newMeasurements(length, d, p int) *Measurements {
	if length == 0 {
		d = 0 // the empty word says nothing of the inputs
	}
	return &Measurements{length: length, d: d, p: p, unknowns: math.Pow(float64(d), float64(length)),
		moment: make([]float64, d*d), outputs: newOutputs(p)}
}

// Dims returns the length l, the number of inputs d (0 for l = 0) and of outputs p.
func (m *Measurements) Dims() (l, d, p int) { return m.length, m.d, m.p }

// N returns the number of measurements.
func (m *Measurements) N() (n int) {
	for k := range m.parts {
		n += m.parts[k].n
	}
	return n
}

// Unknowns returns d^l, the number of unknowns an output, as a float64 since it
// may exceed any integer.
func (m *Measurements) Unknowns() float64 { return m.unknowns }

// dense reports whether X is small enough to be written out.
func (m *Measurements) dense() bool { return m.length == 0 || m.unknowns <= maxUnknowns }

// rows reports whether the rows are there as they came.
func (m *Measurements) rows() bool { return m.keepRows || !m.dense() }

// unfolded reports whether every row is still there as it came.
func (m *Measurements) unfolded() bool {
	for k := range m.parts {
		if q := &m.parts[k]; q.factor != nil || q.sums != nil {
			return false
		}
	}
	return m.source == nil
}

// columns returns d^l of a dense m.
func (m *Measurements) columns() int {
	if m.length == 0 {
		return 1
	}
	return int(m.unknowns)
}

// system returns matrices A and B with AᵀA = XᵀX, AᵀB = XᵀY: what least squares
// needs of the data. It errs if d^l is too large to write them out.
func (m *Measurements) system() (A, B *mat.Dense, err error) {
	if !m.dense() {
		return nil, nil, fmt.Errorf("twornn: H(%d) has %.4g unknowns an output, more than a dense recovery holds (%d); lower L or the number of inputs, or recover in tensor-train format with TTIHT",
			m.length, m.Unknowns(), maxUnknowns)
	}
	A, B = m.columnsOf(m.whole())
	return A, B, nil
}

// columnsOf splits [X Y].
func (m *Measurements) columnsOf(f *mat.Dense) (A, B *mat.Dense) {
	if f == nil {
		return nil, nil
	}
	rows, _ := f.Dims()
	c := m.columns()
	return f.Slice(0, rows, 0, c).(*mat.Dense), f.Slice(0, rows, c, c+m.p).(*mat.Dense)
}

// noise returns the standard deviation of what least squares leaves of each output,
// nil where the rows are too few, or the unknowns too many, to tell in passing.
func (m *Measurements) noise() []float64 {
	if !m.dense() || m.length == 0 || m.columns() > 512 || m.N() < 2*(m.columns()+m.p) {
		return nil
	}
	// The last p rows of the triangular factor of [X Y] are those residuals, rotated.
	f, c := m.whole(), m.columns()
	rows, _ := f.Dims()
	sd := make([]float64, m.p)
	for j := range sd {
		for i := c; i < rows; i++ {
			sd[j] += f.At(i, c+j) * f.At(i, c+j)
		}
		sd[j] = math.Sqrt(sd[j] / float64(m.N()-c))
	}
	return sd
}

// SquaredError returns ‖Y − X (h)⟨⟨l,1⟩⟩‖²_F for a tensor h of the dimensions of
// H⁽ˡ⁾. It costs O(d^{2l} p) whatever N, or O(N l d r²) where rows are kept; it never
// expands h then. It panics if the dimensions differ.
func (m *Measurements) SquaredError(h *tt.Tensor) (float64, error) {
	dims := h.Dims()
	if len(dims) != m.length+1 || dims[m.length] != m.p || (m.length > 0 && dims[0] != m.d) {
		panic("twornn: dimension mismatch: h")
	}
	if m.frame != nil {
		h = alongInputs(h, m.frame.T)
	}
	sse, err := m.squaredErrors(h)
	return floats.Sum(sse), err
}

// squaredErrors returns the squared error of each output for a tensor in the
// coordinates of the frame.
func (m *Measurements) squaredErrors(h *tt.Tensor) ([]float64, error) {
	sse := make([]float64, m.p)
	if m.rows() {
		return sse, m.squaredErrorsOfRows(sse, h)
	}
	A, B, err := m.system()
	if err != nil {
		return nil, err
	}
	H, err := h.Unfold(m.length)
	if err != nil {
		return nil, err
	}
	e := residual(A, B, H)
	r, _ := e.Dims()
	for i := range r {
		for j, v := range e.RawRowView(i) {
			sse[j] += v * v
		}
	}
	return sse, nil
}

func (m *Measurements) squaredErrorsOfRows(sse []float64, h *tt.Tensor) error {
	x := make([][]float64, m.length)
	for k := range m.parts {
		q := &m.parts[k]
		for i := range q.n {
			for t := range x {
				x[t] = q.x[(i*m.length+t)*m.d : (i*m.length+t+1)*m.d]
			}
			hat, err := h.Contract(x...)
			if err != nil {
				return err
			}
			for j, y := range q.y[i*m.p : (i+1)*m.p] {
				e := y - hat[j]
				sse[j] += e * e
			}
		}
	}
	return nil
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

// inData returns a recovered tensor in the coordinates of the data.
func (m *Measurements) inData(h *tt.Tensor) *tt.Tensor {
	if m.frame == nil || h == nil {
		return h
	}
	return alongInputs(h, m.frame.W)
}

// residual returns B − A H.
func residual(A, B, H *mat.Dense) *mat.Dense {
	e := times(A, H)
	e.Sub(B, e)
	return e
}

// squared returns ‖a‖²_F.
func squared(a *mat.Dense) float64 {
	norm := mat.Norm(a, 2)
	return norm * norm
}
