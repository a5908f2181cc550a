package wide

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/lsq"
)

// Policy holds what decides in a search.
type Policy struct {
	Iterations int     // of a descent
	Tol        float64 // the gain, in variances of the noise, below which a step is not worth while
	// What a parameter and a state must earn, in variances of the noise. Where the truth has a
	// state fewer, a spare one lowers the sum of squares by some 2.1 for each of 20 parameters, and by
	// 3 to 3.2 or more for each of 430 to 510 (d = 40, noise 0.1, descents cut short). The log M of BIC would cost states of
	// hundreds of parameters that are there, and are worth having.
	ParameterCost, StateCost float64
}

// Default is what Fit takes. Tol is small beside k, the variances of the noise that estimating k
// parameters costs.
func Default() Policy {
	return Policy{Iterations: 60, Tol: 1e-3, ParameterCost: 4, StateCost: 20}
}

// Fitted is the likeliest 2-RNN with so many states.
type Fitted struct {
	lsq.Shape
	Theta      []float64
	SSE        float64
	Criterion  float64
	Iterations int
	Ended      lsq.Status
}

// Search is a choice among numbers of states.
type Search struct {
	Policy
	Tried  []*Fitted
	Best   *Fitted
	Values []float64 // singular values of H⁽²⁾
	Low    bool      // H⁽²⁾ shows more states than the most allowed
	Found  func()    // is called when there is a new best one; nil: nobody

	data   *Data
	start  *Start
	energy float64
	from   int     // states to begin with
	most   int     // states
	zero   float64 // criterion of the zero function
	report func(residual float64) error
}

// NewSearch returns a search of nothing yet, for the likeliest model of data.
func NewSearch(data *Data, p Policy, report func(residual float64) error) *Search {
	s := &Search{Policy: p, data: data, energy: data.energy(), report: report}
	s.zero = s.criterion(s.energy, 0)
	return s
}

// begin reads off short how many states to begin with, at most so many if that is not zero. It returns false
// if short holds no outputs after one, two or three steps.
func (s *Search) begin(short *Data, most int) bool {
	if s.start = NewStart(short); s.start == nil {
		return false
	}
	s.Values, s.most = s.start.Values, len(s.start.Values)
	s.from = max(1, s.start.Rank())
	if most > 0 {
		s.most, s.Low = min(s.most, most), s.from > most
	}
	s.from = min(s.from, s.most)
	for !s.possible(s.from) && s.from > 1 {
		s.from--
	}
	return true
}

// Run tries as many states as H⁽²⁾ of short shows above its noise, then more, or fewer, as long as the
// criterion falls, at most so many if that is not zero. It stops when ctx is done, with the best so far.
func (s *Search) Run(ctx context.Context, short *Data, most int) {
	if !s.begin(short, most) {
		return
	}
	s.climb(ctx, s.from, 1)
	if s.Best != nil && s.Best.N == s.from {
		s.climb(ctx, s.from-1, -1)
	}
}

// Starts returns what short tells to start from: models of one state to one more than H⁽²⁾ shows, at most
// so many if that is not zero.
func (s *Search) Starts(short *Data, most int) (out []*Fitted) {
	if !s.begin(short, most) {
		return nil
	}
	for n := 1; n <= min(s.from+1, s.most) && s.possible(n); n++ {
		if theta := s.start.Theta(n); theta != nil {
			out = append(out, s.fitted(s.descent(theta, n)))
		}
	}
	return out
}

// Descend returns the likeliest model to be reached from θ of n states, nil if there is none.
func (s *Search) Descend(ctx context.Context, theta []float64, n int) *Fitted {
	r := s.descent(theta, n)
	if r.run(ctx, s.Tol, s.Iterations); math.IsInf(r.sse, 1) {
		return nil
	}
	return s.fitted(r)
}

// Zero returns the criterion of the zero function.
func (s *Search) Zero() float64 { return s.zero }

// Polish takes one to its optimum, on the same data in other units of the outputs.
func (s *Search) Polish(ctx context.Context, f *Fitted, data *Data) {
	s.data, s.energy = data, data.energy()
	r := &descent{stack: &stack{data: data, Shape: f.Shape}, theta: f.Theta, energy: s.energy, report: s.report}
	r.run(ctx, s.Tol, s.Iterations)
	f.SSE, f.Ended, f.Iterations = r.sse, r.status, f.Iterations+r.iterations
	f.Criterion = s.criterion(r.sse, f.N) + s.zero - s.criterion(s.energy, 0) // beside those in the old units
}

