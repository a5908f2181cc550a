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

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/moments"
	"github.com/twornn/spectral/twornn/tt"
)

func never() bool { return false }

// randomTrain returns a train of the rank, its entries standard normal.
func randomTrain(dims []int, rank int, seed uint64) *tt.Tensor {
	rnd := rand.New(pcg(seed))
	left := 1
	var cores []tt.Core
	for k, right := range append(bonds(dims, rank), 1) {
		c := tt.NewCore(left, dims[k], right)
		for i := range c.Data {
			c.Data[i] = rnd.NormFloat64()
		}
		cores, left = append(cores, c), right
	}
	return tt.New(cores...)
}

// alsCases have rows more and fewer than a core has unknowns.
var alsCases = []struct{ l, d, p, rank, N int }{
	{0, 0, 2, 1, 5}, {1, 3, 1, 1, 20}, {1, 3, 2, 2, 20}, {2, 3, 2, 3, 60}, {3, 2, 3, 2, 40}, {4, 3, 1, 2, 80}, {4, 3, 1, 2, 7}, {3, 3, 2, 3, 5}, {3, 1, 1, 1, 10},
}

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

// sweeperOf returns a random train over noisy rows, and the rows written out: X, N×d^l.
func sweeperOf(t *testing.T, l, d, p, rank, N int) (*sweeper, *rowDesign, *mat.Dense) {
	t.Helper()
	x := newRowDesign(alsRows(t, Random(2, max(d, 1), p, 0.6, pcg(3)), N, l, 0.3, 4), 0)
	X := mat.NewDense(N, linalg.Pow(d, l), nil)
	row := make([]float64, l*d)
	for i := range N {
		for k, f := range x.x {
			copy(row[k*d:], f.RawRowView(i))
		}
		linalg.Kronecker(X.RawRowView(i), row, d)
	}
	return newSweeper(x, randomTrain(x.dims, rank, 5), never), x, X
}

// dense returns the np×u matrix that maps u numbers, written into a train by set, to
// the predictions of all rows and outputs: column by column from whole tensors.
func dense(t *testing.T, X *mat.Dense, p, u int, set func(i int) *tt.Tensor) *mat.Dense {
	t.Helper()
	n, c := X.Dims()
	D := mat.NewDense(n*p, u, nil)
	for i := range u {
		full, err := set(i).Full()
		if err != nil {
			t.Fatal(err)
		}
		var out mat.Dense
		out.Mul(X, mat.NewDense(c, p, full))
		D.SetCol(i, out.RawMatrix().Data)
	}
	return D
}

// withCore returns the train with unit i in core k, all else of that core zero.
func (s *sweeper) withCore(k, i int) *tt.Tensor {
	cores := copyCores(s.cores)
	clear(cores[k].Data)
	cores[k].Data[i] = 1
	return tt.New(cores...)
}

// TestALSLocalStep: at every pivot the step is least squares over the rows written
// out, of least change where that is not unique.
func TestALSLocalStep(t *testing.T) {
	for _, c := range alsCases {
		s, _, X := sweeperOf(t, c.l, c.d, c.p, c.rank, c.N)
		for k := range s.cores {
			w := append([]float64(nil), s.cores[k].Data...)
			D := dense(t, X, c.p, len(w), func(i int) *tt.Tensor { return s.withCore(k, i) })
			e := linalg.Residual(D, column(s.y), mat.NewDense(len(w), 1, w))
			delta, _, _, err := linalg.LeastSquares(D, e, 1e-12)
			if err != nil {
				t.Fatal(err)
			}
			floats.Add(w, delta.RawMatrix().Data)
			want := linalg.Squared(linalg.Residual(D, column(s.y), mat.NewDense(len(w), 1, w)))
			sse, err := s.solve(k)
			if err != nil {
				t.Fatal(err)
			}
			if d := floats.Distance(w, s.cores[k].Data, 2); d > 1e-9*(1+floats.Norm(w, 2)) {
				t.Errorf("%+v core %d: off the least squares solution by %.2g", c, k, d)
			}
			if math.Abs(sse-want) > 1e-10*(want+s.energy) {
				t.Errorf("%+v core %d: squared error %v, want %v", c, k, sse, want)
			}
			if k < len(s.cores)-1 {
				s.moveRight(k)
			}
		}
	}
}

