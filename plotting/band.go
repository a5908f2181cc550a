package plotting

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Band is an interval for each value of a forecast: the limits that a
// twornn.Conformal gives. NaN and infinite limits leave a gap.
type Band struct {
	Name      string
	Low, High []float64
}

// ForecastBand is Forecast with a band, in the colour of the first forecast, beneath the
// lines:
//
//	plotting.ForecastBand("Wind at Dublin", "wind speed, knots", times,
//		plotting.Band{Name: "90% interval", Low: low, High: high},
//		plotting.Line{Name: "measured", Y: y},
//		plotting.Line{Name: "linear 2-RNN", Y: hat})
//
// It errs as TimeSeries does, and if a lower limit lies above its upper one.
func ForecastBand(title, yLabel string, times []time.Time, band Band, lines ...Line) (*plot.Plot, error) {
	if len(lines) == 0 {
		return nil, errors.New("plotting: there is nothing to draw")
	}
	style := func(i int) draw.LineStyle {
		if i == 0 {
			return draw.LineStyle{Color: ink, Width: 1.9}
		}
		return lineStyle(i - 1)
	}
	// The limits go in as two more lines for the checks and the axes alone: the band must
	// be drawn before the lines.
	limits := []Line{{band.Name, band.Low}, {band.Name, band.High}}
	axes, err := overTime(title, yLabel, times, slices.Concat(lines, limits), style)
	if err != nil {
		return nil, err
	}
	n := len(band.Low)
	x, gaps := make([]float64, n), 0
	for i, low := range band.Low {
		if x[i] = float64(i + 1); times != nil {
			x[i] = float64(times[i].Unix())
		}
		switch high := band.High[i]; {
		case !finite(low) || !finite(high):
			gaps++
		case low > high:
			return nil, fmt.Errorf("plotting: band %q: value %d has a lower limit of %.6g and an upper one of %.6g", band.Name, i+1, low, high)
		}
	}
	p := newPlot(title, "", yLabel)
	p.X, p.Y = axes.X, axes.Y
	b := ribbon(stretches(x, band.Low, band.High))
	p.Add(b)
	for i, l := range lines {
		missed := 0
		for _, v := range l.Y {
			if !finite(v) {
				missed++
			}
		}
		for _, run := range runs(x, l.Y) {
			p.Add(&plotter.Line{XYs: run, LineStyle: style(i)})
			if len(run) == 1 {
				dot := draw.GlyphStyle{Color: style(i).Color, Radius: 2, Shape: draw.CircleGlyph{}}
				p.Add(&plotter.Scatter{XYs: run, GlyphStyle: dot})
			}
		}
		p.Legend.Add(missing(l.Name, missed), thumbnail(style(i)))
	}
	p.Legend.Add(missing(band.Name, gaps), b)
	return p, nil
}

// stretch is a part of a band without a gap.
type stretch struct{ low, high plotter.XYs }

// stretches returns the parts of a band where both limits are finite. A long one is
// thinned to the lowest and highest limit of each run, as wide as the run, at some
// maxPoints points in all; it covers whatever the band covers.
func stretches(x, low, high []float64) []stretch {
	every := 1
	if len(x) > maxPoints {
		every = (2*len(x) + maxPoints - 1) / maxPoints
	}
	var out []stretch
	gap := true
	for i := 0; i < len(x); i += every {
		first, last := -1, -1
		lo, hi := math.Inf(1), math.Inf(-1)
		for j := i; j < min(i+every, len(x)); j++ {
			if !finite(low[j]) || !finite(high[j]) {
				continue
			}
			if last = j; first < 0 {
				first = j
			}
			lo, hi = min(lo, low[j]), max(hi, high[j])
		}
		if first < 0 {
			gap = true
			continue
		}
		if gap {
			out = append(out, stretch{})
			gap = false
		}
		s := &out[len(out)-1]
		s.low = append(s.low, plotter.XY{X: x[first], Y: lo})
		s.high = append(s.high, plotter.XY{X: x[first], Y: hi})
		if last != first {
			s.low = append(s.low, plotter.XY{X: x[last], Y: lo})
			s.high = append(s.high, plotter.XY{X: x[last], Y: hi})
		}
	}
	return out
}

// ribbon draws a band: a light fill through which the grid shows, and thin edges, which
// print in grey keeps. A stretch of one value is a bar.
type ribbon []stretch

const fillAlpha = 0x34

// translucent is the colour of the first forecast, the paler the smaller alpha.
func translucent(alpha uint8) color.Color {
	c := palette[0].(color.NRGBA)
	c.A = alpha
	return c
}

func ribbonEdge() draw.LineStyle { return draw.LineStyle{Color: translucent(0x90), Width: 0.7} }

func (r ribbon) Plot(c draw.Canvas, p *plot.Plot) {
	toX, toY := p.Transforms(&c)
	points := func(xys plotter.XYs) []vg.Point {
		out := make([]vg.Point, len(xys))
		for i, v := range xys {
			out[i] = vg.Point{X: toX(v.X), Y: toY(v.Y)}
		}
		return out
	}
	for _, s := range r {
		low, high := points(s.low), points(s.high)
		if len(low) == 1 {
			at, half := low[0].X, vg.Length(2.5)
			low = []vg.Point{{X: at - half, Y: low[0].Y}, {X: at + half, Y: low[0].Y}}
			high = []vg.Point{{X: at - half, Y: high[0].Y}, {X: at + half, Y: high[0].Y}}
		}
		c.StrokeLines(ribbonEdge(), low, high)
		slices.Reverse(high)
		c.FillPolygon(translucent(fillAlpha), append(low, high...))
	}
}

// Thumbnail draws a piece of band in the legend.
func (r ribbon) Thumbnail(c *draw.Canvas) {
	a, b := c.Min, c.Max
	c.FillPolygon(translucent(fillAlpha), []vg.Point{a, {X: b.X, Y: a.Y}, b, {X: a.X, Y: b.Y}})
	c.StrokeLine2(ribbonEdge(), a.X, a.Y, b.X, a.Y)
	c.StrokeLine2(ribbonEdge(), a.X, b.Y, b.X, b.Y)
}
