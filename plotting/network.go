package plotting

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"

	"github.com/twornn/spectral/twornn/tt"
)

// Node is a tensor of a tensor network, drawn as a circle with its name. Neighbours
// lie one apart, or more. In names and labels _ and ^ lower and raise what follows:
// h_t, h_{t-1}.
type Node struct {
	Name string
	X, Y float64
	Bare bool // the name alone, without a circle: "=", "···"
}

// Open is the To of an edge that ends free.
const Open = -1

// Edge joins the nodes From and To, counted from 0: a contraction of two tensors.
// With To = Open it is a free leg, an index of the result, in the direction DX, DY;
// zero means down.
type Edge struct {
	From, To int
	Label    string
	DX, DY   float64
}

const (
	netUnit   = vg.Length(58) // the length of one
	netRadius = vg.Length(17)
	mostNodes = 60
	mostEdges = 5 * mostNodes // as tensors of order 5 have, none contracted
)

// TensorNetwork draws a tensor network as the paper does: tensors are circles, a line
// between two is a contraction, a free leg an index. Several edges between two nodes
// bend apart. It errs if there are no nodes or more than 60, or more than 300 edges, two
// nodes lie on each other, an edge has no such node or joins a node to itself, a number is
// not finite, or the font lacks a character.
//
// The step h_t = A·(x_t, h_{t-1}) of a 2-RNN:
//
//	TensorNetwork("A step",
//		[]Node{{"h_{t-1}", 0, 0, false}, {"A", 1.5, 0, false}, {"x_t", 1.5, -1, false}},
//		[]Edge{{0, 1, "n", 0, 0}, {1, 2, "d", 0, 0}, {1, Open, "n", 1, 0}})
func TensorNetwork(title string, nodes []Node, edges []Edge) (*plot.Plot, error) {
	d, err := network(nodes, edges)
	if err != nil {
		return nil, err
	}
	return newDiagram(title, "", d), nil
}

// network lays out a tensor network.
func network(nodes []Node, edges []Edge) (*diagram, error) {
	if err := checkNetwork(nodes, edges); err != nil {
		return nil, err
	}
	d := new(diagram)
	for _, n := range nodes {
		at := vg.Point{X: vg.Length(n.X) * netUnit, Y: vg.Length(n.Y) * netUnit}
		h := 2 * netRadius
		w := layout(n.Name, nodeSize, true).w
		if !n.Bare {
			w = max(h, w+12)
		}
		d.nodes = append(d.nodes, disc{at, w, h, n.Name, n.Bare})
	}
	pair := func(e Edge) [2]int { return [2]int{min(e.From, e.To), max(e.From, e.To)} }
	total, seen := map[[2]int]int{}, map[[2]int]int{}
	for _, e := range edges {
		total[pair(e)]++
	}
	for _, e := range edges {
		if e.To == Open {
			d.leg(e)
			continue
		}
		k := pair(e)
		bend := float64(seen[k]) - float64(total[k]-1)/2
		seen[k]++
		d.bond(k, e.Label, vg.Length(bend)*16)
	}
	return d, nil
}

// leg draws a free leg.
func (d *diagram) leg(e Edge) {
	u := vg.Point{Y: -1}
	if l := math.Hypot(e.DX, e.DY); l > 0 {
		u = vg.Point{X: vg.Length(e.DX / l), Y: vg.Length(e.DY / l)}
	}
	n := d.nodes[e.From]
	from := n.at.Add(u.Scale(n.reach(u)))
	to := from.Add(u.Scale(netUnit * 0.42))
	d.strokes = append(d.strokes, stroke{path: []vg.Point{from, to}})
	if e.Label != "" {
		l := layout(e.Label, captionSize, true)
		far := 3 + vg.Length(math.Abs(float64(u.X)))*l.w/2 + vg.Length(math.Abs(float64(u.Y)))*l.h/2
		d.texts = append(d.texts, caption{to.Add(u.Scale(far)), e.Label, true})
	}
}

// bond draws a line between two nodes. Its label stands above, or to the right.
func (d *diagram) bond(k [2]int, label string, bend vg.Length) {
	a, b := d.nodes[k[0]].at, d.nodes[k[1]].at
	u := unitVector(a, b)
	n := vg.Point{X: -u.Y, Y: u.X}
	if n.Y < -1e-9 || math.Abs(float64(n.Y)) <= 1e-9 && n.X < 0 {
		n = n.Scale(-1)
	}
	mid := a.Add(b).Scale(0.5)
	from, to := a, b // the lines end beneath the circles
	if p := d.nodes[k[0]]; p.bare {
		from = a.Add(u.Scale(p.reach(u) + 3))
	}
	if p := d.nodes[k[1]]; p.bare {
		to = b.Sub(u.Scale(p.reach(u) + 3))
	}
	d.strokes = append(d.strokes, stroke{path: quadratic(from, mid.Add(n.Scale(2*bend)), to)})
	if label == "" {
		return
	}
	l := layout(label, captionSize, true)
	off := 2 + vg.Length(math.Abs(float64(n.X)))*l.w/2 + vg.Length(math.Abs(float64(n.Y)))*l.h/2
	if bend < 0 {
		off = -off
	}
	d.texts = append(d.texts, caption{mid.Add(n.Scale(bend + off)), label, true})
}

