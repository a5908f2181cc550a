package plotting

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"

	"github.com/twornn/spectral/twornn"
)

// everyFigure is every figure of one sequence of values, under one name.
var everyFigure = map[string]func(name string, v []float64) (*plot.Plot, error){
	"Curves": func(name string, v []float64) (*plot.Plot, error) {
		return Curves(name, name, name, curveOf(name, v), curveOf("b", v))
	},
	"Errors": func(name string, v []float64) (*plot.Plot, error) {
		return Errors(name, name, name, curveOf(name, v), curveOf("b", v))
	},
	"ByCount": func(name string, v []float64) (*plot.Plot, error) {
		return ByCount(name, name, name, curveOf(name, v), curveOf("b", v))
	},
	"TimeSeries": func(name string, v []float64) (*plot.Plot, error) {
		return TimeSeries(name, name, nil, Line{name, v}, Line{"b", v})
	},
	"Forecast": func(name string, v []float64) (*plot.Plot, error) {
		times := make([]time.Time, len(v))
		for i := range times {
			times[i] = time.Unix(int64(i), 0)
		}
		return Forecast(name, name, times, Line{name, v}, Line{"b", v})
	},
	"ForecastBand": func(name string, v []float64) (*plot.Plot, error) {
		return ForecastBand(name, name, nil, Band{name, v, v}, Line{name, v}, Line{"b", v})
	},
	"Residuals":       func(name string, v []float64) (*plot.Plot, error) { return Residuals(name, name, nil, v) },
	"Against":         func(name string, v []float64) (*plot.Plot, error) { return Against(name, name, name, v, v) },
	"Autocorrelation": func(name string, v []float64) (*plot.Plot, error) { return Autocorrelation(name, v, 5) },
	"Convergence": func(name string, v []float64) (*plot.Plot, error) {
		return Convergence(name, name, Trace{name, v}, Trace{"b", v})
	},
	"SingularValues": func(_ string, v []float64) (*plot.Plot, error) { return SingularValues(v) },
	"HeatMap": func(name string, v []float64) (*plot.Plot, error) {
		if len(v) == 0 {
			return HeatMap(name, &mat.Dense{}, nil, nil)
		}
		names := make([]string, len(v))
		for i := range names {
			names[i] = name
		}
		return HeatMap(name, mat.NewDense(1, len(v), v), []string{name}, names)
	},
	"Choice": func(name string, v []float64) (*plot.Plot, error) {
		c := make([]twornn.Candidate, len(v))
		for i, x := range v {
			c[i] = twornn.Candidate{L: 1, Rank: i + 1, Start: name, MSE: x, Criterion: x, Growth: 1}
		}
		return Choice(c)
	},
	"Automaton": func(name string, v []float64) (*plot.Plot, error) {
		m := twornn.NewModel(2, 1, 1)
		for i := range min(2, len(v)) {
			m.H0.SetVec(i, v[i])
			m.A[0].Set(0, i, v[i])
		}
		return Automaton(name, m.WFA([]string{name}))
	},
	"TensorNetwork": func(name string, v []float64) (*plot.Plot, error) {
		x := 1.0
		if len(v) > 0 {
			x = v[0]
		}
		return TensorNetwork(name, []Node{{Name: name}, {Name: "b", X: x}}, []Edge{{From: 0, To: 1, Label: name}})
	},
}

func curveOf(name string, v []float64) Curve {
	x := make([]float64, len(v))
	for i := range x {
		x[i] = float64(i + 1)
	}
	return Curve{Name: name, X: x, Y: v}
}

func filled(n int, x float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = x
	}
	return v
}

// TestOddValues: whatever the values, each figure is drawn or refused in a sentence: none,
// one, constants, nearly constants, the smallest and the largest, NaN, infinities, and a
// mixture of all.
func TestOddValues(t *testing.T) {
	wide := make([]float64, 1_000_000)
	for i := range wide {
		wide[i] = math.Sin(float64(i) / 1000)
	}
	for what, v := range map[string][]float64{
		"nothing": {}, "one": {3}, "zeros": filled(50, 0), "constant": filled(50, 7), "NaN": filled(50, math.NaN()), "+Inf": filled(50, math.Inf(1)), "-Inf": filled(50, math.Inf(-1)),
		"nearly constant": {99.99999999999996, 100}, "one bit": {0.77, 0.7699999999999998, 0.77}, "largest": {-math.MaxFloat64, math.MaxFloat64}, "smallest": {5e-324, 1e-323, 0},
		"all of them": {1, math.NaN(), math.Inf(1), -2, math.Inf(-1), 0, 1e-300, 1e299, -1e299, 5}, "between gaps": {math.NaN(), 1, math.NaN(), 2, math.NaN()}, "a million": wide,
	} {
		for name, draw := range everyFigure {
			if what == "a million" && (name == "HeatMap" || name == "Choice") {
				v = wide[:20_000]
			}
			p, err := draw("a", v)
			if err != nil {
				if !strings.HasPrefix(err.Error(), "plotting: ") || strings.ContainsAny(err.Error(), "\n") || len(err.Error()) > 300 {
					t.Errorf("%s of %s: %q", name, what, err)
				}
				continue
			}
			notTooMuch(t, name+" of "+what, p)
		}
	}
}

