package moments

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// NewWhitening returns the coordinates z = W x, x = T z in which the inputs have E zzᵀ = I;
// W is r×d, the pseudo-inverse of T, d×r, r being the number of independent inputs.
//
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
//
// It takes T = V D^{1/2} from the eigenvectors of the inputs' second
// moments E xxᵀ = V D Vᵀ, over all steps of all measurements. Directions in which
// the inputs do not move are left out.
func NewWhitening(c Set, d int) (*Frame, error) { return Whiten(c.SecondMoments(d)) }

// Whiten is NewWhitening for second moments M = E xxᵀ, which it overwrites.
func Whiten(M *mat.SymDense) (*Frame, error) {
	d := M.SymmetricDim()
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
		return nil, fmt.Errorf("twornn: the inputs' second moments: %w", linalg.ErrNoConvergence)
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
		w = &Frame{W: mat.NewDense(d-first, d, nil), T: mat.NewDense(d, d-first, nil)}
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
func triangularWhitening(M *mat.SymDense) (*Frame, bool) {
	var ch mat.Cholesky
	if !ch.Factorize(M) {
		return nil, false
	}
	var L, inv mat.TriDense
	ch.LTo(&L)
	if inv.InverseTri(&L) != nil {
		return nil, false
	}
	return &Frame{W: mat.DenseCopyOf(&inv), T: mat.DenseCopyOf(&L)}, true
}
