package plotting

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// frame is the range of two axes, each linear or logarithmic.
type frame struct {
	logX, logY             bool
	left, right, foot, top float64
	ticksX                 plot.Ticker // nil: by the scale
	wholeX                 bool        // the range is that of all X, drawn or not
	most                   int         // points of a curve; 0: maxPoints
}

// holds reports whether an axis can hold a value. A logarithmic one takes what is so
// small that it may be the rest of a subtraction, below 1e-300, for zero.
func holds(v float64, log bool) bool {
	return finite(v) && (!log || v >= 1/largest)
}

func (f *frame) holds(x, y float64) bool { return holds(x, f.logX) && holds(y, f.logY) }

// limits returns the limits of the band at a point, cut at the foot, and whether there
// is a band there.
func (f *frame) limits(c *Curve, i int) (low, high float64, ok bool) {
	low, high = c.Low[i], c.High[i]
	if !f.holds(c.X[i], high) || math.IsNaN(low) {
		return 0, 0, false
	}
	if f.logY {
		return max(low, f.foot), max(high, f.foot), true
	}
	return low, high, finite(low)
}

// span sets the range to that of the curves and their bands, with a margin. It reports
// whether there is anything to draw.
func (f *frame) span(curves []shownCurve) bool {
	x, y, band := newExtent(), newExtent(), newExtent()
	for i := range curves {
		c := &curves[i].Curve
		for i, v := range c.Y {
			if f.wholeX && holds(c.X[i], f.logX) {
				x.take(c.X[i])
			}
			if f.holds(c.X[i], v) {
				x.take(c.X[i])
				y.take(v)
			}
			if c.Low == nil {
				continue
			}
			if low, high, ok := f.limits(c, i); ok {
				x.take(c.X[i])
				band.take(high)
				if holds(low, f.logY) {
					band.take(low)
				}
			}
		}
	}
	if f.logY && y.low <= y.high {
		band.low = max(band.low, y.low/10)
	}
	y.low, y.high = min(y.low, band.low), max(y.high, band.high)
	if x.low > x.high || y.low > y.high {
		return false
	}
	f.left, f.right = x.padded(f.logX, 0.02)
	f.foot, f.top = y.padded(f.logY, 0.05)
	return true
}

// extent is the range of some values; low lies above high if there are none.
type extent struct{ low, high float64 }

func newExtent() extent { return extent{math.Inf(1), math.Inf(-1)} }

func (e *extent) take(v float64) { e.low, e.high = min(e.low, v), max(e.high, v) }

// padded returns the range with a margin, a share of it, at both ends. Values that do
// not differ get a range about them.
func (e extent) padded(log bool, share float64) (low, high float64) {
	if !log {
		size := e.high - e.low
		if size == 0 {
			size = max(1, math.Abs(e.high))
			return e.low - size/2, e.high + size/2
		}
		return e.low - share*size, e.high + share*size
	}
	low, high = math.Log10(e.low), math.Log10(e.high)
	if size := high - low; size < 1e-7 {
		low, high = low-0.5, high+0.5
	} else {
		low, high = low-share*size, high+share*size
	}
	return math.Pow(10, max(low, -306)), math.Pow(10, min(high, 306))
}

// across returns where x lies on the axis, from 0 to 1.
func (f *frame) across(x float64) float64 {
	if f.logX {
		return math.Log(x/f.left) / math.Log(f.right/f.left)
	}
	return (x - f.left) / (f.right - f.left)
}

// value is the inverse of across.
func (f *frame) value(share float64) float64 {
	if f.logX {
		return f.left * math.Pow(f.right/f.left, share)
	}
	return f.left + share*(f.right-f.left)
}

// setAxes gives the axes of a figure their range and ticks. A logarithmic axis goes by
// log₁₀: with a Scale for the values gonum/plot takes the label of the axis to stand
// elsewhere, and leaves room for it there.
func (f *frame) setAxes(p *plot.Plot) {
	low, high := f.place(f.left, f.foot), f.place(f.right, f.top)
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = low.X, high.X, low.Y, high.Y
	p.X.Tick.Marker, p.Y.Tick.Marker = round{}, round{}
	if f.logX {
		p.X.Tick.Marker = logTicks{}
	}
	if f.logY {
		p.Y.Tick.Marker = logTicks{}
	}
	if f.ticksX != nil {
		p.X.Tick.Marker = f.ticksX
	}
}

// place returns the point of the figure for a point of the data.
func (f *frame) place(x, y float64) plotter.XY {
	if f.logX {
		x = math.Log10(x)
	}
	if f.logY {
		y = math.Log10(y)
	}
	return plotter.XY{X: x, Y: y}
}

// groups splits the points of x, in order, into those that one or two points of the
// figure stand for: each alone if there are few, else by where they lie on the axis.
func (f *frame) groups(x []float64, each func(from, to int)) {
	most := f.most
	if most == 0 {
		most = maxPoints
	}
	if len(x) <= most {
		for i := range x {
			each(i, i+1)
		}
		return
	}
	buckets := float64(most / 2)
	from, next := 0, math.Inf(-1) // where the next bucket begins
	for i, v := range x {
		if !holds(v, f.logX) || v < next {
			continue // in the group of the point before it
		}
		if !math.IsInf(next, -1) {
			each(from, i)
			from = i
		}
		next = f.value(math.Floor(f.across(v)*buckets+1) / buckets)
		next = max(next, math.Nextafter(v, math.Inf(1))) // whatever the rounding
	}
	each(from, len(x))
}

