package twornn

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// What Fit does after Collect depends on the coordinates in which the inputs are
// written: the rank keeps what is large in the entries of the Hankel block, rounding
// and step sizes follow the largest columns of X. So Fit works in coordinates z in
// which the inputs have E zzᵀ = I. With x = T z, entries and outputs then weigh
// alike,
//
//	‖H⁽ˡ⁾‖²_F = E ‖f(z₁, …, z_l)‖²   for independent z_t,
//
// and what the rank leaves out is what matters least to the outputs, whatever the
// inputs' units and correlations. A linear 2-RNN in z is one in x = T z, so nothing
// is lost. On the standard normal inputs of the paper's experiments T is the identity
// up to chance and a rotation, and nothing changes. On real columns, such as
// neighbouring weather stations, it matters much.
type whitening struct {
	T *mat.Dense // d×r, r the number of independent inputs: x = T z
	W *mat.Dense // r×d, its pseudo-inverse: z = W x
}

// newWhitening returns T = V D^{1/2} from the eigenvectors of the inputs' second
// moments E xxᵀ = V D Vᵀ, over all steps of all measurements. Directions in which
// the inputs do not move are left out.
func newWhitening(c Collection, d int) (whitening, error) {
	M := c.moments(d)
	// Each input in its own unit first: a size beside others says nothing of dependence.
	unit := make([]float64, d)
	for i := range unit {
		unit[i] = math.Sqrt(M.At(i, i))
	}
	// Below this, beside others, it is rounding: in a frame all have been of one size.
	nothing := 1e-8 * slices.Max(unit)
	for i, u := range unit {
		if unit[i] = max(u, nothing); unit[i] == 0 {
			unit[i] = 1 // none ever moves
		}
	}
	for i := range d {
		for j := range i + 1 {
			M.SetSym(i, j, M.At(i, j)/(unit[i]*unit[j]))
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(M, true) {
		return whitening{}, fmt.Errorf("twornn: the inputs' second moments: %w", linalg.ErrNoConvergence)
	}
	values := eig.Values(nil) // ascending
	// Sums over many rows leave rounding errors of up to this size: an input whose own
	// part in its variance is below is taken to depend on the others.
	least := 1e-12 * values[d-1]
	first := 0
	for first < d-1 && values[first] <= least {
		first++
	}
	w, ok := triangularWhitening(M)
	if !ok || !(values[0] > 1e-6*values[d-1]) {
		var V mat.Dense
		eig.VectorsTo(&V)
		w = whitening{mat.NewDense(d, d-first, nil), mat.NewDense(d-first, d, nil)}
		for j := first; j < d; j++ {
			s := math.Sqrt(values[j])
			if values[d-1] == 0 {
				s = 1 // no input ever moves
			}
			for i := range d {
				w.T.Set(i, j-first, V.At(i, j)*s)
				w.W.Set(j-first, i, V.At(i, j)/s)
			}
		}
	}
	for i, u := range unit {
		floats.Scale(u, w.T.RawRowView(i))
		for k := range d - first {
			w.W.Set(k, i, w.W.At(k, i)/u)
		}
	}
	return w, nil
}

// triangularWhitening returns T = L from E xxᵀ = L Lᵀ. Any T with T Tᵀ = E xxᵀ will do, and
// with this one the factor of [X Y] stays triangular: the product of W's, which it meets from
// the right transposed, is lower triangular as W is.
func triangularWhitening(M *mat.SymDense) (whitening, bool) {
	var ch mat.Cholesky
	if !ch.Factorize(M) {
		return whitening{}, false
	}
	var L, inv mat.TriDense
	ch.LTo(&L)
	if inv.InverseTri(&L) != nil {
		return whitening{}, false
	}
	return whitening{mat.DenseCopyOf(&L), mat.DenseCopyOf(&inv)}, true
}

// coordinates are those in which Fit works: inputs z with E zzᵀ = I and outputs in units
// of their noise.
type coordinates struct {
	W, T  *mat.Dense // z = W x from the data's inputs and back, x = T z
	scale []float64  // of the outputs
}

// newCoordinates returns the coordinates for the data of c, and the measurements in
// them. It errs if c holds nothing to fit.
func newCoordinates(c Collection) (coordinates, Collection, error) {
	d, p := c.dims()
	if d == 0 || p == 0 {
		return coordinates{}, nil, errors.New("twornn: the collection holds no measurement of a sequence with inputs")
	}
	total := newOutputs(p)
	for _, l := range c.Lengths() {
		total.merge(c[l].outputs)
	}
	if total.largest > 0 && total.largest < 1/maxValue {
		return coordinates{}, nil, fmt.Errorf("twornn: the largest output is %.3g, too small to work with; change its unit", total.largest)
	}
	white, err := newWhitening(c, d)
	if err != nil {
		return coordinates{}, nil, err
	}
	z := Collection{}
	for l, m := range c {
		z[l] = m.mapped(white.W)
	}
	k := coordinates{white.W, white.T, outputScale(z, total)}
	for l, m := range z {
		z[l] = m.scaled(k.scale)
	}
	if fr := c.frame(); fr != nil {
		k.W, k.T = new(mat.Dense), new(mat.Dense)
		k.W.Mul(white.W, fr.W)
		k.T.Mul(fr.T, white.T)
	}
	return k, z, nil
}

// dims returns the numbers of independent inputs, and of inputs of the data.
func (k coordinates) dims() (r, d int) { return k.W.Dims() }

// toData returns a model in these coordinates as one of the data.
func (k coordinates) toData(m *Model) *Model {
	q := m.MapInputs(k.W)
	for j, s := range k.scale {
		floats.Scale(1/s, q.Omega.RawRowView(j))
	}
	return q
}

// fromData is the inverse of toData where inputs are independent, and elsewhere agrees
// with m on the data.
func (k coordinates) fromData(m *Model) *Model {
	q := m.MapInputs(k.T)
	for j, s := range k.scale {
		floats.Scale(s, q.Omega.RawRowView(j))
	}
	return q
}

// MapInputs returns the model of x ↦ f(T x_1, …, T x_k), T being d×d', with d' inputs:
// A'[i] = Σ_j T[j,i] A[j]. A change of units or of basis of the inputs thus goes
// into the model exactly. It panics if T has not d rows.
func (m *Model) MapInputs(T mat.Matrix) *Model {
	n, d, p := m.Dims()
	rows, cols := T.Dims()
	if rows != d {
		panic("twornn: dimension mismatch: T")
	}
	q := NewModel(n, cols, p)
	q.H0.CopyVec(m.H0)
	q.Omega.Copy(m.Omega)
	for i, a := range q.A {
		for j, b := range m.A {
			var s mat.Dense
			s.Scale(T.At(j, i), b)
			a.Add(a, &s)
		}
	}
	return q
}
