package words

import (
	"errors"
	"fmt"
	"math"

	"github.com/twornn/spectral/datasets"
)

// usable returns an error if there is nothing to learn from.
func usable(sample *datasets.Words) error {
	switch {
	case sample == nil || sample.Len() == 0:
		return errors.New("words: the sample holds no word; read or add some first")
	case len(sample.Alphabet) == 0:
		return errors.New("words: the alphabet of the sample is empty; make it with datasets.NewWords")
	}
	return nil
}

// checkSymbols panics if a symbol of a word is not among d.
func checkSymbols(word []int, d int) {
	for _, s := range word {
		if s < 0 || s >= d {
			panic(fmt.Sprintf("words: symbol %d is not among the %d of the alphabet", s, d))
		}
	}
}

// unit returns the power of two by which the counts of a sample are multiplied, so that sums and
// products of them are numbers: 1, unless all in all they are beyond 1e±140. What is learnt of
// such counts depends on their shares alone: no prior is of their size.
func unit(sample *datasets.Words) float64 {
	const room = 400 // 2⁴⁰⁰ is 1e120
	total := sample.Total()
	_, exp := math.Frexp(total)
	switch {
	case math.IsInf(total, 1):
		return math.Ldexp(1, room-1024-64) // of 2⁶⁴ words at the most
	case total > 1e140:
		return math.Ldexp(1, room-exp)
	case total < 1e-140 && total > 0:
		return math.Ldexp(1, -room-exp)
	}
	return 1
}
