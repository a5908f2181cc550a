package moments

import (
	"cmp"
	"math/bits"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// stitcher joins sequences that overlap, as the windows of a series do, back into
// the series: if a sequence begins with all but the first step of the one before, it
// goes on where that ended. It keeps the longest run, up to maxStretch steps.
type stitcher struct {
	run, longest stretch
	last         int // steps of the sequence at the end of run
}

// stretch is a run of inputs, d numbers a step, from the sequence at a place on.
type stretch struct {
	x  []float64
	at int
}

// longer reports whether s has more numbers than o, or as many from an earlier place.
func (s stretch) longer(o stretch) bool {
	return len(s.x) > len(o.x) || len(s.x) == len(o.x) && s.at < o.at
}

func (s *stitcher) add(x *mat.Dense, at int) {
	if x == nil || x.IsEmpty() {
		return
	}
	k, d := x.Dims()
	switch {
	case len(s.run.x) >= maxStretch*d:
		return
	case s.follows(x):
		s.run.x = append(s.run.x, x.RawRowView(k-1)...)
		return
	}
	s.end()
	s.run.at = at
	for t := range k {
		s.run.x = append(s.run.x, x.RawRowView(t)...)
	}
	s.last = k
}

// end ends the run at hand.
func (s *stitcher) end() {
	if s.run.longer(s.longest) {
		s.run, s.longest = s.longest, s.run
	}
	s.run.x = s.run.x[:0]
}

// follows reports whether x starts with the last k−1 steps of the sequence before.
func (s *stitcher) follows(x *mat.Dense) bool {
	k, d := x.Dims()
	if s.last != k || k < 2 {
		return false
	}
	tail := s.run.x[len(s.run.x)-(k-1)*d:]
	for t := range k - 1 {
		if !slices.Equal(tail[t*d:(t+1)*d], x.RawRowView(t)) {
			return false
		}
	}
	return true
}

// Sample keeps some hundred of the sequences that are longer than any length
// measured, evenly spread over the data, to see how a model does on them. Which they are
// depends on their places alone, so that shards keep what one pass over all would.
type Sample struct {
	N      int  // sequences met
	All    bool // all are kept
	Placed bool // places are those among all data, not among those of a shard
	Kept   []Example
	places []place // of each of them
	level  int     // the least of those kept
	next   int     // place after the last
}

// place is where an example stands, and its level: of n places some n/2^k have a level of k
// or more.
type place struct{ at, level int }

const maxSample = 512

// levelOf returns the level of a place. The fractions of its multiples of the golden ratio
// are spread as evenly as fractions can be, also along every second or every sixth of the
// places, where every 2^k-th place would be all or none of those that are wanted.
func levelOf(at int) int { return bits.LeadingZeros64(uint64(at) * 0x9E3779B97F4A7C15) }

func (s *Sample) add(q Example, at int) {
	if p := (place{at, levelOf(at)}); p.level >= s.level || s.All {
		s.Kept, s.places = append(s.Kept, q.Clone()), append(s.places, p)
	}
	s.N++
	s.next = max(s.next, at+1)
	s.thin()
}

// thin drops those of the lowest levels when there are too many.
func (s *Sample) thin() {
	if s.All {
		return
	}
	for s.dropBelow(); len(s.Kept) > maxSample; s.dropBelow() {
		s.level++
	}
}

// dropBelow drops those below the level.
func (s *Sample) dropBelow() {
	n := 0
	for i, p := range s.places {
		if p.level >= s.level {
			s.Kept[n], s.places[n] = s.Kept[i], p
			n++
		}
	}
	clear(s.Kept[n:])
	s.Kept, s.places = s.Kept[:n], s.places[:n]
}

// begin sets the level from which n sequences, all of them longer, are too few to fill the
// sample, less one.
func (s *Sample) begin(n int) { s.level = max(0, bits.Len(uint((n-1)/maxSample))-1) }

// merge adds that of o, which stays as it is.
func (s *Sample) merge(o Sample) {
	switch {
	case o.N == 0:
		s.All = s.All || o.All
		return
	case s.N == 0:
		o.All = o.All || s.All
		*s = o.clone(o.Kept)
		return
	}
	s.Placed = s.Placed && o.Placed
	first := s.next
	if s.Placed {
		first = 0
	}
	s.N += o.N
	s.All = s.All || o.All
	s.Kept = append(slices.Clip(s.Kept), o.Kept...)
	s.places = slices.Clip(s.places)
	for _, p := range o.places {
		s.places = append(s.places, place{first + p.at, p.level})
	}
	s.next = max(s.next, first+o.next)
	s.level = max(s.level, o.level)
	s.sort()
	s.thin()
}

// sort puts the examples in the order of their places.
func (s *Sample) sort() {
	if slices.IsSortedFunc(s.places, func(a, b place) int { return cmp.Compare(a.at, b.at) }) {
		return
	}
	order := make([]int, len(s.places))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(s.places[i].at, s.places[j].at) })
	kept, places := make([]Example, len(order)), make([]place, len(order))
	for k, i := range order {
		kept[k], places[k] = s.Kept[i], s.places[i]
	}
	s.Kept, s.places = kept, places
}

// clone returns the sample with other examples in place of those kept.
func (s Sample) clone(kept []Example) Sample {
	s.Kept, s.places = slices.Clone(kept), slices.Clone(s.places)
	return s
}

// mapped returns the sample with W x in place of each input.
func (s Sample) mapped(W *mat.Dense) Sample {
	q := s.clone(s.Kept)
	for i, k := range s.Kept {
		var x mat.Dense
		x.Mul(k.X, W.T())
		q.Kept[i].X = &x
	}
	return q
}

// scaled returns the sample with each output times its scale.
func (s Sample) scaled(scale []float64) Sample {
	q := s.clone(s.Kept)
	for i, k := range s.Kept {
		y := mat.DenseCopyOf(k.Y)
		scaleColumns(y, 0, scale)
		q.Kept[i].Y = y
	}
	return q
}

const maxStretch = 1024 // and on a stretch of the training inputs

// Example is inputs, k×d, with outputs after the steps of After.
type Example struct {
	X, Y *mat.Dense
	At   []int // nil: after every step, Y being k×p, or after the last one, Y being 1×p
}

// Steps returns the number of inputs, 0 for the empty word.
func (e Example) Steps() int {
	if e.X == nil || e.X.IsEmpty() {
		return 0
	}
	return e.X.RawMatrix().Rows
}

// After returns the steps after which the outputs stand, ascending; 0 is before the first.
func (e Example) After() []int {
	if e.At != nil {
		return e.At
	}
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

// numbers returns how many numbers there are.
func (e Example) numbers() int {
	r, p := e.Y.Dims()
	if e.Steps() == 0 {
		return r * p
	}
	k, d := e.X.Dims()
	return k*d + r*p
}

// Clone returns a copy.
func (e Example) Clone() Example {
	c := Example{Y: mat.DenseCopyOf(e.Y), At: slices.Clone(e.At)}
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