// TestALSPair: the problem of two cores is that of the rows written out, its residual
// and gradient exact, and conjugate gradients of as many steps as unknowns solve it.
func TestALSPair(t *testing.T) {
	for _, c := range alsCases {
		if c.l == 0 {
			continue
		}
		s, _, X := sweeperOf(t, c.l, c.d, c.p, c.rank, c.N)
		for k := range c.l {
			q := s.pair(k)
			r, cols := q.W.Dims()
			a, b := s.cores[k], s.cores[k+1]
			D := dense(t, X, c.p, r*cols, func(i int) *tt.Tensor {
				// A bond as wide as the product's rows carries any product.
				cores := copyCores(s.cores)
				cores[k] = tt.NewCore(a.Left, a.Dim, r)
				for j := range r {
					cores[k].Data[j*r+j] = 1
				}
				cores[k+1] = tt.NewCore(r, b.Dim, b.Right)
				cores[k+1].Data[i] = 1
				return tt.New(cores...)
			})
			w := column(q.W)
			e := linalg.Residual(D, column(s.y), w)
			var g mat.Dense
			g.Mul(D.T(), e)
			if !mat.EqualApprox(e, column(q.E), 1e-10) || !mat.EqualApprox(&g, column(q.gradient(q.E)), 1e-10*(1+mat.Norm(&g, 2))) {
				t.Errorf("%+v pair %d: residual or gradient differ from those of the rows", c, k)
			}
			delta, _, _, err := linalg.LeastSquares(D, e, 1e-12)
			if err != nil {
				t.Fatal(err)
			}
			var want mat.Dense
			want.Add(w, delta)
			q.descend(20 * r * cols)
			// The rows of few measurements are ill-conditioned: a tenth of the digits go.
			if d := linalg.Squared(linalg.Residual(&want, w, mat.NewDense(1, 1, []float64{1}))); d > 1e-8*linalg.Squared(&want) {
				t.Errorf("%+v pair %d: conjugate gradients end %.2g off, of %.2g", c, k, math.Sqrt(d), mat.Norm(&want, 2))
			}
			// The step itself: the product moved as far, then the nearest of the rank.
			q = s.pair(k)
			q.descend(2)
			u, sv, v, err := linalg.SVD(q.W)
			if err != nil {
				t.Fatal(err)
			}
			for i := c.rank; i < len(sv); i++ {
				sv[i] = 0
			}
			var us, got mat.Dense
			us.Mul(u, mat.NewDiagDense(len(sv), sv))
			want.Reset()
			want.Mul(&us, v.T())
			for _, right := range []bool{false, true} {
				z := *s
				z.cores, z.L, z.S = slices.Clone(s.cores), slices.Clone(s.L), slices.Clone(s.S)
				if err := z.pairStep(k, c.rank, 2, right); err != nil {
					t.Fatal(err)
				}
				got.Reset()
				got.Mul(leftOf(z.cores[k]), rightOf(z.cores[k+1]))
				if !mat.EqualApprox(&got, &want, 1e-10*(1+mat.Norm(&want, 2))) {
					t.Errorf("%+v pair %d, right %v: the cut product is not the nearest of the rank", c, k, right)
				}
				if right {
					s = &z
				}
			}
		}
	}
}

// checkTrain checks that the cores are orthonormal about the pivot and that what is
// kept for the rows gives the predictions of the tensor.
func checkTrain(t *testing.T, s *sweeper, x *rowDesign, pivot int, at string) {
	t.Helper()
	for k, c := range s.cores {
		var g mat.Dense
		switch {
		case k < pivot:
			g.Mul(leftOf(c).T(), leftOf(c))
		case k > pivot:
			g.Mul(rightOf(c), rightOf(c).T())
		default:
			continue
		}
		r, _ := g.Dims()
		for i := range r {
			g.Set(i, i, g.At(i, i)-1)
		}
		if mat.Norm(&g, 2) > 1e-12 {
			t.Errorf("%s, pivot %d: core %d is off orthonormal by %.2g", at, pivot, k, mat.Norm(&g, 2))
		}
	}
	D, _, W := s.local(pivot)
	var out mat.Dense
	out.Mul(D, W)
	want := x.outputs(s.tensor())
	if !mat.EqualApprox(column(&out), column(want), 1e-11*(1+mat.Norm(want, 2))) {
		t.Errorf("%s, pivot %d: predictions differ from the tensor's", at, pivot)
	}
}

func TestALSKeepsItsForm(t *testing.T) {
	for _, c := range alsCases {
		s, x, _ := sweeperOf(t, c.l, c.d, c.p, c.rank, c.N)
		checkTrain(t, s, x, 0, "new")
		for k := range c.l {
			if _, err := s.solve(k); err != nil {
				t.Fatal(err)
			}
			s.moveRight(k)
			checkTrain(t, s, x, k+1, "right")
		}
		for k := c.l; k > 0; k-- {
			s.moveLeft(k)
			checkTrain(t, s, x, k-1, "left")
		}
		for k := range c.l {
			if err := s.pairStep(k, c.rank+1, 2, true); err != nil {
				t.Fatal(err)
			}
			checkTrain(t, s, x, k+1, "pairs right")
		}
		for k := c.l - 1; k >= 0; k-- {
			if err := s.pairStep(k, c.rank, 2, false); err != nil {
				t.Fatal(err)
			}
			checkTrain(t, s, x, k, "pairs left")
		}
		if e, _ := x.squaredError(s.tensor()); math.Abs(s.relative()-linalg.Relative(e, s.energy)) > 1e-12 {
			t.Errorf("%+v: residual %v, want %v", c, s.relative(), linalg.Relative(e, s.energy))
		}
	}
}

