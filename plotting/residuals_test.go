package plotting

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/plot"
)

func TestResiduals(t *testing.T) {
	day := time.Date(1978, 1, 1, 0, 0, 0, 0, time.UTC)
	r := []float64{3, -4, math.NaN(), 0, 5}
	times := make([]time.Time, len(r))
	for i := range times {
		times[i] = day.AddDate(0, 0, i)
	}
	p, err := Residuals("title", "knots", times, r)
	got := written(t, p, err)
	// The root of (9+16+25)/4 is 3.54; all lie within 1.96 times that.
	for _, want := range []string{"residuals (1 value missing)", "RMS = 3.54", "100.0% lie within", "1 Jan 1978"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	if p.Y.Min > -6.93 || p.Y.Max < 6.93 {
		t.Errorf("the limits ±6.93 lie outside %v to %v", p.Y.Min, p.Y.Max)
	}
	if err := second(picture(Residuals("", "", times[:1], r[:1]))); err != nil {
		t.Error(err)
	}
	if err := second(picture(Residuals("", "", nil, make([]float64, 3)))); err != nil {
		t.Error(err)
	}
	for want, f := range map[string]func() (*plot.Plot, error){
		"no residuals":              func() (*plot.Plot, error) { return Residuals("", "", nil, nil) },
		"1 time for 5 residuals":    func() (*plot.Plot, error) { return Residuals("", "", times[:1], r) },
		"of 1 residual none":        func() (*plot.Plot, error) { return Residuals("", "", nil, r[2:3]) },
		"residuals: value 1 is 1e+": func() (*plot.Plot, error) { return Residuals("", "", nil, []float64{1e301}) },
	} {
		if _, err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestCloud: of many points at most 2,000 are drawn, with those that lie apart.
func TestCloud(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{10, maxPoints, maxPoints + 1, 300_000} {
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = rng.NormFloat64(), rng.NormFloat64()
		}
		x[n/2], y[n/2] = 9, -9
		x[1] = math.NaN()
		f := frame{left: -10, right: 10, foot: -10, top: 10}
		got := f.cloud(x, y)
		apart := false
		for _, at := range got {
			apart = apart || at.X == 9 && at.Y == -9
		}
		if !apart || len(got) > maxPoints || n <= maxPoints && len(got) != n-1 || len(got) < min(n-1, maxPoints/3) {
			t.Errorf("of %d points %d, that apart drawn: %v", n, len(got), apart)
		}
	}
}

func TestAgainst(t *testing.T) {
	x, y := []float64{1, 2, 3, math.NaN(), 5}, []float64{2, 3, 4, 4, math.Inf(1)}
	p, err := Against("title", "forecast", "measured", x, y)
	got := written(t, p, err)
	for _, want := range []string{"y = x", "3 pairs (2 values missing)", "RMS of y − x = 1", "correlation = 1.000"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	if p.X.Min != p.Y.Min || p.X.Max != p.Y.Max || p.X.Min > 1 || p.X.Max < 4 || p.X.Max > 5 {
		t.Errorf("axes %v to %v, %v to %v", p.X.Min, p.X.Max, p.Y.Min, p.Y.Max)
	}
	if r := correlation([]float64{1e299, -1e299, 0}, []float64{-2, 2, 0}, 2e299); math.Abs(r+1) > 1e-9 && finite(r) {
		t.Errorf("correlation %v", r)
	}
	if r := correlation([]float64{1, 2, 4}, []float64{1, 3, 2}, 3); math.Abs(r-0.3273268) > 1e-6 { // 1/√(14/3 · 2)
		t.Errorf("correlation %v", r)
	}
	for want, v := range map[string][2][]float64{
		"2 values of x (f) and 1 of y (m)": {{1, 2}, {1}},
		"nothing to draw":                  {nil, nil},
		"of 1 pair none is finite":         {{1}, {math.NaN()}},
		"y: value 1 is 1e+301":             {{1}, {1e301}},
	} {
		if _, err := Against("", "f", "m", v[0], v[1]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	for _, v := range [][]float64{{1e300, -1e300}, {0, 0}, {7}, {1e-300, 2e-300}} {
		if err := second(picture(Against("", "", "", v, v))); err != nil {
			t.Errorf("%v: %v", v, err)
		}
	}
}
