package plotting

import (
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

// Band is an interval for each value of a forecast: the limits that twornn.Intervals
// give. NaN and infinite limits leave a gap.
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
	return overTime(title, yLabel, times, &band, lines, forecastStyle)
}

// ribbon returns what is drawn of a band. It errs if a lower limit lies above its upper one.
func (b *Band) ribbon(x []float64) (ribbon, error) {
	for i, low := range b.Low {
		if high := b.High[i]; finite(low) && finite(high) && low > high {
			return nil, fmt.Errorf("plotting: band %q: value %d has a lower limit of %.6g and an upper one of %.6g", b.Name, i+1, low, high)
		}
	}
	return stretches(x, b.Low, b.High), nil
}

// stretch is a part of a band without a gap.
type stretch struct{ low, high plotter.XYs }

// stretches returns the parts of a band where both limits are finite. A long one is
// thinned to the lowest and highest limit of each run, as wide as the run, at some
// maxPoints points in all; it covers whatever the band covers.
func stretches(x, low, high []float64) []stretch {
	var out []stretch
	gap := true
	buckets(x, maxPoints, func(from, to int) {
		first, last := -1, -1
		lo, hi := math.Inf(1), math.Inf(-1)
		for j := from; j < to; j++ {
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
			return
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
	})
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
