package words

import (
	"fmt"
	"iter"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/internal/symbols"
)

// observe reads one-hot sequences into a tree: all words that they hold, with the mean of the
// outputs after each of them.
func observe(data iter.Seq[twornn.Sequence]) (*symbols.Tree, error) {
	o := symbols.NewTree(0, 0)
	n := 0
	for s := range data {
		n++
		if s.Err != nil {
			return nil, s.Err
		}
		if s.Y == nil || s.Y.IsEmpty() {
			return nil, fmt.Errorf("words: sequence %d has no outputs", n)
		}
		d, p := s.Dims()
		if o.P == 0 {
			o.P = p
		}
		if o.D == 0 {
			o.D = d
		}
		if p != o.P || d != 0 && d != o.D {
			return nil, fmt.Errorf("words: sequence %d has %d inputs and %d outputs, those before it %d and %d", n, d, p, o.D, o.P)
		}
		word, err := datasets.WordOf(s.X)
		if err != nil {
			return nil, fmt.Errorf("words: sequence %d: %w", n, err)
		}
		if err := o.Add(word, s.Y.RawMatrix().Rows, func(t int) []float64 { return s.Y.RawRowView(t) }); err != nil {
			return nil, fmt.Errorf("words: sequence %d: %w", n, err)
		}
	}
	if o.D == 0 {
		return nil, fmt.Errorf("words: %d sequences hold no symbol; give words of at least one", n)
	}
	return o, nil
}
