package plotting

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// Curve is one curve of a figure: Y against X, and a band from Low to High about it,
// or none where both are nil. The points are joined in the order of X. Points that an
// axis cannot hold leave a gap, which the legend counts. Of more than 2,000 points, or fewer
// where there are more than 40 curves, the lowest and highest of each part of the axis are drawn.
type Curve struct {
	Name      string
	X, Y      []float64
	Low, High []float64
}

// Add appends a point.
func (c *Curve) Add(x, y float64) { c.X, c.Y = append(c.X, x), append(c.Y, y) }

// AddMedian appends the median of values at x, and their quartiles as the limits of the
// band; between two values it interpolates linearly. It does nothing if there are no
// values, as of a run that was interrupted. It sorts values.
func (c *Curve) AddMedian(x float64, values []float64) {
	if len(values) == 0 {
		return
	}
	slices.Sort(values)
	at := func(share float64) float64 {
		whole, part := math.Modf(share * float64(len(values)-1))
		v := values[int(whole)]
		if part > 0 {
			v += part * (values[int(whole)+1] - v)
		}
		return v
	}
	c.Add(x, at(0.5))
	c.Low, c.High = append(c.Low, at(0.25)), append(c.High, at(0.75))
}

// Errors draws curves over two logarithmic axes, as an error against the number of
// examples or a time against a size:
//
//	plotting.Errors("Addition, noise 0.1", "examples N", "mean squared error",
//		plotting.Curve{Name: "TIHT", X: n, Y: median, Low: q1, High: q3},
//		plotting.Curve{Name: "nuclear norm", X: n, Y: other})
//
// Values that are zero, negative or not finite leave gaps, which the legend counts. A
// band that reaches to zero or below, or more than a decade below the least value of
// all curves, is cut at the foot of the figure.
//
// Errors returns an error if no point can be drawn, if the lengths within a curve
// differ, if it has one limit of a band without the other or a lower one above its
// upper one, or if a value is beyond 1e300.
func Errors(title, xLabel, yLabel string, curves ...Curve) (*plot.Plot, error) {
	return drawCurves(title, xLabel, yLabel, "curve", curves, frame{logX: true, logY: true})
}

// Curves draws curves over two linear axes. Values that are not finite leave gaps,
// which the legend counts. It errs as Errors does.
func Curves(title, xLabel, yLabel string, curves ...Curve) (*plot.Plot, error) {
	return drawCurves(title, xLabel, yLabel, "curve", curves, frame{})
}

// ByCount draws curves against whole numbers that are counted one by one, such as a length
// or a rank: a linear axis, marked at whole numbers, and a logarithmic one. What cannot be
// drawn, and when it errs, is as with Errors.
func ByCount(title, xLabel, yLabel string, curves ...Curve) (*plot.Plot, error) {
	return drawCurves(title, xLabel, yLabel, "curve", curves, frame{logY: true, ticksX: whole{}})
}

// drawCurves draws the curves, which errors call by what they are.
func drawCurves(title, xLabel, yLabel, what string, curves []Curve, f frame) (*plot.Plot, error) {
	shown := make([]shownCurve, len(curves))
	empty := true
	for i, c := range curves {
		name := c.Name
		if name == "" {
			name = fmt.Sprintf("%s %d", what, i+1)
		}
		if err := c.check(fmt.Sprintf("%s %q", what, name)); err != nil {
			return nil, err
		}
		if len(curves) > 1 {
			c.Name = name
		}
		shown[i] = shownCurve{Curve: c.sorted(), style: curveStyle(i), glyph: curveGlyph(i)}
		empty = empty && len(c.Y) == 0
	}
	if empty {
		return nil, errors.New("plotting: there is nothing to draw")
	}
	if !f.span(shown) {
		if f.logX || f.logY {
			return nil, fmt.Errorf("plotting: no point of the %ss is finite and positive, as a logarithmic axis needs", what)
		}
		return nil, errors.New("plotting: no value is finite")
	}
	f.most = pointsOf(len(shown))
	for i := range shown {
		s := &shown[i]
		s.runs, s.band = f.thin(s.Curve)
		s.marks = f.marks(s.runs, i, len(shown))
	}
	p := newPlot(title, xLabel, yLabel)
	f.setAxes(p)
	f.add(p, shown)
	return p, nil
}

