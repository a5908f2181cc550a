package twornn

import (
	"context"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/moments"
)

// relabelled yields the sequences of f with inputs and outputs changed.
func relabelled(data iter.Seq[Sequence], x func(*mat.Dense) *mat.Dense, y func(*mat.Dense)) iter.Seq[Sequence] {
	return func(yield func(Sequence) bool) {
		for s := range data {
			s.X = x(s.X)
			if y != nil {
				y(s.Y)
			}
			if !yield(s) {
				return
			}
		}
	}
}

// biased replaces the first input by 1, in place.
func biased(x *mat.Dense) *mat.Dense {
	k, _ := x.Dims()
	for t := range k {
		x.Set(t, 0, 1)
	}
	return x
}

// shifted adds off to all inputs but the first, which is a bias.
func shifted(off float64) func(*mat.Dense) *mat.Dense {
	return func(x *mat.Dense) *mat.Dense {
		k, d := x.Dims()
		biased(x)
		for t := range k {
			for i := 1; i < d; i++ {
				x.Set(t, i, x.At(t, i)+off*float64(i))
			}
		}
		return x
	}
}

// TestOffsetsAndNearDependence: with a bias among the inputs an offset of another is a
// linear change of both, and nothing changes but rounding, which grows with the offset
// and not with its fifth power; likewise for inputs that nearly depend on each other.
func TestOffsetsAndNearDependence(t *testing.T) {
	m := Random(3, 3, 1, 0.5, pcg(1))
	labelled := func(noise float64, seed uint64, n int) iter.Seq[Sequence] {
		rnd := rand.New(pcg(seed + 100))
		return func(yield func(Sequence) bool) {
			for s := range draw(m, n, 5, 0, true, seed) {
				biased(s.X)
				m.OutputsTo(s.Y, s.X)
				for k := range 5 {
					s.Y.Set(k, 0, s.Y.At(k, 0)+noise*rnd.NormFloat64())
				}
				if !yield(s) {
					return
				}
			}
		}
	}
	base := fit(t, labelled(0.1, 1, 800), Options{})
	for _, off := range []float64{1, 1e3, 1e4, 1e6} {
		r := fit(t, relabelled(labelled(0.1, 1, 800), shifted(off), nil), Options{})
		if r.Rank != base.Rank || r.L != base.L || math.Abs(r.MSE-base.MSE) > 1e-5*base.MSE || r.Has(Collinear) {
			t.Errorf("offset %g: L %d, rank %d, MSE %v; without L %d, rank %d, %v; %v", off, r.L, r.Rank, r.MSE, base.L, base.Rank, base.MSE, r.Warnings)
		}
	}
	for _, eps := range []float64{1e-3, 1e-5, 1e-7} {
		T := mat.NewDense(3, 3, []float64{1, 1, 0, 0, 1, 1, 0, 0, eps})
		r := fit(t, relabelled(labelled(0.1, 1, 800), func(x *mat.Dense) *mat.Dense {
			var z mat.Dense
			z.Mul(x, T)
			return &z
		}, nil), Options{})
		if r.Rank != base.Rank || math.Abs(r.MSE-base.MSE) > 1e-5*base.MSE {
			t.Errorf("eps %g: rank %d, MSE %v; without %d, %v; %v", eps, r.Rank, r.MSE, base.Rank, base.MSE, r.Warnings)
		}
	}
	// Without noise it stays exact, up to rounding in the inputs themselves.
	r := fit(t, relabelled(labelled(0, 2, 300), shifted(1000), nil), Options{})
	if e := Evaluate(r, relabelled(labelled(0, 3, 200), shifted(1000), nil)); e.MSE > 1e-16*e.Outputs[0].Variance {
		t.Errorf("noiseless at offset 1000: MSE %.2g of the variance, %v", e.MSE/e.Outputs[0].Variance, r)
	}
}

// TestOutputsInOtherUnits: an output in a unit a million times smaller is fitted as
// well as before, and an offset of 1e9 does not hide what varies.
func TestOutputsInOtherUnits(t *testing.T) {
	m := Random(4, 3, 2, 0.5, pcg(2))
	base := Evaluate(fit(t, draw(m, 600, 3, 0.1, true, 1), Options{L: 1, Rank: 3}), draw(m, 300, 3, 0, true, 2))
	change := func(y *mat.Dense) {
		k, _ := y.Dims()
		for i := range k {
			y.Set(i, 1, 1e6*y.At(i, 1))
		}
	}
	same := func(x *mat.Dense) *mat.Dense { return x }
	got := Evaluate(fit(t, relabelled(draw(m, 600, 3, 0.1, true, 1), same, change), Options{L: 1, Rank: 3}), relabelled(draw(m, 300, 3, 0, true, 2), same, change))
	for j := range 2 {
		if math.Abs(got.Outputs[j].R2-base.Outputs[j].R2) > 1e-6 {
			t.Errorf("output %d: R² %v, was %v", j+1, got.Outputs[j].R2, base.Outputs[j].R2)
		}
	}
	rnd := rand.New(pcg(3))
	far := func(yield func(Sequence) bool) {
		for range 2000 {
			x, y := mat.NewDense(3, 2, nil), mat.NewDense(3, 1, nil)
			for k := range 3 {
				z := rnd.NormFloat64()
				x.SetRow(k, []float64{1, z})
				y.Set(k, 0, 1e9+z+0.1*rnd.NormFloat64())
			}
			if !yield(Sequence{X: x, Y: y}) {
				return
			}
		}
	}
	if r := fit(t, far, Options{}); r.Rank != 2 || math.Abs(r.MSE-0.01) > 0.001 {
		t.Errorf("outputs about 1e9: rank %d, MSE %v", r.Rank, r.MSE)
	}
}