// criterion returns M log(SSE/M) and what n states cost:
//
//	(4 k + 20 n) M/(M − k)   for k free parameters,
//
// the fraction being the correction for few data of AICc.
func (s *Search) criterion(sse float64, n int) float64 {
	M := float64(s.data.M)
	return M*math.Log(max(sse, 1e-18*s.energy, 1e-300)/M) + s.cost(n)
}

func (s *Search) cost(n int) float64 {
	k, M := float64(lsq.Shape{N: n, D: s.data.D, P: s.data.P}.Free()), float64(s.data.M)
	return (s.ParameterCost*k + s.StateCost*float64(n)) * M / max(M-k, 1)
}

// goal returns the sum of squares with which n states would be as good as the best so far.
func (s *Search) goal(n int) float64 {
	if s.Best == nil {
		return 0
	}
	M := float64(s.data.M)
	return M * math.Exp((s.Best.Criterion-s.cost(n))/M)
}

// Rank returns how many singular values of H⁽²⁾ are above what noise has; where there are too
// few outputs to tell noise, how many there are before they fall most.
func (s *Start) Rank() (n int) {
	if s.Edge == 0 {
		most := 0.0
		for k := 1; k < len(s.Values)/2; k++ {
			if fall := s.Values[k-1] / max(s.Values[k], 1e-300); fall > most {
				n, most = k, fall
			}
		}
		return n
	}
	for n < len(s.Values) && s.Values[n] > max(1.25*s.Edge, 1e-6*s.Values[0]) {
		n++
	}
	return n
}

// possible reports whether the outputs are twice as many as the parameters.
func (s *Search) possible(n int) bool {
	return 2*lsq.Shape{N: n, D: s.data.D, P: s.data.P}.Free() <= s.data.M
}

// climb tries more and more states, or fewer, as long as it pays.
func (s *Search) climb(ctx context.Context, n, step int) {
	for n >= 1 && n <= s.most && s.possible(n) && ctx.Err() == nil {
		before := s.Best
		if s.try(ctx, n); s.Best == before {
			return
		}
		n += step
	}
}

// try fits n states, and keeps the fit if it is the best so far.
func (s *Search) try(ctx context.Context, n int) {
	theta := s.start.Theta(n)
	if theta == nil {
		return
	}
	r := s.descent(theta, n)
	r.goal, r.worth = s.goal(n), (s.cost(n)-s.cost(n-1))/3
	if r.run(ctx, s.Tol, s.Iterations); math.IsInf(r.sse, 1) {
		return
	}
	f := s.fitted(r)
	s.Tried = append(s.Tried, f)
	if s.Best == nil || f.Criterion < s.Best.Criterion {
		if s.Best = f; s.Found != nil {
			s.Found()
		}
	}
}

// descent returns one from θ of n states, that has not begun.
func (s *Search) descent(theta []float64, n int) *descent {
	shape := lsq.Shape{N: n, D: s.data.D, P: s.data.P}
	r := &descent{stack: &stack{data: s.data, Shape: shape}, theta: theta, energy: s.energy, report: s.report}
	r.calm()
	return r
}

// fitted returns where a descent is.
func (s *Search) fitted(r *descent) *Fitted {
	return &Fitted{Shape: r.Shape, Theta: r.theta, SSE: r.sse, Iterations: r.iterations, Ended: r.status,
		Criterion: s.criterion(r.sse, r.N)}
}

// calm scales A down, from where a start explodes, until it explains something.
func (r *descent) calm() {
	n := r.N
	A := r.theta[n : n+n*r.D*n]
	for range 12 {
		if r.sse = r.SSE(r.theta); r.sse < 2*r.energy {
			return
		}
		floats.Scale(0.7, A)
	}
}

// Noise returns the variance of what is left of each output.
func (f *Fitted) Noise(data *Data) []float64 {
	sum, n := make([]float64, f.P), 0.0
	r := lsq.Runs{Shape: f.Shape, Pattern: lsq.Every(f.N, f.D, f.P), Base: f.Theta}
	along := r.At(f.Theta)
	for _, run := range data.Runs {
		along(run, nil, func(i int, y []float64) {
			n++
			for o, v := range y {
				e := run.Y[i*f.P+o] - v
				sum[o] += e * e
			}
		})
	}
	floats.Scale(1/max(n-float64(f.Free())/float64(f.P), 1), sum)
	return sum
}

// Information returns JᵀJ, in O(k²) an output.
func (f *Fitted) Information(data *Data) *mat.SymDense {
	r := lsq.Runs{Shape: f.Shape, Data: data.Runs, Pattern: lsq.Every(f.N, f.D, f.P), Base: f.Theta}
	N := mat.NewSymDense(len(f.Theta), nil)
	r.Normal(f.Theta, N, make([]float64, len(f.Theta)))
	return N
}
