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

// besideRegression returns how many times the squared error of the least squares map from the last
// rows of a window that of the fit is, on the last outputs of the test windows.
func besideRegression(t *testing.T, r *Result, train, test iter.Seq[Sequence], rows int) float64 {
	t.Helper()
	_, d, p := r.Dims()
	var X, Y []float64
	n := 0
	for s := range train {
		for i := 3 - rows; i < 3; i++ {
			X = append(X, s.X.RawRowView(i)...)
		}
		Y = append(Y, s.Y.RawRowView(2)...)
		n++
	}
	x := mat.NewDense(n, rows*d, X)
	var G, B, W mat.Dense
	G.Mul(x.T(), x)
	for i := range rows * d { // the constant is there in every row
		G.Set(i, i, G.At(i, i)*(1+1e-9))
	}
	B.Mul(x.T(), mat.NewDense(n, p, Y))
	if err := W.Solve(&G, &B); err != nil && W.IsEmpty() {
		t.Fatal(err)
	}
	sse, base := 0.0, 0.0
	for s := range test {
		last := mat.NewVecDense(rows*d, nil)
		for i := range rows {
			last.SliceVec(i*d, (i+1)*d).(*mat.VecDense).CopyVec(s.X.RowView(3 - rows + i))
		}
		for j, hat := range r.Predict(nil, s.X) {
			y := s.Y.At(2, j)
			e := y - mat.Dot(last, W.ColView(j))
			sse += (y - hat) * (y - hat)
			base += e * e
		}
	}
	return sse / base
}

// TestManyColumns: windows of many columns, of which d^l would fill any memory, are fitted no
// worse than by a vector autoregression of one lag, the least squares map from the last row.
func TestManyColumns(t *testing.T) {
	for _, cols := range []int{16, 28} {
		train, test := factorModel(cols, 2000, uint64(cols))
		r := fit(t, train, Options{})
		ratio := besideRegression(t, r, train, test, 1)
		t.Logf("%d columns: %.4f times the squared error of VAR(1)", cols, ratio)
		if ratio > 1.001 {
			t.Errorf("%d columns: %.4f times the squared error of VAR(1)\n%v", cols, ratio, r)
		}
	}
}

// TestFewColumns: nor are windows of few columns, whose words can be measured whole, fitted worse than by
// one of all three lags; products that are not there take no states from those that are.
func TestFewColumns(t *testing.T) {
	sum := 0.0
	const draws = 4
	for seed := range uint64(draws) {
		train, test := factorModel(2, 500, 40+seed)
		r := fit(t, train, Options{})
		ratio := besideRegression(t, r, train, test, 3)
		t.Logf("draw %d: %.4f times the squared error of VAR(3), rank %d", seed, ratio, r.Rank)
		sum += ratio / draws
	}
	if sum > 1.02 { // some 5 % in the draws' spread, half of it in their mean
		t.Errorf("%.4f times the squared error of VAR(3) in the mean", sum)
	}
}
