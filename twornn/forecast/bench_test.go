package forecast

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/twornn/spectral/datasets"
)

// BenchmarkLong fits 100,000 rows of 5 columns at three horizons.
func BenchmarkLong(b *testing.B) {
	const n = 100_000
	rnd := rand.New(rand.NewPCG(1, 1))
	names := []string{"a", "b", "c", "d", "e"}
	columns := make([][]float64, len(names))
	for j := range columns {
		columns[j] = make([]float64, n)
	}
	for t := 1; t < n; t++ {
		for j, v := range columns {
			v[t] = 0.8*v[t-1] + 0.1*columns[(j+1)%len(columns)][t-1] + math.Sin(2*math.Pi*float64(t)/24) + rnd.NormFloat64()
		}
	}
	s := datasets.FromColumns(names, columns...)
	b.ReportAllocs()
	for b.Loop() {
		f, err := TwoRNN{}.Fit(context.Background(), s, Options{Horizons: []int{1, 6, 24}, Seasons: []int{24, 168}})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := f.Forecast(nil, s, n-1); err != nil {
			b.Fatal(err)
		}
	}
}
