package plotting

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// keyOf places a key for the points of a curve and returns it with the part of the page
// within the axes.
func keyOf(c Curve, names ...string) (*key, vg.Rectangle, *plot.Plot) {
	f := frame{}
	f.span([]shownCurve{{Curve: c}})
	p := newPlot("title", "x", "y")
	f.setAxes(p)
	k := newKey(p)
	k.taken(f.thin(c))
	for _, n := range names {
		k.add(n, nil)
	}
	k.place(p)
	data := p.DataCanvas(page(draw.NewCanvas(new(recorder.Canvas), width, height)))
	return k, data.Rectangle, p
}

// TestKeyPlace: a short key stands where nothing is drawn, and outside if there is no
// such place or it is long.
func TestKeyPlace(t *testing.T) {
	up := Curve{X: []float64{0, 1}, Y: []float64{0, 1}}
	down := Curve{X: []float64{0, 1}, Y: []float64{1, 0}}
	full := Curve{X: []float64{0, 1}, Y: []float64{0.5, 0.5}, Low: []float64{0, 0}, High: []float64{1, 1}}
	for name, c := range map[string]struct {
		curve   Curve
		entries int
		outside bool
		x, y    float64
	}{
		"down":      {down, 2, false, 1, 1},
		"up":        {up, 2, false, 0, 1},
		"full band": {full, 1, true, 0, 0},
		"nine":      {down, 9, true, 0, 0},
	} {
		k, _, _ := keyOf(c.curve, strings.Split(strings.Repeat("name,", c.entries-1)+"name", ",")...)
		if k.outside != c.outside || !c.outside && (k.x != c.x || k.y != c.y) {
			t.Errorf("%s: outside %v, at %v, %v", name, k.outside, k.x, k.y)
		}
	}
}

// TestKeyOnPage: however many and long its names, the key lies on the page, and outside
// the axes it leaves them room.
func TestKeyOnPage(t *testing.T) {
	long := strings.Repeat("nuclear norm minimisation ", 10)
	word := strings.Repeat("x", 100_000)
	c := Curve{X: []float64{0, 1}, Y: []float64{0, 1}}
	for _, n := range []int{5, 10, 20, 200} {
		for _, name := range []string{"a", long, word} {
			var names []string
			for i := range n {
				names = append(names, fmt.Sprintf("%d %s", i, name))
			}
			k, data, p := keyOf(c, names...)
			box := k.box(data)
			if !k.outside || box.Min.X < data.Max.X || box.Max.X > width || box.Min.Y < 0 || box.Max.Y > data.Max.Y+1 {
				t.Errorf("%d names: box %v beside %v", n, box, data)
			}
			if data.Size().X < 250 {
				t.Errorf("%d names: the axes have %v points left", n, data.Size().X)
			}
			got := written(t, p, nil)
			if len(k.entries) < n && !strings.Contains(got, fmt.Sprintf("and %d more", n-len(k.entries)+1)) {
				t.Errorf("%d names, %d entries: not said in %q", n, len(k.entries), got)
			}
		}
	}
}

// TestAxisLabelsKeepRoom: the axes are as large whether they are logarithmic or not.
func TestAxisLabelsKeepRoom(t *testing.T) {
	c := Curve{X: []float64{1, 1e6}, Y: []float64{1, 1e-12}}
	p, err := Errors("title", "the number of examples", "the mean squared error", c)
	if err != nil {
		t.Fatal(err)
	}
	data := p.DataCanvas(page(draw.NewCanvas(new(recorder.Canvas), width, height)))
	if s := data.Size(); s.X < 450 || s.Y < 180 {
		t.Errorf("axes of %v", s)
	}
}

// TestLogTicks: over any range there are two to nine labels, at values that they name.
func TestLogTicks(t *testing.T) {
	for _, low := range []float64{1e-299, 1e-7, 0.0123, 1, 30, 47, 1e7} {
		for _, ratio := range []float64{1.00001, 1.01, 1.2, 1.9, 3, 9, 12, 40, 99, 1e3, 1e5, 1e8, 1e9, 1e12, 1e40, 1e290} {
			ticks := (logTicks{}).Ticks(math.Log10(low), math.Log10(low*ratio))
			labels := 0
			for _, tick := range ticks {
				if tick.Value < math.Log10(low)-1e-6 || tick.Value > math.Log10(low*ratio)+1e-6 {
					t.Errorf("%g × %g: a tick at %g", low, ratio, tick.Value)
				}
				if tick.Label == "" {
					continue
				}
				labels++
				var v float64
				if _, err := fmt.Sscan(tick.Label, &v); err != nil || math.Abs(math.Log10(v)-tick.Value) > 1e-8 {
					t.Errorf("%g × %g: %q at %g", low, ratio, tick.Label, tick.Value)
				}
			}
			if labels < 2 || labels > 9 || len(ticks) > 60 {
				t.Errorf("%g × %g: %d labels, %d ticks", low, ratio, labels, len(ticks))
			}
		}
	}
}
