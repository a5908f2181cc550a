package baseline

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/internal/phrase"
)

// Persistence predicts that each output is what its own input was at the last step.
// Entry j is the input (the column of X) that output j persists: for windows with a
// bias and all columns as targets, Persistence{1, 2, …}.
type Persistence []int

var _ predictor = Persistence{}

// predictor is what each baseline is: Evaluate asks it beforehand whether data suit it.
type predictor interface {
	twornn.Predictor
	twornn.Taker
}

// Takes implements twornn.Taker.
func (b Persistence) Takes(d, p int) error {
	if len(b) != p {
		return fmt.Errorf("baseline: Persistence has %s, the data have %d; list an input for each output", phrase.Count(len(b), "output"), p)
	}
	for j, i := range b {
		if i < 0 || d > 0 && i >= d {
			return fmt.Errorf("baseline: output %d persists column %d, the data have %s; columns count from 0", j+1, i, phrase.Count(d, "input"))
		}
	}
	return nil
}

// Predict implements twornn.Predictor. Without a last step, for the empty word, the
// prediction is NaN. It panics if x has too few columns or dst not an entry an output.
func (b Persistence) Predict(dst []float64, x mat.Matrix) []float64 {
	dst = sized(dst, len(b))
	k := rows(x)
	for j, i := range b {
		if dst[j] = math.NaN(); k > 0 {
			dst[j] = x.At(k-1, i)
		}
	}
	return dst
}

// Mean predicts the same constants whatever the input.
type Mean []float64

var _ predictor = Mean{}

// Takes implements twornn.Taker.
func (b Mean) Takes(_, p int) error {
	if len(b) != p {
		return fmt.Errorf("baseline: Mean has %s, the data have %d; fit it with FitMean on such data", phrase.Count(len(b), "output"), p)
	}
	return nil
}

// FitMean returns the means of the last outputs of the data's sequences. It errs as
// twornn.Evaluate does.
func FitMean(data iter.Seq[twornn.Sequence]) (Mean, error) {
	m := twornn.Evaluate(zero{}, data)
	if m.Err != nil {
		return nil, m.Err
	}
	mean := make(Mean, m.P)
	for j, o := range m.Outputs {
		mean[j] = o.Mean
	}
	return mean, nil
}

// zero predicts zeros.
type zero struct{}

func (zero) Predict(dst []float64, _ mat.Matrix) []float64 { clear(dst); return dst }

// Predict implements twornn.Predictor.
func (b Mean) Predict(dst []float64, _ mat.Matrix) []float64 {
	dst = sized(dst, len(b))
	copy(dst, b)
	return dst
}

// VAR is a vector autoregression of the given order, linear in the last inputs:
//
//	ŷ = C (1, x_k, x_{k−1}, …, x_{k−Order+1})
type VAR struct {
	Order int
	C     *mat.Dense // p×(1 + Order·d)
}

var _ predictor = (*VAR)(nil)

// FitVAR fits a VAR by least squares on the last output of every sequence. An input
// that is constant, such as a bias, only shares the intercept. It errs where
// twornn.Collect does, and if a sequence is shorter than the order. It panics if the
// order is not positive.
func FitVAR(data iter.Seq[twornn.Sequence], order int) (*VAR, error) {
	if order <= 0 {
		panic("baseline: the order must be positive")
	}
	// A VAR is H⁽¹⁾ of the sequences whose one input is (1, x_k, …): collected by the
	// package's own one-pass least squares.
	c, err := twornn.Collect(func(yield func(twornn.Sequence) bool) {
		i := 0
		for s := range checked(data) {
			i++
			if s.Err == nil {
				s = features(s, order, i)
			}
			if !yield(s) {
				return
			}
		}
	}, 1)
	if err != nil {
		return nil, err
	}
	h, _, err := twornn.LeastSquares{}.Recover(context.Background(), c[1], 0, nil)
	if err != nil {
		return nil, err
	}
	H, err := h.Unfold(1)
	if err != nil {
		return nil, err
	}
	return &VAR{order, mat.DenseCopyOf(H.T())}, nil
}

