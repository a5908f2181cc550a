package words

import (
	"errors"
	"fmt"
	"iter"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/internal/phrase"
	"github.com/twornn/spectral/twornn/internal/symbols"
)

// steps returns the numbers of symbols after which the outputs of a word stand.
func steps(s twornn.Sequence, symbols int) (at []int, err error) {
	rows, _ := s.Y.Dims()
	if s.At != nil && len(s.At) != rows || s.At == nil && rows != 1 && rows != symbols {
		return nil, fmt.Errorf("it has %s of outputs for %s; give one a symbol, or one for the last, or list in At where they stand", phrase.Count(rows, "row"), phrase.Count(symbols, "symbol"))
	}
	for i, t := range s.At {
		switch {
		case t < 0 || t > symbols:
			return nil, fmt.Errorf("row %d of its outputs stands after symbol %d, but there are %d; At counts from 1, 0 being before the first", i+1, t, symbols)
		case i > 0 && t <= s.At[i-1]:
			return nil, fmt.Errorf("row %d of its outputs stands after symbol %d, that before it after %d; At must ascend", i+1, t, s.At[i-1])
		}
	}
	for t := range s.Outputs() {
		at = append(at, t)
	}
	return at, nil
}

// largestOutput bounds outputs, of which squares must be numbers.
const largestOutput = 1e140

// checkSize returns an error if an output is a number, but too large.
func checkSize(y *mat.Dense) error {
	rows, p := y.Dims()
	for i := range rows {
		for j, v := range y.RawRowView(i)[:p] {
			if math.Abs(v) > largestOutput && !math.IsInf(v, 0) {
				return fmt.Errorf("output %d of row %d is %.3g, too large to work with; change its unit", j+1, i+1, v)
			}
		}
	}
	return nil
}

// observe reads one-hot sequences into a tree: all words that they hold, with the mean of the
// outputs after each of them.
func observe(data iter.Seq[twornn.Sequence]) (*symbols.Tree, error) {
	if data == nil {
		return nil, errors.New("words: there are no data: the source of sequences is nil")
	}
	o := symbols.NewTree(0, 0)
	n := 0
	for s := range data {
		n++
		if s.Err != nil {
			return nil, s.Err
		}
		if s.Y == nil || s.Y.IsEmpty() {
			return nil, fmt.Errorf("words: sequence %d has no outputs; give one after its last symbol at the least", n)
		}
		d, p := s.Dims()
		if o.P == 0 {
			o.P = p
		}
		if o.D == 0 {
			o.D = d
		}
		if p != o.P || d != 0 && d != o.D {
			return nil, fmt.Errorf("words: sequence %d has %d inputs and %d outputs, those before it %d and %d; give the same in all", n, d, p, o.D, o.P)
		}
		word, err := datasets.WordOf(s.X)
		if err != nil {
			return nil, fmt.Errorf("words: sequence %d: %w", n, err)
		}
		at, err := steps(s, len(word))
		if err == nil {
			err = checkSize(s.Y)
		}
		if err == nil {
			err = o.Add(word, at, s.Y.RawRowView)
		}
		if err != nil {
			return nil, fmt.Errorf("words: sequence %d: %w", n, err)
		}
	}
	if o.D == 0 {
		return nil, fmt.Errorf("words: the data, %s, hold no symbol; give words of at least one", phrase.Count(n, "sequence"))
	}
	return o, nil
}
