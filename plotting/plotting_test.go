package plotting

import (
	"bytes"
	"errors"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/twornn/spectral/twornn"
)

// TestFiguresOfBadData: every figure comes back with a picture or an error, within
// the test's time, for data that plotting libraries hang or panic on.
func TestFiguresOfBadData(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	many := make([]float64, 1_000_000)
	for i := range many {
		many[i] = math.Sin(float64(i) / 1e5)
	}
	for name, v := range map[string][]float64{
		"none":            nil,
		"single":          {3},
		"zero":            {0},
		"constant":        {2, 2, 2},
		"nearly constant": {99.99999999999996, 100},
		"nearly the same": {0.77, 0.7699999999999998},
		"NaN":             {1, nan, 3},
		"all NaN":         {nan, nan},
		"Inf":             {1, inf, 2, -inf},
		"huge":            {-1.7e308, 1.7e308},
		"large":           {-1e299, 1e299},
		"tiny":            {1e-320, 2e-320},
		"negative":        {-3, -2},
		"wide":            {1e-200, 1e200},
		"a million":       many,
		"with zeros":      {3, 1, 0, 0},
	} {
		for figure, draw := range map[string]func() (*plot.Plot, error){
			"SingularValues": func() (*plot.Plot, error) { return SingularValues(v) },
			"Forecast":       func() (*plot.Plot, error) { return Forecast("t", "y", nil, Line{"truth", v}, Line{"forecast", v}) },
		} {
			p, err := draw()
			var b []byte
			if err == nil {
				b, err = PNG(p)
			}
			if err == nil {
				if _, err := png.Decode(bytes.NewReader(b)); err != nil {
					t.Errorf("%s of %s: no PNG: %v", figure, name, err)
				}
			} else if strings.Contains(err.Error(), "\n") {
				t.Errorf("%s of %s: %v", figure, name, err)
			}
			Show(p, err) // outside a notebook: at most a line on standard error
		}
	}
}

