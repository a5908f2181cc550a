package plotting

import (
	"errors"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// SingularValues draws singular values on a logarithmic axis against their number.
// Zeros, which such an axis cannot hold, are drawn hollow at its foot. It errs if
// there are none, or one is negative or not finite.
func SingularValues(s []float64) (*plot.Plot, error) {
	if len(s) == 0 {
		return nil, errors.New("plotting: there are no singular values to draw")
	}
	if err := drawable("singular values", s); err != nil {
		return nil, err
	}
	least, most := math.Inf(1), 0.0
	for i, v := range s {
		if !finite(v) || v < 0 {
			return nil, fmt.Errorf("plotting: singular value %d is %v", i+1, v)
		}
		if most = max(most, v); v > 0 {
			least = min(least, v)
		}
	}
	if most == 0 {
		least, most = 1, 1
	}
	floor := math.Pow(10, math.Floor(math.Log10(least)-0.1))
	var up, zero plotter.XYs
	for i, v := range s {
		at := plotter.XY{X: float64(i + 1), Y: v}
		if v == 0 {
			at.Y = floor
			zero = append(zero, at)
		} else {
			up = append(up, at)
		}
	}
	p := newPlot("Singular values of the Hankel block", "number", "singular value")
	if len(up) > 0 {
		line, points, err := plotter.NewLinePoints(up)
		if err != nil {
			return nil, err
		}
		line.LineStyle, points.GlyphStyle = lineStyle(0), glyphStyle(0)
		p.Add(line, points)
	}
	if len(zero) > 0 {
		points, err := plotter.NewScatter(zero)
		if err != nil {
			return nil, err
		}
		points.GlyphStyle = glyphStyle(1)
		points.Shape = draw.RingGlyph{}
		p.Add(points)
		p.Legend.Add(fmt.Sprintf("%d are zero", len(zero)), points)
	}
	logAxis(&p.Y, floor, most)
	p.X.Min, p.X.Max = 0.5, float64(len(s))+0.5
	p.X.Tick.Marker = counts{}
	return p, nil
}

// logAxis makes a logarithmic axis that spans whole decades around the range, at
// most twelve labels of them.
func logAxis(a *plot.Axis, low, high float64) {
	a.Min = math.Pow(10, math.Floor(math.Log10(low)))
	a.Max = math.Pow(10, math.Ceil(math.Log10(high)+1e-9))
	a.Scale = plot.LogScale{}
	a.Tick.Marker = decades{}
}

// decades marks the powers of ten, and the digits between where there are few.
type decades struct{}

func (decades) Ticks(low, high float64) []plot.Tick {
	from, to := int(math.Round(math.Log10(low))), int(math.Round(math.Log10(high)))
	every := max(1, (to-from+7)/8)
	var ticks []plot.Tick
	for e := from; e <= to; e++ {
		t := plot.Tick{Value: math.Pow(10, float64(e))}
		if (e-from)%every == 0 {
			t.Label = power(e)
		}
		ticks = append(ticks, t)
		if to-from <= 3 && e < to {
			for d := 2.0; d < 10; d++ {
				minor := plot.Tick{Value: d * t.Value}
				if to-from <= 1 && (d == 2 || d == 5) {
					minor.Label = fmt.Sprintf("%.3g", minor.Value)
				}
				ticks = append(ticks, minor)
			}
		}
	}
	return ticks
}

// power prints 10^e: plainly near one, as 1e-7 elsewhere. The fonts have no raised
// minus sign, so a raised exponent would lose it without a word.
func power(e int) string {
	if e >= -3 && e <= 3 {
		return fmt.Sprintf("%.4g", math.Pow(10, float64(e)))
	}
	return fmt.Sprintf("1e%d", e)
}

// round marks round numbers, some five of them.
type round struct{}

func (round) Ticks(low, high float64) []plot.Tick {
	step := math.Pow(10, math.Floor(math.Log10((high-low)/5)))
	for _, f := range []float64{2, 2.5, 2} { // 2, 5, 10 times the power of ten
		if (high-low)/step > 7 {
			step *= f
		}
	}
	// So narrow a range that its numbers hardly differ: mark the ends alone.
	if !(step > 1e-9*max(math.Abs(low), math.Abs(high))) {
		return []plot.Tick{{Value: low, Label: fmt.Sprint(low)}, {Value: high, Label: fmt.Sprint(high)}}
	}
	var ticks []plot.Tick
	for k := math.Ceil(low / step); k*step <= high && len(ticks) < 20; k++ {
		ticks = append(ticks, plot.Tick{Value: k * step, Label: fmt.Sprintf("%.10g", k*step)})
	}
	return ticks
}

// counts marks whole numbers.
type counts struct{}

func (counts) Ticks(low, high float64) []plot.Tick {
	n := math.Floor(high)
	every := max(1, math.Ceil(n/12))
	var ticks []plot.Tick
	for i := 1.0; i <= n; i++ {
		if i == 1 || math.Mod(i, every) == 0 {
			ticks = append(ticks, plot.Tick{Value: i, Label: fmt.Sprint(i)})
		}
	}
	return ticks
}

// Line is one line of a figure. NaN and infinite values leave a gap.
type Line struct {
	Name string
	Y    []float64
}

// maxPoints bounds the points of a line that is drawn; a longer one is drawn by the
// lowest and highest value of each run, which looks the same.
const maxPoints = 2000

// TimeSeries draws lines over time, all alike. times gives the time of each value,
// nil numbers them from 1. The y label should name quantity and unit. A line with
// values that are not finite is drawn with gaps and its legend counts them. It errs
// if there is no line, the lengths differ, nothing is finite, or a value is too large
// for an axis.
func TimeSeries(title, yLabel string, times []time.Time, lines ...Line) (*plot.Plot, error) {
	return overTime(title, yLabel, times, lines, lineStyle)
}

// Forecast is TimeSeries for a truth, which comes first and is drawn in black, and
// forecasts of it.
func Forecast(title, yLabel string, times []time.Time, lines ...Line) (*plot.Plot, error) {
	return overTime(title, yLabel, times, lines, func(i int) draw.LineStyle {
		if i == 0 {
			return draw.LineStyle{Color: ink, Width: 1.9}
		}
		return lineStyle(i - 1)
	})
}

func overTime(title, yLabel string, times []time.Time, lines []Line, style func(i int) draw.LineStyle) (*plot.Plot, error) {
	if len(lines) == 0 || len(lines[0].Y) == 0 {
		return nil, errors.New("plotting: there is nothing to draw")
	}
	n := len(lines[0].Y)
	if times != nil && len(times) != n {
		return nil, fmt.Errorf("plotting: %d times for %d values", len(times), n)
	}
	x := make([]float64, n)
	for i := range x {
		if x[i] = float64(i + 1); times != nil {
			x[i] = float64(times[i].Unix())
		}
	}
	p := newPlot(title, "step", yLabel)
	if times != nil {
		p.X.Label.Text = ""
		p.X.Tick.Marker = dates{}
	}
	drawn := 0
	low, high := math.Inf(1), math.Inf(-1)
	for i, l := range lines {
		if len(l.Y) != n {
			return nil, fmt.Errorf("plotting: line %q has %d values, %q has %d", l.Name, len(l.Y), lines[0].Name, n)
		}
		if err := drawable(l.Name, l.Y); err != nil {
			return nil, err
		}
		style := style(i)
		gaps := 0
		for _, v := range l.Y {
			if !finite(v) {
				gaps++
				continue
			}
			low, high = min(low, v), max(high, v)
		}
		drawn += n - gaps
		for _, run := range runs(x, l.Y) {
			line, err := plotter.NewLine(run)
			if err != nil {
				return nil, err
			}
			line.LineStyle = style
			p.Add(line)
			if len(run) == 1 {
				dot, err := plotter.NewScatter(run)
				if err != nil {
					return nil, err
				}
				dot.GlyphStyle = draw.GlyphStyle{Color: style.Color, Radius: 2, Shape: draw.CircleGlyph{}}
				p.Add(dot)
			}
		}
		name := l.Name
		if gaps > 0 {
			name += fmt.Sprintf(" (%d values missing)", gaps)
		}
		p.Legend.Add(name, thumbnail(style))
	}
	if drawn == 0 {
		return nil, errors.New("plotting: no value is finite")
	}
	// Room above the lines, so that the legend lies on none.
	span := high - low
	if span == 0 {
		span = max(1, math.Abs(high)) // a constant line lies in the middle
		low -= span / 2
	}
	p.Y.Tick.Marker = round{}
	p.Y.Min, p.Y.Max = low-0.03*span, high+(0.08+0.09*float64(len(lines)))*span
	return p, nil
}

// thumbnail draws a line's style in the legend.
type thumbnail draw.LineStyle

func (t thumbnail) Thumbnail(c *draw.Canvas) {
	y := c.Center().Y
	c.StrokeLine2(draw.LineStyle(t), c.Min.X, y, c.Max.X, y)
}

// runs returns the stretches of finite values, thinned to maxPoints in all.
func runs(x, y []float64) []plotter.XYs {
	every := 1
	if len(y) > maxPoints {
		every = (2*len(y) + maxPoints - 1) / maxPoints
	}
	var out []plotter.XYs
	for i := 0; i < len(y); {
		if !finite(y[i]) {
			i++
			continue
		}
		var run plotter.XYs
		for i < len(y) && finite(y[i]) {
			lo, hi := i, i
			j := i
			for ; j < len(y) && j < i+every && finite(y[j]); j++ {
				if y[j] < y[lo] {
					lo = j
				}
				if y[j] > y[hi] {
					hi = j
				}
			}
			for _, k := range []int{min(lo, hi), max(lo, hi)} {
				if n := len(run); n == 0 || run[n-1].X != x[k] {
					run = append(run, plotter.XY{X: x[k], Y: y[k]})
				}
			}
			i = j
		}
		out = append(out, run)
	}
	return out
}

// dates marks a time axis at the first of years, months or days, whatever gives
// between three and ten marks.
type dates struct{}

func (dates) Ticks(low, high float64) []plot.Tick {
	from, to := time.Unix(int64(low), 0).UTC(), time.Unix(int64(high), 0).UTC()
	year, month, day := from.Date()
	start := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	days := high/86400 - low/86400
	var next func(t time.Time) time.Time
	layout := "2 Jan 2006"
	months := func(m int) func(time.Time) time.Time {
		return func(t time.Time) time.Time { return t.AddDate(0, m, 0) }
	}
	switch {
	case days < 3:
		hours := max(1, int(days*24/8))
		next, layout = func(t time.Time) time.Time { return t.Add(time.Duration(hours) * time.Hour) }, "2 Jan 15:04"
	case days < 90:
		step := max(1, int(days/7))
		next = func(t time.Time) time.Time { return t.AddDate(0, 0, step) }
	case days < 3*365:
		start = time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
		next, layout = months(max(1, int(days/30/8))), "Jan 2006"
	default:
		start = time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		next, layout = months(12*max(1, int(days/365/8))), "2006"
	}
	var ticks []plot.Tick
	for t := start; !t.After(to) && len(ticks) < 100; t = next(t) {
		if !t.Before(from) {
			ticks = append(ticks, plot.Tick{Value: float64(t.Unix()), Label: t.Format(layout)})
		}
	}
	return ticks
}
