package twornn

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/rivals"
)

// makeData returns n sequences of k steps of d normal inputs, the first 1 if there is a constant,
// with the outputs that f gives after each step, or after the last, and noise.
func makeData(n, k, d int, constant, last bool, noise float64, seed uint64, f func(x *mat.Dense, t int) []float64) (out []Sequence) {
	rnd := rand.New(pcg(seed))
	for range n {
		x := mat.NewDense(k, d, nil)
		for t := range k {
			for j := range d {
				x.Set(t, j, rnd.NormFloat64())
			}
			if constant {
				x.Set(t, 0, 1)
			}
		}
		y := new(mat.Dense)
		for t := range k {
			v := f(x, t)
			for o := range v {
				v[o] += noise * rnd.NormFloat64()
			}
			if y.IsEmpty() {
				y.ReuseAs(k, len(v))
			}
			y.SetRow(t, v)
		}
		if last {
			y = mat.DenseCopyOf(y.Slice(k-1, k, 0, y.RawMatrix().Cols))
		}
		out = append(out, Sequence{X: x, Y: y})
	}
	return out
}

// TestMissingConstant: outputs with a constant part, and inputs without one, are told apart from
// such as need none, whatever the units.
func TestMissingConstant(t *testing.T) {
	for _, c := range []struct {
		offset, unit float64
		constant     bool
		want         bool
	}{{2, 1, false, true}, {2e8, 1e8, false, true}, {2e-8, 1e-8, false, true}, {0, 1, false, false}, {2, 1, true, false}} {
		data := makeData(300, 3, 3, c.constant, false, 0.1*c.unit, 1, func(x *mat.Dense, t int) []float64 {
			return []float64{c.offset + c.unit*(x.At(t, 1)-x.At(t, 2))}
		})
		r := fit(t, slices.Values(data), Options{})
		if r.Has(NoConstant) != c.want {
			t.Errorf("offset %g, unit %g, constant %v: %v", c.offset, c.unit, c.constant, r)
		}
	}
}

// TestNoiseOfFewSequences: of nine sequences of noise nothing is learnt, or something is said.
func TestNoiseOfFewSequences(t *testing.T) {
	for seed := range uint64(25) {
		var data []Sequence
		for k := 1; k <= 3; k++ {
			data = append(data, makeData(3, k, 5, false, true, 1, 100*seed+uint64(k), func(*mat.Dense, int) []float64 { return []float64{0} })...)
		}
		if r := fit(t, slices.Values(data), Options{}); !r.Fallback && len(r.Warnings) == 0 {
			t.Errorf("seed %d: %v", seed, r)
		}
	}
}

// TestOutliers: one value of 1e6 among ones is named with its place, in inputs and outputs; normal
// values, and words, have none.
func TestOutliers(t *testing.T) {
	m := Random(2, 2, 1, 0.5, pcg(3))
	for _, what := range []string{"output", "input", ""} {
		data := drawLengths(m, 30, 0.1, 5, 1, 2, 3)
		all := slices.Collect(data)
		i := 40
		switch what {
		case "output":
			all[i].Y.Set(0, 0, 1e6)
		case "input":
			all[i].X.Set(0, 1, 1e6)
		}
		r := fit(t, slices.Values(all), Options{})
		if r.Has(Outliers) != (what != "") {
			t.Errorf("%q: %v", what, r)
		}
		if what == "" {
			continue
		}
		found := false
		for _, w := range r.Warnings {
			found = found || w.Kind == Outliers && strings.Contains(w.Text, what) && strings.Contains(w.Text, "sequence 41") && strings.Contains(w.Text, "1e+06")
		}
		if !found {
			t.Errorf("%s: no place in %v", what, r.Warnings)
		}
	}
}

