package datasets

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
)

// Tracking is a task of state tracking: a machine reads a word, and what is asked for
// after every symbol is the state that it is in. It starts in state 0.
type Tracking struct {
	Name string
	// Next[i][σ] is the state to which symbol σ leads from state i.
	Next [][]int
}

// RunningSum returns the task of sums modulo m: m symbols 0 to m−1 and m states, the sum
// so far. RunningSum(2) is parity. It panics if m is not positive.
func RunningSum(m int) *Tracking {
	if m <= 0 {
		panic("datasets: a sum needs a positive modulus")
	}
	t := &Tracking{Name: fmt.Sprintf("sums modulo %d", m)}
	for i := range m {
		row := make([]int, m)
		for s := range row {
			row[s] = (i + s) % m
		}
		t.Next = append(t.Next, row)
	}
	return t
}

// RandomMachine returns a machine of n states over d symbols whose transitions are drawn
// evenly, again and again until every state can be reached. It panics if n or d is not
// positive, or if n > 1 states and one symbol leave no chance (n above 30).
func RandomMachine(n, d int, src rand.Source) *Tracking {
	if n <= 0 || d <= 0 || d == 1 && n > 30 {
		panic("datasets: a random machine needs states and symbols, and two symbols for many states")
	}
	rnd := rand.New(src)
	t := &Tracking{Name: fmt.Sprintf("random machine of %d states", n)}
	for {
		t.Next = nil
		for range n {
			row := make([]int, d)
			for s := range row {
				row[s] = rnd.IntN(n)
			}
			t.Next = append(t.Next, row)
		}
		if len(t.reach()) == n {
			return t
		}
	}
}

// States returns the number of states, and Symbols that of symbols.
func (t *Tracking) States() int { return len(t.Next) }

// Symbols returns the number of symbols.
func (t *Tracking) Symbols() int { return len(t.Next[0]) }

// Run returns the states after every symbol of a word.
func (t *Tracking) Run(word []int) []int {
	states := make([]int, len(word))
	i := 0
	for k, s := range word {
		i = t.Next[i][s]
		states[k] = i
	}
	return states
}

// Example returns a word as a sequence: X one-hot, and row k of Y the unit vector of the
// state after symbol k. The empty word has Y for the state 0.
func (t *Tracking) Example(word []int) twornn.Sequence {
	if len(word) == 0 {
		return twornn.Sequence{Y: OneHot([]int{0}, t.States())}
	}
	return twornn.Sequence{X: OneHot(word, t.Symbols()), Y: OneHot(t.Run(word), t.States())}
}

// Sequences returns n words of so many random symbols, as Example has them. A seed is
// drawn from src at once; the words are the same each time they are ranged over.
func (t *Tracking) Sequences(n, length int, src rand.Source) iter.Seq[twornn.Sequence] {
	words := t.Words(n, length, src)
	return func(yield func(twornn.Sequence) bool) {
		for w := range words {
			if !yield(t.Example(w)) {
				return
			}
		}
	}
}

// Examples returns the words as Example has them.
func (t *Tracking) Examples(words [][]int) iter.Seq[twornn.Sequence] {
	return func(yield func(twornn.Sequence) bool) {
		for _, w := range words {
			if !yield(t.Example(w)) {
				return
			}
		}
	}
}

// Words returns the words of Sequences, as symbols.
func (t *Tracking) Words(n, length int, src rand.Source) iter.Seq[[]int] {
	if n < 0 || length < 0 {
		panic("datasets: n and length must not be negative")
	}
	seed1, seed2 := src.Uint64(), src.Uint64()
	return func(yield func([]int) bool) {
		rnd := rand.New(rand.NewPCG(seed1, seed2))
		for range n {
			w := make([]int, length)
			for k := range w {
				w[k] = rnd.IntN(t.Symbols())
			}
			if !yield(w) {
				return
			}
		}
	}
}

