package forecast

import (
	"bytes"
	"context"
	flags "flag"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/twornn/spectral/datasets"
)

// The same draws each time; -rapid.seed draws others.
func init() { _ = flags.Set("rapid.seed", "1") }

// drawSeries draws a series of any level and scale, with a trend, a season, steps, missing values
// and columns that do not move.
func drawSeries(t *rapid.T, n int) (names []string, columns [][]float64) {
	rnd := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
	for j := range rapid.IntRange(1, 3).Draw(t, "columns") {
		level, scale := rapid.Float64Range(-50, 50).Draw(t, "level"), math.Pow(10, float64(rapid.IntRange(-4, 4).Draw(t, "scale")))
		noise, wave, trend := rapid.Float64Range(0, 1).Draw(t, "noise"), rapid.Float64Range(0, 2).Draw(t, "wave"), rapid.Float64Range(-0.1, 0.1).Draw(t, "trend")
		lost := rapid.IntRange(0, 5).Draw(t, "lost of a hundred")
		still := rapid.IntRange(0, 5).Draw(t, "still") == 0
		v := make([]float64, n)
		for i := range v {
			// Rounded, since drawn numbers may be so small that their squares underflow, which is refused.
			v[i] = scale * math.Round(1e9*(level+wave*math.Sin(float64(i)*math.Pi/6)+trend*float64(i)+noise*rnd.NormFloat64())) / 1e9
			if still {
				v[i] = level
			}
			if rnd.IntN(100) < lost && i > 0 { // before the first value nothing is forecast
				v[i] = math.NaN()
			}
		}
		names, columns = append(names, string(rune('a'+j))), append(columns, v)
	}
	return names, columns
}

// TestNothingLeaks: whatever the series and the method, a forecast is of finite numbers, a
// row a horizon and a column a target, and no value after the row that it is made at moves
// it by a bit.
func TestNothingLeaks(t *testing.T) {
	const n, learnt = 60, 45
	for _, m := range []Method{Persistence{}, Seasonal{}, Mean{}, AR{}, VAR{}, Ridge{}, Ridge{Products: true}, Spectral{L: 1}} {
		t.Run(m.String(), func(t *testing.T) {
			tries, slow := 0, m.String() == "TIHT" // a dozen fits each
			rapid.Check(t, func(t *rapid.T) {
				if tries++; slow && tries > 6 {
					return
				}
				names, columns := drawSeries(t, n)
				h := rapid.IntRange(1, 6).Draw(t, "horizon")
				s := datasets.FromColumns(names, columns...)
				f, err := m.Fit(context.Background(), s.Rows(0, learnt), Options{Horizons: []int{1, h + 1}})
				if err != nil {
					t.Fatal(err)
				}
				at := rapid.IntRange(0, n-1).Draw(t, "row")
				y, err := f.Forecast(nil, s, at)
				if err != nil {
					t.Fatal(err)
				}
				if r, c := y.Dims(); r != 2 || c != len(names) {
					t.Fatalf("%d×%d forecasts", r, c)
				}
				for _, v := range y.RawMatrix().Data {
					if !isFinite(v) {
						t.Fatalf("a forecast is %v", v)
					}
				}
				for _, v := range columns {
					for i := at + 1; i < n; i++ {
						v[i] = 1e6 * float64(i)
					}
				}
				z, err := f.Forecast(nil, datasets.FromColumns(names, columns...), at)
				if err != nil || !mat.Equal(y, z) {
					t.Fatalf("what comes after row %d changes its forecast: %v to %v (%v)", at, mat.Formatted(y), mat.Formatted(z), err)
				}
			})
		})
	}
}

// TestNeweyWest: the variance of a mean of three autocovariances, worked out by hand: of
// d = 1, 2, 6, −1, 0, 4 the mean is 2, and h = 3 gives K = 3, so weights of 1, 4/3 and 2/3.
func TestNeweyWest(t *testing.T) {
	mean, se := meanError([]float64{1, 2, 6, -1, 0, 4}, 3)
	g0 := (1. + 0 + 16 + 9 + 4 + 4) / 6
	g1 := (-1.*0 + 0*4 + 4*-3 + -3*-2 + -2*2) / 6
	g2 := (-1.*4 + 0*-3 + 4*-2 + -3*2) / 6
	if want := math.Sqrt((g0 + 4./3*g1 + 2./3*g2) / 6); mean != 2 || math.Abs(se-want) > 1e-12 {
		t.Errorf("mean %v with error %v, want 2 with %v", mean, se, want)
	}
}

