package moments

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// examples returns n of l steps with standard normal inputs and outputs that fill sets,
// none by itself.
func examples(n, l, d, p int, seed uint64, fill func(x, y *mat.Dense)) (out []Example) {
	rnd := rand.New(rand.NewPCG(seed, 9))
	for range n {
		e := Example{X: mat.NewDense(l, d, nil), Y: mat.NewDense(1, p, nil)}
		for i := range l * d {
			e.X.Set(i/d, i%d, rnd.NormFloat64())
		}
		for j := range p {
			e.Y.Set(0, j, rnd.NormFloat64())
		}
		if fill != nil {
			fill(e.X, e.Y)
		}
		out = append(out, e)
	}
	return out
}

// direct returns X and Y, written out.
func directRows(data []Example, l, d, p int) (X, Y *mat.Dense) {
	X, Y = mat.NewDense(len(data), linalg.Pow(d, l), nil), mat.NewDense(len(data), p, nil)
	for i, e := range data {
		linalg.Kronecker(X.RawRowView(i), e.X.RawMatrix().Data, d)
		copy(Y.RawRowView(i), e.Y.RawRowView(0))
	}
	return X, Y
}

// TestGramSums: the sums over pairs are XᵀX, XᵀY and YᵀY, and the factor has them.
func TestGramSums(t *testing.T) {
	for _, s := range []struct{ d, l, p int }{{1, 1, 1}, {3, 1, 2}, {2, 2, 1}, {3, 3, 2}, {2, 5, 1}} {
		data := examples(300, s.l, s.d, s.p, 2, nil)
		X, Y := directRows(data, s.l, s.d, s.p)
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
	rnd := rand.New(rand.NewPCG(5, 7)).NormFloat64
	f := func(x *mat.Dense) float64 { // linear in each input
		y := 1.0
		for t, w := range []float64{0.7, -0.4, 0.9} {
			y *= 0.8*x.At(t, 0) + w*x.At(t, 1)
		}
		return y
	}
	change := func(f func(x, y *mat.Dense)) []Example {
		return examples(20000, 3, 2, 1, 2, func(x, y *mat.Dense) {
			for t := range 3 {
				x.Set(t, 0, 1) // a bias, by which outputs far from zero are explained
			}
			f(x, y)
		})
	}
	noisy := change(func(x, y *mat.Dense) { y.Set(0, 0, f(x)+0.1*rnd()) })
	far := change(func(x, y *mat.Dense) { y.Set(0, 0, 1e7+f(x)+0.1*rnd()) })
	bare := change(func(x, y *mat.Dense) { y.Set(0, 0, f(x)) })
	// A sequence that hardly moves: its products nearly depend on each other.
	still := change(func(x, y *mat.Dense) {
		for t := 1; t < 3; t++ {
			x.Set(t, 1, x.At(0, 1)+1e-4*rnd())
		}
		y.Set(0, 0, f(x)+0.1*rnd())
	})
	// Later rows by far larger than those that showed the condition.
	row := 0
	grown := change(func(x, y *mat.Dense) {
		if row++; row > 10000 {
			for t := range 3 {
				x.Set(t, 1, 300*x.At(t, 1))
			}
		}
		y.Set(0, 0, f(x)+0.1*rnd())
	})
	for name, c := range map[string]struct {
		data []Example
		sums bool
	}{"noisy": {noisy, true}, "far from zero": {far, false}, "no noise": {bare, false}, "still": {still, false}, "grown": {grown, true}} {
		pass := NewCollector(Plan{Lengths: []int{3}})
		for _, e := range c.data {
			if err := pass.Add(e); err != nil {
				t.Fatal(err)
			}
		}
		set, err := pass.End()
		if err != nil {
			t.Fatal(err)
		}
		got := set[3]
		if summed := got.parts[0].sums != nil; summed != c.sums {
			t.Errorf("%s: summed %v", name, summed)
		}
		// The oracle: what least squares leaves, by a QR of all rows.
		X, Y := directRows(c.data, 3, 2, 1)
		var H mat.Dense
		if err := H.Solve(X, Y); err != nil {
			t.Fatal(err)
		}
		var e mat.Dense
		e.Mul(X, &H)
		e.Sub(Y, &e)
		want := math.Sqrt(linalg.Squared(&e))
		left := math.Abs(got.whole().At(8, 8))
		// 1e-8 of the outputs is what the choice guards; without noise, rounding.
		if math.Abs(left-want) > 1e-6*want+1e-12*math.Sqrt(linalg.Squared(Y)) {
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