func TestOutOfRange(t *testing.T) {
	m := Random(2, 2, 1, 0.5, pcg(4))
	for _, f := range []float64{1e155, 1e200, 1e-200} {
		_, err := Fit(context.Background(), relabelled(draw(m, 50, 3, 0, true, 1), func(x *mat.Dense) *mat.Dense { return x },
			func(y *mat.Dense) { y.Scale(f, y) }), Options{})
		if err == nil || !strings.Contains(err.Error(), "change its unit") {
			t.Errorf("outputs times %g: %v", f, err)
		}
	}
	for _, f := range []float64{1e155, 1e-170} {
		r, err := Fit(context.Background(), relabelled(draw(m, 50, 3, 0, true, 1), func(x *mat.Dense) *mat.Dense { x.Scale(f, x); return x }, nil), Options{})
		if err == nil && (r.Fallback || math.IsNaN(r.MSE)) {
			t.Errorf("inputs times %g: %v", f, r)
		}
		if err != nil && !strings.Contains(err.Error(), "unit") {
			t.Errorf("inputs times %g: %v", f, err)
		}
	}
}

// TestRankWithLOpen: a rank that L = 1 cannot carry is sought at a longer L.
func TestRankWithLOpen(t *testing.T) {
	m := Random(4, 2, 1, 0.6, pcg(5))
	r := fit(t, draw(m, 400, 5, 0, true, 1), Options{Rank: 4})
	if r.L != 2 || r.Rank != 4 || r.MSE > 1e-20 {
		t.Errorf("L = %d, rank %d, MSE %v", r.L, r.Rank, r.MSE)
	}
	if _, err := Fit(context.Background(), draw(m, 400, 5, 0, true, 1), Options{Rank: 8}); err == nil || !strings.Contains(err.Error(), "at most 6 is possible") {
		t.Errorf("a rank that no L carries: %v", err)
	}
}

// TestLongSequencesOfOneInput: with d = 1 every length has one unknown; the lengths
// looked at are bounded all the same.
func TestLongSequencesOfOneInput(t *testing.T) {
	m := NewModel(1, 1, 1)
	m.H0.SetVec(0, 1)
	m.A[0].Set(0, 0, 0.9)
	m.Omega.Set(0, 0, 1)
	start := time.Now()
	r := fit(t, draw(m, 3, 200, 0, true, 1), Options{})
	if d := time.Since(start); d > 30*time.Second {
		t.Errorf("took %v", d)
	}
	if r.Lengths[len(r.Lengths)-1] != moments.AutoLength {
		t.Errorf("lengths %v", r.Lengths)
	}
	if _, err := Fit(context.Background(), draw(m, 3, 5, 0, true, 1), Options{L: 1 << 40}); err == nil || !strings.Contains(err.Error(), "at most 1000") {
		t.Errorf("an absurd L: %v", err)
	}
}

// TestLongSequencesCount: of the candidates that fit short words alike, one that goes
// astray on the whole, longer sequences is not chosen, and the result tells its error
// on them.
func TestLongSequencesCount(t *testing.T) {
	m := Random(2, 4, 1, 0.5, pcg(6))
	data := draw(m, 400, 8, 0.2, true, 1) // 4⁵ is more than is collected unasked
	r := fit(t, data, Options{})
	whole, later := Evaluate(r, data), 0.0
	for s := range data {
		rest := Sequence{X: s.X, Y: mat.DenseCopyOf(s.Y)}
		var hat mat.Dense
		r.OutputsTo(&hat, rest.X)
		for i := 4; i < 8; i++ {
			later += math.Pow(hat.At(i, 0)-rest.Y.At(i, 0), 2) / 1600
		}
	}
	if math.Abs(later-r.LongMSE) > 1e-9*later || len(r.Lengths) != 4 {
		t.Errorf("LongMSE %v, by hand %v; lengths %v", r.LongMSE, later, r.Lengths)
	}
	if !(whole.R2 > 0) {
		t.Errorf("R² %v on the whole sequences: %v", whole.R2, r)
	}
	if s := strings.Join(strings.Fields(r.String()), " "); !strings.Contains(s, "on whole, longer sequences") {
		t.Error(s)
	}
}

