package twornn

import (
	"context"
	"fmt"
	"math"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
)

// ALS recovers H⁽ˡ⁾ in tensor-train format by alternating least squares: in turn each
// core is set to the solution of
//
//	min ‖Y − X (H)⟨⟨l,1⟩⟩‖_F   over one core, the others fixed and orthonormal
//
// which is linear (Holtz, Rohwedder and Schneider 2012). It works on the rows
// x₁⊗⋯⊗x_l as their factors and makes no array of d^l numbers. It needs the rows: Fit
// keeps them for it, CollectRows does for FitCollection.
//
// From a random start this ends in poor local minima once d^l is far above N. So it
// begins at rank 1 and lets the rank grow. At each rank it sweeps over pairs of
// neighbouring cores: their product is moved by a few conjugate gradient steps and cut
// to the rank by an SVD. Few steps, because a pair can have more unknowns than there are
// rows, and would be fitted to what the rank at hand leaves out. What is left out acts
// as noise of a variance that goes with ‖x₁⊗⋯⊗x_l‖². So these sweeps weigh the rows, by
// 1/(c + ‖x₁⊗⋯⊗x_l‖²) with the c that makes the errors likeliest; without weights they
// fail far sooner. Sweeps over single cores, without weights, end the run.
//
// A rank of zero is an open one: that of least BIC, by the same likelihood, is taken.
//
// A sweep costs O(N p l d² R⁴) over single cores, by QR, and O(N p l d² R²) over pairs;
// the SVD of a pair adds O(d³ R³). The residuals reported are those of the rows without
// weights. In the last sweeps none is above the one before; earlier, cuts and weights
// may raise them.
type ALS struct {
	// Tol stops when a sweep over single cores lowers the residual by less than Tol times
	// the residual. A residual of 1e-11 stops in any case. Zero means 1e-6.
	Tol float64
	// MaxIterations is a hard limit on the number of sweeps of both kinds. Zero means 1000.
	MaxIterations int
	// Seed draws the starts. The same seed gives the same tensor.
	Seed uint64
}

var _ Recovery = ALS{}

func (ALS) NeedsRows() bool { return true }

const (
	alsExact  = 1e-11 // a residual that rounding alone may leave
	alsStarts = 3     // at most: growing ends in a poor minimum from some starts
	alsSteps  = 2     // conjugate gradient steps for a pair
	alsSweeps = 4     // over pairs, at least, at each rank
	alsSlow   = 0.05  // relative gain of a sweep over pairs below which it is the last
	// alsFloor is the least that is added to the ‖x₁⊗⋯⊗x_l‖² of a row, in units of the
	// average one, before it is weighed by the inverse: a row of next to nothing tells
	// next to nothing.
	alsFloor = 0.03
)

// Recover implements Recovery. If rank is zero, it is chosen.
func (o ALS) Recover(ctx context.Context, m *Measurements, rank int, rec Recorder) (*tt.Tensor, Stats, error) {
	return o.RecoverFrom(ctx, m, rank, nil, rec)
}

// RecoverFrom implements Continuation: where the shorter words lead close enough, no train is
// grown.
func (o ALS) RecoverFrom(ctx context.Context, m *Measurements, rank int, shorter *tt.Tensor, rec Recorder) (*tt.Tensor, Stats, error) {
	st := Stats{Status: Converged, N: m.N(), Unknowns: m.Unknowns()}
	if !m.HasRows() {
		return nil, st, fmt.Errorf("twornn: ALS needs the rows of H(%d), which this collection has folded; collect with CollectRows", m.length())
	}
	if !(o.Tol >= 0) || math.IsInf(o.Tol, 1) {
		return nil, st, fmt.Errorf("twornn: ALS.Tol is %v; it must be a number, not negative; zero means 1e-6", o.Tol)
	}
	if rank < 0 {
		return nil, st, fmt.Errorf("twornn: rank %d asked for; it may not be negative; zero means chosen", rank)
	}
	if o.MaxIterations < 0 {
		return nil, st, fmt.Errorf("twornn: ALS.MaxIterations is %d; it may not be negative", o.MaxIterations)
	}
	if o.Tol == 0 {
		o.Tol = 1e-6
	}
	if o.MaxIterations == 0 {
		o.MaxIterations = 1000
	}
	raw := newRowDesign(m, o.Seed)
	raw.shorter = m.FromData(shorter)
	r := &alsRun{ctx: ctx, rec: rec, st: &st, max: o.MaxIterations, length: m.length(), raw: raw, sizes: raw.sizes(), energy: m.Energy()}
	r.keep(zeroTrain(raw.dims), m.Energy())
	if m.Energy() > 0 {
		if err := r.run(m, rank, o.Tol); err != nil {
			return nil, st, err
		}
	}
	if len(st.Residuals) == 0 {
		st.Residuals = append(st.Residuals, linalg.Relative(r.sse, m.Energy()))
	}
	return m.ToData(r.best), st, nil
}

