package plotting

import (
	"math"
	"strings"
	"testing"
)

func TestConvergence(t *testing.T) {
	y := []float64{10, 1, 0.1, 0, math.NaN()}
	p, err := Convergence("Recovery", "residual", Trace{"IHT", y}, Trace{"ALS", y[:2]}, Trace{Y: y[:1]})
	got := written(t, p, err)
	for _, want := range []string{"iteration", "residual", "IHT (1 value missing, 1", "|ALS|", "|trace 3", "|1|2|3|4|5|"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	// Iterations count from 1 to the last, though only the first three can be drawn.
	if p.X.Min > 1 || p.X.Min < 0.9 || p.X.Max < 5 || p.X.Max > 5.1 {
		t.Errorf("iterations %v to %v", p.X.Min, p.X.Max)
	}
	if p.Y.Min > -1 || p.Y.Max < 1 {
		t.Errorf("10^%v to 10^%v", p.Y.Min, p.Y.Max)
	}
	for want, traces := range map[string][]Trace{
		"nothing to draw":              nil,
		"positive":                     {{"a", []float64{0, -1}}},
		`trace "a": value 2 is 1e+301`: {{"a", []float64{0, 1e301}}},
	} {
		if _, err := Convergence("", "", traces...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if err := second(picture(Convergence("", "", Trace{"a", make([]float64, 0)}, Trace{"b", []float64{3}}))); err != nil {
		t.Error(err)
	}
}
