package plotting

import (
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// mostDrawn bounds what a figure may be made of, in points of its paths and pieces of
// text. A million points drawn one by one would be many more.
const mostDrawn = 400_000

// notTooMuch fails if the figure cannot be drawn or is made of too much. It goes by
// a count, not by the clock: how long a figure takes is for benchmarks.
func notTooMuch(t *testing.T, name string, p *plot.Plot) {
	t.Helper()
	if n := parts(p); n > mostDrawn {
		t.Errorf("%s: the figure has %d parts, more than %d", name, n, mostDrawn)
		return
	}
	if _, err := paint(p); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}

// parts counts the points of the paths and the pieces of text of a figure.
func parts(p *plot.Plot) int {
	c := new(recorder.Canvas)
	p.Draw(page(draw.NewCanvas(c, width, height)))
	n := 0
	for _, a := range c.Actions {
		switch a := a.(type) {
		case *recorder.Stroke:
			n += len(a.Path)
		case *recorder.Fill:
			n += len(a.Path)
		default:
			n++
		}
	}
	return n
}

// The count sees what is drawn.
func TestParts(t *testing.T) {
	few, err := Curves("", "", "", Curve{X: []float64{1, 2}, Y: []float64{1, 2}})
	if err != nil {
		t.Fatal(err)
	}
	x := make([]float64, 1000)
	for i := range x {
		x[i] = float64(i)
	}
	many, err := Curves("", "", "", Curve{X: x, Y: x})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := parts(few), parts(many); b < a+900 {
		t.Errorf("2 points make %d parts, 1000 make %d", a, b)
	}
}