// TestMergeAcrossFrames: shards whose inputs led to other coordinates, or to none,
// join all the same.
func TestMergeAcrossFrames(t *testing.T) {
	m := Random(2, 2, 1, 0.5, pcg(7))
	part := func(off float64, seed uint64) []Sequence {
		var out []Sequence
		for s := range relabelled(draw(m, 150, 3, 0.1, true, seed), shifted(off), nil) {
			out = append(out, s)
		}
		return out
	}
	for _, offs := range [][2]float64{{0, 1000}, {1000, 0}, {500, 3000}, {0, 0}} {
		a, b := part(offs[0], 1), part(offs[1], 2)
		whole := collected(t, append(append([]Sequence(nil), a...), b...))
		c := collected(t, a)
		if err := c.Merge(collected(t, b)); err != nil {
			t.Fatal(err)
		}
		h := Random(2, 2, 1, 0.001, pcg(8)).Hankel(3)
		want, _ := whole[3].SquaredError(h)
		if got, err := c[3].SquaredError(h); err != nil || math.Abs(got-want) > 1e-6*want {
			t.Errorf("%v: squared error %v, want %v (%v)", offs, got, want, err)
		}
		ra, err := FitCollection(context.Background(), c, Options{L: 1, Rank: 2})
		if err != nil {
			t.Fatal(err)
		}
		rb, err := FitCollection(context.Background(), whole, Options{L: 1, Rank: 2})
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(ra.MSE-rb.MSE) > 1e-6*rb.MSE {
			t.Errorf("%v: MSE %v merged, %v whole", offs, ra.MSE, rb.MSE)
		}
	}
}

// TestInputsThatAreZeroAtFirst: a sensor that is not on yet, at the start of the data
// or in a shard of its own, changes nothing for what follows; nothing but zeros gives
// the zero function and no NaN.
func TestInputsThatAreZeroAtFirst(t *testing.T) {
	m := Random(2, 2, 1, 0.5, pcg(9))
	off := func(n int) (out []Sequence) {
		for s := range draw(m, n, 3, 0, false, 1) {
			s.X.Zero()
			s.Y.Zero()
			out = append(out, s)
		}
		return out
	}
	on := all(m, 400, 3, 0.1, true, 2)
	want := fit(t, sequences(on...), Options{L: 1, Rank: 2})
	for name, data := range map[string][]Sequence{"600 first": append(off(600), on...), "600 last": append(append([]Sequence(nil), on...), off(600)...)} {
		r := fit(t, sequences(data...), Options{L: 1, Rank: 2})
		// The zeros lower the inputs' second moments, and so what a rank that binds weighs,
		// a little.
		if a, b := Evaluate(r, sequences(on...)).MSE, Evaluate(want, sequences(on...)).MSE; !(a < 1.05*b) {
			t.Errorf("%s: MSE %v, without them %v", name, a, b)
		}
	}
	a, b := collected(t, off(5)), collected(t, on)
	if err := a.Merge(b); err != nil {
		t.Fatal(err)
	}
	if sse, err := a[3].SquaredError(want.Hankel(3)); err != nil || math.IsNaN(sse) {
		t.Errorf("merged: %v, %v", sse, err)
	}
	rows, err := CollectRows(sequences(off(50)...), 3)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []TTIHT{{}, {Batch: 1}} {
		if h, _, err := r.Recover(context.Background(), rows[3], 2, nil); err == nil && math.IsNaN(h.Norm()) {
			t.Errorf("%+v of zero inputs is NaN", r)
		}
	}
}

// TestRecoveriesAfterMerge: shards of other units and offsets join so well that even
// the iterative recoveries come to what one pass gives.
func TestRecoveriesAfterMerge(t *testing.T) {
	m := Random(2, 2, 1, 0.5, pcg(10))
	part := func(off, sd float64, seed uint64) (out []Sequence) {
		for s := range draw(m, 80, 3, 0, false, seed) {
			for k := range 3 {
				s.X.Set(k, 0, 1)
				s.X.Set(k, 1, off+sd*s.X.At(k, 1))
			}
			m.Predict(s.Y.RawRowView(0), s.X)
			s.Y.Set(0, 0, s.Y.At(0, 0)+0.05*math.Sin(float64(len(out))))
			out = append(out, s)
		}
		return out
	}
	for _, c := range [][2][2]float64{{{0, 1e-4}, {0, 1}}, {{20, 0.1}, {0, 1}}, {{0, 1}, {0, 1e-4}}} {
		a, b := part(c[0][0], c[0][1], 1), part(c[1][0], c[1][1], 2)
		merged := collected(t, a, 3)
		if err := merged.Merge(collected(t, b, 3)); err != nil {
			t.Fatal(err)
		}
		whole := collected(t, append(append([]Sequence(nil), a...), b...), 3)
		for _, r := range []Recovery{LeastSquares{}, TIHT{}, IHT{}} {
			var sse [2]float64
			for i, col := range []Collection{merged, whole} {
				h, _, err := r.Recover(context.Background(), col[3], 2, nil)
				if err != nil {
					t.Fatal(err)
				}
				sse[i], _ = whole[3].SquaredError(h)
			}
			if sse[0] > 1.01*sse[1]+1e-9 {
				t.Errorf("%v, %T: squared error %v after a merge, %v in one pass", c, r, sse[0], sse[1])
			}
		}
	}
}

