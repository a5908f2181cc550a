package forecast

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn/baseline"
)

func everyMethod() []Method {
	return []Method{Persistence{}, Seasonal{}, Mean{}, AR{}, VAR{}, ARIMA{}, ETS{}, Automaton{}, Spectral{}, Network{}, Network{LSTM: true}, Ridge{}, TwoRNN{}}
}

// TestFewRows: on one to three rows every method learns, or says how many rows it needs.
func TestFewRows(t *testing.T) {
	s := noisy(60, 5)
	for _, m := range everyMethod() {
		for n := 1; n <= 3; n++ {
			_, err := m.Fit(context.Background(), s.Rows(0, n), Options{Horizons: []int{2}})
			if err == nil {
				continue
			}
			text := err.Error()
			needs := strings.Contains(text, "needs") || strings.Contains(text, "rows or more")
			if !needs || strings.Contains(text, "1 rows") || strings.Contains(text, "no sequence") || strings.ContainsAny(text, "\n") {
				t.Errorf("%s, %d rows: %v", m, n, err)
			}
		}
	}
}

// TestStopsSayWhat: a context that is done is named, with what did not get done, and is
// found by errors.Is; a cause is told too.
func TestStopsSayWhat(t *testing.T) {
	s := noisy(60, 5)
	late, cancel := context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	why := errors.New("the user left")
	gone, leave := context.WithCancelCause(context.Background())
	leave(why)
	for _, m := range everyMethod() {
		_, err := m.Fit(late, s, Options{})
		if !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(fmt.Sprint(err), "forecast: stopped before") || !strings.Contains(err.Error(), "more time") {
			t.Errorf("%s: %v", m, err)
		}
		if _, err := m.Fit(gone, s, Options{}); !errors.Is(err, context.Canceled) || !errors.Is(err, why) {
			t.Errorf("%s: %v", m, err)
		}
	}
	if _, err := Backtest(late, s, 50, everyMethod()[:1], Options{}); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "persistence had its turn") {
		t.Error(err)
	}
}

// TestOptionsOfMethods: a choice below zero, and one larger than any data, is an error that names it and no panic.
func TestOptionsOfMethods(t *testing.T) {
	s := noisy(60, 5)
	for want, m := range map[string]Method{
		"AR.Most is -1": AR{Most: -1}, "VAR.Most is -1": VAR{Most: -1}, "Network.Rows is -1": Network{Rows: -1}, "Spectral.L is -2": Spectral{L: -2}, "Spectral.States is -3": Spectral{States: -3},
		"a window of 9223372036854775807": Network{Rows: math.MaxInt}, "RNN: baseline: Units 1000000000 would take": Network{Options: baseline.LSTM{Units: 1e9}},
	} {
		if _, err := m.Fit(t.Context(), s, Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", m, err)
		}
	}
	for _, m := range []Method{AR{Most: math.MaxInt}, VAR{Most: math.MaxInt}} {
		if _, err := m.Fit(t.Context(), s, Options{}); err != nil {
			t.Errorf("%v: %v", m, err)
		}
	}
}

// TestCoverage: a coverage in percent is told to be one.
func TestCoverage(t *testing.T) {
	f, err := Load("testdata/version1.json")
	if err != nil {
		t.Fatal(err)
	}
	for coverage, want := range map[float64]string{90: "write 0.9 for 90 %", 1: "between 0 and 1", -0.5: "between 0 and 1", 100: "between 0 and 1"} {
		if _, _, err := f.Interval(noisy(60, 5), 50, coverage); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v", coverage, err)
		}
	}
}

