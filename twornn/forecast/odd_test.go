package forecast

import (
	"bytes"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
)

// TestOddSeries: whatever the numbers, a method errs or forecasts numbers.
func TestOddSeries(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 3))
	const n = 90
	column := func(f func(i int) float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = f(i)
		}
		return v
	}
	noise := column(func(int) float64 { return rnd.NormFloat64() })
	for name, v := range map[string][]float64{
		"constant":      column(func(int) float64 { return 5 }),
		"zero":          column(func(int) float64 { return 0 }),
		"line":          column(func(i int) float64 { return float64(i) }),
		"huge":          column(func(i int) float64 { return 1e150 * (2 + noise[i]) }),
		"tiny":          column(func(i int) float64 { return 1e-150 * (2 + noise[i]) }),
		"on a tower":    column(func(i int) float64 { return 1e12 + noise[i] }),
		"moves late":    column(func(i int) float64 { return float64(max(i-75, 0)) }),
		"mostly zero":   column(func(i int) float64 { return float64(i % 29 / 28) }),
		"mostly absent": column(func(i int) float64 { return []float64{noise[i], math.NaN(), math.NaN(), math.NaN()}[i%4] }),
		"none":          column(func(int) float64 { return math.NaN() }),
		"grows":         column(func(i int) float64 { return math.Exp(float64(i) / 9) }),
		"two values":    column(func(i int) float64 { return float64(i % 2) }),
	} {
		s := datasets.FromColumns([]string{"y", "same", "noise"}, v, v, noise)
		for _, m := range quick() {
			f, err := m.Fit(context.Background(), s.Rows(0, 70), Options{Targets: []string{"y"}, Horizons: []int{1, 5}})
			if err != nil {
				t.Logf("%s, %v: %v", name, m, err)
				continue
			}
			for _, at := range []int{0, 1, 40, 69, n - 1} {
				x, err := f.Forecast(nil, s, at)
				if err != nil {
					t.Fatalf("%s, %v: %v", name, m, err)
				}
				for i := range 2 {
					if !isFinite(x.At(i, 0)) {
						t.Errorf("%s, %v, row %d: %v", name, m, at, x.At(i, 0))
					}
				}
			}
			if g, ok := f.(*Fitted); ok {
				if lo, hi, err := g.Interval(s, n-1, 0.9); err != nil || !(lo.At(0, 0) <= hi.At(0, 0)) {
					t.Errorf("%s: interval %v to %v, %v", name, lo, hi, err)
				}
				if g.String() == "" {
					t.Error("no summary")
				}
				if err := g.Write(&bytes.Buffer{}); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		}
	}
}

