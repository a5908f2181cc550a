package plotting

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot"

	"github.com/twornn/spectral/twornn"
)

// TestMillionPoints: whatever the data, a figure is drawn in about a second; three
// leave room for a slow machine.
func TestMillionPoints(t *testing.T) {
	const n = 1_000_000
	times := make([]time.Time, n)
	falling, gaps, runs := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		times[i] = time.Unix(int64(i)*3600, 0)
		falling[i] = 1 / float64(i+1)
		gaps[i], runs[i] = math.Sin(float64(i)/1e5), float64(i%7)
		if i%2 == 1 {
			gaps[i] = math.NaN()
		}
		if i%5000 > 3000 {
			runs[i] = math.NaN()
		}
	}
	for name, draw := range map[string]func() (*plot.Plot, error){
		"singular values":         func() (*plot.Plot, error) { return SingularValues(falling) },
		"singular values, zeros":  func() (*plot.Plot, error) { return SingularValues(make([]float64, n)) },
		"singular values, rank":   func() (*plot.Plot, error) { return SingularValuesRank(falling, n/2) },
		"every other value a gap": func() (*plot.Plot, error) { return Forecast("", "", nil, Line{"a", gaps}, Line{"b", falling}) },
		"long gaps, times":        func() (*plot.Plot, error) { return TimeSeries("", "", times, Line{"a", runs}, Line{"b", falling}) },
		"2000 values, 1000 gaps":  func() (*plot.Plot, error) { return TimeSeries("", "", nil, Line{"a", gaps[:2000]}) },
	} {
		p, err := draw()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		notTooMuch(t, name, p)
	}
}

// TestSingularValuesLeftOut: the figure says which of many values it shows.
func TestSingularValuesLeftOut(t *testing.T) {
	s := make([]float64, 300_000)
	for i := range s {
		s[i] = 1 / float64(i+1)
	}
	p, err := SingularValues(s)
	if err != nil {
		t.Fatal(err)
	}
	if want := "state (the first 200; 299800 more are not drawn)"; p.X.Label.Text != want || p.X.Max != 200.5 {
		t.Errorf("axis %q to %v, want %q to 200.5", p.X.Label.Text, p.X.Max, want)
	}
	p, err = SingularValues(s[:200])
	if err != nil || p.X.Label.Text != "state" {
		t.Errorf("axis %q, %v", p.X.Label.Text, err)
	}
	// What is not drawn is checked all the same.
	s[250_000] = math.NaN()
	if _, err := SingularValues(s); err == nil || !strings.Contains(err.Error(), "singular value 250001 is NaN") {
		t.Error(err)
	}
}

