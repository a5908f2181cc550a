package plotting

import (
	"image/color"
	"math"
	"strings"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// diagram is a drawing without axes: lines, upon them nodes, upon them texts. Its
// coordinates are points; when drawn it is scaled, with its texts, to fit the figure.
type diagram struct {
	strokes []stroke
	nodes   []disc
	texts   []caption
}

// stroke is a line through points, with an arrowhead at its end if arrow is set.
type stroke struct {
	path  []vg.Point
	arrow bool
}

// disc is a node: a circle, or a pill if it is wider than high.
type disc struct {
	at   vg.Point
	w, h vg.Length
	name string
	bare bool // the name alone
}

// caption is a text around its middle, on a white ground. Its letters stand as they
// are unless script is set, when _ and ^ lower and raise.
type caption struct {
	at     vg.Point
	text   string
	script bool
}

const (
	captionSize = 9.5
	nodeSize    = 11
	mostZoom    = 1.35
)

// newDiagram returns a figure of d, as high as d needs, with a line beneath that says what
// a reader must know of it, or none.
func newDiagram(title, legend string, d *diagram) *plot.Plot {
	p := newPlot(title, legend, "")
	p.X.Label.TextStyle.Font.Size = captionSize
	p.HideAxes()
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = 0, 1, 0, 1
	p.Add(d)
	p.X.Tick.Marker = bare{d.height(legend)}
	return p
}

// bare is an axis without ticks. It also carries the height of the figure, for which a
// plot.Plot has no place.
type bare struct{ height vg.Length }

func (bare) Ticks(_, _ float64) []plot.Tick { return nil }

// height is that of a figure that holds d at the largest zoom that its width allows, with
// the title and the legend: at most that of other figures.
func (d *diagram) height(legend string) vg.Length {
	size := d.bounds().Size()
	zoom := min(float64((width-sides)/size.X), mostZoom)
	above := vg.Length(titleSize * 2.6)
	if legend != "" {
		above += captionSize * 2
	}
	return min(height, size.Y*vg.Length(zoom)+above)
}

// sides is the room left and right of a figure's drawing.
const sides = 40

// Plot draws the diagram in the middle of the canvas.
func (d *diagram) Plot(c draw.Canvas, _ *plot.Plot) {
	box := d.bounds()
	size, room := box.Size(), c.Size()
	zoom := min(float64(room.X/size.X), float64(room.Y/size.Y), mostZoom)
	z := vg.Length(zoom)
	mid := vg.Point{X: (box.Min.X + box.Max.X) / 2, Y: (box.Min.Y + box.Max.Y) / 2}
	place := func(p vg.Point) vg.Point { return c.Center().Add(p.Sub(mid).Scale(z)) }

	line := draw.LineStyle{Color: palette[0], Width: 1.2}
	for _, s := range d.strokes {
		pts := make([]vg.Point, len(s.path))
		for i, p := range s.path {
			pts[i] = place(p)
		}
		c.StrokeLines(line, pts)
		if s.arrow && len(pts) > 1 {
			c.FillPolygon(palette[0], arrowhead(pts, 6.5*z))
		}
	}
	for _, n := range d.nodes {
		at := place(n.at)
		if !n.bare {
			c.SetColor(color.NRGBA{R: 0xe8, G: 0xf1, B: 0xf8, A: 0xff})
			c.Fill(pill(at, n.w*z, n.h*z))
			c.SetLineStyle(draw.LineStyle{Color: ink, Width: 1.1})
			c.Stroke(pill(at, n.w*z, n.h*z))
		}
		layout(n.name, nodeSize*zoom, true).draw(&c, at)
	}
	for _, t := range d.texts {
		l, at := layout(t.text, captionSize*zoom, t.script), place(t.at)
		half := vg.Point{X: l.w/2 + 1, Y: l.h/2 - 1}
		r := vg.Rectangle{Min: at.Sub(half), Max: at.Add(half)}
		c.SetColor(color.White)
		c.Fill(r.Path())
		l.draw(&c, at)
	}
}

// bounds returns the rectangle that holds all of d, never an empty one.
func (d *diagram) bounds() vg.Rectangle {
	inf := vg.Length(math.Inf(1))
	b := vg.Rectangle{Min: vg.Point{X: inf, Y: inf}, Max: vg.Point{X: -inf, Y: -inf}}
	hold := func(p vg.Point, w, h vg.Length) {
		b.Min.X, b.Min.Y = min(b.Min.X, p.X-w/2), min(b.Min.Y, p.Y-h/2)
		b.Max.X, b.Max.Y = max(b.Max.X, p.X+w/2), max(b.Max.Y, p.Y+h/2)
	}
	for _, s := range d.strokes {
		for _, p := range s.path {
			hold(p, 4, 4)
		}
	}
	for _, n := range d.nodes {
		hold(n.at, n.w+2, n.h+2)
	}
	for _, t := range d.texts {
		l := layout(t.text, captionSize, t.script)
		hold(t.at, l.w, l.h)
	}
	if !(b.Max.X > b.Min.X) {
		return vg.Rectangle{Max: vg.Point{X: 1, Y: 1}}
	}
	return b
}

// arrowhead returns the arrowhead at the end of a path.
func arrowhead(pts []vg.Point, size vg.Length) []vg.Point {
	tip := pts[len(pts)-1]
	back := pts[len(pts)-2]
	for i := len(pts) - 2; i >= 0 && distance(tip, back) < size; i-- {
		back = pts[i]
	}
	u := unitVector(back, tip)
	n := vg.Point{X: -u.Y, Y: u.X}
	foot := tip.Sub(u.Scale(size))
	return []vg.Point{tip, foot.Add(n.Scale(size * 0.4)), foot.Sub(n.Scale(size * 0.4))}
}

// pill returns the outline of a node.
func pill(at vg.Point, w, h vg.Length) vg.Path {
	r, side := h/2, max(0, (w-h)/2)
	var p vg.Path
	p.Move(at.Add(vg.Point{X: side, Y: -r}))
	p.Arc(at.Add(vg.Point{X: side}), r, -math.Pi/2, math.Pi)
	p.Arc(at.Sub(vg.Point{X: side}), r, math.Pi/2, math.Pi)
	p.Close()
	return p
}

func distance(a, b vg.Point) vg.Length {
	return vg.Length(math.Hypot(float64(b.X-a.X), float64(b.Y-a.Y)))
}

// unitVector returns the direction from a to b.
func unitVector(a, b vg.Point) vg.Point {
	l := distance(a, b)
	if l == 0 {
		return vg.Point{X: 1}
	}
	return b.Sub(a).Scale(1 / l)
}

// toward returns the direction of an angle, in degrees from the right, to the left.
func toward(degrees float64) vg.Point {
	s, c := math.Sincos(degrees * math.Pi / 180)
	return vg.Point{X: vg.Length(c), Y: vg.Length(s)}
}

// setting is a text cut into pieces of one height each.
type setting struct {
	w, h   vg.Length
	pieces []piece
}

type piece struct {
	text  string
	style draw.TextStyle
	at    vg.Point // of its lower left, from the middle of the whole
	cross bool     // a ⊗, which the font lacks
}

// layout sets a text, which may have several lines. With script, _ and ^ lower and
// raise the character behind them, or those in braces: h_{t-1}, x^2.
func layout(text string, size float64, script bool) setting {
	var s setting
	lines := strings.Split(text, "\n")
	s.h = vg.Length(size * 1.25 * float64(len(lines)))
	for i, line := range lines {
		from, x := len(s.pieces), vg.Length(0)
		base := s.h/2 - vg.Length(size*(1.25*float64(i)+0.97))
		for _, p := range cutScripts(line, script) {
			part := p.size * size
			p.style = captionStyle(part)
			p.at = vg.Point{X: x, Y: base + p.at.Y*vg.Length(size)}
			w := vg.Length(0.85 * part)
			if !p.cross {
				w = p.style.Width(p.text)
			}
			x += w
			s.pieces = append(s.pieces, p.piece)
		}
		for j := from; j < len(s.pieces); j++ {
			s.pieces[j].at.X -= x / 2
		}
		s.w = max(s.w, x)
	}
	return s
}

type sized struct {
	piece
	size float64
}

// cutScripts cuts a line at its scripts and at every ⊗.
func cutScripts(line string, script bool) []sized {
	var out []sized
	add := func(text string, size float64, rise vg.Length) {
		for i, t := range strings.Split(text, "⊗") {
			if i > 0 {
				out = append(out, sized{piece{cross: true, at: vg.Point{Y: rise}}, size})
			}
			if t != "" {
				out = append(out, sized{piece{text: t, at: vg.Point{Y: rise}}, size})
			}
		}
	}
	for script {
		i := strings.IndexAny(line, "_^")
		if i < 0 || i == len(line)-1 {
			break
		}
		add(line[:i], 1, 0)
		rise := vg.Length(-0.22)
		if line[i] == '^' {
			rise = 0.38
		}
		line = line[i+1:]
		if end := strings.IndexByte(line, '}'); line[0] == '{' && end > 0 {
			add(line[1:end], 0.72, rise)
			line = line[end+1:]
			continue
		}
		r := []rune(line)
		add(string(r[:1]), 0.72, rise)
		line = string(r[1:])
	}
	add(line, 1, 0)
	return out
}

func captionStyle(size float64) draw.TextStyle {
	return draw.TextStyle{
		Color:   ink,
		Font:    font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(size)},
		Handler: newLetters(),
		YAlign:  draw.YBottom,
	}
}

