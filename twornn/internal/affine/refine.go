package affine

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/lsq"
)

// wide is the precision of the priors of F, B and C, which say little: in normal form these
// are of order one.
const wide = 0.01

// weights returns the weight of each free parameter's square. In normal form the state is
// of mean 0 and variance 1, so that the one at the start has a prior of that kind.
func (s *System) weights(p lsq.Pattern) []float64 {
	w := make([]float64, len(p.Free))
	for j, i := range p.Free {
		switch lsq.PartOf(i, s.N, s.D) {
		case lsq.Start:
			w[j] = s.Tau * s.Noise
		case lsq.Interaction:
			w[j] = s.Lambda
		default:
			w[j] = wide * s.Tau * s.Noise
		}
	}
	return w
}

// Refine minimises the squared errors and the priors' part from where the system is. With
// interactions it goes in rounds, after each of which their prior is fitted (see evidence)
// and the states brought to normal form. It reports whether the system is of use.
func (s *System) Refine(ctx context.Context, data *Data, rounds, iterations int, tol float64) bool {
	s.keepTo(s.limit(data))
	if !s.Normalise(data) {
		return false
	}
	if s.Iterations = 0; data.Own {
		tol = max(tol, ownTol)
	}
	for round := range rounds {
		r := s.runs(data)
		r.Thin = true
		theta := r.Pattern.Take(s.Theta)
		p := stable{Ridge: lsq.Ridge{Problem: r, Weight: s.weights(r.Pattern)}, s: s.clone(), limit: s.limit(data), loose: data.Own}
		d := descend(ctx, p, theta, data, iterations, tol)
		if math.IsInf(d.SSE, 1) {
			return false
		}
		s.Theta = r.Pattern.Put(s.Theta, d.Theta)
		s.Iterations += d.Iterations
		s.Ended = d.Status
		if ctx.Err() != nil {
			s.SSE = d.SSE // with the priors' part, for want of time
			break
		}
		before := s.Lambda
		s.evidence(data)
		if !s.Normalise(data) || ctx.Err() != nil {
			break
		}
		if round > 0 && d.Iterations < iterations && math.Abs(math.Log(s.Lambda/before)) < 0.1 || !s.Products && round > 0 && d.Iterations < iterations {
			break
		}
	}
	return true
}

// ownTol is the least tolerance where runs have starts of their own: the last ten-thousandth is
// the priors' alone, and takes as long as all before it.
const ownTol = 1e-4

// stable is a problem whose systems forget: F has no eigenvalue beyond a limit. Along one run
// a state that hardly decays, or grows, from a start of its own, may follow the noise.
type stable struct {
	lsq.Ridge
	s     *System // to work with
	limit float64
	loose bool // steps may change the basis: starts of their own have priors that say much
}

// Normal adds to the normal equations what keeps steps off the changes of basis, which change no
// output: the priors alone would have them creep along there, away from the normal form in
// which they mean what they say.
func (p stable) Normal(theta []float64, N *mat.SymDense, g []float64) float64 {
	sse := p.Ridge.Normal(theta, N, g)
	if p.loose {
		return sse
	}
	q := p.Problem.(*lsq.Runs).Pattern
	p.s.Theta = q.Put(p.s.Theta, theta)
	T, _ := linalg.ThinQR(mat.DenseCopyOf(p.s.changes(q).T()))
	k, m := T.Dims()
	var P mat.SymDense
	P.SymOuterK(mat.Trace(N)/float64(k), T)
	N.AddSym(N, &P)
	along := mat.NewVecDense(m, nil)
	G := mat.NewVecDense(k, g)
	along.MulVec(T.T(), G)
	var off mat.VecDense
	off.MulVec(T, along)
	G.SubVec(G, &off)
	return sse
}

