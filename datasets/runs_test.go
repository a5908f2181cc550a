package datasets

import (
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
)

// A run ends at a gap in time and at a missing input, and goes on where an output is missing.
func TestRuns(t *testing.T) {
	const text = `time,u,y,z
2024-01-01 00:00,1,10,0
2024-01-01 01:00,2,,0
2024-01-01 02:00,3,30,0
2024-01-01 03:00,,40,0
2024-01-01 04:00,5,50,0
2024-01-01 09:00,6,,0
2024-01-01 10:00,7,70,0
2024-01-01 15:00,8,,0
`
	s, err := Read(strings.NewReader(text), "runs.csv", CSV{})
	if err != nil {
		t.Fatal(err)
	}
	want := []twornn.Sequence{
		{X: mat.NewDense(3, 2, []float64{1, 1, 1, 2, 1, 3}), Y: mat.NewDense(2, 1, []float64{10, 30}), At: []int{1, 3}},
		{X: mat.NewDense(1, 2, []float64{1, 5}), Y: mat.NewDense(1, 1, []float64{50}), At: []int{1}},
		{X: mat.NewDense(2, 2, []float64{1, 6, 1, 7}), Y: mat.NewDense(1, 1, []float64{70}), At: []int{2}},
	}
	got := slices.Collect(s.Runs([]string{"u"}, []string{"y"}))
	if len(got) != len(want) {
		t.Fatalf("%d runs, want %d", len(got), len(want))
	}
	for i, q := range got {
		w := want[i]
		if q.Err != nil || !mat.Equal(q.X, w.X) || !mat.Equal(q.Y, w.Y) || !slices.Equal(q.At, w.At) {
			t.Errorf("run %d: %v %v %v %v", i, q.Err, mat.Formatted(q.X), mat.Formatted(q.Y), q.At)
		}
	}
	if _, err := twornn.Collect(s.Runs([]string{"u"}, []string{"y"})); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		in, out []string
		want    string
	}{
		{[]string{"u"}, []string{"u"}, "use Windows"},
		{[]string{"v"}, []string{"y"}, "no column v"},
		{nil, []string{"y"}, "an input and an output"},
		{[]string{"u"}, []string{"w"}, "no column w; it has u, y, z"},
	} {
		q := slices.Collect(s.Runs(c.in, c.out))
		if len(q) != 1 || q[0].Err == nil || !strings.Contains(q[0].Err.Error(), c.want) {
			t.Errorf("%v %v: %v, want %q", c.in, c.out, q, c.want)
		}
	}
}
