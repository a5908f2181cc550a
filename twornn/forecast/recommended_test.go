package forecast

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"
)

// inner returns the training part of a series of the panel as a series of its own, its
// last fifth to be forecast.
func (p panelSeries) inner() panelSeries {
	q := p
	q.series = p.series.Rows(0, p.Train)
	q.Train = p.Train * 4 / 5
	return q
}

// scores is what TwoRNN makes of one series: RMSE over persistence's and the coverage
// of intervals of 90 %, by horizon, means over the targets.
type scores struct {
	relative, coverage []float64
	seconds            float64
	fitted             *Fitted
}

func score(t testing.TB, p panelSeries) scores {
	begin := time.Now()
	f, err := TwoRNN{}.Learn(context.Background(), p.series.Rows(0, p.Train), p.options())
	if err != nil {
		t.Fatal(err)
	}
	out := scores{seconds: time.Since(begin).Seconds(), fitted: f}
	out.relative, out.coverage = make([]float64, len(p.Horizons)), make([]float64, len(p.Horizons))
	for c, name := range p.Targets {
		y, err := p.series.Column(name)
		if err != nil {
			t.Fatal(err)
		}
		for i, h := range p.Horizons {
			own, base, in := 0.0, 0.0, 0.0
			for r := p.Train; r < len(y); r++ {
				lo, hi, err := f.Interval(p.series, r-h, 0.9)
				if err != nil {
					t.Fatal(err)
				}
				x, _ := f.Forecast(nil, p.series, r-h)
				own += math.Pow(x.At(i, c)-y[r], 2)
				base += math.Pow(y[r-h]-y[r], 2)
				if lo.At(i, c) <= y[r] && y[r] <= hi.At(i, c) {
					in++
				}
			}
			out.relative[i] += math.Sqrt(own/base) / float64(len(p.Targets))
			out.coverage[i] += in / float64(len(y)-p.Train) / float64(len(p.Targets))
		}
	}
	return out
}

// TestTwoRNNOnPanel forecasts the panel of series. Without PANEL set it takes the short
// ones.
func TestTwoRNNOnPanel(t *testing.T) {
	want := published(t)
	only := os.Getenv("SERIES")
	sum, cells, cover := 0.0, 0.0, 0.0
	for _, p := range readPanel(t) {
		if only != "" && !strings.Contains(only, p.Name) || os.Getenv("PANEL") == "" && p.series.Len() > 300 {
			continue
		}
		if os.Getenv("PANEL") == "inner" {
			p = p.inner()
		}
		s := score(t, p)
		for i, h := range p.Horizons {
			sum, cells, cover = sum+math.Log(s.relative[i]), cells+1, cover+s.coverage[i]
			var rivals []string
			best := 1.0
			for _, m := range []string{"ar", "var", "ridge", "ets", "arima", "ridge+products"} {
				if v, ok := want[fmt.Sprintf("%s,%d,%s", p.Name, h, m)]; ok {
					rivals = append(rivals, fmt.Sprintf("%s %.3f", m, v))
					if m == "ar" || m == "var" || m == "ridge" {
						best = min(best, v)
					}
				}
			}
			t.Logf("%s, h %d: %.4f, coverage %.3f, %.1f s; %s", p.Name, h, s.relative[i], s.coverage[i], s.seconds, strings.Join(rivals, ", "))
			if n := p.series.Len() - p.Train; n >= 200 && os.Getenv("PANEL") != "inner" && s.relative[i] > 1.1*best {
				t.Errorf("%s, h %d: %.4f, above 1.1 × %.4f", p.Name, h, s.relative[i], best)
			}
		}
		t.Log(s.fitted)
	}
	if cells > 0 {
		t.Logf("geometric mean over %v cells %.4f, coverage %.4f", cells, math.Exp(sum/cells), cover/cells)
	}
}
