package forecast

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn/baseline"
)

// quick are the methods that every test of all methods runs.
func quick() []Method {
	return []Method{Persistence{}, Seasonal{}, Mean{}, AR{}, VAR{}, Ridge{}, Ridge{Products: true}, TwoRNN{}, ARIMA{}, ETS{}, Automaton{}}
}

// every adds those that take longer, made small.
func every() []Method {
	few := baseline.LSTM{Epochs: 5, Units: 4}
	return append(quick(), Spectral{L: 1, States: 2}, Spectral{L: 1, States: 2, Refine: true},
		Network{Rows: 4, Options: few}, Network{LSTM: true, Rows: 4, Options: few})
}

// linearOnes are the methods that a noise-free linear recurrence is no riddle to.
func linearOnes() []Method { return []Method{AR{}, VAR{}, Ridge{}, TwoRNN{}} }

// noisy returns two columns of n rows with a season of 6, driven by each other.
func noisy(n int, seed uint64) *datasets.Series {
	rnd := rand.New(rand.NewPCG(seed, 1))
	a, b := make([]float64, n), make([]float64, n)
	for t := 1; t < n; t++ {
		a[t] = 0.5*a[t-1] + 0.3*b[t-1] + math.Sin(2*math.Pi*float64(t)/6) + 0.5*rnd.NormFloat64()
		b[t] = 0.6*b[t-1] - 0.2*a[t-1] + 0.5*rnd.NormFloat64()
	}
	return datasets.FromColumns([]string{"a", "b"}, a, b)
}

