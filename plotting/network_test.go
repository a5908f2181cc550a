package plotting

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/tt"
)

func TestTensorNetwork(t *testing.T) {
	d, err := network(
		[]Node{{Name: "h_{t-1}"}, {Name: "A", X: 1.5}, {Name: "x_t", X: 1.5, Y: -1}},
		[]Edge{{From: 0, To: 1, Label: "n"}, {From: 1, To: 2, Label: "d"}, {From: 1, To: Open, Label: "n", DX: 2}})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.nodes) != 3 || len(d.strokes) != 3 || len(d.texts) != 3 {
		t.Fatalf("%d nodes, %d lines, %d labels", len(d.nodes), len(d.strokes), len(d.texts))
	}
	a := d.nodes[1]
	if leg := d.strokes[2].path; leg[0].X != a.at.X+a.w/2 || leg[1].X <= leg[0].X || leg[1].Y != leg[0].Y {
		t.Errorf("the leg to the right goes from %v to %v", leg[0], leg[1])
	}
	if l := d.texts[0]; l.at.Y <= 0 || l.at.X != a.at.X/2 {
		t.Errorf("the label of a level line stands at %v, want above its middle", l.at)
	}
	if l := d.texts[1]; l.at.X <= a.at.X {
		t.Errorf("the label of an upright line stands at %v, want to the right", l.at)
	}
}

func TestBondsBendApart(t *testing.T) {
	d, err := network([]Node{{Name: "A"}, {Name: "B", X: 2}},
		[]Edge{{From: 0, To: 1, Label: "1"}, {From: 1, To: 0, Label: "2"}, {From: 0, To: 1, Label: "3"}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		if a, b := d.strokes[i].path[12], d.strokes[i+1].path[12]; b.Y-a.Y < 10 {
			t.Errorf("lines %d and %d pass %v and %v", i, i+1, a, b)
		}
	}
}

func TestTensorNetworkErrors(t *testing.T) {
	two := []Node{{Name: "A"}, {Name: "B", X: 1}}
	many := make([]Node, 61)
	for i := range many {
		many[i].X = float64(i)
	}
	for _, c := range []struct {
		nodes []Node
		edges []Edge
		want  string
	}{
		{nil, nil, "no nodes"},
		{many, nil, "61 nodes cannot be read"},
		{two, slices.Repeat([]Edge{{To: 1}}, 301), "301 edges cannot be read; draw 300 at most"},
		{[]Node{{Name: "A"}, {Name: "B"}}, nil, "lie on each other"},
		{[]Node{{Name: "A", X: math.NaN()}}, nil, "lies at (NaN, 0)"},
		{[]Node{{Name: "A", Y: 1e200}}, nil, "lies at (0, 1e+200)"},
		{[]Node{{Name: "日"}}, nil, "the font has no '日'"},
		{two, []Edge{{From: 0, To: 2}}, "edge 0 joins nodes 0 and 2 of 2 nodes"},
		{two, []Edge{{From: 0, To: 1}, {From: -1, To: 1}}, "edge 1 joins nodes -1 and 1"},
		{two, []Edge{{From: 1, To: 1}}, "joins node 1 to itself"},
		{two, []Edge{{From: 1, To: Open, DX: math.Inf(1)}}, "leads to (+Inf, 0)"},
		{two, []Edge{{From: 0, To: 1, Label: "ₜ"}}, "the font has no"},
	} {
		if _, err := TensorNetwork("t", c.nodes, c.edges); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	if _, err := TensorTrain("t", nil); err == nil {
		t.Error("no error for no train")
	}
	if _, err := TensorTrain("t", new(tt.Tensor)); err == nil {
		t.Error("no error for an empty train")
	}
}

func TestTensorTrain(t *testing.T) {
	for _, l := range []int{0, 1, 3, 6, 7, 49} {
		h := twornn.Random(5, 3, 2, 0.5, rand.NewPCG(1, 2)).Hankel(l)
		nodes, edges := train(h.Dims(), h.Ranks())
		order, want := l+1, l+1
		if order > mostCores {
			want = 7
		}
		if len(nodes) != want {
			t.Errorf("%d cores: %d nodes, want %d", order, len(nodes), want)
		}
		var legs, bonds []string
		for _, e := range edges {
			if e.To == Open {
				legs = append(legs, e.Label)
				continue
			}
			bonds = append(bonds, e.Label)
			if e.To != e.From+1 {
				t.Errorf("%d cores: a bond from %d to %d", order, e.From, e.To)
			}
		}
		if got := legs[len(legs)-1]; order > 1 && got != "p = 2" || order > 1 && legs[0] != "d = 3" {
			t.Errorf("%d cores: legs %v", order, legs)
		}
		if len(bonds) != want-1 {
			t.Errorf("%d cores: bonds %v", order, bonds)
		}
		if name := nodes[len(nodes)-1].Name; name != fmt.Sprintf("G_{%d}", order) {
			t.Errorf("%d cores: the last is %s", order, name)
		}
		p, err := TensorTrain("t", h)
		if err == nil {
			_, err = PNG(p)
		}
		if err != nil {
			t.Errorf("%d cores: %v", order, err)
		}
	}
}

// TestTensorTrainRanks: each bond has its own rank, also beside the cores left out.
func TestTensorTrainRanks(t *testing.T) {
	var dims, ranks []int
	for k := range 10 {
		dims = append(dims, 10+k)
		ranks = append(ranks, 100+k)
	}
	_, edges := train(dims, ranks[:9])
	var got []string
	for _, e := range edges {
		got = append(got, strings.Fields(e.Label)[2])
	}
	want := "10 100 11 101 12 102 106 17 107 18 108 19"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("dimensions and ranks %s\nwant %s", s, want)
	}
}

func TestLayout(t *testing.T) {
	pieces := func(text string, script bool) string {
		var s []string
		for _, p := range layout(text, 10, script).pieces {
			switch {
			case p.cross:
				s = append(s, "⊗")
			default:
				s = append(s, fmt.Sprintf("%s(%.0f)", p.text, float64(p.style.Font.Size)))
			}
		}
		return strings.Join(s, " ")
	}
	for _, c := range []struct {
		text   string
		script bool
		want   string
	}{
		{"h_{t-1}", true, "h(10) t-1(7)"},
		{"h_{t-1}", false, "h_{t-1}(10)"},
		{"x_1⊗x_2", true, "x(10) 1(7) ⊗ x(10) 2(7)"},
		{"d^2l", true, "d(10) 2(7) l(10)"},
		{"a_", true, "a_(10)"},
		{"a_{b", true, "a(10) {(7) b(10)"},
		{"", true, ""},
		{"Ω\nα", true, "Ω(10) α(10)"},
	} {
		if got := pieces(c.text, c.script); got != c.want {
			t.Errorf("%q is cut into %s, want %s", c.text, got, c.want)
		}
	}
	if a, b := layout("h_t", 10, true), layout("h", 10, true); a.w <= b.w || a.h != b.h {
		t.Errorf("h_t is %v×%v, h %v×%v", a.w, a.h, b.w, b.h)
	}
}