// TestMarkers: values that stand for what is missing count together, whatever their share; those of an input that is
// zero but now and then do not.
func TestMarkers(t *testing.T) {
	for _, share := range []int{0, 200, 100, 50, 20, 10} {
		rnd := rand.New(pcg(20))
		s := Sequence{X: mat.NewDense(800, 2, nil), Y: mat.NewDense(800, 1, nil)}
		y, u := 0.0, 0.0
		for i := range 800 {
			if u = 0; i%100 == 7 { // a pulse
				u = 1
			}
			y = 0.8*y + u + rnd.NormFloat64()
			s.X.SetRow(i, []float64{1, u})
			if s.Y.Set(i, 0, y); share > 0 && i%share == 3 {
				s.Y.Set(i, 0, -999)
			}
		}
		r := fit(t, sequences(s), Options{})
		if r.Has(Outliers) != (share > 0) || share > 0 && share <= 200 && !strings.Contains(strings.Join(strings.Fields(r.String()), " "), "is -999 at") {
			t.Errorf("one in %d is -999: %v", share, r.Warnings)
		}
	}
	rnd := rand.New(pcg(21))
	s := Sequence{X: mat.NewDense(800, 2, nil), Y: mat.NewDense(800, 1, nil)}
	for i := range 800 {
		s.X.SetRow(i, []float64{1, rnd.NormFloat64()})
		if s.Y.Set(i, 0, 20+s.X.At(i, 1)+0.1*rnd.NormFloat64()); i%20 == 3 {
			s.Y.Set(i, 0, 0)
		}
	}
	if r := fit(t, sequences(s), Options{}); !r.Has(Outliers) {
		t.Errorf("one in 20 is 0, where the others are about 20: %v", r.Warnings)
	}
}

// TestNoConstantAndOutdone: where a model without a constant input loses to a rival by far both are said.
func TestNoConstantAndOutdone(t *testing.T) {
	rnd := rand.New(pcg(3))
	var data []Sequence
	v := make([]float64, 400)
	for i := range v[2:] {
		v[i+2] = 1.5*v[i+1] - 0.7*v[i] + rnd.NormFloat64()
	}
	for i := range len(v) - 5 {
		s := Sequence{X: mat.NewDense(4, 1, nil), Y: mat.NewDense(4, 1, nil)}
		for j := range 4 {
			s.X.Set(j, 0, 50+v[i+j])
			s.Y.Set(j, 0, 50+v[i+j+1])
		}
		data = append(data, s)
	}
	if r := fit(t, slices.Values(data), Options{}); !r.Has(NoConstant) || !r.Has(Outdone) || r.Has(TooFew) {
		t.Error(r)
	}
}

// TestShifting: a change of unit along a record is told, along one run and in windows, wherever it is; a disturbance that soon
// fades is none.
func TestShifting(t *testing.T) {
	for _, c := range []struct{ at, length int }{{0, 0}, {240, 0}, {0, 3}, {30, 3}, {150, 3}} {
		rnd := rand.New(pcg(5))
		x, y := mat.NewDense(300, 2, nil), mat.NewDense(300, 1, nil)
		state, noise := 0.0, 0.0
		for i := range 300 {
			x.SetRow(i, []float64{1, rnd.NormFloat64()})
			state = 0.8*state + x.At(i, 1)
			noise = 0.7*noise + 0.3*rnd.NormFloat64()
			v := 20 + state + noise
			if c.at > 0 && i >= c.at {
				v = 32 + 1.8*v // °F
			}
			y.Set(i, 0, v)
		}
		data := []Sequence{{X: x, Y: y}}
		if c.length > 0 {
			data = nil
			for i := range 300 - c.length {
				data = append(data, Sequence{X: mat.DenseCopyOf(x.Slice(i, i+c.length, 0, 2)), Y: mat.DenseCopyOf(y.Slice(i, i+c.length, 0, 1))})
			}
		}
		if r := fit(t, slices.Values(data), Options{}); r.Has(Shifting) != (c.at > 0) {
			t.Errorf("a change at row %d, windows of %d: %v", c.at, c.length, r)
		}
	}
}

