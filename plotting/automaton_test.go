package plotting

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"

	"github.com/twornn/spectral/twornn"
)

// small returns an automaton of two states, with one weight too small to count.
func small() *twornn.WFA {
	m := twornn.NewModel(2, 2, 2)
	m.H0.SetVec(0, 1)
	m.A[0] = mat.NewDense(2, 2, []float64{0.5, 0.25, 1e-12, 1})
	m.A[1] = mat.NewDense(2, 2, []float64{1. / 3, 0.25, 0, -1234.5})
	m.Omega = mat.NewDense(2, 2, []float64{0, 0.5, 0, -1})
	return m.WFA([]string{"a", "b"})
}

func texts(d *diagram) (all []string) {
	for _, t := range d.texts {
		all = append(all, t.text)
	}
	return all
}

func TestAutomatonLabels(t *testing.T) {
	d, hidden, err := automaton(small())
	if err != nil || hidden != 0 {
		t.Fatal(hidden, err)
	}
	got := strings.Join(texts(d), " | ")
	// Loops, then arrows in and out, then those between states.
	want := "a: 0.5, b: 0.333 | a: 1, b: −1230 | 1 | [0.5, −1] | a, b: 0.25"
	if got != want {
		t.Errorf("labels %s\nwant   %s", got, want)
	}
	if len(d.nodes) != 2 || len(d.strokes) != 5 {
		t.Errorf("%d states and %d arrows, want 2 and 5", len(d.nodes), len(d.strokes))
	}
	// A^σ has the old state in its rows: the weight 0.25 leads from 1 to 2.
	path := d.strokes[4].path
	if near := distance(path[0], d.nodes[0].at); near > stateRadius+2 || distance(path[len(path)-1], d.nodes[1].at) > stateRadius+2 {
		t.Errorf("the arrow between the states goes from %v to %v", path[0], path[len(path)-1])
	}
	// Into state 1, out of state 2.
	if in, out := d.strokes[2].path, d.strokes[3].path; distance(in[2], d.nodes[0].at) > distance(in[0], d.nodes[0].at) ||
		distance(out[0], d.nodes[1].at) > distance(out[2], d.nodes[1].at) {
		t.Errorf("arrow in %v, arrow out %v", in, out)
	}
	for i, s := range d.strokes {
		if !s.arrow {
			t.Errorf("line %d has no head", i)
		}
	}
}

// TestAutomatonArrows: every arrow begins and ends at the states it should, and no path
// leads through another.
func TestAutomatonArrows(t *testing.T) {
	for n := 2; n <= 6; n++ {
		l := newSketch(n)
		for i := range n {
			for j := range n {
				if i == j {
					continue
				}
				l.arc(i, j, "a", true)
				path := l.arcs[[2]int{i, j}]
				first, last := path[0], path[len(path)-1]
				if distance(first, l.at[i]) > stateRadius+2 || distance(last, l.at[j]) > stateRadius+2 {
					t.Errorf("%d states: the arrow from %d to %d goes from %v to %v", n, i+1, j+1, first, last)
				}
				for k, q := range l.at {
					for _, p := range path {
						if k != i && k != j && distance(p, q) < stateRadius-1 {
							t.Fatalf("%d states: the arrow from %d to %d leads through %d", n, i+1, j+1, k+1)
						}
					}
				}
				if back, ok := l.arcs[[2]int{j, i}]; ok && distance(back[12], path[12]) < 10 {
					t.Errorf("%d states: the arrows between %d and %d lie on each other", n, i+1, j+1)
				}
			}
		}
	}
}

// TestOppositeArrowsLieApart: an arrow whose best place is taken by the one back goes
// elsewhere. Two that bend alike lie apart anyway, so one back is put in its way.
func TestOppositeArrowsLieApart(t *testing.T) {
	for n := 2; n <= 6; n++ {
		alone := newSketch(n)
		alone.arc(0, 1, "a", true)
		back := slices.Clone(alone.arcs[[2]int{0, 1}])
		slices.Reverse(back)
		l := newSketch(n)
		l.arcs[[2]int{1, 0}] = back
		l.arc(0, 1, "a", true)
		if path := l.arcs[[2]int{0, 1}]; distance(back[12], path[12]) < 14 {
			t.Errorf("%d states: the arrows between 1 and 2 lie on each other", n)
		}
	}
}

// TestAutomatonLabelsLieApart: no label touches another one or a state; those without
// room are counted.
func TestAutomatonLabelsLieApart(t *testing.T) {
	for n := 1; n <= mostStates; n++ {
		m := twornn.Random(n, 2, 2, 1, rand.NewPCG(1, uint64(n)))
		d, hidden, err := automaton(m.WFA([]string{"a", "b"}))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := len(d.texts)+hidden, n*n+2*n; got != want || len(d.strokes) != want {
			t.Errorf("%d states: %d labels, of which %d hidden, %d arrows, want %d", n, got, hidden, len(d.strokes), want)
		}
		if n <= 4 && hidden > 0 {
			t.Errorf("%d states: %d labels hidden", n, hidden)
		}
		box := func(c caption) vg.Rectangle {
			s := layout(c.text, captionSize, false)
			return boxAround(c.at, s.w, s.h)
		}
		for i, a := range d.texts {
			x := box(a)
			for _, b := range d.texts[:i] {
				y := box(b)
				if x.Min.X < y.Max.X && y.Min.X < x.Max.X && x.Min.Y < y.Max.Y && y.Min.Y < x.Max.Y {
					t.Errorf("%d states: %q lies on %q", n, a.text, b.text)
				}
			}
			for k, s := range d.nodes {
				if boxHolds(x, s.at) {
					t.Errorf("%d states: %q lies on state %d", n, a.text, k+1)
				}
			}
		}
	}
}

