package twornn

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Sequence is one example. X is k×d: row t is the input x_t. Y is k×p, an output
// after every step, or 1×p, the output after the last step only.
//
// The empty word has X nil and Y 1×p.
type Sequence struct {
	X, Y *mat.Dense
	// Err is set by a source that cannot go on (a series too short for its
	// windows, a file that breaks off): the cause, with X and Y nil. Collect,
	// Fit and Evaluate hand it to their caller.
	Err error
}

// check returns an error that says what is wrong with the sequence, if anything:
// missing or disagreeing shapes, a NaN or an infinity.
func (s Sequence) check() error {
	if s.Y == nil || s.Y.IsEmpty() {
		return errors.New("it has no output Y")
	}
	k, rows := s.Len(), s.Y.RawMatrix().Rows
	if rows != 1 && rows != k {
		return fmt.Errorf("it has %d rows of Y for %d steps; give one a step, or one for the last step", rows, k)
	}
	if k > 0 {
		if err := finite("input", s.X); err != nil {
			return err
		}
	}
	return finite("output", s.Y)
}

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
		return fmt.Errorf("twornn: sequence %d has %d inputs, those before it %d", c.n, d, c.d)
	}
	if p != c.p {
		return fmt.Errorf("twornn: sequence %d has %d outputs, those before it %d", c.n, p, c.p)
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
