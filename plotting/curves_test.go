package plotting

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// written returns all that is written on a figure, drawn in the size of a picture.
func written(t *testing.T, p *plot.Plot, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var r recorder.Canvas
	p.Draw(page(draw.NewCanvas(&r, width, height)))
	var all []string
	for _, a := range r.Actions {
		if s, ok := a.(*recorder.FillString); ok {
			all = append(all, s.String)
		}
	}
	return strings.Join(all, "|")
}

// TestCurveErrors: what is no curve is said to be none, and which it is.
func TestCurveErrors(t *testing.T) {
	one, two, nan := []float64{1}, []float64{1, 2}, []float64{math.NaN()}
	for _, c := range []struct {
		want   string
		curves []Curve
	}{
		{"nothing to draw", nil},
		{"nothing to draw", []Curve{{Name: "a"}}},
		{`curve "b" has 2 values of X and 1 of Y`, []Curve{{Name: "a", X: one, Y: one}, {Name: "b", X: two, Y: one}}},
		{`curve "curve 1" has 0 values of X and 1 of Y`, []Curve{{Y: one}}},
		{`curve "b" has one limit of a band without the other`, []Curve{{Name: "b", X: one, Y: one, Low: one}}},
		{`curve "b" has 1 value and a band of 1 lower and 2 upper`, []Curve{{Name: "b", X: one, Y: one, Low: one, High: two}}},
		{`curve "b": value 2 has a lower limit of 2 and an upper one of 1`, []Curve{{Name: "b", X: two, Y: two, Low: two, High: []float64{1, 1}}}},
		{`curve "b": value 1 is 1e+301`, []Curve{{Name: "b", X: one, Y: []float64{1e301}}}},
		{"finite", []Curve{{Name: "b", X: one, Y: nan}}},
		{"finite", []Curve{{Name: "b", X: nan, Y: one}}},
	} {
		for _, f := range []func(a, b, c string, _ ...Curve) (*plot.Plot, error){Errors, Curves} {
			if _, err := f("", "", "", c.curves...); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		}
	}
	if _, err := Errors("", "", "", Curve{X: two, Y: []float64{0, -1}}); err == nil || !strings.Contains(err.Error(), "positive") {
		t.Error(err)
	}
}