// alsRun is one run of ALS.
type alsRun struct {
	ctx    context.Context
	rec    Recorder
	st     *Stats
	max    int
	length int
	raw    *rowDesign
	sizes  []float64 // of the rows
	energy float64
	best   *tt.Tensor // so far
	sse    float64    // of best
}

func (r *alsRun) stop() bool { return r.ctx.Err() != nil }

func (r *alsRun) keep(h *tt.Tensor, sse float64) {
	if r.best == nil || sse < r.sse {
		r.best, r.sse = h, sse
	}
}

// goOn keeps s if it is the best so far, reports it after a whole sweep, and says
// whether there is to be another.
func (r *alsRun) goOn(s *sweeper, whole bool) (bool, error) {
	h := s.tensor()
	sse, err := r.raw.squaredError(h)
	if err != nil {
		return false, err
	}
	r.keep(h, sse)
	if !whole {
		r.st.Status = Stopped
		return false, nil
	}
	r.st.Iterations++
	res := linalg.Relative(sse, r.energy)
	r.st.Residuals = append(r.st.Residuals, res)
	if r.rec != nil && r.rec.Record(Progress{"recover", r.length, r.st.Iterations, res}) != nil || r.stop() {
		r.st.Status = Stopped
		return false, nil
	}
	return true, nil
}

// limit reports whether no further sweep is allowed, and says so in the status.
func (r *alsRun) limit() bool {
	if r.st.Iterations < r.max {
		return false
	}
	r.st.Status = IterationLimit
	return true
}

// run grows trains, takes the best and polishes it. It leaves the result in r.best.
func (r *alsRun) run(m *Measurements, rank int, tol float64) error {
	var s *sweeper
	if m.length() > 0 {
		grown, err := r.raw.longer(r.raw.shorter, rank)
		if err != nil {
			return err
		}
		if grown != nil {
			sse, err := r.raw.squaredError(grown)
			if err != nil {
				return err
			}
			if !(sse < closeEnough*r.energy) {
				grown = nil
			}
		}
		if grown == nil {
			ok := false
			if grown, ok, err = r.grown(rank); err != nil || !ok {
				return err
			}
		}
		s = newSweeper(r.raw, grown, r.stop)
	} else {
		s = newSweeper(r.raw, zeroTrain(r.raw.dims), r.stop)
	}
	// What was tried before on other rows or at other ranks is no rival.
	r.best = nil
	return r.polish(s, tol)
}

// polish sweeps over single cores.
func (r *alsRun) polish(s *sweeper, tol float64) error {
	last := s.relative()
	r.keep(s.tensor(), last*last*s.energy)
	for last > alsExact || r.st.Iterations == 0 {
		if r.limit() {
			return nil
		}
		sse, ok, err := s.single()
		if err != nil {
			return err
		}
		if ok, err = r.goOn(s, ok); err != nil || !ok {
			return err
		}
		now := linalg.Relative(sse, s.energy)
		if now > last*(1-tol) {
			return nil
		}
		last = now
	}
	return nil
}