// TestStillSeries: a target that does not move, or did not of late, has intervals without width, and
// that is told, not taken for certainty.
func TestStillSeries(t *testing.T) {
	still, early, moving := make([]float64, 40), make([]float64, 40), make([]float64, 40)
	for i := range still {
		still[i], early[i], moving[i] = 5, float64(min(i, 8)), math.Sin(float64(i*i))
	}
	o := Options{Horizons: []int{1, 3}}
	f, err := TwoRNN{}.Learn(context.Background(), datasets.FromColumns([]string{"still", "early", "moving"}, still, early, moving), o)
	if err != nil {
		t.Fatal(err)
	}
	// What is left of the regressions may err a little in early, one row ahead; three ahead they lost.
	if e := f.Exact; len(e) != 2 || !reflect.DeepEqual(e[0], Exact{"still", o.Horizons, true}) || e[1].Target != "early" || e[1].Still {
		t.Errorf("%v", e)
	}
	if s := f.String(); !strings.Contains(s, "\nwarning: still, 1 and 3 rows ahead: it did not move in the training rows, so its intervals have no width") {
		t.Errorf("the summary does not tell: %s", s)
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	if again, err := Read(&b); err != nil || !reflect.DeepEqual(again.Exact, f.Exact) {
		t.Errorf("read as %+v, %v", again, err)
	}
}

// TestUnseenDirection: a column that does not vary in the training rows adds nothing to
// a forecast when it moves.
func TestUnseenDirection(t *testing.T) {
	s := noisy(160, 6)
	a, _ := s.Column("a")
	b, _ := s.Column("b")
	tariff, moved := make([]float64, 160), make([]float64, 160)
	for i := range tariff {
		tariff[i], moved[i] = 5, 5
		if i >= 120 {
			moved[i] = 600
		}
	}
	before := datasets.FromColumns([]string{"a", "b", "tariff"}, a, b, tariff)
	after := datasets.FromColumns([]string{"a", "b", "tariff"}, a, b, moved)
	for _, m := range []Method{VAR{}, Ridge{}, Ridge{Products: true}, TwoRNN{}} {
		f, err := m.Fit(context.Background(), before.Rows(0, 120), Options{Targets: []string{"a"}, Seasons: []int{6}})
		if err != nil {
			t.Fatal(err)
		}
		x, _ := f.Forecast(nil, before, 150)
		y, _ := f.Forecast(nil, after, 150)
		if math.Abs(x.At(0, 0)-y.At(0, 0)) > 1e-9 {
			t.Errorf("%v: %v, with the tariff raised %v", m, x.At(0, 0), y.At(0, 0))
		}
	}
}

// TestDeterministic: the same bits whatever GOMAXPROCS.
func TestDeterministic(t *testing.T) {
	s := positive(noisy(80, 9))
	saved := func(cores int) string {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(cores))
		f, err := TwoRNN{}.Learn(context.Background(), s, Options{Targets: []string{"a"}, Horizons: []int{1, 2}, Seasons: []int{6}})
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		if err := f.Write(&b); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if saved(1) != saved(4) {
		t.Error("the fits differ")
	}
}

// stopper is a Recorder that stops at once.
type stopper struct {
	err  error
	told int
}

func (s *stopper) Record(twornn.Progress) error { s.told++; return s.err }

// TestRecorderStops: what a Recorder says is the error, and what had not begun does not begin.
func TestRecorderStops(t *testing.T) {
	rec := &stopper{err: errors.New("enough")}
	_, err := TwoRNN{}.Fit(context.Background(), noisy(100, 1), Options{Recorder: rec})
	// As many may be under way as there are processors.
	if !errors.Is(err, rec.err) || strings.Contains(err.Error(), "stopped before") || rec.told > runtime.GOMAXPROCS(0) {
		t.Errorf("%v, told %d times", err, rec.told)
	}
}

// TestConcurrent: one forecaster serves many goroutines, whatever the order of rows.
func TestConcurrent(t *testing.T) {
	s := positive(noisy(110, 12))
	f, err := TwoRNN{}.Learn(context.Background(), s.Rows(0, 80), Options{Horizons: []int{1, 3}})
	if err != nil {
		t.Fatal(err)
	}
	want := make([]float64, 110)
	for at := range want {
		x, err := f.Forecast(nil, s, at)
		if err != nil {
			t.Fatal(err)
		}
		want[at] = x.At(1, 1)
	}
	again := s.Rows(0, len(want)) // another view, whose rows nobody has forecast yet
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range want {
				at := (i*37 + g*11) % len(want)
				x, err := f.Forecast(nil, again, at)
				if err != nil || x.At(1, 1) != want[at] {
					t.Errorf("row %d: %v, want %v (%v)", at, x.At(1, 1), want[at], err)
				}
				if _, _, err := f.Interval(again, at, 0.9); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
}

// TestRareEvents: of a series that is 0 but for rare events no interval is turned round, or leaves its
// forecast out, at any level, nor reaches below 0.
func TestRareEvents(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 78))
	v := make([]float64, 400)
	for i := range v {
		if rnd.Float64() < 0.05 {
			v[i] = 10 * rnd.ExpFloat64()
		}
	}
	s := datasets.FromColumns([]string{"y"}, v)
	f := fitted(t, v, 250)
	for _, level := range []float64{0.1, 0.5, 0.8, 0.9, 0.99} {
		p, err := f.Predictions(s, level, 249, 260, 275, 290, 305, 320, 335, 350, 365, 380, 395)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range p {
			if !(0 <= x.Low && x.Low <= x.Forecast && x.Forecast <= x.High) {
				t.Errorf("at %v, %d after row %d: %v in %v to %v", level, x.Horizon, x.Row, x.Forecast, x.Low, x.High)
			}
		}
	}
}

// TestOutlierBehind: an outlier among the last training rows does not carry away the forecasts after it.
// The first row after these may have it at a distance that no row learnt from has.
func TestOutlierBehind(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 78))
	clean := make([]float64, 420)
	for i := 1; i < len(clean); i++ {
		clean[i] = 0.8*clean[i-1] + rnd.NormFloat64()
	}
	for at, size := range map[int]float64{380: 1000, 390: 1e6, 395: -1000} {
		v := append([]float64(nil), clean...)
		v[at] = size
		f, s := fitted(t, v, 400), datasets.FromColumns([]string{"y"}, v)
		for row := at + 1; row < len(v); row++ {
			x, err := f.Forecast(nil, s, row)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 2 {
				if y := x.At(i, 0); y < slices.Min(clean) || y > slices.Max(clean) {
					t.Errorf("%v in row %d: forecast %v from row %d, of %v", size, at, y, row, v[row])
				}
			}
		}
	}
}