// Rebase moves to the basis in which the priors' part is least, by Gauss-Newton steps on changes
// of basis, which cost no pass over the data.
func (p stable) Rebase(theta []float64) {
	if p.loose {
		return
	}
	q := p.Problem.(*lsq.Runs).Pattern
	p.s.Theta = q.Put(p.s.Theta, theta)
	for before, steps := p.Penalty(theta), 0; steps < 10; steps++ {
		now := p.balance(q, before)
		if now > (1-rebaseGain)*before {
			break
		}
		copy(theta, q.Take(p.s.Theta))
		before = now
	}
}

// rebaseGain is the share of the priors' part below which a change of basis is not worth while.
const rebaseGain = 1e-3

// balance takes one step that lowers the priors' part, if that promises to be worth while, and returns what
// it then is.
func (p stable) balance(q lsq.Pattern, before float64) float64 {
	n := p.s.N
	T, theta := p.s.changes(q), q.Take(p.s.Theta)
	m, _ := T.Dims()
	roots := make([]float64, len(theta))
	for j, w := range p.Weight {
		roots[j] = math.Sqrt(w)
	}
	floats.Mul(theta, roots)
	for i := range m {
		floats.Mul(T.RawRowView(i), roots)
	}
	G := mat.NewSymDense(m, nil)
	G.SymOuterK(1, T)
	for i, little := 0, 1e-9*mat.Trace(G)/float64(m); i < m; i++ {
		G.SetSym(i, i, G.At(i, i)+little)
	}
	g := mat.NewVecDense(m, nil)
	g.MulVec(T, mat.NewVecDense(len(theta), theta))
	step := mat.NewDense(m, 1, slices.Clone(g.RawVector().Data))
	R, ok := linalg.Cholesky(G)
	if !ok || !linalg.SolveCholesky(R, step) || mat.Dot(g, step.ColView(0)) < rebaseGain*before {
		return before
	}
	for part := 1.0; part > 1e-2; part /= 2 {
		C := mat.NewDense(n, n, nil)
		C.Set(0, 0, 1)
		for r := 1; r < n; r++ {
			for c := range n {
				C.Set(r, c, -part*step.At((r-1)*n+c, 0))
			}
			C.Set(r, r, C.At(r, r)+1)
		}
		var inv mat.Dense
		if inv.Inverse(C) != nil {
			continue
		}
		s := p.s.clone()
		s.change(C, &inv)
		if now := p.Penalty(q.Take(s.Theta)); now < before {
			p.s.Theta = s.Theta
			return now
		}
	}
	return before
}

// Project scales F down to the limit.
func (p stable) Project(theta []float64) {
	q := p.Problem.(*lsq.Runs).Pattern
	p.s.Theta = q.Put(p.s.Theta, theta)
	if p.s.keepTo(p.limit) {
		copy(theta, q.Take(p.s.Theta))
	}
}

// descend goes downhill by Levenberg-Marquardt until a step gains less than tol of the sum.
func descend(ctx context.Context, p lsq.Problem, theta []float64, data *Data, iterations int, tol float64) *lsq.Descent {
	M := float64(data.M)
	d := lsq.NewDescent(p, theta, M, M-float64(len(theta)))
	if !math.IsInf(d.SSE, 1) {
		limits := lsq.Limits{Iterations: iterations, Tol: tol * M}
		if data.Report != nil {
			limits.Report = func(_ int, residual float64) error { return data.Report(residual) }
		}
		d.Run(ctx, limits)
	}
	return d
}

