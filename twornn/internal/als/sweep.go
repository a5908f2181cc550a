package als

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
)

// Sweeper is a train on its way through the rows of a design. One core, the pivot, is
// free; those before it are orthonormal from the left and those after it from the
// right. So the pivot has the norm of the tensor, and the least squares problem for it
// is as well conditioned as the rows make it.
//
// What the cores on either side make of every row is kept: L[k] is n×r_k, the cores
// before k times the row's factors; S[k] is np×r_k, the cores from k on, for each row
// and output. The prediction for row i and output j with the pivot k is
//
//	(L[k]_i ⊗ x_k,i ⊗ S[k+1]_ij) · vec(core k)
type Sweeper struct {
	x      []*mat.Dense // factors of the rows, n×d
	y      *mat.Dense   // n×p
	n, p   int
	energy float64   // ‖Y‖²
	cores  []tt.Core // the last is that of the outputs
	L, S   []*mat.Dense
	stop   func() bool // asked before each local step
}

// NewSweeper returns the train h over the rows of x with its first core as the pivot.
func NewSweeper(x *Rows, h *tt.Tensor, stop func() bool) *Sweeper {
	m := len(x.Dims)
	s := &Sweeper{x: x.x, y: x.Y, n: x.N, p: x.Dims[m-1], energy: linalg.Squared(x.Y), L: make([]*mat.Dense, m), S: make([]*mat.Dense, m+1), stop: stop}
	for k := range m {
		s.cores = append(s.cores, h.Core(k))
	}
	s.cores = CopyCores(s.cores)
	s.L[0] = ones(s.n)
	for k := m - 1; k > 0; k-- {
		s.moveLeft(k)
	}
	return s
}

// Tensor returns a copy of the train.
func (s *Sweeper) Tensor() *tt.Tensor { return tt.New(CopyCores(s.cores)...) }

// moveRight moves the pivot from core k to the next.
func (s *Sweeper) moveRight(k int) {
	c, next := s.cores[k], s.cores[k+1]
	q, r := linalg.ThinQR(leftOf(c))
	var w mat.Dense
	w.Mul(r, rightOf(next))
	s.setPair(k, q, &w, c.Left, c.Dim, next.Dim, next.Right)
	s.passLeft(k)
}

// moveLeft moves the pivot from core k to the one before.
func (s *Sweeper) moveLeft(k int) {
	before, c := s.cores[k-1], s.cores[k]
	q, r := linalg.ThinQR(mat.DenseCopyOf(rightOf(c).T()))
	var w mat.Dense
	w.Mul(leftOf(before), r.T())
	s.setPair(k-1, &w, mat.DenseCopyOf(q.T()), before.Left, before.Dim, c.Dim, c.Right)
	s.passRight(k)
}

// setPair makes cores k and k+1 of their unfoldings a and b.
func (s *Sweeper) setPair(k int, a, b *mat.Dense, left, dim, dim2, right int) {
	_, bond := a.Dims()
	s.cores[k] = tt.Core{Left: left, Dim: dim, Right: bond, Data: mat.DenseCopyOf(a).RawMatrix().Data}
	s.cores[k+1] = tt.Core{Left: bond, Dim: dim2, Right: right, Data: mat.DenseCopyOf(b).RawMatrix().Data}
}

// passLeft updates what the left makes of the rows by core k.
func (s *Sweeper) passLeft(k int) {
	c := s.cores[k]
	s.L[k+1] = through(s.L[k], matrices(s.x[k], c), c.Right)
}

