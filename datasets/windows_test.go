package datasets

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
)

func ExampleSeries_Windows() {
	s, _ := Read(strings.NewReader("wind,rain\n1,0\n2,10\n3,20\n4,30\n5,40\n"), "weather.csv", CSV{})
	for q := range s.Windows(Window{Length: 2, Horizon: 2, Targets: []string{"wind"}, Bias: true}) {
		for t := range 2 {
			fmt.Println(q.X.RawRowView(t), "→", q.Y.RawRowView(t))
		}
		fmt.Println()
	}
	// Output:
	// [1 1 0] → [3]
	// [1 2 10] → [4]
	//
	// [1 2 10] → [4]
	// [1 3 20] → [5]
}

func collect(q iter.Seq[twornn.Sequence]) (all []twornn.Sequence) {
	for s := range q {
		all = append(all, s)
	}
	return all
}

// F14: with y(t) = t, every target is the horizon away from its input, and so is the
// forecast that repeats the last input.
func TestHorizon(t *testing.T) {
	hours := make([]int, 30)
	y := make([]float64, 30)
	for i := range hours {
		hours[i], y[i] = i, float64(i)
	}
	s := hourly(t, hours, map[string][]float64{"y": y}, "y")
	for h := range 6 {
		want := float64(max(h, 1)) // zero means 1
		n := 0
		for q := range s.Windows(Window{Length: 4, Horizon: h, Bias: true}) {
			n++
			for i := range 4 {
				if q.X.At(i, 0) != 1 || q.Y.At(i, 0)-q.X.At(i, 1) != want {
					t.Fatalf("horizon %d: input %v, target %v", h, q.X.RawRowView(i), q.Y.At(i, 0))
				}
			}
		}
		if n != 30-4-int(want)+1 {
			t.Errorf("horizon %d: %d windows", h, n)
		}
		m := twornn.Evaluate(persistence{}, s.Windows(Window{Length: 4, Horizon: h}))
		if m.Err != nil || m.MAE != want || m.RMSE != want {
			t.Errorf("horizon %d: persistence %v", h, m)
		}
	}
}

type persistence struct{}

func (persistence) Predict(dst []float64, x mat.Matrix) []float64 {
	k, d := x.Dims()
	dst[0] = x.At(k-1, d-1)
	return dst
}

// On random gaps and random missing cells, the windows are those of a slow oracle that
// looks up every row by its hour.
func TestWindowsOracle(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 0))
	kept := 0
	for trial := range 300 {
		var hours []int
		values := map[string][]float64{}
		at := map[int]int{} // hour to row
		for h, n := 0, 5+rnd.IntN(40); len(hours) < n; h++ {
			if rnd.Float64() < .1 {
				continue
			}
			at[h] = len(hours)
			hours = append(hours, h)
			for _, name := range []string{"a", "b"} {
				v := float64(1000*(1+len(name)) + h)
				if rnd.Float64() < .05 {
					v = math.NaN()
				}
				values[name] = append(values[name], v)
			}
		}
		s := hourly(t, hours, values, "a", "b")
		w := Window{Length: 1 + rnd.IntN(4), Horizon: 1 + rnd.IntN(6), Targets: []string{"b"}}

		var want []int // first hours
	start:
		for _, h := range hours {
			for i := range w.Length + w.Horizon {
				r, ok := at[h+i]
				if !ok {
					continue start
				}
				if i < w.Length && math.IsNaN(values["a"][r]+values["b"][r]) || i >= w.Horizon && math.IsNaN(values["b"][r]) {
					continue start
				}
			}
			want = append(want, h)
		}
		kept += len(want)

		got := collect(s.Windows(w))
		report, err := s.CountWindows(w)
		if len(want) == 0 {
			if len(got) != 1 || got[0].Err == nil || err == nil || got[0].X != nil {
				t.Fatalf("trial %d: no window, but %d sequences and the error %v", trial, len(got), err)
			}
			continue
		}
		if len(got) != len(want) || report.Kept != len(want) || err != nil {
			t.Fatalf("trial %d: %d windows of %d, %v, %v", trial, len(got), len(want), report, err)
		}
		if all := len(hours) - w.Length - w.Horizon + 1; report.Kept+report.LostToGaps+report.LostToMissing != all {
			t.Fatalf("trial %d: %v do not add up to %d", trial, report, all)
		}
		for n, h := range want {
			for i := range w.Length {
				x, y := got[n].X.RawRowView(i), got[n].Y.RawRowView(i)
				if x[0] != values["a"][at[h+i]] || x[1] != values["b"][at[h+i]] || y[0] != values["b"][at[h+i+w.Horizon]] {
					t.Fatalf("trial %d, window %d, step %d: %v, %v", trial, n, i, x, y)
				}
			}
		}
	}
	if kept < 1000 {
		t.Errorf("the trials have only %d windows", kept)
	}
}