func TestSingularValuesRank(t *testing.T) {
	s := []float64{3, 1, 0.1, 0}
	for _, rank := range []int{-1, 5} {
		want := fmt.Sprintf("rank %d of 4 singular values", rank)
		if _, err := SingularValuesRank(s, rank); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	for rank := range 5 {
		p, err := SingularValuesRank(s, rank)
		if err := second(picture(p, err)); err != nil {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	kept, out, zero := split([]float64{3, 1, 0, 0.1, 0}, 2, 0.01)
	if len(kept) != 2 || len(out) != 1 || len(zero) != 2 || out[0].X != 4 || zero[0].X != 3 || zero[0].Y != 0.01 {
		t.Errorf("kept %v, left out %v, zero %v", kept, out, zero)
	}
}

func picture(p *plot.Plot, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return PNG(p)
}

// TestNoFigure: what is no figure is said to be none, in words.
func TestNoFigure(t *testing.T) {
	for _, err := range []error{second(PNG(nil)), Save(t.TempDir()+"/x.png", nil, nil)} {
		if err == nil || !strings.Contains(err.Error(), "there is no figure") {
			t.Error(err)
		}
	}
	Show(nil, nil)
}

// TestDateLabelsFit: from minutes to centuries there are two to seven labels, and
// neighbours, centred on their ticks, keep a gap of 4 points on the narrowest axis.
func TestDateLabelsFit(t *testing.T) {
	const axis = 480 // points; the figure has 576
	style := newPlot("", "", "").X.Tick.Label
	for _, start := range []string{"1976-01-17T05:12:34Z", "2013-02-01T00:00:00Z", "1999-12-31T23:59:59Z", "1900-01-01T00:00:00Z"} {
		from, err := time.Parse(time.RFC3339, start)
		if err != nil {
			t.Fatal(err)
		}
		for span := 2.0; span < 400*365*86400; span *= 1.07 {
			low := float64(from.Unix())
			high := math.Round(low + span)
			ticks := dates{}.Ticks(low, high)
			if len(ticks) < 2 || len(ticks) > 7 {
				t.Errorf("%s and %.0f s: %d ticks", start, span, len(ticks))
			}
			for i, tick := range ticks {
				if tick.Value < low || tick.Value > high || tick.Label == "" {
					t.Errorf("%s and %.0f s: tick %q at %v", start, span, tick.Label, tick.Value)
				}
				if i == 0 {
					continue
				}
				between := (tick.Value - ticks[i-1].Value) / (high - low) * axis
				widths := (style.Width(tick.Label) + style.Width(ticks[i-1].Label)).Points() / 2
				if between < widths+4 {
					t.Errorf("%s and %.0f s: %q and %q are %.0f points apart, %.0f wide", start, span, ticks[i-1].Label, tick.Label, between, widths)
				}
			}
		}
	}
	// Times that cannot be meant, such as those never set, end all the same.
	for _, span := range [][2]float64{{-6e10, 2e9}, {-9e18, 9e18}, {5, 5}, {-1e25, 1e25}} {
		if n := len(dates{}.Ticks(span[0], span[1])); n > 100 {
			t.Errorf("%v: %d ticks", span, n)
		}
	}
}

// TestZeroTick: a tick at zero is "0", also where the axis begins below it.
func TestZeroTick(t *testing.T) {
	for _, low := range []float64{-0.03, -0.3, -3, 0} {
		found := false
		for _, tick := range (round{}).Ticks(low, 10) {
			found = found || tick.Label == "0"
			if tick.Label == "-0" {
				t.Errorf("from %v: a label -0", low)
			}
		}
		if !found {
			t.Errorf("from %v: no tick at 0", low)
		}
	}
}

func TestPlurals(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{missing("a", 0), "a"}, {missing("a", 1), "a (1 value missing)"}, {missing("a", 2), "a (2 values missing)"},
		{zeros(1), "1 is zero"}, {zeros(2), "2 are zero"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
	m := twornn.Metrics{N: 1, P: 1, RMSE: 1, MAE: 1, NonFinite: 1, Outputs: make([]twornn.OutputMetrics, 1)}
	note := Scores("", "m", nil, Score{"a", m}).Note
	if !strings.Contains(note, "a: 1 prediction is not finite") || !strings.Contains(note, "1 test target of 1 output;") {
		t.Error(note)
	}
}

// TestOddScores: what no figure can be printed for is a dash, with the reason below.
func TestOddScores(t *testing.T) {
	out := []twornn.OutputMetrics{{MSE: 1, Mean: 1, Variance: 3}}
	m := func(r2 float64) twornn.Metrics {
		return twornn.Metrics{N: 10, P: 1, RMSE: 1, MAE: 0.5, R2: r2, Outputs: out}
	}
	inf := m(0.5)
	inf.RMSE, inf.MAE = math.Inf(1), math.NaN()
	for _, c := range []struct {
		mean []float64
		m    twornn.Metrics
		row  string
		note string
	}{
		{nil, m(math.NaN()), "a 1.000 0.500 –", ""},
		{nil, m(math.Inf(-1)), "a 1.000 0.500 –", ""},
		{nil, m(-0.0004), "a 1.000 0.500 0.000", ""},
		{nil, m(-0.0006), "a 1.000 0.500 -0.001", ""},
		{nil, m(-1.23456e300), "a 1.000 0.500 -1.235e+300", ""},
		{nil, inf, "a – – 0.500", ""},
		{[]float64{0}, m(0), "a 1.000 0.500 0.750", "against the training mean"},
		{[]float64{0, 1}, m(0.5), "a 1.000 0.500 –", "a: there are 2 means for 1 output"},
		{[]float64{}, m(0.5), "a 1.000 0.500 –", "a: there are 0 means for 1 output"},
		{[]float64{0}, twornn.Metrics{}, "a – – –", "a: nothing was scored"},
		{nil, twornn.Metrics{}, "a – – –", "a: nothing was scored"},
		{nil, twornn.Metrics{Err: errors.New("cause")}, "a – – –", "a: cause"},
	} {
		table := Scores("", "m", c.mean, Score{"a", c.m})
		if row := strings.Join(table.Rows[0], " "); row != c.row || !strings.Contains(table.Note, c.note) {
			t.Errorf("R² %v, means %v: got %q, %q\nwant %q, %q", c.m.R2, c.mean, row, table.Note, c.row, c.note)
		}
		_, _ = table.String(), table.Markdown()
	}
	// What befell several is said once, with their names.
	bad := twornn.Metrics{Err: errors.New("a gap")}
	note := Scores("", "m", nil, Score{"none", twornn.Metrics{}}, Score{"x", bad}, Score{"a", m(0)}, Score{"y", bad}).Note
	if !strings.HasPrefix(note, "none: nothing was scored. x, y: a gap. 10 test targets") {
		t.Error(note)
	}
	// The number of targets is that of the first that could be scored.
	if note := Scores("", "m", nil, Score{"none", twornn.Metrics{}}, Score{"a", m(0)}).Note; !strings.Contains(note, "10 test targets") {
		t.Error(note)
	}
}

// TestRaggedTable: rows longer or shorter than the header keep all their cells.
func TestRaggedTable(t *testing.T) {
	table := Table{Header: []string{"a", "b"}, Rows: [][]string{{"1", "2", "333"}, {"4"}, nil}}
	if got, want := table.String(), "a  b\n-  -  ---\n1  2  333\n4"; got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
	if got, want := table.Markdown(), "| a | b |  |\n|:--|--:|--:|\n| 1 | 2 | 333 |\n| 4 |  |  |\n|  |  |  |\n"; got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}