// TestAnchors: what a regression explains the distance from, of y = 10, 11, …, row 7, two rows
// ahead with a season of four: the value of row 5, and that plus the change since row 3.
func TestAnchors(t *testing.T) {
	v := []float64{10, 11, 13, 16, 20, 25, 31, 38}
	for kind, want := range map[anchorKind]float64{fromMean: 99, fromLast: 38, fromSeason: 25, fromBoth: 38 + 25 - 16} {
		if got := (anchor{kind, 4}).at(v, 99, 7, 2); got != want {
			t.Errorf("%v: %v, want %v", anchor{kind, 4}, got, want)
		}
	}
}

// TestPersistenceMisses: on y(t) = a + b t, persistence misses by b h at horizon h.
func TestPersistenceMisses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, h := rapid.Float64Range(-9, 9).Draw(t, "a"), float64(rapid.IntRange(-8, 8).Draw(t, "b")), rapid.IntRange(1, 9).Draw(t, "h")
		v := make([]float64, 40)
		for i := range v {
			v[i] = a + b*float64(i)
		}
		table, err := Backtest(context.Background(), datasets.FromColumns([]string{"y"}, v), 20, []Method{Persistence{}}, Options{Horizons: []int{h}})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := table.Rows[0].RMSE, math.Abs(b)*float64(h); math.Abs(got-want) > 1e-9 {
			t.Fatalf("RMSE %v, want %v", got, want)
		}
	})
}

// TestAnyFileIsOneForecaster: what TwoRNN learnt on any series comes back from its file with
// the same forecasts and intervals, which hold the forecast.
func TestAnyFileIsOneForecaster(t *testing.T) {
	tries := 0
	rapid.Check(t, func(t *rapid.T) {
		if tries++; tries > 4 { // each takes a third of a second
			return
		}
		names, columns := drawSeries(t, 60)
		s := datasets.FromColumns(names[:1], columns[0])
		f, err := TwoRNN{}.Learn(context.Background(), s.Rows(0, 50), Options{})
		if err != nil {
			t.Skip(err) // all missing, say
		}
		var b bytes.Buffer
		if err := f.Write(&b); err != nil {
			t.Fatal(err)
		}
		g, err := Read(&b)
		if err != nil {
			t.Fatal(err)
		}
		y, err := f.Forecast(nil, s, 55)
		if err != nil {
			t.Fatal(err)
		}
		z, err := g.Forecast(nil, s, 55)
		if err != nil || !mat.Equal(y, z) || f.String() != g.String() {
			t.Fatalf("another forecaster came back: %v", err)
		}
		low, high, err := g.Interval(s, 55, 0.9)
		if err != nil || !(low.At(0, 0) <= high.At(0, 0)) {
			t.Fatalf("an interval from %v to %v: %v", low.At(0, 0), high.At(0, 0), err)
		}
	})
}

// TestIntervalsAreOrdered: whatever the errors, an interval holds its forecast, and one that covers more,
// or is widened, holds the other.
func TestIntervalsAreOrdered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, shift := rapid.IntRange(1, 40).Draw(t, "n"), rapid.Float64Range(-9, 9).Draw(t, "shift")
		f, truth, rows := make([]float64, n), make([]float64, n), make([]int, n)
		for i := range f {
			f[i], rows[i] = rapid.Float64Range(0, 9).Draw(t, "f"), i
			truth[i] = f[i] + shift + rapid.Float64Range(-9, 9).Draw(t, "e")
		}
		b := newBand(f, truth, rows, 1, nil)
		p, q := rapid.Float64Range(0.01, 0.99).Draw(t, "p"), rapid.Float64Range(0.01, 0.99).Draw(t, "q")
		p, q = min(p, q), max(p, q)
		y, more := rapid.Float64Range(-20, 20).Draw(t, "y"), rapid.Float64Range(0, 5).Draw(t, "more")
		low, high := b.between(y, 3, p, 0)
		if !(low <= y && y <= high) {
			t.Fatalf("%v in %v to %v", y, low, high)
		}
		for _, x := range [][2]float64{{q, 0}, {p, more}} {
			if l, h := b.between(y, 3, x[0], x[1]); l > low || h < high {
				t.Fatalf("%v to %v at %v; %v to %v at %v, widened by %v", low, high, p, l, h, x[0], x[1])
			}
		}
	})
}
