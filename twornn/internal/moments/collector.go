package moments

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// AutoUnknowns bounds d^l for lengths that nobody asked for by number.
const AutoUnknowns = 256

// AutoLength bounds those lengths themselves: with one input d^l says nothing.
const AutoLength = 9

// Plan says what a pass over the data gathers.
type Plan struct {
	Lengths  []int // to be measured; none: those worth it
	Also     []int // to be measured beside those worth it
	KeepRows bool  // as they come
	Limit    int   // of d^l, for the lengths worth it; zero: the usual ones
	All      bool  // keep every longer example, not a sample
	Words    bool  // keep words of more than AutoUnknowns symbols as they are, and measure none
}

// wanted reports whether length l is among those asked for, or worth collecting if
// none were. With a constant input fits go along the examples as they are, and no length is
// needed beyond those that cost little.
func (p Plan) wanted(l, d int, constant bool) bool {
	size := math.Pow(float64(d), float64(l))
	switch {
	case slices.Contains(p.Also, l):
		return true
	case len(p.Lengths) > 0:
		return slices.Contains(p.Lengths, l)
	case p.KeepRows:
		return l <= AutoLength
	case p.Limit > 0:
		return size <= float64(p.Limit)
	case constant:
		return l <= 1 || l <= AutoLength && size <= AutoUnknowns
	}
	return l <= AutoLength && size <= AutoUnknowns || l <= 3
}

// Collector gathers examples one by one. The first few are held back, until they tell the
// frame in which products of inputs keep their digits.
type Collector struct {
	plan  Plan
	d, p  int // inputs, 0 as long as none were seen, and outputs
	set   Set
	run   stitcher
	long  Sample
	kept  *Kept
	first []Example // until there is a frame
	n     int       // examples
	fr    *Frame
	room  mat.Dense
	pipe  *Pipeline

	constant bool // some input, or a combination of inputs, is constant
	words    bool // all are words, and kept as such
}

// NewCollector returns a collector that has seen nothing.
func NewCollector(p Plan) *Collector {
	return &Collector{plan: p, set: Set{}, long: Sample{All: p.All}, kept: new(Kept), pipe: NewPipeline()}
}

// Add takes one example: x, k×d, or nil for the empty word, and y, k×p or 1×p. Both may be
// used again by the caller.
func (c *Collector) Add(x, y *mat.Dense) error {
	e := Example{x, y}
	c.n++
	_, c.p = y.Dims()
	if c.d == 0 && e.Steps() > 0 {
		_, c.d = x.Dims()
	}
	if c.n > blockSize {
		return c.take(e)
	}
	c.first = append(c.first, e.Clone())
	if c.n == blockSize {
		return c.settle()
	}
	return nil
}

// settle makes the frame of the first examples, and takes them.
func (c *Collector) settle() (err error) {
	defer func() { c.first = nil }()
	if c.words = c.plan.Words && c.d > AutoUnknowns && areWords(c.first); c.words {
		return c.takeAll(c.first)
	}
	if c.fr, err = newFrame(c.first, c.d); err != nil {
		return err
	}
	kept := new(Kept)
	for _, e := range c.first {
		kept.add(e, e.At())
	}
	_, c.constant = kept.Constant(c.d)
	return c.takeAll(c.first)
}

func (c *Collector) takeAll(examples []Example) error {
	for _, e := range examples {
		if err := c.take(e); err != nil {
			return err
		}
	}
	return nil
}

// take adds the rows of an example to the lengths that they measure.
func (c *Collector) take(e Example) error {
	if c.words {
		return c.kept.addWord(e)
	}
	c.kept.add(e, e.At())
	e.X = c.fr.apply(&c.room, e.X)
	k := e.Steps()
	rows, _ := e.Y.Dims()
	c.run.add(e.X)
	if rows == 1 {
		if m := c.length(k); m != nil {
			m.Add(e.X, e.Y.RawRowView(0), c.pipe)
		} else {
			c.long.add(e)
		}
		return nil
	}
	if c.set[k] == nil && !c.plan.wanted(k, c.d, c.constant) {
		c.long.add(e)
	}
	for t := range rows {
		if m := c.length(t + 1); m != nil {
			m.Add(e.X, e.Y.RawRowView(t), c.pipe)
		}
	}
	return nil
}

// length returns where rows of length l go, nil if they are not wanted.
func (c *Collector) length(l int) *Length {
	m := c.set[l]
	if m == nil && c.plan.wanted(l, c.d, c.constant) {
		m = NewLength(l, c.d, c.p)
		m.KeepRows, m.Frame = c.plan.KeepRows, c.fr
		c.set[l] = m
	}
	return m
}

// Wait returns when no goroutine of the collector is left.
func (c *Collector) Wait() { c.pipe.wait() }

// End returns what was gathered.
func (c *Collector) End() (Set, error) {
	if c.first != nil {
		if err := c.settle(); err != nil {
			return nil, err
		}
	}
	c.Wait()
	if len(c.set) == 0 && (c.constant || c.words) {
		c.set[1] = NewLength(1, c.d, c.p) // for what is kept to stand with
	}
	if ls := c.set.Lengths(); len(ls) > 0 {
		c.run.end()
		last := c.set[ls[len(ls)-1]]
		last.Stretch, last.Long, last.Kept = c.run.longest, c.long, c.kept
	}
	if c.words {
		return c.set, nil
	}
	// What came later may be of another size than the examples that the frame is made for.
	return c.set, c.set.reframe(1e4)
}
