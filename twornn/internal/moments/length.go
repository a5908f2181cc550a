package moments

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// maxUnknowns bounds d^l, the unknowns for each output of H⁽ˡ⁾, up to which measurements
// are kept as a triangular factor: at 4096 it takes 134 MB.
const maxUnknowns = 4096

// Length is what the rows of one length l come to: x₁⊗⋯⊗x_l, a row of X, N×d^l, and the
// outputs beside it, one of Y, N×p. Once there are more rows than columns only the triangular
// factor of [X Y] is kept, or sums of products that tell it. Where d^l exceeds 4096, or if
// told to, the rows are kept as they came, l·d+p numbers each.
//
// They are kept in five parts, each of runs of neighbours, so that what a method has to
// choose can be chosen by cross-validation: by its error on rows it has not seen.
//
// Inputs are in the coordinates of a frame.
type Length struct {
	L, D, P    int
	unknowns   float64 // d^l
	Frame      *Frame
	KeepRows   bool
	parts      [Folds]part
	moment     []float64 // Σ x_t x_tᵀ over all steps of all rows, d×d
	Energy     float64   // ‖Y‖²
	Outputs    Outputs
	Stretch    []float64 // the longest run of inputs met, d numbers a step; see stitcher
	stretchAt  int       // place of its first sequence
	Long       Sample    // of sequences longer than any measured
	Kept       *Kept     // the examples as they came; with the greatest length
	summedUpTo float64   // the ‖x₁⊗⋯⊗x_l‖² up to which rows may be summed; see judge
	refused    int       // blocks of rows that might not

	// Of measurements in other coordinates, which do not change: those of the data, z = W x,
	// the factor of the outputs, and all rows as one triangular factor.
	source *Length
	turn   *mat.Dense // W
	scale  []float64
	joined *mat.Dense
}

// NewLength returns a Length without rows.
func NewLength(length, d, p int) *Length {
	if length == 0 {
		d = 0 // the empty word says nothing of the inputs
	}
	return &Length{L: length, D: d, P: p, unknowns: math.Pow(float64(d), float64(length)),
		moment: make([]float64, d*d), Outputs: NewOutputs(p)}
}

// N returns the number of measurements.
func (m *Length) N() (n int) {
	for k := range m.parts {
		n += m.parts[k].n
	}
	return n
}

// Unknowns returns d^l, the number of unknowns for each output, as a float64 since it
// may exceed any integer.
func (m *Length) Unknowns() float64 { return m.unknowns }

// dense reports whether X is small enough to be written out.
func (m *Length) dense() bool { return m.L == 0 || m.unknowns <= maxUnknowns }

// HasRows reports whether the rows are there as they came.
func (m *Length) HasRows() bool { return m.KeepRows || !m.dense() }

// Unfolded reports whether every row is still there as it came.
func (m *Length) Unfolded() bool {
	for k := range m.parts {
		if q := &m.parts[k]; q.factor != nil || q.sums != nil {
			return false
		}
	}
	return m.source == nil
}

// Columns returns d^l of a dense m.
func (m *Length) Columns() int {
	if m.L == 0 {
		return 1
	}
	return int(m.unknowns)
}

// part is a share of the rows of [X Y].
type part struct {
	n      int
	factor *mat.Dense // rows up to a rotation, at most d^l+p of them; nil if none
	sums   *gramSums  // of further rows; nil if none
	x, y   []float64  // rows not folded in yet: l·d and p numbers each

	// Of the pipeline, which holds its lock for them.
	queue []block
	busy  bool
}

// block are the x_1, …, x_l, l·d numbers, and the p outputs of some measurements. They may
// be summed if that loses nothing that counts.
type block struct {
	x, y   []float64
	summed bool
	sums   *gramSums // of these rows, if they are at hand
}

// Folds is the number of parts for cross-validation.
const Folds = 5

// Wide reports whether the sequences are of so many inputs that the lengths that L = 1 needs
// cannot be measured whole, and have outputs after one, two and three steps, at least as many
// as inputs.
func (k *Kept) Wide(d int) bool {
	if d*d*d <= maxUnknowns || k.AsWords() {
		return false
	}
	after := map[int]int{}
	for _, r := range k.Runs {
		for _, t := range r.At {
			after[t]++
		}
	}
	return after[1] >= d && after[2] >= d && after[3] >= d
}
