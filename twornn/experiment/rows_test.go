package experiment

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestCSV(t *testing.T) {
	want := Rows{
		{Task: "a, \"b\"", Method: "m", Noise: 0.1, N: 20, Seed: math.MaxUint64, Rank: 5, MSE: 1.0 / 3, ZeroMSE: 5e-324, TrainMSE: math.Inf(1),
			Fallback: true, Status: "converged", Warnings: 2, Seconds: 0.25},
		{Task: "ü", Err: "two\nlines", Status: "error", MSE: math.NaN(), ZeroMSE: -0.5, TrainMSE: 1e300},
	}
	var b bytes.Buffer
	if err := want.WriteCSV(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	got, err := ReadCSV(&b)
	if err != nil {
		t.Fatal(err)
	}
	if !math.IsNaN(got[1].MSE) {
		t.Errorf("NaN became %v", got[1].MSE)
	}
	if !reflect.DeepEqual(timeless(got), timeless(want)) || got[0].Seconds != 0.25 {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
	// Every field of Row has its column.
	if n := reflect.TypeFor[Row]().NumField(); n != len(columns()) {
		t.Errorf("%d columns for %d fields", len(columns()), n)
	}
	for i, c := range columns() {
		if name := reflect.TypeFor[Row]().Field(i).Name; name != c.name {
			t.Errorf("column %d is %s, the field %s", i, c.name, name)
		}
	}
	for what, bad := range map[string]string{
		"column \"N\"":   strings.Replace(text, ",N,", ",M,", 1),
		"column Noise":   strings.Replace(text, "0.1", "much", 1),
		"wrong number":   text + "1,2\n",
		"needs a header": "",
	} {
		if _, err := ReadCSV(strings.NewReader(bad)); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("want an error with %q, got %v", what, err)
		}
	}
}

func TestMedians(t *testing.T) {
	var rows Rows
	for i, mse := range []float64{5, 1, 4, 2, 3, math.Inf(1)} {
		rows = append(rows, Row{Task: "a", Method: "m", N: 20, Seed: uint64(i), MSE: mse, ZeroMSE: 4, Fallback: i < 3, Seconds: float64(i)})
	}
	rows = append(rows, Row{Task: "a", Method: "m", N: 20, Err: "lost", MSE: math.NaN()}, Row{Task: "b", MSE: 7, ZeroMSE: 7}, Row{Task: "c", Err: "lost"})
	ms := Medians(rows)
	// Sorted 1 2 3 4 5 ∞: the quartiles lie at 1.25, 2.5 and 3.75 steps.
	want := Median{Task: "a", Method: "m", N: 20, Count: 6, Errors: 1, Q1: 2.25, MSE: 3.5, Q3: 4.75, Fallback: 0.5, Worse: 2.0 / 6, Seconds: 2.5}
	if len(ms) != 3 || ms[0] != want {
		t.Errorf("got\n%+v\nwant\n%+v", ms, want)
	}
	if m := ms[1]; m.Q1 != 7 || m.MSE != 7 || m.Q3 != 7 || m.Worse != 0 {
		t.Errorf("%+v", m)
	}
	if m := ms[2]; m.Count != 0 || m.Errors != 1 || !math.IsNaN(m.MSE) {
		t.Errorf("%+v", m)
	}
	slices.Reverse(rows[:6])
	if got := Medians(rows); got[0] != want {
		t.Errorf("depends on the order of the rows: %+v", got[0])
	}
}

// Numbers looked up in the tables of peers.md.
func TestPeers(t *testing.T) {
	all := map[setting]Median{}
	for _, m := range Peers() {
		if !(m.MSE >= 0) || m.Count < 1 || m.Worse < 0 || m.Worse > 1 {
			t.Errorf("%+v", m)
		}
		if _, twice := all[m.setting()]; twice {
			t.Errorf("twice: %+v", m)
		}
		all[m.setting()] = m
	}
	for s, want := range map[setting][3]float64{
		{"random-code", "LeastSquares", 0.1, 320, 5}: {0.69, 0, 10},
		{"random-code", "TIHT", 1, 320, 5}:           {6.6, 0.5, 10},
		{"random-code", "NuclearNorm", 0, 640, 5}:    {6.2e-28, 0, 7},
		{"addition", "IHT", 1, 20000, 2}:             {0.014, 0, 3},
		{"addition", "TIHT+SGD*", 0.1, 5000, 2}:      {1.7e-4, 0, 1},
		{"addition", "TIHT", 1, 160, 4}:              {3.9, 0.33, 3},
		{"addition", "floor", 0.1, 20, 2}:            {0.0088, 0, 10},
	} {
		if m := all[s]; [3]float64{m.MSE, m.Worse, float64(m.Count)} != want {
			t.Errorf("%v: %+v, want %v", s, m, want)
		}
	}
	if len(all) != 529 {
		t.Errorf("%d medians", len(all))
	}
}

func TestCompare(t *testing.T) {
	median := func(method string, n int, mse float64) Median {
		return Median{Task: "a", Method: method, Noise: 1, N: n, Rank: 2, MSE: mse}
	}
	ours := []Median{median("x", 20, 9), median("x", 320, 2), median("y", 320, 1), median("x", 640, 9), median("x", 5000, 1)}
	peers := []Median{median("x", 20, 1), median("x", 320, 1), median("x", 640, 2), median("z", 640, 2)}
	cs := Compare(ours, peers)
	if len(cs) != 1 || len(cs[0].Points) != 3 || cs[0].Points[2].Ratio != 4.5 {
		t.Fatalf("%+v", cs)
	}
	// N = 20 does not count: √(2·4.5) = 3.
	if c := cs[0]; math.Abs(c.GeoMean-3) > 1e-12 || c.Worst != 4.5 {
		t.Errorf("%+v", c)
	}
	if s := fmt.Sprint(cs[0]); !strings.Contains(s, "geometric mean 3.00, worst 4.50") {
		t.Error(s)
	}
	// A NaN is not passed over.
	ours[3].MSE = math.NaN()
	if c := Compare(ours, peers)[0]; !math.IsNaN(c.GeoMean) || !math.IsNaN(c.Worst) {
		t.Errorf("%+v", c)
	}
}

// Medians of ten seeds spread by about 30% a side at this size (the quartiles of the full
// comparison), those of two by up to twice: a factor of 4 either way tells a method that
// works from one that does not, and the two of them from each other's tenfold.
func TestPeersSmall(t *testing.T) {
	rows := run(t, Grid{
		Tasks: []Task{Addition()}, Methods: []Method{LeastSquares(), TIHT()},
		Noises: []float64{0.1}, Sizes: []int{320}, Seeds: Seeds(2),
	}, RunOptions{})
	cs := Compare(Medians(rows), Peers())
	if len(cs) != 2 {
		t.Fatalf("%v", cs)
	}
	for _, c := range cs {
		if c.GeoMean > 4 || c.GeoMean < 0.25 {
			t.Error(c)
		}
	}
}
