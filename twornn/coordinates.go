package twornn

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/affine"
	"github.com/twornn/spectral/twornn/internal/lsq"
	"github.com/twornn/spectral/twornn/internal/moments"
)

// coordinates are those in which Fit works: inputs z with E zzᵀ = I and outputs in units
// of their noise.
type coordinates struct {
	W, T  *mat.Dense // z = W x from the data's inputs and back, x = T z
	scale []float64  // of the outputs
}

// leastSquare is the smallest square with all its digits, and some to spare.
const leastSquare = 1e-300

// tooSmall returns an error if the outputs, or an input, are so small that their squares are lost.
func tooSmall(c moments.Set) error {
	d, p := c.Dims()
	total := moments.NewOutputs(p)
	for _, l := range c.Lengths() {
		total.Merge(c[l].Outputs)
	}
	if total.Largest > 0 && total.Largest < 1/maxValue {
		return fmt.Errorf("twornn: the largest output is %.3g, too small to work with; change its unit", total.Largest)
	}
	if k := c.Kept(); k != nil && !k.AsWords() {
		for j, v := range k.Largest(d) {
			if v > 0 && v*v < leastSquare {
				return fmt.Errorf("twornn: the largest value of input %d is %.3g, too small to work with; change its unit", j+1, v)
			}
		}
	}
	return nil
}

// newCoordinates returns the coordinates for the data of c, and the measurements in
// them. It errs if c holds nothing to fit.
func newCoordinates(c moments.Set, by policy) (coordinates, moments.Set, error) {
	d, p := c.Dims()
	if d == 0 || p == 0 {
		return coordinates{}, nil, errors.New("twornn: the collection holds no measurement of a sequence with inputs; give sequences of one step or more")
	}
	total := moments.NewOutputs(p)
	for _, l := range c.Lengths() {
		total.Merge(c[l].Outputs)
	}
	white, err := moments.NewWhitening(c, d)
	if err != nil {
		return coordinates{}, nil, err
	}
	z := moments.Set{}
	for l, m := range c {
		z[l] = m.Mapped(white.W)
	}
	k := coordinates{white.W, white.T, outputScale(z, total, by)}
	for l, m := range z {
		z[l] = m.Scaled(k.scale)
	}
	if fr := c.Frame(); fr != nil {
		k.W, k.T = new(mat.Dense), new(mat.Dense)
		k.W.Mul(white.W, fr.W)
		k.T.Mul(fr.T, white.T)
	}
	return k, z, nil
}

// dims returns the numbers of independent inputs, and of inputs of the data.
func (k coordinates) dims() (r, d int) { return k.W.Dims() }

// mapped returns the inputs z = W x of a run, x being d numbers a step; nil if there are none.
func mapped(x []float64, W *mat.Dense) []float64 {
	_, d := W.Dims()
	if len(x) < d {
		return nil
	}
	var z mat.Dense
	z.Mul(mat.NewDense(len(x)/d, d, x), W.T())
	return z.RawMatrix().Data
}

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

// outputScale returns the factors that bring the outputs to one size of noise, so that
// least squares over all of them weighs each as likelihood does: none is lost beside
// another in a larger unit, and where all are equally noisy nothing changes. The noise
// is what least squares leaves at the longest length with rows enough to tell; where
// none has, or there is no noise, the outputs' own variance stands for it.
func outputScale(c moments.Set, total moments.Outputs, by policy) []float64 {
	scale := make([]float64, len(total.Mean))
	var noise []float64
	for _, l := range slices.Backward(c.Lengths()) {
		if noise = c[l].Noise(); noise != nil {
			break
		}
	}
	// Whether there is noise is judged by each output in its own unit.
	noisy := false
	for j, v := range noise {
		sd := math.Sqrt(total.M2[j] / total.N)
		noisy = noisy || v > by.NoNoise*sd && sd > 1e-14*math.Abs(total.Mean[j])
	}
	for j := range scale {
		sd := math.Sqrt(total.M2[j] / total.N)
		size := sd
		if noisy {
			size = max(noise[j], by.LeastNoise*sd)
		}
		if !(sd > 1e-14*math.Abs(total.Mean[j])) { // constant
			size = math.Abs(total.Mean[j])
		}
		if scale[j] = 1; size > 0 {
			scale[j] = 1 / size
		}
	}
	return scale
}

// split are coordinates for data with a constant input: z = W x is the constant, then
// inputs of mean 0 and unit second moments. Outputs are less their mean, over their spread.
type split struct {
	W           *mat.Dense // r×d
	mean, scale []float64  // of the outputs: y' = (y − mean)·scale
}

// constantRank is the variance of a direction of the inputs, beside the largest, below which
// they do not move along it but for rounding.
const constantRank = 1e-12

// newSplit returns the coordinates for the examples, c being such that cᵀx = 1.
func newSplit(k *moments.Kept, c []float64, p int) split {
	d := len(c)
	mean, C := k.InputMoments(d)
	// Each column in its own unit, so that units do not hide a direction. One that moves by
	// rounding alone has none.
	unit := make([]float64, d)
	for i := range unit {
		if unit[i] = math.Sqrt(C.At(i, i)); unit[i] <= moments.Rounding*math.Abs(mean[i]) {
			unit[i] = math.Inf(1)
		}
	}
	for i := range d {
		for j := i; j < d; j++ {
			C.SetSym(i, j, C.At(i, j)/(unit[i]*unit[j]))
		}
	}
	s := split{W: mat.NewDense(1, d, slices.Clone(c))}
	var eig mat.EigenSym
	if eig.Factorize(C, true) {
		var V mat.Dense
		eig.VectorsTo(&V)
		values := eig.Values(nil)
		for j := d - 1; j >= 0 && values[j] > constantRank*values[d-1]; j-- {
			row, offset := make([]float64, d), 0.0
			for i := range row {
				row[i] = V.At(i, j) / (unit[i] * math.Sqrt(values[j]))
				offset += row[i] * mean[i]
			}
			floats.AddScaled(row, -offset, c)
			s.W = stackRow(s.W, row)
		}
	}
	s.mean, s.scale = k.OutputMoments(p)
	return s
}

// stackRow returns m with one row more.
func stackRow(m *mat.Dense, row []float64) *mat.Dense {
	r, c := m.Dims()
	g := m.Grow(1, 0).(*mat.Dense)
	g.SetRow(r, row[:c])
	return g
}

// data returns the examples in these coordinates. Of the windows of a series each gives
// the outputs that are its own, so that every target counts once, where most is known of
// what came before.
func (s split) data(k *moments.Kept) *affine.Data {
	r, _ := s.W.Dims()
	p := len(s.mean)
	out := &affine.Data{D: r, P: p}
	for _, run := range k.Runs {
		q := lsq.Run{X: mapped(run.X, s.W), At: run.At[run.Fresh:]}
		for t := 0; t < len(q.X); t += r {
			q.X[t] = 1 // exactly
		}
		for i := run.Fresh * p; i < len(run.Y); i++ {
			q.Y = append(q.Y, (run.Y[i]-s.mean[i%p])*s.scale[i%p])
		}
		out.Add(q)
	}
	return out
}

// model returns a system in these coordinates as a model of the data.
func (s split) model(sys *affine.System) *Model {
	n := sys.N
	m := (*Model)(lsq.Shape{N: n, D: sys.D, P: sys.P}.Net(sys.Theta)).MapInputs(s.W)
	for o, c := range s.scale {
		row := m.Omega.RawRowView(o)
		floats.Scale(1/c, row)
		row[0] += s.mean[o] // the first state is 1
	}
	return m
}
