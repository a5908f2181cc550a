package twornn

import (
	"errors"

	"github.com/twornn/spectral/twornn/internal/moments"
)

// A Shard gathers a share of the data in one place, so that several places together learn
// what Fit would from all of it:
//
//	s := twornn.NewShard(o, n)             // on each machine
//	err := s.AddAt(place, sequence)        // again and again
//	c, err := s.Collection()
//	text, err := c.MarshalBinary()         // travels
//	err = sum.Merge(c)                     // where all come together
//	fit, err := twornn.FitCollection(ctx, sum, o)
//
// Sums of products are the same in whatever order shards join, up to rounding. What Fit
// keeps of the examples as they came is a sample, once they take more than 32 MB; which
// ones, and in what order, follows from their places among all the data, 0 for the first.
// So with AddAt the fit is that of Fit on the data in the order of places, and depends
// neither on how the data are shared out nor on the order in which they join.
//
// Two things see no further than a shard: the stretch of inputs over which models are run
// to see whether they explode, and the parts of the data for cross-validation (Measurements.Fold),
// on which NuclearNorm goes. And inputs are looked at in the first 512 sequences of each shard:
// a shard of fewer steps than inputs may take them for constant, and not measure words of two
// and three of seven inputs or more.
//
// A Shard is for one goroutine at a time.
type Shard struct {
	plan  moments.Plan
	check checker
	c     *moments.Collector // nil before the first sequence
	n     int
	err   error
	done  bool
}

// NewShard returns a shard without sequences, for a fit with the given options. If it is
// known that there are total sequences in all shards together, all of one size, a shard keeps
// no more examples than its share of 64 MB; if it is 0, up to 32 MB each. It errs if Fit
// would err for the options.
func NewShard(o Options, total int) (*Shard, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	s := &Shard{plan: o.plan()}
	s.plan.Total = max(total, 0)
	return s, nil
}

// N returns the number of sequences.
func (s *Shard) N() int { return s.n }

// Add takes a sequence of which the place is not known. What is kept then depends on the
// order in which shards join.
// It errs as Collect does, and always once it has; or if others came with places.
func (s *Shard) Add(q Sequence) error { return s.add(q, s.n, false) }

// AddAt takes the sequence that stands at the given place, from 0, among those of all
// shards. The places may come in any order, each once.
// It errs as Collect does, and always once it has; or if others came without places. It
// panics if the place is negative.
func (s *Shard) AddAt(place int, q Sequence) error {
	if place < 0 {
		panic("twornn: a place is negative")
	}
	return s.add(q, place, true)
}

func (s *Shard) add(q Sequence, place int, placed bool) error {
	switch {
	case s.done:
		panic("twornn: the shard has given its Collection, and takes no more")
	case s.err != nil:
		return s.err
	case s.c == nil:
		s.plan.Placed = placed
		s.c = moments.NewCollector(s.plan)
	case s.plan.Placed != placed:
		s.err = errors.New("twornn: some sequences of the shard come with places and others without; give all of them places, or none")
		return s.err
	}
	s.n++
	s.check.n = place // errors count from 1
	if s.err = s.check.next(q); s.err == nil {
		s.err = s.c.AddAt(place, q.example())
	}
	return s.err
}

// Collection returns what was gathered, an empty collection if there was nothing; the
// shard takes no more after it. It errs as Add has.
func (s *Shard) Collection() (Collection, error) {
	s.done = true
	if s.c == nil {
		return Collection{}, nil
	}
	set, err := s.c.End()
	if err = errors.Join(s.err, err); err != nil {
		return nil, err
	}
	c := Collection{}
	c.take(set)
	return c, nil
}

// MarshalBinary returns the collection in a form in which it can travel or be kept, of at
// most some (d^l+p)² numbers a length and part of five and what is kept of the examples.
// It never errs.
func (c Collection) MarshalBinary() ([]byte, error) { return c.set().AppendBinary(nil), nil }

// UnmarshalBinary sets c to the collection that MarshalBinary has written. It errs, and
// leaves c as it is, if text is none, of another version, damaged or cut short.
func (c *Collection) UnmarshalBinary(text []byte) error {
	set, err := moments.SetFromBinary(text)
	if err != nil {
		return err
	}
	*c = Collection{}
	c.take(set)
	return nil
}
