package twornn

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/twornn/spectral/twornn/internal/lsq"
	"github.com/twornn/spectral/twornn/internal/moments"
	"github.com/twornn/spectral/twornn/internal/phrase"
)

// Conformal wraps any Predictor with prediction intervals ŷ ± Width, calibrated on
// held-out data: split conformal prediction (Papadopoulos et al. 2002; Lei et al. 2018).
type Conformal struct {
	Predictor
	Level float64   // the share of targets that each output's interval is to cover
	Width []float64 // half widths, one an output, in the outputs' units
	N     int       // held-out sequences it was calibrated on
}

var (
	_ Taker     = (*Conformal)(nil)
	_ Intervals = (*Conformal)(nil)
)

// NewConformal calibrates intervals for f on the last outputs y of N held-out
// sequences, with ŷ the predictions of f:
//
//	Width_j = the k-th smallest |y_j − ŷ_j|   k = ⌈(N+1)·level⌉
//
// If a fresh target is exchangeable with the held-out ones (each order of the N+1 is
// equally likely, as with independent draws), then, whatever f and the noise are,
//
//	level ≤ P(|y_j − ŷ_j| ≤ Width_j) = k/(N+1) < level + 1/(N+1)
//
// where the equality holds if no two errors tie. The probability is over the held-out
// data too: for one held-out set the coverage scatters around k/(N+1), by the law
// Beta(k, N+1−k). It is marginal: not for each input by itself, and for each output by
// itself, so that all outputs are covered at once less often.
//
// It is the caller's part that the held-out data took no part in the fit, nor in the
// choice of f, as the errors would be too small. The windows of a time series overlap
// and drift: they are exchangeable only approximately, and so is the coverage; Coverage
// measures it on later data.
//
// NewConformal errs if level is not within (0, 1), if N < level/(1−level), if a sequence
// is unusable or of a kind that f does not take, and if a prediction is not finite.
func NewConformal(f Predictor, held iter.Seq[Sequence], level float64) (*Conformal, error) {
	if !(level > 0 && level < 1) {
		return nil, fmt.Errorf("twornn: the level of an interval is %v; give one between 0 and 1, such as 0.9", level)
	}
	hat, y, err := Forecasts(f, held)
	if err != nil {
		return nil, err
	}
	n, p := y.Dims()
	k := coverRank(n, level)
	if k > n {
		return nil, fmt.Errorf("twornn: intervals at level %v need %.0f held-out sequences, got %d; hold out more or lower the level", level, leastHeld(level), n)
	}
	c := &Conformal{Predictor: f, Level: level, Width: make([]float64, p), N: n}
	e := make([]float64, n)
	for j := range c.Width {
		for i := range e {
			e[i] = math.Abs(y.At(i, j) - hat.At(i, j))
			if math.IsNaN(e[i]) || math.IsInf(e[i], 0) {
				return nil, fmt.Errorf("twornn: output %d predicted for held-out sequence %d is %v; an interval needs finite predictions", j+1, i+1, hat.At(i, j))
			}
		}
		slices.Sort(e)
		c.Width[j] = e[k-1]
	}
	return c, nil
}

// levelSlack forgives (N+1)·level its last digits, so that 0.55 of 100 is 55 and not 56.
const levelSlack = 1e-9

// coverRank returns ⌈(n+1)·level⌉, at least 1. It counts from the end, n+1 being exact.
func coverRank(n int, level float64) int {
	beyond := math.Floor(float64(n+1)*(1-level) + levelSlack)
	return max(1, n+1-int(beyond))
}

// leastHeld returns the least n with coverRank(n, level) ≤ n.
func leastHeld(level float64) float64 {
	return math.Ceil((1-levelSlack)/(1-level)) - 1
}

// Interval returns the limits ŷ_j ± Width_j of the outputs after the last row of x, in
// low and high, which are allocated if nil. It panics if they have not p entries, and
// where the Predictor does.
func (c *Conformal) Interval(low, high []float64, x mat.Matrix) (lo, hi []float64) {
	p := len(c.Width)
	if low == nil {
		low = make([]float64, p)
	}
	if high == nil {
		high = make([]float64, p)
	}
	if len(low) != p || len(high) != p {
		panic("twornn: dimension mismatch: low, high")
	}
	c.Predict(low, x)
	for j, w := range c.Width {
		low[j], high[j] = low[j]-w, low[j]+w
	}
	return low, high
}

// Takes implements Taker: it asks the Predictor, if that can tell.
func (c *Conformal) Takes(d, p int) error {
	if c == nil || c.Predictor == nil {
		return errors.New("twornn: the intervals are not calibrated; use NewConformal")
	}
	if p != len(c.Width) {
		return fmt.Errorf("twornn: the intervals are for %s, the data have %d; give data of the same targets", phrase.Count(len(c.Width), "output"), p)
	}
	return takes(c.Predictor, d, p)
}