// evidence sets Noise, Tau and, where there are interactions, Lambda to what maximises
// the marginal likelihood, by MacKay's update: with H the Hessian of the sum and γ the
// number of interactions that the data determine,
//
//	γ = Σ_j 1 − λ (H⁻¹)_jj   σ² = SSE/(M − k)   λ = τ σ² γ / Σ_j N_j²
//
// τ is how many errors in a row count as one, since those of a model that is not quite the
// truth go together: 1 + 2 Σ of their autocorrelations.
func (s *System) evidence(data *Data) {
	r := s.runs(data)
	theta := r.Pattern.Take(s.Theta)
	w := s.weights(r.Pattern)
	k := r.Dim()
	H, g := mat.NewSymDense(k, nil), make([]float64, k)
	s.SSE = r.Normal(theta, H, g)
	var known, interactions, squares float64
	for j := range k {
		H.SetSym(j, j, H.At(j, j)+w[j])
	}
	inv, ok := linalg.InverseDiagonal(H)
	if !ok {
		return
	}
	for j, i := range r.Pattern.Free {
		v := max(0, 1-w[j]*inv[j])
		known += v
		if lsq.PartOf(i, s.N, s.D) == lsq.Interaction {
			interactions += v
			squares += theta[j] * theta[j]
		}
	}
	s.Known = known
	s.Noise = max(s.SSE/max(float64(data.M)-known, 1), 1e-30)
	s.Tau = autocorrelated(r, theta)
	if s.Products {
		s.Lambda = min(max(s.Tau*s.Noise*interactions/max(squares, 1e-300), 1e-9*float64(data.M)), 1e3*float64(data.M))
	}
}

// autocorrelated returns 1 + 2 Σ_l ρ_l of the errors along the runs, summed as long as
// ρ_l is above 0.05: as many in a row tell as much as one.
func autocorrelated(r *lsq.Runs, theta []float64) float64 {
	const most = 256
	var sums [most]float64
	along := r.At(theta)
	for _, run := range r.Data {
		var e []float64
		along(run, nil, func(i int, y []float64) {
			for o, v := range y {
				e = append(e, run.Y[i*r.P+o]-v)
			}
		})
		for l := range min(most, len(e)/r.P/2+1) {
			for i := l * r.P; i < len(e); i++ {
				sums[l] += e[i] * e[i-l*r.P]
			}
		}
	}
	tau := 1.0
	for _, v := range sums[1:] {
		if !(v > 0.05*sums[0]) {
			break
		}
		tau += 2 * v / sums[0]
	}
	return tau
}

// Covariance returns what the variance of gᵀθ is, over that of the noise, for the
// derivative g of an output by all parameters: τ gᵀH⁻¹g.
func (s *System) Covariance(data *Data) (func(g []float64) float64, bool) {
	r := s.runs(data)
	theta := r.Pattern.Take(s.Theta)
	ridge := lsq.Ridge{Problem: r, Weight: s.weights(r.Pattern)}
	H := mat.NewSymDense(r.Dim(), nil)
	ridge.Normal(theta, H, make([]float64, r.Dim()))
	var ch mat.Cholesky
	if !ch.Factorize(H) {
		return nil, false
	}
	return func(g []float64) float64 {
		row := mat.NewVecDense(r.Dim(), r.Pattern.Take(g))
		v := mat.NewVecDense(r.Dim(), nil)
		if ch.SolveVecTo(v, row) != nil && !linalg.FiniteVector(v) {
			return math.Inf(1)
		}
		return s.Tau * mat.Dot(v, row)
	}, true
}

// NoiseVariances returns the variance of what is left of each output.
func (s *System) NoiseVariances(data *Data) []float64 {
	sum, n := s.SquaredErrors(data)
	for o := range sum {
		sum[o] /= max(n-s.Known/float64(s.P), 1)
	}
	return sum
}

// SquaredErrors returns the sum of squared errors of each output, and how many each has.
func (s *System) SquaredErrors(data *Data) (sum []float64, n float64) {
	r := s.runs(data)
	sum = make([]float64, s.P)
	along := r.At(r.Pattern.Take(s.Theta))
	for _, run := range data.Runs {
		along(run, nil, func(i int, y []float64) {
			n++
			for o, v := range y {
				e := run.Y[i*s.P+o] - v
				sum[o] += e * e
			}
		})
	}
	return sum, n
}