// TestChangeOfUnit: a record whose unit changes in the training rows is told to have a change that stands alone, also when
// it is read back, and intervals cover the rows after it; one that does not, or with many changes as large, is told nothing.
func TestChangeOfUnit(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 1))
	same, unit, rare := make([]float64, 700), make([]float64, 700), make([]float64, 700)
	x := 0.0
	for i := range same {
		x = 0.8*x + 0.2*rnd.NormFloat64()
		same[i], unit[i] = 5+x, 5+x
		if i >= 300 {
			unit[i] *= 100
		}
		if rnd.Float64() < 0.1 {
			rare[i] = float64(1 + rnd.IntN(5))
		}
	}
	f := fitted(t, unit, 450)
	if !reflect.DeepEqual(f.Outliers, []Outliers{{"y", []int{1, 3}}}) || !strings.Contains(f.String(), "\nwarning: y, 1 and 3 rows ahead: in the training rows a change, or a few, stood alone") {
		t.Errorf("%v", f)
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	if again, err := Read(&b); err != nil || again.String() != f.String() {
		t.Errorf("read as %v, %v", again, err)
	}
	var rows []int
	for row := 450; row < 697; row++ {
		rows = append(rows, row)
	}
	p, err := f.Predictions(datasets.FromColumns([]string{"y"}, unit), 0.9, rows...)
	if err != nil {
		t.Fatal(err)
	}
	// Two standard errors of 247 rows, and some for those three ahead, whose errors hang together.
	if share, _, _ := p.Coverage(); share < 0.85 || share > 0.95 {
		t.Errorf("coverage %.3f, want 0.9", share)
	}
	for name, v := range map[string][]float64{"same": same, "rare": rare} {
		if f := fitted(t, v, 450); f.Outliers != nil {
			t.Errorf("%s: %v", name, f.Outliers)
		}
	}
}

// TestKnownEvent: events that stand alone but come with a known column are forecast as before.
func TestKnownEvent(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 78))
	v, event := make([]float64, 320), make([]float64, 320)
	event[60], event[90], event[310] = 1, 1, 1
	for i := range v {
		v[i] = rnd.NormFloat64() + 60*event[i]
	}
	s := datasets.FromColumns([]string{"y", "event"}, v, event)
	f, err := TwoRNN{}.Learn(context.Background(), s.Rows(0, 300), Options{Targets: []string{"y"}, Known: []string{"event"}})
	if err != nil {
		t.Fatal(err)
	}
	if x, err := f.Forecast(nil, s, 309); err != nil || x.At(0, 0) < 20 {
		t.Errorf("forecast %v of an event of 60, %v", x, err)
	}
}

// TestTower: what varies little beside its size, but by more than rounding, is neither exact nor a tie.
func TestTower(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 78))
	v := make([]float64, 120)
	x := 0.0
	for i := range v {
		x = 0.8*x + rnd.NormFloat64()
		v[i] = 1e14 + x
	}
	if f := fitted(t, v, len(v)); len(f.Exact) > 0 {
		t.Errorf("%v", f.Exact)
	}
	for _, x := range []struct {
		e, size, varies float64
		want            bool
	}{{1, 1e14, 6, false}, {1e-3, 1e14, 6, true}, {1e-16, 7, 0, true}, {1e-9, 7, 0, false}, {1e-9, 7, 5, false}} {
		if isRounding(x.e, x.size, x.varies) != x.want {
			t.Errorf("%+v", x)
		}
	}
}

// TestNothingToTestOn: a test part without a value of the target is an error, not a table of NaN.
func TestNothingToTestOn(t *testing.T) {
	y := make([]float64, 200)
	for i := range y {
		y[i] = math.Sin(float64(i))
		if i >= 150 {
			y[i] = math.NaN()
		}
	}
	table, err := Backtest(context.Background(), datasets.FromColumns([]string{"y"}, y), 150, []Method{Persistence{}}, Options{})
	if err == nil || !strings.Contains(err.Error(), "no target has a value") {
		t.Errorf("%v, %v", table, err)
	}
}
