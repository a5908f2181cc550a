package als

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
)

const (
	trials     = 3    // at most: growing ends in a poor minimum from some starts
	pairSteps  = 2    // conjugate gradient steps for a pair
	pairSweeps = 4    // over pairs, at least, at each rank
	slow       = 0.05 // relative gain of a sweep over pairs below which it is the last
	// leastWeight is the least that is added to the ‖x₁⊗⋯⊗x_l‖² of a row, in units of the
	// average one, before it is weighed by the inverse: a row of next to nothing tells
	// next to nothing.
	leastWeight = 0.03
	// openWork is how many multiplications, about, may go into looking for a rank that was left
	// open: some seconds of one core. Where outputs are mostly noise nothing else would end it
	// before there are three parameters to four equations.
	openWork = 1e10
)

// settle sweeps over pairs at the rank, at least a few times and then as long as it
// pays, or a few times alone if brief. It returns false if the run is to end.
func (r *Run) settle(s *Sweeper, rank int, brief bool) (bool, error) {
	last := s.Relative()
	for i := 1; last > exact; i++ {
		if r.limit() {
			return false, nil
		}
		ok, err := s.double(rank, pairSteps)
		if err != nil {
			return false, err
		}
		r.spent += s.work(rank)
		if ok, err = r.goOn(s, ok); err != nil || !ok {
			return false, err
		}
		now := s.Relative()
		if i >= pairSweeps && (brief || now > last*(1-slow)) {
			break
		}
		last = now
	}
	return true, nil
}

// grown returns the best of several trains grown from rank 1: to the rank, or if that is
// zero as far as it pays. Two that agree, or one that leaves little, are enough. It
// returns false if the run is to end.
func (r *Run) grown(rank int) (best *tt.Tensor, ok bool, err error) {
	least := math.Inf(1)
	for a := range uint64(trials) {
		h, bic, e, ok, err := r.grow(r.raw.seed+a, rank)
		if err != nil || !ok {
			return nil, ok, err
		}
		agree := best != nil && alike(h, best)
		if best == nil || bic < least {
			best, least = h, bic
		}
		if agree || e < 0.25 || rank == 0 && r.spent > openWork {
			break
		}
	}
	return best, true, nil
}

// grow grows a train to the rank and returns it with its BIC and its residual. If the
// rank is zero it is that of least BIC: it grows until that has ceased to fall, or for as
// long as there are four equations to three parameters and time is left.
func (r *Run) grow(seed uint64, rank int) (h *tt.Tensor, bic, e float64, ok bool, err error) {
	h, e = ZeroTrain(r.raw.Dims), 1
	zero, _ := r.likelihood(h)
	floor := leastWeight // what is left out at first is nearly all
	x := r.weighed(floor)
	x.seed = seed
	start, err := x.Start(1)
	if err != nil || start == nil {
		return h, zero, e, true, err
	}
	s := NewSweeper(x, start, r.stop)
	most := possible(x.Dims)
	if rank > 0 {
		most = min(most, rank)
	}
	M := float64(s.n * s.p)
	best := 0
	for k := 1; k <= most; k++ {
		free := float64(parametersAt(x.Dims, k))
		if rank == 0 && k > 1 && (free > 0.75*M || r.spent > openWork) {
			break
		}
		if ok, err := r.settle(s, k, k < rank); err != nil || !ok {
			return nil, 0, 0, false, err
		}
		if _, better := r.likelihood(s.Tensor()); better != floor && s.Relative() > exact {
			floor = better
			s = NewSweeper(r.weighed(floor), s.Tensor(), r.stop)
			if ok, err := r.settle(s, k, k < rank); err != nil || !ok {
				return nil, 0, 0, false, err
			}
		}
		now, _ := r.likelihood(s.Tensor())
		now += free * math.Log(M)
		res := s.Relative()
		if rank > 0 && k == most || rank == 0 && (k == 1 || now < bic) {
			h, bic, e, best = s.Tensor(), now, res, k
		}
		// Below the true rank little may be found: no reason to stop while zero is best.
		if rank == 0 && (res <= exact || bic < zero && k >= best+2) {
			break
		}
	}
	return h, bic, e, true, nil
}

// likelihood returns −2 log L of the outputs, up to a constant, if the error of row i has
// a variance in proportion to c + q_i, and the c that makes it least: q is the size
// ‖x₁⊗⋯⊗x_l‖² of the row in units of the average one. The error is noise in the output,
// alike in all rows, and what the train leaves out, which goes with q.
func (r *Run) likelihood(h *tt.Tensor) (least, floor float64) {
	e := r.raw.Outputs(h)
	e.Sub(r.raw.Y, e)
	n, p := e.Dims()
	M := float64(n * p)
	least, floor = math.Inf(1), leastWeight
	for j := range 8 {
		c := leastWeight * math.Pow(10, float64(j)/2)
		var sum, logs float64
		for i, q := range r.sizes {
			row := e.RawRowView(i)
			sum += linalg.Dot(row, row) / (c + q)
			logs += math.Log(c + q)
		}
		if v := M*math.Log(max(sum/M, 1e-300)) + float64(p)*logs; v < least {
			least, floor = v, c
		}
	}
	return least, floor
}

// alike reports whether a and b differ by less than half of the larger.
func alike(a, b *tt.Tensor) bool {
	aa, bb := tt.Dot(a, a), tt.Dot(b, b)
	return aa+bb-2*tt.Dot(a, b) < max(aa, bb)/4
}

// possible returns the largest rank that the dimensions can carry.
func possible(dims []int) int {
	r := 1
	for _, k := range bonds(dims, math.MaxInt32) {
		r = max(r, k)
	}
	return r
}

// weighed returns the design with its rows times 1/√(c + q).
func (r *Run) weighed(c float64) *Rows {
	w := make([]float64, len(r.sizes))
	for i, q := range r.sizes {
		w[i] = 1 / math.Sqrt(c+q)
	}
	z := *r.raw
	z.x = append([]*mat.Dense{scaledRows(z.x[0], w)}, z.x[1:]...)
	z.Y = scaledRows(z.Y, w)
	return &z
}

// scaledRows returns a with row i times w[i].
func scaledRows(a *mat.Dense, w []float64) *mat.Dense {
	out := mat.DenseCopyOf(a)
	for i, v := range w {
		floats.Scale(v, out.RawRowView(i))
	}
	return out
}