// TestLeftOut: what an axis cannot hold leaves a gap and is counted.
func TestLeftOut(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	c := Curve{Name: "a", X: []float64{1, 2, 3, 4, 5, 6, 7, 0}, Y: []float64{1, 1, 0, nan, -2, 4, 5, 6}}
	p, err := Errors("", "", "", c, Curve{Name: "b", X: []float64{1}, Y: []float64{inf}}, Curve{Name: "c"})
	got := written(t, p, err)
	for _, want := range []string{"a (1 value missing, 3 not", "b (1 value missing)", "c (no values)"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	p, err = Curves("", "", "", c)
	if got := written(t, p, err); !strings.Contains(got, "a (1 value missing)") {
		t.Error(got)
	}
	f := frame{logX: true, logY: true}
	f.span([]shownCurve{{Curve: c}})
	runs, _ := f.thin(c)
	if len(runs) != 2 || len(runs[0]) != 2 || len(runs[1]) != 2 {
		t.Fatalf("runs %v", runs)
	}
	if at := runs[1][0]; math.Abs(at.X-math.Log10(6)) > 1e-12 || math.Abs(at.Y-math.Log10(4)) > 1e-12 {
		t.Errorf("the second run begins at %v", at)
	}
}

// TestBandCut: a band that reaches zero is cut at the foot, one that has no limits leaves
// a gap, and it does not stretch the axis downwards by more than a decade.
func TestBandCut(t *testing.T) {
	nan := math.NaN()
	c := Curve{Name: "a", X: []float64{1, 2, 3, 4}, Y: []float64{1, 2, 1, 1},
		Low: []float64{1e-9, -3, nan, 0.5}, High: []float64{2, 3, 4, 5}}
	f := frame{logX: true, logY: true}
	if !f.span([]shownCurve{{Curve: c}}) || f.foot < 0.05 || f.foot > 0.1 || f.top < 5 || f.top > 10 {
		t.Fatalf("from %v to %v", f.foot, f.top)
	}
	_, band := f.thin(c)
	if len(band) != 2 || len(band[0].low) != 2 || len(band[1].low) != 1 {
		t.Fatalf("band %v", band)
	}
	for i, at := range band[0].low {
		if math.Abs(at.Y-math.Log10(f.foot)) > 1e-12 {
			t.Errorf("lower limit %d lies at %v, the foot at %v", i, at.Y, math.Log10(f.foot))
		}
	}
	if math.Abs(band[1].low[0].Y-math.Log10(0.5)) > 1e-12 {
		t.Errorf("a limit within the axis was moved to %v", band[1].low[0])
	}
	if got := f.label(c); got != "a (1 value without a band)" {
		t.Error(got)
	}
}

// TestOrder: points are joined in the order of X, with what belongs to them, and the
// data stay as they are.
func TestOrder(t *testing.T) {
	nan := math.NaN()
	c := Curve{X: []float64{3, nan, 1, 2}, Y: []float64{30, 5, 10, 20}, Low: []float64{29, 4, 9, 19}, High: []float64{31, 6, 11, 21}}
	s := c.sorted()
	for i, want := range []float64{1, 2, 3} {
		if k := i + 1; s.X[k] != want || s.Y[k] != 10*want || s.Low[k] != 10*want-1 || s.High[k] != 10*want+1 {
			t.Errorf("point %d: %v", k, s)
		}
	}
	if c.X[0] != 3 || c.Y[3] != 20 {
		t.Error("the data were changed")
	}
	same := Curve{X: []float64{1, nan, 1, 2}, Y: []float64{1, 2, 3, 4}}
	if got := same.sorted(); &got.X[0] != &same.X[0] {
		t.Error("a curve in order was copied")
	}
}

// TestThin: whatever the number of points, at most 2,000 are drawn, the ends and the
// extremes among them, over either scale, in order.
func TestThin(t *testing.T) {
	for _, log := range []bool{false, true} {
		for _, n := range []int{1, 2, maxPoints, maxPoints + 1, 100_000} {
			c := Curve{X: make([]float64, n), Y: make([]float64, n), Low: make([]float64, n), High: make([]float64, n)}
			for i := range c.X {
				c.X[i], c.Y[i] = float64(i+1), 2+math.Sin(float64(i*i))
				c.Low[i], c.High[i] = c.Y[i]/2, 2*c.Y[i]
			}
			c.Y[n/2] = 90
			c.Low[n/3], c.High[n/3] = 0.3, 99
			f := frame{logX: log, logY: log}
			f.span([]shownCurve{{Curve: c}})
			runs, band := f.thin(c)
			if len(runs) != 1 || len(runs[0]) > maxPoints || len(band) != 1 || len(band[0].low) > maxPoints {
				t.Fatalf("%d points: %d runs of %d", n, len(runs), len(runs[0]))
			}
			if n <= maxPoints && len(runs[0]) != n {
				t.Errorf("%d points: %d drawn", n, len(runs[0]))
			}
			r := runs[0]
			most, last := math.Inf(-1), math.Inf(-1)
			for _, at := range r {
				if most = max(most, at.Y); at.X < last {
					t.Fatalf("%d points: out of order", n)
				}
				last = at.X
			}
			if want := f.place(1, 90).Y; most != want {
				t.Errorf("%d points: highest %v, want %v", n, most, want)
			}
			if n > 1 && log && len(r) > 4 && r[1].X != f.place(2, 1).X {
				t.Errorf("%d points: the second, far from the first on a log axis, is not drawn", n)
			}
			low, high := newExtent(), newExtent()
			for i := range band[0].low {
				low.take(band[0].low[i].Y)
				high.take(band[0].high[i].Y)
			}
			if want := f.place(1, 99).Y; high.high != want {
				t.Errorf("%d points: the band reaches %v, want %v", n, high.high, want)
			}
			if want := f.place(1, 0.3).Y; n > 1 && low.low != want {
				t.Errorf("%d points: the band reaches down to %v, want %v", n, low.low, want)
			}
		}
	}
	// Many points at one X, which rounding must not each make a group of its own.
	x, groups := make([]float64, 10*maxPoints), 0
	for i := range x {
		x[i] = []float64{1, 1.1, 1.2, 1.7, 3}[i*5/len(x)]
	}
	f := frame{left: 1, right: 3}
	if f.groups(x, func(int, int) { groups++ }); groups != 5 {
		t.Errorf("%d groups of five values", groups)
	}
}

// TestCurvesInReasonableTime: odd data and much of it are drawn without a panic.
func TestCurvesInReasonableTime(t *testing.T) {
	const n = 300_000 // a tenth of a second, and more on a busy machine
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i], y[i] = float64(n-i), 1+math.Abs(math.Sin(float64(i)))
		if i%3 == 0 {
			y[i] = math.NaN()
		}
	}
	same := make([]float64, n)
	for i := range same {
		same[i] = 7
	}
	for name, c := range map[string]Curve{
		"many":            {X: x, Y: y, Low: same, High: same},
		"one X":           {X: same, Y: x},
		"constant":        {X: x, Y: same},
		"one point":       {X: same[:1], Y: same[:1]},
		"tiny":            {X: []float64{1e-299, 2e-299}, Y: []float64{5e-324, 1e-299}},
		"far apart":       {X: []float64{1e-299, 1e300}, Y: []float64{1e-299, 1e300}, Low: []float64{-1e300, 0}, High: []float64{1, 1e300}},
		"hardly differ":   {X: []float64{1, 1 + 1e-15}, Y: []float64{3, 3 + 1e-15}},
		"infinite limits": {X: same[:2], Y: same[:2], Low: []float64{math.Inf(-1), 1}, High: []float64{8, math.Inf(1)}},
		"only a band":     {X: same[:1], Y: []float64{math.NaN()}, Low: same[:1], High: same[:1]},
	} {
		for _, f := range []func(a, b, c string, _ ...Curve) (*plot.Plot, error){Errors, Curves} {
			p, err := f("", "", "", c)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			notTooMuch(t, name, p)
		}
	}
}