// Scaled windows are the raw ones, column by column, by the scaler's names.
func TestScaledWindows(t *testing.T) {
	s := abc(t)
	w := Window{Length: 1, Targets: []string{"b"}, Bias: true, Scaler: FitScaler(s)}
	v, err := s.Select("b", "a") // not the scaler's order
	if err != nil {
		t.Fatal(err)
	}
	got := collect(v.Windows(w))
	if len(got) != 2 {
		t.Fatalf("%d windows", len(got))
	}
	z := func(column int, v float64) float64 { return (v - w.Scaler.Mean[column]) / w.Scaler.Std[column] }
	x, y := got[1].X.RawRowView(0), got[1].Y.At(0, 0)
	if !same(x, []float64{1, z(1, 40), z(0, 4)}) || y != z(1, 50) {
		t.Errorf("%v, %v", x, y)
	}
}

// The sequences come again, and changing one changes nothing else.
func TestWindowsAgain(t *testing.T) {
	q := read(t, "x\n1\n2\n3\n4\n", CSV{}).Windows(Window{Length: 2})
	for s := range q {
		s.X.Zero()
		s.Y.Zero()
	}
	got := collect(q)
	if len(got) != 2 || got[0].X.At(1, 0) != 2 || got[1].X.At(0, 0) != 2 || got[1].Y.At(1, 0) != 4 {
		t.Errorf("%v", got)
	}
	for range q { // stopping early is fine
		break
	}
}

func TestWindowsErrors(t *testing.T) {
	s := abc(t)
	a, _ := s.Select("a")
	for _, c := range []struct {
		s    *Series
		w    Window
		want string
	}{
		{s, Window{}, "Window.Length is 0; set it to 1 or more"},
		{s, Window{Length: 1, Horizon: -1}, "Window.Horizon is -1; set it to 1 or more"},
		{s, Window{Length: 1, Targets: []string{"z"}}, "test.csv has no column z; it has a, b, c; set Window.Targets"},
		{s, Window{Length: 5}, "a window of length 5 and horizon 1 needs their sum in rows, the series has 5; lower Window.Length or Horizon, or take more rows"},
		{s, Window{Length: math.MaxInt, Horizon: math.MaxInt}, fmt.Sprintf("a window of length %d and horizon %[1]d needs their sum in rows, the series has 5; lower Window.Length or Horizon, or take more rows", math.MaxInt)},
		{a, Window{Length: 3}, "no window of 4 rows is left of 5 rows: 2 lost to gaps, 0 to missing values; lower Window.Length or Horizon, or set CSV.Step if 24h is not the sampling step, raise CSV.Tolerance if the clock jitters, or set CSV.Time to NoTime, without its column in CSV.Columns, if the rows follow each other all the same"},
		{s, Window{Length: 2}, "no window of 3 rows is left of 5 rows: 2 lost to gaps, 1 to missing values; lower Window.Length or Horizon, or Select columns that lack fewer values, or set CSV.Step if 24h is not the sampling step, raise CSV.Tolerance if the clock jitters, or set CSV.Time to NoTime, without its column in CSV.Columns, if the rows follow each other all the same"},
		{s, Window{Length: 1, Scaler: FitScaler(a)}, "the scaler has no column b; it has a; fit it on a series with the same columns"},
		{s, Window{Length: 1, Scaler: &Scaler{Columns: []string{"a"}}}, "the scaler has 1 column, 0 means and 0 deviations; fit it again"},
		{s.Between(day(8), day(9)), Window{Length: 1}, "a window of length 1 and horizon 1 needs their sum in rows, the series has 0; lower Window.Length or Horizon, or take more rows"},
	} {
		got := collect(c.s.Windows(c.w))
		if len(got) != 1 || got[0].Err == nil || got[0].X != nil || got[0].Y != nil {
			t.Errorf("%+v: %v", c.w, got)
			continue
		}
		if _, err := c.s.CountWindows(c.w); err == nil || err.Error() != got[0].Err.Error() || err.Error() != "datasets: "+c.want {
			t.Errorf("%+v:\n got %v\nwant datasets: %s", c.w, err, c.want)
		}
		if m := twornn.Evaluate(persistence{}, c.s.Windows(c.w)); m.Err == nil {
			t.Errorf("%+v: Evaluate has no error", c.w)
		}
	}
}

