package als

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func pcg(seed uint64) rand.Source { return rand.NewPCG(seed, 7) }

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

// cases have rows more and fewer than a core has unknowns.
var cases = []struct{ l, d, p, rank, N int }{
	{0, 0, 2, 1, 5}, {1, 3, 1, 1, 20}, {1, 3, 2, 2, 20}, {2, 3, 2, 3, 60}, {3, 2, 3, 2, 40}, {4, 3, 1, 2, 80}, {4, 3, 1, 2, 7}, {3, 3, 2, 3, 5}, {3, 1, 1, 1, 10},
}

// sweeperOf returns a random train over noisy rows, and the rows written out: X, N×d^l.
func sweeperOf(t *testing.T, l, d, p, rank, N int) (*Sweeper, *Rows, *mat.Dense) {
	t.Helper()
	rnd := rand.New(pcg(4))
	var in []*mat.Dense
	for range l {
		f := mat.NewDense(N, d, nil)
		for i := range N * d {
			f.Set(i/d, i%d, rnd.NormFloat64())
		}
		in = append(in, f)
	}
	x := New(in, mat.NewDense(N, p, nil), 0)
	x.Y = x.Outputs(randomTrain(x.Dims, 2, 3))
	for i := range N * p {
		x.Y.Set(i/p, i%p, x.Y.At(i/p, i%p)+0.3*rnd.NormFloat64())
	}
	X := mat.NewDense(N, linalg.Pow(d, l), nil)
	row := make([]float64, l*d)
	for i := range N {
		for k, f := range x.x {
			copy(row[k*d:], f.RawRowView(i))
		}
		linalg.Kronecker(X.RawRowView(i), row, d)
	}
	return NewSweeper(x, randomTrain(x.Dims, rank, 5), never), x, X
}

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
func (s *Sweeper) withCore(k, i int) *tt.Tensor {
	cores := CopyCores(s.cores)
	clear(cores[k].Data)
	cores[k].Data[i] = 1
	return tt.New(cores...)
}

// TestSweeperLocalStep: at every pivot the step is least squares over the rows written
// out, of least change where that is not unique.
func TestSweeperLocalStep(t *testing.T) {
	for _, c := range cases {
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

// TestSweeperPair: the problem of two cores is that of the rows written out, its residual
// and gradient exact, and conjugate gradients of as many steps as unknowns solve it.
func TestSweeperPair(t *testing.T) {
	for _, c := range cases {
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
				cores := CopyCores(s.cores)
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
func checkTrain(t *testing.T, s *Sweeper, x *Rows, pivot int, at string) {
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
	want := x.Outputs(s.Tensor())
	if !mat.EqualApprox(column(&out), column(want), 1e-11*(1+mat.Norm(want, 2))) {
		t.Errorf("%s, pivot %d: predictions differ from the tensor's", at, pivot)
	}
}

func TestSweeperKeepsItsForm(t *testing.T) {
	for _, c := range cases {
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
		if e, _ := x.SquaredError(s.Tensor()); math.Abs(s.Relative()-linalg.Relative(e, s.energy)) > 1e-12 {
			t.Errorf("%+v: residual %v, want %v", c, s.Relative(), linalg.Relative(e, s.energy))
		}
	}
}

// TestSweeperSingleSweepsAreMonotone, from anywhere.
func TestSweeperSingleSweepsAreMonotone(t *testing.T) {
	for _, c := range cases {
		s, x, _ := sweeperOf(t, c.l, c.d, c.p, c.rank, c.N)
		last := math.Inf(1)
		for i := range 30 {
			sse, ok, err := s.Single()
			if err != nil || !ok {
				t.Fatal(ok, err)
			}
			if !(sse <= last*(1+1e-9)+1e-24*s.energy) {
				t.Errorf("%+v: sweep %d raises the squared error from %v to %v", c, i, last, sse)
			}
			if got, _ := x.SquaredError(s.Tensor()); math.Abs(got-sse) > 1e-10*(sse+s.energy) {
				t.Errorf("%+v: squared error %v, told %v", c, got, sse)
			}
			last = sse
		}
	}
}

// TestSweepStops: within a sweep no local step follows the stop, and the train is whole.
func TestSweepStops(t *testing.T) {
	for left := range 10 {
		s, x, _ := sweeperOf(t, 4, 3, 2, 2, 60)
		asked := 0
		s.stop = func() bool { asked++; return asked > left }
		if _, ok, err := s.Single(); err != nil || ok != (left >= 8) || asked > left+1 {
			t.Errorf("stop after %d steps: %v, asked %d times, %v", left, ok, asked, err)
		}
		if e, err := x.SquaredError(s.Tensor()); err != nil || math.IsNaN(e) {
			t.Errorf("stop after %d steps: %v, %v", left, e, err)
		}
	}
}

// TestWeighsRows: all of a row is multiplied by its weight 1/√(c + ‖row‖²), and c is
// found from errors of such a variance.
func TestWeighsRows(t *testing.T) {
	_, x, X := sweeperOf(t, 3, 3, 2, 2, 4000)
	r := &Run{raw: x, sizes: x.sizes()}
	h := randomTrain(x.Dims, 2, 9)
	a, b := x.Outputs(h), r.weighed(0.3)
	mean := 1.0
	for _, f := range x.x {
		mean *= linalg.Squared(f) / float64(x.N)
	}
	out := b.Outputs(h)
	for i := range x.N {
		w := 1 / math.Sqrt(0.3+floats.Dot(X.RawRowView(i), X.RawRowView(i))/mean)
		for j := range 2 {
			if math.Abs(out.At(i, j)-w*a.At(i, j)) > 1e-11*math.Abs(w*a.At(i, j)) || math.Abs(b.Y.At(i, j)-w*x.Y.At(i, j)) > 1e-12*math.Abs(x.Y.At(i, j)) {
				t.Fatalf("row %d is not weighed by %v", i, w)
			}
		}
	}
	rnd := rand.New(pcg(10))
	for _, c := range []float64{leastWeight, 10 * leastWeight, 1000 * leastWeight} {
		for i, q := range r.sizes {
			for j, dst := 0, x.Y.RawRowView(i); j < 2; j++ {
				dst[j] = a.At(i, j) + math.Sqrt(c+q)*rnd.NormFloat64()
			}
		}
		// Half steps of ten are told apart where q and c are of a size; 30 is the most.
		if _, got := r.likelihood(h); math.Abs(math.Log10(got/c)) > 0.51 {
			t.Errorf("c = %v is taken for %v", c, got)
		}
	}
}

// TestStartsThatExplainAnything: a train with a free number for each equation explains any outputs, and
// is no start; one with few that explains them is.
func TestStartsThatExplainAnything(t *testing.T) {
	_, x, _ := sweeperOf(t, 3, 4, 1, 1, 40)
	rnd := rand.New(pcg(6))
	for i := range 40 {
		x.Y.Set(i, 0, rnd.NormFloat64())
	}
	h, err := x.Continued(randomTrain([]int{4, 4, 1}, 4, 7), 0)
	if err != nil {
		t.Fatal(err)
	}
	if sse, err := x.SquaredError(h); err != nil || sse > 1e-6*linalg.Squared(x.Y) {
		t.Fatalf("the train leaves %g of noise: it is not the case to be tried", sse)
	}
	if near, err := x.near(h); err != nil || near {
		t.Error("a train that explains noise counts as near")
	}
	truth := randomTrain(x.Dims, 1, 8)
	x.Y = x.Outputs(truth)
	if near, err := x.near(truth); err != nil || !near {
		t.Error("the truth does not count as near")
	}
}
