package moments

import (
	"maps"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Set holds the measurements of each length.
type Set map[int]*Length

// Lengths returns the lengths in ascending order.
func (c Set) Lengths() []int { return slices.Sorted(maps.Keys(c)) }

// Kept returns the examples as they came, nil if there are none.
func (c Set) Kept() *Kept {
	for _, m := range c {
		if m.Kept != nil {
			return m.Kept
		}
	}
	return nil
}

// take takes the sample of long sequences, the longest stretch and the examples out of the
// collection. They stand with the greatest length, which a merge may change.
func (c Set) take() (long Sample, s stretch, kept *Kept) {
	for _, l := range c.Lengths() {
		m := c[l]
		long.merge(m.Long)
		if own := (stretch{m.Stretch, m.stretchAt}); own.longer(s) {
			s = own
		}
		if m.Kept != nil {
			kept = m.Kept
		}
		m.Long, m.Stretch, m.Kept = Sample{}, nil, nil
	}
	return long, s, kept
}

// give puts them with the greatest length.
func (c Set) give(long Sample, s stretch, kept *Kept) {
	if ls := c.Lengths(); len(ls) > 0 {
		last := c[ls[len(ls)-1]]
		last.Long, last.Stretch, last.stretchAt, last.Kept = long, s.x, s.at, kept
	}
}

// Frame returns the frame of the collection.
func (c Set) Frame() *Frame {
	for _, m := range c {
		if m.Frame != nil {
			return m.Frame
		}
	}
	return nil
}

// Dims returns the numbers of inputs and outputs, 0 where unknown.
func (c Set) Dims() (d, p int) {
	for _, m := range c {
		d, p = max(d, m.D), m.P
	}
	return d, p
}

// SecondMoments returns E xxᵀ over all steps of all measurements, and of the longer examples that are kept: an input
// may move after the steps that are measured alone.
func (c Set) SecondMoments(d int) *mat.SymDense {
	M := mat.NewSymDense(d, nil)
	steps := 0
	for _, l := range c.Lengths() {
		m := c[l]
		steps += m.N() * l
		for i := range m.D {
			for j := range i + 1 {
				M.SetSym(i, j, M.At(i, j)+m.moment[i*m.D+j])
			}
		}
	}
	for _, l := range c.Lengths() {
		for _, e := range c[l].Long.Kept {
			for t := range e.Steps() {
				M.SymRankOne(M, 1, e.X.RowView(t))
			}
			steps += e.Steps()
		}
	}
	if steps > 0 {
		M.ScaleSym(1/float64(steps), M)
	}
	return M
}