// TestClasses: columns of classes beside a constant depend on it, and are said to do no harm; where another input depends
// on others too, that is said.
func TestClasses(t *testing.T) {
	for _, twice := range []bool{false, true} {
		rnd := rand.New(pcg(5))
		s := Sequence{X: mat.NewDense(300, 6, nil), Y: mat.NewDense(300, 1, nil)}
		y := 0.0
		for i := range 300 {
			u, class := rnd.NormFloat64(), rnd.IntN(3)
			s.X.SetRow(i, []float64{1, u, rnd.NormFloat64(), 0, 0, 0})
			s.X.Set(i, 3+class, 1)
			if twice {
				s.X.Set(i, 2, 2*u)
			}
			y = 0.8*y + u + float64(class)
			s.Y.Set(i, 0, y+0.1*rnd.NormFloat64())
		}
		r := fit(t, sequences(s), Options{})
		if text := strings.Join(strings.Fields(r.String()), " "); !r.Has(Collinear) || strings.Contains(text, "3 inputs of 0 and 1 add up") == twice {
			t.Errorf("an input twice: %v, %v", twice, r.Warnings)
		}
	}
}

// TestNextToNothing: where outputs depend on the square of an input the model, which cannot, says that it is no better than their
// mean; with the square beside it, it is.
func TestNextToNothing(t *testing.T) {
	for _, squares := range []bool{false, true} {
		rnd := rand.New(pcg(5))
		s := Sequence{X: mat.NewDense(800, 3, nil), Y: mat.NewDense(800, 1, nil)}
		y := 0.0
		for i := range 800 {
			u := 6*rnd.Float64() - 3
			y = 0.8*y + u*u
			s.X.SetRow(i, []float64{1, u, rnd.NormFloat64()})
			if squares {
				s.X.Set(i, 2, u*u)
			}
			s.Y.Set(i, 0, y+0.1*rnd.NormFloat64())
		}
		if r := fit(t, sequences(s), Options{}); r.Has(TooFew) == squares {
			t.Errorf("squares among the inputs: %v, %v", squares, r)
		}
	}
}

// TestWordsTooShort: what words of three carry not enough states for is fitted along the runs where
// inputs hold a constant, exactly here, and elsewhere a warning says so.
func TestWordsTooShort(t *testing.T) {
	f := func(x *mat.Dense, k int) []float64 {
		y := make([]float64, 2)
		for j := range y {
			y[j] = x.At(k, 0) + float64(j+1)*x.At(k, 1) - x.At(k, 2)
			if k > 0 {
				y[j] += 0.5 * x.At(k-1, 1+j)
			}
		}
		return y
	}
	r := fit(t, slices.Values(makeData(500, 3, 3, true, false, 0, 5, f)), Options{})
	e := Evaluate(r, slices.Values(makeData(300, 3, 3, true, false, 0, 6, f)))
	if e.R2 < 0.9999 && !r.Has(ShortWords) && !r.Has(Outdone) {
		t.Errorf("R² %.6f: %v", e.R2, r)
	}
	m := Random(5, 2, 1, 0.6, pcg(4))
	if r := fit(t, draw(m, 400, 3, 0.01, true, 3), Options{}); !r.Has(ShortWords) {
		t.Errorf("five states in words of three over two inputs: %v", r)
	}
}

// TestNoContradiction: no two warnings that say the opposite of each other.
func TestNoContradiction(t *testing.T) {
	m := Random(3, 2, 1, 0.4, pcg(5))
	r := fit(t, draw(m, 300, 7, 0.1, true, 1), Options{Rank: 10})
	if r.Has(RankCut) && r.Has(RankLow) {
		t.Errorf("both: %v", r.Warnings)
	}
}