func TestErrorsName(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{second(SingularValues(nil)), "no singular values"},
		{second(SingularValues([]float64{1, -1})), "singular value 2 is -1"},
		{second(SingularValues([]float64{math.NaN()})), "singular value 1 is NaN"},
		{second(Forecast("", "", nil)), "nothing to draw"},
		{second(Forecast("", "", nil, Line{"a", []float64{1, 2}}, Line{"b", []float64{1}})), `line "b" has 1 value, "a" has 2`},
		{second(Forecast("", "", []time.Time{{}}, Line{"a", []float64{1, 2}})), "1 time for 2 values"},
		{second(Forecast("", "", nil, Line{"a", []float64{1, 1e301}})), "a: value 2 is 1e+301"},
		{second(Forecast("", "", nil, Line{"a", []float64{math.NaN()}})), "no value is finite"},
		{Save("x.png", nil, errors.New("cause")), "cause"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("got %v, want %q", c.err, c.want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestSave(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.png")
	p, err := SingularValues([]float64{3, 1, 0.1})
	if err := Save(path, p, err); err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile(path); err != nil || len(b) > 100_000 || !bytes.HasPrefix(b, []byte("\x89PNG")) {
		t.Errorf("%d bytes, %v", len(b), err)
	}
}

// TestRuns: gaps split a line, and thinning keeps its lowest and highest values.
func TestRuns(t *testing.T) {
	nan := math.NaN()
	x := []float64{0, 1, 2, 3, 4, 5}
	got := runs(x, []float64{nan, 1, 2, nan, 5, nan})
	if len(got) != 2 || len(got[0]) != 2 || len(got[1]) != 1 || got[1][0].X != 4 {
		t.Errorf("runs %v", got)
	}
	n := 100_000
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = float64(i)
	}
	y[54321], y[777] = 9, -7
	got = runs(x, y)
	if len(got) != 1 || len(got[0]) > 2*maxPoints {
		t.Fatalf("%d points", len(got[0]))
	}
	var low, high float64
	for i, p := range got[0] {
		low, high = min(low, p.Y), max(high, p.Y)
		if i > 0 && p.X <= got[0][i-1].X {
			t.Fatal("points out of order")
		}
	}
	if low != -7 || high != 9 {
		t.Errorf("the thinned line spans %v to %v", low, high)
	}
}

// TestUnevenTimes: where most values lie close together, the others are drawn as finely as the axis shows, all
// in order and with the lowest and highest of all; times that differ by less than a second stand apart.
func TestUnevenTimes(t *testing.T) {
	// 100,000 values in the first hundredth of the axis, 10,000 in the rest.
	var x, y []float64
	for i := range 100_000 {
		x, y = append(x, float64(i)/1e5), append(y, 0)
	}
	for i := range 10_000 {
		x, y = append(x, 1+99*float64(i+1)/1e4), append(y, math.Sin(float64(i)/30))
	}
	y[77_777], y[105_000] = -9, 9
	got := runs(x, y)
	if len(got) != 1 || len(got[0]) > maxPoints {
		t.Fatalf("%d runs, %d points", len(got), len(got[0]))
	}
	low, high, late := 0.0, 0.0, 0
	for i, at := range got[0] {
		low, high = min(low, at.Y), max(high, at.Y)
		if at.X > 1 {
			late++
		}
		if i > 0 && at.X < got[0][i-1].X {
			t.Fatal("points out of order")
		}
	}
	if low != -9 || high != 9 || late < maxPoints*9/10 {
		t.Errorf("from %v to %v, %d points of the last 99 parts in 100", low, high, late)
	}
	if band := stretches(x, y, y); len(band) != 1 || len(band[0].low) > maxPoints || len(band[0].low) < maxPoints*9/10 {
		t.Errorf("a band of %d points", len(band[0].low))
	}
	begin := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	at := positions(3, []time.Time{begin, begin.Add(10 * time.Millisecond), begin.Add(time.Second)})
	if math.Abs(at[1]-at[0]-0.01) > 1e-6 || at[2]-at[0] != 1 {
		t.Errorf("times at %v", at)
	}
}

// TestTicks: between two and thirteen labels, inside the axis, whatever the span.
func TestTicks(t *testing.T) {
	start := time.Date(1976, 1, 17, 5, 0, 0, 0, time.UTC)
	for _, days := range []float64{0.01 / 86400, 0.3 / 86400, 3. / 86400, 1, 2, 5, 20, 60, 100, 365, 1000, 6574, 40000} {
		low, high := float64(start.Unix()), float64(start.Unix())+days*86400
		labels := 0
		for _, tick := range (dates{}).Ticks(low, high) {
			if tick.Value < low || tick.Value > high {
				t.Errorf("%v days: a tick outside", days)
			}
			if tick.Label != "" {
				labels++
			}
		}
		if labels < 2 || labels > 17 {
			t.Errorf("%v days: %d labels", days, labels)
		}
	}
	for _, e := range []int{1, 2, 5, 12, 40, 300} {
		labels := 0
		for _, tick := range (decades{}).Ticks(1, math.Pow(10, float64(e))) {
			if tick.Label != "" {
				labels++
			}
		}
		if labels < 2 || labels > 13 {
			t.Errorf("%d decades: %d labels", e, labels)
		}
	}
	for _, span := range [][2]float64{{0, 1}, {-3, 50}, {1e-8, 2e-8}, {99, 101}, {-1e299, 1e299}, {1e6, 1.00001e6}, {100, 100 + 1e-12}} {
		ticks := (round{}).Ticks(span[0], span[1])
		seen := map[string]bool{}
		for _, tick := range ticks {
			if tick.Value < span[0] || tick.Value > span[1] || seen[tick.Label] {
				t.Errorf("%v: tick %q at %v", span, tick.Label, tick.Value)
			}
			seen[tick.Label] = true
		}
		if len(ticks) < 2 || len(ticks) > 8 {
			t.Errorf("%v: %d ticks", span, len(ticks))
		}
	}
	for _, c := range []struct {
		low, high float64
		want      string
	}{
		{1e-12, 1e15, "1e-10 1e-5 1 1e5 1e10 1e15"},
		{1, 1e4, "1 10 100 1000 10000"},         // not 1000 beside 1e4
		{1e-4, 10, "1e-4 1e-3 1e-2 1e-1 1 1e1"}, // not 0.001 beside 1e-4
		{0.2, 5, "0.2 0.5 1 2 5"},
		{2e-5, 4e-4, "2e-5 5e-5 1e-4 2e-4"},
	} {
		var got []string
		for _, t := range (logTicks{}).Ticks(math.Log10(c.low)-1e-9, math.Log10(c.high)+1e-9) {
			if t.Label != "" {
				got = append(got, t.Label)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%g to %g: %q, want %q", c.low, c.high, got, c.want)
		}
	}
}

func TestTable(t *testing.T) {
	m := twornn.Metrics{N: 10, P: 2, RMSE: 1.23456, MAE: 0.5, R2: 0.25,
		Outputs: []twornn.OutputMetrics{{MSE: 1, Mean: 1, Variance: 3}, {MSE: 2, Mean: 0, Variance: 4}}}
	bad := twornn.Metrics{Err: errors.New("no sequence to score")}
	odd := m
	odd.N, odd.NonFinite = 9, 3
	got := Scores("Wind", "knots", []float64{0, 0}, Score{"model|a", m}, Score{"none", bad}, Score{"odd", odd}).String()
	// R² against 0: 1 − 1/(3+1) and 1 − 2/4, mean 0.625.
	want := `Wind

         RMSE, knots  MAE, knots     R²
-------  -----------  ----------  -----
model|a        1.235       0.500  0.625
none               –           –      –
odd            1.235       0.500  0.625

none: no sequence to score. odd: 3 predictions are not finite. model|a is scored on 10 targets, odd on 9: not comparable. 10 test targets of 2 outputs; R² is the mean over the outputs, against the training mean.`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	md := Scores("Wind", "knots", nil, Score{"model|a", m}).Markdown()
	if !strings.Contains(md, "| model\\|a | 1.235 | 0.500 | 0.250 |") || !strings.Contains(md, "|:--|--:|--:|--:|") {
		t.Errorf("Markdown:\n%s", md)
	}
}

func TestTableAdd(t *testing.T) {
	table := Table{Header: []string{"method", "N", "error"}}
	table.Add("TIHT", 160, 0.012345)
	table.Add("IHT", uint64(7), []int{1, 2})
	table.Add(2389.4, -1e6, 999999.0)
	table.Add(math.NaN(), 1.5e-7, 0.0)
	want := [][]string{{"TIHT", "160", "0.0123"}, {"IHT", "7", "[1 2]"}, {"2390", "-1.00e+06", "1.00e+06"}, {"NaN", "1.50e-07", "0"}}
	if !reflect.DeepEqual(table.Rows, want) {
		t.Errorf("got %q, want %q", table.Rows, want)
	}
}

// TestDigitsLineUp: every number has its digits, zeros at their end too, or columns do not line up.
func TestDigitsLineUp(t *testing.T) {
	for x, want := range map[float64]string{
		1.2: "1.20", 1.25: "1.25", 1: "1.00", 20: "20.0", 0.02: "0.0200", 9.996: "10.0", 1234: "1230", 999.9: "1000", -0.5: "-0.500",
		0: "0", math.Copysign(0, -1): "0", 123456: "123000", 999500: "1.00e+06", 1e-4: "0.000100", 3e-5: "3.00e-05", math.Inf(1): "+Inf",
	} {
		if got := Digits(x, 3); got != want {
			t.Errorf("%v is printed %s, want %s", x, got, want)
		}
	}
	if got := Digits(1234567, 8); got != "1234567.0" {
		t.Error(got)
	}
}

// A series of zeros and ones is drawn as steps: level, then upright, never aslant.
func TestSteps(t *testing.T) {
	p, err := TimeSeries("", "", nil, Line{Name: "rain", Y: []float64{0, 1, 1, 0}})
	if err != nil {
		t.Fatal(err)
	}
	var r recorder.Canvas
	p.Draw(draw.NewCanvas(&r, width, height))
	for _, a := range r.Actions {
		if s, ok := a.(*recorder.Stroke); ok && len(s.Path) > 4 {
			for i := 1; i < len(s.Path); i++ {
				if d := s.Path[i].Pos.Sub(s.Path[i-1].Pos); math.Abs(float64(d.X*d.Y)) > 1e-6 {
					t.Errorf("from %v to %v", s.Path[i-1].Pos, s.Path[i].Pos)
				}
			}
		}
	}
}
