package moments

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// Frame is a change of the inputs' coordinates, z = W x, that Collect makes before it
// forms products of inputs. A column such as a pressure in pascals, 100,000 with
// changes of 100, beside a bias makes two columns that differ in the third digit;
// their products over five steps differ in the fifteenth, and what the model is to be
// learnt from is lost to rounding. The frame turns and scales the inputs, as far as
// the first sequences tell, so that they have unit second moments. It need not be
// exact: any invertible W will do, and no later step depends on which.
//
// A nil frame is the identity, for inputs that need none.
type Frame struct{ W, T *mat.Dense } // d×d, T = W⁻¹

// blockSize is the number of sequences from which a frame is made.
const blockSize = 512

// newFrame returns the frame for the inputs of the block, nil if they are well enough
// as they are.
func newFrame(block []Example, d int) (*Frame, error) {
	var rows []float64
	for _, s := range block {
		for t := range s.Steps() {
			rows = append(rows, s.X.RawRowView(t)...)
		}
	}
	if len(rows) == 0 {
		return nil, nil
	}
	n := len(rows) / d
	// Columns to one size first, so that units do not hide a direction.
	x, scale := linalg.UnitColumns(mat.NewDense(n, d, rows))
	s := make([]float64, d)
	for i := range s {
		s[i] = 1
	}
	V := mat.NewDense(d, d, nil)
	for i := range d {
		V.Set(i, i, 1)
	}
	if n >= 2*d { // else too few to tell directions: units alone
		var err error
		linalg.R(x) // has the singular values and V of x
		if _, s, V, err = linalg.SVD(x.Slice(0, d, 0, d).(*mat.Dense)); err != nil {
			return nil, err
		}
	}
	if s[0] == 0 {
		return nil, nil // nothing has moved yet
	}
	root := math.Sqrt(float64(n))
	low, high := slices.Min(scale)/root, slices.Max(scale)/root
	if s[d-1] > 0.05*s[0] && low > 0.05*high && high > 1e-3 && high < 1e3 {
		return nil, nil
	}
	f := &Frame{mat.NewDense(d, d, nil), mat.NewDense(d, d, nil)}
	for k := range d {
		sd := s[k]
		if sd <= 1e-13*s[0] {
			sd = s[0] // not seen to move yet: what will come is not known
		}
		for i := range d {
			f.W.Set(k, i, root/sd*V.At(i, k)/scale[i])
			f.T.Set(i, k, sd/root*V.At(i, k)*scale[i])
		}
	}
	return f, nil
}

// apply returns the inputs in the coordinates of the frame, in dst unless they stay as
// they are.
func (f *Frame) apply(dst, x *mat.Dense) *mat.Dense {
	if f == nil || x == nil || x.IsEmpty() {
		return x
	}
	dst.Reset()
	dst.Mul(x, f.W.T())
	return dst
}

// to returns the matrix that turns coordinates of f into those of g, nil if they are
// the same.
func (f *Frame) to(g *Frame) *mat.Dense {
	switch {
	case f == g:
		return nil
	case f == nil:
		return g.W
	case g == nil:
		return f.T
	}
	var m mat.Dense
	m.Mul(g.W, f.T)
	return &m
}