// TestErrorsNameTheCure: and with the cure the fit goes through.
func TestErrorsNameTheCure(t *testing.T) {
	m := Random(2, 4, 1, 0.4, pcg(1))
	// The paper's layout, with inputs so many that lengths of five are not measured unasked.
	if r := fit(t, drawLengths(m, 100, 0.1, 3, 2, 4, 5), Options{}); r.L != 2 || r.Fallback {
		t.Errorf("lengths 2, 4 and 5: %v", r)
	}
	c := mustCollect(t, drawLengths(m, 100, 0.1, 3, 2, 4, 5))
	if _, err := FitCollection(t.Context(), c, Options{}); err == nil || !strings.Contains(err.Error(), "Options{L: 2}") {
		t.Errorf("a collection without length 5: %v", err)
	}
	collinear := makeData(300, 3, 2, false, false, 0, 1, func(x *mat.Dense, t int) []float64 { return []float64{x.At(t, 0)} })
	for i, s := range collinear {
		x := mat.NewDense(3, 3, nil)
		for k := range 3 {
			x.SetRow(k, []float64{s.X.At(k, 0), s.X.At(k, 1), s.X.At(k, 0) + s.X.At(k, 1)})
		}
		collinear[i].X = x
	}
	_, err := Fit(t.Context(), slices.Values(collinear), Options{Rank: 3})
	if err == nil || !strings.Contains(err.Error(), "3 inputs, 1 of them linear combinations of the others") || !strings.Contains(err.Error(), "Options{Rank: 2}") {
		t.Errorf("rank 3 of collinear inputs: %v", err)
	}
	fit(t, slices.Values(collinear), Options{Rank: 2})
}

// TestSizesAreSaidFirst: what cannot fit is an error with its size, before anything is measured.
func TestSizesAreSaidFirst(t *testing.T) {
	for _, c := range []struct {
		d, k int
		o    Options
		want []string
	}{
		{13, 7, Options{L: 3}, []string{"block", "634 MB", "lower L to 2", "Options{L: 0}"}},
		{200, 5, Options{L: 2}, []string{"block", "2.6 TB", "lower L to 1", "Options{L: 0}"}},
		{6, 3, Options{Rank: 5, Memory: 1e6}, []string{"160 parameters", "1.64 MB", "1 MB", "Options{Rank: 4}"}},
		{3, 3, Options{Memory: -1}, []string{"Memory"}},
	} {
		n := 0
		_, err := Fit(t.Context(), func(yield func(Sequence) bool) {
			for _, s := range makeData(120, c.k, c.d, false, false, 1, 1, func(*mat.Dense, int) []float64 { return []float64{0} }) {
				if n++; !yield(s) {
					return
				}
			}
		}, c.o)
		for _, w := range c.want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("d = %d, %+v: %v, want %q", c.d, c.o, err, w)
			}
		}
		if c.o.L > 0 && n > 1 {
			t.Errorf("d = %d: said after %d sequences", c.d, n)
		}
	}
}

// TestRegressionLeftOut: the errors on parts left out are those of regressions on the other parts,
// worked out apart.
func TestRegressionLeftOut(t *testing.T) {
	data := makeData(120, 1, 2, false, false, 0.5, 2, func(x *mat.Dense, t int) []float64 { return []float64{3 + 2*x.At(t, 0) - x.At(t, 1)} })
	c := mustCollect(t, slices.Values(data)).set()
	s := rivals.New(c.Kept(), 2, 1, []float64{1}, rivals.Alone)
	want := 0.0
	for f := range rivals.Parts {
		X, Y := mat.NewDense(100, 3, nil), mat.NewVecDense(100, nil)
		row := 0
		for i, q := range data {
			if i%rivals.Parts != f {
				X.SetRow(row, []float64{1, q.X.At(0, 0), q.X.At(0, 1)})
				Y.SetVec(row, q.Y.At(0, 0))
				row++
			}
		}
		var b mat.VecDense
		if err := b.SolveVec(X, Y); err != nil {
			t.Fatal(err)
		}
		for i, q := range data {
			if e := q.Y.At(0, 0) - b.AtVec(0) - b.AtVec(1)*q.X.At(0, 0) - b.AtVec(2)*q.X.At(0, 1); i%rivals.Parts == f {
				want += e * e
			}
		}
	}
	if got := rivals.Total(s.Linear); math.Abs(got-want) > 0.03*want { // a little shrunk
		t.Errorf("%g, want %g", got, want)
	}
	if got := rivals.Total(s.Without); got < 5*want {
		t.Errorf("without a constant %g", got)
	}
}

