package tangent

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/als"
	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
)

// Batches is Algorithm 2 on batches of M rows drawn by the seed, with a fixed step γ; 0 sets each
// from the data. It returns nil where the gradient at zero is zero, and ErrDiverged if the
// step is too long.
func Batches(ctx context.Context, x *als.Rows, r *Run, rank, M int, step float64, seed uint64) (*tt.Tensor, error) {
	rnd := rand.New(rand.NewPCG(seed, 2))
	M = min(M, x.N)
	h := als.ZeroTrain(x.Dims)
	if step == 0 {
		// From zero, steps within the tangent space would have nowhere to go.
		start, err := x.Start(rank)
		if err != nil || start == nil {
			return nil, err
		}
		h = start
	}
	var order []int
	for r.Iterations < r.MaxIterations {
		if ctx.Err() != nil {
			r.Status = als.Stopped
			return h, nil
		}
		if len(order) < M {
			order = rnd.Perm(x.N)
		}
		b := x.Only(order[:M])
		order = order[M:]
		e := b.Outputs(h)
		e.Sub(b.Y, e)
		residual := linalg.Relative(linalg.Squared(e), linalg.Squared(b.Y))
		if math.IsNaN(residual) || residual > 1e6 {
			return nil, ErrDiverged
		}
		next, err := batchStep(b, h, e, step)
		if err != nil {
			return nil, err
		}
		rounded := new(tt.Tensor)
		if err := rounded.Round(next, rank, 0); err != nil {
			return nil, ErrDiverged
		}
		h = rounded
		if r.told(residual) || residual <= r.Tol {
			return h, nil
		}
	}
	r.Status = als.Limit
	return h, nil
}

// batchStep returns h after the step γ of a batch that leaves e, not yet rounded; γ = 0 sets it.
func batchStep(b *als.Rows, h *tt.Tensor, e *mat.Dense, step float64) (*tt.Tensor, error) {
	if step > 0 {
		next := new(tt.Tensor)
		next.Add(h, b.GradientTrain(step, e))
		return next, nil
	}
	p, err := tt.NewPoint(h)
	if err != nil {
		return nil, err
	}
	g := b.Project(p, e)
	q, err := b.Quadratic(p, g)
	if err != nil {
		return nil, err
	}
	if q > 0 {
		// A batch of fewer equations than the train has parameters would be fitted
		// at the expense of the others: go its share of the way.
		n, outputs := e.Dims()
		share := float64(n*outputs) / float64(n*outputs+parameters(p))
		step = share * tt.DotTangents(g, g) / q
	}
	return p.Embed(1, step, g), nil
}

// parameters returns the number of entries of all cores.
func parameters(p *tt.Point) int {
	n := len(p.C.Data)
	for _, c := range p.U {
		n += len(c.Data)
	}
	return n
}
