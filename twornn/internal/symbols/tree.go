package symbols

import (
	"fmt"
	"math"
	"slices"
)

// Words returns all words of length 0 to l over d symbols, by length and then in the order of
// their symbols.
func Words(d, l int) [][]int {
	words := [][]int{{}}
	for from := 0; l > 0; l-- {
		to := len(words)
		for _, w := range words[from:to] {
			for i := range d {
				words = append(words, append(slices.Clone(w), i))
			}
		}
		from = to
	}
	return words
}

// Tree holds words by their common prefixes, with the mean of the outputs after each prefix.
type Tree struct {
	D, P    int      // symbols and outputs
	Words   int      // that were added
	Longest int      // symbols of the longest
	Largest float64  // absolute output
	Spread  float64  // the most by which an output differs from the mean of those before it, after the same prefix
	child   [][]edge // by node, in the order of the symbols
	parent  []int32
	by      []int // the symbol that leads here
	outputs [][]float64
	seen    []float64         // how many outputs a mean is of
	ranges  map[int32][]bound // of the nodes whose outputs differ
}

// bound is the least and the largest of an output.
type bound struct{ low, high float64 }

// edge leads to a node by a symbol.
type edge struct {
	symbol int
	to     int32
}

// NewTree returns a tree without words.
func NewTree(d, p int) *Tree {
	return &Tree{D: d, P: p, child: [][]edge{nil}, parent: []int32{0}, by: []int{-1}, outputs: [][]float64{nil}, seen: []float64{0}, ranges: make(map[int32][]bound)}
}

// Add takes a word with its outputs, the i-th of which stands after at[i] symbols, ascending. It
// errs, with the place, if there are not so many symbols or an output is no finite number.
func (o *Tree) Add(word, at []int, y func(i int) []float64) error {
	o.Words++
	o.Longest = max(o.Longest, len(word))
	v, i := int32(0), 0
	for t := 0; i < len(at); t++ {
		if at[i] == t {
			if err := o.meet(v, y(i)); err != nil {
				return fmt.Errorf("symbol %d: %w", t, err)
			}
			i++
		}
		if t < len(word) {
			v = o.grow(v, word[t])
		} else if i < len(at) {
			return fmt.Errorf("it has outputs after %d symbols, but only %d symbols", at[i], len(word))
		}
	}
	return nil
}

// grow returns the child of v by symbol s, which it makes if there is none.
func (o *Tree) grow(v int32, s int) int32 {
	i, ok := o.place(v, s)
	if !ok {
		o.child[v] = slices.Insert(o.child[v], i, edge{s, int32(len(o.child))})
		o.child = append(o.child, nil)
		o.parent = append(o.parent, v)
		o.by = append(o.by, s)
		o.outputs = append(o.outputs, nil)
		o.seen = append(o.seen, 0)
	}
	return o.child[v][i].to
}

// place returns where the edge from v by symbol s is or belongs, and whether it is there.
func (o *Tree) place(v int32, s int) (int, bool) {
	return slices.BinarySearchFunc(o.child[v], s, func(e edge, s int) int { return e.symbol - s })
}

// meet takes y into the mean of node v.
func (o *Tree) meet(v int32, y []float64) error {
	if o.outputs[v] == nil {
		o.outputs[v] = make([]float64, o.P)
	}
	o.seen[v]++
	for j, x := range y {
		if x-x != 0 {
			return fmt.Errorf("output %d is %v; drop the sequence or mend the value", j+1, x)
		}
		o.Largest = max(o.Largest, math.Abs(x))
		if o.seen[v] > 1 {
			o.Spread = max(o.Spread, math.Abs(x-o.outputs[v][j]))
			o.widen(v, j, x)
		}
		o.outputs[v][j] += (x - o.outputs[v][j]) / o.seen[v]
	}
	return nil
}

// widen takes x into the range of output j of node v. The first range is that of the outputs before
// the first that differs, all of them alike.
func (o *Tree) widen(v int32, j int, x float64) {
	r := o.ranges[v]
	if r == nil {
		if x == o.outputs[v][j] {
			return
		}
		r = make([]bound, o.P)
		for i, y := range o.outputs[v] {
			r[i] = bound{y, y}
		}
		o.ranges[v] = r
	}
	r[j].low, r[j].high = min(r[j].low, x), max(r[j].high, x)
}

// Size returns the largest absolute mean.
func (o *Tree) Size() (s float64) {
	for _, y := range o.outputs {
		for _, v := range y {
			s = max(s, math.Abs(v))
		}
	}
	return s
}

// Observed returns the number of different words whose outputs are known.
func (o *Tree) Observed() (n int) {
	for _, y := range o.outputs {
		if y != nil {
			n++
		}
	}
	return n
}

// Silent returns the number of beginnings of words, but the empty one, whose outputs are not known.
func (o *Tree) Silent() (n int) {
	for _, y := range o.outputs[1:] {
		if y == nil {
			n++
		}
	}
	return n
}

// find returns the node of a word below v, −1 if it was not met.
func (o *Tree) find(v int32, word []int) int32 {
	for _, s := range word {
		i, ok := o.place(v, s)
		if !ok {
			return -1
		}
		v = o.child[v][i].to
	}
	return v
}

// future appends to dst the outputs after v and each of the suffixes, and reports whether
// all were observed.
func (o *Tree) future(dst []float64, v int32, suffixes [][]int) ([]float64, bool) {
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
func (o *Tree) word(v int32) []int {
	var w []int
	for ; v != 0; v = o.parent[v] {
		w = append(w, o.by[v])
	}
	slices.Reverse(w)
	return w
}
