package plotting

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/twornn/spectral/twornn"
)

// Choice draws how a fit chose its rank, and L if there are several: each candidate's
// criterion above the least of all, against its rank, with a colour and a marker for each
// L. A line joins the best of each rank. A ring marks the candidate chosen, a square the
// best one of another size, and the legend tells how far its criterion lies above that of
// the one chosen: a few units say little, more than ten say much.
//
// The vertical axis goes by log(1+y) where the criteria differ by more than 50, so that
// differences of 10 can be read beside such of 1e5. Candidates whose criterion is not
// finite are left out, and the legend counts them. Choice errs if no other is left.
func Choice(c []twornn.Candidate) (*plot.Plot, error) {
	w, err := weigh(c)
	if err != nil {
		return nil, err
	}
	several := len(w.curves) > 1
	title, y := "Choice of the rank", "criterion above the least"
	if several {
		title = "Choice of L and the rank"
	}
	height := func(y float64) float64 { return y }
	if w.most > linear {
		y += " (log scale)"
		height = math.Log1p
	}
	place := func(at plotter.XYs) plotter.XYs {
		x, y := make([]float64, len(at)), make([]float64, len(at))
		for i, v := range at {
			x[i], y[i] = v.X, height(v.Y)
		}
		return slices.Concat(runs(x, y)...) // one run, thinned if long
	}
	p := newPlot(title, "rank", y)
	var text vg.Length // the widest of the legend
	entry := func(name string, t ...plot.Thumbnailer) {
		p.Legend.Add(name, t...)
		text = max(text, p.Legend.TextStyle.Width(name))
	}
	for i, l := range w.curves {
		line := &plotter.Line{XYs: place(l.best), LineStyle: lineStyle(i)}
		points := &plotter.Scatter{XYs: place(l.all), GlyphStyle: marker(i)}
		p.Add(line, points)
		if several {
			entry(fmt.Sprintf("L = %d", l.L), line, points)
		}
	}
	for _, m := range w.marks {
		style := draw.GlyphStyle{Color: ink, Radius: 7, Shape: m.shape}
		p.Add(&plotter.Scatter{XYs: place(m.at), GlyphStyle: style})
		style.Radius = 4.5 // which keeps apart the two in the legend
		entry(m.name, &plotter.Scatter{GlyphStyle: style})
	}
	if w.skipped > 0 {
		entry(fmt.Sprintf("%d not drawn (not finite)", w.skipped))
	}
	p.Y.Tick.Marker = round{}
	if w.most > linear {
		p.Y.Tick.Marker = logMarks{}
	}
	top := height(w.most)
	if top == 0 {
		top = 1
	}
	p.Y.Min, p.Y.Max = -0.07*top, 1.05*top
	p.X.Tick.Marker = ranks{w.low, w.high}
	p.X.Min, p.X.Max = float64(w.low)-0.5, float64(w.high)+0.5
	// Room for the legend to the right of the points, on an axis 490 points long.
	share := float64((text + 40) / 490)
	p.X.Max += (p.X.Max - p.X.Min) * share / (1 - share)
	return p, nil
}

// choice is what Choice draws.
type choice struct {
	curves    []curve // by L
	marks     []mark
	low, high int     // ranks
	most      float64 // the largest criterion above the least
	skipped   int
}

// curve holds the candidates of one L, with the criterion above the least: all of them,
// and the best of each rank, both by rank.
type curve struct {
	L         int
	all, best plotter.XYs
}

// mark is a candidate that is marked.
type mark struct {
	name  string
	at    plotter.XYs
	shape draw.GlyphDrawer
}

// weigh sorts out what is to be drawn.
func weigh(c []twornn.Candidate) (choice, error) {
	var w choice
	var kept []*twornn.Candidate
	least := math.Inf(1)
	for i := range c {
		switch v := &c[i]; {
		case v.Rank < 0:
			return w, fmt.Errorf("plotting: candidate %d is of rank %d", i+1, v.Rank)
		case !finite(v.Criterion):
			w.skipped++
		case math.Abs(v.Criterion) > largest:
			return w, fmt.Errorf("plotting: the criterion of candidate %d is %g, too large for an axis", i+1, v.Criterion)
		default:
			least, kept = min(least, v.Criterion), append(kept, v)
		}
	}
	switch {
	case len(c) == 0:
		return w, errors.New("plotting: there are no candidates to draw")
	case len(kept) == 0:
		return w, fmt.Errorf("plotting: of %s none has a finite criterion", count(len(c), "candidate"))
	}
	slices.SortStableFunc(kept, func(a, b *twornn.Candidate) int {
		return cmp.Or(cmp.Compare(a.L, b.L), cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.Criterion, b.Criterion))
	})
	w.low, w.high = kept[0].Rank, kept[0].Rank
	for i, v := range kept {
		at := plotter.XY{X: float64(v.Rank), Y: v.Criterion - least}
		if i == 0 || v.L != kept[i-1].L {
			w.curves = append(w.curves, curve{L: v.L})
		}
		l := &w.curves[len(w.curves)-1]
		if len(l.all) == 0 || v.Rank != kept[i-1].Rank {
			l.best = append(l.best, at)
		}
		l.all = append(l.all, at)
		w.low, w.high, w.most = min(w.low, v.Rank), max(w.high, v.Rank), max(w.most, at.Y)
	}
	if i := slices.IndexFunc(c, func(v twornn.Candidate) bool { return v.Chosen }); i >= 0 {
		w.mark(&c[i], kept, least)
	}
	return w, nil
}

