// Package baseline holds what a 2-RNN is compared with on the same sequences: the
// training mean, persistence, a vector autoregression and an LSTM. Each is a
// twornn.Predictor, so that twornn.Evaluate scores it on exactly the targets that
// the model is scored on.
package baseline

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
)

// Persistence predicts that each output is what its own input was at the last step.
// Entry j is the input (the column of X) that output j persists: for windows with a
// bias and all columns as targets, Persistence{1, 2, …}.
type Persistence []int

var _ twornn.Predictor = Persistence{}

// Predict implements twornn.Predictor. It panics if x has no rows or too few columns.
func (b Persistence) Predict(dst []float64, x mat.Matrix) []float64 {
	if dst == nil {
		dst = make([]float64, len(b))
	}
	if len(dst) != len(b) {
		panic("baseline: dimension mismatch: dst")
	}
	k, _ := x.Dims()
	for j, i := range b {
		dst[j] = x.At(k-1, i)
	}
	return dst
}

// Mean predicts the same constants whatever the input.
type Mean []float64

var _ twornn.Predictor = Mean{}

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
	if dst == nil {
		dst = make([]float64, len(b))
	}
	if len(dst) != len(b) {
		panic("baseline: dimension mismatch: dst")
	}
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

var _ twornn.Predictor = (*VAR)(nil)

// FitVAR fits a VAR by least squares on the last output of every sequence. An input
// that is constant, such as a bias, only shares the intercept. It errs if a sequence
// is shorter than the order or holds a value that is not finite, and panics if the
// order is not positive.
func FitVAR(data iter.Seq[twornn.Sequence], order int) (*VAR, error) {
	if order <= 0 {
		panic("baseline: the order must be positive")
	}
	// A VAR is H⁽¹⁾ of the sequences whose one input is (1, x_k, …): collected by the
	// package's own one-pass least squares.
	c, err := twornn.Collect(func(yield func(twornn.Sequence) bool) {
		i := 0
		for s := range data {
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

// features turns s into a sequence of one step, with input (1, x_k, x_{k−1}, …).
func features(s twornn.Sequence, order, number int) twornn.Sequence {
	k := s.Len()
	if k < order {
		return twornn.Sequence{Err: fmt.Errorf("baseline: sequence %d has %d steps; a VAR of order %d needs as many", number, k, order)}
	}
	rows, p := s.Y.Dims()
	x := lagged(s.X, order)
	return twornn.Sequence{X: mat.NewDense(1, len(x), x), Y: mat.DenseCopyOf(s.Y.Slice(rows-1, rows, 0, p))}
}

// lagged returns (1, x_k, x_{k−1}, …, x_{k−order+1}).
func lagged(x mat.Matrix, order int) []float64 {
	k, _ := x.Dims()
	f := []float64{1}
	for t := range order {
		f = slices.Concat(f, mat.Row(nil, k-1-t, x))
	}
	return f
}

// Predict implements twornn.Predictor. It panics if x has fewer rows than the order
// or another number of columns than the training data.
func (b *VAR) Predict(dst []float64, x mat.Matrix) []float64 {
	p, _ := b.C.Dims()
	if dst == nil {
		dst = make([]float64, p)
	}
	mat.NewVecDense(p, dst).MulVec(b.C, mat.NewVecDense(1+b.Order*cols(x), lagged(x, b.Order)))
	return dst
}

func cols(x mat.Matrix) int { _, c := x.Dims(); return c }
