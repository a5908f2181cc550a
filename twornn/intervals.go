package twornn

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/twornn/spectral/twornn/internal/lsq"
	"github.com/twornn/spectral/twornn/internal/moments"
)

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
// recovery was named, the zero function is returned, or the data have fewer outputs than
// the model parameters.
func (r *Result) Intervals(level float64) (*Gaussian, error) {
	if !(level > 0 && level < 1) {
		return nil, fmt.Errorf("twornn: level %g is not between 0 and 1; write 0.9 for 90 %%", level)
	}
	if r.joined == nil {
		return nil, errors.New("twornn: intervals follow from a joint fit, which this result has not: fit with no recovery named, or use NewConformal with data held out")
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
		low[o], high[o] = v-half, v+half
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
		var z mat.Dense
		if len(run.X) > 0 {
			_, d := w.W.Dims()
			z.Mul(mat.NewDense(len(run.X)/d, d, run.X), w.W.T())
		}
		for i, t := range run.At {
			var x []float64
			var in mat.Matrix
			if r, _ := w.W.Dims(); t > 0 {
				x = z.RawMatrix().Data[:t*r]
				in = z.Slice(0, t, 0, r)
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
