package plotting

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestAutocorrelations: by the formula, on a row worked by hand, and with a gap.
func TestAutocorrelations(t *testing.T) {
	// Deviations −1.5, −0.5, 0.5, 1.5: c_0 = 5/4, c_1 = 1.25/4, c_2 = −1.5/4, c_3 = −2.25/4.
	for _, scale := range []float64{1, 1e290, 1e-290} {
		d, n, err := deviations([]float64{1 * scale, 2 * scale, 3 * scale, 4 * scale})
		if err != nil || n != 4 {
			t.Fatal(n, err)
		}
		rho := autocorrelations(d, n, 3)
		for k, want := range []float64{0.25, -0.3, -0.45} {
			if math.Abs(rho[k]-want) > 1e-12 {
				t.Errorf("lag %d: %v, want %v", k+1, rho[k], want)
			}
		}
	}
	// An alternating row with every third value missing is still seen to alternate.
	r := make([]float64, 300)
	for i := range r {
		if r[i] = float64(i%2*2 - 1); i%3 == 0 {
			r[i] = math.NaN()
		}
	}
	d, n, err := deviations(r)
	if err != nil || n != 200 {
		t.Fatal(n, err)
	}
	if rho := autocorrelations(d, n, 2); math.Abs(rho[0]+1) > 0.02 || math.Abs(rho[1]-1) > 0.03 {
		t.Errorf("%v, want −1 and 1", rho)
	}
}

func TestAutocorrelation(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	r := make([]float64, 100)
	for i := range r {
		r[i] = rng.NormFloat64()
	}
	p, err := Autocorrelation("title", r, 0) // 10·log₁₀(100) = 20 lags
	got := written(t, p, err)
	for _, want := range []string{"100 values", "±1.96/√n = ±0.2", "of 20 lags"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	r[3] = math.NaN()
	p, err = Autocorrelation("title", r, 1000)
	if got := written(t, p, err); !strings.Contains(got, "lag") || p.X.Max != 99.5 || !strings.Contains(got, "99 values (1 value missing)") {
		t.Errorf("to %v, %q", p.X.Max, got)
	}
	long := make([]float64, 500_000)
	for i := range long {
		long[i] = rng.NormFloat64()
	}
	p, err = Autocorrelation("title", long, 1000)
	if got := written(t, p, err); p.X.Max != 150.5 || !strings.Contains(got, "the first 150; 850 more are not drawn") {
		t.Errorf("to %v, %q", p.X.Max, got)
	}
	nan := math.NaN()
	for _, v := range [][]float64{{1, 2}, {1, nan, nan, 2}, {nan, 1, 2}, {1e300, -1e300, 1e300}, {0, 1e-300, 0}} {
		if err := second(picture(Autocorrelation("", v, 0))); err != nil {
			t.Errorf("%v: %v", v, err)
		}
	}
	for want, v := range map[string][]float64{
		"needs two finite values, got 0": nil,
		"needs two finite values, got 1": {1, nan},
		"all values are equal":           {0.1, 0.1, 0.1},
		"value 1 is 1e+301":              {1e301, 1},
	} {
		if _, err := Autocorrelation("", v, 3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	if _, err := Autocorrelation("", r, -1); err == nil {
		t.Error("−1 lags are drawn")
	}
}
