package plotting

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/twornn/spectral/twornn"
)

// candidates are of one L and the ranks 1, 2, …; the chosen one is of the given rank.
func candidates(l, chosen int, criteria ...float64) []twornn.Candidate {
	var c []twornn.Candidate
	for i, v := range criteria {
		c = append(c, twornn.Candidate{L: l, Rank: i + 1, Criterion: v, Chosen: i+1 == chosen})
	}
	return c
}

// TestWeigh: two values of L, two starts of one size, in any order.
func TestWeigh(t *testing.T) {
	c := slices.Concat(candidates(2, 3, -100, -900, -1000, -987), candidates(1, 0, -90, -800))
	c = append(c,
		twornn.Candidate{L: 2, Rank: 3, Criterion: -999}, // no size of its own: not the next best
		twornn.Candidate{L: 2, Rank: 4, Criterion: -950},
		twornn.Candidate{L: 3, Rank: 9, Criterion: math.Inf(-1)})
	for range 2 {
		w, err := weigh(c)
		if err != nil {
			t.Fatal(err)
		}
		want := []curve{
			{1, plotter.XYs{{X: 1, Y: 910}, {X: 2, Y: 200}}, plotter.XYs{{X: 1, Y: 910}, {X: 2, Y: 200}}},
			{2, plotter.XYs{{X: 1, Y: 900}, {X: 2, Y: 100}, {X: 3, Y: 0}, {X: 3, Y: 1}, {X: 4, Y: 13}, {X: 4, Y: 50}},
				plotter.XYs{{X: 1, Y: 900}, {X: 2, Y: 100}, {X: 3, Y: 0}, {X: 4, Y: 13}}},
		}
		if got := fmt.Sprint(w.curves); got != fmt.Sprint(want) {
			t.Errorf("curves %v\nwant %v", got, want)
		}
		if got, want := fmt.Sprint(w.marks), "[{chosen: L = 2, rank 3 [{3 0}] {false}} {next best: L = 2, rank 4 (+13) [{4 13}] {true}}]"; got != want {
			t.Errorf("marks %v\nwant  %v", got, want)
		}
		if w.low != 1 || w.high != 4 || w.most != 910 || w.skipped != 1 {
			t.Errorf("ranks %d to %d, most %v, %d skipped", w.low, w.high, w.most, w.skipped)
		}
		slices.Reverse(c)
	}
}

func TestChoiceMarks(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name string
		c    []twornn.Candidate
		want []string
	}{
		{"one", candidates(1, 1, -5), []string{"chosen: rank 1"}},
		{"two", candidates(1, 2, 1e5, -5.25, -5), []string{"chosen: rank 2", "next best: rank 3 (+0.25)"}},
		{"a tie", candidates(1, 2, 3, 3, 3), []string{"chosen: rank 2", "next best: rank 1 (+0)"}},
		{"not the least", candidates(1, 2, 3, -4, -16), []string{"chosen: rank 2", "least: rank 3 (-12)"}},
		{"far", candidates(1, 1, 0, 12345.6), []string{"chosen: rank 1", "next best: rank 2 (+12346)"}},
		{"farther", candidates(1, 1, 0, 1234567), []string{"chosen: rank 1", "next best: rank 2 (+1.23e+06)"}},
		{"none chosen", candidates(1, 0, 3, -4), nil},
		{"not drawn", candidates(1, 1, nan, -4), []string{"chosen: rank 1, not drawn"}},
		{"the others not drawn", candidates(1, 1, 3, nan), []string{"chosen: rank 1"}},
		{"rank 0", []twornn.Candidate{{Chosen: true}}, []string{"chosen: rank 0"}},
	} {
		w, err := weigh(c.c)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, m := range w.marks {
			got = append(got, m.name)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
		if err := second(picture(Choice(c.c))); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestChoiceErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		c    []twornn.Candidate
		want string
	}{
		{nil, "no candidates"},
		{candidates(1, 1, nan), "of 1 candidate none has"},
		{candidates(1, 1, nan, inf, -inf), "of 3 candidates none has a finite criterion"},
		{candidates(1, 1, nan, 1, 1.5e308), "criterion of candidate 3 is 1.5e+308"},
		{[]twornn.Candidate{{Rank: 1}, {Rank: -1}}, "candidate 2 is of rank -1"},
	} {
		if _, err := Choice(c.c); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
}

// TestChoiceLegend: the legend lies on no point, whatever its length and the points.
func TestChoiceLegend(t *testing.T) {
	ranks := make([]float64, 60)
	for i := range ranks {
		ranks[i] = 1e6 - float64(i)
	}
	var many []twornn.Candidate
	for l := range 6 {
		many = append(many, candidates(l+1, 0, 1, 1e5, 2e5, 1e5)...)
	}
	many[0].Chosen = true
	for name, c := range map[string][]twornn.Candidate{
		"single":    candidates(1, 1, 3),
		"rising":    candidates(1, 1, 0, 1, 2, 3, 4, 5),
		"huge last": candidates(1, 1, 0, 10, 1e300),
		"many":      many,
		"skipped":   candidates(1, 1, math.NaN(), 1, 2),
		"sixty":     candidates(1, 60, ranks...),
		"far":       {{Rank: 1, Chosen: true}, {Rank: 1e9, Criterion: 1e9}},
	} {
		p, err := Choice(c)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		w, err := weigh(c)
		if err != nil {
			t.Fatal(err)
		}
		area := draw.Crop(draw.New(vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(dpi))), 4, -14, 4, -6)
		data := p.DataCanvas(area)
		legend := p.Legend.Rectangle(area)
		// The glyphs are 7 points in radius. The legend lies to the right, whatever
		// its Rectangle says.
		left := area.Max.X - legend.Size().X
		if right := data.X(p.X.Norm(float64(w.high))) + 7; right > left {
			t.Errorf("%s: the points end at %.0f, the legend begins at %.0f", name, right, left)
		}
		if legend.Min.Y < data.Min.Y {
			t.Errorf("%s: the legend ends below the axis", name)
		}
	}
}

