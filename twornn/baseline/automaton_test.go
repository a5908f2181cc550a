package baseline

import (
	"bytes"
	"context"
	"encoding/gob"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// trigger is a machine of two states, which emit values about −0.5 and 0.6. A value below
// −1 leads to the first, from 1 on to the second, and others leave it where it is: how long
// ago the last such value was has no bound, so no number of lags tells its state. It
// returns n values, and what was to be expected of each.
func trigger(n int, seed uint64) (y, expected []float64) {
	rnd := rand.New(rand.NewPCG(6, seed))
	mean := -0.5
	for range n {
		v := mean + 0.7*rnd.NormFloat64()
		y, expected = append(y, v), append(expected, mean)
		if v < -1 {
			mean = -0.5
		} else if v >= 1 {
			mean = 0.6
		}
	}
	return y, expected
}

// TestAutomatonFindsMachine: on rows it has not seen the automaton errs hardly more than
// the machine's own expectations (the noise of 0.7), is on the right side in 19 of 20
// rows, and has few states; an ARIMA is far behind.
func TestAutomatonFindsMachine(t *testing.T) {
	ctx := context.Background()
	const n, train = 5000, 4000
	for seed := range uint64(3) {
		y, expected := trigger(n, seed)
		a, err := FitAutomaton(ctx, y[:train], Automaton{})
		if err != nil {
			t.Fatal(err)
		}
		arima, err := FitARIMA(ctx, y[:train], Order{P: 3, Q: 2, Constant: true})
		if err != nil {
			t.Fatal(err)
		}
		var noise float64
		right := 0
		f, mean := a.Filter(), make([]float64, 1)
		for i, v := range y {
			if i >= train {
				f.Forecast(mean, nil, []int{1})
				noise += (v - expected[i]) * (v - expected[i]) / (n - train)
				if (mean[0] > 0.05) == (expected[i] > 0) {
					right++
				}
			}
			f.Update(v)
		}
		noise = math.Sqrt(noise)
		got, other := rollingRMSE(a, y, train, []int{1})[0], rollingRMSE(arima, y, train, []int{1})[0]
		if !(got < 1.02*noise && other > 1.04*noise) || right < (n-train)*19/20 || len(a.States) > 8 {
			t.Errorf("seed %d: %v, RMSE %.4f, noise %.4f, ARIMA %.4f, right %d times", seed, a, got, noise, other, right)
		}
	}
}

// TestAutomatonIsDeterministic: from every state every value has one edge, edges are in
// order, and the filter takes the one that a search of all finds.
func TestAutomatonIsDeterministic(t *testing.T) {
	y, _ := trigger(1500, 7)
	a := build(y, Automaton{Window: 4, Penalty: 3, Means: true}.filled())
	if len(a.States) < 3 {
		t.Fatalf("only %v", a)
	}
	for i := range a.States {
		low := math.Inf(-1)
		for _, e := range a.Edges {
			if e.From == i {
				if e.Low != low || !(e.High > e.Low) || e.To < 1 || e.To >= len(a.States) {
					t.Fatalf("state %d: edge %+v after %v", i, e, low)
				}
				low = e.High
			}
		}
		if !math.IsInf(low, 1) {
			t.Errorf("state %d has no edge from %v on", i, low)
		}
	}
	f := a.Filter().(*automatonFilter)
	taken := make([]int, len(a.Edges))
	for _, v := range y {
		k := slices.IndexFunc(a.Edges, func(e AutomatonEdge) bool { return e.From == f.state && e.Low <= v && v < e.High })
		taken[k]++
		if f.Update(v); f.state != a.Edges[k].To {
			t.Fatalf("value %v leads to %d, its edge is %+v", v, f.state, a.Edges[k])
		}
	}
	for k, e := range a.Edges {
		if e.Rows != taken[k] {
			t.Errorf("edge %+v was taken %d times", e, taken[k])
		}
	}
}

// TestAutomatonValues: a state's mean is that of the rows that follow its own and one more
// at the mean of all, with the errors' variance likewise; one state alone has the line of
// least squares, at each horizon.
func TestAutomatonValues(t *testing.T) {
	y, _ := trigger(1500, 8)
	o := Automaton{Horizons: []int{1, 3}, Window: 4, Penalty: 6, Means: true}.filled()
	a := build(y, o)
	n := len(y) - 3
	for k, h := range a.Horizons {
		all := stat.Mean(y[h:h+n], nil)
		sums, counts := make([]float64, len(a.States)), make([]float64, len(a.States))
		f := a.Filter().(*automatonFilter)
		for i := range n {
			f.Update(y[i])
			sums[f.state] += y[i+h]
			counts[f.state]++
		}
		for i, s := range a.States {
			if want := (sums[i] + all) / (counts[i] + 1); math.Abs(s.Lines[k].Mean-want) > 1e-12 || s.Lines[k].Slope != 0 {
				t.Errorf("state %d, h=%d: %+v, mean of the rows %v", i, h, s.Lines[k], want)
			}
		}
	}
	o.Means, o.Penalty = false, math.Inf(1)
	line := build(y, o)
	for k, h := range line.Horizons {
		c, b := stat.LinearRegression(y[:n], y[h:h+n], nil, false)
		got := line.States[1].at(k, 0.3)
		if s := line.States[1].Lines[k]; math.Abs(s.Slope-b) > 1e-12 || math.Abs(got-c-0.3*b) > 1e-12 {
			t.Errorf("h=%d: %+v, least squares %v + %v y", h, s, c, b)
		}
		var variance float64
		for t := range n {
			e := y[t+h] - c - b*y[t]
			variance += e * e / float64(n)
		}
		if got := line.States[1].Lines[k].Variance; math.Abs(got-variance) > 1e-12 {
			t.Errorf("h=%d: variance %v, of the errors %v", h, got, variance)
		}
	}
}

// TestSums: what a line gains is the sum of squares about 0 less that about the line, and
// no line near the ridge regression gains more after its price.
func TestSums(t *testing.T) {
	y, _ := trigger(300, 9)
	tg := newTargets(y, []int{1, 2}, false)
	s := newSums(2)
	rows := []int{3, 4, 50, 51, 52, 200, 290}
	for _, t := range rows {
		s.add(tg, t, 1)
	}
	s.add(tg, 7, 1)
	s.add(tg, 7, -1)
	for k, z := range tg.z {
		saved := func(a, b float64) (g float64) {
			for _, t := range rows {
				e := z[t] - a - b*tg.x[t]
				g += z[t]*z[t] - e*e
			}
			return g
		}
		a, b := s.line(tg, k)
		if got, want := s.gain(k, a, b), saved(a, b); math.Abs(got-want) > 1e-12 {
			t.Errorf("gain %v, by the rows %v", got, want)
		}
		center := s.x / s.n
		price := func(a, b float64) float64 { level := a + b*center; return 10 * (level*level + b*b) }
		for _, d := range [][2]float64{{0.01, 0}, {-0.01, 0}, {0, 0.01}, {0, -0.01}} {
			if saved(a+d[0], b+d[1])-price(a+d[0], b+d[1]) > saved(a, b)-price(a, b) {
				t.Errorf("a line %v away is better", d)
			}
		}
	}
}

// TestAutomatonUnits: in other units, powers of two, the automaton is the same.
func TestAutomatonUnits(t *testing.T) {
	y, _ := trigger(600, 10)
	scaled := make([]float64, len(y))
	for i, v := range y {
		scaled[i] = 64 * v
	}
	o := Automaton{Window: 2, Penalty: 3}.filled()
	a, b := build(y, o), build(scaled, o)
	if len(a.States) != len(b.States) || len(a.Edges) != len(b.Edges) || len(a.States) < 3 {
		t.Fatalf("%v and %v", a, b)
	}
	for k, e := range a.Edges {
		if f := b.Edges[k]; e.To != f.To || math.Abs(64*e.Low-f.Low) > 1e-9 { // of Nextafter; −Inf and NaN pass
			t.Errorf("edge %+v, in other units %+v", e, f)
		}
	}
}

// TestAutomatonOnRijnhaven: in every case the one-step errors are below the mean of those
// that the published automata make, and beside them with means alone, too.
func TestAutomatonOnRijnhaven(t *testing.T) {
	folder := filepath.Join("..", "..", "..", "shared", "data", "rijnhaven")
	if _, err := os.Stat(folder); err != nil {
		t.Skip("the wind of Rijnhaven is not here")
	}
	published := make([][]float64, 5)
	for _, r := range readTable(t, folder, "published-methods")[1:] { // case, method, source, MAE, MAPE, RMSE
		if r[1] == "RAI" || strings.HasPrefix(r[1], "RTI+") {
			c := int(number(t, r[0]))
			published[c] = append(published[c], number(t, r[5]))
		}
	}
	horizons := []int{1, 3, 6}
	total := make([]float64, len(horizons))
	for c, rmse := range published {
		dir := filepath.Join(folder, "case"+string(rune('0'+c)))
		var y []float64
		train := 0
		for _, part := range []string{"train", "test"} {
			train = len(y)
			for _, r := range readTable(t, dir, part)[1:] {
				y = append(y, number(t, r[1]))
			}
		}
		for _, means := range []bool{false, true} {
			a, err := FitAutomaton(context.Background(), y[:train], Automaton{Horizons: horizons, Means: means})
			if err != nil {
				t.Fatal(err)
			}
			got, want := rollingRMSE(a, y, train, horizons), stat.Mean(rmse, nil)
			t.Logf("case %d: %v, RMSE %.4f at %v, published %.4f", c, a, got, horizons, want)
			if !(got[0] < want) {
				t.Errorf("case %d, %v: RMSE %.4f, mean of the published %.4f", c, a, got[0], want)
			}
			for k := range total {
				if !means {
					total[k] += got[k] / 5
				}
			}
		}
	}
	t.Logf("mean RMSE %.4f at %v", total, horizons)
}

// TestAutomatonEdges: constant rows, rows never measured, gob, and errors.
func TestAutomatonEdges(t *testing.T) {
	ctx := context.Background()
	flat := slices.Repeat([]float64{3}, 60)
	a, err := FitAutomaton(ctx, flat, Automaton{})
	if err != nil {
		t.Fatal(err)
	}
	if got := rollingRMSE(a, flat, 1, []int{1}); got[0] != 0 {
		t.Errorf("errs by %v on a constant", got)
	}
	y, _ := trigger(400, 11)
	if a, err = FitAutomaton(ctx, y, Automaton{Horizons: []int{2}, Penalty: 3}); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a.Horizons, []int{1, 2}) || !strings.Contains(a.Table(2), "state 1") {
		t.Errorf("horizons %v, table %s", a.Horizons, a.Table(2))
	}
	var buf bytes.Buffer
	var back RegressionAutomaton
	if err := gob.NewEncoder(&buf).Encode(a); err != nil {
		t.Fatal(err)
	}
	if err := gob.NewDecoder(&buf).Decode(&back); err != nil || !reflect.DeepEqual(*a, back) {
		t.Errorf("gob keeps another automaton: %v", err)
	}
	y[0], y[20] = math.NaN(), math.NaN()
	var mean, variance mat.Dense
	ForecastsTo(&mean, &variance, a, y, a.Horizons)
	for i, v := range mean.RawMatrix().Data {
		if math.IsNaN(v) || !(variance.RawMatrix().Data[i] > 0) {
			t.Fatalf("forecast %d is %v ± %v", i, v, variance.RawMatrix().Data[i])
		}
	}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a horizon that was not learnt does not panic")
			}
		}()
		a.Filter().Forecast(make([]float64, 1), nil, []int{3})
	}()
	for want, c := range map[string]struct {
		y []float64
		o Automaton
	}{
		"Window -1":               {flat, Automaton{Window: -1}},
		"horizons [0]":            {flat, Automaton{Horizons: []int{0}}},
		"row 2 is NaN":            {[]float64{1, 2, math.NaN()}, Automaton{}},
		"from 17 rows or more":    {flat[:20], Automaton{}},
		"Penalty NaN, LeastRows ": {flat, Automaton{Penalty: math.NaN()}},
	} {
		if _, err := FitAutomaton(ctx, c.y, c.o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

// TestRefine: learning the guards again never lowers the score of a machine's rows, and
// mostly raises it.
func TestRefine(t *testing.T) {
	raised := 0
	for seed := range uint64(6) {
		y, _ := trigger(1500, 30+seed)
		o := Automaton{Window: 4, Penalty: 12, Means: true}.filled()
		tg := newTargets(y, o.Horizons, o.Means)
		nodes := learn(tg, o)
		before := score(tg, nodes, o)
		after := score(tg, refine(tg, nodes, o), o)
		if after < before {
			t.Errorf("seed %d: %v after %v", seed, after, before)
		} else if after > before {
			raised++
		}
	}
	if raised < 3 {
		t.Errorf("raised %d of 6 times", raised)
	}
}