// takes asks f, if it is a Taker.
func takes(f Predictor, d, p int) error {
	if t, ok := f.(Taker); ok {
		return t.Takes(d, p)
	}
	return nil
}

// Intervals is a Predictor that gives the limits within which it expects the outputs:
// a Conformal. Interval stores them in low and high, which are allocated if nil.
type Intervals interface {
	Predictor
	Interval(low, high []float64, x mat.Matrix) (lo, hi []float64)
}

// Coverage returns, for each output, the share of the last outputs that lie within the
// intervals of f, limits included, and the mean of high − low. Of two sources that cover
// alike, the narrower is the better. For N independent targets the share is off by
// √(c(1−c)/N), one standard error, from the coverage c.
//
// It errs as Evaluate does, and if a limit is NaN or the lower one above the upper.
func Coverage(f Intervals, data iter.Seq[Sequence]) (covered []float64, width []float64, err error) {
	if f == nil {
		return nil, nil, errors.New("twornn: there are no intervals: they are nil; use NewConformal, or another source of them")
	}
	n := 0
	var bad error
	l := &limits{Intervals: f}
	err = predict(l, data, func(low, y []float64) {
		if n++; n == 1 {
			covered, width = make([]float64, len(y)), make([]float64, len(y))
		}
		for j, v := range y {
			lo, hi := low[j], l.high[j]
			if !(lo <= hi) && bad == nil {
				bad = fmt.Errorf("twornn: the interval of output %d of sequence %d goes from %v to %v", j+1, n, lo, hi)
			}
			if lo <= v && v <= hi {
				covered[j]++
			}
			width[j] += hi - lo
		}
	})
	if err == nil {
		err = bad
	}
	if err != nil {
		return nil, nil, err
	}
	for j := range covered {
		covered[j] /= float64(n)
		width[j] /= float64(n)
	}
	return covered, width, nil
}

// limits predicts the lower limits of Intervals, for predict, and keeps the upper ones.
type limits struct {
	Intervals
	high []float64
}

func (l *limits) Predict(dst []float64, x mat.Matrix) []float64 {
	dst, l.high = l.Interval(dst, l.high, x)
	return dst
}

func (l *limits) Takes(d, p int) error { return takes(l.Intervals, d, p) }

// Gaussian gives prediction intervals of a joint fit for noise that is Gaussian and alike
// at every sequence of a length. The parameters at the optimum have the covariance
// σ²(JᵀJ)⁺, J being the derivatives of all training outputs, so that an output f(x) with
// the derivative g has the standard error
//
//	s(x) = σ √(gᵀ(JᵀJ)⁺g)
//
// and a fresh target lies within f(x) ± t √(σ² + s(x)²) with the probability of the level,
// t being the quantile of Student's distribution. σ² is that of the residuals, for each
// output and measured length; beyond the longest length, that of the longest. A model that
// does not hold at longer sequences is not covered: see NewConformal for intervals that
// assume nothing of the kind.
//
// Both cost one product with a triangular k×k matrix an output, k = n(1+dn+p).
type Gaussian struct {
	*Model
	Level float64

	*joined
	variance func(g []float64, noise float64) float64
	t        float64
}

var _ Intervals = (*Gaussian)(nil)

// Intervals returns prediction intervals that hold with the given probability, such as
// 0.9, in the units of the training outputs. Fit does not depend on units: windows without
// a Scaler give intervals in the data's own. It errs if the level is not between 0 and 1, or the result has none to give: a
// recovery was named, the zero function or a damped model is returned, runs have starts of their own, or
// the data have fewer outputs than the model parameters.
func (r *Result) Intervals(level float64) (*Gaussian, error) {
	if !(level > 0 && level < 1) {
		return nil, fmt.Errorf("twornn: level %g is not between 0 and 1; write 0.9 for 90 %%", level)
	}
	if r.joined == nil {
		return nil, errors.New("twornn: intervals are of a model at the optimum of a fit to all outputs, which this one is not, by a recovery that was named, by MaxGrowth or as the zero function: fit without these, or use NewConformal with data held out")
	}
	if r.joined.own {
		return nil, errors.New("twornn: runs that have starts of their own (OwnStarts) differ by more than these intervals would hold: use NewConformal on runs that were held out, with a Predictor that begins each by WithStart")
	}
	j := r.joined
	dof := j.M - float64(j.free)
	if dof < 1 {
		return nil, fmt.Errorf("twornn: %.0f outputs do not determine %d parameters and their noise: no intervals; give more data, or a lower rank", j.M, j.free)
	}
	variance, err := j.covariance()
	if err != nil {
		return nil, err
	}
	return &Gaussian{
		Model: r.Model, Level: level, joined: j, variance: variance,
		t: distuv.StudentsT{Mu: 0, Sigma: 1, Nu: dof}.Quantile((1 + level) / 2),
	}, nil
}