// TestThousandCurves: a thousand curves of a thousand points are thinned to what a picture
// shows, with their extremes, and the key names as many as have room.
func TestThousandCurves(t *testing.T) {
	const n = 1000
	curves, lines, traces := make([]Curve, n), make([]Line, n), make([]Trace, n)
	for i := range n {
		y := make([]float64, n)
		for k := range y {
			y[k] = 2 + math.Sin(float64(i*k))
		}
		y[i] = 1000 + float64(i)
		name := fmt.Sprint("a curve of number ", i)
		curves[i], lines[i], traces[i] = curveOf(name, y), Line{name, y}, Trace{name, y}
	}
	for what, draw := range map[string]func() (*plot.Plot, error){
		"Curves":      func() (*plot.Plot, error) { return Curves("", "", "", curves...) },
		"Errors":      func() (*plot.Plot, error) { return Errors("", "", "", curves...) },
		"TimeSeries":  func() (*plot.Plot, error) { return TimeSeries("", "", nil, lines...) },
		"Convergence": func() (*plot.Plot, error) { return Convergence("", "", traces...) },
	} {
		p, err := draw()
		if err != nil {
			if len(err.Error()) > 300 {
				t.Errorf("%s: %.300v", what, err)
			}
			continue
		}
		if what == "Curves" {
			notTooMuch(t, what, p)
		} else if n := parts(p); n > mostDrawn {
			t.Errorf("%s: the figure has %d parts, more than %d", what, n, mostDrawn)
		}
		if p.Y.Max < math.Log10(1999) || p.Y.Max < 1999 && !strings.Contains("Errors Convergence", what) { // whose axes are logarithmic

			t.Errorf("%s: the axis ends at %v; the extremes are gone", what, p.Y.Max)
		}
	}
}

// drawnTexts returns the pieces of text that a figure is made of.
func drawnTexts(p *plot.Plot) (all []string) {
	c := new(recorder.Canvas)
	p.Draw(page(draw.NewCanvas(c, width, height)))
	for _, a := range c.Actions {
		if s, ok := a.(*recorder.FillString); ok {
			all = append(all, s.String)
		}
	}
	return all
}

// TestMissingLetters: a character that the font lacks is drawn by its number in titles,
// labels, keys and diagrams, and never left blank; those that it has stay.
func TestMissingLetters(t *testing.T) {
	const name = "日 é λ Ж\u200d\ufeff\x01🚴"
	for what, draw := range everyFigure {
		if what == "SingularValues" || what == "Choice" {
			continue // all their texts are our own
		}
		p, err := draw(name, []float64{3, 1, 2, 4, 1, 2, 5, 3})
		if what == "Automaton" || what == "TensorNetwork" { // whose small circles have no room for numbers
			if err == nil || !strings.Contains(err.Error(), "the font has no '日'") {
				t.Errorf("%s: %v", what, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		spelt := false
		for _, s := range drawnTexts(p) {
			if strings.ContainsAny(s, "日🚴\u200d\ufeff\x01") || !utf8.ValidString(s) {
				t.Errorf("%s: %q has what the font lacks", what, s)
			}
			spelt = spelt || strings.Contains(s, "[U+65E5]")
		}
		if !spelt {
			t.Errorf("%s: the name is nowhere: %q", what, drawnTexts(p))
		}
	}
	l, f := newLetters(), newPlot("", "", "").Title.TextStyle.Font
	if got := l.spell(name, f); got != "[U+65E5] é λ Ж [U+1F6B4]" {
		t.Errorf("spelt %q", got)
	}
	// The letters of our own labels are all in the font.
	for _, s := range []string{"‖XH − Y‖²", "R² σ ≤ Ω h₀ × ·", "0–9 % …"} {
		if got := l.spell(s, f); got != s {
			t.Errorf("%q is drawn as %q", s, got)
		}
	}
	narrow, _, _ := l.Box("a", f)
	wide, _, _ := l.Box("日", f)
	if wide < 4*narrow {
		t.Errorf("the box of what is drawn is %v wide", wide)
	}
}
