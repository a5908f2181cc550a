package twornn

import (
	"iter"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// factorModel returns windows of three rows of so many columns that follow three factors, each
// an autoregression, with noise of its own, and a constant beside them; the first four fifths
// of the rows, and the rest.
func factorModel(cols, rows int, seed uint64) (train, test iter.Seq[Sequence]) {
	rnd := rand.New(pcg(seed))
	const F = 3
	load := mat.NewDense(cols, F, nil)
	for i := range cols {
		for j := range F {
			load.Set(i, j, rnd.NormFloat64())
		}
	}
	f := make([]float64, F)
	Y := mat.NewDense(rows, cols, nil)
	for t := range rows {
		for j, phi := range []float64{0.95, 0.8, 0.5} {
			f[j] = phi*f[j] + rnd.NormFloat64()
		}
		for i := range cols {
			Y.Set(t, i, mat.Dot(load.RowView(i), mat.NewVecDense(F, f))+rnd.NormFloat64())
		}
	}
	cut := func(from, to int) iter.Seq[Sequence] {
		return func(yield func(Sequence) bool) {
			for t := from; t+3 < to; t++ {
				s := Sequence{X: mat.NewDense(3, cols+1, nil), Y: mat.NewDense(3, cols, nil)}
				for i := range 3 {
					s.X.Set(i, 0, 1)
					for j := range cols {
						s.X.Set(i, 1+j, Y.At(t+i, j))
						s.Y.Set(i, j, Y.At(t+i+1, j))
					}
				}
				if !yield(s) {
					return
				}
			}
		}
	}
	return cut(0, rows*4/5), cut(rows*4/5, rows)
}

// TestManyColumns: windows of many columns, of which d^l would fill any memory, are fitted no
// worse than by a vector autoregression of one lag, the least squares map from the last row.
func TestManyColumns(t *testing.T) {
	for _, cols := range []int{16, 28} {
		train, test := factorModel(cols, 2000, uint64(cols))
		r := fit(t, train, Options{})
		var X, Y []float64
		n := 0
		for s := range train {
			X = append(X, s.X.RawRowView(2)...)
			Y = append(Y, s.Y.RawRowView(2)...)
			n++
		}
		var W mat.Dense
		if err := W.Solve(mat.NewDense(n, cols+1, X), mat.NewDense(n, cols, Y)); err != nil {
			t.Fatal(err)
		}
		sse, base := 0.0, 0.0
		for s := range test {
			var lag mat.Dense
			lag.Mul(s.X.Slice(2, 3, 0, cols+1), &W)
			for j, hat := range r.Predict(nil, s.X) {
				y := s.Y.At(2, j)
				sse += (y - hat) * (y - hat)
				base += (y - lag.At(0, j)) * (y - lag.At(0, j))
			}
		}
		t.Logf("%d columns: %.4f times the squared error of VAR(1)", cols, sse/base)
		if sse > 1.005*base {
			t.Errorf("%d columns: %.4f times the squared error of VAR(1)\n%v", cols, sse/base, r)
		}
	}
}