// TestPersistenceOfTime: on y(t) = t the error at horizon h is exactly −h.
func TestPersistenceOfTime(t *testing.T) {
	y := make([]float64, 50)
	for i := range y {
		y[i] = float64(i)
	}
	s := datasets.FromColumns([]string{"y"}, y)
	table, err := Backtest(context.Background(), s, 30, []Method{Persistence{}}, Options{Horizons: []int{1, 3, 7}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range table.Rows {
		if h := float64(r.Horizon); r.RMSE != h || r.MAE != h || r.MASE != h || r.N != 20 {
			t.Errorf("%+v", r)
		}
		for _, e := range table.Errors("persistence", "y", r.Horizon) {
			if e != -float64(r.Horizon) {
				t.Errorf("h %d: error %v", r.Horizon, e)
			}
		}
	}
}

// TestLinearRecurrence: without noise every linear method continues a linear
// recurrence without error.
func TestLinearRecurrence(t *testing.T) {
	n := 200
	a, b := make([]float64, n), make([]float64, n)
	a[0], b[0] = 1, -0.5
	for i := 1; i < n; i++ {
		a[i] = 0.1 + 0.9*a[i-1] + 0.4*b[i-1]
		b[i] = -0.4*a[i-1] + 0.9*b[i-1]
	}
	s := datasets.FromColumns([]string{"a", "b"}, a, b)
	table, err := Backtest(context.Background(), s, 150, linearOnes(), Options{Horizons: []int{1, 3, 6}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range table.Rows {
		// Ridge solves the normal equations, which square the condition, with a weight of
		// 1e-12: half the digits are left.
		tol := 1e-8
		if r.Method == "ridge" {
			tol = 1e-5
		}
		if !(r.RMSE < tol) {
			t.Errorf("%s, %s, h %d: RMSE %g", r.Method, r.Target, r.Horizon, r.RMSE)
		}
	}
}

// TestNoLeak: no value from row from on, of any column, changes a forecast that is made
// from rows before it, however the model is learnt.
func TestNoLeak(t *testing.T) {
	const n, from = 100, 80
	s := noisy(n, 1)
	o := Options{Targets: []string{"b"}, Horizons: []int{1, 4}, Seasons: []int{6}}
	a, _ := s.Column("a")
	b, _ := s.Column("b")
	for i := 7; i < n; i += 9 { // missing values are not filled from later rows
		b[i] = math.NaN()
	}
	b[from-1] = math.NaN()
	s = datasets.FromColumns([]string{"a", "b"}, a, b)
	for i := from; i < n; i++ {
		a[i], b[i] = 1e6*float64(i), -1e5
	}
	spoilt := datasets.FromColumns([]string{"a", "b"}, a, b)
	for _, m := range every() {
		f, err := m.Fit(context.Background(), s.Rows(0, from), o)
		if err != nil {
			t.Fatalf("%v: %v", m, err)
		}
		g, err := m.Fit(context.Background(), spoilt.Rows(0, from), o)
		if err != nil {
			t.Fatalf("%v: %v", m, err)
		}
		for _, at := range []int{10, from - 1} {
			x, err := f.Forecast(nil, s, at)
			if err != nil {
				t.Fatalf("%v: %v", m, err)
			}
			for _, other := range []*datasets.Series{spoilt, s.Rows(0, at+1)} {
				y, err := g.Forecast(nil, other, at)
				if err != nil {
					t.Fatalf("%v: %v", m, err)
				}
				if !mat.Equal(x, y) {
					t.Errorf("%v: row %d: %v, want %v", m, at, mat.Formatted(y), mat.Formatted(x))
				}
			}
		}
	}
}

// keeper keeps what a method has learnt, and from how many rows.
type keeper struct {
	Method
	fitted Forecaster
	rows   int
}

func (k *keeper) Fit(ctx context.Context, train *datasets.Series, o Options) (f Forecaster, err error) {
	k.rows = train.Len()
	k.fitted, err = k.Method.Fit(ctx, train, o)
	return k.fitted, err
}

// TestBacktestAligns: a method sees only what a forecaster may know: the backtest's forecast of row r is
// the one from row r − h.
func TestBacktestAligns(t *testing.T) {
	s := noisy(100, 2)
	o := Options{Horizons: []int{1, 5}, Targets: []string{"b"}, Seasons: []int{6}}
	for _, m := range quick() {
		k := &keeper{Method: m}
		table, err := Backtest(context.Background(), s, 80, []Method{k}, o)
		if err != nil {
			t.Fatal(err)
		}
		if k.rows != 80 {
			t.Errorf("%v learns from %d rows", m, k.rows)
		}
		b, _ := s.Column("b")
		for i, h := range o.Horizons {
			x, err := k.fitted.Forecast(nil, s, 90-h)
			if err != nil {
				t.Fatal(err)
			}
			if got := table.Errors(m.String(), "b", h)[10]; got != x.At(i, 0)-b[90] {
				t.Errorf("%v, h %d: error %v, want %v", m, h, got, x.At(i, 0)-b[90])
			}
		}
	}
}

// TestMissing values are bridged by what was known before, and not scored.
func TestMissing(t *testing.T) {
	s := noisy(100, 3)
	a, _ := s.Column("a")
	b, _ := s.Column("b")
	for i := 5; i < 100; i += 11 {
		a[i] = math.NaN()
	}
	a[0], b[70] = math.NaN(), math.NaN()
	s = datasets.FromColumns([]string{"a", "b"}, a, b)
	table, err := Backtest(context.Background(), s, 60, quick(), Options{Horizons: []int{2}, Seasons: []int{6}})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range table.Rows {
		if want := map[string]int{"a": 36, "b": 39}[r.Target]; r.N != want || math.IsNaN(r.RMSE) {
			t.Errorf("%+v, want %d rows", r, want)
		}
	}
}

// TestKnown: a column whose future is known explains the target at once, and a
// forecast past its end says what is needed.
func TestKnown(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 9))
	n := 200
	u, y := make([]float64, n), make([]float64, n)
	for i := range n {
		u[i] = rnd.NormFloat64()
		y[i] = 3*u[i] + 0.01*rnd.NormFloat64()
	}
	s := datasets.FromColumns([]string{"u", "y"}, u, y)
	o := Options{Horizons: []int{1, 3}, Known: []string{"u"}}
	table, err := Backtest(context.Background(), s, 150, []Method{Ridge{}, TwoRNN{}}, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range table.Rows {
		if r.Target != "y" || r.N != 50 || !(r.RMSE < 0.05) {
			t.Errorf("%+v", r)
		}
	}
	f, err := Ridge{}.Fit(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	x, err := f.Forecast(nil, s, n-2)
	var late *FutureError
	if !errors.As(err, &late) || late.Horizon != 3 || late.Column != "u" {
		t.Errorf("%v", err)
	}
	if math.IsNaN(x.At(0, 0)) || !math.IsNaN(x.At(1, 0)) {
		t.Errorf("%v", mat.Formatted(x))
	}
}

// driven returns a column y that follows u, with the rows of u missing that are named.
func driven(n int, missing ...int) *datasets.Series {
	rnd := rand.New(rand.NewPCG(9, 9))
	u, y := make([]float64, n), make([]float64, n)
	for i := range n {
		u[i] = rnd.NormFloat64()
		y[i] = 3*u[i] + 0.1*rnd.NormFloat64()
		if i > 0 {
			y[i] += 0.5 * y[i-1]
		}
	}
	for _, i := range missing {
		u[i] = math.NaN()
	}
	return datasets.FromColumns([]string{"u", "y"}, u, y)
}

// TestKnownWithHoles: forecasts whose known future lacks a value are left out, and told, and the
// others are as good as ever; if none is left, that is an error, and no method is blamed.
func TestKnownWithHoles(t *testing.T) {
	ctx, o := context.Background(), Options{Horizons: []int{1, 3}, Known: []string{"u"}}
	s := driven(200, 160, 170, 171)
	table, err := Backtest(ctx, s, 150, []Method{Persistence{}, Ridge{}}, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range table.Rows {
		// Three ahead the rows 160 to 162 and 170 to 173 have a hole on the way.
		if want := map[int]int{1: 47, 3: 43}[r.Horizon]; r.N != want || r.Method == "ridge" && !(r.RMSE < 0.3) { // 3.5 without u
			t.Errorf("%+v, want %d rows", r, want)
		}
	}
	if e := table.Errors("ridge", "y", 3); !math.IsNaN(e[12]) || math.IsNaN(e[13]) || len(e) != 50 {
		t.Errorf("errors %v", e)
	}
	first := FutureError{"u", 159, 1}
	l := table.LeftOut
	if l.Forecasts != 10 || l.Of != 100 || !slices.Equal(l.Columns, o.Known) || *l.First != first || !strings.Contains(table.String(), "\n10 of 100 forecasts left out") {
		t.Errorf("%+v: %v", l, table)
	}

	f, err := TwoRNN{}.Learn(ctx, s.Rows(0, 150), o)
	if err != nil {
		t.Fatal(err)
	}
	p, err := f.Predictions(s, 0.9, 157, 158, 159, 160, 199)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []Prediction{{Row: 157, Horizon: 1}, {Row: 158, Horizon: 1}, {Row: 160, Horizon: 1}, {Row: 160, Horizon: 3}} {
		if x := p[i]; x.Row != want.Row || x.Horizon != want.Horizon || !(x.Low <= x.Forecast && x.Forecast <= x.High) || math.Abs(x.Forecast-x.Measured) > 1 {
			t.Errorf("%+v, want %d after row %d", x, want.Horizon, want.Row)
		}
	}
	first = FutureError{"u", 157, 3}
	if l := p.LeftOut(); len(p) != 4 || l.Forecasts != 6 || l.Of != 10 || *l.First != first || !strings.Contains(p.String(), "\n6 of 10 forecasts left out for want of known values of u, the first 3 rows after row 157: fill them in") {
		t.Errorf("%d forecasts: %+v\n%v", len(p), l, p)
	}
	if l := p.Of("y", 3).LeftOut(); l.Forecasts != 6 {
		t.Errorf("those of one horizon do not tell: %+v", l)
	}
	whole, err := f.Predictions(driven(200), 0.9, 150)
	if l := whole.LeftOut(); err != nil || l.Forecasts != 0 || l.String() != "" || strings.Contains(whole.String(), "left out") {
		t.Errorf("%v, %v", err, whole)
	}
	low, high, err := f.Interval(s, 159, 0.9)
	var late *FutureError
	if !errors.As(err, &late) || !math.IsNaN(low.At(0, 0)) || !math.IsNaN(high.At(1, 0)) {
		t.Errorf("%v: %v to %v", err, low, high)
	}

	// Beyond what is measured a row without any value is a hole too, not one lost in a gap.
	u, _ := s.Column("u")
	y, _ := s.Column("y")
	u[196] = math.NaN()
	for i := 195; i < len(y); i++ {
		y[i] = math.NaN()
	}
	p, err = f.Predictions(datasets.FromColumns([]string{"u", "y"}, u, y), 0.9, 194)
	first = FutureError{"u", 194, 2}
	if err != nil || len(p) != 1 || *p.LeftOut().First != first {
		t.Errorf("%v, %v", p, err)
	}

	lost := driven(160, all(160)[150:]...)
	if _, err := f.Predictions(lost, 0.9, 150, 155); !errors.As(err, &late) || !strings.Contains(err.Error(), "none of 4 forecasts") {
		t.Error(err)
	}
	if _, err := Backtest(ctx, lost, 150, []Method{Persistence{}}, o); !errors.As(err, &late) || strings.Contains(err.Error(), "persistence") {
		t.Error(err)
	}
}

// TestHolesAreNotLearnt: rows whose known future has holes are not learnt from, where most have none;
// bridged they tell that the column matters less than it does.
func TestHolesAreNotLearnt(t *testing.T) {
	var holes []int
	for i := 3; i < 250; i += 5 {
		holes = append(holes, i)
	}
	o := Options{Known: []string{"u"}, Horizons: []int{1, 2}, Seasons: []int{1}}
	rmse := map[string][]float64{}
	for _, s := range []*datasets.Series{driven(350), driven(350, holes...)} {
		table, err := Backtest(context.Background(), s, 260, []Method{Ridge{}, TwoRNN{}}, o)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range table.Rows {
			name := r.Method + numbers([]int{r.Horizon}, "row")
			rmse[name] = append(rmse[name], r.RMSE)
		}
	}
	for name, x := range rmse {
		if x[1] > 1.3*x[0] {
			t.Errorf("%s: RMSE %.3g, with every fifth value missing %.3g", name, x[0], x[1])
		}
	}
}

// TestHolesAreNoMisses: rows that could not be forecast widen no interval.
func TestHolesAreNoMisses(t *testing.T) {
	o := Options{Known: []string{"u"}, Horizons: []int{1}}
	var every []int
	for i := 200; i < 298; i += 2 {
		every = append(every, i)
	}
	s, holes := driven(300), driven(300, every...)
	f, err := TwoRNN{}.Learn(context.Background(), s.Rows(0, 200), o)
	if err != nil {
		t.Fatal(err)
	}
	width := func(s *datasets.Series) float64 {
		p, err := f.Predictions(s, 0.9, 298)
		if err != nil || math.Abs(p[0].Forecast-p[0].Measured) > 0.5 {
			t.Errorf("%v, %v", p, err)
		}
		return p[0].High - p[0].Low
	}
	if a, b := width(s), width(holes); b > 1.2*a {
		t.Errorf("the interval is %v wide, and where known values were missing %v", a, b)
	}
}

// TestKnownAcrossGaps: rows that a file leaves out are no holes of a known column on the way; what
// is left out is told by the rows as they came.
func TestKnownAcrossGaps(t *testing.T) {
	var u, y []float64
	var at []time.Time
	for i := range 200 {
		if i%10 != 7 {
			at, u, y = append(at, march(time.Duration(i)*time.Hour)), append(u, float64(i%5)), append(y, float64(i%5)+math.Sin(float64(i)))
		}
	}
	o := Options{Known: []string{"u"}, Targets: []string{"y"}, Horizons: []int{1, 6}, Seasons: []int{5}}
	table, err := Backtest(context.Background(), timed(t, at, "u,y", u, y), 144, []Method{Ridge{}}, o)
	if err != nil || table.LeftOut.Forecasts != 0 || table.Rows[0].N != 36 || table.Rows[1].N != 36 {
		t.Fatalf("%v, %v", table, err)
	}
	u[160] = math.NaN() // the row before it is two hours before
	table, err = Backtest(context.Background(), timed(t, at, "u,y", u, y), 144, []Method{Ridge{}}, o)
	if err != nil {
		t.Fatal(err)
	}
	if l, gap := table.LeftOut, int(at[160].Sub(at[159]).Hours()); l.First.Row != 159 || l.First.Horizon != gap || table.Rows[0].N != 35 || table.Rows[1].N >= 36-5 {
		t.Errorf("%+v %+v", l, *l.First)
	}
}

func TestOptionErrors(t *testing.T) {
	s := noisy(50, 4)
	for want, o := range map[string]Options{
		`names "c"`:          {Targets: []string{"c"}},
		`"a" is a target`:    {Targets: []string{"a"}, Known: []string{"a"}},
		`names "a" twice`:    {Targets: []string{"a", "a"}},
		"no target is left":  {Known: []string{"a", "b"}},
		"must be positive":   {Horizons: []int{0}},
		"Seasons has -3":     {Seasons: []int{-3}},
		"Seasons has 0":      {Seasons: []int{0}},
		"Seasons has 1":      {Seasons: []int{1, 7}},
		"Seasons has 7":      {Seasons: []int{7, 7}},
		"too few for a regr": {Horizons: []int{40}},
	} {
		if _, err := (Ridge{}).Fit(context.Background(), s, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, m := range quick() {
		if _, err := m.Fit(ctx, s, Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", m, err)
		}
	}
}