// TestTooMuchCoverage: a coverage of which the errors held out tell nothing is an error, that it names is none.
func TestTooMuchCoverage(t *testing.T) {
	s := noisy(60, 5)
	f, err := TwoRNN{}.Learn(t.Context(), s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.Predictions(s, 0.99999, 59)
	if err == nil || !strings.Contains(err.Error(), "a coverage of 0.99999 is more than the") {
		t.Fatal(err)
	}
	var most float64
	if _, err := fmt.Sscanf(err.Error()[strings.Index(err.Error(), "ask for"):], "ask for %v or less", &most); err != nil || most != 0.99 {
		t.Errorf("%v of %v", most, err)
	}
	if _, err := f.Predictions(s, most, 59); err != nil {
		t.Error(err)
	}
	for n, want := range map[int]float64{8: 0.99, 100: 201. / 202, 2000: 0.999} {
		errs, rows := make([]float64, n), all(n)
		b := newBand(errs, errs, rows, 1, nil)
		if got, of := b.mostCoverage(); got != want || of != n {
			t.Errorf("%d errors: %v of %d", n, got, of)
		}
	}
}

// TestNilSeries: a nil series, or a nil method, is an error.
func TestNilSeries(t *testing.T) {
	s := noisy(60, 5)
	f, err := Persistence{}.Fit(t.Context(), s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	learnt, err := TwoRNN{}.Learn(t.Context(), s, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for what, call := range map[string]func() error{
		"Backtest":    func() error { _, err := Backtest(t.Context(), nil, 5, everyMethod(), Options{}); return err },
		"WindTables":  func() error { _, err := WindTables(t.Context(), nil, "x", 5); return err },
		"Forecast":    func() error { _, err := f.Forecast(nil, nil, 1); return err },
		"Predictions": func() error { _, err := learnt.Predictions(nil, 0.9, 1); return err },
		"Interval":    func() error { _, _, err := learnt.Interval(nil, 1, 0.9); return err },
	} {
		if err := call(); !errors.Is(err, errNoSeries) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := Backtest(t.Context(), s, 40, []Method{Mean{}, nil}, Options{}); err == nil || !strings.Contains(err.Error(), "method 2 of 2 is nil") {
		t.Error(err)
	}
}

// TestNothingMeasured: from rows in which a target was never measured nothing is forecast, and the error says so.
func TestNothingMeasured(t *testing.T) {
	s := noisy(60, 5)
	a, _ := s.Column("a")
	b, _ := s.Column("b")
	late, never := slices.Clone(a), slices.Clone(a)
	for i := range never {
		if never[i] = math.NaN(); i < 10 {
			late[i] = math.NaN()
		}
	}
	at10, none := datasets.FromColumns([]string{"a", "b"}, late, b), datasets.FromColumns([]string{"a", "b"}, never, b)
	for _, m := range append(quick(), Persistence{}) {
		f, err := m.Fit(t.Context(), s, Options{})
		if err != nil {
			t.Fatal(m, err)
		}
		if _, err := f.Forecast(nil, none, 59); err == nil || !strings.Contains(err.Error(), `"a" was not measured in any row up to row 59`) {
			t.Errorf("%s: %v", m, err)
		}
		if _, err := f.Forecast(nil, at10, 9); err == nil || !strings.Contains(err.Error(), "forecast from row 10 on") {
			t.Errorf("%s: %v", m, err)
		}
		if _, err := f.Forecast(nil, at10, 10); err != nil {
			t.Errorf("%s: %v", m, err)
		}
		if f, ok := f.(*Fitted); ok {
			if p, err := f.Predictions(none, 0.9, 59); err == nil || p != nil {
				t.Errorf("%v, %v", p, err)
			}
		}
	}
}

// TestUnits: series in units in which values are 1e-90 or 1e60 are forecast as they are in others.
func TestUnits(t *testing.T) {
	of := func(exp int) *datasets.Series {
		x := make([]float64, 80)
		for i := range x {
			x[i] = math.Ldexp(math.Sin(float64(i)), exp)
		}
		return datasets.FromColumns([]string{"x"}, x)
	}
	for _, m := range []Method{AR{}, VAR{}, ARIMA{}, ETS{}, Ridge{}, TwoRNN{}} {
		var usual float64
		for _, exp := range []int{0, -300, -60, 200} {
			f, err := m.Fit(t.Context(), of(exp), Options{})
			if err != nil {
				t.Fatal(m, exp, err)
			}
			y, err := f.Forecast(nil, of(exp), 79)
			if err != nil {
				t.Fatal(m, exp, err)
			}
			switch got := math.Ldexp(y.At(0, 0), -exp); {
			case exp == 0:
				usual = got
			case !(math.Abs(got-usual) <= 1e-7):
				t.Errorf("%s in units of 2^%d: %v, not %v", m, exp, got, usual)
			}
		}
	}
}

// TestTooSmall: a column that varies by so little that squares of that underflow would be forecast without an error by every
// method; it is refused as one whose squares overflow. One that does not vary is none.
func TestTooSmall(t *testing.T) {
	s := noisy(120, 5)
	a, _ := s.Column("a")
	b, _ := s.Column("b")
	small, close := make([]float64, len(a)), make([]float64, len(a))
	for i := range a {
		small[i], close[i] = 1e-170*a[i], 1e-139+1e-153*a[i]
	}
	for name, v := range map[string][]float64{"small": small, "close": close} {
		tiny := datasets.FromColumns([]string{name, "b"}, v, b)
		for _, m := range everyMethod() {
			for _, o := range []Options{{}, {Targets: []string{"b"}}} {
				if _, err := m.Fit(t.Context(), tiny, o); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("column %q has values up to", name)) {
					t.Errorf("%s: %v", m, err)
				}
			}
		}
	}
	still := datasets.FromColumns([]string{"a", "b"}, slices.Repeat([]float64{1e-170}, len(a)), b)
	if _, err := (Persistence{}).Fit(t.Context(), still, Options{}); err != nil {
		t.Error(err)
	}
}
