package plotting

import (
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"
)

// sketch lays out an automaton: it gives every arrow, in turn, the cheapest of a few
// shapes, and its label the cheapest of a few places.
type sketch struct {
	diagram
	at     []vg.Point
	out    []float64
	boxes  []vg.Rectangle // of the labels
	arcs   map[[2]int][]vg.Point
	hidden int
	line   bool
}

const (
	stateRadius = vg.Length(14)
	headRoom    = vg.Length(10) // around a state, where arrowheads are
	tallest     = 100.0         // the height of arrows above a circle's middle
)

func newSketch(n int) *sketch {
	l := &sketch{arcs: map[[2]int][]vg.Point{}, line: n <= 3}
	l.at, l.out = statePlaces(n)
	for i, p := range l.at {
		l.nodes = append(l.nodes, disc{at: p, w: 2 * stateRadius, h: 2 * stateRadius, name: strconv.Itoa(i + 1)})
	}
	return l
}

// arrowShape is a way to draw an arrow, and the places for its label.
type arrowShape struct {
	path   []vg.Point
	places []vg.Point
	upon   int     // so many of the places lie upon the arrow, if not 0
	beside float64 // what another place costs
	cost   float64
}

// add draws the cheapest shape and its label.
func (l *sketch) add(text string, shapes []arrowShape) []vg.Point {
	set := layout(text, captionSize, false)
	best, least := shapes[0], math.Inf(1)
	var where vg.Point
	fits := false
	for _, s := range shapes {
		fixed := s.cost + l.clashes(s.path)
		for k, p := range s.places {
			box := boxAround(p, set.w+2, set.h)
			crossed, free := l.covers(box)
			cost := fixed + min(crossed, 24) + 0.5*float64(k)
			if k >= s.upon && s.upon > 0 {
				cost += s.beside
			}
			if !free || !l.line && math.Abs(float64(p.Y)) > tallest+20 {
				cost += 1000
			}
			if cost < least {
				best, least, where, fits = s, cost, p, free
			}
		}
	}
	l.strokes = append(l.strokes, stroke{best.path, true})
	if !fits {
		l.hidden++
		return best.path
	}
	l.boxes = append(l.boxes, boxAround(where, set.w+2, set.h))
	l.texts = append(l.texts, caption{at: where, text: text})
	return best.path
}

// clashes returns what it costs that a path meets states or labels.
func (l *sketch) clashes(path []vg.Point) (cost float64) {
	for _, p := range path[1 : len(path)-1] {
		if !l.line && math.Abs(float64(p.Y)) > tallest {
			cost += 50 // or all would be drawn small
		}
		for _, q := range l.at {
			if distance(p, q) < stateRadius-1 {
				cost += 300
			} else if distance(p, q) < stateRadius+4 {
				cost += 4
			}
		}
		for _, b := range l.boxes {
			if boxHolds(b, p) {
				cost += 12
			}
		}
	}
	return cost
}

// covers returns what it costs that a label covers lines, and whether it is free of
// states and other labels.
func (l *sketch) covers(box vg.Rectangle) (cost float64, free bool) {
	for _, q := range l.at {
		near := vg.Point{X: min(max(q.X, box.Min.X), box.Max.X), Y: min(max(q.Y, box.Min.Y), box.Max.Y)}
		switch gap := distance(q, near) - stateRadius; {
		case gap < 1:
			return 0, false
		case gap < headRoom:
			cost += 8 // where arrows end, those still to come too
		}
	}
	for _, b := range l.boxes {
		if box.Min.X < b.Max.X && b.Min.X < box.Max.X && box.Min.Y < b.Max.Y && b.Min.Y < box.Max.Y {
			return 0, false
		}
	}
	for _, s := range l.strokes {
		for _, p := range s.path {
			if boxHolds(box, p) {
				cost += 6
			}
		}
	}
	return cost, true
}

func boxHolds(b vg.Rectangle, p vg.Point) bool {
	return p.X > b.Min.X && p.X < b.Max.X && p.Y > b.Min.Y && p.Y < b.Max.Y
}

func boxAround(p vg.Point, w, h vg.Length) vg.Rectangle {
	half := vg.Point{X: w / 2, Y: h / 2}
	return vg.Rectangle{Min: p.Sub(half), Max: p.Add(half)}
}

