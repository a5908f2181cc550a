package als

import (
	"math/rand/v2"
	"slices"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
)

// Start is where the shorter words lead, if that explains most of Y. Else it climbs from
// a random train to the leading directions of the gradient at zero XᵀY: the first rounds
// of a power method, none of which expands it.
func (x *Rows) Start(rank int) (*tt.Tensor, error) {
	if h, err := x.Continued(x.Shorter, rank); h != nil || err != nil {
		if err != nil {
			return nil, err
		}
		if near, err := x.near(h); err != nil || near {
			return h, err
		}
	}
	rnd := rand.New(rand.NewPCG(x.seed, 1))
	cores := make([]tt.Core, len(x.Dims))
	left := 1
	for k, d := range x.Dims {
		right := rank
		if k == len(x.Dims)-1 {
			right = 1
		}
		cores[k] = tt.NewCore(left, d, right)
		for i := range cores[k].Data {
			cores[k].Data[i] = rnd.NormFloat64()
		}
		left = right
	}
	h := tt.New(cores...)
	for range 5 {
		p, err := tt.NewPoint(h)
		if err != nil {
			return nil, err
		}
		g := x.Project(p, x.Y)
		if g.Norm() == 0 {
			return nil, nil
		}
		next := new(tt.Tensor)
		if err := next.Round(p.Embed(0, 1, g), rank, 0); err != nil {
			return nil, err
		}
		h = next
	}
	y := x.Outputs(h)
	q := linalg.Squared(y)
	if q == 0 {
		return nil, nil
	}
	h.Scale(linalg.Inner(x.Y, y)/q, h)
	return h, nil
}

// near reports whether h leaves so little of Y that no other start is likely to come closer: the
// less the more free numbers trains of its ranks have, which explain a part of anything.
func (x *Rows) near(h *tt.Tensor) (bool, error) {
	sse, err := x.SquaredError(h)
	if err != nil {
		return false, err
	}
	free := float64(parametersAt(x.Dims, slices.Max(h.Ranks())))
	spare := max(0, 1-free/float64(x.N*x.Dims[len(x.Dims)-1]))
	return sse < closeEnough*linalg.Squared(x.Y)*spare*spare, nil
}
