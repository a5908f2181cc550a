package forecast

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"gonum.org/v1/gonum/mat"
)

// sums are the second moments of rows z = (1, x, y), the upper triangle of Σ w z zᵀ.
// x has the p features in their units, y the q quantities to be explained.
type sums struct {
	p, q int
	g    *mat.SymDense
}

func newSums(p, q int) *sums { return &sums{p, q, mat.NewSymDense(1+p+q, nil)} }

// add adds rows of z, stored one after the other.
func (s *sums) add(z []float64) {
	c := 1 + s.p + s.q
	a := blas64.General{Rows: len(z) / c, Cols: c, Stride: c, Data: z}
	if a.Rows > 0 {
		blas64.Syrk(blas.Trans, 1, a, 1, s.g.RawSymmetric())
	}
}

// addSums adds w times other sums.
func (s *sums) addSums(w float64, o *sums) {
	a, b := s.g.RawSymmetric(), o.g.RawSymmetric()
	for i := range a.N {
		row, other := a.Data[i*a.Stride:], b.Data[i*b.Stride:]
		for j := i; j < a.N; j++ {
			row[j] += w * other[j]
		}
	}
}

// at returns the mean of z_i z_j less the product of their means.
func (s *sums) at(i, j int) float64 {
	n := s.g.At(0, 0)
	return s.g.At(i, j)/n - s.g.At(0, i)/n*s.g.At(0, j)/n
}

// system is a ridge regression of some features, ready for any weight and right side.
type system struct {
	s     *sums
	use   []int     // features, those that vary
	scale []float64 // of each: its prior standard deviation over the unit of the feature
	a     *mat.SymDense
}

// newSystem takes the features that use lists, each with its prior scale: a feature of
// scale 0 or without variance is left out.
func newSystem(s *sums, use []int, scale []float64) *system {
	y := &system{s: s}
	for i, f := range use {
		v := s.at(1+f, 1+f)
		// Units are of all training rows; a stretch of them may hardly vary.
		if v > 1e-10 && scale[i] > 0 {
			y.use = append(y.use, f)
			y.scale = append(y.scale, scale[i]/math.Sqrt(v))
		}
	}
	k := len(y.use)
	if k == 0 {
		return y
	}
	y.a = mat.NewSymDense(k, nil)
	raw, g := y.a.RawSymmetric(), s.g.RawSymmetric()
	n := g.Data[0]
	for i, fi := range y.use {
		row := raw.Data[i*raw.Stride:]
		from := g.Data[(1+fi)*g.Stride:]
		mean := g.Data[1+fi] / n
		for j := i; j < k; j++ {
			fj := y.use[j]
			row[j] = (from[1+fj]/n - mean*g.Data[1+fj]/n) * y.scale[i] * y.scale[j]
		}
	}
	return y
}

// solve returns for each right side (a column y of the sums) the coefficients
//
//	minimise Σ w (y − b₀ − x b)² / Σ w + lambda Σ (b/scale)²,
//
// as a (1+p)×len(ys) matrix of intercept and features, and the mean squares left. A
// system that rounding has made indefinite gets a larger lambda.
func (y *system) solve(lambda float64, ys []int) (b *mat.Dense, rest []float64) {
	b = mat.NewDense(1+y.s.p, len(ys), nil)
	rest = make([]float64, len(ys))
	k, n := len(y.use), y.s.g.At(0, 0)
	var c *mat.Dense
	if k > 0 {
		c = mat.NewDense(k, len(ys), nil)
		for i, f := range y.use {
			for j, col := range ys {
				c.Set(i, j, y.s.at(1+f, 1+y.s.p+col)*y.scale[i])
			}
		}
		x := mat.DenseCopyOf(c)
		lambda = y.factorSolve(lambda, x)
		for j := range ys {
			for i, f := range y.use {
				g := x.At(i, j)
				b.Set(1+f, j, g*y.scale[i])
				rest[j] -= g * (c.At(i, j) + lambda*g)
			}
		}
	}
	for j, col := range ys {
		yc := 1 + y.s.p + col
		b0 := y.s.g.At(0, yc) / n
		for _, f := range y.use {
			b0 -= b.At(1+f, j) * y.s.g.At(0, 1+f) / n
		}
		b.Set(0, j, b0)
		rest[j] = max(rest[j]+y.s.at(yc, yc), 0)
	}
	return b, rest
}

// factorSolve overwrites x with (A + lambda I)⁻¹ x and returns the lambda it took.
func (y *system) factorSolve(lambda float64, x *mat.Dense) float64 {
	k := len(y.use)
	for lambda = max(lambda, leastLambda); ; lambda *= 100 {
		a := mat.NewSymDense(k, nil)
		a.CopySym(y.a)
		for i := range k {
			a.SetSym(i, i, a.At(i, i)+lambda)
		}
		r, ok := linalg.Cholesky(a)
		if !ok {
			continue
		}
		blas64.Trsm(blas.Left, blas.Trans, 1, r, x.RawMatrix())
		blas64.Trsm(blas.Left, blas.NoTrans, 1, r, x.RawMatrix())
		return lambda
	}
}

// leastLambda keeps a singular system solvable.
const leastLambda = 1e-12
