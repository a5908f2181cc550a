package affine

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/twornn/spectral/twornn/internal/lsq"
)

// Validate sets Folds: for each part, the mean squared error of a fit to the others that begins
// at the fit to all of the data and takes so many steps, enough to forget the part. It costs a pass over
// the data, and one less than that many a part.
func (s *System) Validate(ctx context.Context, data *Data, parts, iterations int) {
	folds := make([]float64, parts)
	outputs := make([]int, parts)
	for _, r := range data.Runs {
		for _, f := range r.Fold {
			outputs[f]++
		}
	}
	problem := func() (stable, *lsq.Runs) {
		r := s.runs(data)
		r.Folds = parts
		return stable{Ridge: lsq.Ridge{Problem: r, Weight: s.weights(r.Pattern)}, s: s.clone(), limit: s.limit(data), loose: data.Own}, r
	}
	p, r := problem()
	theta := r.Pattern.Take(s.Theta)
	var known *lsq.Known
	if !data.Own { // of which starts depend on what is left out
		p.Rebase(theta) // where a descent begins
		known = &lsq.Known{Theta: theta, Sums: r.Sums(theta)}
	}
	inParts(parts, func(f int) {
		p, r := problem()
		r.Leave, r.Known = f+1, known
		d := descend(ctx, p, slices.Clone(theta), &Data{M: data.M - outputs[f]*data.P}, iterations, 1e-5)
		folds[f] = r.Errors(d.Theta)[f] / float64(max(1, outputs[f]*data.P))
	})
	s.Folds = folds
}

// rounding is the mean squared error, beside a variance of 1, below which errors are rounding.
const rounding = 1e-24

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
	score := s.score(t)
	if s.Products && t.Products {
		return score >= len(s.Folds)-2
	}
	return score >= 2
}

// score returns on how many more parts s does better than t than it does worse; none if t was taken
// as it came, for want of time.
func (s *System) score(t *System) (score int) {
	if len(t.Folds) != len(s.Folds) {
		return 0
	}
	for f, v := range s.Folds {
		if v < t.Folds[f] {
			score++
		} else {
			score--
		}
	}
	return score
}

// surely reports whether the mean gain over t on the parts left out, in logarithms, since parts differ in size, is
// more than so many of its standard errors.
func (s *System) surely(t *System, errors float64) bool {
	if len(t.Folds) != len(s.Folds) {
		return false
	}
	gains := make([]float64, len(s.Folds))
	for f, v := range s.Folds {
		gains[f] = math.Log(max(t.Folds[f], rounding) / max(v, rounding))
	}
	mean, sd := stat.MeanStdDev(gains, nil)
	return mean > errors*sd/math.Sqrt(float64(len(gains)))
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
