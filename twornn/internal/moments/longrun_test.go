package moments

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// TestLongRuns: windows of a series are joined as they follow one another, runs with an outlier are
// left out, and where nothing is left there is no run.
func TestLongRuns(t *testing.T) {
	k := new(Kept)
	for i := range 40 { // windows of two steps of the series 0, 1, …
		x := mat.NewDense(2, 1, []float64{float64(i), float64(i + 1)})
		k.add(Example{X: x, Y: mat.NewDense(2, 1, []float64{float64(i + 1), float64(i + 2)})}, i)
	}
	if err := k.settle(); err != nil {
		t.Fatal(err)
	}
	runs, steps, n := k.LongRuns(1, nil)
	if steps != longLeast || n != longSteps/longLeast {
		t.Fatalf("%d runs of %d steps", n, steps)
	}
	met := 0
	for x := range runs {
		if met++; len(x) != steps {
			t.Fatalf("a run of %d steps", len(x))
		}
		for i := 1; i < len(x); i++ {
			if x[i] != x[i-1]+1 && x[i-1] < 39 { // but at the end, where it begins again
				t.Fatalf("%v is followed by %v", x[i-1], x[i])
			}
		}
	}
	if met != n {
		t.Errorf("%d runs of %d", met, n)
	}
	calm, _, _ := k.LongRuns(1, []Outlier{{Input: true, Value: 300}}) // 30 and beyond are near it
	for x := range calm {
		if slices.Max(x) > 30 {
			t.Fatalf("a run holds %v", slices.Max(x))
		}
	}
	one := new(Kept) // a single long run: in as many steps again what grows by little has not shown
	one.add(Example{X: mat.NewDense(5000, 1, nil), Y: mat.NewDense(5000, 1, nil)}, 0)
	if err := one.settle(); err != nil {
		t.Fatal(err)
	}
	if _, steps, n := one.LongRuns(1, nil); steps != longMore*5000 || n != 1 {
		t.Errorf("%d runs of %d steps", n, steps)
	}
	if _, _, n := k.LongRuns(1, []Outlier{{Input: true, Value: 1e-9}}); n != 0 {
		t.Errorf("%d runs of no inputs", n)
	}
}
