package twornn_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/tt"
)

// leastSquares is a Recovery written with what the package exports: least squares on the
// system of the measurements, or on their rows written out.
type leastSquares struct{ rows bool }

var _ twornn.RowRecovery = leastSquares{}

func (r leastSquares) NeedsRows() bool { return r.rows }

func (r leastSquares) Recover(_ context.Context, m *twornn.Measurements, _ int, _ twornn.Recorder) (*tt.Tensor, twornn.Stats, error) {
	l, d, p := m.Dims()
	A, B, err := m.System()
	if r.rows {
		x, y, ok := m.Rows()
		if !ok {
			return nil, twornn.Stats{}, errors.New("no rows")
		}
		A, B = written(x, m.N()), y
	}
	if err != nil {
		return nil, twornn.Stats{}, err
	}
	var H mat.Dense
	if err := H.Solve(A, B); err != nil {
		return nil, twornn.Stats{}, err
	}
	var e mat.Dense
	e.Mul(A, &H)
	e.Sub(B, &e)
	st := twornn.Stats{Status: twornn.Converged, Iterations: 1, N: m.N(), Unknowns: m.Unknowns(), Residuals: []float64{mat.Norm(&e, 2) / math.Sqrt(m.Energy())}}
	dims := []int{p}
	for range l {
		dims = append([]int{d}, dims...)
	}
	h, err := tt.SVD(mat.DenseCopyOf(&H).RawMatrix().Data, dims, 0, 0)
	return m.ToData(h), st, err
}

// written returns the rows x₁⊗⋯⊗x_l.
func written(x []*mat.Dense, n int) *mat.Dense {
	X := mat.NewDense(n, 1, nil)
	for i := range n {
		X.Set(i, 0, 1)
	}
	for _, f := range x {
		_, c := X.Dims()
		_, d := f.Dims()
		next := mat.NewDense(n, c*d, nil)
		for i := range n {
			for a := range c {
				for b := range d {
					next.Set(i, a*d+b, X.At(i, a)*f.At(i, b))
				}
			}
		}
		X = next
	}
	return X
}

// offset yields sequences whose second input is far from zero beside what it moves, so that
// measurements are kept in coordinates of their own.
func offset(m *twornn.Model, n, length int) iter.Seq[twornn.Sequence] {
	return func(yield func(twornn.Sequence) bool) {
		rnd := rand.New(rand.NewPCG(1, 2))
		for range n {
			x, y := mat.NewDense(length, 2, nil), new(mat.Dense)
			for t := range length {
				x.SetRow(t, []float64{1, 100 + rnd.NormFloat64()})
			}
			m.OutputsTo(y, x)
			for t := range length {
				y.Set(t, 0, y.At(t, 0)+0.1*rnd.NormFloat64())
			}
			if !yield(twornn.Sequence{X: x, Y: y}) {
				return
			}
		}
	}
}

// TestOwnRecovery: a Recovery written outside of the package gives what LeastSquares does,
// for each length and as the recovery of a fit.
func TestOwnRecovery(t *testing.T) {
	ctx := context.Background()
	m := twornn.Random(2, 2, 1, 0.1, rand.NewPCG(3, 4))
	data := offset(m, 400, 3)
	for _, own := range []leastSquares{{}, {rows: true}} {
		collect := twornn.Collect
		if own.rows {
			collect = twornn.CollectRows
		}
		c, err := collect(data)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range c.Lengths() {
			want, st, err := twornn.LeastSquares{}.Recover(ctx, c[l], 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, own, err := own.Recover(ctx, c[l], 0, nil)
			if err != nil {
				t.Fatal(err)
			}
			var diff tt.Tensor
			diff.Scale(-1, want)
			diff.Add(got, &diff)
			if e := diff.Norm() / want.Norm(); e > 1e-7 || math.Abs(own.Residuals[0]-st.Residuals[0]) > 1e-9 {
				t.Errorf("%+v, H(%d): off by %.2g, residual %v for %v", own, l, e, own.Residuals[0], st.Residuals[0])
			}
			a, err1 := c[l].SquaredError(got)
			b, err2 := c[l].SquaredError(want)
			if err1 != nil || err2 != nil || math.Abs(a-b) > 1e-6*b {
				t.Errorf("%+v, H(%d): squared errors %v and %v", own, l, a, b)
			}
		}
		a, err1 := twornn.Fit(ctx, data, twornn.Options{L: 1, Rank: 2, Recovery: own})
		b, err2 := twornn.Fit(ctx, data, twornn.Options{L: 1, Rank: 2, Recovery: twornn.LeastSquares{}})
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if math.Abs(a.MSE-b.MSE) > 1e-8*b.MSE || a.Fallback || a.Rank != 2 {
			t.Errorf("%+v: MSE %v, %v with LeastSquares", own, a.MSE, b.MSE)
		}
	}
}

// TestFolds: what is held out and what is not are all measurements, each once.
func TestFolds(t *testing.T) {
	m := twornn.Random(2, 2, 1, 0.1, rand.NewPCG(3, 4))
	c, err := twornn.Collect(offset(m, 400, 2))
	if err != nil {
		t.Fatal(err)
	}
	A, _, err := c[2].System()
	if err != nil {
		t.Fatal(err)
	}
	var all mat.Dense
	all.Mul(A.T(), A)
	held := 0
	for k := range c[2].Folds() {
		R, B, heldR, heldB, n := c[2].Fold(k)
		var sum, rest mat.Dense
		sum.Mul(R.T(), R)
		rest.Mul(heldR.T(), heldR)
		sum.Add(&sum, &rest)
		if !mat.EqualApprox(&sum, &all, 1e-9*mat.Norm(&all, 2)) || B.IsEmpty() || heldB.IsEmpty() {
			t.Errorf("fold %d: the parts do not make the whole", k)
		}
		held += c[2].N() - n
	}
	if held != 400 {
		t.Errorf("%d of 400 held out", held)
	}
}
