package forecast

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
)

// moments returns n times.
func moments(n int, at func(i int) time.Time) []time.Time {
	out := make([]time.Time, n)
	for i := range out {
		out[i] = at(i)
	}
	return out
}

// march returns a time so long after the beginning of March.
func march(after time.Duration) time.Time {
	return time.Date(2021, 3, 1, 0, 0, 0, 0, time.UTC).Add(after)
}

// timed returns columns at those times, as a CSV file says them.
func timed(t *testing.T, at []time.Time, names string, columns ...[]float64) *datasets.Series {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "time,%s\n", names)
	for i := range at {
		b.WriteString(at[i].Format(time.RFC3339))
		for _, v := range columns {
			fmt.Fprintf(&b, ",%v", v[i])
		}
		b.WriteString("\n")
	}
	s, err := datasets.Read(strings.NewReader(b.String()), "rows.csv", datasets.CSV{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// days returns n rows of four hours with the season of a day: with NaN where gone says so, and
// with those rows left out.
func days(t *testing.T, n int, gone func(i int) bool) (marked, short *datasets.Series) {
	t.Helper()
	r, level := rand.New(rand.NewPCG(7, 8)), 0.0
	all := moments(n, func(i int) time.Time { return march(time.Duration(4*i) * time.Hour) })
	var y, kept []float64
	var at []time.Time
	for i := range n {
		level = 0.9*level + r.NormFloat64()
		y = append(y, 20+8*math.Sin(2*math.Pi*float64(i)/6)+level)
		if gone(i) {
			y[i] = math.NaN()
		} else {
			at, kept = append(at, all[i]), append(kept, y[i])
		}
	}
	return timed(t, all, "y", y), timed(t, at, "y", kept)
}

// TestGapsArePutIn: a file whose lost rows are left out is learnt, scored and forecast as
// the same file with rows for them that say NaN, and it is told.
func TestGapsArePutIn(t *testing.T) {
	ctx, r := context.Background(), rand.New(rand.NewPCG(1, 1))
	lost := make([]bool, 200)
	for i := range lost {
		lost[i] = i > 0 && i != 160 && (r.IntN(12) == 0 || i >= 100 && i < 109 || i == 199-5)
	}
	lost[199] = false
	marked, short := days(t, len(lost), func(i int) bool { return lost[i] })
	from, fromShort := 160, 160
	for _, l := range lost[:160] {
		if l {
			fromShort--
		}
	}
	o := Options{Horizons: []int{1, 6}, Seasons: []int{6}}
	methods := []Method{Persistence{}, Seasonal{}, AR{}, Ridge{}}
	want, err := Backtest(ctx, marked, from, methods, o)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Backtest(ctx, short, fromShort, methods, o)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range got.Rows {
		w := want.Rows[i]
		row.FitSeconds, w.FitSeconds = 0, 0
		if row != w {
			t.Errorf("%+v, want %+v", row, w)
		}
		if n := len(got.Errors(row.Method, row.Target, row.Horizon)); n != short.Len()-fromShort {
			t.Errorf("%s: %d errors of %d test rows", row.Method, n, short.Len()-fromShort)
		}
		missing := func(x float64) bool { return math.IsNaN(x) }
		if !slices.Equal(got.Errors(row.Method, row.Target, row.Horizon), slices.DeleteFunc(want.Errors(row.Method, row.Target, row.Horizon), missing)) {
			t.Errorf("%s, %d ahead: errors have lost their rows", row.Method, row.Horizon)
		}
	}
	g := short.Gaps()
	told := fmt.Sprintf("%d rows missing in %d gaps, the first after ", g.Rows, g.Count)
	if g.Count < 10 || got.Gaps != g || !strings.Contains(got.String(), told) || strings.Contains(want.String(), "missing") {
		t.Errorf("the table does not tell: %v", got)
	}

	f, err := TwoRNN{}.Learn(ctx, short.Rows(0, fromShort), o)
	if err != nil {
		t.Fatal(err)
	}
	if n := fmt.Sprintf("learnt from %d rows\n", fromShort); !strings.Contains(f.String(), n) || !strings.Contains(f.String(), "put in as rows without values") || f.Gaps.Count == 0 {
		t.Errorf("the forecaster does not tell: %v", f)
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	again, err := Read(&b)
	if err != nil {
		t.Fatal(err)
	}
	if again.String() != f.String() {
		t.Errorf("saved as %v, read as %v", f, again)
	}
	last := short.Len() - 1
	whole, err := TwoRNN{}.Learn(ctx, marked.Rows(0, from), o)
	if err != nil {
		t.Fatal(err)
	}
	hat, _ := whole.Forecast(nil, marked, 199)
	low, high, _ := whole.Interval(marked, 199, 0.9)
	for name, f := range map[string]*Fitted{"learnt": f, "read": again} {
		x, err := f.Forecast(nil, short, last)
		l, h, err2 := f.Interval(short, last, 0.9)
		if err != nil || err2 != nil || !mat.Equal(x, hat) || !mat.Equal(l, low) || !mat.Equal(h, high) {
			t.Errorf("%s: %v, want %v (%v, %v)", name, mat.Formatted(x), mat.Formatted(hat), err, err2)
		}
	}
	// Six rows after a row before a gap is a day later.
	p, err := f.Predictions(short, 0.9, last-8, last)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range p {
		if x.For.Sub(x.At) != 4*time.Duration(x.Horizon)*time.Hour {
			t.Errorf("%d rows after %v is %v", x.Horizon, x.At, x.For)
		}
		i := slices.IndexFunc(short.Times(), x.For.Equal)
		v, _ := short.Column("y")
		if i >= 0 && x.Measured != v[i] || i < 0 && !math.IsNaN(x.Measured) {
			t.Errorf("what came at %v is %v", x.For, x.Measured)
		}
	}
}

// TestTargetsWithManyGaps: a target that is mostly missing takes nothing from one that is complete,
// nor that from it: both are forecast as if each were the only target, to the bit, and come back so
// from a file. Targets that miss few rows are learnt together.
func TestTargetsWithManyGaps(t *testing.T) {
	ctx, rnd := context.Background(), rand.New(rand.NewPCG(9, 9))
	s := noisy(110, 3)
	a, _ := s.Column("a")
	b, _ := s.Column("b")
	whole := slices.Clone(b)
	for i := range b {
		if rnd.IntN(4) > 0 {
			b[i] = math.NaN()
		}
	}
	s = datasets.FromColumns([]string{"a", "b"}, a, b)
	o := Options{Horizons: []int{1, 3}, Seasons: []int{1}}
	for _, m := range []Method{Ridge{}, TwoRNN{}} {
		both, err := m.Fit(ctx, s.Rows(0, 100), o)
		if err != nil {
			t.Fatal(err)
		}
		fits := []Forecaster{both}
		if f, ok := both.(*Fitted); ok {
			var file bytes.Buffer
			if err := f.Write(&file); err != nil {
				t.Fatal(err)
			}
			again, err := Read(&file)
			if err != nil || again.String() != f.String() {
				t.Fatalf("%v: %v, want %v", err, again, f)
			}
			fits = append(fits, again)
		}
		for c, name := range []string{"a", "b"} {
			one := o
			one.Targets = []string{name}
			alone, err := m.Fit(ctx, s.Rows(0, 100), one)
			if err != nil {
				t.Fatal(err)
			}
			want, err := alone.Forecast(nil, s, 105)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range fits {
				got, err := f.Forecast(nil, s, 105)
				if err != nil || !mat.Equal(got.Slice(0, 2, c, c+1), want) {
					t.Errorf("%v, %s: %v, alone %v, %v", m, name, mat.Formatted(got), mat.Formatted(want), err)
				}
				if f, ok := f.(*Fitted); ok {
					low, high, _ := f.Interval(s, 105, 0.9)
					l, h, _ := alone.(*Fitted).Interval(s, 105, 0.9)
					if !mat.Equal(low.Slice(0, 2, c, c+1), l) || !mat.Equal(high.Slice(0, 2, c, c+1), h) || f.Exams[c+2] != alone.(*Fitted).Exams[1] {
						t.Errorf("%s: another interval or exam than alone", name)
					}
				}
			}
		}
	}
	groups := func(b []float64) int {
		s := datasets.FromColumns([]string{"a", "b"}, a, b)
		k, err := newTask(s, o)
		if err != nil {
			t.Fatal(err)
		}
		r, err := newRecord(s, k, nil)
		if err != nil {
			t.Fatal(err)
		}
		return len(r.together(k))
	}
	few, late := slices.Clone(whole), slices.Clone(whole)
	for i := 5; i < len(b); i += 11 {
		few[i] = math.NaN()
	}
	for i := 90; i < len(b); i++ {
		late[i] = math.NaN() // a sensor that failed: the last rows count
	}
	if n := groups(few); n != 1 {
		t.Errorf("with few rows missing %d groups", n)
	}
	if n := groups(late); n != 2 {
		t.Errorf("with the last rows missing %d groups", n)
	}
}

// TestGapsThatAreNone: after a night or a weekend the next row is the next step, as if there
// were no times, and where the times have no step rows follow each other; both are told.
func TestGapsThatAreNone(t *testing.T) {
	ctx := context.Background()
	const n = 60
	v, _ := noisy(n, 5).Column("a")
	r, event := rand.New(rand.NewPCG(1, 1)), march(0)
	plain, o := datasets.FromColumns([]string{"a"}, v), Options{Seasons: []int{5}}
	want, err := TwoRNN{}.Learn(ctx, plain, o)
	if err != nil {
		t.Fatal(err)
	}
	y, _ := want.Forecast(nil, plain, n-1)
	for name, c := range map[string]struct {
		at   func(i int) time.Time
		told string
		next time.Duration // from the last row to that forecast; 0: not known
	}{
		"weekdays": {func(i int) time.Time { return march(0).AddDate(0, 0, i/5*7+i%5) }, "days of the week that have no rows", 3 * 24 * time.Hour},
		"events": {func(i int) time.Time {
			event = event.Add(time.Duration(1+r.IntN(9000)) * time.Second)
			return event
		}, "no common step", 0},
		"rate": {func(i int) time.Time {
			return march(time.Duration(i) * 10 * time.Minute).Add(time.Duration(max(i-29, 0)) * 50 * time.Minute)
		}, "29 steps shorter than 1h\n  a shorter step counts as a whole one", time.Hour},
		"hardly": {func(i int) time.Time { return march(0).AddDate(0, 0, i+i/2*9) }, "more than half of all", 24 * time.Hour},
	} {
		s := timed(t, moments(n, c.at), "a", v)
		f, err := TwoRNN{}.Learn(ctx, s, o)
		if err != nil {
			t.Fatal(err)
		}
		x, _ := f.Forecast(nil, s, n-1)
		if !mat.Equal(x, y) || !strings.Contains(f.String(), c.told) {
			t.Errorf("%s: %v, want %v: %v", name, mat.Formatted(x), mat.Formatted(y), f)
		}
		table, err := Backtest(ctx, s, n-20, []Method{Persistence{}}, o)
		if err != nil || !strings.Contains(table.String(), c.told) || table.Rows[0].N != 20 {
			t.Errorf("%s: %v, %v", name, table, err)
		}
		p, err := f.Predictions(s, 0.9, n-1)
		if err != nil || c.next > 0 && p[0].For.Sub(p[0].At) != c.next || c.next == 0 && !p[0].For.IsZero() {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
}

// TestMoreGapsThanRows: a forecaster learnt from opening hours, of which more are missing than there are,
// is saved and comes back.
func TestMoreGapsThanRows(t *testing.T) {
	v, _ := noisy(64, 5).Column("a")
	s := timed(t, moments(len(v), func(i int) time.Time { return march(time.Duration(i/8*24+9+i%8) * time.Hour) }), "a", v)
	f, err := TwoRNN{}.Learn(context.Background(), s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f.Gaps.Rows <= s.Len() {
		t.Fatalf("%d rows missing of %d", f.Gaps.Rows, s.Len())
	}
	var file bytes.Buffer
	if err := f.Write(&file); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(&file); err != nil {
		t.Error(err)
	}
}

// TestIntervalsWithoutTheLastRows: where the last rows of the target were not measured intervals are wider, and
// still hold what they should; where rows are missing as they mostly are the errors held out tell of it.
func TestIntervalsWithoutTheLastRows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	y := make([]float64, 3000)
	for i := 1; i < len(y); i++ {
		y[i] = 0.9*y[i-1] + r.NormFloat64()
	}
	f, err := TwoRNN{}.Learn(context.Background(), datasets.FromColumns([]string{"y"}, y[:400]), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, missing := range []int{0, 3, 20} {
		held, n := 0, 0
		for end := 600; end < len(y)-1; end += 40 {
			rows := slices.Clone(y[:end])
			for i := range missing {
				rows[end-1-i] = math.NaN()
			}
			p, err := f.Predictions(datasets.FromColumns([]string{"y"}, rows), 0.9, end-1)
			if err != nil {
				t.Fatal(err)
			}
			if n++; p[0].Low <= y[end] && y[end] <= p[0].High {
				held++
			}
		}
		// Of 60 at 90 % fewer than 46 or more than 59 are chance in one of a thousand.
		if held < 46 {
			t.Errorf("%d rows missing: intervals of 90 %% held %d of %d", missing, held, n)
		}
	}
	every := slices.Clone(y[:400])
	for i := range every {
		if i%3 > 0 {
			every[i] = math.NaN()
		}
	}
	rec, err := newRecord(datasets.FromColumns([]string{"y"}, every), &task{columns: []string{"y"}, targets: []int{0}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m := rec.sinceMeasured(0, 398, 0.9); m != 0 {
		t.Errorf("a row in three is measured, and two missing ones widen by %v", m)
	}
}