func (s setting) draw(c *draw.Canvas, at vg.Point) {
	for _, p := range s.pieces {
		if !p.cross {
			c.SetColor(ink)
			c.FillString(font.DefaultCache.Lookup(p.style.Font, p.style.Font.Size), at.Add(p.at), p.text)
			continue
		}
		size := p.style.Font.Size
		r := size * 0.32
		mid := at.Add(p.at).Add(vg.Point{X: size * 0.425, Y: size * 0.34})
		c.SetLineStyle(draw.LineStyle{Color: ink, Width: size / 13})
		var ring vg.Path
		ring.Move(mid.Add(vg.Point{X: r}))
		ring.Arc(mid, r, 0, 2*math.Pi)
		ring.Close()
		c.Stroke(ring)
		for _, a := range []float64{45, 135} {
			u := toward(a).Scale(r)
			c.StrokeLine2(draw.LineStyle{Color: ink, Width: size / 13}, mid.X-u.X, mid.Y-u.Y, mid.X+u.X, mid.Y+u.Y)
		}
	}
}

// lacking returns the first character of a text that the font cannot draw.
func lacking(text string) (r rune, ok bool) {
	face := font.DefaultCache.Lookup(captionStyle(captionSize).Font, captionSize)
	var b sfnt.Buffer
	for _, r := range text {
		if i, err := face.Face.GlyphIndex(&b, r); r != '⊗' && r != '\n' && (err != nil || i == 0) {
			return r, true
		}
	}
	return 0, false
}
