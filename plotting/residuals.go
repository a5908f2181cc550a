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

// Residuals draws residuals over time, or over the step if times is nil, as dots about
// zero, between dashed lines at ±1.96 times their root mean square. Were they normal
// with a mean of zero, 95% would lie between these; the legend tells how many do.
// Residuals that are not finite are left out, and the legend counts them.
//
// It errs if no residual is finite, if there are not as many times as residuals, or if
// a residual is beyond 1e300. Of more than 2,000 residuals one for each place is drawn.
func Residuals(title, yLabel string, times []time.Time, r []float64) (*plot.Plot, error) {
	if len(r) == 0 {
		return nil, errors.New("plotting: there are no residuals to draw")
	}
	if times != nil && len(times) != len(r) {
		return nil, fmt.Errorf("plotting: %s for %s", count(len(times), "time"), count(len(r), "residual"))
	}
	if err := drawable("residuals", r); err != nil {
		return nil, err
	}
	x := make([]float64, len(r))
	var all, most extent = newExtent(), extent{0, 0}
	n := 0
	for i := range x {
		if x[i] = float64(i + 1); times != nil {
			x[i] = seconds(times[i])
		}
		all.take(x[i])
		if finite(r[i]) {
			most.take(r[i])
			n++
		}
	}
	if n == 0 {
		return nil, fmt.Errorf("plotting: of %s none is finite", count(len(r), "residual"))
	}
	bound := 1.96 * rootMeanSquare(r)
	p := newPlot(title, "step", yLabel)
	f := frame{}
	if times != nil && all.low == all.high {
		const day = 24 * 60 * 60
		all = extent{all.low - day, all.low + day}
	}
	f.left, f.right = all.padded(false, 0.02)
	most.take(bound)
	most.take(-bound)
	f.foot, f.top = most.padded(false, 0.05)
	f.setAxes(p)
	if times != nil {
		p.X.Label.Text = ""
		p.X.Tick.Marker = dates{}
	}
	f.drawResiduals(p, x, r, bound, n)
	return p, nil
}

// drawResiduals draws the dots, of which n are finite, the levels 0 and ±bound, and the key.
func (f *frame) drawResiduals(p *plot.Plot, x, r []float64, bound float64, n int) {
	limit := draw.LineStyle{Color: palette[1], Width: 1.2, Dashes: dashes[1]}
	levels := []plotter.XYs{f.level(0), f.level(bound), f.level(-bound)}
	for i, style := range []draw.LineStyle{{Color: ink, Width: 1}, limit, limit} {
		p.Add(&plotter.Line{XYs: levels[i], LineStyle: style})
	}
	points := f.cloud(x, r)
	p.Add(&plotter.Scatter{XYs: points, GlyphStyle: dot(len(points))})
	within := 0
	for _, v := range r {
		if math.Abs(v) <= bound { // not so for NaN
			within++
		}
	}
	k := newKey(p)
	k.dots(points)
	k.taken(levels, nil)
	k.add(missing("residuals", len(r)-n), sample{glyph: dot(1)})
	k.add(fmt.Sprintf("±1.96 × RMS, RMS = %.3g", bound/1.96), sample{line: limit})
	k.add(fmt.Sprintf("%.1f%% lie within (95%% if normal)", 100*float64(within)/float64(n)), nil)
	k.thinned(len(points), n)
	k.place(p)
}

// level returns the line across the frame at height y.
func (f *frame) level(y float64) plotter.XYs {
	return plotter.XYs{{X: f.left, Y: y}, {X: f.right, Y: y}}
}

// rootMeanSquare is that of the finite values.
func rootMeanSquare(r []float64) float64 {
	most := 0.0
	for _, v := range r {
		if finite(v) {
			most = max(most, math.Abs(v))
		}
	}
	if most == 0 {
		return 0
	}
	sum, n := 0.0, 0
	for _, v := range r {
		if finite(v) {
			sum += (v / most) * (v / most)
			n++
		}
	}
	return most * math.Sqrt(sum/float64(n))
}

// dot returns the style of a point of a cloud of n: smaller and paler where they are
// many, so that it is seen where they are dense.
func dot(n int) draw.GlyphStyle {
	s := draw.GlyphStyle{Color: faded(palette[0], 0xb0), Radius: 2.2, Shape: draw.CircleGlyph{}}
	if n > 500 {
		s.Color, s.Radius = faded(palette[0], 0x90), 1.5
	}
	return s
}

// thinned notes in the key that of some points not all are drawn.
func (k *key) thinned(drawn, of int) {
	if drawn < of {
		k.add(fmt.Sprintf("%d of %d points drawn, one for each place", drawn, of), nil)
	}
}