// TestUnitsOfOneOutputLeaveTheOthers: an output in a unit 1e9 times as large does not change
// how well another is fitted, with noise in neither, in both and in one.
func TestUnitsOfOneOutputLeaveTheOthers(t *testing.T) {
	m := Random(3, 2, 2, 0.6, pcg(3))
	for _, noise := range []float64{0, 1e-7, 0.1} {
		data := func(unit float64) iter.Seq[Sequence] {
			return func(yield func(Sequence) bool) {
				for s := range drawLengths(m, 300, noise, 1, 1, 2, 3, 4, 5) {
					s.Y.Set(0, 0, unit*s.Y.At(0, 0))
					if !yield(s) {
						return
					}
				}
			}
		}
		err := func(unit float64) float64 {
			r := fit(t, data(unit), Options{L: 2, Rank: 2}) // a rank too low: weights tell
			return Evaluate(r, draw(m, 300, 4, 0, false, 9)).Outputs[1].MSE
		}
		a, b := err(1), err(1e-9)
		if math.Abs(a-b) > 1e-3*a+1e-18 {
			t.Errorf("noise %g: MSE of output 1 is %.4g, and %.4g with output 0 in another unit", noise, a, b)
		}
	}
}

// reusing yields the sequences in the same matrices over and over, as a source may.
func reusing(data []Sequence) iter.Seq[Sequence] {
	return func(yield func(Sequence) bool) {
		x, y := new(mat.Dense), new(mat.Dense)
		for _, s := range data {
			x.CloneFrom(s.X)
			y.CloneFrom(s.Y)
			if !yield(Sequence{X: x, Y: y}) {
				return
			}
		}
	}
}

// TestTooSmall: inputs of which hardly a digit is left, or whose squares are lost, and such outputs are errors that say so,
// with a constant among the inputs and without; other small ones are fitted.
func TestTooSmall(t *testing.T) {
	for _, c := range []struct {
		input, output float64
		want          string
	}{{5e-323, 1, "change its unit"}, {1e-250, 1, "value of input 2"}, {1, 1e-300, "largest output"}, {1e-140, 1, ""}} {
		for _, constant := range []bool{true, false} {
			data := makeData(30, 3, 3, constant, false, 0.1, 1, func(x *mat.Dense, t int) []float64 { return []float64{x.At(t, 1)} })
			for _, s := range data {
				r, _ := s.X.Dims()
				for i := range r {
					s.X.Set(i, 1, s.X.At(i, 1)*c.input)
				}
				s.Y.Scale(c.output, s.Y)
			}
			_, err := Fit(t.Context(), slices.Values(data), Options{})
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("input × %g, output × %g, constant %v: %v, want %q", c.input, c.output, constant, err, c.want)
			}
		}
	}
}

// TestOffsets: what is added to an input beside a constant, or to an output, is taken off again: up to where the
// digits of the data themselves end, a model does as well as without it.
func TestOffsets(t *testing.T) {
	run := func(rows int, in, out float64, seed uint64) Sequence {
		m := drawSystem(2, 0, rand.New(pcg(31)))
		s, _ := along(m, rows, 0.1, seed)
		for i := range rows {
			s.X.Set(i, 1, s.X.At(i, 1)+in)
			s.Y.Set(i, 0, s.Y.At(i, 0)+out)
		}
		return s
	}
	mse := func(in, out float64) float64 {
		r := fit(t, sequences(run(150, in, out, 1)), Options{})
		s := run(1000, in, out, 2)
		return meanSquare(r.Model, s.X, s.Y)
	}
	want := mse(0, 0)
	for _, c := range [][2]float64{{3e7, 3e7}, {1e9, 1e9}} {
		if got := mse(c[0], c[1]); !(math.Abs(got-want) < 0.05*want) {
			t.Errorf("input + %g, output + %g: mean squared error %.4g, without %.4g", c[0], c[1], got, want)
		}
	}
}
