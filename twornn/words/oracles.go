package words

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
)

// BlackBox answers a query: the p outputs of a function on a word of indices of symbols.
type BlackBox func(word []int) []float64

// Oracle is asked whether a model is right. It returns a word on which it is not, and
// false if it knows none.
type Oracle func(m *twornn.Model) (word []int, differs bool)

// unfit is why a black box or an oracle of this package cannot be asked. They have no error to
// return and panic with it; Learn returns it.
type unfit string

func (u unfit) Error() string { return string(u) }

// unfitOf, deferred, makes a panic with an unfit the error.
func unfitOf(err *error) {
	switch r := recover().(type) {
	case nil:
	case unfit:
		*err = r
	default:
		panic(r)
	}
}

// UnitVectors returns the black box that asks f, a network say, for the outputs on one-hot
// inputs. If f is multilinear, as a linear 2-RNN is, its answers there tell all others. If f is
// nil or does not take d inputs, or if a symbol is not below d, it is an error of Learn, and a panic elsewhere.
func UnitVectors(f twornn.Predictor, d int) BlackBox {
	return func(word []int) []float64 {
		switch {
		case f == nil:
			panic(unfit("words: UnitVectors has no function to ask: it is nil"))
		case d < 1:
			panic(unfit(fmt.Sprintf("words: UnitVectors asks with %d inputs; give one at the least", d)))
		}
		if m, ok := f.(*twornn.Model); ok {
			p := 0
			if m != nil && m.Omega != nil {
				p, _ = m.Omega.Dims()
			}
			if err := m.Takes(d, p); err != nil {
				panic(unfit("words: UnitVectors: " + err.Error()))
			}
		}
		for _, s := range word {
			if s < 0 || s >= d {
				panic(unfit(fmt.Sprintf("words: UnitVectors has %d inputs and is asked for symbol %d; give it and Learn the same number of symbols", d, s)))
			}
		}
		if len(word) == 0 {
			return f.Predict(nil, nil)
		}
		return f.Predict(nil, datasets.OneHot(word, d))
	}
}

// Against returns the oracle that compares with a known model, exactly, by twornn.Equal
// with its tolerance. That the models cannot be compared is an error of Learn, and a panic
// elsewhere.
func Against(target *twornn.Model, tol float64) Oracle {
	return func(m *twornn.Model) ([]int, bool) {
		equal, word, err := twornn.Equal(m, target, tol)
		if err != nil {
			panic(unfit("words: the oracle Against a model: " + err.Error()))
		}
		return word, !equal
	}
}

// Sampled returns the oracle that tries n random words of up to so many symbols, of each length
// alike, and returns the first on which an output is off by more than tol, or on which f answers
// with another number of outputs. Each time it draws others. Its queries are not counted. What
// no word can be drawn with is an error of Learn, and a panic elsewhere.
func Sampled(f BlackBox, d, n, length int, tol float64, src rand.Source) Oracle {
	rnd := rand.New(src)
	return func(m *twornn.Model) ([]int, bool) {
		_, symbols, _ := m.Dims()
		switch {
		case f == nil || src == nil:
			panic(unfit("words: the oracle Sampled needs a black box and a source of random numbers, and one is nil"))
		case d < 1 || d > symbols:
			panic(unfit(fmt.Sprintf("words: the oracle Sampled draws words of %d symbols, the model reads %d; give both the same", d, symbols)))
		case n < 1 || length < 0 || !(tol >= 0):
			panic(unfit(fmt.Sprintf("words: the oracle Sampled tries %d words of up to %d symbols with tolerance %v; give a word or more, and nothing negative", n, length, tol)))
		}
		ask := UnitVectors(m, symbols)
		for range n {
			word := make([]int, rnd.IntN(length+1))
			for t := range word {
				word[t] = rnd.IntN(d)
			}
			y, z := f(slices.Clone(word)), ask(word)
			if len(y) != len(z) {
				return word, true // Learn asks for itself, and says so
			}
			for j := range y {
				if !(math.Abs(y[j]-z[j]) <= tol) {
					return word, true
				}
			}
		}
		return nil, false
	}
}

// largestAnswer bounds answers, of which products and squares must be numbers; the largest of
// them must be above its inverse.
const largestAnswer = 1e140
