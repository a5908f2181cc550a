package forecast

import (
	"bytes"
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/twornn/spectral/datasets"
)

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
			v[i] = scale * (level + wave*math.Sin(float64(i)*math.Pi/6) + trend*float64(i) + noise*rnd.NormFloat64())
			if still {
				v[i] = level
			}
			if rnd.IntN(100) < lost {
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