// TestTenCurves: ten curves differ in colour and in marker, sixty in colour or dash.
func TestTenCurves(t *testing.T) {
	seen := map[string]bool{}
	for i := range 60 {
		s, g := curveStyle(i), curveGlyph(i)
		keys := []string{fmt.Sprint(s.Color, s.Dashes)}
		if i < 10 {
			keys = append(keys, fmt.Sprint(s.Color), fmt.Sprintf("%+v", g.Shape))
		}
		for _, k := range keys {
			if seen[k] {
				t.Errorf("curve %d looks like another: %s", i, k)
			}
			seen[k] = true
		}
	}
}

// Points added one by one make the curve; a set of values adds its median and quartiles, as
// R's quantile of type 7 has them, and none adds nothing.
func TestAdd(t *testing.T) {
	var c Curve
	c.AddMedian(10, []float64{4, 1, 3, 2})
	c.AddMedian(20, nil)
	c.AddMedian(30, []float64{7})
	want := Curve{X: []float64{10, 30}, Y: []float64{2.5, 7}, Low: []float64{1.75, 7}, High: []float64{3.25, 7}}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got %v, want %v", c, want)
	}
	var line Curve
	line.Add(1, 2)
	line.Add(3, 4)
	if !slices.Equal(line.X, []float64{1, 3}) || !slices.Equal(line.Y, []float64{2, 4}) || line.Low != nil {
		t.Errorf("got %v", line)
	}
}

// An axis of counts is linear and marked at whole numbers, at a dozen of them at most.
func TestByCount(t *testing.T) {
	c := Curve{X: []float64{1, 2, 3, 4, 5}, Y: []float64{1e-15, 1e-4, 1, 2, 3}}
	p, err := ByCount("", "rank R", "error", c)
	if got := written(t, p, err); !strings.Contains(got, "1e-12|1e-9|1e-6") {
		t.Errorf("the other axis is not logarithmic: %q", got)
	}
	var labels []string
	for _, tick := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		labels = append(labels, fmt.Sprint(tick.Value, "=", tick.Label))
	}
	if got := strings.Join(labels, " "); got != "1=1 2=2 3=3 4=4 5=5" {
		t.Error(got)
	}
	if n := len((whole{}).Ticks(0.4, 97.3)); n < 5 || n > 13 {
		t.Errorf("%d marks from 1 to 97", n)
	}
}
