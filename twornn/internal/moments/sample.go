package moments

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// stitcher joins sequences that overlap, as the windows of a series do, back into
// the series: if a sequence begins with all but the first step of the one before, it
// goes on where that ended. It keeps the longest run, up to maxStretch steps.
type stitcher struct {
	run, longest []float64 // d numbers a step
	last         int       // steps of the sequence at the end of run
}

func (s *stitcher) add(x *mat.Dense) {
	if x == nil || x.IsEmpty() {
		return
	}
	k, d := x.Dims()
	switch {
	case len(s.run) >= maxStretch*d:
		return
	case s.follows(x):
		s.run = append(s.run, x.RawRowView(k-1)...)
		return
	}
	s.end()
	for t := range k {
		s.run = append(s.run, x.RawRowView(t)...)
	}
	s.last = k
}

// end ends the run at hand.
func (s *stitcher) end() {
	if len(s.run) > len(s.longest) {
		s.run, s.longest = s.longest, s.run
	}
	s.run = s.run[:0]
}

// follows reports whether x starts with the last k−1 steps of the sequence before.
func (s *stitcher) follows(x *mat.Dense) bool {
	k, d := x.Dims()
	if s.last != k || k < 2 {
		return false
	}
	tail := s.run[len(s.run)-(k-1)*d:]
	for t := range k - 1 {
		if !slices.Equal(tail[t*d:(t+1)*d], x.RawRowView(t)) {
			return false
		}
	}
	return true
}

// Sample keeps some hundred of the sequences that are longer than any length
// measured, evenly spread over the data, to see how a model does on them.
type Sample struct {
	N      int  // sequences met
	stride int  // every stride-th is kept
	All    bool // all are
	Kept   []Example
}

const maxSample = 512

func (s *Sample) add(q Example) {
	if s.stride == 0 {
		s.stride = 1
	}
	if s.N%s.stride == 0 {
		s.Kept = append(s.Kept, q.Clone())
	}
	s.N++
	s.thin()
}

// thin drops every other one when there are too many.
func (s *Sample) thin() {
	for len(s.Kept) > maxSample && !s.All {
		for i := range (len(s.Kept) + 1) / 2 {
			s.Kept[i] = s.Kept[2*i]
		}
		s.Kept = s.Kept[:(len(s.Kept)+1)/2]
		s.stride *= 2
	}
}

func (s *Sample) merge(o Sample) {
	s.N += o.N
	s.All = s.All || o.All
	s.Kept = append(s.Kept, o.Kept...)
	s.stride = max(s.stride, o.stride, 1)
	s.thin()
}

// mapped returns the sample with W x in place of each input.
func (s Sample) mapped(W *mat.Dense) Sample {
	q := Sample{N: s.N, stride: s.stride, All: s.All}
	for _, k := range s.Kept {
		var x mat.Dense
		x.Mul(k.X, W.T())
		q.Kept = append(q.Kept, Example{X: &x, Y: k.Y})
	}
	return q
}

// scaled returns the sample with each output times its scale.
func (s Sample) scaled(scale []float64) Sample {
	q := Sample{N: s.N, stride: s.stride, All: s.All}
	for _, k := range s.Kept {
		y := mat.DenseCopyOf(k.Y)
		scaleColumns(y, 0, scale)
		q.Kept = append(q.Kept, Example{X: k.X, Y: y})
	}
	return q
}

const maxStretch = 1024 // and on a stretch of the training inputs

// Example is inputs, k×d, with outputs after every step, k×p, or after the last one, 1×p.
type Example struct{ X, Y *mat.Dense }

// Steps returns the number of inputs, 0 for the empty word.
func (e Example) Steps() int {
	if e.X == nil || e.X.IsEmpty() {
		return 0
	}
	return e.X.RawMatrix().Rows
}

// At returns the steps after which the outputs stand.
func (e Example) At() []int {
	k := e.Steps()
	if rows, _ := e.Y.Dims(); rows == 1 {
		return []int{k}
	}
	at := make([]int, k)
	for t := range at {
		at[t] = t + 1
	}
	return at
}

// Clone returns a copy.
func (e Example) Clone() Example {
	c := Example{Y: mat.DenseCopyOf(e.Y)}
	if e.Steps() > 0 {
		c.X = mat.DenseCopyOf(e.X)
	}
	return c
}

// scaleColumns multiplies the columns of f from the given one on by scale, if that is not
// nil.
func scaleColumns(f *mat.Dense, from int, scale []float64) {
	if f == nil || scale == nil {
		return
	}
	r, _ := f.Dims()
	for i := range r {
		floats.Mul(f.RawRowView(i)[from:], scale)
	}
}
