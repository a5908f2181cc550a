package twornn

import (
	"iter"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// draw yields n sequences of standard normal inputs with the outputs of m, plus
// N(0, noise²): after every step, or after the last one only.
func draw(m *Model, n, length int, noise float64, every bool, seed uint64) iter.Seq[Sequence] {
	_, d, p := m.Dims()
	return func(yield func(Sequence) bool) {
		rnd := rand.New(rand.NewPCG(seed, 9))
		for range n {
			x := mat.NewDense(length, d, nil)
			for t := range length {
				for i := range d {
					x.Set(t, i, rnd.NormFloat64())
				}
			}
			y := new(mat.Dense)
			m.OutputsTo(y, x)
			for t := range length {
				for j := range p {
					y.Set(t, j, y.At(t, j)+noise*rnd.NormFloat64())
				}
			}
			if !every {
				y = mat.DenseCopyOf(y.Slice(length-1, length, 0, p))
			}
			if !yield(Sequence{X: x, Y: y}) {
				return
			}
		}
	}
}

// chain yields one part after the other.
func chain(parts ...iter.Seq[Sequence]) iter.Seq[Sequence] {
	return func(yield func(Sequence) bool) {
		for _, part := range parts {
			for s := range part {
				if !yield(s) {
					return
				}
			}
		}
	}
}

// drawLengths is the paper's training data: n sequences of each length, with the
// output after the last step.
func drawLengths(m *Model, n int, noise float64, seed uint64, lengths ...int) iter.Seq[Sequence] {
	var parts []iter.Seq[Sequence]
	for _, l := range lengths {
		parts = append(parts, draw(m, n, l, noise, false, seed*100+uint64(l)))
	}
	return chain(parts...)
}

// sequences yields the given ones.
func sequences(s ...Sequence) iter.Seq[Sequence] {
	return func(yield func(Sequence) bool) {
		for _, v := range s {
			if !yield(v) {
				return
			}
		}
	}
}

// relativeError returns the largest |f − g| over test sequences of the given length,
// over the root mean square of g.
func relativeError(t *testing.T, f Predictor, g *Model, length int) float64 {
	t.Helper()
	var most, sum, n float64
	for s := range draw(g, 200, length, 0, false, 12345) {
		hat := f.Predict(nil, s.X)
		for j, y := range s.Y.RawRowView(0) {
			most = max(most, math.Abs(hat[j]-y))
			if math.IsNaN(hat[j]) {
				t.Fatal("a prediction is NaN")
			}
			sum += y * y
			n++
		}
	}
	return most / math.Sqrt(sum/n)
}

// words calls f with the one-hot matrices of all words of length l over d symbols.
func words(d, l int, f func(word []int, x *mat.Dense)) {
	word := make([]int, l)
	for i := range linalg.Pow(d, l) {
		rest := i
		for t := l - 1; t >= 0; t-- {
			word[t] = rest % d
			rest /= d
		}
		if l == 0 {
			f(word, nil)
			continue
		}
		x := mat.NewDense(l, d, nil)
		for t, s := range word {
			x.Set(t, s, 1)
		}
		f(word, x)
	}
}

func pcg(seed uint64) rand.Source { return rand.NewPCG(seed, 7) }

// lastInput is the forecaster y_k = W x_k over inputs whose first is a constant 1:
// persistence and every first-order vector autoregression are of this kind. It has
// d+1 states: the input before, which Ω reads, and a 1 that lasts.
func lastInput(W *mat.Dense) *Model {
	p, d := W.Dims()
	m := NewModel(d+1, d, p)
	m.H0.SetVec(d, 1)
	for i, a := range m.A {
		a.Set(d, i, 1) // the state that stays 1 loads the input
	}
	m.A[0].Set(d, d, 1) // and lasts as long as the bias is 1
	m.Omega.Slice(0, p, 0, d).(*mat.Dense).Copy(W)
	return m
}

func mustPanic(t *testing.T, name string, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Errorf("%s: no panic", name)
		}
	}()
	f()
}
