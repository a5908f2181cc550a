package twornn

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/twornn/spectral/twornn/internal/moments"
	"github.com/twornn/spectral/twornn/internal/phrase"
)

// Collect reads the data once and gathers the measurements of each length asked
// for. A sequence with an output after every step measures H⁽ˡ⁾ by its first l
// steps for every l up to its own length (the paper's remark after Theorem 4); one
// with a single output measures its own length alone, and one with outputs at some steps
// the lengths of these. Without lengths, all are
// collected up to 9 for which d^l ≤ 256, and lengths up to 3 in any case.
//
// A length of which the data hold nothing is absent from the result. Memory stays
// bounded by (d^l+p)² numbers a length, up to d^l = 4096; beyond, it grows with N.
// The source may use its matrices again for the next sequence.
// Collect errs at the first sequence that is unusable: the source's own error, a
// NaN or an infinity, shapes that disagree.
func Collect(data iter.Seq[Sequence], lengths ...int) (Collection, error) {
	return collectWrapped(data, moments.Plan{Lengths: lengths})
}

// CollectRows is Collect for recoveries in tensor-train format, TTIHT among them:
// every measurement is kept as it came, l·d+p numbers, and d^l may be any size; without
// lengths all up to 9 are collected. It takes memory in proportion to N.
func CollectRows(data iter.Seq[Sequence], lengths ...int) (Collection, error) {
	return collectWrapped(data, moments.Plan{Lengths: lengths, KeepRows: true})
}

func collectWrapped(data iter.Seq[Sequence], p moments.Plan) (Collection, error) {
	s, err := collect(data, p)
	if err != nil {
		return nil, err
	}
	c := Collection{}
	c.take(s)
	return c, nil
}

// collect reads the data once and gathers what the plan says.
func collect(data iter.Seq[Sequence], p moments.Plan) (moments.Set, error) {
	for _, l := range p.Lengths {
		if l < 0 {
			panic("twornn: a length is negative")
		}
	}
	var check checker
	c := moments.NewCollector(p)
	defer c.Wait()
	for s := range given(data) {
		if err := check.next(s); err != nil {
			return nil, err
		}
		if err := c.Add(s.example()); err != nil {
			return nil, err
		}
	}
	if check.n == 0 {
		return nil, errors.New("twornn: the data hold no sequence; give one at the least")
	}
	set, err := c.End()
	if err != nil {
		return nil, err
	}
	if len(set) == 0 && len(p.Lengths) == 0 {
		return nil, errShort(check.d)
	}
	return set, nil
}

// measured returns an error if shards have kept longer sequences alone, which are no constant
// input's and no words.
func measured(c moments.Set) error {
	d, _ := c.Dims()
	for _, m := range c {
		if m.N() > 0 {
			return nil
		}
	}
	if k := c.Kept(); k == nil || k.AsWords() {
		return nil
	} else if _, ok := k.Constant(d); ok {
		return nil
	}
	return errShort(d)
}

// errShort says that every sequence is longer than what is measured, and which lengths are needed: with
// outputs of one length alone no L helps.
func errShort(d int) error {
	return fmt.Errorf("twornn: no sequence is short enough to be measured unasked: with %s, lengths up to 9 with d^l ≤ %d are, and up to 3 in any case; L asks for lengths L, 2L and 2L+1: give outputs after every step, or sequences of three such lengths, with their L",
		phrase.Count(d, "input"), moments.AutoUnknowns)
}

// Collection holds the measurements of each length.
type Collection map[int]*Measurements

// Lengths returns the lengths in ascending order.
func (c Collection) Lengths() []int { return slices.Sorted(maps.Keys(c)) }

// Merge adds the measurements of o, so that shards of the data, collected apart,
// join into what one pass over all of it gives, up to rounding. Of more than 512 sequences
// longer than any length measured, and of examples beyond 32 MB, samples are kept; those of a
// Shard that knows their places are the ones of one pass. o is not changed.
// It errs, with c unchanged, if c is nil, if the numbers of inputs or outputs differ, or if two sequences
// stand at one place.
func (c Collection) Merge(o Collection) error {
	if c == nil {
		return errors.New("twornn: the collection to merge into is nil; begin with Collection{}")
	}
	s := c.set()
	err := s.Merge(o.set())
	c.take(s)
	return err
}

// set returns what the measurements stand for.
func (c Collection) set() moments.Set {
	s := moments.Set{}
	for l, m := range c {
		if m != nil && m.of != nil {
			s[l] = m.of
		}
	}
	return s
}

// take makes the measurements of c those of s. What has not changed keeps its place.
func (c Collection) take(s moments.Set) {
	for l, m := range s {
		if c[l] == nil || c[l].of != m {
			c[l] = &Measurements{m}
		}
	}
}

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

// until yields data until ctx is done, and then the reason.
func until(ctx context.Context, data iter.Seq[Sequence]) iter.Seq[Sequence] {
	return func(yield func(Sequence) bool) {
		for s := range given(data) {
			if err := ctx.Err(); err != nil {
				yield(Sequence{Err: err})
				return
			}
			if !yield(s) {
				return
			}
		}
	}
}

// plan returns what a pass has to gather for the options.
func (o Options) plan() moments.Plan {
	if o.Recovery == nil {
		// L is of the start alone: the likelihood sees every output.
		return moments.Plan{Also: o.lengths(), Words: o.L == 0 && o.Rank == 0}
	}
	rows, _ := o.Recovery.(RowRecovery)
	return moments.Plan{Lengths: o.lengths(), KeepRows: rows != nil && rows.NeedsRows()}
}