// TestRareLengths: outputs after a single step, of which a series holds one and the first of its windows
// alone, do not outweigh all others in the errors of a regression that has none to learn them from.
func TestRareLengths(t *testing.T) {
	data := makeData(121, 3, 2, true, true, 0.1, 7, func(x *mat.Dense, t int) []float64 { return []float64{x.At(t, 1)} })
	data[0] = Sequence{X: mat.NewDense(1, 2, []float64{1, 50}), Y: mat.NewDense(1, 1, []float64{50})}
	s := rivals.New(mustCollect(t, slices.Values(data)).set().Kept(), 2, 1, []float64{1}, rivals.Alone)
	if got := rivals.Total(s.Linear); !(got < 2) || len(s.Targets) != 120 { // noise leaves 1.2
		t.Errorf("%.3g of %d targets", got, len(s.Targets))
	}
}

// TestPersistenceFound: outputs that are an input one step later are seen, in any unit, and persistence
// then has the error of a step.
func TestPersistenceFound(t *testing.T) {
	rnd := rand.New(pcg(3))
	walk := make([]float64, 203)
	for i := range walk[1:] {
		walk[i+1] = walk[i] + rnd.NormFloat64()
	}
	var data []Sequence
	want := 0.0
	for i := range 200 {
		x, y := mat.NewDense(3, 2, nil), mat.NewDense(3, 1, nil)
		for k := range 3 {
			if i+k+1 < len(walk) {
				x.SetRow(k, []float64{1, walk[i+k]})
				y.Set(k, 0, 5-2*walk[i+k+1])
			}
		}
		data = append(data, Sequence{X: x, Y: y})
		want += 4 * math.Pow(walk[i+3]-walk[i+2], 2) // after three steps: after fewer there is one each
	}
	s := rivals.New(mustCollect(t, slices.Values(data)).set().Kept(), 2, 1, []float64{1}, rivals.Alone)
	if got := rivals.Total(s.Persist); math.Abs(got-want) > 1e-6*want {
		t.Errorf("persistence %g, want %g", got, want)
	}
}

// TestGaussNewtonLeavesOut: a step of the fit to all without a part has the error, on that part, of a fit
// to the others.
func TestGaussNewtonLeavesOut(t *testing.T) {
	m := Random(2, 2, 1, 0.6, pcg(1))
	data := slices.Collect(drawLengths(m, 300, 0.2, 5, 1, 2, 3))
	r := fit(t, slices.Values(data), Options{L: 1, Rank: 2})
	k := mustCollect(t, slices.Values(data)).set().Kept()
	for f := range rivals.Parts {
		again := fit(t, without(k, r.trial, f, 2, 1), Options{L: 1, Rank: 2})
		if want := r.trial.AsItIs(again.Model, k, 2)[f]; math.Abs(r.left[f]-want) > 0.02*want {
			t.Errorf("part %d: %g, by a fit to the others %g", f, r.left[f], want)
		}
	}
}

// TestColumnThatMovesLater: an input that is 5 throughout training and moves only later changes
// nothing then, and is named.
func TestColumnThatMovesLater(t *testing.T) {
	f := func(x *mat.Dense, t int) []float64 { return []float64{1 + x.At(t, 1)} }
	with := func(last func(i int) float64, seed uint64) []Sequence {
		data := makeData(300, 3, 2, true, false, 0.1, seed, f)
		for i, s := range data {
			x := mat.NewDense(3, 3, nil)
			for k := range 3 {
				x.SetRow(k, []float64{1, s.X.At(k, 1), last(i)})
			}
			data[i].X = x
		}
		return data
	}
	r := fit(t, slices.Values(with(func(int) float64 { return 5 }, 1)), Options{})
	test := with(func(i int) float64 { return 6 + float64(i%7) }, 2)
	if e := Evaluate(r, slices.Values(test)); !(e.MSE < 0.012) {
		t.Errorf("MSE %g once the column moves", e.MSE)
	}
	named := false
	for _, w := range r.Warnings {
		named = named || w.Kind == Collinear && strings.Contains(w.Text, "input 3 is the same throughout")
	}
	if !named {
		t.Errorf("the column is not named: %v", r.Warnings)
	}
}