// passRight updates what the right makes of the rows by core k.
func (s *Sweeper) passRight(k int) {
	c := s.cores[k]
	out := mat.NewDense(s.n*s.p, c.Left, nil)
	if k == len(s.x) { // the outputs' core is the same for every row
		for i := range s.n * s.p {
			for a, dst := 0, out.RawRowView(i); a < c.Left; a++ {
				dst[a] = c.Data[a*c.Dim+i%s.p]
			}
		}
	} else {
		M := matrices(s.x[k], c)
		for i := range s.n * s.p {
			dst, m, v := out.RawRowView(i), M.RawRowView(i/s.p), s.S[k+1].RawRowView(i)
			for a := range dst {
				dst[a] = linalg.Dot(m[a*c.Right:(a+1)*c.Right], v)
			}
		}
	}
	s.S[k] = out
}

// column returns the n×p matrix a as np×1, sharing its numbers.
func column(a *mat.Dense) *mat.Dense {
	data := a.RawMatrix().Data
	return mat.NewDense(len(data), 1, data)
}

// local returns the rows of the local problem of core k, its right-hand side and the
// core as the unknown: of np rows, or for the outputs' core of n rows and p right-hand
// sides, since all outputs see the same left side.
func (s *Sweeper) local(k int) (D, Y, W *mat.Dense) {
	c := s.cores[k]
	if k == len(s.x) {
		return s.L[k], s.y, rightOf(c)
	}
	D = mat.NewDense(s.n*s.p, len(c.Data), nil)
	for i := range s.n * s.p {
		dst, r := D.RawRowView(i), s.S[k+1].RawRowView(i)
		x := s.x[k].RawRowView(i / s.p)
		for _, v := range s.L[k].RawRowView(i / s.p) {
			for _, u := range x {
				for b, w := range r {
					dst[b] = v * u * w
				}
				dst = dst[len(r):]
			}
		}
	}
	return D, column(s.y), mat.NewDense(len(c.Data), 1, c.Data)
}

// solve sets the pivot k to the solution of its least squares problem, of those the
// nearest to what it was: solving for the change leaves alone what the rows do not
// see, and keeps the digits of small residuals. It returns the squared error.
func (s *Sweeper) solve(k int) (float64, error) {
	D, Y, W := s.local(k)
	e := linalg.Residual(D, Y, W)
	before := linalg.Squared(e)
	delta, _, _, err := linalg.LeastSquares(D, e, 0)
	if err != nil {
		return 0, err
	}
	W.Add(W, delta)
	after := linalg.Squared(linalg.Residual(D, Y, W))
	if !(after <= before) { // rounding
		W.Sub(W, delta)
		return before, nil
	}
	return after, nil
}

// Single solves for one core after the other, to the last and back to the first. It
// returns the squared error, which no step raises, and false if it was stopped.
func (s *Sweeper) Single() (sse float64, ok bool, err error) {
	last := len(s.cores) - 1
	for k := range last {
		if s.stop() {
			return sse, false, nil
		}
		if sse, err = s.solve(k); err != nil {
			return sse, false, err
		}
		s.moveRight(k)
	}
	for k := last; k >= min(1, last); k-- { // the next sweep begins with core 0
		if s.stop() {
			return sse, false, nil
		}
		if sse, err = s.solve(k); err != nil {
			return sse, false, err
		}
		if k > 0 {
			s.moveLeft(k)
		}
	}
	return sse, true, nil
}

// Relative returns ‖Y − XH‖/‖Y‖ with the first core as the pivot.
func (s *Sweeper) Relative() float64 {
	var out *mat.Dense
	if c := s.cores[0]; len(s.x) == 0 {
		out = linalg.Times(s.L[0], rightOf(c))
	} else {
		P := through(s.L[0], matrices(s.x[0], c), c.Right)
		out = mat.NewDense(s.n, s.p, nil)
		for i := range s.n {
			for j, dst := 0, out.RawRowView(i); j < s.p; j++ {
				dst[j] = linalg.Dot(P.RawRowView(i), s.S[1].RawRowView(i*s.p+j))
			}
		}
	}
	out.Sub(s.y, out)
	if s.energy == 0 {
		return 0
	}
	return mat.Norm(out, 2) / math.Sqrt(s.energy)
}
