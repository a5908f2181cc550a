package twornn

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// Collection holds the measurements of each length.
type Collection map[int]*Measurements

// Lengths returns the lengths in ascending order.
func (c Collection) Lengths() []int { return slices.Sorted(maps.Keys(c)) }

// Merge adds the measurements of o, so that shards of the data, collected apart,
// join into what one pass over all of it gives, up to rounding; of more than 512 sequences
// longer than any length measured, a sample, the two keep different ones, and a shard that measures nothing keeps none. o is not
// changed.
// It errs, with c unchanged, if the numbers of inputs or outputs differ.
func (c Collection) Merge(o Collection) error {
	d, p := c.dims()
	if d2, p2 := o.dims(); p2 != 0 && p != 0 && (d != d2 && d != 0 && d2 != 0 || p != p2) {
		return fmt.Errorf("twornn: cannot merge: %d inputs and %d outputs against %d and %d", d, p, d2, p2)
	}
	for l, m := range o {
		if c[l] != nil && c[l].keepRows != m.keepRows {
			return errors.New("twornn: cannot merge: one collection keeps its rows (CollectRows), the other does not")
		}
	}
	// One frame for all: that of c, if it has one.
	to := c.frame()
	if to == nil {
		to = o.frame()
	}
	for l, m := range c {
		c[l] = m.in(to)
	}
	long, stretch := c.take()
	for _, l := range o.Lengths() {
		m := o[l].in(to)
		if c[l] == nil {
			c[l] = newMeasurements(l, m.d, m.p)
			c[l].keepRows, c[l].frame = m.keepRows, to
		}
		c[l].merge(m)
	}
	long2, stretch2 := c.take()
	long.merge(long2)
	if len(stretch2) > len(stretch) {
		stretch = stretch2
	}
	if ls := c.Lengths(); len(ls) > 0 {
		last := c[ls[len(ls)-1]]
		last.long, last.stretch = long, stretch
	}
	return c.reframe(10)
}

// take takes the sample of long sequences and the longest stretch out of the collection.
// Both stand with the greatest length, which a merge may change.
func (c Collection) take() (long sample, stretch []float64) {
	for _, l := range c.Lengths() {
		m := c[l]
		long.merge(m.long)
		if len(m.stretch) > len(stretch) {
			stretch = m.stretch
		}
		m.long, m.stretch = sample{}, nil
	}
	return long, stretch
}

// frame returns the frame of the collection.
func (c Collection) frame() *frame {
	for _, m := range c {
		if m.frame != nil {
			return m.frame
		}
	}
	return nil
}

// in returns the measurements in the coordinates of another frame.
func (m *Measurements) in(to *frame) *Measurements {
	M := m.frame.to(to)
	if M == nil || m.length == 0 {
		return m
	}
	q := m.mapped(M)
	for k := range q.parts {
		if q.source == nil {
			break // there are rows alone
		}
		if f := q.only(k); f != nil {
			linalg.R(f)
			q.parts[k].factor = f
		}
	}
	q.frame, q.source, q.turn, q.joined = to, nil, nil, nil
	return q
}

// dims returns the numbers of inputs and outputs, 0 where unknown.
func (c Collection) dims() (d, p int) {
	for _, m := range c {
		d, p = max(d, m.d), m.p
	}
	return d, p
}

// moments returns E xxᵀ over all steps of all measurements.
func (c Collection) moments(d int) *mat.SymDense {
	M := mat.NewSymDense(d, nil)
	steps := 0
	for _, l := range c.Lengths() {
		m := c[l]
		steps += m.N() * l
		for i := range m.d {
			for j := range i + 1 {
				M.SetSym(i, j, M.At(i, j)+m.moment[i*m.d+j])
			}
		}
	}
	if steps > 0 {
		M.ScaleSym(1/float64(steps), M)
	}
	return M
}

// merge adds the measurements of o.
func (m *Measurements) merge(o *Measurements) {
	for k := range m.parts {
		q, r := &m.parts[k], &o.parts[k]
		if r.factor != nil {
			q.factor = stack(q.factor, mat.DenseCopyOf(r.factor))
		}
		q.sums = q.sums.plus(r.sums)
		q.x, q.y = append(q.x, r.x...), append(q.y, r.y...)
		q.n += r.n
		if !m.rows() && len(q.y) >= m.p*m.blockRows() {
			b := rows{x: q.x, y: q.y}
			m.judge(&b)
			m.fold(q, b)
			q.x, q.y = nil, nil
		}
	}
	for i, v := range o.moment {
		m.moment[i] += v
	}
	m.energy += o.energy
	m.outputs.merge(o.outputs)
	if len(o.stretch) > len(m.stretch) {
		m.stretch = o.stretch
	}
	m.long.merge(o.long)
}
