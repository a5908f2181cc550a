package als

import (
	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
)

// Solve takes the train that continues that of the shorter words, if it comes close enough,
// or else the best that was grown to the rank, and polishes it.
func (r *Run) Solve(rank int, tol float64, shorter *tt.Tensor) (*tt.Tensor, error) {
	if r.energy == 0 {
		return r.best, nil
	}
	first, err := r.first(rank, shorter)
	if err != nil || first == nil {
		return r.best, err
	}
	s := NewSweeper(r.raw, first, r.stop)
	// What was tried before on other rows or at other ranks is no rival.
	r.best = nil
	err = r.polish(s, tol)
	return r.best, err
}

// first returns the train to polish, nil if the run is to end.
func (r *Run) first(rank int, shorter *tt.Tensor) (*tt.Tensor, error) {
	if len(r.raw.x) == 0 {
		return ZeroTrain(r.raw.Dims), nil
	}
	h, err := r.raw.Continued(shorter, rank)
	if err != nil {
		return nil, err
	}
	if h != nil {
		if near, err := r.raw.near(h); err != nil || near {
			return h, err
		}
	}
	h, ok, err := r.grown(rank)
	if err != nil || !ok {
		return nil, err
	}
	return h, nil
}

// polish sweeps over single cores.
func (r *Run) polish(s *Sweeper, tol float64) error {
	last := s.Relative()
	r.keep(s.Tensor(), last*last*s.energy)
	for last > exact || r.Iterations == 0 {
		if r.limit() {
			return nil
		}
		sse, ok, err := s.Single()
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