// TestTooFew: where parts left out do not tell whether a fit is better than a simple rival, it says
// so, or that the rival is; a hundred times the data tell.
func TestTooFew(t *testing.T) {
	said := 0
	for seed := range uint64(8) {
		for _, n := range []int{12, 1200} {
			data := makeData(1, n, 3, true, false, 0.7, seed, func(x *mat.Dense, t int) []float64 {
				y := x.At(t, 1)
				if t > 0 {
					y += 0.5 * x.At(t-1, 2)
				}
				return []float64{y}
			})
			r := fit(t, slices.Values(data), Options{})
			switch {
			case n > 12 && (r.Has(TooFew) || r.Has(Outdone)):
				t.Errorf("seed %d: with %d outputs: %v", seed, n, r.Warnings)
			case r.Has(TooFew) || r.Has(Outdone) || r.Has(WorseThanZero) || r.Has(Deficient):
				said++
			}
		}
	}
	if said < 4 {
		t.Errorf("of 8 fits to a dozen outputs %d say that these are few", said)
	}
}

// TestTooFewToLeaveOut: of few outputs, each length in repeated sequences alone, no part can be left out; that
// they tell little is said all the same.
func TestTooFewToLeaveOut(t *testing.T) {
	rnd := rand.New(pcg(1))
	var once []Sequence
	for k := range 3 {
		x := mat.NewDense(k+1, 2, nil)
		for t := range k + 1 {
			x.SetRow(t, []float64{1, rnd.NormFloat64()})
		}
		once = append(once, Sequence{X: x, Y: mat.NewDense(1, 1, []float64{rnd.NormFloat64()})})
	}
	if r := fit(t, slices.Values(slices.Repeat(once, 2)), Options{}); !r.Has(TooFew) && !r.Has(Deficient) && !r.Fallback {
		t.Errorf("six sequences, three of them different: %v", r)
	}
}

// TestStartCounts: a fit to one run of a season that never fades says that its start counts, and is
// right on another run if it begins as that does; one to a run that is soon forgotten does not.
func TestStartCounts(t *testing.T) {
	season := func(n int, phase, fade, noise float64, seed uint64) Sequence {
		rnd := rand.New(pcg(seed))
		s := Sequence{X: mat.NewDense(n, 2, nil), Y: mat.NewDense(n, 1, nil)}
		at := 0.0
		for i := range n {
			s.X.SetRow(i, []float64{1, rnd.NormFloat64()})
			at = 0.5*at + s.X.At(i, 1)
			s.Y.Set(i, 0, 3*math.Pow(fade, float64(i))*math.Sin(phase+0.4*float64(i))+0.3*at+noise*rnd.NormFloat64())
		}
		return s
	}
	r := fit(t, sequences(season(200, 0, 1, 0.01, 1)), Options{})
	if !r.Has(StartCounts) {
		t.Errorf("a season: %v", r.Warnings)
	}
	other := season(200, 2, 1, 0.01, 2)
	m := r.WithStart(other.X.Slice(0, 50, 0, 2), other.Y.Slice(0, 50, 0, 1))
	as, begun := Evaluate(r, sequences(other)).RMSE, Evaluate(m, sequences(other)).RMSE
	if as < 1 || begun > 0.15 { // of a season of amplitude 3
		t.Errorf("on another run the error is %.3g, and %.3g from the start that it tells", as, begun)
	}
	if r := fit(t, sequences(season(100, 0, 0.97, 1, 4)), Options{}); !r.Has(StartCounts) {
		t.Errorf("a season that fades beside its noise: %v", r.Warnings)
	}
	if r := fit(t, sequences(season(400, 0, 0.5, 0.3, 3)), Options{}); r.Has(StartCounts) {
		t.Errorf("a start soon forgotten: %v", r.Warnings)
	}
	rnd := rand.New(pcg(6))
	runs := []Sequence{season(12, 0, 0, 0.3, 7)}
	for k := range 7 {
		runs = append(runs, season(12, 7*rnd.Float64(), 0, 0.3, uint64(8+k)))
	}
	runs[2].Y.Set(1, 0, 1e6)
	if r := fit(t, slices.Values(runs), Options{}); r.Has(StartCounts) || !r.Has(Outliers) {
		t.Errorf("a single output of a million at the beginning of one run of eight: %v", r.Warnings)
	}
}