// StandardErrors returns those of the outputs f(x), as far as the training data leave the
// parameters open, in dst, which is allocated if nil. It panics as Predict does.
func (g *Gaussian) StandardErrors(dst []float64, x mat.Matrix) []float64 {
	_, variance := g.at(x)
	if dst == nil {
		dst = make([]float64, g.shape.P)
	}
	for o, v := range variance {
		dst[o] = math.Sqrt(v)
	}
	return dst
}

// Interval returns the limits for the output after x in low and high, which are allocated
// if nil. It panics as Predict does.
func (g *Gaussian) Interval(low, high []float64, x mat.Matrix) (lo, hi []float64) {
	sigma2, variance := g.at(x)
	if low == nil {
		low = make([]float64, g.shape.P)
	}
	if high == nil {
		high = make([]float64, g.shape.P)
	}
	y := g.Predict(nil, x)
	for o, v := range y {
		half := g.t * math.Sqrt(sigma2[o]+variance[o])
		if low[o], high[o] = v-half, v+half; math.IsNaN(half) || math.IsInf(half, 0) {
			low[o], high[o] = math.Inf(-1), math.Inf(1) // the states have outgrown the numbers
		}
	}
	return low, high
}

// at returns the variance of the noise and that of the estimate at x, in the data's units.
func (g *Gaussian) at(x mat.Matrix) (sigma2, variance []float64) {
	p, k := g.shape.P, len(g.theta)
	var in []float64
	l := 0
	if x != nil {
		var c int
		if l, c = x.Dims(); l > 0 {
			if _, want := g.w.W.Dims(); c != want {
				panic("twornn: dimension mismatch: x")
			}
			var z mat.Dense
			z.Mul(x, g.w.W.T())
			in = z.RawMatrix().Data
		}
	}
	J := g.shape.Derivatives(g.theta, in)
	noise := g.noise[l]
	if noise == nil {
		noise = g.noise[g.last]
	}
	sigma2, variance = make([]float64, p), make([]float64, p)
	for o := range p {
		unit := 1 / (g.w.scale[o] * g.w.scale[o])
		sigma2[o] = noise[o] * unit
		// The parameters come from all lengths, whatever the noise at this one.
		variance[o] = g.variance(J[o*k:(o+1)*k], g.noise[everyLength][o]) * unit
	}
	return sigma2, variance
}

// byTarget returns the middle of the sandwich N⁻¹ K N⁻¹ that is the covariance of the
// parameters θ where windows overlap, so that a target (a row of the series and a column)
// counts in several of them:
//
//	K = Σ_targets u uᵀ   u = Σ_windows J_r e_r
//
// over the rows r that have the target, J_r being the derivative of the output and e_r the
// error, inputs and outputs in the coordinates w. Where no target counts twice and the noise
// is the same everywhere K is σ²N. It costs O(k) more than a derivative for each row, and
// O(k²) for each target.
func byTarget(k *moments.Kept, w coordinates, s lsq.Shape, theta []float64) *mat.SymDense {
	dim := s.Dim()
	K := mat.NewSymDense(dim, nil)
	raw := K.RawSymmetric()
	model := (*Model)(s.Net(theta))
	sums := map[int][]float64{} // by target, of those that the window at hand may share
	var order []int
	flush := func(before int) {
		for len(order) > 0 && order[0] < before {
			u := sums[order[0]]
			blas64.Syr(1, blas64.Vector{N: dim, Inc: 1, Data: u}, raw)
			delete(sums, order[0])
			order = order[1:]
		}
	}
	base, last := 0, 0
	for _, run := range k.Runs {
		if base++; run.Fresh == 0 {
			base += last // no target is shared with the window before
		}
		last = len(run.At)
		flush(base * s.P)
		z := mapped(run.X, w.W)
		for i, t := range run.At {
			var x []float64
			var in mat.Matrix
			if r, _ := w.W.Dims(); t > 0 {
				x = z[:t*r]
				in = mat.NewDense(t, r, x)
			}
			J, hat := s.Derivatives(theta, x), model.Predict(nil, in)
			for o := range s.P {
				e := run.Y[i*s.P+o]*w.scale[o] - hat[o]
				target := (base+i)*s.P + o
				if sums[target] == nil {
					sums[target] = make([]float64, dim)
					order = append(order, target)
				}
				floats.AddScaled(sums[target], e, J[o*dim:(o+1)*dim])
			}
		}
	}
	flush(1 << 62)
	K.ScaleSym(float64(k.N)/float64(len(k.Runs)), K)
	return K
}