// Memory returns how long the start of a run counts: the squared difference that it makes along the
// runs to begin at the mean of the states in place of h₀, over the squared error. It is infinite if
// the system is of no use from there.
func (s *System) Memory(data *Data) float64 {
	mean := s.clone()
	for a := 1; a < s.N; a++ {
		mean.Theta[a] = 0 // in normal form
	}
	from, other := s.runs(data), mean.runs(data)
	along, beside := from.At(from.Pattern.Take(s.Theta)), other.At(other.Pattern.Take(mean.Theta))
	var difference, sse float64
	for _, run := range data.Runs {
		var outputs []float64
		along(run, nil, func(_ int, y []float64) { outputs = append(outputs, y...) })
		if !beside(run, nil, func(i int, y []float64) {
			for o, v := range y {
				d, e := v-outputs[i*s.P+o], run.Y[i*s.P+o]-outputs[i*s.P+o]
				difference += d * d
				sse += e * e
			}
		}) {
			return math.Inf(1)
		}
	}
	return difference / max(sse, 1e-300)
}

// Settles returns the mean squared error in the last quarter of the outputs along runs over that in the first:
// little where runs begin at different states and forget them. Whichever run is left out it is no more than that, so
// that no single one tells; it is 1 where runs are too short to tell.
func (s *System) Settles(data *Data) float64 {
	r := s.runs(data)
	along := r.At(r.Pattern.Take(s.Theta))
	var first, last float64 // of all runs
	of := make([][2]float64, len(data.Runs))
	for k, run := range data.Runs {
		quarter := len(run.At) / 4
		along(run, nil, func(i int, y []float64) {
			for o, v := range y {
				switch e := run.Y[i*s.P+o] - v; {
				case i < quarter:
					of[k][0] += e * e
				case i >= len(run.At)-quarter:
					of[k][1] += e * e
				}
			}
		})
		first, last = first+of[k][0], last+of[k][1]
	}
	part := 0.0
	for _, e := range of {
		if others := first - e[0]; others > 1e-9*first {
			part = max(part, max(0, last-e[1])/others)
		} else {
			part = 1
		}
	}
	return part
}

// Apart returns what share of the squared errors is in their means over each run: near 1 where runs begin at
// different states that they never forget, and what chance gives, about one over the steps of a run, where
// they are alike.
func (s *System) Apart(data *Data) float64 {
	r := s.runs(data)
	along := r.At(r.Pattern.Take(s.Theta))
	sum := make([]float64, s.P)
	var means, all float64
	for _, run := range data.Runs {
		clear(sum)
		along(run, nil, func(i int, y []float64) {
			for o, v := range y {
				e := run.Y[i*s.P+o] - v
				sum[o] += e
				all += e * e
			}
		})
		for _, v := range sum {
			means += v * v / float64(max(1, len(run.At)))
		}
	}
	if all == 0 {
		return 0
	}
	return means / all
}

// FitOutputs sets C and c to what minimises the squared errors for the states as they are,
// with a little of a ridge, and SSE and Noise to what is left. It costs one run along the data.
func (s *System) FitOutputs(data *Data) bool {
	n := s.N
	r := s.runs(data)
	along := r.At(r.Pattern.Take(s.Theta))
	sums := newGram(n + s.P)
	row := make([]float64, n+s.P)
	for _, run := range data.Runs {
		ok := along(run, func(h []float64) { copy(row, h) }, func(i int, _ []float64) {
			copy(row[n:], run.Y[i*s.P:(i+1)*s.P])
			sums.add(row)
		})
		if !ok {
			return false
		}
	}
	HH, HY, _ := sums.split(n)
	for a := range n {
		HH.SetSym(a, a, HH.At(a, a)*(1+1e-9)+1e-12*float64(data.M))
	}
	var ch mat.Cholesky
	var C mat.Dense
	if !ch.Factorize(HH) || ch.SolveTo(&C, HY) != nil && !linalg.IsFinite(&C) {
		return false
	}
	for o := range s.P {
		for a := range n {
			*s.out(o, a) = C.At(a, o)
		}
	}
	s.SSE = r.SSE(r.Pattern.Take(s.Theta))
	s.Known = float64(r.Dim() - s.States()*s.States() - s.States())
	s.Noise, s.Tau = s.SSE/max(float64(data.M)-s.Known, 1), 1
	return !math.IsInf(s.SSE, 0) && !math.IsNaN(s.SSE)
}