// TestIllConditioned: where the second input all but repeats the first a recovery that is named says
// that it magnifies errors; where inputs are free, or none is named, there is nothing to say.
func TestIllConditioned(t *testing.T) {
	m := Random(2, 2, 1, 0.6, pcg(1))
	draw := func(apart float64) []Sequence {
		rnd := rand.New(pcg(2))
		var data []Sequence
		for i := range 300 {
			x := mat.NewDense(1+i%3, 2, nil)
			for j := range 2 {
				x.Set(0, j, rnd.NormFloat64())
			}
			for k := 1; k < 1+i%3; k++ {
				for j := range 2 {
					x.Set(k, j, (1-apart)*x.At(k-1, j)+apart*rnd.NormFloat64())
				}
			}
			data = append(data, Sequence{X: x, Y: mat.NewDense(1, 1, m.Predict(nil, x))})
		}
		return data
	}
	for _, c := range []struct {
		apart float64
		o     Options
		want  bool
	}{
		{1e-7, Options{L: 1, Rank: 2, Recovery: LeastSquares{}}, true},
		{1, Options{L: 1, Rank: 2, Recovery: LeastSquares{}}, false},
		{1e-7, Options{L: 1, Rank: 2}, false},
	} {
		if r := fit(t, slices.Values(draw(c.apart)), c.o); r.Has(IllConditioned) != c.want {
			t.Errorf("inputs %g apart, recovery %v: %v, stats %v", c.apart, c.o.Recovery, r.Warnings, r.Recovery)
		}
	}
}

// TestInteractionsDoNotContradict: where products were taken though all parts together say otherwise, the line
// says why.
func TestInteractionsDoNotContradict(t *testing.T) {
	for worse, i := range map[bool]*Interactions{
		true:  {Taken: true, Validation: 0.4, Linear: 0.1, LinearRank: 3},
		false: {Taken: true, Validation: 0.1, Linear: 0.4, LinearRank: 3},
	} {
		if strings.Contains(i.String(), "do better on most parts") != worse {
			t.Error(i)
		}
	}
}

// TestTooFewRepeated: fifteen sequences that are two, one of a step and one of two, are fitted exactly, and have no
// part that tells of another, many as their outputs are.
func TestTooFewRepeated(t *testing.T) {
	rnd := rand.New(pcg(3))
	var once []Sequence
	for k := range 2 {
		x, y := mat.NewDense(k+1, 2, nil), mat.NewDense(1, 3, nil)
		for t := range k + 1 {
			x.SetRow(t, []float64{1, rnd.NormFloat64()})
		}
		for o := range 3 {
			y.Set(0, o, rnd.NormFloat64())
		}
		once = append(once, Sequence{X: x, Y: y})
	}
	if r := fit(t, slices.Values(slices.Repeat(once, 8)[:15]), Options{}); len(r.Warnings) == 0 {
		t.Errorf("no word of the data: %v", r)
	}
}

// TestDeficientOfRepeats: sequences that repeat others do not make up for parameters that the data leave open, though
// parts of them that are left out come out exactly.
func TestDeficientOfRepeats(t *testing.T) {
	m := Random(5, 6, 2, 0.4, pcg(1))
	few := drawLengths(m, 1, 0.01, 2, 2, 4, 5)
	var data []Sequence
	for range 12 {
		data = append(data, slices.Collect(few)...)
	}
	if r := fit(t, sequences(data...), Options{}); !r.Fallback && !r.Has(Deficient) {
		t.Errorf("%v", r)
	}
}