// No label stands close to where an arrow enters a state, not even of an arrow that was drawn later, in a machine
// of four states whose arrows cross.
func TestAutomatonLabelsLeaveHeadsFree(t *testing.T) {
	steps := func(entries ...float64) *mat.Dense { return mat.NewDense(4, 4, entries) }
	w := &twornn.WFA{
		Alphabet: []string{"0", "1", "2"},
		Alpha:    mat.NewVecDense(4, []float64{1, 0, 0, 0}),
		A: []*mat.Dense{
			steps(0, 0.696, 0, 0, 0, 0, 0, 0, 0, 0, 0.197, 0, 0, 0, 0, 0),
			steps(0, 0, 0.304, 0, 0.3, 0, 0, 0, 0, 0, 0, 0, 0, 0.698, 0, 0),
			steps(0, 0, 0, 0, 0, 0, 0, 0.3, 0, 0, 0, 0.803, 0, 0, 0, 0),
		},
		Omega: mat.NewDense(1, 4, []float64{0, 0.401, 0, 0.302}),
	}
	d, hidden, err := automaton(w)
	if err != nil || hidden > 0 {
		t.Fatalf("%d labels hidden, %v", hidden, err)
	}
	for _, c := range d.texts {
		l := layout(c.text, captionSize, false)
		box := boxAround(c.at, l.w+2+12, l.h-2+12) // the white ground, and six points around it
		for _, s := range d.strokes {
			tip := s.path[len(s.path)-1]
			if !slices.ContainsFunc(d.nodes, func(n disc) bool { return distance(n.at, tip) < stateRadius+2 }) {
				continue // an arrow out, whose label stands at its end
			}
			for _, p := range arrowhead(s.path, 6.5) {
				if boxHolds(box, p) {
					t.Errorf("%q is too near to the head of an arrow at %v", c.text, p)
				}
			}
		}
	}
}

func TestAutomatonErrors(t *testing.T) {
	change := func(f func(w *twornn.WFA)) *twornn.WFA {
		w := small()
		f(w)
		return w
	}
	many := twornn.NewModel(13, 1, 1).WFA([]string{"a"})
	for _, c := range []struct {
		w    *twornn.WFA
		want string
	}{
		{nil, "is empty"},
		{&twornn.WFA{}, "is empty"},
		{many, "13 states cannot be read; draw one of at most 12"},
		{change(func(w *twornn.WFA) { w.Alphabet = w.Alphabet[:1] }), "disagree"},
		{change(func(w *twornn.WFA) { w.Omega = mat.NewDense(1, 3, nil) }), "disagree"},
		{change(func(w *twornn.WFA) { w.A[1] = nil }), `no weights for "b"`},
		{change(func(w *twornn.WFA) { w.A[1] = mat.NewDense(3, 2, nil) }), `"b" are 3×2 for 2 states`},
		{change(func(w *twornn.WFA) { w.A[0].Set(0, 1, math.NaN()) }), `a weight of "a" is NaN`},
		{change(func(w *twornn.WFA) { w.Alpha.SetVec(0, math.Inf(1)) }), "an initial weight is +Inf"},
		{change(func(w *twornn.WFA) { w.Alphabet[0] = "日" }), "the font has no '日'"},
	} {
		if _, err := Automaton("t", c.w); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
}

// TestAutomatonOfOddData: whatever the weights and symbols, there is a picture.
func TestAutomatonOfOddData(t *testing.T) {
	zero := twornn.NewModel(3, 1, 1).WFA([]string{""})
	huge := twornn.Random(4, 2, 6, 1e300, rand.NewPCG(1, 2)).WFA([]string{"a very long symbol indeed", "b\nc"})
	var alphabet []string
	for i := range 40 {
		alphabet = append(alphabet, fmt.Sprintf("s%d", i))
	}
	wide := twornn.Random(2, 40, 9, 1, rand.NewPCG(1, 2)).WFA(alphabet)
	none := &twornn.WFA{Alpha: mat.NewVecDense(1, []float64{1}), Omega: mat.NewDense(1, 1, []float64{2})}
	for name, w := range map[string]*twornn.WFA{"zero": zero, "huge": huge, "wide": wide, "no symbols": none} {
		p, err := Automaton(name, w)
		if err == nil {
			_, err = PNG(p)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	d, _, _ := automaton(zero)
	if len(d.strokes) != 0 {
		t.Errorf("the zero automaton has %d arrows", len(d.strokes))
	}
}

func TestDigits(t *testing.T) {
	for v, want := range map[float64]string{
		0: "0", 1: "1", 1. / 3: "0.333", -0.5: "−0.5", 1234: "1230", 999.9: "1000", 1e6: "1e+06",
		123456: "123000", 0.00001: "1e−05", -2e300: "−2e+300",
	} {
		if got := digits3(v); got != want {
			t.Errorf("%g is printed %s, want %s", v, got, want)
		}
	}
}

// An automaton of a row of states is drawn no higher than it needs, and without a line that
// says the same beneath each of them.
func TestAutomatonHeight(t *testing.T) {
	p, err := Automaton("two states", small())
	if err != nil {
		t.Fatal(err)
	}
	if p.X.Label.Text != "" {
		t.Errorf("beneath it stands %q", p.X.Label.Text)
	}
	data, err := PNG(p)
	if err != nil {
		t.Fatal(err)
	}
	c, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if c.Width != 880 || c.Height < 120 || c.Height > 300 {
		t.Errorf("%d×%d", c.Width, c.Height)
	}
}