// loop draws the arrow of a state to itself, outwards.
func (l *sketch) loop(i int, text string) {
	var shapes []arrowShape
	set := layout(text, captionSize, false)
	for _, turn := range []float64{0, 20, -20} {
		a := l.out[i] + turn
		u, c := toward(a), l.at[i]
		from, to := c.Add(toward(a+35).Scale(stateRadius)), c.Add(toward(a-35).Scale(stateRadius+1))
		far := stateRadius * 3.6
		path := cubic(from, c.Add(toward(a+38).Scale(far)), c.Add(toward(a-38).Scale(far)), to)
		s := arrowShape{path: path, cost: math.Abs(turn)}
		top := path[len(path)/2]
		half := reachOf(u, set)
		for _, more := range []vg.Length{2, 10, 20} {
			s.places = append(s.places, top.Add(u.Scale(half+more)))
		}
		shapes = append(shapes, s)
	}
	l.add(text, shapes)
}

// reachOf returns how far a text reaches from its middle in the direction u.
func reachOf(u vg.Point, s setting) vg.Length {
	x, y := vg.Length(math.Abs(float64(u.X))), vg.Length(math.Abs(float64(u.Y)))
	return min((s.w/2+2)/max(x, 1e-9), s.h/2/max(y, 1e-9))
}

// outer draws the arrow in, or out, of a state, unless its text is empty.
func (l *sketch) outer(i int, text string, in bool) {
	if text == "" {
		return
	}
	side := -1.0
	if in {
		side = 1
	}
	angles := []float64{l.out[i] + 62*side, l.out[i] + 80*side, l.out[i] + 45*side, l.out[i] + 100*side}
	if l.line { // below, or at the ends beside
		angles = []float64{270 - 40*side, 270 - 25*side, 270 - 60*side}
		if in && i == 0 {
			angles = []float64{180, 200}
		}
		if !in && i == len(l.at)-1 {
			angles = []float64{0, -20}
		}
	}
	var shapes []arrowShape
	set := layout(text, captionSize, false)
	for k, a := range angles {
		for m, length := range []vg.Length{20, 32} {
			u := toward(a)
			near := l.at[i].Add(u.Scale(stateRadius + 1))
			far := l.at[i].Add(u.Scale(stateRadius + length))
			path := []vg.Point{near, near.Add(far).Scale(0.5), far}
			if in {
				path[0], path[2] = far, near
			}
			place := far.Add(u.Scale(reachOf(u, set) + 1))
			shapes = append(shapes, arrowShape{path: path, places: []vg.Point{place}, cost: float64(3*k + 4*m)})
		}
	}
	l.add(text, shapes)
}

// arc draws the arrow from i to j. both says that there is one back.
func (l *sketch) arc(i, j int, text string, both bool) {
	a, b := l.at[i], l.at[j]
	u := unitVector(a, b)
	left := vg.Point{X: -u.Y, Y: u.X}
	size := distance(a, b)
	gap := math.Abs(float64(i - j))
	var shapes []arrowShape
	for _, bend := range []float64{0.16, 0.28, 0.42, 0.6, 0.8, 1, 0.06, -0.16, -0.28, -0.42, -0.6, -0.8} {
		if l.line && gap < 2 && bend > 0.5 {
			continue
		}
		if both && bend < 0.1 && len(l.at) <= 4 {
			continue // always apart
		}
		c := a.Add(b).Scale(0.5).Add(left.Scale(size * vg.Length(bend)))
		from := a.Add(unitVector(a, c).Scale(stateRadius))
		to := b.Add(unitVector(b, c).Scale(stateRadius + 1))
		s := arrowShape{path: quadratic(from, c, to), cost: 40 * math.Abs(bend-0.16)}
		if bend < 0 {
			s.cost += 3
		}
		if other, ok := l.arcs[[2]int{j, i}]; ok {
			if d := distance(other[len(other)/2], s.path[len(s.path)/2]); d < 14 {
				s.cost += 300
			}
		}
		for _, k := range []int{12, 10, 14, 8, 16, 6, 18} {
			s.places = append(s.places, s.path[k])
		}
		// Beside the line, where there is no room on it.
		s.upon, s.beside = len(s.places), 30
		if l.line {
			s.beside = 10 // there are few arrows that it could be taken to belong to
		}
		set := layout(text, captionSize, false)
		for _, k := range []int{12, 8, 16} {
			for _, side := range []vg.Length{1, -1} {
				s.places = append(s.places, s.path[k].Add(left.Scale(side*(reachOf(left, set)+2))))
			}
		}
		shapes = append(shapes, s)
	}
	l.arcs[[2]int{i, j}] = l.add(text, shapes)
}

// cubic returns points of the Bézier curve from a to b, drawn towards c, then d.
func cubic(a, c, d, b vg.Point) []vg.Point {
	const steps = 24
	path := make([]vg.Point, steps+1)
	for i := range path {
		t := vg.Length(i) / steps
		s := 1 - t
		path[i] = a.Scale(s * s * s).Add(c.Scale(3 * s * s * t)).Add(d.Scale(3 * s * t * t)).Add(b.Scale(t * t * t))
	}
	return path
}
