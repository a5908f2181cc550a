package course

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/plotting"
	"github.com/twornn/spectral/twornn"
)

// Words returns all words over the symbols up to the length, shortest first, the empty one
// as "". twornn.Words lists the same as indices of symbols.
func Words(alphabet []string, length int) (all []string) {
	for _, word := range twornn.Words(len(alphabet), length) {
		var s strings.Builder
		for _, i := range word {
			s.WriteString(alphabet[i])
		}
		all = append(all, s.String())
	}
	return all
}

// Names returns the words as Words does, with ε for the empty one: for the axes of figures.
func Names(alphabet []string, length int) []string {
	all := Words(alphabet, length)
	all[0] = "ε"
	return all
}

// OneHot returns the k×d matrix whose row t is the unit vector of symbol t of a word of
// one-letter symbols; nil, no input at all, for the empty word. It panics if a letter is no
// symbol.
func OneHot(alphabet []string, word string) mat.Matrix {
	if word == "" {
		return nil
	}
	x := mat.NewDense(len(word), len(alphabet), nil)
	for t, s := range strings.Split(word, "") {
		x.Set(t, slices.Index(alphabet, s), 1)
	}
	return x
}

// SingularValues returns the singular values of a matrix, largest first.
func SingularValues(m mat.Matrix) []float64 {
	var svd mat.SVD
	if !svd.Factorize(m, mat.SVDNone) {
		panic("course: the matrix has no singular values; is an entry NaN or infinite?")
	}
	return svd.Values(nil)
}

// Stretches returns the means of y over stretches of the positions 1, 2, … that grow by half
// a power of ten, each at the middle of its stretch.
func Stretches(name string, y []float64) plotting.Curve {
	c := plotting.Curve{Name: name}
	for from := 1.0; from < float64(len(y)); from *= math.Sqrt(10) {
		a, b := int(from)-1, min(int(from*math.Sqrt(10)), len(y))
		sum := 0.0
		for _, v := range y[a:b] {
			sum += v
		}
		c.Add(math.Sqrt(float64(a+1)*float64(b)), sum/float64(b-a))
	}
	return c
}