// TestALSSingleSweepsAreMonotone, from anywhere, and end where the gradient has no
// part in the tangent space.
func TestALSSingleSweepsAreMonotone(t *testing.T) {
	for _, c := range alsCases {
		s, x, _ := sweeperOf(t, c.l, c.d, c.p, c.rank, c.N)
		last := math.Inf(1)
		for i := range 30 {
			sse, ok, err := s.single()
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			if !(sse <= last*(1+1e-9)+1e-24*s.energy) {
				t.Errorf("%+v: sweep %d raises the squared error from %v to %v", c, i, last, sse)
			}
			if got, _ := x.squaredError(s.tensor()); math.Abs(got-sse) > 1e-10*(sse+s.energy) {
				t.Errorf("%+v: squared error %v, told %v", c, got, sse)
			}
			last = sse
		}
	}
	m := Random(3, 3, 2, 0.5, pcg(6))
	data := measureFor(t, ALS{}, m, 400, 4, 0.5, 6)
	h, st, err := ALS{Tol: 1e-13}.Recover(context.Background(), data, 2, nil)
	if err != nil {
		t.Fatal(err)
	}
	if data.of.Frame != nil {
		t.Fatal("the gradient below is for coordinates as they are")
	}
	x := newRowDesign(data, 0)
	p, err := tt.NewPoint(h)
	if err != nil {
		t.Fatal(err)
	}
	g, _, err := x.gradient(p)
	if err != nil {
		t.Fatal(err)
	}
	// At the minimum of a residual known to 1e-16, the point is known to 1e-8.
	if size := x.project(p, x.y).Norm(); g.Norm() > 1e-5*size {
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
		s := newSweeper(newRowDesign(data, 0), m.Hankel(l), never)
		for range 30 {
			if _, _, err := s.single(); err != nil {
				t.Fatal(err)
			}
		}
		// Both stop where sweeps gain 1e-6 and less of the residual.
		if r, want := st.Residuals[len(st.Residuals)-1], s.relative(); math.Abs(r-want) > 1e-4*want {
			t.Errorf("seed %d: residual %v, from the truth %v", seed, r, want)
		}
		if e, want := difference(t, h, m, l), difference(t, s.tensor(), m, l); e > 1.05*want {
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
	// Within a sweep no local step follows the stop, and the train is whole.
	for left := range 10 {
		s, x, _ := sweeperOf(t, 4, 3, 2, 2, 60)
		asked := 0
		s.stop = func() bool { asked++; return asked > left }
		if _, ok, err := s.single(); err != nil || ok != (left >= 8) || asked > left+1 {
			t.Errorf("stop after %d steps: %v, asked %d times, %v", left, ok, asked, err)
		}
		if e, err := x.squaredError(s.tensor()); err != nil || math.IsNaN(e) {
			t.Errorf("stop after %d steps: %v, %v", left, e, err)
		}
	}
}

// TestALSWeighsRows: all of a row is multiplied by its weight 1/√(c + ‖row‖²), and c is
// found from errors of such a variance.
func TestALSWeighsRows(t *testing.T) {
	_, x, X := sweeperOf(t, 3, 3, 2, 2, 4000)
	r := &alsRun{raw: x, sizes: x.sizes()}
	h := randomTrain(x.dims, 2, 9)
	a, b := x.outputs(h), r.weighed(0.3)
	mean := 1.0
	for _, f := range x.x {
		mean *= linalg.Squared(f) / float64(x.n)
	}
	out := b.outputs(h)
	for i := range x.n {
		w := 1 / math.Sqrt(0.3+floats.Dot(X.RawRowView(i), X.RawRowView(i))/mean)
		for j := range 2 {
			if math.Abs(out.At(i, j)-w*a.At(i, j)) > 1e-11*math.Abs(w*a.At(i, j)) || math.Abs(b.y.At(i, j)-w*x.y.At(i, j)) > 1e-12*math.Abs(x.y.At(i, j)) {
				t.Fatalf("row %d is not weighed by %v", i, w)
			}
		}
	}
	rnd := rand.New(pcg(10))
	for _, c := range []float64{alsFloor, 10 * alsFloor, 1000 * alsFloor} {
		for i, q := range r.sizes {
			for j, dst := 0, x.y.RawRowView(i); j < 2; j++ {
				dst[j] = a.At(i, j) + math.Sqrt(c+q)*rnd.NormFloat64()
			}
		}
		// Half steps of ten are told apart where q and c are of a size; 30 is the most.
		if _, got := r.likelihood(h); math.Abs(math.Log10(got/c)) > 0.51 {
			t.Errorf("c = %v is taken for %v", c, got)
		}
	}
}
