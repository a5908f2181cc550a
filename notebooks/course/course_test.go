package course

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/experiment"
)

func TestWords(t *testing.T) {
	ab := []string{"a", "b"}
	if got, want := Words(ab, 2), []string{"", "a", "b", "aa", "ab", "ba", "bb"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := Names(ab, 1); got[0] != "ε" || got[2] != "b" {
		t.Errorf("got %q", got)
	}
	if OneHot(ab, "") != nil {
		t.Error("the empty word has an input")
	}
	if got := OneHot(ab, "ba"); !mat.Equal(got, mat.NewDense(2, 2, []float64{0, 1, 1, 0})) {
		t.Errorf("got %v", got)
	}
}

func TestSingularValues(t *testing.T) {
	if got := SingularValues(mat.NewDense(2, 3, []float64{0, -3, 0, 4, 0, 0})); len(got) != 2 || math.Abs(got[0]-4)+math.Abs(got[1]-3) > 1e-14 {
		t.Errorf("got %v, want 4 and 3", got)
	}
}

// The means over 1 to 3, 3 to 9, 10 to 31 and so on, of positions themselves, lie within their
// stretches, and of a constant they are the constant.
func TestStretches(t *testing.T) {
	y := make([]float64, 1000)
	for i := range y {
		y[i] = float64(i + 1)
	}
	c := Stretches("positions", y)
	if len(c.X) != 6 || c.Y[0] != 2 || c.X[0] != math.Sqrt(3) {
		t.Errorf("got %v", c)
	}
	if !slices.IsSorted(c.Y) || c.Y[5] > 1000 {
		t.Errorf("got %v", c.Y)
	}
}

func TestParallel(t *testing.T) {
	done := make([]bool, 50)
	Parallel(len(done), func(i int) { done[i] = true })
	if slices.Contains(done, false) {
		t.Errorf("got %v", done)
	}
}

// A curve a label, the median and the quartiles over the seeds at each N.
func TestCurves(t *testing.T) {
	var rows experiment.Rows
	for _, n := range []int{10, 20} {
		for seed, e := range []float64{1, 2, 4} {
			for _, m := range []string{"A", "B"} {
				r := experiment.Row{}
				r.Method, r.N, r.Seed, r.MSE = m, n, uint64(seed), e*float64(n)
				rows = append(rows, r)
			}
		}
	}
	curves := Curves(rows, Method)
	if len(curves) != 2 || curves[0].Name != "A" || curves[1].Name != "B" {
		t.Fatalf("got %v", curves)
	}
	c := curves[0]
	if !slices.Equal(c.X, []float64{10, 20}) || !slices.Equal(c.Y, []float64{20, 40}) {
		t.Errorf("got %v", c)
	}
	if !slices.Equal(c.Low, []float64{15, 30}) || !slices.Equal(c.High, []float64{30, 60}) {
		t.Errorf("quartiles %v, %v", c.Low, c.High)
	}
}
