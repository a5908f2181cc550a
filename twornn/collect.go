package twornn

import (
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/twornn/spectral/twornn/internal/moments"
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
	for s := range data {
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

// errShort says that every sequence is longer than what is measured unasked.
func errShort(d int) error {
	return fmt.Errorf("twornn: no sequence is short enough to be measured unasked: with %s, lengths up to 9 with d^l ≤ %d are; give L, or outputs after every step",
		count(d, "input"), moments.AutoUnknowns)
}

// Collection holds the measurements of each length.
type Collection map[int]*Measurements

// Lengths returns the lengths in ascending order.
func (c Collection) Lengths() []int { return slices.Sorted(maps.Keys(c)) }

// Merge adds the measurements of o, so that shards of the data, collected apart,
// join into what one pass over all of it gives, up to rounding. Of more than 512 sequences
// longer than any length measured, and of examples beyond 32 MB, samples are kept; those of a
// Shard that knows their places are the ones of one pass. o is not changed.
// It errs, with c unchanged, if the numbers of inputs or outputs differ, or if two sequences
// stand at one place.
func (c Collection) Merge(o Collection) error {
	s := c.set()
	err := s.Merge(o.set())
	c.take(s)
	return err
}

// set returns what the measurements stand for.
func (c Collection) set() moments.Set {
	s := moments.Set{}
	for l, m := range c {
		s[l] = m.of
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