// mark marks the candidate chosen, if it is drawn, and the best of the other sizes.
func (w *choice) mark(chosen *twornn.Candidate, kept []*twornn.Candidate, least float64) {
	size := func(v *twornn.Candidate) string {
		if len(w.curves) > 1 {
			return fmt.Sprintf("L = %d, rank %d", v.L, v.Rank)
		}
		return fmt.Sprintf("rank %d", v.Rank)
	}
	at := func(v *twornn.Candidate) plotter.XYs {
		return plotter.XYs{{X: float64(v.Rank), Y: v.Criterion - least}}
	}
	name := "chosen: " + size(chosen)
	if !finite(chosen.Criterion) {
		w.marks = append(w.marks, mark{name + ", not drawn", nil, around{}})
		return
	}
	w.marks = append(w.marks, mark{name, at(chosen), around{}})
	next := -1
	for i, v := range kept {
		if (v.L != chosen.L || v.Rank != chosen.Rank) && (next < 0 || v.Criterion < kept[next].Criterion) {
			next = i
		}
	}
	if next < 0 {
		return
	}
	v := kept[next]
	name = "next best: "
	if v.Criterion < chosen.Criterion {
		name = "least: " // it was turned down for another reason, such as its growth
	}
	layout := "%s (%+.3g)"
	by := v.Criterion - chosen.Criterion
	if math.Abs(by) >= 1000 && math.Abs(by) < 1e6 {
		layout = "%s (%+.0f)" // and not 1.23e+03
	}
	w.marks = append(w.marks, mark{name + fmt.Sprintf(layout, size(v), by), at(v), around{square: true}})
}

// marker returns the style of the points of the i-th curve.
func marker(i int) draw.GlyphStyle {
	s := glyphStyle(i)
	shapes := []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}}
	s.Shape = shapes[i%len(shapes)]
	return s
}

// around is a glyph that rings another one, or boxes it.
type around struct{ square bool }

func (a around) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, at vg.Point) {
	c.SetLineStyle(draw.LineStyle{Color: s.Color, Width: 1.4})
	var p vg.Path
	if r := s.Radius; a.square {
		p.Move(at.Add(vg.Point{X: -r, Y: -r}))
		p.Line(at.Add(vg.Point{X: r, Y: -r}))
		p.Line(at.Add(vg.Point{X: r, Y: r}))
		p.Line(at.Add(vg.Point{X: -r, Y: r}))
	} else {
		p.Move(at.Add(vg.Point{X: r}))
		p.Arc(at, r, 0, 2*math.Pi)
	}
	p.Close()
	c.Stroke(p)
}

// linear is the largest difference of criteria that a linear axis is used for.
const linear = 50

// logMarks marks 0 and powers of ten on an axis of log(1+y), at most eight of them with
// a label, and the digits between where there are few. A Scale would do the same for
// values, but gonum/plot then sets the label of the axis askew.
type logMarks struct{}

func (logMarks) Ticks(_, high float64) []plot.Tick {
	most := min(math.Expm1(high), math.MaxFloat64)
	last := int(math.Floor(math.Log10(most)))
	every := 1 + last/7
	var ticks []plot.Tick // by their values, not yet where they lie
	for e := 0; e <= last; e++ {
		v := math.Pow(10, float64(e))
		t := plot.Tick{Value: v}
		if e%every == 0 && (e > 0 || last < 5) { // a 1 would touch the 0
			t.Label = labelled
		} else if last > 20 {
			continue
		}
		ticks = append(ticks, t)
		for d := 2.0; d < 10 && last <= 5 && d*v <= most; d++ {
			ticks = append(ticks, plot.Tick{Value: d * v})
		}
	}
	for i, t := range oneStyle(ticks) {
		ticks[i].Value = math.Log1p(t.Value)
	}
	return append([]plot.Tick{{Value: 0, Label: "0"}}, ticks...)
}

// ranks marks whole numbers from low to high, some twelve at most, and none beyond.
type ranks struct{ low, high int }

func (r ranks) Ticks(_, _ float64) []plot.Tick {
	every := 1
	for i := 0; (r.high-r.low)/every > 11; i++ { // 2, 5, 10, 20, …
		if every *= 2; i%3 == 1 {
			every += every / 4
		}
	}
	first := (r.low + every - 1) / every * every
	var at []int
	if 2*(first-r.low) > every {
		at = append(at, r.low)
	}
	for i := first; i <= r.high && len(at) < 20; i += every {
		at = append(at, i)
	}
	var ticks []plot.Tick
	for _, i := range at {
		ticks = append(ticks, plot.Tick{Value: float64(i), Label: fmt.Sprint(i)})
	}
	return ticks
}

// whole marks whole numbers, some twelve at most.
type whole struct{}

func (whole) Ticks(low, high float64) []plot.Tick {
	return ranks{int(math.Ceil(low)), int(math.Floor(high))}.Ticks(low, high)
}