// cloud returns the finite points, or of more than maxPoints one in each cell of a grid
// as fine as maxPoints allow, so that points far from the others remain.
func (f *frame) cloud(x, y []float64) plotter.XYs {
	var out plotter.XYs
	// In a scattered order: else the first of each cell would lie at its left edge.
	step := 1
	if len(x) > maxPoints {
		step = coprime(len(x))
	}
	for cells := 512.0; ; cells = math.Floor(cells * 0.8) {
		n := int(cells)
		var taken []bool
		if len(x) > maxPoints {
			taken = make([]bool, n*n)
		}
		out = out[:0]
		at := 0
		for range x {
			i := at
			if at += step; at >= len(x) {
				at -= len(x)
			}
			if !f.holds(x[i], y[i]) {
				continue
			}
			if taken != nil {
				u := (x[i] - f.left) / (f.right - f.left)
				v := (y[i] - f.foot) / (f.top - f.foot)
				cell := min(int(u*cells), n-1)*n + min(int(v*cells), n-1)
				if taken[cell] {
					continue
				}
				taken[cell] = true
			}
			if out = append(out, plotter.XY{X: x[i], Y: y[i]}); len(out) > maxPoints {
				break
			}
		}
		if len(out) <= maxPoints {
			return out
		}
	}
}

// coprime returns a number without a factor in common with n, about 0.618 n.
func coprime(n int) int {
	for step := int(0.618 * float64(n)); ; step++ {
		a, b := n, step
		for b != 0 {
			a, b = b, a%b
		}
		if a == 1 {
			return step
		}
	}
}

// Against draws y against x as dots, with the line y = x, over the same range on both
// axes: a forecast against what was measured. The legend has the root mean square of
// y − x and the correlation. Pairs that are not finite are left out, and the legend
// counts them.
//
// It errs if the lengths differ, if no pair is finite, or if a value is beyond 1e300.
// Of more than 2,000 pairs one for each place is drawn.
func Against(title, xLabel, yLabel string, x, y []float64) (*plot.Plot, error) {
	if len(x) != len(y) {
		return nil, fmt.Errorf("plotting: %s of x (%s) and %d of y (%s)", count(len(x), "value"), xLabel, len(y), yLabel)
	}
	if len(x) == 0 {
		return nil, errors.New("plotting: there is nothing to draw")
	}
	for _, v := range []struct {
		what string
		of   []float64
	}{{"x", x}, {"y", y}} {
		if err := drawable(v.what, v.of); err != nil {
			return nil, err
		}
	}
	f := frame{}
	all, n := newExtent(), 0
	apart := make([]float64, len(x))
	for i := range x {
		apart[i] = math.NaN()
		if f.holds(x[i], y[i]) {
			all.take(x[i])
			all.take(y[i])
			apart[i] = y[i] - x[i]
			n++
		}
	}
	if n == 0 {
		return nil, fmt.Errorf("plotting: of %s none is finite", count(len(x), "pair"))
	}
	f.left, f.right = all.padded(false, 0.04)
	f.foot, f.top = f.left, f.right
	p := newPlot(title, xLabel, yLabel)
	f.setAxes(p)
	points := f.cloud(x, y)
	diagonal := draw.LineStyle{Color: ink, Width: 1.2, Dashes: dashes[1]}
	p.Add(&plotter.Scatter{XYs: points, GlyphStyle: dot(len(points))})
	line := plotter.XYs{{X: f.left, Y: f.left}, {X: f.right, Y: f.right}}
	p.Add(&plotter.Line{XYs: line, LineStyle: diagonal})
	k := newKey(p)
	k.dots(points)
	k.taken([]plotter.XYs{line}, nil)
	k.add("y = x", sample{line: diagonal})
	k.add(missing(count(n, "pair"), len(x)-n), sample{glyph: dot(1)})
	k.add(fmt.Sprintf("RMS of y − x = %.3g", rootMeanSquare(apart)), nil)
	if r := correlation(x, y, f.right-f.left); finite(r) {
		k.add(fmt.Sprintf("correlation = %.3f", r), nil)
	}
	k.thinned(len(points), n)
	k.place(p)
	return p, nil
}

// correlation is that of the finite pairs, which differ by at most scale; NaN if x or
// y is the same in all.
func correlation(x, y []float64, scale float64) float64 {
	var mx, my, sxx, syy, sxy, n float64
	for i := range x {
		if !finite(x[i]) || !finite(y[i]) {
			continue
		}
		n++ // Welford's updates
		dx, dy := x[i]/scale-mx, y[i]/scale-my
		mx += dx / n
		my += dy / n
		sxx += dx * (x[i]/scale - mx)
		syy += dy * (y[i]/scale - my)
		sxy += dx * (y[i]/scale - my)
	}
	if !(sxx > 0) || !(syy > 0) {
		return math.NaN()
	}
	return min(max(sxy/math.Sqrt(sxx*syy), -1), 1)
}
