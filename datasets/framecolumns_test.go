package datasets

import (
	"math"
	"strings"
	"testing"
)

func TestFrameOf(t *testing.T) {
	f := FrameOf(FrameColumn{Name: "a", Text: []string{"x", "y"}},
		FrameColumn{Name: "n", Counts: []int{1, 2}}, FrameColumn{Name: "v", Floats: []float64{0.5, math.NaN()}})
	if f.Err != nil || f.Nrow() != 2 || f.Ncol() != 3 {
		t.Fatalf("%v", f)
	}
	if f.Elem(1, 0).String() != "y" || f.Elem(1, 1).Float() != 2 || f.Elem(0, 2).Float() != 0.5 {
		t.Errorf("%v", f)
	}
}

// TestFrameOfTwins: two columns of one name, which gota renames, are an error of the frame; so are
// columns of two lengths.
func TestFrameOfTwins(t *testing.T) {
	for want, f := range map[string]Frame{
		"two columns of the data frame are called a; name them apart": FrameOf(FrameColumn{Name: "a", Counts: []int{1}}, FrameColumn{Name: "b", Counts: []int{1}}, FrameColumn{Name: "a", Floats: []float64{2}}),
		"dimensions": FrameOf(FrameColumn{Name: "a", Counts: []int{1}}, FrameColumn{Name: "b", Counts: []int{1, 2}}),
	} {
		if f.Err == nil || !strings.Contains(f.Err.Error(), want) {
			t.Errorf("%s: %v", want, f.Err)
		}
	}
}

func TestRowsAndColumns(t *testing.T) {
	s := FromColumns([]string{"a", "b"}, []float64{1, 2, 3}, []float64{4, 5, 6})
	v, err := s.Rows(1, 3).Column("b")
	if err != nil || len(v) != 2 || v[0] != 5 || v[1] != 6 {
		t.Errorf("%v, %v", v, err)
	}
	for name, f := range map[string]func(){
		"rows":    func() { s.Rows(2, 4) },
		"lengths": func() { FromColumns([]string{"a", "b"}, []float64{1}, nil) },
		"names":   func() { FromColumns([]string{"a", "a"}, []float64{1}, []float64{1}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

// TestInfiniteColumns: infinities, which no reader lets in, are warned of and left out of scales.
func TestInfiniteColumns(t *testing.T) {
	inf := math.Inf(1)
	s := FromColumns([]string{"a", "b", "c"}, []float64{1, inf, 3, math.NaN()}, []float64{inf, -inf, inf, inf}, []float64{1, 2, 3, 4})
	c := FitScaler(s)
	for j, want := range []struct {
		mean, std float64
		skipped   int
	}{{2, 1, 2}, {0, 1, 4}, {2.5, math.Sqrt(1.25), 0}} {
		if c.Mean[j] != want.mean || math.Abs(c.Std[j]-want.std) > 1e-15 || c.Skipped[j] != want.skipped {
			t.Errorf("column %d: mean %v, deviation %v, %d skipped", j, c.Mean[j], c.Std[j], c.Skipped[j])
		}
	}
	if text := s.String(); !strings.Contains(text, "warning: column a is infinite in 1 row; make these NaN") || !strings.Contains(text, "column b is infinite in 4 rows") || strings.Contains(text, "column c is") {
		t.Error(text)
	}
}
