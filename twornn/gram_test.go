package twornn

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestGramSums: the sums over pairs are XᵀX, XᵀY and YᵀY, and the factor has them.
func TestGramSums(t *testing.T) {
	for _, s := range []struct{ d, l, p int }{{1, 1, 1}, {3, 1, 2}, {2, 2, 1}, {3, 3, 2}, {2, 5, 1}} {
		m := Random(2, s.d, s.p, 0.7, pcg(1))
		data := all(m, 300, s.l, 0.3, false, 2)
		X, Y := direct(t, m, data, s.l)
		g := newGramSums(s.d, s.l, s.p)
		for from := 0; from < 300; from += 100 {
			var x, y []float64
			for _, q := range data[from : from+100] {
				x, y = append(x, q.X.RawMatrix().Data...), append(y, q.Y.RawMatrix().Data...)
			}
			g.add(x, y)
		}
		var XX, XY mat.Dense
		XX.Mul(X.T(), X)
		XY.Mul(X.T(), Y)
		if !mat.EqualApprox(g.full(), &XX, 1e-10) || !mat.EqualApprox(g.xy.T(), &XY, 1e-10) {
			t.Errorf("%+v: not XᵀX and XᵀY", s)
		}
		var xy, want, got mat.Dense
		xy.Augment(X, Y)
		want.Mul(xy.T(), &xy)
		f := g.factor()
		got.Mul(f.T(), f)
		if !mat.EqualApprox(&got, &want, 1e-9*mat.Norm(&want, 2)) {
			t.Errorf("%+v: the factor is not one of [X Y]ᵀ[X Y]", s)
		}
	}
}

// TestSumsWhereTheyLoseNothing: with many rows most are summed; where sums would lose
// what counts they are not, by measurement: outputs far from zero beside their noise, no
// noise at all, and inputs whose products nearly depend on each other.
func TestSumsWhereTheyLoseNothing(t *testing.T) {
	m := Random(2, 2, 1, 0.7, pcg(1))
	change := func(f func(x, y *mat.Dense)) []Sequence {
		data := all(m, 20000, 3, 0, false, 2)
		for _, s := range data {
			for t := range 3 {
				s.X.Set(t, 0, 1) // a bias, by which outputs far from zero are explained
			}
			s.Y.Set(0, 0, m.Predict(nil, s.X)[0])
			f(s.X, s.Y)
		}
		return data
	}
	rnd := rand.New(pcg(5)).NormFloat64
	noisy := change(func(_, y *mat.Dense) { y.Set(0, 0, y.At(0, 0)+0.1*rnd()) })
	far := change(func(_, y *mat.Dense) { y.Set(0, 0, 1e7+y.At(0, 0)+0.1*rnd()) })
	bare := change(func(_, _ *mat.Dense) {})
	again := func(x, y *mat.Dense) { // the outputs of inputs that have changed
		y.Set(0, 0, m.Predict(nil, x)[0]+0.1*rnd())
	}
	// A sequence that hardly moves: its products nearly depend on each other.
	still := change(func(x, y *mat.Dense) {
		for t := 1; t < 3; t++ {
			x.Set(t, 1, x.At(0, 1)+1e-4*rnd())
		}
		again(x, y)
	})
	// Later rows by far larger than those that showed the condition.
	row := 0
	grown := change(func(x, y *mat.Dense) {
		if row++; row > 10000 {
			for t := range 3 {
				x.Set(t, 1, 300*x.At(t, 1))
			}
		}
		again(x, y)
	})
	for name, c := range map[string]struct {
		data []Sequence
		sums bool
	}{"noisy": {noisy, true}, "far from zero": {far, false}, "no noise": {bare, false}, "still": {still, false}, "grown": {grown, true}} {
		got := collected(t, c.data, 3)[3]
		if summed := got.parts[0].sums != nil; summed != c.sums {
			t.Errorf("%s: summed %v", name, summed)
		}
		// The oracle: what least squares leaves, by a QR of all rows.
		X, Y := direct(t, m, c.data, 3)
		var H mat.Dense
		if err := H.Solve(X, Y); err != nil {
			t.Fatal(err)
		}
		var e mat.Dense
		e.Mul(X, &H)
		e.Sub(Y, &e)
		want := math.Sqrt(squared(&e))
		f := got.whole()
		left := math.Abs(f.At(8, 8))
		// 1e-8 of the outputs is what the choice guards; without noise, rounding.
		if math.Abs(left-want) > 1e-6*want+1e-12*math.Sqrt(squared(Y)) {
			t.Errorf("%s: least squares leaves %.9g, want %.9g", name, left, want)
		}
	}
	// The test can see: sums alone lose the noise beside 1e7.
	g := newGramSums(2, 3, 1)
	for _, s := range far {
		g.add(s.X.RawMatrix().Data, s.Y.RawMatrix().Data)
	}
	if left := g.factor().At(8, 8) / math.Sqrt(20000); math.Abs(left-0.1) < 0.01 {
		t.Errorf("sums alone give a noise of %v: the test cannot see", left)
	}
}
