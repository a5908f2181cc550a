package twornn

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
)

// recoveries is the table of all recoveries: a new one adds a row.
var recoveries = map[string]Recovery{
	"least squares": LeastSquares{},
	"nuclear norm":  NuclearNorm{},
	"IHT":           IHT{},
	"TIHT":          TIHT{},
	"TTIHT":         TTIHT{},
	"TTIHT batches": TTIHT{Batch: 30, MaxIterations: 10000},
	"ALS":           ALS{},
}

// measureFor is measure with the rows kept if the recovery needs them.
func measureFor(t *testing.T, r Recovery, m *Model, n, l int, noise float64, seed uint64) *Measurements {
	t.Helper()
	if rows, ok := r.(RowRecovery); !ok || !rows.NeedsRows() {
		return measure(t, m, n, l, noise, seed)
	}
	c, err := CollectRows(draw(m, n, l, noise, false, seed), l)
	if err != nil {
		t.Fatal(err)
	}
	return c[l]
}

func measure(t *testing.T, m *Model, n, l int, noise float64, seed uint64) *Measurements {
	t.Helper()
	return collected(t, all(m, n, l, noise, false, seed), l)[l]
}

// difference returns ‖h − H⁽ˡ⁾‖/‖H⁽ˡ⁾‖.
func difference(t *testing.T, h *tt.Tensor, m *Model, l int) float64 {
	t.Helper()
	want := m.Hankel(l)
	var minus, diff tt.Tensor
	minus.Scale(-1, want)
	diff.Add(h, &minus)
	full, err := diff.Full()
	if err != nil {
		t.Fatal(err)
	}
	return linalg.Norm(full) / want.Norm()
}

// TestRecoveriesAreExactWithoutNoise, where the rows are more than the unknowns.
func TestRecoveriesAreExactWithoutNoise(t *testing.T) {
	for name, r := range recoveries {
		for _, s := range []struct{ n, d, p, l, N int }{{1, 2, 1, 1, 20}, {2, 3, 2, 2, 100}, {3, 3, 1, 4, 300}, {2, 2, 3, 5, 200}, {2, 1, 1, 3, 20}} {
			m := Random(s.n, s.d, s.p, 0.6, pcg(1))
			h, st, err := r.Recover(context.Background(), measureFor(t, r, m, s.N, s.l, 0, 1), s.n, nil)
			if err != nil {
				t.Errorf("%s %+v: %v", name, s, err)
				continue
			}
			// The iterative ones stop when steps are 1e-8 to 1e-10 of the tensor.
			if e := difference(t, h, m, s.l); e > 1e-6 {
				t.Errorf("%s %+v: relative error %.2g, %v after %d iterations", name, s, e, st.Status, st.Iterations)
			}
			if st.Status != Converged || st.Iterations == 0 || len(st.Residuals) != st.Iterations || st.N != s.N || st.Unknowns != math.Pow(float64(s.d), float64(s.l)) {
				t.Errorf("%s %+v: %v, %d iterations, N %d", name, s, st.Status, st.Iterations, st.N)
			}
		}
	}
}