// checked yields the sequences that Collect accepts, and at the first that it does not
// its error: what is wrong is then said of the sequence as it was given.
func checked(data iter.Seq[twornn.Sequence]) iter.Seq[twornn.Sequence] {
	return func(yield func(twornn.Sequence) bool) {
		if data == nil {
			_, err := twornn.Collect(nil)
			yield(twornn.Sequence{Err: err})
			return
		}
		stopped := false
		_, err := twornn.Collect(func(accept func(twornn.Sequence) bool) {
			for s := range data {
				if !accept(s) {
					return
				}
				if stopped = !yield(s); stopped {
					return
				}
			}
		}, 0)
		if err != nil && !stopped {
			yield(twornn.Sequence{Err: err})
		}
	}
}

// features turns s into a sequence of one step, with input (1, x_k, x_{k−1}, …).
func features(s twornn.Sequence, order, number int) twornn.Sequence {
	k := s.Len()
	if s.At != nil {
		k = s.At[len(s.At)-1] // the last output stands there
	}
	if k < order {
		return twornn.Sequence{Err: fmt.Errorf("baseline: sequence %d has %s; a VAR of order %d needs at least as many", number, phrase.Count(k, "step"), order)}
	}
	rows, _ := s.Y.Dims()
	d, p := s.Dims()
	x := lagged(s.X.Slice(0, k, 0, d), order)
	return twornn.Sequence{X: mat.NewDense(1, len(x), x), Y: mat.DenseCopyOf(s.Y.Slice(rows-1, rows, 0, p))}
}

// lagged returns (1, x_k, x_{k−1}, …, x_{k−order+1}).
func lagged(x mat.Matrix, order int) []float64 {
	f := []float64{1}
	for t := range order {
		f = slices.Concat(f, mat.Row(nil, rows(x)-1-t, x))
	}
	return f
}

// Takes implements twornn.Taker.
func (b *VAR) Takes(d, p int) error {
	if b == nil || b.C == nil || b.C.IsEmpty() {
		return errors.New("baseline: the VAR is not fitted; fit it with FitVAR first")
	}
	vp, c := b.C.Dims()
	if b.Order <= 0 || c == 1 || (c-1)%b.Order != 0 {
		return fmt.Errorf("baseline: the VAR has a C of %d columns, which does not suit its order %d; want 1 + Order·d", c, b.Order)
	}
	return fits("VAR", (c-1)/b.Order, vp, d, p)
}

// Predict implements twornn.Predictor. If x has fewer rows than the order the
// prediction is NaN. It panics if x has another number of columns than the training
// data or dst not p entries.
func (b *VAR) Predict(dst []float64, x mat.Matrix) []float64 {
	p, c := b.C.Dims()
	dst = sized(dst, p)
	if rows(x) < b.Order {
		for j := range dst {
			dst[j] = math.NaN()
		}
		return dst
	}
	f := lagged(x, b.Order)
	if len(f) != c {
		panic("baseline: dimension mismatch: x")
	}
	mat.NewVecDense(p, dst).MulVec(b.C, mat.NewVecDense(c, f))
	return dst
}

// fits returns an error if a predictor of md inputs and mp outputs does not suit data of
// d and p; d = 0 stands for the empty word.
func fits(name string, md, mp, d, p int) error {
	if d > 0 && d != md || p != mp {
		return fmt.Errorf("baseline: the %s has %s and %s, the data have %d and %d; use the columns, bias and targets it was fitted with",
			name, phrase.Count(md, "input"), phrase.Count(mp, "output"), d, p)
	}
	return nil
}

// sized returns dst, allocated if nil, which must have p entries.
func sized(dst []float64, p int) []float64 {
	if dst == nil {
		dst = make([]float64, p)
	}
	if len(dst) != p {
		panic("baseline: dimension mismatch: dst")
	}
	return dst
}

// rows returns the number of rows of x, which is 0 for nil.
func rows(x mat.Matrix) int {
	if dense, ok := x.(*mat.Dense); x == nil || ok && dense == nil {
		return 0
	}
	k, _ := x.Dims()
	return k
}
