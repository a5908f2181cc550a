package datasets

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
)

// Window says how a series is cut into sequences.
type Window struct {
	// Length is the number of inputs, k in the paper. It must be positive.
	Length int
	// Horizon is how many rows after an input its target lies. Zero means 1.
	Horizon int
	// Targets are the columns to predict. None means all. Scaler.Unscale needs the
	// same; Window.Unscale passes them on.
	Targets []string
	// Bias puts a constant 1 before the columns, in column 0 of the inputs.
	Bias bool
	// Scaler scales inputs and targets, each column by the scaler's column of that
	// name. Nil leaves them in the units of the file.
	Scaler *Scaler
}

// WindowReport counts the stretches of a series that could be windows.
type WindowReport struct {
	Rows int // of the series
	Need int // rows of a window, Length + Horizon
	Kept int // windows
	// Lost stretches either bridge a gap in time, or else lack a value.
	LostToGaps, LostToMissing int
}

// String returns the report in one line.
func (r WindowReport) String() string {
	return fmt.Sprintf("%s of %d rows from %s; lost to gaps %d, to missing values %d",
		count(r.Kept, "window"), r.Need, count(r.Rows, "row"), r.LostToGaps, r.LostToMissing) + r.warning()
}

// warning says so if more than a tenth of the windows are lost.
func (r WindowReport) warning() string {
	lost := r.LostToGaps + r.LostToMissing
	if 10*lost <= r.Kept+lost {
		return ""
	}
	return fmt.Sprintf("; warning: %s are lost", percent(lost, r.Kept+lost))
}

// Windows returns every stretch of w.Length rows, one row further each time, as a
// sequence of inputs X and targets Y. Row t of X is a row of the series, all columns
// in order, after a 1 if w.Bias is set; row t of Y holds the targets w.Horizon rows
// later, so there is an output after every step.
//
// A window needs Length + Horizon rows that follow each other at the step of the
// series, and every value it uses. So it bridges no gap; CountWindows says how many
// are lost. If none is left, or w does not fit the series, the only sequence has Err
// set. The sequences can be ranged over again, and each has matrices of its own.
func (s *Series) Windows(w Window) iter.Seq[twornn.Sequence] {
	return func(yield func(twornn.Sequence) bool) {
		c, err := newCutter(s, w)
		if err == nil {
			err = c.fits()
		}
		if err != nil {
			yield(twornn.Sequence{Err: err})
			return
		}
		if r := c.each(func(t int) bool { return yield(c.cut(t)) }); r.Kept == 0 {
			yield(twornn.Sequence{Err: c.none(r)})
		}
	}
}

// CountWindows reports how many sequences Windows returns, and how many stretches are
// lost. It errs as Windows does.
func (s *Series) CountWindows(w Window) (WindowReport, error) {
	c, err := newCutter(s, w)
	if err == errNoSeries {
		return WindowReport{}, err
	}
	if err == nil {
		err = c.fits()
	}
	if err != nil {
		return WindowReport{Rows: s.rows}, err
	}
	r := c.each(func(int) bool { return true })
	if r.Kept == 0 {
		return r, c.none(r)
	}
	return r, nil
}

// TargetInputs returns, for each target of w, the column of X that holds the same
// column of the series, the bias counted. With it
//
//	baseline.Persistence(inputs)
//
// predicts that each target stays what it is. It errs if a target is no column, or if
// w is no window for the columns of s.
func (s *Series) TargetInputs(w Window) ([]int, error) {
	c, err := newCutter(s, w)
	if err != nil {
		return nil, err
	}
	inputs := c.targets
	if w.Bias {
		for k := range inputs {
			inputs[k]++
		}
	}
	return inputs, nil
}

// Join returns the sequences of the parts, one part after the other: say, those of
// several stations or years.
func Join(parts ...iter.Seq[twornn.Sequence]) iter.Seq[twornn.Sequence] {
	return func(yield func(twornn.Sequence) bool) {
		for i, part := range parts {
			if part == nil {
				yield(twornn.Sequence{Err: fmt.Errorf("datasets: part %d of the %d that Join has is nil, no source of sequences; leave it out", i+1, len(parts))})
				return
			}
			for s := range part {
				if !yield(s) {
					return
				}
			}
		}
	}
}

// cutter cuts the windows w out of s.
type cutter struct {
	s         *Series
	w         Window
	targets   []int
	mean, std []float64 // by column
}

func newCutter(s *Series, w Window) (*cutter, error) {
	if s == nil {
		return nil, errNoSeries
	}
	if w.Horizon == 0 {
		w.Horizon = 1
	}
	if w.Length <= 0 {
		return nil, fmt.Errorf("datasets: Window.Length is %d; set it to 1 or more", w.Length)
	}
	if w.Horizon < 0 {
		return nil, fmt.Errorf("datasets: Window.Horizon is %d; set it to 1 or more", w.Horizon)
	}
	c := &cutter{s: s, w: w}
	if len(w.Targets) == 0 {
		for j := range s.columns {
			c.targets = append(c.targets, j)
		}
	}
	place := s.places()
	for i, name := range w.Targets {
		j, ok := place[name]
		if !ok {
			return nil, fmt.Errorf("%w; set Window.Targets", s.lacks(name))
		}
		if slices.Contains(w.Targets[:i], name) {
			return nil, fmt.Errorf("datasets: the target %s is named twice; name each once", inline(name))
		}
		c.targets = append(c.targets, j)
	}
	if w.Scaler != nil {
		if err := w.Scaler.check(); err != nil {
			return nil, err
		}
	}
	for j, name := range s.columns {
		mean, std := 0.0, 1.0
		switch {
		case w.Scaler == nil:
		case j < len(w.Scaler.Columns) && w.Scaler.Columns[j] == name:
			mean, std = w.Scaler.Mean[j], w.Scaler.Std[j]
		default:
			var err error
			if mean, std, err = w.Scaler.of(name); err != nil {
				return nil, fmt.Errorf("%w; fit it on a series with the same columns", err)
			}
		}
		c.mean, c.std = append(c.mean, mean), append(c.std, std)
	}
	return c, nil
}

