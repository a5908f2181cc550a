package datasets

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
)

// Runs returns every stretch of the series that no gap in time and no missing input breaks as
// one sequence, as systems are identified: row t of X is a 1 and the inputs of a row of the
// series, the output after step t are the outputs of that same row. Where an output is missing
// its row has none (Sequence.At). Stretches without any output are left out.
//
// An output that is among the inputs would be known when it is to be told: it is an error, as
// is a column that is not there; the only sequence then has Err set, and so if nothing is
// left. The sequences can be ranged over again, and each has matrices of its own.
// It costs O(rows × columns).
func (s *Series) Runs(inputs, outputs []string) iter.Seq[twornn.Sequence] {
	return func(yield func(twornn.Sequence) bool) {
		c, in, err := s.newRunCutter(inputs, outputs)
		if err != nil {
			yield(twornn.Sequence{Err: err})
			return
		}
		found := false
		for from := 0; from < s.rows; {
			to := from
			for to < s.rows && !c.lacks(to, in) && (to == from || !c.gapBefore(to)) {
				to++
			}
			if q, ok := c.run(from, to, in); ok {
				if found = true; !yield(q) {
					return
				}
			}
			from = max(to, from+1)
		}
		if !found {
			yield(twornn.Sequence{Err: fmt.Errorf("datasets: no row of %s has all inputs %v and all outputs %v: name columns that lack fewer values", count(s.rows, "row"), inputs, outputs)})
		}
	}
}

// newRunCutter returns what cuts runs, its targets the outputs, and the columns of the inputs.
func (s *Series) newRunCutter(inputs, outputs []string) (c *cutter, in []int, err error) {
	if s == nil {
		return nil, nil, errNoSeries
	}
	if len(inputs) == 0 || len(outputs) == 0 {
		return nil, nil, errors.New("datasets: Runs needs an input and an output at the least: name their columns")
	}
	place := s.places()
	for _, name := range inputs {
		j, ok := place[name]
		switch {
		case !ok:
			return nil, nil, s.lacks(name)
		case slices.Contains(outputs, name):
			return nil, nil, fmt.Errorf("datasets: %q is an input of Runs and an output of the same row; to forecast a column from its past use Windows", name)
		}
		in = append(in, j)
	}
	for _, name := range outputs {
		if _, ok := place[name]; !ok {
			return nil, nil, s.lacks(name)
		}
	}
	c, err = newCutter(s, Window{Length: 1, Targets: outputs})
	return c, in, err
}

// run returns the rows as a sequence, false if they have no output.
func (c *cutter) run(from, to int, in []int) (q twornn.Sequence, ok bool) {
	var x, y []float64
	for i := from; i < to; i++ {
		x = append(x, 1)
		for _, j := range in {
			x = append(x, c.s.values[j][i])
		}
		if c.lacks(i, c.targets) {
			continue
		}
		q.At = append(q.At, i-from+1)
		for _, j := range c.targets {
			y = append(y, c.s.values[j][i])
		}
	}
	if len(q.At) == 0 {
		return q, false
	}
	q.X = mat.NewDense(to-from, 1+len(in), x)
	q.Y = mat.NewDense(len(q.At), len(c.targets), y)
	return q, true
}
