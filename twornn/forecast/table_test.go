package forecast

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/twornn/spectral/datasets"
)

func TestTable(t *testing.T) {
	y := []float64{1, 2, 0, 3, 0, 5}
	s := datasets.FromColumns([]string{"y"}, y)
	table, err := Backtest(context.Background(), s, 3, []Method{Persistence{}, Mean{}, Persistence{}}, Options{Seasons: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	r := table.Rows[0]
	// Errors −3, 3, −5 at the values 3, 0, 5; mean absolute change in training 1.5.
	if math.Abs(r.RMSE-math.Sqrt(43./3)) > 1e-14 || math.Abs(r.MAE-11./3) > 1e-14 ||
		r.MAPE != 100 || r.Zeros != 1 || math.Abs(r.MASE-11./3/1.5) > 1e-14 || r.N != 3 {
		t.Errorf("%+v", r)
	}
	if table.Rows[1].Method != "mean" || table.Rows[2].Method != "persistence 2" {
		t.Errorf("%v", table)
	}
	f := table.Frame()
	if f.Err != nil || f.Nrow() != 3 || f.Elem(0, 4).Float() != r.RMSE {
		t.Errorf("%v", f)
	}
	var b strings.Builder
	if err := table.WriteCSV(&b); err != nil || strings.Count(b.String(), "\n") != 4 || !strings.Contains(b.String(), "persistence,y,1,3,3.78594") {
		t.Errorf("%v\n%s", err, b.String())
	}
	if !strings.Contains(table.String(), "3.78594") {
		t.Errorf("%v", table)
	}
	if got := table.Relative("persistence 2", "persistence", 1); got != 1 {
		t.Errorf("relative %v", got)
	}
}

// TestDieboldMariano: under equal accuracy the statistic is standard normal, also for
// overlapping errors of several steps; and it tells a difference that is there.
func TestDieboldMariano(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	const runs, n, h = 400, 300, 4
	beyond := 0
	for range runs {
		var noise [2][n + h]float64
		for k := range noise {
			for i := range noise[k] {
				noise[k][i] = rnd.NormFloat64()
			}
		}
		a, b := make([]float64, n), make([]float64, n)
		for i := range n {
			for l := range h {
				a[i], b[i] = a[i]+noise[0][i+l], b[i]+noise[1][i+l]
			}
		}
		if _, p := DieboldMariano(a, b, h); p < 0.05 {
			beyond++
		}
	}
	// 20 expected with exact size; Bartlett's weights at this length let through more,
	// some 10 %. Without the covariances it is above 25 %.
	if beyond < 10 || beyond > 60 {
		t.Errorf("%d of %d beyond 5 %%", beyond, runs)
	}
	a, b := make([]float64, n), make([]float64, n)
	for i := range n {
		a[i], b[i] = 2*rnd.NormFloat64(), rnd.NormFloat64()
	}
	if s, p := DieboldMariano(a, b, 1); !(s > 5 && p < 1e-6) {
		t.Errorf("statistic %v, p %v", s, p)
	}
	if s, p := DieboldMariano(a, a, 1); s != 0 || p != 1 {
		t.Errorf("equal errors: %v, %v", s, p)
	}
}
