package datasets

import (
	"iter"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
)

// FromModel returns a data set D_l of the paper's Section 5: n sequences of l = length
// inputs drawn from N(0, I), each with the output of m after the last step plus noise
// drawn from N(0, noise²), so that noise is a standard deviation. Length 0 gives the
// empty word. Collect more than one length with Join.
//
// It draws a seed from src at once and no more later. So the sequences are the same
// each time they are ranged over, and, for the same src, the inputs are the same
// whatever the noise. m must not change meanwhile. It panics if n, length or noise is
// negative or m is not fitted.
func FromModel(m *twornn.Model, n, length int, noise float64, src rand.Source) iter.Seq[twornn.Sequence] {
	_, d, p := m.Dims()
	return generate(n, length, d, p, noise, src, func(rnd *rand.Rand, X *mat.Dense, y []float64) {
		if X == nil {
			m.Predict(y, nil)
			return
		}
		for i := range length {
			x := X.RawRowView(i)
			for j := range x {
				x[j] = rnd.NormFloat64()
			}
		}
		m.Predict(y, X)
	})
}

// Addition returns a data set of the paper's second experiment: n sequences of inputs
// (1, x_1, x_2) with x_1 and x_2 drawn from N(0, 1), each with the sum of the running
// differences Σ_t (x_2 − x_1) plus noise drawn from N(0, noise²). It has d = 3 and
// p = 1; see FromModel for the rest.
func Addition(n, length int, noise float64, src rand.Source) iter.Seq[twornn.Sequence] {
	return generate(n, length, 3, 1, noise, src, func(rnd *rand.Rand, X *mat.Dense, y []float64) {
		y[0] = 0
		for i := range length {
			x := X.RawRowView(i)
			x[0], x[1], x[2] = 1, rnd.NormFloat64(), rnd.NormFloat64()
			y[0] += x[2] - x[1]
		}
	})
}

// AdditionModel returns the linear 2-RNN with two states that computes the function of
// Addition exactly. Its states are (1, s) with s the sum so far: A_0 keeps both, and
// A_1 and A_2 send the 1 to −s and to s.
func AdditionModel() *twornn.Model {
	m := twornn.NewModel(2, 3, 1)
	m.H0.SetVec(0, 1)
	m.A[0].Set(0, 0, 1)
	m.A[0].Set(1, 1, 1)
	m.A[1].Set(0, 1, -1)
	m.A[2].Set(0, 1, 1)
	m.Omega.Set(0, 1, 1)
	return m
}

// generate returns n sequences that draw fills, with noise on the outputs.
func generate(n, length, d, p int, noise float64, src rand.Source, draw func(*rand.Rand, *mat.Dense, []float64)) iter.Seq[twornn.Sequence] {
	if n < 0 || length < 0 || !(noise >= 0) {
		panic("datasets: n, length and noise must not be negative")
	}
	seed1, seed2 := src.Uint64(), src.Uint64()
	return func(yield func(twornn.Sequence) bool) {
		rnd := rand.New(rand.NewPCG(seed1, seed2))
		for range n {
			var X *mat.Dense
			if length > 0 {
				X = mat.NewDense(length, d, nil)
			}
			Y := mat.NewDense(1, p, nil)
			y := Y.RawRowView(0)
			draw(rnd, X, y)
			for j := range y {
				// Drawn without noise too: the inputs that follow stay the same.
				y[j] += noise * rnd.NormFloat64()
			}
			if !yield(twornn.Sequence{X: X, Y: Y}) {
				return
			}
		}
	}
}
