package forecast

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/twornn/spectral/datasets"
)

// TestWarpMean: the value of a transformed forecast with noise is the mean over it.
func TestWarpMean(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 1))
	for _, w := range []warp{{}, {Kind: root}, {Kind: logarithm, Floor: 1e-9}} {
		const z, sd, n = 1.7, 0.4, 400000
		sum := 0.0
		for range n {
			v := z + sd*rnd.NormFloat64()
			switch w.Kind {
			case root:
				v *= v
			case logarithm:
				v = math.Exp(v)
			}
			sum += v / n
		}
		// Five standard errors of the mean.
		if got := w.mean(z, sd*sd); math.Abs(got-sum) > 5*3*sd*math.Exp(z)/3/math.Sqrt(n) {
			t.Errorf("%v: %v, want %v", w.Kind, got, sum)
		}
	}
}

// TestWarpFor: squares of a process of even noise get the root, its exponentials the
// logarithm, and what is negative nothing.
func TestWarpFor(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 2))
	z := 0.0
	var squares, exps, plain []float64
	for range 2000 {
		z = 0.95*z + 0.3*rnd.NormFloat64()
		squares, exps, plain = append(squares, (z+5)*(z+5)), append(exps, math.Exp(z)), append(plain, z)
	}
	if a, b, c := warpFor(squares).Kind, warpFor(exps).Kind, warpFor(plain).Kind; a != root || b != logarithm || c != identity {
		t.Errorf("%v, %v, %v", a, b, c)
	}
}

// TestFeatures: each kind reads the rows that it says.
func TestFeatures(t *testing.T) {
	v := make([]float64, 60)
	for i := range v {
		v[i] = float64(i * i)
	}
	src := source{n: 60, v: [][]float64{v}, smooth: func(j int, rate float64) []float64 { return smoothed(v, rate) }}
	for _, c := range []struct {
		f    feature
		want float64
	}{
		{feature{Kind: lag, Shift: 3}, 17 * 17},
		{feature{Kind: lag, Shift: 30}, 0}, // as the first
		{feature{Kind: aligned, Shift: 7, Period: 7}, 18 * 18},
		{feature{Kind: aligned, Shift: 35, Period: 7}, 4 * 4}, // no such row: the place's first
		{feature{Kind: known}, 25 * 25},
		{feature{Kind: known, Shift: 2}, 23 * 23},
		{feature{Kind: dummy, Period: 7, Shift: 4}, 1},
		{feature{Kind: dummy, Period: 7, Shift: 5}, 0},
		{feature{Kind: sine, Period: 8, Shift: 2}, math.Sin(2 * math.Pi * 2 * 25 / 8)},
		{feature{Kind: smooth, Rate: 1}, 400},
		{feature{Kind: carried, Rate: 1}, 625},
	} {
		got := []float64{math.NaN()}
		if c.f.fill(got, 1, src, []int{20}, 5); math.Abs(got[0]-c.want) > 1e-9 {
			t.Errorf("%+v: %v, want %v", c.f, got[0], c.want)
		}
	}
	s := smoothed([]float64{1, 3, 5}, 0.5)
	if s[0] != 1 || s[1] != 2 || s[2] != 3.5 {
		t.Errorf("smoothed %v", s)
	}
}

// racing returns a cell of m rows in four blocks in which persistence errs by 1, and
// a candidate for each of the given errors, by block, of signs of their own, or if the
// error is negative of those of persistence.
func racing(m int, errs ...[4]float64) *cell {
	x := &cell{h: 1, blocks: []int{m / 4, m / 4, m / 4, m / 4}}
	sign := func(i int) float64 { return float64(1 - 2*(i*7%11%2)) }
	for i := range m {
		x.truth, x.last = append(x.truth, 10+sign(i)), append(x.last, 10)
		x.rows = append(x.rows, i)
	}
	x.candidates = append(x.candidates, &candidate{name: "persistence", forecasts: x.last})
	for _, e := range errs {
		c := &candidate{name: "level: AR"}
		for i := range m {
			d := sign(i*3+1) * e[i*4/m]
			if e[0] < 0 {
				d = sign(i) * e[i*4/m]
			}
			c.forecasts = append(c.forecasts, x.truth[i]+d)
		}
		x.candidates = append(x.candidates, c)
	}
	return x
}

// TestWeights: a clear winner takes most, a walk keeps to persistence, and a gain in one
// block of four is no proof.
func TestWeights(t *testing.T) {
	if w := racing(200, [4]float64{0.3, 0.3, 0.3, 0.3}, [4]float64{0.9, 0.9, 0.9, 0.9}).weights(4); w[1] < 0.95 {
		t.Errorf("a clear winner: %.3f", w)
	}
	if w := racing(200, [4]float64{-1.01, -1.02, -1.005, -1.01}).weights(4); w[0] < 0.99 {
		t.Errorf("no gain: %.3f", w)
	}
	even := racing(40, [4]float64{0.5, 0.52, 0.5, 0.51}, [4]float64{0.51, 0.5, 0.52, 0.5}).weights(4)
	if math.Abs(even[1]-even[2]) > 0.05 || even[0] > 0.05 {
		t.Errorf("two alike: %.3f", even)
	}
}

