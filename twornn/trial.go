package twornn

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/lsq"
	"github.com/twornn/spectral/twornn/internal/moments"
)

// trial compares a fit with simple rivals on parts of the data left out by turns: sums of squared
// errors by part, each by what was fitted to the other parts.
type trial struct {
	parts   int
	targets []target
	scale   []float64 // of the outputs
	energy  []float64 // Σ y²: the errors of the zero function
	linear  []float64 // of a regression with a constant; nil if the inputs are too many
	without []float64 // of one without a constant
	drift   bool      // some input goes its way like a random walk: test data may lie beyond its range
	persist []float64 // of persistence; nil where outputs are no inputs one step later
}

const (
	trialParts = 6
	// trialAlone is how many runs, or outputs of one, are left out one by one.
	trialAlone = 24
	// trialMost is how many outputs are enough to tell which is better by a tenth.
	trialMost = 4000
	// trialWork is how many operations may go into the errors of a model.
	trialWork = 4e9
)

// newTrial tries the rivals, outputs counting by their scale; nil if there is nothing to try.
func newTrial(k *moments.Kept, d, p int, scale []float64) *trial {
	if k == nil || len(k.Runs) == 0 || d == 0 || k.AsWords() {
		return nil
	}
	s := &trial{parts: trialParts, scale: scale}
	if len(k.Runs) <= trialAlone && len(k.Runs) > 2 && k.Repeats() < overlapping {
		s.parts = len(k.Runs)
	}
	with, ok := newRegression(k, d, p, true)
	s.targets = targets(k, s.parts, min(trialMost, max(600, rivalWork/(1+d*max(1, with.lags))/4)))
	if len(s.targets) < 3 {
		return nil
	}
	s.energy = make([]float64, s.parts)
	for _, q := range s.targets {
		for o, y := range with.outputs(q) {
			s.energy[q.fold] += y * scale[o] * y * scale[o]
		}
	}
	if ok {
		without := with
		without.constant = false
		s.linear, s.without = with.errors(s.targets, s.parts, scale), without.errors(s.targets, s.parts, scale)
	}
	if f, ok := newPersistence(k, d, p); ok {
		s.drift = wanders(k, d)
		s.persist = f.errors(with, s.targets, s.parts, scale)
	}
	return s
}

// drifts reports whether an input may leave the range of the training data for good.
func (s *trial) drifts() bool { return s != nil && s.drift }

// model returns the errors of a 2-RNN fitted by least squares to the other parts, which is taken to
// be a Gauss-Newton step, or part of one, from the fit to all; nil where it cannot be told. It
// is θ in the coordinates w.
func (s *trial) model(k *moments.Kept, w coordinates, shape lsq.Shape, theta []float64) []float64 {
	r := &lsq.Runs{Shape: shape, Pattern: lsq.Every(shape.N, shape.D, shape.P), Base: theta, Folds: s.parts}
	r.Data = s.runs(k, w)
	steps := 0
	for _, run := range r.Data {
		steps += run.Steps(shape.D)
	}
	dim := float64(shape.Dim())
	if float64(steps)*float64(shape.N*shape.N)*dim+float64(len(s.targets)*shape.P+s.parts)*dim*dim > trialWork {
		return nil
	}
	sums := r.Sums(theta)
	for _, f := range sums {
		if math.IsInf(f.SSE, 0) || math.IsNaN(f.SSE) {
			return nil
		}
	}
	errors := make([]float64, s.parts)
	for f := range errors {
		errors[f] = leftOut(r, sums, f, theta)
	}
	return errors
}

// runs returns those that hold the targets, in the coordinates w.
func (s *trial) runs(k *moments.Kept, w coordinates) (out []lsq.Run) {
	p, last := len(w.scale), -1
	for _, q := range s.targets {
		run := k.Runs[q.r]
		if q.r != last {
			last = q.r
			out = append(out, lsq.Run{})
			if _, d := w.W.Dims(); len(run.X) > 0 {
				var z mat.Dense
				z.Mul(mat.NewDense(len(run.X)/d, d, run.X), w.W.T())
				out[len(out)-1].X = z.RawMatrix().Data
			}
		}
		to := &out[len(out)-1]
		to.At, to.Fold = append(to.At, q.t), append(to.Fold, q.fold)
		for o, y := range run.Y[q.i*p : (q.i+1)*p] {
			to.Y = append(to.Y, y*w.scale[o])
		}
	}
	return out
}

// leftOut returns the squared error on part f after a step of the fit without it, halved as long as
// it makes the other parts worse.
func leftOut(r *lsq.Runs, sums []lsq.Sums, f int, theta []float64) float64 {
	k := len(theta)
	N, g := mat.NewSymDense(k, nil), make([]float64, k)
	raw := N.RawSymmetric().Data
	for i, s := range sums {
		if i != f {
			floats.Add(raw, s.N)
			floats.Add(g, s.G)
		}
	}
	for i, little := 0, 1e-9*mat.Trace(N)/float64(k); i < k; i++ {
		raw[i*k+i] += little // along changes of basis N is singular
	}
	leave := *r
	leave.Leave = f + 1
	at := append([]float64(nil), theta...)
	var ch mat.Cholesky
	step := mat.NewVecDense(k, nil)
	if ch.Factorize(N) && (ch.SolveVecTo(step, mat.NewVecDense(k, g)) == nil || linalg.FiniteVector(step)) {
		before := leave.SSE(theta)
		for part := 1.0; part > 0.1; part /= 2 {
			floats.AddScaledTo(at, theta, part, step.RawVector().Data)
			if leave.SSE(at) <= before {
				break
			}
			copy(at, theta)
		}
	}
	return r.Errors(at)[f]
}

// total returns the sum over the parts, +Inf for nil.
func total(parts []float64) float64 {
	if parts == nil {
		return math.Inf(1)
	}
	return floats.Sum(parts)
}

// outdone returns the rival with the least sum of squared errors and by what factor that of the
// model exceeds it.
func (s *trial) outdone(model []float64) (rival string, factor float64) {
	least := math.Inf(1)
	for _, r := range []struct {
		name   string
		errors []float64
	}{{"the zero function", s.energy}, {"a linear regression on the last inputs and a constant", s.linear}, {"persistence", s.persist}} {
		if t := total(r.errors); t < least {
			rival, least = r.name, t
		}
	}
	nothing := 1e-9 * total(s.energy)
	return rival, (total(model) + nothing) / (least + nothing)
}