// fits returns an error if the series has not the rows of one window.
func (c *cutter) fits() error {
	// Compared apart, since their sum could overflow.
	if c.w.Length > c.s.rows || c.w.Horizon > c.s.rows-c.w.Length {
		return fmt.Errorf("datasets: a window of length %d and horizon %d needs their sum in rows, the series has %d; lower Window.Length or Horizon, or take more rows",
			c.w.Length, c.w.Horizon, c.s.rows)
	}
	return nil
}

// each calls yield with the first row of every window there is, until it returns
// false. It costs O(rows × columns).
func (c *cutter) each(yield func(t int) bool) WindowReport {
	s, length, need := c.s, c.w.Length, c.w.Length+c.w.Horizon
	r := WindowReport{Rows: s.rows, Need: need}
	run := 0               // first row that no gap divides from the last
	lastX, lastY := -1, -1 // last rows with an input, a target missing
	nextX, nextY := 0, 0   // first rows not yet looked at
	all := make([]int, 0, len(s.columns))
	for j := range s.columns {
		all = append(all, j)
	}
	for t := range s.rows - need + 1 {
		for ; nextX < t+length; nextX++ {
			if c.lacks(nextX, all) {
				lastX = nextX
			}
		}
		for ; nextY < t+need; nextY++ {
			if c.gapBefore(nextY) {
				run = nextY
			}
			if c.lacks(nextY, c.targets) {
				lastY = nextY
			}
		}
		switch {
		case run > t:
			r.LostToGaps++
		case lastX >= t || lastY >= t+c.w.Horizon:
			r.LostToMissing++
		default:
			r.Kept++
			if !yield(t) {
				return r
			}
		}
	}
	return r
}

func (c *cutter) gapBefore(i int) bool {
	if i == 0 || c.s.times == nil {
		return false
	}
	d, step := c.s.apart(i)
	return d != step
}

func (c *cutter) lacks(i int, columns []int) bool {
	for _, j := range columns {
		if math.IsNaN(c.s.values[j][i]) {
			return true
		}
	}
	return false
}

// cut returns the window that begins in row t.
func (c *cutter) cut(t int) twornn.Sequence {
	Y := mat.NewDense(c.w.Length, len(c.targets), nil)
	for i := range c.w.Length {
		y := Y.RawRowView(i)
		for k, j := range c.targets {
			y[k] = c.scaled(j, t+i+c.w.Horizon)
		}
	}
	return twornn.Sequence{X: c.inputs(t), Y: Y}
}

// inputs returns the inputs of the window that begins in row t.
func (c *cutter) inputs(t int) *mat.Dense {
	bias := 0
	if c.w.Bias {
		bias = 1
	}
	X := mat.NewDense(c.w.Length, bias+len(c.s.columns), nil)
	for i := range c.w.Length {
		x := X.RawRowView(i)
		if c.w.Bias {
			x[0] = 1
		}
		for j := range c.s.columns {
			x[bias+j] = c.scaled(j, t+i)
		}
	}
	return X
}

func (c *cutter) scaled(j, i int) float64 {
	x, mean, std := c.s.values[j][i], c.mean[j], c.std[j]
	if v := (x - mean) / std; !math.IsInf(v, 0) {
		return v
	}
	return x/std - mean/std // where x − mean overflows, this may not
}

// none returns the error for a series that loses all its windows.
func (c *cutter) none(r WindowReport) error {
	cure := "lower Window.Length or Horizon"
	if r.LostToMissing > 0 {
		cure += ", or Select columns that lack fewer values"
	}
	if r.LostToGaps > 0 {
		cure += fmt.Sprintf(", or set CSV.Step if %s is not the sampling step, raise CSV.Tolerance if the clock jitters, or set CSV.Time to NoTime, without its column in CSV.Columns, if the rows follow each other all the same",
			stepText(c.s.step, c.s.months))
	}
	return fmt.Errorf("datasets: no window of %d rows is left of %s: %d lost to gaps, %d to missing values; %s",
		r.Need, count(r.Rows, "row"), r.LostToGaps, r.LostToMissing, cure)
}

// Unscale returns w.Scaler.Unscale(m, w.Targets...), for a model m that was fitted on
// the windows w. It errs as that does, or if w has no Scaler or no Bias.
func (w Window) Unscale(m *twornn.Model) (*twornn.Model, error) {
	if w.Scaler == nil {
		return nil, errors.New("datasets: Window.Scaler is nil, so the model is in the units of the file already; use it as it is")
	}
	if !w.Bias {
		return nil, errors.New("datasets: Window.Bias is false, and without a bias no model can undo the scaler's means; fit the model on windows with Bias")
	}
	return w.Scaler.Unscale(m, w.Targets...)
}
