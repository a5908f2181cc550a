package moments

import (
	"testing"

	"gonum.org/v1/gonum/mat"
)

func TestSampleIsSpread(t *testing.T) {
	var s, a, b Sample
	for i := range 5000 {
		q := Example{X: mat.NewDense(1, 1, []float64{float64(i)}), Y: mat.NewDense(1, 1, nil)}
		s.add(q)
		if i < 2500 {
			a.add(q)
		} else {
			b.add(q)
		}
	}
	a.merge(b)
	for _, s := range []Sample{s, a} {
		if s.N != 5000 || len(s.Kept) < maxSample/2 || len(s.Kept) > maxSample {
			t.Errorf("%d kept of %d", len(s.Kept), s.N)
		}
		for i := 1; i < len(s.Kept); i++ {
			if gap := s.Kept[i].X.At(0, 0) - s.Kept[i-1].X.At(0, 0); gap <= 0 || gap > 20 {
				t.Errorf("a gap of %v after %d", gap, i)
			}
		}
	}
}
