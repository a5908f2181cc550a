package plotting

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// TestStretches: gaps in either limit split a band.
func TestStretches(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	x := []float64{0, 1, 2, 3, 4, 5, 6}
	got := stretches(x, []float64{nan, 1, 2, 3, -inf, 5, 6}, []float64{9, 11, 12, nan, 14, 15, inf})
	if len(got) != 2 || len(got[0].low) != 2 || len(got[1].low) != 1 {
		t.Fatalf("stretches %v", got)
	}
	if s := got[0]; s.low[1].X != 2 || s.low[1].Y != 2 || s.high[1].X != 2 || s.high[1].Y != 12 {
		t.Errorf("the first is %v", s)
	}
	if s := got[1]; s.low[0].X != 5 || s.low[0].Y != 5 || s.high[0].Y != 15 {
		t.Errorf("the second is %v", s)
	}
}

// TestThinnedBand: a thinned band covers all of the band, and the extremes show.
func TestThinnedBand(t *testing.T) {
	for _, n := range []int{maxPoints, maxPoints + 1, 2*maxPoints - 1, 100_000, 123_457} {
		x, low, high := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], low[i], high[i] = float64(i), math.Sin(float64(i)), 2+math.Cos(float64(i))
		}
		low[n/3], high[n/2] = -7, 9
		got := stretches(x, low, high)
		if len(got) != 1 || len(got[0].low) > maxPoints || len(got[0].high) != len(got[0].low) {
			t.Fatalf("%d values: %d stretches of %d points", n, len(got), len(got[0].low))
		}
		lo, hi := got[0].low, got[0].high
		if lo[0].X != 0 || lo[len(lo)-1].X != x[n-1] {
			t.Errorf("%d values: drawn from %v to %v", n, lo[0].X, lo[len(lo)-1].X)
		}
		most, least := 0.0, 0.0
		k := 0 // the last point at or before i
		for i := range x {
			for k+1 < len(lo) && lo[k+1].X <= x[i] {
				k++
			}
			if k > 0 && lo[k].X <= lo[k-1].X {
				t.Fatalf("%d values: points out of order", n)
			}
			// Between the points of a run both limits are level.
			if lo[k].Y > low[i] || hi[k].Y < high[i] || hi[k].X != lo[k].X {
				t.Fatalf("%d values: value %d leaves the band", n, i)
			}
			most, least = max(most, hi[k].Y), min(least, lo[k].Y)
		}
		if most != 9 || least != -7 {
			t.Errorf("%d values: the band spans %v to %v", n, least, most)
		}
	}
}

// TestForecastBand: the axis holds the band and leaves room for the legend, the band is
// drawn before the lines, and nothing given is changed.
func TestForecastBand(t *testing.T) {
	y, hat := []float64{1, 2, 3}, []float64{1.5, 2, 2.5}
	low, high := []float64{-9, 1, 2}, []float64{2, 3, 40}
	p, err := ForecastBand("title", "knots", nil, Band{"90%", low, high}, Line{"truth", y}, Line{"forecast", hat})
	if err != nil {
		t.Fatal(err)
	}
	// Three entries of the legend, each 0.09 of the span.
	if p.Y.Min > -9 || p.Y.Max < 40+0.27*49 || p.X.Min != 1 || p.X.Max != 3 {
		t.Errorf("axes %v to %v, %v to %v", p.X.Min, p.X.Max, p.Y.Min, p.Y.Max)
	}
	if p.Title.Text != "title" || p.X.Label.Text != "step" || p.Y.Label.Text != "knots" {
		t.Errorf("%q, %q, %q", p.Title.Text, p.X.Label.Text, p.Y.Label.Text)
	}
	if !slices.Equal(low, []float64{-9, 1, 2}) || !slices.Equal(high, []float64{2, 3, 40}) {
		t.Error("the limits changed")
	}
	c := new(recorder.Canvas)
	p.Draw(draw.NewCanvas(c, width, height))
	fill, line := -1, -1
	for i, a := range c.Actions {
		switch a := a.(type) {
		case *recorder.SetColor:
			if fill < 0 && a.Color == translucent(fillAlpha) {
				fill = i
			}
		case *recorder.SetLineWidth:
			if line < 0 && a.Width == 1.9 {
				line = i
			}
		}
	}
	if fill < 0 || line < fill {
		t.Errorf("the fill is action %d, the truth %d", fill, line)
	}
	times := []time.Time{time.Unix(0, 0), time.Unix(86400, 0), time.Unix(2*86400, 0)}
	p, err = ForecastBand("", "", times, Band{"90%", low, high}, Line{"truth", y})
	if err != nil || p.X.Min != 0 || p.X.Max != 2*86400 || p.X.Label.Text != "" {
		t.Errorf("%v", err)
	}
	if _, ok := p.X.Tick.Marker.(dates); !ok {
		t.Error("times without dates")
	}
}