// TestLost: what won on the first blocks and lost on the last to the simple method warns.
func TestLost(t *testing.T) {
	x := racing(400, [4]float64{0.6, 0.6, 0.6, 0.6}, [4]float64{0.2, 0.2, 0.2, 3})
	x.candidates[2].name = "level: products"
	e, simple, statistic := x.examine("y")
	if simple != 1 || !(e.RMSE > e.Simple) || statistic < lostErrors || math.Abs(e.Simple-0.6) > 1e-9 || math.Abs(e.Persistence-1) > 1e-9 {
		t.Errorf("%+v, simple %d, statistic %v", e, simple, statistic)
	}
	if s := (Lost{Exam: e, Replaced: true}).String(); !strings.Contains(s, "lost to level: AR") || !strings.Contains(s, "returned instead") {
		t.Error(s)
	}
}

// TestBand: noise that grows with the level gets intervals that do, noise by season those
// of the season, and even noise even ones.
func TestBand(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	const n = 1200
	f, rows := make([]float64, n), make([]int, n)
	var even, level, season []float64
	for i := range n {
		f[i], rows[i] = math.Exp(2*math.Sin(float64(i)/40)), i
		e := rnd.NormFloat64()
		even, level = append(even, f[i]+20+e), append(level, math.Abs(f[i]*(1+0.1*e)))
		season = append(season, f[i]+20+e*float64(1+i%4*3))
	}
	shifted := make([]float64, n)
	for i := range f {
		shifted[i] = f[i] + 20
	}
	if b := newBand(shifted, even, rows, 1, []int{4}); b.Scale != constantScale {
		t.Errorf("even noise: scale %d", b.Scale)
	}
	if b := newBand(f, level, rows, 1, []int{4}); b.Scale != levelScale {
		t.Errorf("noise of the level: scale %d", b.Scale)
	}
	b := newBand(shifted, season, rows, 1, []int{4})
	if b.Scale != phaseScale {
		t.Fatalf("noise of the season: scale %d", b.Scale)
	}
	lo, hi := b.between(0, 5, 0.9, 0) // row 5 is the target of row 4, of noise 1
	if got := hi - lo; math.Abs(got/(2*1.645)-1) > 0.25 {
		t.Errorf("width %v, want that of 90 %% of normal noise", got)
	}
}

// TestIntervals: they cover what they say, also where the noise doubles after the
// training rows; the share of a rule that holds is left whole, and that of one that is
// turned round fades.
func TestIntervals(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 1))
	const n, train = 1500, 700
	y, turned := make([]float64, n), make([]float64, n)
	for i := 2; i < n; i++ {
		sd, back := 1.0, -0.5
		if i >= train {
			sd, back = 2, 0.5 // changes that came back now go on
		}
		e := rnd.NormFloat64()
		y[i] = 0.6*y[i-1] + sd*e
		turned[i] = turned[i-1] + back*(turned[i-1]-turned[i-2]) + 0.2*e
	}
	in, f, s := 0.0, fitted(t, y, train), datasets.FromColumns([]string{"y"}, y)
	for r := train; r < n; r++ {
		lo, hi, err := f.Interval(s, r-1, 0.9)
		if err != nil {
			t.Fatal(err)
		}
		if lo.At(0, 0) <= y[r] && y[r] <= hi.At(0, 0) {
			in++
		}
	}
	// Two standard errors of 800 rows, and the rows until the level has come down.
	if got := in / (n - train); got < 0.86 || got > 0.93 {
		t.Errorf("coverage %.3f of twice the noise, want 0.9", got)
	}
	share := func(f *Fitted, v []float64, row int) float64 {
		r, err := f.read(datasets.FromColumns([]string{"y"}, v))
		if err != nil {
			t.Fatal(err)
		}
		return f.mixture.share(r, row, 0, 0, 1)
	}
	if got := share(f, y, n-1); got < 0.9 {
		t.Errorf("share %.3f of a rule that holds", got)
	}
	g := fitted(t, turned, train)
	if early, late := share(g, turned, train), share(g, turned, n-1); early < 0.9 || late > 0.1 {
		t.Errorf("share of a rule turned round: %.3f, later %.3f", early, late)
	}
}

