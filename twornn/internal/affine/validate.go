package affine

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/lsq"
)

// Validate sets Folds: for each part, the mean squared error of a fit to the others. That is
// taken to be one Gauss-Newton step, or a part of one, from the fit to all of the data. With k
// parameters it costs one pass over the data for the steps, and O(k³) and some runs a part.
func (s *System) Validate(data *Data, parts int) {
	r := s.runs(data)
	r.Folds = parts
	theta := r.Pattern.Take(s.Theta)
	w := s.weights(r.Pattern)
	sums := r.Sums(theta)
	s.Folds = make([]float64, parts)
	for f := range parts {
		leave := *r
		leave.Leave = f + 1
		ridge := lsq.Ridge{Problem: &leave, Weight: w}
		th := downhill(ridge, theta, without(sums, f, theta, w))
		s.Folds[f] = r.Errors(th)[f] / max(1, float64(sums[f].M))
	}
}

// downhill returns θ plus the step, or half of it and so on down to an eighth: where the
// sum is least; θ itself if nowhere, or if there is no step.
func downhill(p lsq.Problem, theta, step []float64) []float64 {
	best := append([]float64(nil), theta...)
	if step == nil {
		return best
	}
	least := p.SSE(theta)
	for part := 1.0; part > 0.1; part /= 2 {
		trial := make([]float64, len(theta))
		floats.AddScaledTo(trial, theta, part, step)
		if sum := p.SSE(trial); sum < least {
			least, best = sum, trial
		}
	}
	return best
}

// without returns the Gauss-Newton step of the fit to all parts but f, nil if there is none.
func without(sums []lsq.Sums, f int, theta, w []float64) []float64 {
	k := len(theta)
	N, g := mat.NewSymDense(k, nil), make([]float64, k)
	raw := N.RawSymmetric().Data
	for i, s := range sums {
		if i != f {
			floats.Add(raw, s.N)
			floats.Add(g, s.G)
		}
	}
	for j, v := range w {
		raw[j*k+j] += v
		g[j] -= v * theta[j]
	}
	var ch mat.Cholesky
	step := mat.NewVecDense(k, nil)
	if !ch.Factorize(N) {
		return nil
	}
	if ch.SolveVecTo(step, mat.NewVecDense(k, g)) != nil {
		for _, v := range step.RawVector().Data {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil
			}
		}
	}
	return step.RawVector().Data
}

// Criterion returns the BIC of a system where τ errors in a row count as one:
// M/τ log(SSE/M) + k log(M/τ), with k the parameters that the data determine.
func (s *System) Criterion(M int, tau float64) float64 {
	m := float64(M) / max(tau, 1)
	return m*math.Log(max(s.SSE, 1e-300)/float64(M)) + s.Known*math.Log(max(m, 2))
}

// Likelier reports whether s has the lesser criterion, with the τ of t.
func (s *System) Likelier(t *System, M int) bool {
	return s.Criterion(M, t.Tau) < t.Criterion(M, t.Tau)
}

// Validation returns the mean squared error on the parts left out.
func (s *System) Validation() float64 {
	if len(s.Folds) == 0 {
		return math.NaN()
	}
	return floats.Sum(s.Folds) / float64(len(s.Folds))
}

// Earns reports whether s predicts the parts left out better than t: two more of them at the
// least than it predicts worse, and all but one where both have interactions. Parts count
// alike, as one of them may hold what no other does. A state more among interactions has
// many parameters and many optima, so that it has more to prove.
func (s *System) Earns(t *System) bool {
	score := 0
	if len(t.Folds) != len(s.Folds) {
		return false // t was taken as it came, for want of time
	}
	for f, v := range s.Folds {
		switch {
		case v < t.Folds[f]:
			score++
		default:
			score--
		}
	}
	if s.Products && t.Products {
		return score >= len(s.Folds)-2
	}
	return score >= 2
}

// Calm reports whether the system keeps to the size of the data's outputs, three times at
// the most, on inputs like theirs but in another order: the runs backwards, and from the
// middle on, then from the beginning.
func (s *System) Calm(data *Data) bool {
	size := 0.0
	for _, r := range data.Runs {
		for _, v := range r.Y {
			size = max(size, math.Abs(v))
		}
	}
	d := s.D
	for _, r := range data.Runs[:min(len(data.Runs), 64)] {
		steps := r.Steps(d)
		half := steps / 2 * d
		backwards := make([]float64, 0, len(r.X))
		for t := steps - 1; t >= 0; t-- {
			backwards = append(backwards, r.X[t*d:(t+1)*d]...)
		}
		turned := append(append([]float64(nil), r.X[half:]...), r.X[:half]...)
		for _, x := range [][]float64{backwards, turned} {
			if !(s.Range(data, lsq.Run{X: x}) <= 3*size) {
				return false
			}
		}
	}
	return true
}
