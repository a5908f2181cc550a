package datasets

import (
	"math"
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
