package twornn

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/als"
	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/moments"
	"github.com/twornn/spectral/twornn/tt"
)

func maxRank(h *tt.Tensor) int { return slices.Max(append(h.Ranks(), 1)) }

// alsRows is measureFor with lengths from 0.
func alsRows(t *testing.T, m *Model, N, l int, noise float64, seed uint64) *Measurements {
	t.Helper()
	if l > 0 {
		return measureFor(t, ALS{}, m, N, l, noise, seed)
	}
	_, _, p := m.Dims()
	q := moments.NewLength(0, 0, p)
	q.KeepRows = true
	rnd := rand.New(pcg(seed))
	for range N {
		y := make([]float64, p)
		for j := range y {
			y[j] = 1 + noise*rnd.NormFloat64()
		}
		q.Add(nil, y, moments.NewPipeline())
	}
	return &Measurements{q}
}

// TestALSEndsAtAMinimum: the gradient there has no part in the tangent space.
func TestALSEndsAtAMinimum(t *testing.T) {
	m := Random(3, 3, 2, 0.5, pcg(6))
	data := measureFor(t, ALS{}, m, 400, 4, 0.5, 6)
	h, st, err := ALS{Tol: 1e-13}.Recover(context.Background(), data, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if data.of.Frame != nil {
		t.Fatal("the gradient below is for coordinates as they are")
	}
	x := rowsOf(data, 0)
	p, err := tt.NewPoint(h)
	if err != nil {
		t.Fatal(err)
	}
	g, _, err := x.Gradient(p)
	if err != nil {
		t.Fatal(err)
	}
	// At the minimum of a residual known to 1e-16, the point is known to 1e-8.
	if size := x.Project(p, x.Y).Norm(); g.Norm() > 1e-5*size {
		t.Errorf("gradient %.2g of that at zero, %v after %d sweeps", g.Norm()/size, st.Status, st.Iterations)
	}
}

// TestALSIsExactBeyondDense: d^l from 10⁴ on, N far below, no noise.
func TestALSIsExactBeyondDense(t *testing.T) {
	for _, c := range []struct{ n, d, p, l, N int }{{3, 10, 1, 4, 2000}, {2, 10, 1, 5, 1000}, {2, 6, 3, 5, 500}, {2, 4, 1, 8, 1000}} {
		m := Random(c.n, c.d, c.p, 1/math.Sqrt(float64(c.n*c.d)), pcg(20))
		h, st, err := ALS{}.Recover(context.Background(), measureFor(t, ALS{}, m, c.N, c.l, 0, 21), c.n, nil)
		if err != nil {
			t.Fatal(err)
		}
		// Residuals stop at 1e-11, and the rows are fewer than the entries by far.
		if e := difference(t, h, m, c.l); e > 1e-9 || st.Status != Converged {
			t.Errorf("%+v: relative error %.2g, %v after %d sweeps", c, e, st.Status, st.Iterations)
		}
	}
}

// TestALSWithNoiseIsLeastSquares: with noise it comes to where least squares goes that
// begins at the truth.
func TestALSWithNoiseIsLeastSquares(t *testing.T) {
	for seed := range uint64(4) {
		m := Random(3, 5, 1+int(seed)%2, 1/math.Sqrt(15), pcg(seed))
		l := 3 + int(seed)/2
		data := measureFor(t, ALS{}, m, 1000, l, 0.2*m.Hankel(l).Norm(), seed)
		h, st, err := ALS{}.Recover(context.Background(), data, 3, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := als.NewSweeper(rowsOf(data, 0), m.Hankel(l), func() bool { return false })
		for range 30 {
			if _, _, err := s.Single(); err != nil {
				t.Fatal(err)
			}
		}
		// Both stop where sweeps gain 1e-6 and less of the residual.
		if r, want := st.Residuals[len(st.Residuals)-1], s.Relative(); math.Abs(r-want) > 1e-4*want {
			t.Errorf("seed %d: residual %v, from the truth %v", seed, r, want)
		}
		if e, want := difference(t, h, m, l), difference(t, s.Tensor(), m, l); e > 1.05*want {
			t.Errorf("seed %d: relative error %.3g, from the truth %.3g", seed, e, want)
		}
	}
}

// TestALSFindsTheRank, with noise and without, above d^l rows and below.
func TestALSFindsTheRank(t *testing.T) {
	for _, noise := range []float64{0, 0.1, 0.4} {
		right, runs := 0, 0
		for seed := range uint64(3) {
			for _, c := range []struct{ n, d, p, l, N int }{{1, 3, 2, 3, 200}, {2, 4, 1, 5, 500}, {3, 5, 1, 4, 900}, {3, 5, 2, 3, 500}} {
				m := Random(c.n, c.d, c.p, 1/math.Sqrt(float64(c.n*c.d)), pcg(seed+1))
				size := m.Hankel(c.l).Norm() / math.Sqrt(float64(c.p))
				h, st, err := ALS{}.Recover(context.Background(), measureFor(t, ALS{}, m, c.N, c.l, noise*size, seed), 0, nil)
				if err != nil {
					t.Fatal(err)
				}
				runs++
				if maxRank(h) == c.n {
					right++
				}
				if e := difference(t, h, m, c.l); noise == 0 && e > 1e-9 || e > noise+1e-9 {
					t.Errorf("noise %v %+v: relative error %.2g at ranks %v, %v", noise, c, e, h.Ranks(), st.Status)
				}
			}
		}
		// A third state may be too weak to tell from noise.
		if noise == 0 && right < runs || noise == 0.1 && right < runs-1 || right < runs/2 {
			t.Errorf("noise %v: the rank is right in %d of %d", noise, right, runs)
		}
	}
}

// TestALSFits: Fit keeps the rows for it, and with the rank left open comes to the model.
func TestALSFits(t *testing.T) {
	m := Random(3, 10, 1, 1/math.Sqrt(30), pcg(30))
	r := fit(t, drawLengths(m, 1000, 0, 1, 1, 2, 3), Options{L: 1, Basis: EqualLength, Recovery: ALS{}})
	e := Evaluate(r, draw(m, 500, 4, 0, false, 2))
	if nmse := e.MSE / e.Outputs[0].Variance; !(nmse < 1e-14) || r.Rank != 3 {
		t.Errorf("relative squared error %.2g, %v", nmse, r)
	}
}

func TestALSEdges(t *testing.T) {
	ctx := context.Background()
	m := Random(2, 3, 2, 0.6, pcg(7))
	for l := range 4 {
		for _, N := range []int{1, 2, 3, 5, 30} {
			for _, rank := range []int{0, 1, 2, 50} {
				h, st, err := ALS{}.Recover(ctx, alsRows(t, m, N, l, 0.2, 8), rank, nil)
				if err != nil {
					t.Fatalf("l = %d, N = %d, rank %d: %v", l, N, rank, err)
				}
				r := st.Residuals[len(st.Residuals)-1]
				if full, err := h.Full(); err != nil || math.IsNaN(floats.Sum(full)) || !(r <= 1+1e-12) {
					t.Errorf("l = %d, N = %d, rank %d: residual %v", l, N, rank, r)
				}
				if rank > 0 && maxRank(h) > rank {
					t.Errorf("l = %d, N = %d, rank %d: ranks %v", l, N, rank, h.Ranks())
				}
			}
		}
	}
	// Without a frame the coordinates are those of the rows: some are nothing but zeros,
	// two inputs are alike, one row is huge.
	x := mat.NewDense(3, 2, nil)
	q := moments.NewLength(3, 2, 1)
	q.KeepRows = true
	for i := range 40 {
		x.Zero()
		for k := range 3 {
			x.SetRow(k, []float64{float64((i*7+k*3)%11 - 5), float64((i*7+k*3)%11 - 5)})
		}
		if i%5 == 0 {
			x.Zero()
		}
		if i == 39 {
			x.Scale(1e6, x)
		}
		q.Add(x, []float64{x.At(0, 0) * x.At(1, 0) * x.At(2, 1)}, moments.NewPipeline())
	}
	for _, rank := range []int{0, 1, 2} {
		h, st, err := ALS{}.Recover(ctx, &Measurements{q}, rank, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r := st.Residuals[len(st.Residuals)-1]; !(r < 1e-9) || math.IsNaN(h.Norm()) {
			t.Errorf("collinear, rank %d: residual %v, %v", rank, r, st.Status)
		}
	}
	data := measureFor(t, ALS{}, m, 30, 2, 0, 9)
	if _, _, err := (ALS{}).Recover(ctx, data, -1, nil); err == nil {
		t.Error("a negative rank: no error")
	}
	for _, o := range []ALS{{Tol: -1}, {Tol: math.NaN()}, {Tol: math.Inf(1)}, {MaxIterations: -1}} {
		if _, _, err := o.Recover(ctx, data, 2, nil); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
	if _, _, err := (ALS{}).Recover(ctx, measure(t, m, 300, 2, 0, 4), 3, nil); err == nil || !strings.Contains(err.Error(), "CollectRows") {
		t.Errorf("folded measurements: %v", err)
	}
	if h, _, err := (ALS{}).Recover(ctx, measureFor(t, ALS{}, NewModel(2, 2, 2), 30, 3, 0, 4), 0, nil); err != nil || h.Norm() != 0 {
		t.Errorf("zero, rank open: %v", err)
	}
}

func TestALSIsDeterministic(t *testing.T) {
	m := Random(3, 5, 2, 0.25, pcg(10))
	data := measureFor(t, ALS{}, m, 300, 4, 0.01, 11)
	var want []float64
	for _, procs := range []int{runtime.GOMAXPROCS(0), 1} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		h, _, err := ALS{Seed: 3}.Recover(context.Background(), data, 0, nil)
		if err != nil {
			t.Fatal(err)
		}
		full, _ := h.Full()
		if want != nil && !floats.Equal(full, want) {
			t.Error("the same seed gives another tensor")
		}
		want = full
	}
}

func TestALSStops(t *testing.T) {
	m := Random(3, 3, 2, 0.5, pcg(8))
	data := measureFor(t, ALS{}, m, 300, 4, 0.5, 8)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, rank := range []int{0, 1, 3} {
		h, st, err := ALS{}.Recover(context.Background(), data, rank, &stopAfter{left: 2})
		if err != nil || st.Status != Stopped || st.Iterations != 3 || len(st.Residuals) != 3 || h == nil {
			t.Errorf("rank %d, recorder: %+v, %v", rank, st, err)
		} else if sse, _ := data.SquaredError(h); math.Abs(linalg.Relative(sse, data.Energy())-floats.Min(st.Residuals)) > 1e-12 {
			t.Errorf("rank %d, recorder: not the best so far: residual %v, sweeps had %v", rank, linalg.Relative(sse, data.Energy()), st.Residuals)
		}
		if h, st, err := (ALS{}).Recover(cancelled, data, rank, nil); err != nil || st.Status != Stopped || h == nil || len(st.Residuals) == 0 {
			t.Errorf("rank %d, cancelled: %+v, %v", rank, st, err)
		}
		if _, st, err := (ALS{MaxIterations: 2}).Recover(context.Background(), data, rank, nil); err != nil || st.Status != IterationLimit || st.Iterations != 2 {
			t.Errorf("rank %d: %+v, %v", rank, st, err)
		}
	}
}

// TestLonger: from the exact tensor of shorter words that of longer ones follows by one
// linear solve, for every length and number of outputs, with fewer rows than d^l; and
// recoveries begin there. From a wrong one they do as well as from none.
func TestLonger(t *testing.T) {
	for _, c := range []struct{ n, d, p, l, N int }{{3, 10, 1, 3, 600}, {2, 6, 3, 3, 150}, {3, 4, 2, 5, 400}, {2, 5, 1, 4, 300}} {
		m := Random(c.n, c.d, c.p, 0.5, pcg(1))
		col, err := CollectRows(drawLengths(m, c.N, 0, 1, c.l), c.l)
		if err != nil {
			t.Fatal(err)
		}
		x := rowsOf(col[c.l], 0)
		h, err := x.Continued(m.Hankel(c.l-1), c.n)
		if err != nil {
			t.Fatal(err)
		}
		sse, err := x.SquaredError(h)
		if e := linalg.Relative(sse, linalg.Squared(x.Y)); err != nil || e > 1e-10 {
			t.Errorf("%+v: a residual of %.2g (%v)", c, e, err)
		}
		for _, r := range []Continuation{TTIHT{}, ALS{}} {
			_, st, err := r.RecoverFrom(context.Background(), col[c.l], c.n, m.Hankel(c.l-1), nil)
			if err != nil {
				t.Fatal(err)
			}
			if last := st.Residuals[len(st.Residuals)-1]; last > 1e-9 || st.Iterations > 3 {
				t.Errorf("%+v, %T: %d iterations to a residual of %.2g", c, r, st.Iterations, last)
			}
			other := Random(c.n, c.d, c.p, 0.5, pcg(9)).Hankel(c.l - 1)
			_, from, err := r.RecoverFrom(context.Background(), col[c.l], c.n, other, nil)
			_, alone, err2 := r.Recover(context.Background(), col[c.l], c.n, nil)
			if err != nil || err2 != nil {
				t.Fatal(err, err2)
			}
			a, b := from.Residuals[len(from.Residuals)-1], alone.Residuals[len(alone.Residuals)-1]
			if a > 1e-9 && a > 1.01*b {
				t.Errorf("%+v, %T: a residual of %.2g from a wrong start, %.2g from none", c, r, a, b)
			}
		}
	}
	col, err := CollectRows(drawLengths(Random(2, 3, 1, 0.5, pcg(1)), 20, 0, 1, 2), 2)
	if err != nil {
		t.Fatal(err)
	}
	if h, err := rowsOf(col[2], 0).Continued(Random(2, 3, 1, 1, pcg(2)).Hankel(1), 2); h != nil || err != nil {
		t.Errorf("words of two letters have no middle: %v %v", h, err)
	}
}
