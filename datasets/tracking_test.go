package datasets

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
)

func tasks() []*Tracking {
	return []*Tracking{RunningSum(2), RunningSum(5), RandomMachine(25, 2, rand.NewPCG(1, 1)),
		SymmetricGroup(3), SymmetricGroup(5), AlternatingGroup(4), AlternatingGroup(5)}
}

// TestTrackingSizes: the groups have the orders that they should.
func TestTrackingSizes(t *testing.T) {
	for i, n := range []int{2, 5, 25, 6, 120, 12, 60} {
		if got := tasks()[i].States(); got != n {
			t.Errorf("%s: %d states, not %d", tasks()[i].Name, got, n)
		}
	}
}

// TestGroups: words that are trivial in the group, by its known relations, lead back.
func TestGroups(t *testing.T) {
	for _, c := range []struct {
		g     *Tracking
		word  []int
		power int
	}{
		{SymmetricGroup(5), []int{0}, 2}, {SymmetricGroup(5), []int{1}, 5}, {SymmetricGroup(5), []int{0, 1}, 4},
		{AlternatingGroup(5), []int{0}, 3}, {AlternatingGroup(5), []int{1}, 5}, {AlternatingGroup(4), []int{1}, 3},
	} {
		for k := 1; k <= c.power; k++ {
			states := c.g.Run(slices.Repeat(c.word, k))
			if back := states[len(states)-1] == 0; back != (k == c.power) {
				t.Errorf("%s: %v to the power of %d leads to %d", c.g.Name, c.word, k, states[len(states)-1])
			}
		}
	}
}

// TestTrackingModel: the model of a task has every answer right, and a spoilt one has not.
func TestTrackingModel(t *testing.T) {
	for _, tk := range tasks() {
		m := tk.Model()
		outputs := func(dst *mat.Dense, w []int) { m.OutputsTo(dst, OneHot(w, tk.Symbols())) }
		if every, last := tk.Right(tk.Words(5, 200, rand.NewPCG(2, 2)), outputs); every != 1 || last != 1 {
			t.Errorf("%s: %v and %v right", tk.Name, every, last)
		}
		spoilt := func(dst *mat.Dense, w []int) { outputs(dst, w); dst.Set(17, tk.Run(w)[17], -1) }
		if every, last := tk.Right(tk.Words(5, 200, rand.NewPCG(2, 2)), spoilt); every != 0 || last != 1 {
			t.Errorf("%s: spoilt: %v and %v right", tk.Name, every, last)
		}
		share := tk.RightAfter(tk.Words(5, 200, rand.NewPCG(2, 2)), spoilt)
		for k, s := range share {
			if want := map[bool]float64{false: 1}[k == 17]; s != want {
				t.Errorf("%s: spoilt: %v right after symbol %d, want %v", tk.Name, s, k+1, want)
			}
		}
		if len(share) != 200 {
			t.Errorf("%d shares", len(share))
		}
		for s := range tk.Sequences(2, 20, rand.NewPCG(3, 3)) {
			y := new(mat.Dense)
			m.OutputsTo(y, s.X)
			if !mat.Equal(y, s.Y) {
				t.Errorf("%s: the outputs of an example are not the states", tk.Name)
			}
		}
	}
}

// TestCover: every transition is used by words no longer than has to be.
func TestCover(t *testing.T) {
	for _, tk := range tasks() {
		used := make(map[[2]int]bool)
		longest := 0
		for _, w := range tk.Cover() {
			i := 0
			for k, j := range tk.Run(w) {
				used[[2]int{i, w[k]}] = true
				i = j
			}
			longest = max(longest, len(w))
		}
		ways := tk.reach()
		if len(used) != tk.States()*tk.Symbols() || longest != len(ways[len(ways)-1])+1 {
			t.Errorf("%s: %d transitions used, words of up to %d symbols", tk.Name, len(used), longest)
		}
	}
}

// TestTrackingEmpty: the empty word has the state 0.
func TestTrackingEmpty(t *testing.T) {
	s := RunningSum(3).Example(nil)
	if s.X != nil || !mat.Equal(s.Y, mat.NewDense(1, 3, []float64{1, 0, 0})) {
		t.Errorf("%v", s)
	}
	var _ twornn.Sequence = s
}