// A report of real data: the 17 gaps of F8 cost each of the windows across it.
func TestWindowReport(t *testing.T) {
	s, err := ReadCSV(needFile(t, sharedData+"nyc-weather/weather.csv"),
		CSV{Time: "time_hour", Columns: []string{"humid", "visib"}, Where: map[string]string{"origin": "EWR"}})
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.CountWindows(Window{Length: 1})
	// A window of two rows is lost for each of 17 gaps. humid lacks one row, in two
	// windows.
	if lost := (WindowReport{Rows: 20, Need: 2, Kept: 17, LostToGaps: 2}); !strings.HasSuffix(lost.String(), "; warning: 11 % are lost") {
		t.Errorf("%v", lost)
	}
	if want := "8683 windows of 2 rows from 8703 rows; lost to gaps 17, to missing values 2"; err != nil || r.String() != want {
		t.Errorf("%v, %v; want %s", r, err, want)
	}
}

func TestJoin(t *testing.T) {
	a := read(t, "x\n1\n2\n3\n", CSV{}).Windows(Window{Length: 1})
	b := read(t, "x\n7\n8\n", CSV{}).Windows(Window{Length: 1})
	q := Join(a, b, Join(), a)
	for range 2 {
		var got []float64
		for s := range q {
			got = append(got, s.Y.At(0, 0))
		}
		if !same(got, []float64{2, 3, 8, 2, 3}) {
			t.Errorf("%v", got)
		}
	}
	n := 0
	for range q {
		if n++; n == 3 {
			break
		}
	}
}

// The input that holds a target's own column is the target, a horizon earlier.
func TestTargetInputs(t *testing.T) {
	s := IrishWind().slice(0, 20)
	for _, w := range []Window{
		{Length: 2}, {Length: 2, Bias: true}, {Length: 2, Bias: true, Targets: []string{"DUB", "RPT"}},
		{Length: 3, Horizon: 2, Targets: []string{"MAL"}, Scaler: FitScaler(s)},
	} {
		inputs, err := s.TargetInputs(w)
		if err != nil {
			t.Fatal(err)
		}
		all := collect(s.Windows(w))
		h := max(w.Horizon, 1)
		for k, j := range inputs {
			if p := all[0].Y.RawMatrix().Cols; len(inputs) != p {
				t.Fatalf("%+v: %d inputs for %d targets", w, len(inputs), p)
			}
			if all[0].Y.At(0, k) != all[h].X.At(0, j) {
				t.Errorf("%+v: target %d is not input %d", w, k, j)
			}
		}
	}
	if in, err := s.TargetInputs(Window{Length: 1, Targets: []string{"z"}}); err == nil || in != nil {
		t.Errorf("a target that is no column: %v, %v", in, err)
	}
}

// TestTargetTwice: a target that is named twice would count twice.
func TestTargetTwice(t *testing.T) {
	s := read(t, "x,y\n1,2\n2,3\n3,5\n", CSV{})
	if _, err := s.Latest(Window{Length: 1, Targets: []string{"x", "y", "x"}}); err == nil || !strings.Contains(err.Error(), "target x is named twice; name each once") {
		t.Error(err)
	}
}

// TestNilSeries: a nil series, and a nil part of several, yield one error.
func TestNilSeries(t *testing.T) {
	var s *Series
	w := Window{Length: 2}
	for what, c := range map[string]struct {
		data iter.Seq[twornn.Sequence]
		want string
	}{
		"Windows": {s.Windows(w), "there is no series: it is nil"},
		"Runs":    {s.Runs([]string{"x"}, []string{"y"}), "there is no series: it is nil"},
		"Join":    {Join(IrishWind().Rows(0, 0).Windows(w), nil), "window"},
		"Join 2":  {Join(nil), "part 1 of the 1 that Join has is nil"},
	} {
		n := 0
		for q := range c.data {
			if n++; n == 1 && (q.Err == nil || !strings.Contains(q.Err.Error(), c.want)) {
				t.Errorf("%s: %v", what, q.Err)
			}
		}
		if n == 0 {
			t.Errorf("%s: nothing", what)
		}
	}
	_, latest := s.Latest(w)
	_, count := s.CountWindows(w)
	_, inputs := s.TargetInputs(w)
	_, times := s.TargetTimes(w)
	for _, err := range []error{latest, count, inputs, times} {
		if err != errNoSeries {
			t.Error(err)
		}
	}
	if _, err := IrishWind().CountWindows(Window{Length: 2, Scaler: FitScaler(nil)}); err == nil || !strings.Contains(err.Error(), "the scaler is not fitted") {
		t.Errorf("the scaler of nil: %v", err)
	}
}
