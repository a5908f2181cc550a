package plotting

import (
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// maxValues bounds the singular values that are drawn: points beyond it would touch.
const maxValues = 200

// SingularValues draws singular values on a logarithmic axis, one a state. Zeros,
// which such an axis cannot hold, are drawn hollow at its foot. The title is for a Hankel
// block; for another matrix set Title.Text of what is returned. Of more than 200 values
// the first 200 are drawn, and the axis says how many are not. It errs if there are
// none, or one is negative or not finite.
func SingularValues(s []float64) (*plot.Plot, error) {
	p, _, err := singularValues(s, len(s))
	return p, err
}

// SingularValuesRank is SingularValues with the first rank values, those of the states
// that a model of that rank keeps, drawn filled and the others hollow. It also errs if
// rank is negative or larger than len(s).
func SingularValuesRank(s []float64, rank int) (*plot.Plot, error) {
	if rank < 0 || rank > len(s) {
		return nil, fmt.Errorf("plotting: rank %d of %s", rank, count(len(s), "singular value"))
	}
	p, out, err := singularValues(s, rank)
	if err != nil {
		return nil, err
	}
	kept := glyphStyle(0)
	p.Legend.Add(fmt.Sprintf("%d kept", rank), &plotter.Scatter{GlyphStyle: kept})
	p.Legend.Add(fmt.Sprintf("%d left out", len(s)-rank), &plotter.Scatter{GlyphStyle: out})
	return p, nil
}

// singularValues draws s, the first rank filled, and returns the style of the others.
func singularValues(s []float64, rank int) (*plot.Plot, draw.GlyphStyle, error) {
	hollow := glyphStyle(0)
	hollow.Shape = draw.RingGlyph{}
	if len(s) == 0 {
		return nil, hollow, errors.New("plotting: there are no singular values to draw")
	}
	if err := drawable("singular values", s); err != nil {
		return nil, hollow, err
	}
	for i, v := range s {
		if !finite(v) || v < 0 {
			return nil, hollow, fmt.Errorf("plotting: singular value %d is %v", i+1, v)
		}
	}
	axis := "state"
	if more := len(s) - maxValues; more > 0 {
		axis = fmt.Sprintf("state (the first %d; %d more are not drawn)", maxValues, more)
		s = s[:maxValues]
	}
	least, most := math.Inf(1), 0.0
	for _, v := range s {
		if most = max(most, v); v > 0 {
			least = min(least, v)
		}
	}
	if most == 0 {
		least, most = 1, 1
	}
	floor := math.Pow(10, math.Floor(math.Log10(least)-0.1))
	p := newPlot("Singular values of the Hankel block", axis, "singular value")
	kept, out, zero := split(s, rank, floor)
	p.Add(&plotter.Line{XYs: slices.Concat(kept, out), LineStyle: lineStyle(0)})
	blank := glyphStyle(0) // hides the line within the rings
	blank.Color = color.White
	p.Add(&plotter.Scatter{XYs: kept, GlyphStyle: glyphStyle(0)})
	p.Add(&plotter.Scatter{XYs: out, GlyphStyle: blank}, &plotter.Scatter{XYs: out, GlyphStyle: hollow})
	if len(zero) > 0 {
		points := &plotter.Scatter{XYs: zero, GlyphStyle: glyphStyle(1)}
		points.Shape = draw.RingGlyph{}
		p.Add(points)
		p.Legend.Add(zeros(len(zero)), points)
	}
	logAxis(&p.Y, floor, most)
	p.X.Min, p.X.Max = 0.5, float64(len(s))+0.5
	p.X.Tick.Marker = counts{}
	return p, hollow, nil
}

// split returns the points of s: the positive ones among the first rank, the positive
// ones after them, and the zeros, which lie at floor.
func split(s []float64, rank int, floor float64) (kept, out, zero plotter.XYs) {
	for i, v := range s {
		at := plotter.XY{X: float64(i + 1), Y: v}
		switch {
		case v == 0:
			at.Y = floor
			zero = append(zero, at)
		case i < rank:
			kept = append(kept, at)
		default:
			out = append(out, at)
		}
	}
	return kept, out, zero
}

func zeros(n int) string {
	if n == 1 {
		return "1 is zero"
	}
	return fmt.Sprintf("%d are zero", n)
}

// count prints a number of things.
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
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
			t.Label = labelled
		}
		ticks = append(ticks, t)
		if to-from <= 3 && e < to {
			for d := 2.0; d < 10; d++ {
				minor := plot.Tick{Value: d * t.Value}
				if to-from <= 1 && (d == 2 || d == 5) {
					minor.Label = labelled
				}
				ticks = append(ticks, minor)
			}
		}
	}
	return oneStyle(ticks)
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
		return []plot.Tick{{Value: low, Label: signed(fmt.Sprint(low))}, {Value: high, Label: signed(fmt.Sprint(high))}}
	}
	var ticks []plot.Tick
	first := math.Ceil(low/step) + 0 // which makes −0 a 0
	for k := first; k*step <= high && len(ticks) < 20; k++ {
		ticks = append(ticks, plot.Tick{Value: k * step, Label: signed(fmt.Sprintf("%.10g", k*step))})
	}
	return ticks
}

