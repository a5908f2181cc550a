package twornn

import (
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/lsq"
	"github.com/twornn/spectral/twornn/internal/moments"
)

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
