package twornn

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// autoUnknowns bounds d^l for lengths that nobody asked for by number.
const autoUnknowns = 256

// autoLength bounds those lengths themselves: with one input d^l says nothing.
const autoLength = 9

// Collect reads the data once and gathers the measurements of each length asked
// for. A sequence with an output after every step measures H⁽ˡ⁾ by its first l
// steps for every l up to its own length (the paper's remark after Theorem 4); one
// with a single output measures its own length alone. Without lengths, all are
// collected up to 9 for which d^l ≤ 256, and lengths up to 3 in any case.
//
// A length of which the data hold nothing is absent from the result. Memory stays
// bounded by (d^l+p)² numbers a length, up to d^l = 4096; beyond, it grows with N.
// The source may use its matrices again for the next sequence.
// Collect errs at the first sequence that is unusable: the source's own error, a
// NaN or an infinity, shapes that disagree.
func Collect(data iter.Seq[Sequence], lengths ...int) (Collection, error) {
	return collector{lengths: lengths}.collect(data)
}

// CollectRows is Collect for recoveries in tensor-train format, TTIHT among them:
// every measurement is kept as it came, l·d+p numbers, and d^l may be any size; without
// lengths all up to 9 are collected. It takes memory in proportion to N.
func CollectRows(data iter.Seq[Sequence], lengths ...int) (Collection, error) {
	return collector{lengths: lengths, keepRows: true}.collect(data)
}

// collector says what a pass over the data gathers.
type collector struct {
	lengths  []int // to be measured; none: those worth it
	keepRows bool  // as they come
	limit    int   // of d^l, for the lengths worth it; zero: the usual ones
	all      bool  // keep every longer sequence, not a sample
}

func (o collector) collect(data iter.Seq[Sequence]) (Collection, error) {
	lengths, keepRows := o.lengths, o.keepRows
	for _, l := range lengths {
		if l < 0 {
			panic("twornn: a length is negative")
		}
	}
	c := Collection{}
	var (
		run   stitcher
		long  = sample{all: o.all}
		check checker
		block []Sequence // the first sequences, until there is a frame
		fr    *frame
		room  mat.Dense
		p     = newPress()
	)
	defer p.wait()
	measurements := func(l int) *Measurements {
		m := c[l]
		if m == nil && o.wanted(l, check.d) {
			m = newMeasurements(l, check.d, check.p)
			m.keepRows, m.frame = keepRows, fr
			c[l] = m
		}
		return m
	}
	take := func(s Sequence) {
		s.X = fr.apply(&room, s.X)
		k := s.Len()
		rows, _ := s.Y.Dims()
		run.add(s.X)
		if rows == 1 {
			if m := measurements(k); m != nil {
				m.add(s.X, s.Y.RawRowView(0), p)
			} else {
				long.add(s)
			}
			return
		}
		if c[k] == nil && !o.wanted(k, check.d) {
			long.add(s)
		}
		for t := range rows {
			if m := measurements(t + 1); m != nil {
				m.add(s.X, s.Y.RawRowView(t), p)
			}
		}
	}
	settle := func() (err error) {
		if fr, err = newFrame(block, check.d); err != nil {
			return err
		}
		for _, s := range block {
			take(s)
		}
		block = nil
		return nil
	}
	for s := range data {
		if err := check.next(s); err != nil {
			return nil, err
		}
		if check.n > blockSize {
			take(s)
			continue
		}
		block = append(block, s.clone()) // a source may use its matrices again
		if check.n == blockSize {
			if err := settle(); err != nil {
				return nil, err
			}
		}
	}
	if block != nil {
		if err := settle(); err != nil {
			return nil, err
		}
	}
	p.wait()
	if check.n == 0 {
		return nil, errors.New("twornn: the data hold no sequence")
	}
	if len(c) == 0 && len(lengths) == 0 {
		return nil, fmt.Errorf("twornn: no sequence is short enough to be measured unasked: with %s, lengths up to 9 with d^l ≤ %d are; give L, or outputs after every step",
			count(check.d, "input"), autoUnknowns)
	}
	if ls := c.Lengths(); len(ls) > 0 {
		run.end()
		last := c[ls[len(ls)-1]]
		last.stretch, last.long = run.longest, long
	}
	// What came later may be of another size than the sequences that the frame is made for.
	return c, c.reframe(1e4)
}

// wanted reports whether length l is among those asked for, or worth collecting if
// none were.
func (o collector) wanted(l, d int) bool {
	size := math.Pow(float64(d), float64(l))
	switch {
	case len(o.lengths) > 0:
		return slices.Contains(o.lengths, l)
	case o.keepRows:
		return l <= autoLength
	case o.limit > 0:
		return size <= float64(o.limit)
	}
	return l <= autoLength && size <= autoUnknowns || l <= 3
}
