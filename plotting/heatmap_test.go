package plotting

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/recorder"
)

// TestHeatMapPlaces: values and labels are written, the first row at the top, the first
// column at the left.
func TestHeatMapPlaces(t *testing.T) {
	p, err := HeatMap("title", mat.NewDense(2, 3, []float64{1, 2, 3, -4, 0, math.NaN()}), []string{"ε", "ab"}, []string{"x", "y", "z"})
	got := written(t, p, err)
	for _, want := range []string{"ε", "ab", "|x|y|z|", "grey: 1 value missing", "|1|", "|−4|", "|0|"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	var r recorder.Canvas
	p.Draw(page(draw.NewCanvas(&r, width, height)))
	at := map[string]vg.Point{}
	for _, a := range r.Actions {
		if s, ok := a.(*recorder.FillString); ok {
			at[s.String] = s.Point
		}
	}
	if at["1"].Y <= at["−4"].Y || at["1"].X >= at["3"].X || at["ε"].Y <= at["ab"].Y || math.Abs(float64(at["1"].Y-at["ε"].Y)) > 8 {
		t.Errorf("places %v", at)
	}
}

// TestHeat: large matrices are averaged; the range is symmetric about zero.
func TestHeat(t *testing.T) {
	m := mat.NewDense(401, 5, nil)
	for i := range 401 {
		for j := range 5 {
			m.Set(i, j, float64(i))
		}
	}
	m.Set(0, 0, math.NaN())
	h, err := newHeat(m)
	if err != nil {
		t.Fatal(err)
	}
	// Three rows a cell: the first is the mean of 1 and 2, the next of 3, 4, 5; the last
	// has rows 399 and 400.
	if h.high != 3 || h.wide != 1 || h.across != 5 || len(h.cells) != 134*5 || h.missing != 1 {
		t.Fatalf("%d×%d entries a cell, %d a row of %d, %d missing", h.high, h.wide, h.across, len(h.cells), h.missing)
	}
	if h.cells[0] != 1.5 || h.cells[1] != 1 || h.cells[5] != 4 || h.limit != 399.5 {
		t.Errorf("cells %v, limit %v", h.cells[:6], h.limit)
	}
	p, err := HeatMap("", m, nil, nil)
	if got := written(t, p, err); !strings.Contains(got, "the mean of 3×1 entries; grey: 1 value missing") {
		t.Error(got)
	}
	zero := shade(0)
	if shade(-2) != diverging[0] || shade(1) != diverging[6] || zero != diverging[3] {
		t.Errorf("colours %v %v %v", shade(-2), shade(1), zero)
	}
	if s := shade(-0.3); s.B <= s.R {
		t.Errorf("below zero %v is not blue", s)
	}
	if s := shade(0.3); s.B >= s.R {
		t.Errorf("above zero %v is not orange", s)
	}
}

func TestHeatMapErrors(t *testing.T) {
	m := mat.NewDense(2, 1, []float64{1, 2})
	for want, c := range map[string]struct {
		m             mat.Matrix
		rows, columns []string
	}{
		"no matrix":               {nil, nil, nil},
		"0×0 has no entries":      {new(mat.Dense), nil, nil},
		"1 row label for 2 rows":  {m, []string{"a"}, nil},
		"0 column labels for 1":   {m, nil, []string{}},
		"2×1 has no finite entry": {mat.NewDense(2, 1, []float64{math.NaN(), math.Inf(1)}), nil, nil},
		"entry (2, 1)":            {mat.NewDense(2, 1, []float64{1, 1e301}), nil, nil},
	} {
		if _, err := HeatMap("", c.m, c.rows, c.columns); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// vast is a matrix that no memory holds.
type vast struct{ r, c int }

func (v vast) Dims() (int, int)    { return v.r, v.c }
func (v vast) At(i, j int) float64 { return float64(i - j) }
func (v vast) T() mat.Matrix       { return mat.Transpose{Matrix: v} }
func long(n int, s string) (l []string) {
	for range n {
		l = append(l, s)
	}
	return l
}

// TestHeatMapsOfOddData: odd and huge matrices are drawn without a panic.
func TestHeatMapsOfOddData(t *testing.T) {
	tiny := mat.NewDense(1, 2, []float64{5e-324, 0})
	for name, c := range map[string]struct {
		m             mat.Matrix
		rows, columns []string
	}{
		"vast":        {vast{1 << 30, 1 << 30}, nil, nil},
		"long":        {vast{1, 1 << 40}, nil, nil},
		"zero":        {mat.NewDense(3, 3, nil), nil, nil},
		"one":         {mat.NewDense(1, 1, []float64{-3}), []string{"a"}, []string{""}},
		"tiny":        {tiny, nil, nil},
		"large":       {mat.NewDense(1, 2, []float64{1e300, -1e300}), nil, nil},
		"long labels": {vast{40, 60}, long(40, strings.Repeat("ab", 1000)), long(60, strings.Repeat("ba", 1000))},
	} {
		p, err := HeatMap(name, c.m, c.rows, c.columns)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		notTooMuch(t, name, p)
	}
}

// TestCellDigitsAreFew: whole numbers have no decimals, and no cell loses any that another
// needs.
func TestCellDigitsAreFew(t *testing.T) {
	for _, c := range []struct {
		cells []float64
		want  int
	}{
		{[]float64{-6, 40, 0}, 1}, {[]float64{-6.5, 40, 0}, 3}, {[]float64{0.5, 1}, 2}, {[]float64{2e-8, 3e-8}, 1}, {[]float64{1, math.NaN()}, 1},
	} {
		h, err := newHeat(mat.NewDense(1, len(c.cells), c.cells))
		if err != nil {
			t.Fatal(err)
		}
		digits := 3
		for digits > 1 && h.same(digits, digits-1) {
			digits--
		}
		if digits != c.want {
			t.Errorf("%v: %d digits, want %d", c.cells, digits, c.want)
		}
	}
}

// TestCellDigits: the digits that fit, no −0, exponents without zeros.
func TestCellDigits(t *testing.T) {
	for _, c := range []struct {
		limit, v float64
		digits   int
		want     string
	}{
		{0.877, 0.1234, 3, "0.123"}, {47, -0.01, 3, "0.0"}, {47, 12.34, 3, "12.3"}, {999, 5, 3, "5"},
		{1e-7, 1.234e-8, 3, "1.23e−8"}, {1e9, -1.234e8, 1, "−1e8"}, {3, 0, 3, "0"},
	} {
		if got := (&heat{limit: c.limit}).digits(c.v, c.digits); got != c.want {
			t.Errorf("%v of %v: %q, want %q", c.v, c.limit, got, c.want)
		}
	}
}

// A matrix that is nil behind its interface is no matrix either.
func TestHeatMapOfNothing(t *testing.T) {
	var none *mat.Dense
	for _, m := range []mat.Matrix{nil, none} {
		if _, err := HeatMap("t", m, nil, nil); err == nil {
			t.Errorf("%T is drawn", m)
		}
	}
}