// TestIntervalsBeyondHeldOut: where errors grow beyond all of those held out, since forecasts are held
// to the training range, intervals cover all the same, and are no wider than they must; what was
// still in the training rows and moves later too. Few outliers widen nothing.
func TestIntervalsBeyondHeldOut(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 78))
	const n, train, h = 500, 150, 10
	trend, grows, still := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		e := rnd.NormFloat64()
		trend[i], grows[i] = float64(i)+e, float64(i*i)/100+e
		if i >= train {
			still[i] = e
		}
	}
	for name, y := range map[string][]float64{"trend": trend, "grows": grows, "still": still} {
		s := datasets.FromColumns([]string{"y"}, y)
		f, err := TwoRNN{}.Learn(context.Background(), s.Rows(0, train), Options{Horizons: []int{h}})
		if err != nil {
			t.Fatal(err)
		}
		in, width, miss := 0.0, 0.0, 0.0
		for r := 300; r < n; r++ {
			p, err := f.Predictions(s, 0.9, r-h)
			if err != nil {
				t.Fatal(err)
			}
			share, w, _ := p.Coverage()
			in, width, miss = in+share/(n-300), width+w/(n-300), miss+math.Abs(p[0].Forecast-y[r])/(n-300)
		}
		// Some rows more are missed than of errors that do not grow.
		if in < 0.8 || width > 6*miss {
			t.Errorf("%s: coverage %.3f, width %.3g where errors are %.3g", name, in, width, miss)
		}
	}
	last := lastBeyond(0.9)
	for range 4 {
		last.add(7)
	}
	if q := last.quantile(0.9); q != 0 {
		t.Errorf("four of %d widen by %v", len(last.x), q)
	}
	if last.add(9); last.quantile(0.9) != 7 {
		t.Errorf("five widen by %v", last.quantile(0.9))
	}
}

// TestStuckSensor: of a record that stood still in half of the rows held out and after them, an interval keeps a
// part of the width of those that moved, on both sides; if it stood still in nearly all, Exact tells of none.
func TestStuckSensor(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	v, x := make([]float64, 800), 0.0
	for i := range v {
		if i < 450 {
			x = 0.9*x + rnd.NormFloat64()
		}
		v[i] = math.Round(100*x) / 100
	}
	s := datasets.FromColumns([]string{"y"}, v)
	for _, train := range []int{560, 640} {
		f := fitted(t, v, train)
		p, err := f.Predictions(s, 0.9, 799)
		if err != nil {
			t.Fatal(err)
		}
		low, high := f.mixture.Cells[0][0].Band.between(p[0].Forecast, 800, 0.9, 0)
		if y := p[0].Forecast; y-p[0].Low < 0.24*(y-low) || p[0].High-y < 0.24*(high-y) || low == y || high == y || len(f.Exact) > 0 {
			t.Errorf("learnt from %d: %v in %v to %v, held out %v to %v; %v", train, y, p[0].Low, p[0].High, low, high, f.Exact)
		}
	}
	if f := fitted(t, v, 780); len(f.Exact) != 1 || f.Exact[0].Still {
		t.Errorf("%v", f.Exact)
	}
}

// fitted returns TwoRNN of the first rows of a column.
func fitted(t *testing.T, v []float64, train int) *Fitted {
	t.Helper()
	f, err := TwoRNN{}.Learn(context.Background(), datasets.FromColumns([]string{"y"}, v[:train]), Options{Horizons: []int{1, 3}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The summary lists the heaviest parts, one a line, and what the rest weigh.
func TestDescribe(t *testing.T) {
	all := terms{Terms: []term{{Name: "own", Weight: 0.1}, {Name: "all 1, change", Weight: 0.5}, {Name: "products", Weight: 0.25}, {Name: "AR", Weight: 0.15}}}
	if got, want := all.describe(), "   50 %  all 1, change\n   25 %  products\n   15 %  AR\n   10 %  1 more\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	all.Terms = all.Terms[:1]
	all.Terms[0].Weight = 1
	if got, want := all.describe(), "  100 %  own\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := numbers([]int{1, 3, 6}, "row") + "; " + numbers([]int{1, 3}, "row") + "; " + numbers([]int{1}, "row") + "; " + numbers([]int{365}, "row"); got != "1, 3 and 6 rows; 1 and 3 rows; 1 row; 365 rows" {
		t.Error(got)
	}
}

// TestLostByRounding: errors of the size of rounding are a tie. The simple method is taken, and nothing is said.
func TestLostByRounding(t *testing.T) {
	for _, size := range []float64{8.882e-16, 8.882e-3} {
		x := &cell{h: 1}
		exact, near := &candidate{name: "persistence"}, &candidate{name: "level: products"}
		for i := range 400 {
			x.truth, x.last = append(x.truth, 7), append(x.last, 7)
			exact.forecasts, near.forecasts = append(exact.forecasts, 7), append(near.forecasts, 7+size*float64(i%3))
		}
		x.blocks, x.candidates = []int{100, 100, 100, 100}, []*candidate{exact, near}
		race := &contest{k: &task{columns: []string{"still"}, targets: []int{0}, asked: 1, horizons: []int{1}}, cells: [][]*cell{{x}}}
		out := &Fitted{Exams: make([]Exam, 1)}
		w := TwoRNN{}.weigh(race, []int{0}, out)[0][0]
		if said := len(out.Warnings) > 0; said != (size > 1e-6) || w[0] != 1 {
			t.Errorf("errors of %g: weights %v, warnings %v", size, w, out.Warnings)
		}
	}
}
