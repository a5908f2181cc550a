package plotting

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/twornn/spectral/twornn"
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

// TestNoisyLines: lines that go up and down a hundred thousand times are drawn by few points, and no stroke is
// long, since the time of one grows with the square of its length.
func TestNoisyLines(t *testing.T) {
	const n = 100_000
	rnd := rand.New(rand.NewPCG(1, 1))
	noise, bits, x := make([]float64, n), make([]float64, n), make([]float64, n)
	low, high := make([]float64, n), make([]float64, n)
	live := NewLive("")
	for i := range noise {
		noise[i], bits[i], x[i] = rnd.NormFloat64(), float64(rnd.IntN(2)), float64(i+1)
		low[i], high[i] = noise[i]-1, noise[i]+1
		live.note(twornn.Progress{Iteration: i + 1, Residual: math.Exp(noise[i])})
	}
	for name, draw := range map[string]func() (*plot.Plot, error){
		"TimeSeries": func() (*plot.Plot, error) { return TimeSeries("", "", nil, Line{"a", noise}, Line{"b", noise}) },
		"steps":      func() (*plot.Plot, error) { return TimeSeries("", "", nil, Line{"a", bits}) },
		"Forecast":   func() (*plot.Plot, error) { return Forecast("", "", nil, Line{"a", noise}, Line{"b", noise}) },
		"Curves":     func() (*plot.Plot, error) { return Curves("", "", "", Curve{X: x, Y: noise}) },
		"Live":       live.figure,
		"ForecastBand": func() (*plot.Plot, error) {
			return ForecastBand("", "", nil, Band{"band", low, high}, Line{"a", noise}, Line{"b", noise})
		},
	} {
		p, err := draw()
		if err != nil {
			t.Fatal(err)
		}
		if d := parts(p); d > 15_000 {
			t.Errorf("%s: %d parts", name, d)
		}
		for _, s := range strokes(p) {
			// The edges of a band are smooth: they are the lowest and highest of each part.
			if s.length > 5000 && name != "ForecastBand" {
				t.Errorf("%s: a stroke of %d points is %.0f points long", name, len(s.path), s.length)
			}
		}
	}
}

// TestZigzagIsOneLine: the strokes of a line, each of which begins with the last segment of the one before, are
// together all of its points, in order, and their dashes those of one stroke. An axis that is cut cuts the line.
func TestZigzagIsOneLine(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 1))
	run := make(plotter.XYs, 1000)
	for i := range run {
		run[i] = plotter.XY{X: float64(i), Y: rnd.Float64()}
	}
	for _, steps := range []bool{false, true} {
		p := newPlot("", "", "")
		p.HideAxes()
		p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 999, 0, 1
		whole := &plotter.Line{XYs: run, LineStyle: lineStyle(1)}
		if steps {
			whole.StepStyle = plotter.MidStep
		}
		p.Add(whole)
		want := longest(strokes(p))
		q := newPlot("", "", "")
		q.HideAxes()
		q.X, q.Y = p.X, p.Y
		q.Add(zigzag{run: run, style: lineStyle(1), steps: steps})
		var got []vg.Point
		pieces, length := 0, 0.0
		for _, s := range strokes(q) {
			if s.length < 3000 {
				if pieces == 0 { // of the grid
					continue
				}
			}
			overlap := 0
			if pieces++; pieces > 1 {
				overlap = 2
				if steps {
					overlap = 4
				}
				for i, at := range s.path[:overlap] {
					if at != got[len(got)-overlap+i] {
						t.Fatalf("stroke %d begins at %v, not %v", pieces, at, got[len(got)-overlap+i])
					}
				}
				length -= pathLength(s.path[:overlap])
			}
			if math.Abs(s.offset-length) > 1e-6*(1+length) {
				t.Errorf("stroke %d: dashes begin at %v, not %v", pieces, s.offset, length)
			}
			length += s.length
			got = append(got, s.path[overlap:]...)
		}
		if pieces < 10 || !slices.Equal(got, want.path) {
			t.Errorf("steps %v: %d points in %d strokes, not the %d of the line", steps, len(got), pieces, len(want.path))
		}
		q.Y.Max = 0.5
		for _, s := range strokes(q) {
			for _, at := range s.path {
				if at.Y > height {
					t.Fatalf("a point at %v lies outside the figure", at)
				}
			}
		}
	}
}

// penStroke is a path that a figure draws.
type penStroke struct {
	path           []vg.Point
	length, offset float64 // of the path; of its dashes
}

// strokes returns those of a figure.
func strokes(p *plot.Plot) (all []penStroke) {
	c := new(recorder.Canvas)
	p.Draw(page(draw.NewCanvas(c, width, height)))
	offset := 0.0
	for _, a := range c.Actions {
		switch a := a.(type) {
		case *recorder.SetLineDash:
			offset = float64(a.Offsets)
		case *recorder.Stroke:
			s := penStroke{offset: offset}
			for _, comp := range a.Path {
				s.path = append(s.path, comp.Pos)
			}
			s.length = pathLength(s.path)
			all = append(all, s)
		}
	}
	return all
}

func longest(all []penStroke) penStroke {
	return slices.MaxFunc(all, func(a, b penStroke) int { return cmp.Compare(a.length, b.length) })
}

func pathLength(path []vg.Point) (length float64) {
	for i := 1; i < len(path); i++ {
		d := path[i].Sub(path[i-1])
		length += math.Hypot(float64(d.X), float64(d.Y))
	}
	return length
}