// TestChoiceTicks: labels lie within the axis and keep clear of each other: the figure
// is some 190 points high, its labels are 10 high and, up to 999, 17 wide on 490.
func TestChoiceTicks(t *testing.T) {
	labels := func(ticks []plot.Tick, low, high, length, apart float64) (n int) {
		t.Helper()
		last := math.Inf(-1)
		for _, tick := range ticks {
			if tick.Value < low || tick.Value > high {
				t.Errorf("to %v: a tick at %v", high, tick.Value)
			}
			if tick.Label == "" {
				continue
			}
			if (tick.Value-last)/(high-low)*length < apart {
				t.Errorf("%v to %v: label %q touches the one before", low, high, tick.Label)
			}
			last = tick.Value
			n++
		}
		return n
	}
	for _, most := range []float64{50.1, 99, 101, 1e3, 9.9e4, 1e5, 9e5, 1e6, 9e6, 1e7, 1e20, 1e21, 1e300} {
		p, err := Choice(candidates(1, 1, 0, most/2, most))
		if err != nil {
			t.Fatal(err)
		}
		ticks := p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max)
		if n := labels(ticks, p.Y.Min, p.Y.Max, 190, 10); n < 3 || n > 9 {
			t.Errorf("to %v: %d labels", most, n)
		}
		if !slices.IsSortedFunc(ticks, func(a, b plot.Tick) int {
			if a.Value < b.Value {
				return -1
			}
			return 1
		}) || len(ticks) > 60 {
			t.Errorf("to %v: %d ticks %v", most, len(ticks), ticks)
		}
		if ticks[0].Label != "0" || ticks[0].Value != 0 {
			t.Errorf("to %v: the first tick is %v", most, ticks[0])
		}
	}
	for _, r := range [][2]int{{0, 0}, {1, 1}, {1, 2}, {1, 12}, {0, 12}, {1, 13}, {4, 60}, {1, 100}, {7, 999}, {1, 1e9}} {
		// The points take two thirds of the axis.
		low, high := float64(r[0])-0.5, float64(r[1])+0.5
		if n := labels(ranks{r[0], r[1]}.Ticks(low, 2*high), low, high, 320, 17); n > 13 || n == 0 || r[0] != r[1] && n == 1 {
			t.Errorf("ranks %v: %d labels", r, n)
		}
	}
	// 10 and 1e5 are told apart from 0 and from each other, by a label's height.
	p, err := Choice(candidates(1, 1, -7, 3, 1e5))
	if err != nil {
		t.Fatal(err)
	}
	if at := p.Y.Norm(math.Log1p(10)) - p.Y.Norm(0); at*190 < 10 {
		t.Errorf("10 lies %v above 0", at)
	}
}

// TestManyCandidates: see TestMillionPoints.
func TestManyCandidates(t *testing.T) {
	c := make([]twornn.Candidate, 1_000_000)
	for i := range c {
		c[i] = twornn.Candidate{L: 1 + i%3, Rank: i / 3, Criterion: math.Abs(float64(i - 5000)), Chosen: i == 5000}
	}
	p, err := Choice(c)
	if err != nil {
		t.Fatal(err)
	}
	notTooMuch(t, "a million candidates", p)
}