// reach returns how far the edge of a node lies from its middle in the direction u.
func (n disc) reach(u vg.Point) vg.Length {
	if n.bare || math.Abs(float64(u.Y)) < 0.5 {
		return n.w / 2
	}
	return n.h / 2 / vg.Length(math.Abs(float64(u.Y)))
}

// quadratic returns points of the Bézier curve from a to b, drawn towards c.
func quadratic(a, c, b vg.Point) []vg.Point {
	const steps = 24
	path := make([]vg.Point, steps+1)
	for i := range path {
		t := vg.Length(i) / steps
		path[i] = a.Scale((1 - t) * (1 - t)).Add(c.Scale(2 * t * (1 - t))).Add(b.Scale(t * t))
	}
	return path
}

func checkNetwork(nodes []Node, edges []Edge) error {
	if len(nodes) == 0 {
		return errors.New("plotting: the network has no nodes")
	}
	if len(nodes) > mostNodes {
		return fmt.Errorf("plotting: a network of %d nodes cannot be read; draw %d at most, with a bare node \"···\" for the rest", len(nodes), mostNodes)
	}
	if len(edges) > mostEdges {
		return fmt.Errorf("plotting: a network of %d edges cannot be read; draw %d at most, one with a label for several, or a part", len(edges), mostEdges)
	}
	for i, n := range nodes {
		if !finite(n.X) || !finite(n.Y) || math.Abs(n.X) > 1e3 || math.Abs(n.Y) > 1e3 {
			return fmt.Errorf("plotting: node %d, %q, lies at (%g, %g); neighbours lie 1 apart", i, n.Name, n.X, n.Y)
		}
		for j, m := range nodes[:i] {
			if math.Hypot(n.X-m.X, n.Y-m.Y) < 0.3 {
				return fmt.Errorf("plotting: nodes %d and %d, %q and %q, lie on each other; neighbours lie 1 apart", j, i, m.Name, n.Name)
			}
		}
		if r, ok := lacking(n.Name); ok {
			return fmt.Errorf("plotting: node %d: the font has no %q; use _ and ^ for indices", i, r)
		}
	}
	for i, e := range edges {
		known := func(k int) bool { return k >= 0 && k < len(nodes) }
		if !known(e.From) || e.To != Open && !known(e.To) {
			return fmt.Errorf("plotting: edge %d joins nodes %d and %d of %s, counted from 0", i, e.From, e.To, count(len(nodes), "node"))
		}
		if e.From == e.To {
			return fmt.Errorf("plotting: edge %d joins node %d to itself", i, e.From)
		}
		if !finite(e.DX) || !finite(e.DY) {
			return fmt.Errorf("plotting: edge %d leads to (%g, %g)", i, e.DX, e.DY)
		}
		if r, ok := lacking(e.Label); ok {
			return fmt.Errorf("plotting: edge %d: the font has no %q; use _ and ^ for indices", i, r)
		}
	}
	return nil
}

// mostCores is the length up to which TensorTrain draws every core.
const mostCores = 7

// TensorTrain draws a tensor train as a tensor network: its cores in a row, on the
// bonds between them the ranks, on their legs the dimensions, the last of which is p in
// a Hankel tensor H⁽ˡ⁾. Of more than 7 cores the first and the last three are drawn. It
// errs if there is no tensor.
func TensorTrain(title string, t *tt.Tensor) (*plot.Plot, error) {
	if t == nil || t.Order() == 0 {
		return nil, errors.New("plotting: there is no tensor train to draw")
	}
	nodes, edges := train(t.Dims(), t.Ranks())
	d, err := network(nodes, edges)
	if err != nil {
		return nil, err
	}
	legend := "lines between cores: ranks R; legs: dimensions"
	if n := t.Order(); n > mostCores {
		legend += fmt.Sprintf("; %d cores, of which %d are not drawn", n, n-6)
	}
	return newDiagram(title, legend, d), nil
}

// train returns the network of a train of the given dimensions and ranks.
func train(dims, ranks []int) (nodes []Node, edges []Edge) {
	n := len(dims)
	long := n > mostCores
	last := -1 // the node that the next bond starts from
	for k := 0; k < n; k++ {
		if long && k == 3 {
			nodes = append(nodes, Node{Name: "···", X: 1.5 * float64(len(nodes)), Bare: true})
			edges = append(edges, Edge{From: last, To: last + 1, Label: fmt.Sprintf("R = %d", ranks[k-1])})
			last++
			k = n - 3
		}
		at := len(nodes)
		nodes = append(nodes, Node{Name: fmt.Sprintf("G_{%d}", k+1), X: 1.5 * float64(at)})
		if last >= 0 {
			edges = append(edges, Edge{From: last, To: at, Label: fmt.Sprintf("R = %d", ranks[k-1])})
		}
		letter := "d"
		if k == n-1 && n > 1 {
			letter = "p"
		}
		edges = append(edges, Edge{From: at, To: Open, Label: fmt.Sprintf("%s = %d", letter, dims[k])})
		last = at
	}
	return nodes, edges
}
