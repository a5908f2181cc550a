package twornn

import (
	"errors"
	"fmt"
	"iter"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/moments"
	"github.com/twornn/spectral/twornn/internal/phrase"
)

// Sequence is one example, of any length. X is k×d: row t is the input x_t. Y is k×p, an
// output after every step, or 1×p, the output after the last step only. Where some are
// missing, Y has the rows that are there and At the steps after which they stand.
//
// The empty word has X nil and Y 1×p.
type Sequence struct {
	X, Y *mat.Dense
	// At are the steps after which the rows of Y stand, from 1, or 0 for an output before the
	// first step, ascending. nil: after every step, or after the last.
	At []int
	// Err is set by a source that cannot go on (a series too short for its
	// windows, a file that breaks off): the cause, with X and Y nil. Collect,
	// Fit and Evaluate hand it to their caller.
	Err error
}

// check returns an error that says what is wrong with the sequence, if anything:
// missing or disagreeing shapes, a NaN or an infinity.
func (s Sequence) check() error {
	if s.Y == nil || s.Y.IsEmpty() {
		return errors.New("it has no output Y; give one after its last step at the least")
	}
	k, rows := s.Len(), s.Y.RawMatrix().Rows
	if err := s.checkAt(k, rows); err != nil {
		return err
	}
	if k > 0 {
		if err := finite("input", s.X); err != nil {
			return err
		}
	}
	return finite("output", s.Y)
}

// checkAt returns what is wrong with the steps of the outputs.
func (s Sequence) checkAt(k, rows int) error {
	switch {
	case s.At == nil && rows != 1 && rows != k:
		return fmt.Errorf("it has %s of Y for %s; give one a step, or one for the last step, or say in At where they stand", phrase.Count(rows, "row"), phrase.Count(k, "step"))
	case s.At != nil && rows != len(s.At):
		return fmt.Errorf("it has %s of Y and %s in At; give a step for each row", phrase.Count(rows, "row"), phrase.Count(len(s.At), "step"))
	}
	for i, t := range s.At {
		if t < 0 || t > k {
			return fmt.Errorf("row %d of Y stands after step %d, but there are %s; At counts from 1, 0 being before the first", i+1, t, phrase.Count(k, "step"))
		}
		if i > 0 && t <= s.At[i-1] {
			return fmt.Errorf("row %d of Y stands after step %d, that before it after step %d; At must ascend", i+1, t, s.At[i-1])
		}
	}
	return nil
}

// Outputs yields the outputs with the steps after which they stand, 0 being before the first.
// It panics if Y and At disagree.
func (s Sequence) Outputs() iter.Seq2[int, []float64] {
	return func(yield func(int, []float64) bool) {
		for i, t := range s.example().After() {
			if !yield(t, s.Y.RawRowView(i)) {
				return
			}
		}
	}
}

// last returns the last output, and X up to the step after which it stands, nil for none.
func (s Sequence) last() (x mat.Matrix, y []float64) {
	rows, _ := s.Y.Dims()
	y = s.Y.RawRowView(rows - 1)
	k := s.Len()
	if s.At != nil {
		k = s.At[rows-1]
	}
	switch {
	case k == 0:
		return nil, y
	case k == s.Len():
		return s.X, y
	}
	_, d := s.X.Dims()
	return s.X.Slice(0, k, 0, d), y
}

// everyStep reports whether outputs stand after all steps, of which there are several.
func (s Sequence) everyStep() bool {
	rows, _ := s.Y.Dims()
	return rows > 1 && rows == s.Len()
}

// example returns the sequence as it is collected.
func (s Sequence) example() moments.Example { return moments.Example{X: s.X, Y: s.Y, At: s.At} }

// Len returns the number of steps k.
func (s Sequence) Len() int {
	if s.X == nil || s.X.IsEmpty() {
		return 0
	}
	return s.X.RawMatrix().Rows
}

// Dims returns the numbers of inputs, 0 for the empty word, and of outputs.
func (s Sequence) Dims() (d, p int) {
	if s.Len() > 0 {
		_, d = s.X.Dims()
	}
	_, p = s.Y.Dims()
	return d, p
}

// given returns data, and for nil, which is no source of sequences, one that says so.
func given(data iter.Seq[Sequence]) iter.Seq[Sequence] {
	if data != nil {
		return data
	}
	return func(yield func(Sequence) bool) {
		yield(Sequence{Err: errors.New("twornn: there are no data: the source of sequences is nil; give one, such as Series.Windows of package datasets")})
	}
}

// checker checks a stream of sequences, one by one, and that they agree.
type checker struct{ n, d, p int }

// next returns what is wrong with s, if anything: the source's own error as it is,
// any other with the number of the sequence.
func (c *checker) next(s Sequence) error {
	c.n++
	if s.Err != nil {
		return s.Err
	}
	if err := s.check(); err != nil {
		return fmt.Errorf("twornn: sequence %d: %w", c.n, err)
	}
	d, p := s.Dims()
	if c.d == 0 {
		c.d = d
	}
	if c.p == 0 {
		c.p = p
	}
	if d != c.d && d != 0 {
		return fmt.Errorf("twornn: sequence %d has %s, those before it %d; give the same columns in all", c.n, phrase.Count(d, "input"), c.d)
	}
	if p != c.p {
		return fmt.Errorf("twornn: sequence %d has %s, those before it %d; give the same targets in all", c.n, phrase.Count(p, "output"), c.p)
	}
	return nil
}

// maxValue bounds inputs and outputs, whose products over several steps and their
// squares must be numbers.
const maxValue = 1e60

// finite returns an error that names the first entry of m that is no finite number, or
// too large to work with.
func finite(what string, m *mat.Dense) error {
	r, c := m.Dims()
	for i := range r {
		for j, v := range m.RawRowView(i)[:c] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("%s %d of step %d is %v; drop the sequence or mend the value", what, j+1, i+1, v)
			}
			if v > maxValue || v < -maxValue {
				return fmt.Errorf("%s %d of step %d is %.3g, too large to work with; change its unit", what, j+1, i+1, v)
			}
		}
	}
	return nil
}
