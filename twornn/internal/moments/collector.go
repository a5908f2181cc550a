package moments

import (
	"fmt"
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
	Placed   bool  // examples come with their places: this is a shard
	Total    int   // of a shard: how many examples there are in all, of one size; zero: not known
	Words    bool  // keep words of more than AutoUnknowns symbols as they are, and measure none
}

// wanted reports whether length l is among those asked for, or worth collecting if
// none were. Where fits go along the examples as they are no length is needed beyond those
// that cost little.
func (p Plan) wanted(l, d int, along bool) bool {
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
	case along:
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
	at    []int     // their places
	n     int       // examples
	size  int       // numbers of each, where their total is given
	fr    *Frame
	room  mat.Dense
	pipe  *Pipeline

	constant bool // some input, or a combination of inputs, is constant
	wide     bool // there are many inputs
	words    bool // all are words, and kept as such
}

// NewCollector returns a collector that has seen nothing.
func NewCollector(p Plan) *Collector {
	return &Collector{plan: p, set: Set{}, long: Sample{All: p.All, Placed: p.Placed}, kept: &Kept{Placed: p.Placed}, pipe: NewPipeline()}
}

// Add takes the next example, of which the caller may use all again.
func (c *Collector) Add(e Example) error { return c.AddAt(c.n, e) }

// AddAt takes the example that stands at the given place of all data.
func (c *Collector) AddAt(place int, e Example) error {
	if n := e.numbers(); c.n == 0 && c.plan.Total > 0 {
		c.size = n
		c.kept.begin(c.plan.Total, n)
		c.long.begin(c.plan.Total)
	} else if c.plan.Total > 0 && n != c.size {
		return fmt.Errorf("twornn: the sequence at place %d has %d numbers, those before it in the shard %d: their total can be given for sequences of one size alone; make the shards without it", place, n, c.size)
	}
	c.n++
	_, c.p = e.Y.Dims()
	if c.d == 0 && e.Steps() > 0 {
		_, c.d = e.X.Dims()
	}
	if c.n > blockSize {
		return c.take(e, place)
	}
	c.first, c.at = append(c.first, e.Clone()), append(c.at, place)
	if c.n == blockSize {
		return c.settle()
	}
	return nil
}

// settle makes the frame of the first examples, and takes them.
func (c *Collector) settle() (err error) {
	defer func() { c.first, c.at = nil, nil }()
	if c.words = c.plan.Words && c.d > AutoUnknowns && areWords(c.first); c.words {
		return c.takeFirst()
	}
	if c.fr, err = newFrame(c.first, c.d); err != nil {
		return err
	}
	kept := new(Kept)
	for i, e := range c.first {
		kept.add(e, i)
	}
	_, c.constant = kept.Constant(c.d)
	c.wide = !c.constant && kept.Wide(c.d)
	return c.takeFirst()
}

func (c *Collector) takeFirst() error {
	for i, e := range c.first {
		if err := c.take(e, c.at[i]); err != nil {
			return err
		}
	}
	return nil
}

// take adds the rows of an example to the lengths that they measure.
func (c *Collector) take(e Example, place int) error {
	if c.words {
		return c.kept.addWord(e, place)
	}
	c.kept.add(e, place)
	e.X = c.fr.apply(&c.room, e.X)
	c.run.add(e.X, place)
	at := e.After()
	for i, l := range at {
		switch m := c.length(l); {
		case m != nil:
			m.Add(e.X, e.Y.RawRowView(i), c.pipe)
		case i == len(at)-1:
			c.long.add(e, place)
		}
	}
	return nil
}

// length returns where rows of length l go, nil if they are not wanted.
func (c *Collector) length(l int) *Length {
	m := c.set[l]
	if m == nil && c.plan.wanted(l, c.d, c.constant || c.wide) {
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
	if err := c.kept.settle(); err != nil {
		return nil, err
	}
	if len(c.set) == 0 && (c.constant || c.words || c.plan.Placed && c.n > 0) {
		c.set[1] = NewLength(1, c.d, c.p) // for what is kept to stand with
	}
	c.run.end()
	c.long.sort()
	c.set.give(c.long, c.run.longest, c.kept)
	if c.words {
		return c.set, nil
	}
	// What came later may be of another size than the examples that the frame is made for.
	return c.set, c.set.reframe(1e4)
}