// signed writes a negative number with a minus sign in place of the hyphen before it.
// Exponents stay as programs write them.
func signed(number string) string {
	if size, negative := strings.CutPrefix(number, "-"); negative {
		return "−" + size
	}
	return number
}

// counts marks whole numbers.
type counts struct{}

func (counts) Ticks(low, high float64) []plot.Tick {
	n := math.Floor(high)
	every := 1.0
	for _, e := range []float64{2, 5, 10, 20} { // SingularValues has up to 200
		if n/every > 12 {
			every = e
		}
	}
	var ticks []plot.Tick
	for i := 1.0; i <= n; i++ {
		if i == 1 || math.Mod(i, every) == 0 {
			ticks = append(ticks, plot.Tick{Value: i, Label: fmt.Sprint(i)})
		}
	}
	return ticks
}

// Line is one line of a figure. NaN and infinite values leave a gap. One of zeros and ones
// alone is drawn as steps.
type Line struct {
	Name string
	Y    []float64
}

// steps reports whether a line is one of zeros and ones, between which there is nothing.
func (l Line) steps() bool {
	return !slices.ContainsFunc(l.Y, func(y float64) bool { return finite(y) && y != 0 && y != 1 })
}

// maxPoints bounds the points of a line that is drawn; a longer one is drawn by the
// lowest and highest value of each run, which looks the same.
const maxPoints = 2000

// Where there are many lines each has fewer points, so that a figure of a thousand is drawn
// in about a second: as many as allPoints allow, and fewestPoints at the least.
const allPoints, fewestPoints = 40 * maxPoints, 40

// pointsOf returns how many points each of so many lines may have.
func pointsOf(lines int) int {
	return min(maxPoints, max(fewestPoints, allPoints/max(lines, 1)))
}

// TimeSeries draws lines over time, all alike. times gives the time of each value,
// nil numbers them from 1, by the step (X.Label.Text of what is returned may say of what).
// The y label should name quantity and unit. A line with
// values that are not finite is drawn with gaps and its legend counts them. It errs
// if there is no line, the lengths differ, nothing is finite, or a value is too large
// for an axis.
func TimeSeries(title, yLabel string, times []time.Time, lines ...Line) (*plot.Plot, error) {
	return overTime(title, yLabel, times, nil, lines, lineStyle)
}

// Forecast is TimeSeries for a truth, which comes first and is drawn in black, and
// forecasts of it.
func Forecast(title, yLabel string, times []time.Time, lines ...Line) (*plot.Plot, error) {
	return overTime(title, yLabel, times, nil, lines, forecastStyle)
}

// forecastStyle returns the style of the truth, which comes first, and the forecasts.
func forecastStyle(i int) draw.LineStyle {
	if i == 0 {
		return draw.LineStyle{Color: ink, Width: 1.9}
	}
	return lineStyle(i - 1)
}

// overTime draws lines over time, and beneath them a band unless it is nil.
func overTime(title, yLabel string, times []time.Time, band *Band, lines []Line, style func(i int) draw.LineStyle) (*plot.Plot, error) {
	if len(lines) == 0 || len(lines[0].Y) == 0 {
		return nil, errors.New("plotting: there is nothing to draw")
	}
	n := len(lines[0].Y)
	if times != nil && len(times) != n {
		return nil, fmt.Errorf("plotting: %s for %s", count(len(times), "time"), count(n, "value"))
	}
	x := positions(n, times)
	drawn := slices.Clone(lines)
	if band != nil {
		drawn = append(drawn, Line{band.Name, band.Low}, Line{band.Name, band.High})
	}
	low, high, err := span(drawn)
	if err != nil {
		return nil, err
	}
	p := newPlot(title, "step", yLabel)
	if times != nil {
		p.X.Label.Text = ""
		p.X.Tick.Marker = dates{}
	}
	var beneath ribbon
	if band != nil {
		if beneath, err = band.ribbon(x); err != nil {
			return nil, err
		}
		p.Add(beneath)
	}
	entries := addLines(p, x, lines, style)
	if band != nil {
		p.Legend.Add(missing(band.Name, gaps(band.Low, band.High)), beneath)
		entries++
	}
	// Room above the lines, so that the legend lies on none.
	size := high - low
	if size == 0 {
		size = max(1, math.Abs(high)) // a constant line lies in the middle
		low -= size / 2
	}
	p.X.Min, p.X.Max = slices.Min(x), slices.Max(x)
	p.Y.Tick.Marker = round{}
	p.Y.Min, p.Y.Max = low-0.03*size, high+(0.08+0.09*float64(entries))*size
	return p, nil
}