func TestForecastBandErrors(t *testing.T) {
	nan := math.NaN()
	two := []float64{1, 2}
	for _, c := range []struct {
		err  error
		want string
	}{
		{second(ForecastBand("", "", nil, Band{"b", two, two})), "nothing to draw"},
		{second(ForecastBand("", "", nil, Band{}, Line{"a", nil})), "nothing to draw"},
		{second(ForecastBand("", "", nil, Band{"b", two, two[:1]}, Line{"a", two})), `line "b" has 1 value, "a" has 2`},
		{second(ForecastBand("", "", nil, Band{"b", nil, two}, Line{"a", two})), `line "b" has 0 values, "a" has 2`},
		{second(ForecastBand("", "", nil, Band{"b", two, two}, Line{"a", two}, Line{"c", nil})), `line "c" has 0 values`},
		{second(ForecastBand("", "", []time.Time{{}}, Band{"b", two, two}, Line{"a", two})), "1 time for 2 values"},
		{second(ForecastBand("", "", nil, Band{"b", two, []float64{1, 1.5}}, Line{"a", two})), `band "b": value 2 has a lower limit of 2 and an upper one of 1.5`},
		{second(ForecastBand("", "", nil, Band{"b", two, []float64{1, 1e301}}, Line{"a", two})), "b: value 2 is 1e+301"},
		{second(ForecastBand("", "", nil, Band{"b", []float64{nan}, []float64{math.Inf(1)}}, Line{"a", []float64{nan}})), "no value is finite"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("got %v, want %q", c.err, c.want)
		}
	}
}

// TestBandsOfBadData: a picture or an error, within three seconds; see TestMillionPoints.
func TestBandsOfBadData(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	many, gaps := make([]float64, 1_000_000), make([]float64, 1_000_000)
	for i := range many {
		many[i] = math.Sin(float64(i) / 1e5)
		if gaps[i] = many[i]; i%2 == 1 {
			gaps[i] = nan
		}
	}
	for name, v := range map[string][]float64{
		"none":            nil,
		"single":          {3},
		"zero":            {0},
		"constant":        {2, 2, 2},
		"nearly constant": {99.99999999999996, 100},
		"NaN":             {1, nan, 3},
		"all NaN":         {nan, nan},
		"Inf":             {1, inf, 2, -inf},
		"huge":            {-1.7e308, 1.7e308},
		"large":           {-1e299, 1e299},
		"tiny":            {1e-320, 2e-320},
		"wide":            {1e-200, 1e200},
		"a million":       many,
		"many gaps":       gaps,
		"1000 gaps":       gaps[:2000],
	} {
		high := make([]float64, len(v))
		for i, x := range v {
			high[i] = x + 1
		}
		p, err := ForecastBand("t", "y", nil, Band{"band", v, high}, Line{"truth", v}, Line{"forecast", v})
		if err == nil {
			notTooMuch(t, name, p)
		} else if strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
		if fails := name == "none" || name == "all NaN" || name == "huge"; fails != (err != nil) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