// thin returns the stretches of a curve that the axes hold and those of its band, of
// at most so many points as f allows. Of each group of points the lowest and highest remain.
func (f *frame) thin(c Curve) (runs []plotter.XYs, band []stretch) {
	gap, bandGap := true, true
	f.groups(c.X, func(from, to int) {
		low, high := -1, -1
		for i := from; i < to; i++ {
			if !f.holds(c.X[i], c.Y[i]) {
				continue
			}
			if low < 0 || c.Y[i] < c.Y[low] {
				low = i
			}
			if high < 0 || c.Y[i] > c.Y[high] {
				high = i
			}
		}
		if low < 0 {
			gap = true
			return
		}
		if gap {
			runs, gap = append(runs, nil), false
		}
		run := &runs[len(runs)-1]
		a, b := min(low, high), max(low, high)
		*run = append(*run, f.place(c.X[a], c.Y[a]))
		if a != b {
			*run = append(*run, f.place(c.X[b], c.Y[b]))
		}
	})
	if c.Low == nil {
		return runs, nil
	}
	f.groups(c.X, func(from, to int) {
		first, last, of := -1, -1, newExtent()
		for i := from; i < to; i++ {
			low, high, ok := f.limits(&c, i)
			if !ok {
				continue
			}
			if last = i; first < 0 {
				first = i
			}
			of.take(low)
			of.take(high)
		}
		if first < 0 {
			bandGap = true
			return
		}
		if bandGap {
			band, bandGap = append(band, stretch{}), false
		}
		s := &band[len(band)-1]
		s.add(f.place(c.X[first], of.low), f.place(c.X[first], of.high))
		if last != first {
			s.add(f.place(c.X[last], of.low), f.place(c.X[last], of.high))
		}
	})
	return runs, band
}

func (s *stretch) add(low, high plotter.XY) {
	s.low, s.high = append(s.low, low), append(s.high, high)
}

// manyMarks is the number of points of a curve beyond which only some are marked.
const manyMarks = 30

// marks returns the points of the i-th of n curves that get a marker: all if there are
// few, else eight along the axis, those of other curves between them, and the points
// that no line joins to another.
func (f *frame) marks(runs []plotter.XYs, i, n int) plotter.XYs {
	points := 0
	for _, r := range runs {
		points += len(r)
	}
	var out plotter.XYs
	const each = 8
	shift := (float64(i) + 0.5) / float64(n)
	left, right := f.place(f.left, f.top).X, f.place(f.right, f.top).X
	share := func(at plotter.XY) float64 { return (at.X - left) / (right - left) }
	next, alone := 0, 0
	for _, run := range runs {
		for _, at := range run {
			due := share(at) >= (float64(next)+shift)/each
			if points <= manyMarks || due || len(run) == 1 && alone < maxPoints/8 {
				out = append(out, at)
			}
			if len(run) == 1 {
				alone++
			}
			for due && share(at) >= (float64(next)+shift)/each {
				next++
			}
		}
	}
	return out
}

// label is the name of a curve in the legend, with what is left out of it.
func (f *frame) label(c Curve) string {
	missing, negative, bare := 0, 0, 0
	for i, y := range c.Y {
		switch x := c.X[i]; {
		case !finite(x) || !finite(y):
			missing++
		case !f.holds(x, y):
			negative++
		case c.Low != nil:
			if _, _, ok := f.limits(&c, i); !ok {
				bare++
			}
		}
	}
	var notes []string
	if missing > 0 {
		notes = append(notes, count(missing, "value")+" missing")
	}
	if negative > 0 {
		note := fmt.Sprintf("%d not positive", negative)
		if missing == 0 {
			note = count(negative, "value") + " not positive"
		}
		notes = append(notes, note)
	}
	if bare > 0 {
		notes = append(notes, count(bare, "value")+" without a band")
	}
	switch {
	case len(c.Y) == 0:
		notes = []string{"no values"}
	case len(notes) == 0:
		return c.Name
	}
	note := strings.Join(notes, ", ")
	if c.Name == "" {
		return note
	}
	return fmt.Sprintf("%s (%s)", c.Name, note)
}

// toPoints places points on a canvas.
func toPoints(xys plotter.XYs, toX, toY func(float64) vg.Length) []vg.Point {
	out := make([]vg.Point, len(xys))
	for i, v := range xys {
		out[i] = vg.Point{X: toX(v.X), Y: toY(v.Y)}
	}
	return out
}

// widened returns the ends of a short level line about a point.
func widened(at vg.Point) []vg.Point {
	const half = 2.5
	return []vg.Point{{X: at.X - half, Y: at.Y}, {X: at.X + half, Y: at.Y}}
}
