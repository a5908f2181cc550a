package words

import (
	"fmt"
	"iter"
	"slices"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
)

// observations is the tree of all words that sequences hold, with the mean of the outputs
// after each of them.
type observations struct {
	d, p    int
	child   [][]int32 // by node: d children, 0 if there is none; nil for none at all
	parent  []int32
	by      []int // the symbol that leads here
	outputs [][]float64
	seen    []float64 // how many outputs a mean is of
	words   int
	longest int
}

// observe reads one-hot sequences into a tree.
func observe(data iter.Seq[twornn.Sequence]) (*observations, error) {
	o := &observations{child: [][]int32{nil}, parent: []int32{0}, by: []int{-1}, outputs: [][]float64{nil}, seen: []float64{0}}
	for s := range data {
		o.words++
		if s.Err != nil {
			return nil, s.Err
		}
		if s.Y == nil || s.Y.IsEmpty() {
			return nil, fmt.Errorf("words: sequence %d has no outputs", o.words)
		}
		d, p := s.Dims()
		if o.p == 0 {
			o.p = p
		}
		if o.d == 0 {
			o.d = d
		}
		if p != o.p || d != 0 && d != o.d {
			return nil, fmt.Errorf("words: sequence %d has %d inputs and %d outputs, those before it %d and %d", o.words, d, p, o.d, o.p)
		}
		word, err := datasets.WordOf(s.X)
		if err != nil {
			return nil, fmt.Errorf("words: sequence %d: %w", o.words, err)
		}
		if err := o.add(word, s.Y.RawMatrix().Rows, func(t int) []float64 { return s.Y.RawRowView(t) }); err != nil {
			return nil, fmt.Errorf("words: sequence %d: %w", o.words, err)
		}
	}
	if o.d == 0 {
		return nil, fmt.Errorf("words: %d sequences hold no symbol; give words of at least one", o.words)
	}
	return o, nil
}

// add counts the rows outputs of a word: the last ones belong to its end.
func (o *observations) add(word []int, rows int, y func(t int) []float64) error {
	if rows != 1 && rows != len(word) {
		return fmt.Errorf("it has %d rows of outputs for %d symbols; give one a symbol, or one for the last", rows, len(word))
	}
	o.longest = max(o.longest, len(word))
	v := int32(0)
	if len(word) == 0 {
		return o.meet(0, y(0))
	}
	for t, s := range word {
		v = o.grow(v, s)
		if rows == 1 && t < len(word)-1 {
			continue
		}
		if err := o.meet(v, y(t-len(word)+rows)); err != nil {
			return fmt.Errorf("symbol %d: %w", t+1, err)
		}
	}
	return nil
}

// grow returns the child of v by symbol s, which it makes if there is none.
func (o *observations) grow(v int32, s int) int32 {
	if o.child[v] == nil {
		o.child[v] = make([]int32, o.d)
	}
	if o.child[v][s] == 0 {
		o.child[v][s] = int32(len(o.child))
		o.child = append(o.child, nil)
		o.parent = append(o.parent, v)
		o.by = append(o.by, s)
		o.outputs = append(o.outputs, nil)
		o.seen = append(o.seen, 0)
	}
	return o.child[v][s]
}

// meet takes y into the mean of node v.
func (o *observations) meet(v int32, y []float64) error {
	if o.outputs[v] == nil {
		o.outputs[v] = make([]float64, o.p)
	}
	o.seen[v]++
	for j, x := range y {
		if x-x != 0 {
			return fmt.Errorf("output %d is %v; drop the sequence or mend the value", j+1, x)
		}
		o.outputs[v][j] += (x - o.outputs[v][j]) / o.seen[v]
	}
	return nil
}

// find returns the node of a word below v, −1 if it was not met.
func (o *observations) find(v int32, word []int) int32 {
	for _, s := range word {
		if o.child[v] == nil || o.child[v][s] == 0 {
			return -1
		}
		v = o.child[v][s]
	}
	return v
}

// future appends to dst the outputs after v and each of the suffixes, and reports whether
// all were observed.
func (o *observations) future(dst []float64, v int32, suffixes [][]int) ([]float64, bool) {
	for _, w := range suffixes {
		u := o.find(v, w)
		if u < 0 || o.outputs[u] == nil {
			return dst, false
		}
		dst = append(dst, o.outputs[u]...)
	}
	return dst, true
}

// word returns the word of node v.
func (o *observations) word(v int32) []int {
	var w []int
	for ; v != 0; v = o.parent[v] {
		w = append(w, o.by[v])
	}
	slices.Reverse(w)
	return w
}
