package plotting

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

// maxLags bounds the lags that are drawn: stems beyond it would touch.
const maxLags = 150

// Autocorrelation draws the autocorrelations of r, such as the residuals of a forecast,
// at lags 1 to lags, as stems:
//
//	ρ_k = c_k/c_0   c_k = Σ_t (r_t − r̄)(r_{t+k} − r̄)/n
//
// with the band ±1.96/√n, in which 95% of those of white noise lie. If lags is zero,
// there are 10·log₁₀(n). There are never more than n − 1, nor than 150.
//
// Values that are not finite are left out, with the pairs that they are part of, and
// the legend counts them; the sum is then over the pairs that are left, and n is their
// number plus k. It errs if fewer than two values are finite, if all are equal, if one
// is beyond 1e300, or if lags is negative.
func Autocorrelation(title string, r []float64, lags int) (*plot.Plot, error) {
	if lags < 0 {
		return nil, fmt.Errorf("plotting: autocorrelations at %d lags", lags)
	}
	if err := drawable("autocorrelation", r); err != nil {
		return nil, err
	}
	d, n, err := deviations(r)
	if err != nil {
		return nil, err
	}
	if lags == 0 {
		lags = int(math.Ceil(10 * math.Log10(float64(n))))
	}
	asked := min(lags, len(r)-1)
	lags = min(asked, maxLags)
	rho := autocorrelations(d, n, lags)
	limit := 1.96 / math.Sqrt(float64(n))
	p := newPlot(title, "lag", "autocorrelation")
	if asked > lags {
		p.X.Label.Text = fmt.Sprintf("lag (the first %d; %d more are not drawn)", lags, asked-lags)
	}
	all := extent{-limit, limit}
	var points plotter.XYs
	outside, missed := 0, 0
	for k, v := range rho {
		if !finite(v) {
			missed++
			continue
		}
		points = append(points, plotter.XY{X: float64(k + 1), Y: v})
		if all.take(v); math.Abs(v) > limit {
			outside++
		}
	}
	f := frame{left: 0.5, right: float64(lags) + 0.5, ticksX: ranks{1, lags}}
	all.low, all.high = max(all.low, -1.5), min(all.high, 1.5)
	f.foot, f.top = all.padded(false, 0.08)
	f.setAxes(p)
	band := stretch{
		low:  plotter.XYs{{X: f.left, Y: max(-limit, f.foot)}, {X: f.right, Y: max(-limit, f.foot)}},
		high: plotter.XYs{{X: f.left, Y: min(limit, f.top)}, {X: f.right, Y: min(limit, f.top)}},
	}
	p.Add(tint{[]stretch{band}, palette[1], true})
	zero := draw.LineStyle{Color: ink, Width: 1}
	p.Add(&plotter.Line{XYs: plotter.XYs{{X: f.left}, {X: f.right}}, LineStyle: zero})
	for _, at := range points {
		p.Add(&plotter.Line{XYs: plotter.XYs{{X: at.X}, at}, LineStyle: draw.LineStyle{Color: palette[0], Width: 1.6}})
	}
	glyph := draw.GlyphStyle{Color: palette[0], Radius: 2.5, Shape: draw.CircleGlyph{}}
	p.Add(&plotter.Scatter{XYs: points, GlyphStyle: glyph})
	k := newKey(p)
	k.taken(nil, []stretch{band})
	for _, at := range points {
		k.taken([]plotter.XYs{{{X: at.X}, at}}, nil)
	}
	k.add(missing(fmt.Sprintf("%d values", n), len(r)-n), sample{glyph: glyph})
	k.add(fmt.Sprintf("±1.96/√n = ±%.2g", limit), sample{tint: palette[1]})
	k.add(fmt.Sprintf("%d of %s outside (white noise: %.2g)", outside, count(len(points), "lag"), 0.05*float64(len(points))), nil)
	if missed > 0 {
		k.add(fmt.Sprintf("%s without a pair", count(missed, "lag")), nil)
	}
	k.place(p)
	return p, nil
}

// deviations returns the values less their mean, over the largest of these, with NaN
// where there is no value, and the number of those that there are.
func deviations(r []float64) ([]float64, int, error) {
	mean, n := 0.0, 0
	all := newExtent()
	for _, v := range r {
		if finite(v) {
			n++
			mean += (v - mean) / float64(n)
			all.take(v)
		}
	}
	switch {
	case n < 2:
		return nil, 0, fmt.Errorf("plotting: an autocorrelation needs two finite values, got %d", n)
	case all.high-all.low <= 1e-13*max(math.Abs(all.low), math.Abs(all.high)):
		return nil, 0, errors.New("plotting: all values are equal: they have no autocorrelation")
	}
	most := max(all.high-mean, mean-all.low)
	d := make([]float64, len(r))
	for i, v := range r {
		d[i] = math.NaN()
		if finite(v) {
			d[i] = (v - mean) / most
		}
	}
	return d, n, nil
}

// autocorrelations returns those at lags 1 to lags of deviations, of which n are not
// NaN. A lag without a pair gets NaN.
func autocorrelations(d []float64, n, lags int) []float64 {
	square := 0.0
	for _, v := range d {
		if !math.IsNaN(v) {
			square += v * v
		}
	}
	rho := make([]float64, lags)
	for k := 1; k <= lags; k++ {
		sum, pairs := 0.0, 0
		for i, v := range d[:len(d)-k] {
			if c := v * d[i+k]; c == c {
				sum += c
				pairs++
			}
		}
		rho[k-1] = math.NaN()
		if pairs > 0 {
			rho[k-1] = sum / float64(pairs+k) / (square / float64(n))
		}
	}
	return rho
}
