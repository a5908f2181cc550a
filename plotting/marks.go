package plotting

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// further holds the colours of the seventh to the tenth curve, after the palette.
var further = []color.Color{
	ink,
	color.NRGBA{R: 0x88, G: 0x22, B: 0x55, A: 0xff}, // wine
	color.NRGBA{R: 0x8a, G: 0x8a, B: 0x20, A: 0xff}, // olive
	color.NRGBA{R: 0x80, G: 0x80, B: 0x80, A: 0xff}, // grey
}

// shapes holds the markers of ten curves. No two are alike in grey.
var shapes = []shape{
	{}, {corners: 4, turn: math.Pi / 4}, {corners: 3, turn: math.Pi / 2}, {corners: 4}, {corners: 3, turn: -math.Pi / 2},
	{open: true}, {corners: 4, turn: math.Pi / 4, open: true}, {corners: 3, turn: math.Pi / 2, open: true},
	{corners: 4, open: true}, {corners: 3, turn: -math.Pi / 2, open: true},
}

// curveStyle returns the style of the i-th curve: the first ten have colours of their
// own, and sixty differ in colour or dash.
func curveStyle(i int) draw.LineStyle {
	s := lineStyle(i)
	n := len(palette)
	if k := i % (n + len(further)); k < n {
		s.Color = palette[k]
	} else {
		s.Color = further[k-n]
	}
	s.Dashes = dashes[(i+i/10)%len(dashes)]
	return s
}

// curveGlyph returns the marker of the i-th curve: the first ten have their own.
func curveGlyph(i int) draw.GlyphStyle {
	return draw.GlyphStyle{Color: curveStyle(i).Color, Radius: 3, Shape: shapes[i%len(shapes)]}
}

// shape is a marker: a disc or a regular polygon, filled, or open and white within.
type shape struct {
	corners int // none: a disc
	turn    float64
	open    bool
}

// DrawGlyph draws the marker.
func (s shape) DrawGlyph(c *draw.Canvas, st draw.GlyphStyle, at vg.Point) {
	var p vg.Path
	on := func(angle float64) vg.Point {
		r := 1.3 * float64(st.Radius) // so that all look alike in size
		return at.Add(vg.Point{X: vg.Length(r * math.Cos(angle)), Y: vg.Length(r * math.Sin(angle))})
	}
	if s.corners == 0 {
		p.Move(at.Add(vg.Point{X: st.Radius}))
		p.Arc(at, st.Radius, 0, 2*math.Pi)
	}
	for k := range s.corners {
		if to := on(s.turn + 2*math.Pi*float64(k)/float64(s.corners)); k == 0 {
			p.Move(to)
		} else {
			p.Line(to)
		}
	}
	p.Close()
	if s.open {
		c.SetColor(color.White)
		c.Fill(p)
		c.SetLineStyle(draw.LineStyle{Color: st.Color, Width: 1.2})
		c.Stroke(p)
		return
	}
	c.SetColor(st.Color)
	c.Fill(p)
}

// sample draws a piece of a curve in the legend: its line, its marker, its band. What
// has no colour is left out.
type sample struct {
	line  draw.LineStyle
	glyph draw.GlyphStyle
	tint  color.Color
}

// Thumbnail draws the sample.
func (s sample) Thumbnail(c *draw.Canvas) {
	if s.tint != nil {
		c.SetColor(faded(s.tint, bandAlpha))
		c.Fill(c.Rectangle.Path())
	}
	at := c.Center()
	if s.line.Color != nil {
		c.StrokeLine2(s.line, c.Min.X, at.Y, c.Max.X, at.Y)
	}
	if s.glyph.Color != nil {
		c.DrawGlyph(s.glyph, at)
	}
}

// zigzag draws the line of a run.
type zigzag struct {
	run   plotter.XYs
	style draw.LineStyle
	steps bool // from value to value, halfway between the points
}

// Plot draws a line that goes up and down very often in pieces: the time that a path
// takes grows with the square of its crossings of a row of the picture. A piece goes on with the
// dashes of the one before, and begins with its last segment, so that the two are joined as one.
func (s zigzag) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	points := toPoints(s.run, toX, toY)
	line := plotter.Line{LineStyle: s.style}
	if s.steps {
		line.StepStyle = plotter.MidStep
	}
	const most = 4000                  // points of length
	length, from, begin := 0.0, 0, 0.0 // the piece starts at point from, at length begin
	for i := 1; i < len(points); i++ {
		d := points[i].Sub(points[i-1])
		size := math.Hypot(float64(d.X), float64(d.Y))
		if s.steps {
			size = math.Abs(float64(d.X)) + math.Abs(float64(d.Y))
		}
		if length += size; length-begin > most || i == len(points)-1 {
			line.XYs, line.DashOffs = s.run[from:i+1], s.style.DashOffs+vg.Length(begin)
			line.Plot(c, p)
			from, begin = i-1, length-size
		}
	}
}

// GlyphBoxes keeps room for the width of the line.
func (s zigzag) GlyphBoxes(p *plot.Plot) []plot.GlyphBox {
	return (&plotter.Line{XYs: s.run, LineStyle: s.style}).GlyphBoxes(p)
}
