package rivals

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/lsq"
	"github.com/twornn/spectral/twornn/internal/moments"
)

// Trial compares a fit with simple rivals on parts of the data left out by turns: sums of squared
// errors by part, each by what was fitted to the other parts.
type Trial struct {
	Parts   int
	Targets []Target
	Scale   []float64 // of the outputs
	Energy  []float64 // Σ y²: the errors of the zero function
	Mean    []float64 // of the outputs' mean
	Linear  []float64 // of a regression with a constant; nil if the inputs are too many
	Without []float64 // of one without a constant
	Persist []float64 // of persistence; nil where outputs are no inputs one step later
}

const (
	// Parts is how many parts are left out by turns.
	Parts = 6
	// Alone is up to how many runs are left out one by one.
	Alone = 24
	// trialMost is how many outputs are looked at, at the most: the ratio of two mean squares of
	// 4,000 independent Gaussian errors each has a standard error of 3 %.
	trialMost = 4000
	// trialWork is how many operations may go into the errors of a model.
	trialWork = 4e9
)

// New tries the rivals, outputs counting by their scale; nil if there is nothing to try. Runs are
// left out one by one if they are no more than alone.
func New(k *moments.Kept, d, p int, scale []float64, alone int) *Trial {
	if k == nil || len(k.Runs) == 0 || d == 0 || k.AsWords() {
		return nil
	}
	s := &Trial{Parts: Parts, Scale: scale}
	if len(k.Runs) <= alone && len(k.Runs) > 2 && !k.Overlaps() {
		s.Parts = len(k.Runs)
	}
	with, ok := newRegression(k, d, p, true)
	s.Targets = Targets(k, s.Parts, min(trialMost, max(600, rivalWork/(1+d*max(1, with.lags))/4)))
	if ok {
		s.Targets = with.told(s.Targets)
	}
	if len(s.Targets) < 3 {
		return nil
	}
	s.Energy = make([]float64, s.Parts)
	for _, q := range s.Targets {
		for o, y := range with.outputs(q) {
			s.Energy[q.Fold] += y * scale[o] * y * scale[o]
		}
	}
	mean := with
	mean.constant, mean.lags = true, 0
	s.Mean = mean.errors(s.Targets, s.Parts, scale)
	if ok {
		without := with
		without.constant = false
		s.Linear, s.Without = with.errors(s.Targets, s.Parts, scale), without.errors(s.Targets, s.Parts, scale)
	}
	if f, ok := newPersistence(k, d, p); ok {
		s.Persist = f.errors(with, s.Targets, s.Parts, scale)
	}
	return s
}

// LeaveOut returns the errors of a 2-RNN fitted by least squares to the other parts, which is taken to
// be a Gauss-Newton step, or part of one, from the fit to all; nil where it cannot be told. It
// is θ in the inputs z = W x, W r×d, and the outputs by their scale.
func (s *Trial) LeaveOut(k *moments.Kept, W *mat.Dense, shape lsq.Shape, theta []float64) []float64 {
	r := &lsq.Runs{Shape: shape, Pattern: lsq.Every(shape.N, shape.D, shape.P), Base: theta, Folds: s.Parts}
	r.Data = s.runs(k, W)
	steps := 0
	for _, run := range r.Data {
		steps += run.Steps(shape.D)
	}
	dim := float64(shape.Dim())
	if float64(steps)*float64(shape.N*shape.N)*dim+float64(len(s.Targets)*shape.P+s.Parts)*dim*dim > trialWork {
		return nil
	}
	sums := r.Sums(theta)
	for _, f := range sums {
		if math.IsInf(f.SSE, 0) || math.IsNaN(f.SSE) {
			return nil
		}
	}
	errors := make([]float64, s.Parts)
	for f := range errors {
		errors[f] = leftOut(r, sums, f, theta)
	}
	return errors
}

// runs returns those that hold the targets, in those coordinates.
func (s *Trial) runs(k *moments.Kept, W *mat.Dense) (out []lsq.Run) {
	p, last := len(s.Scale), -1
	for _, q := range s.Targets {
		run := k.Runs[q.Run]
		if q.Run != last {
			last = q.Run
			out = append(out, lsq.Run{})
			if _, d := W.Dims(); len(run.X) > 0 {
				var z mat.Dense
				z.Mul(mat.NewDense(len(run.X)/d, d, run.X), W.T())
				out[len(out)-1].X = z.RawMatrix().Data
			}
		}
		to := &out[len(out)-1]
		to.At, to.Fold = append(to.At, q.t), append(to.Fold, q.Fold)
		for o, y := range run.Y[q.i*p : (q.i+1)*p] {
			to.Y = append(to.Y, y*s.Scale[o])
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

// Total returns the sum over the parts, +Inf for nil.
func Total(parts []float64) float64 {
	if parts == nil {
		return math.Inf(1)
	}
	return floats.Sum(parts)
}

// Skip leaves part f out of all sums.
func (s *Trial) Skip(f int) {
	for _, errors := range [][]float64{s.Energy, s.Mean, s.Linear, s.Without, s.Persist} {
		if errors != nil {
			errors[f] = 0
		}
	}
}

// Outdone returns the rival with the least sum of squared errors, by what factor that of the
// model exceeds it, and on how many parts it does not, all where errors are not known part by part.
func (s *Trial) Outdone(model []float64) (rival string, factor float64, won int) {
	least, by := math.Inf(1), []float64(nil)
	for _, r := range []struct {
		name   string
		errors []float64
	}{{"the zero function", s.Energy}, {"the mean of the outputs", s.Mean}, {"a linear regression on the last inputs and a constant", s.Linear}, {"persistence", s.Persist}} {
		if t := Total(r.errors); t < least {
			rival, least, by = r.name, t, r.errors
		}
	}
	nothing := 1e-9 * Total(s.Energy)
	won = s.Parts
	for f, v := range by {
		if len(model) == len(by) && v < model[f] {
			won--
		}
	}
	return rival, (Total(model) + nothing) / (least + nothing), won
}

// Model is what gives outputs along inputs.
type Model interface {
	OutputsTo(dst *mat.Dense, x mat.Matrix)
	Predict(dst []float64, x mat.Matrix) []float64
}

// AsItIs returns the errors of a model of d inputs on all parts, none of them left out.
func (s *Trial) AsItIs(m Model, k *moments.Kept, d int) []float64 {
	p := len(s.Scale)
	errors := make([]float64, s.Parts)
	last := -1
	var y mat.Dense
	for _, q := range s.Targets {
		run := k.Runs[q.Run]
		if q.Run != last && len(run.X) > 0 {
			y.Reset()
			m.OutputsTo(&y, mat.NewDense(len(run.X)/d, d, run.X))
			last = q.Run
		}
		hat := m.Predict(nil, nil)
		if q.t > 0 {
			hat = y.RawRowView(q.t - 1)
		}
		for o, v := range run.Y[q.i*p : (q.i+1)*p] {
			e := (v - hat[o]) * s.Scale[o]
			errors[q.Fold] += e * e
		}
	}
	return errors
}