// TestLowRankPaysBelowTheUnknowns: with fewer rows than unknowns the methods of low
// rank still find the tensor, least squares cannot.
func TestLowRankPaysBelowTheUnknowns(t *testing.T) {
	m := Random(2, 3, 1, 0.6, pcg(2))
	errs := map[string]float64{}
	for name, r := range recoveries {
		// 243 unknowns, 45 parameters of a train of rank 2.
		h, _, err := r.Recover(context.Background(), measureFor(t, r, m, 170, 5, 0, 3), 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		errs[name] = difference(t, h, m, 5)
	}
	if errs["TIHT"] > 1e-6 || errs["TTIHT"] > 1e-6 || errs["least squares"] < 0.1 {
		t.Errorf("relative errors %v", errs)
	}
}

func TestRecoveriesOfZeroAndWithoutARank(t *testing.T) {
	zero := NewModel(2, 2, 2)
	for name, r := range recoveries {
		h, st, err := r.Recover(context.Background(), measureFor(t, r, zero, 30, 3, 0, 4), 2, nil)
		if err != nil || h.Norm() != 0 || math.IsNaN(st.Residuals[len(st.Residuals)-1]) {
			t.Errorf("%s of zero outputs: %v, %+v", name, err, st)
		}
	}
	for _, r := range []Recovery{IHT{}, TIHT{}, TTIHT{}} {
		if _, _, err := r.Recover(context.Background(), measureFor(t, r, zero, 30, 3, 0, 5), 0, nil); err == nil || !strings.Contains(err.Error(), "set Options.Rank") {
			t.Errorf("%T without a rank: %v", r, err)
		}
	}
}

// TestThresholdingIsMonotone: with steps from the data no residual rises, whatever
// the scale of inputs and outputs and however few the rows.
func TestThresholdingIsMonotone(t *testing.T) {
	for seed := range uint64(20) {
		scale := math.Pow(10, float64(seed%7)-3)
		m := Random(3, 3, 2, 0.5*scale, pcg(seed))
		data := measure(t, m, 5+int(seed)*20, 1+int(seed%5), 0.3*scale, seed)
		for _, r := range []Recovery{IHT{MaxIterations: 100}, TIHT{MaxIterations: 100}} {
			_, st, err := r.Recover(context.Background(), data, 2, nil)
			if err != nil {
				t.Errorf("%T seed %d: %v", r, seed, err)
				continue
			}
			for i, v := range st.Residuals {
				if v > 1+1e-12 || i > 0 && v > st.Residuals[i-1]*(1+1e-12) || math.IsNaN(v) {
					t.Errorf("%T seed %d: residual %d is %v after %v", r, seed, i+1, v, st.Residuals[max(0, i-1)])
					break
				}
			}
		}
	}
}

// TestThresholdingEndsAtAStationaryPoint: the gradient has no part in the tangent
// space left if that is asked for; by itself the run ends where what is left is far below
// the noise, here within a hundredth of the error of estimation.
func TestThresholdingEndsAtAStationaryPoint(t *testing.T) {
	m := Random(3, 3, 2, 0.5, pcg(6))
	data := measure(t, m, 400, 4, 0.5, 6)
	h, st, err := TIHT{Tol: 1e-10}.Recover(context.Background(), data, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	early, _, err := TIHT{}.Recover(context.Background(), data, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	away := func(a, b *tt.Tensor) float64 {
		d := new(tt.Tensor)
		d.Scale(-1, b)
		d.Add(a, d)
		return d.Norm()
	}
	if off, err := away(early, h), away(h, m.Hankel(4)); off > 0.01*err {
		t.Errorf("by itself it ends %.2g from the stationary point, which is %.2g from the truth", off, err)
	}
	x, err := denseDesign(data, hankelDims(4, 3, 2))
	if err != nil {
		t.Fatal(err)
	}
	p, err := tt.NewPoint(h)
	if err != nil {
		t.Fatal(err)
	}
	g, _, err := x.Gradient(p)
	if err != nil {
		t.Fatal(err)
	}
	if rel := g.Norm() / linalg.Norm(x.C.RawMatrix().Data); rel > 1e-7 {
		t.Errorf("gradient %.2g of that at zero, %v after %d iterations", rel, st.Status, st.Iterations)
	}
}

// TestFixedStep: a small fixed step comes to the same tensor, a
// long one is told to be lowered.
func TestFixedStep(t *testing.T) {
	m := Random(2, 2, 1, 0.6, pcg(7))
	data := measure(t, m, 400, 3, 0.1, 7)
	want, _, err := TIHT{}.Recover(context.Background(), data, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, st, err := TIHT{Step: 0.3 / 400, MaxIterations: 5000}.Recover(context.Background(), data, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	var minus, diff tt.Tensor
	minus.Scale(-1, want)
	diff.Add(got, &minus)
	if rel := diff.Norm() / want.Norm(); rel > 1e-6 {
		t.Errorf("differs by %.2g, %v after %d iterations", rel, st.Status, st.Iterations)
	}
	_, _, err = TIHT{Step: 1}.Recover(context.Background(), data, 2, nil)
	if err == nil || !strings.Contains(err.Error(), "lower Step") {
		t.Errorf("a step that is too long: %v", err)
	}
}

func TestIterationsStop(t *testing.T) {
	m := Random(3, 3, 2, 0.5, pcg(8))
	data := measure(t, m, 300, 4, 0.5, 8)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	rows := measureFor(t, TTIHT{}, m, 300, 4, 0.5, 8)
	for _, r := range []Recovery{IHT{}, TIHT{}, NuclearNorm{}, TIHT{Step: 1e-4}, TTIHT{}, TTIHT{Batch: 20}} {
		data := data
		if _, ok := r.(TTIHT); ok {
			data = rows
		}
		h, st, err := r.Recover(context.Background(), data, 3, &stopAfter{left: 2})
		if err != nil || st.Status != Stopped || st.Iterations != 3 || h == nil {
			t.Errorf("%T, recorder: %+v, %v", r, st, err)
		}
		if h, st, err := r.Recover(cancelled, data, 3, nil); err != nil || st.Status != Stopped || h == nil {
			t.Errorf("%T, cancelled: %+v, %v", r, st, err)
		}
	}
	for _, r := range []Recovery{IHT{MaxIterations: 2}, TIHT{MaxIterations: 2}, TIHT{Step: 1e-4, MaxIterations: 2}, TTIHT{MaxIterations: 2}, TTIHT{Batch: 20, MaxIterations: 2}} {
		data := data
		if _, ok := r.(TTIHT); ok {
			data = rows
		}
		if _, st, err := r.Recover(context.Background(), data, 3, nil); err != nil || st.Status != IterationLimit || st.Iterations != 2 {
			t.Errorf("%T: %+v, %v", r, st, err)
		}
	}
}

// TestNuclearNormIsOptimal checks the conditions that define the minimum: with
// gradient −g = XᵀY − XᵀXT = U Vᵀ λ + W, U and V the singular vectors of T, W is
// orthogonal to them and no longer than λ.
func TestNuclearNormIsOptimal(t *testing.T) {
	m := Random(3, 3, 2, 0.5, pcg(9))
	data := measure(t, m, 200, 3, 0.5, 9)
	x, err := denseDesign(data, hankelDims(3, 3, 2))
	if err != nil {
		t.Fatal(err)
	}
	_, s, _, _ := linalg.SVD(mat.NewDense(9, 6, x.C.RawMatrix().Data))
	for _, share := range []float64{0.9, 0.3, 0.05, 0.001} {
		lambda := share * s[0]
		h, st, err := NuclearNorm{Lambda: lambda, Tol: 1e-11, MaxIterations: 20000}.Recover(context.Background(), data, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		T, _ := h.Unfold(3)
		var gt, g mat.Dense
		gt.Mul(x.G, T)
		g.Sub(x.C, &gt)
		R := mat.NewDense(9, 6, mat.DenseCopyOf(T).RawMatrix().Data)
		u, sv, v, err := linalg.SVD(R)
		if err != nil {
			t.Fatal(err)
		}
		k := linalg.Rank(sv, 1e-7)
		var uv, W, uw, wv mat.Dense
		uv.Mul(u.Slice(0, 9, 0, k), v.Slice(0, 6, 0, k).T())
		uv.Scale(lambda, &uv)
		W.Sub(mat.NewDense(9, 6, g.RawMatrix().Data), &uv)
		uw.Mul(u.Slice(0, 9, 0, k).T(), &W)
		wv.Mul(&W, v.Slice(0, 6, 0, k))
		_, ws, _, _ := linalg.SVD(&W)
		if mat.Norm(&uw, 2) > 1e-5*lambda || mat.Norm(&wv, 2) > 1e-5*lambda || ws[0] > lambda*(1+1e-5) {
			t.Errorf("λ = %.2g (%.3f of the largest), rank %d, %v after %d: off the optimum by %.2g, %.2g, %.4g",
				lambda, share, k, st.Status, st.Iterations, mat.Norm(&uw, 2)/lambda, mat.Norm(&wv, 2)/lambda, ws[0]/lambda)
		}
	}
	if h, _, err := (NuclearNorm{Lambda: 1.01 * s[0]}).Recover(context.Background(), data, 0, nil); err != nil || h.Norm() != 0 {
		t.Errorf("above the largest λ: norm %v, %v", h.Norm(), err)
	}
}

// TestNuclearNormConstraint: asked for, X T = Y holds, and no tensor that also
// satisfies it has a smaller norm.
func TestNuclearNormConstraint(t *testing.T) {
	m := Random(2, 3, 1, 0.6, pcg(10))
	data := measure(t, m, 20, 3, 0, 10) // 27 unknowns
	h, st, err := NuclearNorm{Lambda: -1, Tol: 1e-10, MaxIterations: 20000}.Recover(context.Background(), data, 0, nil)
	if err != nil {
		t.Fatal(err)
	}
	if sse, _ := data.SquaredError(h); sse > 1e-16*data.Energy() {
		t.Errorf("the constraint is missed by %.2g, %v", sse, st.Status)
	}
	nuclear := func(T []float64) (s float64) {
		_, sv, _, _ := linalg.SVD(mat.NewDense(9, 3, T))
		for _, v := range sv {
			s += v
		}
		return s
	}
	T, _ := h.Full()
	A, _, _ := data.System()
	var svd mat.SVD
	svd.Factorize(A, mat.SVDFull)
	var full mat.Dense
	svd.VTo(&full)
	least := nuclear(T)
	for j := 20; j < 27; j++ { // directions that X does not see
		for _, eps := range []float64{1e-3, -1e-3} {
			moved := append([]float64(nil), T...)
			for i := range moved {
				moved[i] += eps * full.At(i, j)
			}
			if n := nuclear(moved); n < least-1e-9 {
				t.Errorf("direction %d lowers the norm from %v to %v", j, least, n)
			}
		}
	}
}

func TestFitWithEveryRecovery(t *testing.T) {
	m := Random(2, 3, 2, 0.6, pcg(11))
	data := drawLengths(m, 400, 0.05, 11, 2, 4, 5)
	for name, r := range recoveries {
		if name == "TTIHT batches" {
			continue // batches with noise wander about the minimum to the last iteration
		}
		f := fit(t, data, Options{L: 2, Rank: 2, Recovery: r})
		if f.Fallback || len(f.Recovery) != 3 {
			t.Errorf("%s: %v", name, f)
		}
		e := Evaluate(f, draw(m, 500, 6, 0, false, 12))
		if e.R2 < 0.9 {
			t.Errorf("%s: R² %.3f", name, e.R2)
		}
	}
	if _, err := Fit(context.Background(), data, Options{L: 2, Rank: 2, Recovery: TIHT{Step: 10}}); err == nil || errors.Is(err, context.Canceled) {
		t.Errorf("a step that diverges: %v", err)
	}
}

// TestStatusTellsWhatRan: a Stats that nobody filled in does not say that a method
// converged, and a candidate whose fit was cut short says so.
func TestStatusTellsWhatRan(t *testing.T) {
	if s := (Stats{}).Status; s == Converged || s.String() != "not run" {
		t.Errorf("the zero status is %v", s)
	}
	m := Random(2, 2, 1, 0.6, pcg(1))
	data := drawLengths(m, 300, 0.1, 1, 1, 2, 3)
	for _, c := range fit(t, data, Options{L: 1, Recovery: LeastSquares{}}).Candidates {
		if c.Status != NotRun {
			t.Errorf("no joint fit, but %v", c.Status)
		}
	}
	whole := fit(t, data, Options{L: 1})
	cut := fit(t, data, Options{L: 1, Recorder: &stopAfter{left: 3}})
	status := func(r *Result) (chosen Status) {
		for _, c := range r.Candidates {
			if c.Chosen {
				chosen = c.Status
			}
		}
		return chosen
	}
	if a, b := status(whole), status(cut); a != Converged || b != Stopped {
		t.Errorf("to the end: %v; stopped: %v", a, b)
	}
}
