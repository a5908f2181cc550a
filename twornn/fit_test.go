package twornn

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/moments"
)

func fit(t *testing.T, data iter.Seq[Sequence], o Options) *Result {
	t.Helper()
	r, err := Fit(context.Background(), data, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestNoiselessFitIsExact: a random 2-RNN (n = 5, d = 3, p = 2) is recovered from
// 250 sequences of each of the lengths 2, 4 and 5 (d⁵ = 243), with L and rank given
// or not, to a mean squared error below 1e-20 of the outputs' variance.
func TestNoiselessFitIsExact(t *testing.T) {
	for seed := range uint64(4) {
		m := Random(5, 3, 2, 0.4, pcg(seed))
		data := drawLengths(m, 250, 0, seed, 2, 4, 5)
		for _, o := range []Options{{L: 2, Rank: 5}, {L: 2}, {}, {L: 2, Rank: 5, Basis: EqualLength}} {
			r := fit(t, data, o)
			if r.Rank != 5 || r.L != 2 || r.Basis != EqualLength || r.Fallback {
				t.Errorf("seed %d, %+v: L = %d, rank %d, %v", seed, o, r.L, r.Rank, r.Basis)
			}
			e := Evaluate(r, draw(m, 1000, 6, 0, false, 77))
			if nmse := e.MSE / (e.Outputs[0].Variance + e.Outputs[1].Variance) * 2; !(nmse < 1e-20) {
				t.Errorf("seed %d, %+v: test MSE is %.2g of the variance", seed, o, nmse)
			}
		}
		// Outputs after every step: all words up to L, from one set of sequences.
		r := fit(t, draw(m, 260, 5, 0, true, seed), Options{})
		if r.Basis != UpToLength || r.Rank != 5 {
			t.Errorf("seed %d: rank %d over %v", seed, r.Rank, r.Basis)
		}
		if e := relativeError(t, r, m, 6); e > 1e-9 {
			t.Errorf("seed %d: relative error %.2g from outputs after every step", seed, e)
		}
	}
}

// TestTheorem4: N = d^l rows are enough, one less is not.
func TestTheorem4(t *testing.T) {
	m := Random(2, 2, 1, 0.7, pcg(1))
	data := chain(draw(m, 2, 1, 0, false, 1), draw(m, 4, 2, 0, false, 2), draw(m, 8, 3, 0, false, 3))
	ls := Options{L: 1, Rank: 2, Basis: EqualLength, Recovery: LeastSquares{}}
	r := fit(t, data, ls)
	if e := relativeError(t, r, m, 6); e > 1e-8 {
		t.Errorf("relative error %.2g at N = d^l", e)
	}
	if len(r.Warnings) > 0 && r.Warnings[0].Kind == Deficient {
		t.Error(r.Warnings)
	}
	data = chain(draw(m, 2, 1, 0, false, 1), draw(m, 4, 2, 0, false, 2), draw(m, 7, 3, 0, false, 3))
	r = fit(t, data, ls)
	if e := relativeError(t, r, m, 6); e < 1e-3 {
		t.Errorf("relative error %.2g with a row too few: the test cannot see", e)
	}
	if !r.Has(Deficient) || r.Recovery[3].Status != Underdetermined {
		t.Errorf("no word of the missing row: %v", r)
	}
}

// TestFitDoesNotDependOnUnits: any invertible linear change of the inputs changes
// nothing but rounding, rank choice and truncation included.
func TestFitDoesNotDependOnUnits(t *testing.T) {
	m := Random(4, 3, 2, 0.5, pcg(2))
	for name, T := range map[string]*mat.Dense{
		// Units differ by 1e4; the columns, brought to one unit, have a condition of about
		// 4, and products of three of 4³.
		"units":       mat.NewDense(3, 3, []float64{100, 0, 0, 0.01, 0.01, 0, 1, -2, 3}),
		"correlation": mat.NewDense(3, 3, []float64{1, 0.8, 0, 0, 1, 0.5, 0.3, 0, 2}),
	} {
		mapped := func(data iter.Seq[Sequence]) iter.Seq[Sequence] {
			return func(yield func(Sequence) bool) {
				for s := range data {
					var x mat.Dense
					x.Mul(s.X, T.T())
					if !yield(Sequence{X: &x, Y: s.Y}) {
						return
					}
				}
			}
		}
		for _, every := range []bool{true, false} {
			data := chain(draw(m, 300, 1, 0.3, false, 3), draw(m, 300, 2, 0.3, every, 4), draw(m, 300, 3, 0.3, every, 5))
			for _, rank := range []int{0, 2} {
				a := fit(t, data, Options{L: 1, Rank: rank})
				b := fit(t, mapped(data), Options{L: 1, Rank: rank})
				if a.Rank != b.Rank {
					t.Fatalf("%s: rank %d and %d", name, a.Rank, b.Rank)
				}
				// Levenberg-Marquardt ends within 1e-5 standard errors of the optimum.
				if e := relativeError(t, a, b.MapInputs(T), 4); e > 1e-5 {
					t.Errorf("%s, every %v, rank %d: the fits differ by %.2g", name, every, rank, e)
				}
			}
			// In the fit's own coordinates the inputs have unit second moments.
			c := mustCollect(t, mapped(data))
			w, err := moments.NewWhitening(c.set(), 3)
			if err != nil {
				t.Fatal(err)
			}
			eye := mat.NewDiagDense(3, []float64{1, 1, 1})
			white := moments.Set{}
			for l, m := range c.set() {
				white[l] = m.Mapped(w.W)
			}
			if !mat.EqualApprox(white.SecondMoments(3), eye, 1e-10) {
				t.Errorf("%s: the whitened inputs are not white", name)
			}
		}
	}
}

// TestLeastSquaresSeesCollinearColumns: however many rows there are, columns that
// repeat each other do not get weights that cancel.
func TestLeastSquaresSeesCollinearColumns(t *testing.T) {
	for _, n := range []int{50, 5000, 50_000} {
		rnd := rand.New(pcg(uint64(n)))
		data := func(yield func(Sequence) bool) {
			for range n {
				u, v := 10+rnd.NormFloat64(), rnd.NormFloat64()
				x := mat.NewDense(1, 4, []float64{1, 1, u, u - v})
				if !yield(Sequence{X: x, Y: mat.NewDense(1, 1, []float64{2 + 3*u + v + rnd.NormFloat64()})}) {
					return
				}
			}
		}
		c := mustCollect(t, data)
		h, st, err := LeastSquares{}.Recover(context.Background(), c[1], 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		if st.Rank != 3 || st.Status != Underdetermined || h.Norm() > 10 {
			t.Errorf("N = %d: rank %d, ‖H‖ = %.3g", n, st.Rank, h.Norm())
		}
	}
}

func TestCollinearAndIdleInputs(t *testing.T) {
	m := Random(2, 4, 1, 0.5, pcg(3))
	// Input 2 repeats input 0, input 3 is always 0.
	T := mat.NewDense(4, 2, []float64{1, 0, 0, 1, 1, 0, 0, 0})
	small := m.MapInputs(T)
	data := func(yield func(Sequence) bool) {
		for s := range draw(small, 400, 3, 0, true, 1) {
			var x mat.Dense
			x.Mul(s.X, T.T())
			if !yield(Sequence{X: &x, Y: s.Y}) {
				return
			}
		}
	}
	r := fit(t, data, Options{})
	if !r.Has(Collinear) || r.Has(Deficient) {
		t.Errorf("no word that the inputs depend on each other: %v", r)
	}
	if e := relativeError(t, r.MapInputs(T), small, 5); e > 1e-9 {
		t.Errorf("relative error %.2g", e)
	}
}

func TestRankChoiceWithNoise(t *testing.T) {
	m := Random(3, 3, 2, 0.5, pcg(4))
	hits := 0
	for seed := range uint64(10) {
		if r := fit(t, drawLengths(m, 2000, 0.1*math.Sqrt(fit(t, drawLengths(m, 100, 0, 1, 1, 2, 3), Options{}).ZeroMSE), seed, 1, 2, 3), Options{}); r.Rank == 3 {
			hits++
		}
	}
	// A tenth of the signal as noise leaves the third singular value well above it.
	if hits < 9 {
		t.Errorf("rank 3 found in %d of 10 fits", hits)
	}
}

func mustCollect(t *testing.T, data iter.Seq[Sequence]) Collection {
	t.Helper()
	c, err := Collect(data)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestFitErrors(t *testing.T) {
	m := Random(2, 2, 1, 0.7, pcg(6))
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		name string
		ctx  context.Context
		data iter.Seq[Sequence]
		o    Options
		want string
	}{
		{"no data", nil, sequences(), Options{}, "the data hold no sequence"},
		{"too short", nil, draw(m, 9, 2, 0, true, 1), Options{}, "outputs after 1 and 2 steps; that fits no L"},
		{"lengths of no L", nil, drawLengths(m, 9, 0, 1, 2, 4), Options{L: 1}, "that fits no L: L = 1 needs outputs after 1, 2 and 3 steps"},
		{"too short for L", nil, draw(m, 9, 3, 0, true, 1), Options{L: 2}, "L = 2 with words of equal length needs sequences (or outputs) of length 2, 4 and 5; none were collected of length 4 and 5"},
		{"one length", nil, draw(m, 9, 3, 0, false, 1), Options{L: 1, Basis: UpToLength}, "none were collected of length 1 and 2"},
		{"rank", nil, draw(m, 99, 3, 0, true, 1), Options{L: 1, Rank: 9}, "rank too high: 9 asked for; with L = 1, 2 inputs and words up to length L at most 2 is possible"},
		{"negative", nil, draw(m, 9, 3, 0, true, 1), Options{L: -1}, "neither may be negative"},
		{"basis", nil, draw(m, 9, 3, 0, true, 1), Options{Basis: 9}, "there is no basis"},
		{"cancelled", cancelled, draw(m, 9, 3, 0, true, 1), Options{}, "context canceled"},
		{"too large", nil, draw(Random(2, 20, 1, 1, pcg(7)), 9, 3, 0, true, 1), Options{L: 1, Recovery: LeastSquares{}}, "H(3) has 8000 unknowns for each output"},
		{"too long", nil, draw(Random(2, 2, 1, 0.5, pcg(7)), 9, 30, 0, false, 1), Options{}, "no sequence is short enough to be measured unasked"},
		{"only words", nil, sequences(Sequence{Y: mat.NewDense(1, 1, nil)}), Options{}, "no measurement of a sequence with inputs"},
	} {
		ctx := c.ctx
		if ctx == nil {
			ctx = context.Background()
		}
		_, err := Fit(ctx, c.data, c.o)
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := FitCollection(context.Background(), Collection{}, Options{}); err == nil {
		t.Error("an empty collection fits")
	}
}

type stopAfter struct{ n, left int }

func (s *stopAfter) Record(Progress) error {
	s.n++
	if s.left--; s.left < 0 {
		return errors.New("enough")
	}
	return nil
}

func TestRecorder(t *testing.T) {
	m := Random(2, 2, 1, 0.7, pcg(8))
	data := draw(m, 50, 3, 0, true, 1)
	rec := &stopAfter{left: 100}
	fit(t, data, Options{L: 1, Recovery: LeastSquares{}, Recorder: rec})
	if rec.n != 3 {
		t.Errorf("%d records for three Hankel tensors", rec.n)
	}
	if _, err := Fit(context.Background(), data, Options{L: 1, Recorder: &stopAfter{left: 1}}); err == nil || !strings.Contains(err.Error(), "stopped after H(2)") {
		t.Errorf("stopped: %v", err)
	}
	// Stopped at the last tensor: everything is there, so the model is returned.
	r, err := Fit(context.Background(), data, Options{L: 1, Recovery: LeastSquares{}, Recorder: &stopAfter{left: 2}})
	if err != nil || r.Recovery[3].Status != Stopped {
		t.Errorf("%v, %v", r, err)
	}
	// Stopped in the joint fit: the best parameters so far.
	noisy := draw(m, 50, 3, 0.5, true, 1)
	r, err = Fit(context.Background(), noisy, Options{L: 1, Recorder: &stopAfter{left: 4}})
	if err != nil || r.Refinement.Status != Stopped || r.Refinement.Iterations != 2 || !r.Has(NotConverged) {
		t.Errorf("%v, %v", r, err)
	}
}

// TestCancelledAnywhere: whenever a Recorder cancels the context or stops the run, there
// is an error or a finite model that says it is not done; no panic.
func TestCancelledAnywhere(t *testing.T) {
	m := Random(3, 2, 2, 0.7, pcg(1))
	data := draw(m, 60, 6, 0.05, true, 2)
	whole := &stopAfter{left: 1 << 30}
	fit(t, data, Options{Recorder: whole})
	for at := range whole.n {
		ctx, cancel := context.WithCancel(context.Background())
		for name, rec := range map[string]Recorder{"cancelled": cancelAfter{&stopAfter{left: at}, cancel}, "stopped": &stopAfter{left: at}} {
			on := ctx
			if name == "stopped" {
				on = context.Background()
			}
			r, err := Fit(on, data, Options{Recorder: rec})
			if err == nil && (!r.finite() || at < whole.n-1 && !r.Has(NotConverged)) {
				t.Errorf("%s at record %d of %d: %v", name, at, whole.n, r)
			}
		}
		cancel()
	}
}

// cancelAfter cancels in place of an error.
type cancelAfter struct {
	*stopAfter
	cancel func()
}

func (c cancelAfter) Record(p Progress) error {
	if c.stopAfter.Record(p) != nil {
		c.cancel()
	}
	return nil
}

// TestNothingToLearn: outputs that are noise alone give the zero function where the rank
// is left open, however few they are.
func TestNothingToLearn(t *testing.T) {
	zero := NewModel(1, 5, 1)
	for _, n := range []int{15, 60, 500} {
		for seed := range uint64(5) {
			r := fit(t, drawLengths(zero, n, 1, seed, 1, 2, 3), Options{})
			if !r.Fallback || !r.Has(WorseThanZero) || r.Rank != 0 {
				t.Errorf("N %d, seed %d: %v", n, seed, r)
			}
		}
	}
}

// TestSameBits: the fit does not depend on how many processors there are.
func TestSameBits(t *testing.T) {
	m := Random(5, 3, 2, 0.4, pcg(9))
	data := draw(m, 700, 5, 0.2, true, 1)
	var first *Result
	for _, procs := range []int{1, 2, 8} {
		old := runtime.GOMAXPROCS(procs)
		r := fit(t, data, Options{})
		runtime.GOMAXPROCS(old)
		if first == nil {
			first = r
		}
		if !sameModel(first.Model, r.Model) || math.Float64bits(first.MSE) != math.Float64bits(r.MSE) {
			t.Errorf("GOMAXPROCS %d: other bits", procs)
		}
	}
}

// TestLIsThatOfTheSpectralEstimate: left open, L is chosen by the least BIC among the spectral
// estimates, before the joint fit, and all that is weighed afterwards has that L. So it need
// not have the least BIC in the end; no claim says so.
func TestLIsThatOfTheSpectralEstimate(t *testing.T) {
	chosen := map[int]int{}
	for seed := range uint64(8) {
		data := drawLengths(Random(3, 2, 1, 0.6, rand.NewPCG(seed, 0)), 60, 0.3, seed, 1, 2, 3, 4, 5)
		spectral, err := Fit(t.Context(), data, Options{Recovery: LeastSquares{}})
		if err != nil {
			t.Fatal(err)
		}
		joint, err := Fit(t.Context(), data, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if joint.L != spectral.L {
			t.Errorf("seed %d: L = %d, of the spectral estimate %d", seed, joint.L, spectral.L)
		}
		for _, c := range joint.Candidates {
			if c.L != joint.L {
				t.Errorf("seed %d: a candidate with L = %d beside %d", seed, c.L, joint.L)
			}
		}
		chosen[joint.L]++
	}
	if chosen[1] == 0 || chosen[2] == 0 {
		t.Errorf("the test has no choice to see: %v", chosen)
	}
}

// TestNamedL: the likelihood takes every output whatever L gives the start, so a small one ends where Fit
// would with none: at the true rank, though the way there led over one too many (draw 1), and
// though the starts of L = 1 all end far off (draws 4 and 9).
func TestNamedL(t *testing.T) {
	for _, seed := range []uint64{0, 1, 4, 9} {
		m := Random(4, 3, 2, 0.5, pcg(30+seed))
		data := draw(m, 200, 8, 0.1, true, seed)
		open, named := fit(t, data, Options{}), fit(t, data, Options{L: 1})
		if named.Rank != 4 || math.Abs(named.MSE-open.MSE) > 1e-6*open.MSE {
			t.Errorf("draw %d: L = 1 ends at rank %d, MSE %v; with none named %v", seed, named.Rank, named.MSE, open.MSE)
		}
	}
}

// The three steps by hand give what Fit gives where its search has nothing more to find.
func ExampleStart() {
	ctx := context.Background()
	truth := Random(2, 2, 1, 0.6, pcg(1))
	c, _ := Collect(draw(truth, 2000, 5, 0.05, true, 2))
	starts, _ := Start(ctx, c, Options{L: 1})
	var refined []Candidate
	for _, s := range starts {
		r, _ := Likelihood(ctx, c, s.Model, Options{})
		refined = append(refined, r)
	}
	best, _ := Choose(refined, Options{})
	fit, _ := FitCollection(ctx, c, Options{L: 1})
	same, _, _ := Equal(best.Model, fit.Model, 1e-4)
	fmt.Println(best.Rank, fit.Rank, same)
	// Output: 2 2 true
}

// Along a run the first step gives linear systems, the second the likeliest model near any, with
// products or without, and leaves what Fit found where it is.
func TestStepsAlongRuns(t *testing.T) {
	ctx := context.Background()
	c, err := Collect(bilinearRun(800, 0.05))
	if err != nil {
		t.Fatal(err)
	}
	starts, err := Start(ctx, c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(starts) < 2 || starts[1].Rank != 3 || starts[1].Model == nil {
		t.Fatalf("starts: %v", starts)
	}
	var linear []Candidate
	for _, s := range starts[:3] {
		r, err := Likelihood(ctx, c, s.Model, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if r.MSE > s.MSE*(1+1e-6) {
			t.Errorf("rank %d: MSE %g after %g", s.Rank, r.MSE, s.MSE)
		}
		linear = append(linear, r)
	}
	fit, err := FitCollection(ctx, c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := Likelihood(ctx, c, fit.Model, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !(again.MSE <= fit.MSE*1.001) || again.Rank != fit.Rank {
		t.Errorf("from the fit: MSE %g of rank %d, the fit %g of %d", again.MSE, again.Rank, fit.MSE, fit.Rank)
	}
	best, ok := Choose(append(linear, again), Options{})
	if !ok || best.MSE != again.MSE {
		t.Errorf("chosen: %+v", best)
	}
	// A model without a constant state is refined beside one.
	other, err := Likelihood(ctx, c, Random(2, 2, 1, 0.2, pcg(3)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if other.Rank != 3 || other.MSE > 1.05*fit.MSE && other.MSE > 1.05*linear[1].MSE {
		t.Errorf("from a random model: %+v", other)
	}
}

func TestChooseLeavesWhatExplodes(t *testing.T) {
	m := NewModel(1, 1, 1)
	a, b := Candidate{Model: m, Rank: 1, Criterion: -10, Growth: 1e5}, Candidate{Model: m, Rank: 2, Criterion: -5, Growth: 1}
	worse := Candidate{Model: m, Rank: 3, Criterion: 100, Growth: 1}
	for _, cs := range [][]Candidate{{a, b}, {b, a}, {{Criterion: -100}, a, worse, b}} {
		if best, ok := Choose(cs, Options{}); !ok || best.Rank != 2 {
			t.Errorf("chosen %+v", best)
		}
	}
	for _, one := range []Candidate{a, b} {
		if best, ok := Choose([]Candidate{one}, Options{}); !ok || best.Rank != one.Rank {
			t.Errorf("of one %+v", best)
		}
	}
	// What keeps to the bound but explains much less is taken only where the bound was asked for.
	if best, _ := Choose([]Candidate{a, worse}, Options{}); best.Rank != 1 {
		t.Errorf("chosen %+v", best)
	}
	if best, _ := Choose([]Candidate{a, worse}, Options{MaxGrowth: 30}); best.Rank != 3 {
		t.Errorf("chosen %+v", best)
	}
	if _, ok := Choose([]Candidate{{}}, Options{}); ok {
		t.Error("one without a model was chosen")
	}
	if _, ok := Choose(nil, Options{}); ok {
		t.Error("chosen of none")
	}
}

// TestStoppedIsNoFaultOfTheData: what goes wrong in a fit after its context has ended is told as the end of that.
func TestStoppedIsNoFaultOfTheData(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	if err := ofEnd(ctx, errNoWayDown); err != errNoWayDown {
		t.Error(err)
	}
	cancel()
	if err := ofEnd(ctx, errNoWayDown); !errors.Is(err, context.Canceled) || errors.Is(err, errNoWayDown) {
		t.Error(err)
	}
	if ofEnd(ctx, nil) != nil {
		t.Error("a fit that is done has an error")
	}
}