// positions returns where n values stand: at their times, or by number.
func positions(n int, times []time.Time) []float64 {
	x := make([]float64, n)
	for i := range x {
		if x[i] = float64(i + 1); times != nil {
			x[i] = seconds(times[i])
		}
	}
	return x
}

// addLines adds the lines with their names, and returns how many entries of the legend these are.
func addLines(p *plot.Plot, x []float64, lines []Line, style func(i int) draw.LineStyle) (entries int) {
	for i, l := range lines {
		for _, run := range thinnedRuns(x, l.Y, pointsOf(len(lines))) {
			p.Add(zigzag{run: run, style: style(i), steps: l.steps()}) // steps about the times of the values
			if len(run) == 1 {
				dot := draw.GlyphStyle{Color: style(i).Color, Radius: 2, Shape: draw.CircleGlyph{}}
				p.Add(&plotter.Scatter{XYs: run, GlyphStyle: dot})
			}
		}
		if i < mostNamed {
			p.Legend.Add(missing(l.Name, gaps(l.Y)), thumbnail(style(i)))
		}
	}
	entries = min(len(lines), mostNamed)
	if more := len(lines) - entries; more > 0 {
		p.Legend.Add(fmt.Sprintf("and %d more", more))
		entries++
	}
	return entries
}

// span returns the least and largest finite value. It errs if the lines cannot be drawn
// over one axis.
func span(lines []Line) (low, high float64, err error) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, l := range lines {
		if n := len(lines[0].Y); len(l.Y) != n {
			return 0, 0, fmt.Errorf("plotting: line %q has %s, %q has %d", l.Name, count(len(l.Y), "value"), lines[0].Name, n)
		}
		if err := drawable(l.Name, l.Y); err != nil {
			return 0, 0, err
		}
		for _, v := range l.Y {
			if finite(v) {
				low, high = min(low, v), max(high, v)
			}
		}
	}
	if low > high {
		return 0, 0, errors.New("plotting: no value is finite")
	}
	return low, high, nil
}

// gaps counts the values that are not finite in any of the lines.
func gaps(lines ...[]float64) int {
	n := 0
	for i := range lines[0] {
		if slices.ContainsFunc(lines, func(y []float64) bool { return !finite(y[i]) }) {
			n++
		}
	}
	return n
}

// missing is the name of a line in the legend.
func missing(name string, gaps int) string {
	if gaps == 0 {
		return name
	}
	return fmt.Sprintf("%s (%s missing)", name, count(gaps, "value"))
}

// thumbnail draws a line's style in the legend.
type thumbnail draw.LineStyle

func (t thumbnail) Thumbnail(c *draw.Canvas) {
	y := c.Center().Y
	c.StrokeLine2(draw.LineStyle(t), c.Min.X, y, c.Max.X, y)
}

// mostNamed is the number of lines that the legend of a series names: it stands above them,
// and must leave them room.
const mostNamed = 12

// runs returns the stretches of finite values, thinned to maxPoints in all.
func runs(x, y []float64) []plotter.XYs { return thinnedRuns(x, y, maxPoints) }

// thinnedRuns returns the stretches of finite values, thinned to most points in all, the
// lowest and the highest of each part. A gap within the values that one point stands for,
// less than the width of a line, is not kept.
func thinnedRuns(x, y []float64, most int) []plotter.XYs {
	var out []plotter.XYs
	gap := true
	buckets(x, most, func(from, to int) {
		lo, hi := -1, -1
		for j := from; j < to; j++ {
			if !finite(y[j]) {
				continue
			}
			if lo < 0 || y[j] < y[lo] {
				lo = j
			}
			if hi < 0 || y[j] > y[hi] {
				hi = j
			}
		}
		if lo < 0 {
			gap = true
			return
		}
		if gap {
			out = append(out, nil)
			gap = false
		}
		run := &out[len(out)-1]
		*run = append(*run, plotter.XY{X: x[min(lo, hi)], Y: y[min(lo, hi)]})
		if lo != hi {
			*run = append(*run, plotter.XY{X: x[max(lo, hi)], Y: y[max(lo, hi)]})
		}
	})
	return out
}

// buckets calls each with the parts of x that a point or two of a figure stand for: single values, or
// where there are more than most parts of the axis, alike in length whatever the distances of the
// values, or alike in number if x does not ascend.
func buckets(x []float64, most int, each func(from, to int)) {
	n := len(x)
	if n > most && slices.IsSorted(x) && x[0] < x[n-1] {
		// A little beyond the last, which else had a part of its own.
		f := frame{left: x[0], right: x[n-1] + (x[n-1]-x[0])/float64(n), most: most}
		f.groups(x, each)
		return
	}
	every := 1
	if n > most {
		every = (2*n + most - 1) / most
	}
	for i := 0; i < n; i += every {
		each(i, min(i+every, n))
	}
}
