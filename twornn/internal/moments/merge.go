package moments

import (
	"errors"
	"fmt"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"gonum.org/v1/gonum/mat"
)

// Merge adds the measurements of o, so that shards of the data, collected apart,
// join into what one pass over all of it gives, up to rounding. Where both know the places of
// their sequences, the examples kept are the same, too. o is not changed.
// It errs, with c unchanged, if the numbers of inputs or outputs differ, or if two sequences
// stand at one place.
func (c Set) Merge(o Set) error {
	d, p := c.Dims()
	if d2, p2 := o.Dims(); p2 != 0 && p != 0 && (d != d2 && d != 0 && d2 != 0 || p != p2) {
		return fmt.Errorf("twornn: cannot merge: %d inputs and %d outputs against %d and %d; gather both with the same columns and targets", d, p, d2, p2)
	}
	for l, m := range o {
		if c[l] != nil && c[l].KeepRows != m.KeepRows {
			return errors.New("twornn: cannot merge: one collection keeps its rows (CollectRows), the other does not")
		}
	}
	kept, err := joined(c.Kept(), o.Kept())
	if err != nil {
		return err
	}
	// One frame for all: that of c, if it has one.
	to := c.Frame()
	if to == nil {
		to = o.Frame()
	}
	for l, m := range c {
		c[l] = m.in(to)
	}
	long, s, _ := c.take()
	for _, l := range o.Lengths() {
		m := o[l].in(to)
		if c[l] == nil {
			c[l] = NewLength(l, m.D, m.P)
			c[l].KeepRows, c[l].Frame = m.KeepRows, to
		}
		c[l].merge(m)
	}
	long2, s2, _ := c.take()
	long.merge(long2)
	if s2.longer(s) {
		s = s2
	}
	c.dropEmpty()
	c.give(long, s, kept)
	return c.reframe(10)
}

// joined returns the examples of both, neither of which changes.
func joined(a, b *Kept) (*Kept, error) {
	if a == nil && b == nil {
		return nil, nil
	}
	k := new(Kept)
	for _, o := range []*Kept{a, b} {
		k.merge(o)
	}
	return k, k.settle()
}

// dropEmpty leaves out lengths without rows, beside which a shard has put what it kept, if
// there are others.
func (c Set) dropEmpty() {
	for _, l := range c.Lengths() {
		if c[l].N() == 0 && len(c) > 1 {
			delete(c, l)
		}
	}
}

// in returns the measurements in the coordinates of another frame.
func (m *Length) in(to *Frame) *Length {
	M := m.Frame.to(to)
	if M == nil || m.L == 0 {
		return m
	}
	q := m.Mapped(M)
	for k := range q.parts {
		if q.source == nil {
			break // there are rows alone
		}
		if f := q.Only(k); f != nil {
			linalg.R(f)
			q.parts[k].factor = f
		}
	}
	q.Frame, q.source, q.turn, q.joined = to, nil, nil, nil
	return q
}

// merge adds the measurements of o.
func (m *Length) merge(o *Length) {
	for k := range m.parts {
		q, r := &m.parts[k], &o.parts[k]
		if r.factor != nil {
			q.factor = linalg.Stack(q.factor, mat.DenseCopyOf(r.factor))
		}
		q.sums = q.sums.plus(r.sums)
		q.x, q.y = append(q.x, r.x...), append(q.y, r.y...)
		q.n += r.n
		if !m.HasRows() && len(q.y) >= m.P*m.blockRows() {
			b := block{x: q.x, y: q.y}
			m.judge(&b)
			m.fold(q, b)
			q.x, q.y = nil, nil
		}
	}
	for i, v := range o.moment {
		m.moment[i] += v
	}
	m.Energy += o.Energy
	m.Outputs.Merge(o.Outputs)
	if s := (stretch{o.Stretch, o.stretchAt}); s.longer(stretch{m.Stretch, m.stretchAt}) {
		m.Stretch, m.stretchAt = s.x, s.at
	}
	m.Long.merge(o.Long)
}

// reframe gives the set a frame that suits all of it, if the one it has does
// not: shards of other units or offsets may have joined since it was made, or sequences
// come that were quite other than the first. Sizes of the inputs' directions that differ
// by up to the given factor are well enough.
func (c Set) reframe(factor float64) error {
	d, _ := c.Dims()
	if d == 0 {
		return nil
	}
	var eig mat.EigenSym
	if !eig.Factorize(c.SecondMoments(d), false) {
		return linalg.ErrNoConvergence
	}
	if v, f := eig.Values(nil), factor*factor; v[0]*f > v[d-1] && v[d-1]*f*f > 1 && v[d-1] < f*f {
		return nil
	}
	w, err := NewWhitening(c, d)
	if err != nil {
		return err
	}
	if r, _ := w.W.Dims(); r < d {
		return nil // some inputs depend on others; there is no invertible W
	}
	to := w
	if old := c.Frame(); old != nil {
		to = &Frame{new(mat.Dense), new(mat.Dense)}
		to.W.Mul(w.W, old.W)
		to.T.Mul(old.T, w.T)
	}
	for l, m := range c {
		c[l] = m.in(to)
	}
	return nil
}
