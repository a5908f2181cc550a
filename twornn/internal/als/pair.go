package als

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// corePair is the local problem of two neighbouring cores at once, with the pivot one of
// them: of their product W, of r·d rows and d'·r' columns. Row i and output j of the
// design are A_i ⊗ B_ij, which is never formed. B is nil where the outputs' core is one
// of the two: then all outputs see the same A_i.
type corePair struct {
	A, B    *mat.Dense // n×(r·d) and np×(d'·r')
	n, p    int
	W, E    *mat.Dense // the product and what it leaves of Y, n×p
	product mat.Dense
}

func (s *Sweeper) pair(k int) *corePair {
	q := &corePair{A: rowwise(s.L[k], s.x[k]), n: s.n, p: s.p, W: new(mat.Dense)}
	q.W.Mul(leftOf(s.cores[k]), rightOf(s.cores[k+1]))
	if k+1 < len(s.x) {
		S := s.S[k+2]
		_, r := S.Dims()
		_, d := s.x[k+1].Dims()
		q.B = mat.NewDense(s.n*s.p, d*r, nil)
		for i := range s.n * s.p {
			dst, row := q.B.RawRowView(i), S.RawRowView(i)
			for _, v := range s.x[k+1].RawRowView(i / s.p) {
				for b, w := range row {
					dst[b] = v * w
				}
				dst = dst[r:]
			}
		}
	}
	q.E = q.outputs(q.W)
	q.E.Sub(s.y, q.E)
	return q
}

// outputs returns what the rows make of W, n×p: O(N (rd)(d'r')).
func (q *corePair) outputs(W *mat.Dense) *mat.Dense {
	if q.B == nil {
		return linalg.Times(q.A, W)
	}
	q.product.Mul(q.A, W)
	out := mat.NewDense(q.n, q.p, nil)
	for i := range q.n {
		for j, dst := 0, out.RawRowView(i); j < q.p; j++ {
			dst[j] = floats.Dot(q.product.RawRowView(i), q.B.RawRowView(i*q.p+j))
		}
	}
	return out
}

// gradient returns Σ E_ij A_iᵀ B_ij.
func (q *corePair) gradient(E *mat.Dense) *mat.Dense {
	if q.B == nil {
		return linalg.TransposedTimes(q.A, E)
	}
	_, c := q.B.Dims()
	eb := mat.NewDense(q.n, c, nil)
	for i := range q.n {
		for j, v := range E.RawRowView(i) {
			floats.AddScaled(eb.RawRowView(i), v, q.B.RawRowView(i*q.p+j))
		}
	}
	var g mat.Dense
	g.Mul(q.A.T(), eb)
	return &g
}

// descend takes steps of conjugate gradients from W towards the least squares solution.
func (q *corePair) descend(steps int) {
	g := q.gradient(q.E)
	gg := linalg.Squared(g)
	direction := mat.DenseCopyOf(g)
	for range steps {
		moved := q.outputs(direction)
		mm := linalg.Squared(moved)
		// What is left to gain is rounding, and so would the direction be.
		if mm == 0 || !(gg*gg/mm > 1e-26*linalg.Squared(q.E)) {
			return
		}
		linalg.AddMultiple(q.W, gg/mm, direction)
		linalg.AddMultiple(q.E, -gg/mm, moved)
		g = q.gradient(q.E)
		next := linalg.Squared(g)
		direction.Scale(next/gg, direction)
		direction.Add(direction, g)
		gg = next
	}
}

// pairStep moves cores k and k+1 together and cuts the bond between them to the rank.
// The pivot is one of them, before and after: k+1 if right, else k.
func (s *Sweeper) pairStep(k, rank, steps int, right bool) error {
	q := s.pair(k)
	q.descend(steps)
	u, sv, v, err := linalg.SVD(q.W)
	if err != nil {
		return err
	}
	r := max(1, min(rank, linalg.Rank(sv, 1e-15)))
	rows, _ := u.Dims()
	cols, _ := v.Dims()
	a, b := mat.DenseCopyOf(u.Slice(0, rows, 0, r)), mat.DenseCopyOf(v.Slice(0, cols, 0, r).T())
	c, next := s.cores[k], s.cores[k+1]
	if right {
		b.Mul(mat.NewDiagDense(r, sv[:r]), b)
	} else {
		a.Mul(a, mat.NewDiagDense(r, sv[:r]))
	}
	s.setPair(k, a, b, c.Left, c.Dim, next.Dim, next.Right)
	if right {
		s.passLeft(k)
	} else {
		s.passRight(k + 1)
	}
	return nil
}

// double moves one pair of neighbours after the other, to the outputs' core and back to
// the first. It returns false if it was stopped.
func (s *Sweeper) double(rank, steps int) (ok bool, err error) {
	last := len(s.cores) - 2 // the last pair
	for k := range last {
		if s.stop() {
			return false, nil
		}
		if err := s.pairStep(k, rank, steps, true); err != nil {
			return false, err
		}
	}
	for k := last; k >= min(1, last); k-- { // the next sweep begins with pair 0
		if s.stop() {
			return false, nil
		}
		if err := s.pairStep(k, rank, steps, false); err != nil {
			return false, err
		}
	}
	if last > 0 {
		s.moveLeft(1)
	}
	return true, nil
}

// work returns about how many multiplications double takes at the rank.
func (s *Sweeper) work(rank int) float64 {
	d := 1.0
	for _, x := range s.x {
		_, c := x.Dims()
		d = max(d, float64(c))
	}
	return 16 * float64(s.n*s.p*len(s.x)) * d * d * float64(rank*rank)
}
