package twornn

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/twornn/spectral/twornn/internal/adam"
	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/lsq"
	"github.com/twornn/spectral/twornn/internal/moments"
)

// Adam refines by stochastic gradient descent on the squared error of all outputs
// that the data give, with exact gradients through all steps (Section 5: TIHT+SGD).
// A fifth of the sequences of each length is held out; the parameters that err least
// on those are returned, the given ones included. An epoch costs O(d n²) a step.
type Adam struct {
	// Rate is the learning rate. Zero means 0.001, the paper's.
	Rate float64
	// Batch is the number of sequences of a mini-batch. Zero means 100.
	Batch int
	// Epochs is a hard limit of passes over the data. Zero means 1000.
	Epochs int
	// Patience ends the descent after that many epochs without a smaller error on the
	// sequences held out. Zero means 100.
	Patience int
	// Seed shuffles the sequences. The same seed gives the same model.
	Seed uint64
}

var _ Refiner = Adam{}

// Refine implements Refiner. It errs if a sequence is unusable, the model does not fit
// the data, or m is not fitted.
func (o Adam) Refine(ctx context.Context, m *Model, data iter.Seq[Sequence], rec Recorder) (*Model, Stats, error) {
	r, st, err := o.RefineNonLinear(ctx, &NonLinear{Model: m}, data, rec)
	if err != nil {
		return nil, st, err
	}
	return r.Model, st, nil
}

// RefineNonLinear is Refine for a 2-RNN with non-linear states.
func (o Adam) RefineNonLinear(ctx context.Context, m *NonLinear, data iter.Seq[Sequence], rec Recorder) (*NonLinear, Stats, error) {
	return refining(ctx, rec, func(rec Recorder) (*NonLinear, Stats, error) {
		g, err := o.newDescent(ctx, m, data)
		if err != nil {
			return nil, Stats{}, err
		}
		st := g.run(ctx, rec)
		return &NonLinear{g.model(), m.Activation}, st, nil
	})
}

// LowerSlope starts at a linear 2-RNN, which is one with leaky ReLU states of slope 1,
// and lowers the slope step by step, refining at each (Section 6). It returns the
// non-linear network of the last slope, which may fit worse than the linear one did: it
// is another kind of function. slopes nil means 0.9, 0.8, …, 0.1; each must lie from 0
// to 1. Stats count the iterations and hold the residuals of all steps, with the status
// of the last.
func (o Adam) LowerSlope(ctx context.Context, m *Model, data iter.Seq[Sequence], slopes []float64, rec Recorder) (*NonLinear, Stats, error) {
	if slopes == nil {
		for k := 9; k >= 1; k-- {
			slopes = append(slopes, float64(k)/10)
		}
	}
	for _, s := range slopes {
		if !(s >= 0 && s <= 1) {
			return nil, Stats{}, fmt.Errorf("twornn: slope %g is not from 0 to 1", s)
		}
	}
	at := &NonLinear{m, Activation{LeakyReLU, 1}}
	var all []float64
	var st Stats
	for _, s := range slopes {
		var err error
		at, st, err = o.RefineNonLinear(ctx, &NonLinear{at.Model, Activation{LeakyReLU, s}}, data, rec)
		if err != nil {
			return nil, st, err
		}
		if all = append(all, st.Residuals...); st.Status == Stopped {
			break
		}
	}
	st.Residuals, st.Iterations = all, len(all)
	return at, st, nil
}

// descent is one run of Adam.
type descent struct {
	o           Adam
	net         lsq.Network
	train, held []moments.Example
	best        []float64
}

func (o Adam) newDescent(ctx context.Context, m *NonLinear, data iter.Seq[Sequence]) (*descent, error) {
	if o.Rate < 0 || math.IsNaN(o.Rate) || o.Batch < 0 || o.Epochs < 0 || o.Patience < 0 {
		return nil, fmt.Errorf("twornn: Adam: rate %g, batch %d, epochs %d, patience %d: none may be negative; zero means the default", o.Rate, o.Batch, o.Epochs, o.Patience)
	}
	if o.Rate == 0 {
		o.Rate = 0.001
	}
	for v, def := range map[*int]int{&o.Batch: 100, &o.Epochs: 1000, &o.Patience: 100} {
		if *v == 0 {
			*v = def
		}
	}
	if m == nil {
		return nil, (*Model)(nil).fitted()
	}
	if err := m.Model.fitted(); err != nil {
		return nil, err
	}
	g := &descent{o: o, net: newNetwork(m)}
	var check checker
	seen := map[int]int{} // sequences of each length
	for s := range until(ctx, data) {
		if err := check.next(s); err != nil {
			return nil, err
		}
		if err := m.Model.Takes(check.d, check.p); err != nil {
			return nil, err
		}
		e, k := s.example().Clone(), s.Len() // a source may use its matrices again
		if moments.HeldOut(seen[k]) {
			g.held = append(g.held, e)
		} else {
			g.train = append(g.train, e)
		}
		seen[k]++
	}
	if check.n == 0 {
		return nil, errors.New("twornn: the data hold no sequence; give one at the least")
	}
	if len(g.held) == 0 {
		g.held = g.train // so few that all must judge
	}
	g.best = slices.Clone(g.net.Theta)
	return g, nil
}

// model returns the best parameters as a model.
func (g *descent) model() *Model {
	copy(g.net.Theta, g.best)
	return (*Model)(g.net.Net(g.net.Theta))
}

func (g *descent) run(ctx context.Context, rec Recorder) Stats {
	st := Stats{N: len(g.train) + len(g.held), Unknowns: float64(len(g.net.Theta)), Status: IterationLimit}
	rnd := rand.New(rand.NewPCG(g.o.Seed, 3))
	step := adam.New(g.o.Rate, len(g.net.Theta))
	grad := make([]float64, len(g.net.Theta))
	var energy float64
	for _, s := range g.held {
		energy += linalg.Squared(s.Y)
	}
	least := g.net.Loss(g.held, nil)
	order := slices.Clone(g.train)
	for epoch, last := 1, 0; epoch <= g.o.Epochs; epoch++ {
		rnd.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for batch := range slices.Chunk(order, g.o.Batch) {
			if ctx.Err() != nil {
				st.Status = Stopped
				return st
			}
			outputs := 0
			for _, s := range batch {
				rows, p := s.Y.Dims()
				outputs += rows * p
			}
			clear(grad)
			g.net.Loss(batch, grad)
			for i := range grad {
				grad[i] /= float64(outputs)
			}
			if n := linalg.Norm(grad); math.IsNaN(n) || math.IsInf(n, 0) {
				return st // the parameters ran away; the best are kept
			}
			step.Step(g.net.Theta, grad)
		}
		now := g.net.Loss(g.held, nil)
		st.Iterations++
		st.Residuals = append(st.Residuals, linalg.Relative(now, energy))
		if now < least {
			least, last = now, epoch
			copy(g.best, g.net.Theta)
		}
		if stops(rec, Progress{"refine", 0, epoch, linalg.Relative(now, energy)}) {
			st.Status = Stopped
			return st
		}
		if epoch-last >= g.o.Patience {
			st.Status = Converged
			return st
		}
	}
	return st
}

// newNetwork returns m as gradient descent sees it.
func newNetwork(m *NonLinear) lsq.Network {
	net := (*lsq.Net)(m.Model)
	return lsq.Network{Shape: lsq.ShapeOf(net), Theta: lsq.Theta(net), Of: m.Activation.of, Slope: m.Activation.slope}
}