// add adds bands, lines, marks and the key.
func (f *frame) add(p *plot.Plot, shown []shownCurve) {
	bands := 0
	for _, s := range shown {
		if len(s.band) > 0 {
			bands++
		}
	}
	for _, s := range shown { // beneath all lines
		if len(s.band) > 0 {
			p.Add(tint{s.band, s.style.Color, bands <= 3})
		}
	}
	k := newKey(p)
	for _, s := range shown {
		for _, run := range s.runs {
			p.Add(zigzag{run: run, style: s.style})
		}
		k.taken(s.runs, s.band)
	}
	for _, s := range shown { // on top of all lines
		p.Add(&plotter.Scatter{XYs: s.marks, GlyphStyle: s.glyph})
		t := sample{line: s.style, glyph: s.glyph}
		if len(s.band) > 0 {
			t.tint = s.style.Color
		}
		if name := f.label(s.Curve); name != "" {
			k.add(name, t)
		}
	}
	k.place(p)
}

// shownCurve is a curve and what is drawn of it.
type shownCurve struct {
	Curve
	style draw.LineStyle
	glyph draw.GlyphStyle
	runs  []plotter.XYs
	band  []stretch
	marks plotter.XYs
}

// check returns an error if the curve is no curve.
func (c Curve) check(what string) error {
	n := len(c.Y)
	if len(c.X) != n {
		return fmt.Errorf("plotting: %s has %s of X and %d of Y", what, count(len(c.X), "value"), n)
	}
	if (c.Low == nil) != (c.High == nil) {
		return fmt.Errorf("plotting: %s has one limit of a band without the other", what)
	}
	if c.Low != nil && (len(c.Low) != n || len(c.High) != n) {
		return fmt.Errorf("plotting: %s has %s and a band of %d lower and %d upper limits", what, count(n, "value"), len(c.Low), len(c.High))
	}
	for i, low := range c.Low {
		if high := c.High[i]; finite(low) && finite(high) && low > high {
			return fmt.Errorf("plotting: %s: value %d has a lower limit of %.6g and an upper one of %.6g", what, i+1, low, high)
		}
	}
	for _, v := range [][]float64{c.X, c.Y, c.Low, c.High} {
		if err := drawable(what, v); err != nil {
			return err
		}
	}
	return nil
}

// sorted returns the curve in the order of X, without the points that have none. A
// curve that is in order is returned as it is.
func (c Curve) sorted() Curve {
	last, ordered := math.Inf(-1), true
	for _, x := range c.X {
		if finite(x) {
			ordered = ordered && x >= last
			last = x
		}
	}
	if ordered {
		return c
	}
	at := make([]int, len(c.X))
	for i := range at {
		at[i] = i
	}
	// NaN comes first, so do not rely on where an infinite X falls.
	slices.SortStableFunc(at, func(i, j int) int {
		switch a, b := c.X[i], c.X[j]; {
		case a < b || math.IsNaN(a) && !math.IsNaN(b):
			return -1
		case a > b || math.IsNaN(b) && !math.IsNaN(a):
			return 1
		}
		return 0
	})
	take := func(v []float64) []float64 {
		if v == nil {
			return nil
		}
		out := make([]float64, len(at))
		for k, i := range at {
			out[k] = v[i]
		}
		return out
	}
	return Curve{c.Name, take(c.X), take(c.Y), take(c.Low), take(c.High)}
}

// tint draws a band as a pale fill, with thin edges if there are few bands.
type tint struct {
	band  []stretch
	color color.Color
	edges bool
}

func (t tint) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	for _, s := range t.band {
		var low, high = toPoints(s.low, toX, toY), toPoints(s.high, toX, toY)
		if len(low) == 1 { // a bar
			low, high = widened(low[0]), widened(high[0])
		}
		if t.edges {
			edge := draw.LineStyle{Color: faded(t.color, 0x80), Width: 0.6}
			c.StrokeLines(edge, low, high)
		}
		slices.Reverse(high)
		c.FillPolygon(faded(t.color, bandAlpha), append(low, high...))
	}
}

// bandAlpha lets the grid and the bands beneath show through.
const bandAlpha = 0x2a

// faded returns a colour of the given alpha.
func faded(c color.Color, alpha uint8) color.Color {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	n.A = alpha
	return n
}