// TestOneRunWithoutAConstant: a fit that begins at words sees the first steps of one long run alone, and says so.
func TestOneRunWithoutAConstant(t *testing.T) {
	m := Random(2, 2, 1, 0.5, pcg(7))
	if r := fit(t, draw(m, 1, 3000, 0.1, true, 3), Options{}); !r.Has(Deficient) {
		t.Errorf("no warning: %v", r)
	}
	if r := fit(t, draw(m, 300, 10, 0.1, true, 3), Options{}); r.Has(Deficient) {
		t.Errorf("of 300 sequences: %v", r)
	}
}

// TestSwellingRecord: of a record that grows by a fiftieth a row next to all squares are in its last sixth, and the
// warning says so; a level that jumps there, or a season, is none such.
func TestSwellingRecord(t *testing.T) {
	record := func(f func(i int) float64) *Result {
		rnd := rand.New(pcg(2))
		return fit(t, func(yield func(Sequence) bool) {
			y := make([]float64, 604)
			for i := range y {
				y[i] = f(i) * (1 + 0.1*rnd.NormFloat64())
			}
			for i := range 600 {
				s := Sequence{X: mat.NewDense(3, 2, nil), Y: mat.NewDense(3, 1, nil)}
				for k := range 3 {
					s.X.SetRow(k, []float64{1, y[i+k]})
					s.Y.Set(k, 0, y[i+k+1])
				}
				if !yield(s) {
					return
				}
			}
		}, Options{Rank: 2})
	}
	if r := record(func(i int) float64 { return math.Exp(0.02 * float64(i)) }); !r.Has(Outliers) || !strings.Contains(r.String(), "logarithms") {
		t.Errorf("it grows: %v", r)
	}
	for name, f := range map[string]func(i int) float64{
		"jumps":  func(i int) float64 { return 1 + 2*float64(i/520) },
		"season": func(i int) float64 { return 2 + math.Sin(float64(i)/10) },
	} {
		if r := record(f); r.Has(Outliers) {
			t.Errorf("%s: %v", name, r)
		}
	}
}

// TestRepeatedRunsTellLittle: sequences that repeat others count once where data are held against parameters,
// along runs too.
func TestRepeatedRunsTellLittle(t *testing.T) {
	short := draw(Random(3, 5, 2, 0.3, pcg(1)), 3, 4, 0.01, true, 1)
	for copies, want := range map[int]bool{20: true, 1: true} {
		c := mustCollect(t, func(yield func(Sequence) bool) {
			for range copies {
				for s := range short {
					if !yield(s) {
						return
					}
				}
			}
		})
		r := &Result{Model: NewModel(13, 5, 2), Rank: 13, Interactions: &Interactions{}}
		if r.reviewSize(c.set().Kept(), 5, 2, standard); r.Has(Deficient) != want {
			t.Errorf("%d copies: 24 outputs and 91 parameters: %v", copies, r.Warnings)
		}
	}
}

// TestGuardBesideOutlier: one output of 1e10 among a thousand leaves the training error of any model that of the zero
// function but for rounding; what is no better by its criterion is not returned.
func TestGuardBesideOutlier(t *testing.T) {
	rnd := rand.New(pcg(1))
	var data []Sequence
	for i := range 200 {
		s := Sequence{X: mat.NewDense(5, 2, nil), Y: mat.NewDense(5, 1, nil)}
		y := 0.0
		for t := range 5 {
			s.X.SetRow(t, []float64{rnd.NormFloat64(), rnd.NormFloat64()})
			y = 0.5*y + s.X.At(t, 0)
			s.Y.Set(t, 0, y)
		}
		if i == 77 {
			s.Y.Set(2, 0, 1e10)
		}
		data = append(data, s)
	}
	if r := fit(t, slices.Values(data), Options{}); !r.Fallback || !r.Has(Outliers) || !r.Has(WorseThanZero) {
		t.Error(r)
	}
}