// Cover returns words that use every transition of the machine at least once and are as
// short as that allows: each leads to a state by a shortest way and goes on by
// transitions not used yet, while it is no longer than the longest shortest way and one.
// The empty word comes first: its output tells the state at the start.
// No learner that knows nothing else of the machine can do with words that miss one.
func (t *Tracking) Cover() [][]int {
	way := t.reach()
	longest := 0
	for _, w := range way {
		longest = max(longest, len(w)+1)
	}
	used := make(map[[2]int]bool)
	words := [][]int{{}}
	// From far to near, so that the ways of far states use up what lies on them.
	for at := len(way) - 1; at >= 0; at-- {
		for {
			i := t.after(way[at])
			w := slices.Clone(way[at])
			s := t.unused(i, used)
			if s < 0 {
				break
			}
			for ; s >= 0 && len(w) < longest; s = t.unused(i, used) {
				used[[2]int{i, s}] = true
				w = append(w, s)
				i = t.Next[i][s]
			}
			i = 0
			for _, x := range w {
				used[[2]int{i, x}] = true
				i = t.Next[i][x]
			}
			words = append(words, w)
		}
	}
	return words
}

// after returns the state after a word.
func (t *Tracking) after(word []int) int {
	i := 0
	for _, s := range word {
		i = t.Next[i][s]
	}
	return i
}

// unused returns the first symbol that was not used in state i, −1 if all were.
func (t *Tracking) unused(i int, used map[[2]int]bool) int {
	for s := range t.Symbols() {
		if !used[[2]int{i, s}] {
			return s
		}
	}
	return -1
}

// reach returns a shortest word to each state that can be reached, by length.
func (t *Tracking) reach() [][]int {
	seen := map[int]bool{0: true}
	ways, states := [][]int{{}}, []int{0}
	for k := 0; k < len(states); k++ {
		for s, j := range t.Next[states[k]] {
			if !seen[j] {
				seen[j] = true
				states = append(states, j)
				ways = append(ways, append(slices.Clone(ways[k]), s))
			}
		}
	}
	return ways
}

// Model returns the linear 2-RNN that tracks the states exactly: h is the unit vector of
// the state.
func (t *Tracking) Model() *twornn.Model {
	n := t.States()
	m := twornn.NewModel(n, t.Symbols(), n)
	m.H0.SetVec(0, 1)
	for i, row := range t.Next {
		m.Omega.Set(i, i, 1)
		for s, j := range row {
			m.A[s].Set(i, j, 1)
		}
	}
	return m
}

// Right returns the share of the words after whose every symbol the largest output is that
// of the right state, and the share of right answers after the last symbol. outputs writes
// the outputs after every symbol into dst, which is empty or fits.
func (t *Tracking) Right(words iter.Seq[[]int], outputs func(dst *mat.Dense, word []int)) (every, last float64) {
	n := 0
	y := new(mat.Dense)
	for w := range words {
		n++
		if rows, _ := y.Dims(); rows != len(w) {
			y = new(mat.Dense)
		}
		outputs(y, w)
		all := true
		for k, state := range t.Run(w) {
			ok := largest(y.RawRowView(k)) == state
			all = all && ok
			if k == len(w)-1 && ok {
				last++
			}
		}
		if all {
			every++
		}
	}
	return every / float64(n), last / float64(n)
}

// RightAfter returns the share of right answers after so many symbols: entry k−1 is the
// share of the words, all of one length, after whose symbol k the largest output is that of
// the right state. outputs is as for Right. It panics if the words differ in length.
func (t *Tracking) RightAfter(words iter.Seq[[]int], outputs func(dst *mat.Dense, word []int)) []float64 {
	var share []float64
	n, y := 0, new(mat.Dense)
	for w := range words {
		if n++; share == nil {
			share = make([]float64, len(w))
		}
		if len(w) != len(share) {
			panic("datasets: the words differ in length")
		}
		outputs(y, w)
		for k, state := range t.Run(w) {
			if largest(y.RawRowView(k)) == state {
				share[k]++
			}
		}
	}
	for k := range share {
		share[k] /= float64(n)
	}
	return share
}

// largest returns the index of the largest entry, −1 if one is NaN.
func largest(v []float64) int {
	best := 0
	for i, x := range v {
		if x != x {
			return -1
		}
		if x > v[best] {
			best = i
		}
	}
	return best
}
