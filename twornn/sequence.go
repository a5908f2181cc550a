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
// the source's own error, missing or disagreeing shapes, a NaN or an infinity.
func (s Sequence) check() error {
	if s.Err != nil {
		return s.Err
	}
	if s.Y == nil || s.Y.IsEmpty() {
		return errors.New("it has no output Y")
	}
	k, rows := s.Len(), s.Y.RawMatrix().Rows
	if rows != 1 && rows != k {
		return fmt.Errorf("Y has %d rows for %d steps; give one a step, or one for the last step", rows, k)
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

// finite returns an error that names the first entry of m that is no finite number.
func finite(what string, m *mat.Dense) error {
	r, c := m.Dims()
	for i := range r {
		for j, v := range m.RawRowView(i)[:c] {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("%s %d of step %d is %v; drop the sequence or mend the value", what, j+1, i+1, v)
			}
		}
	}
	return nil
}
