package twornn

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// WithStart returns m with the h₀ that the beginning of a run tells: x is k×d, y k×p, the
// outputs after each step. With G_t = Ω (M_1 ⋯ M_t)ᵀ, M_t = Σ_i (x_t)_i A[i], outputs are
// G_t h₀, and of all h₀ of least squared error the one nearest to that of m is taken. A state
// that x leaves as it is, such as a constant, stays. It costs O(k n² (d + n)), and panics if
// shapes disagree or x or y is not finite. See Result.WithStart for measurements with noise.
func (m *Model) WithStart(x, y mat.Matrix) *Model {
	n, _, _ := m.Dims()
	one := make([]float64, n)
	for a := range one {
		one[a] = 1
	}
	return m.begin(x, y, m.h0(), one, nil)
}

// begin returns m with the likeliest h₀ under the prior N(mean, diag(spread²)) and the noise
// of each output; nil is none.
func (m *Model) begin(x, y mat.Matrix, mean, spread, noise []float64) *Model {
	n, d, p := m.Dims()
	k, cols := x.Dims()
	if rows, outs := y.Dims(); cols != d || outs != p || rows != k {
		panic(fmt.Sprintf("twornn: dimension mismatch: x is %d×%d and y %d×%d for %d inputs and %d outputs", k, cols, rows, outs, d, p))
	}
	G, e, constant := m.observed(x, y, mean)
	// In units of the prior and of the noise.
	for t := range k {
		for o := range p {
			w := 1.0
			if noise != nil {
				w = 1 / math.Sqrt(max(noise[o], 1e-300))
			}
			row := G.RawRowView(t*p + o)
			for a := range row {
				if row[a] *= w * spread[a]; constant[a] {
					row[a] = 0
				}
			}
			e.Set(t*p+o, 0, e.At(t*p+o, 0)*w)
		}
	}
	if noise != nil {
		I := mat.NewDense(n, n, nil)
		for a := range n {
			I.Set(a, a, 1)
		}
		var rows, rest mat.Dense
		rows.Stack(G, I)
		rest.Stack(e, mat.NewDense(n, 1, nil))
		G, e = &rows, &rest
	}
	z, _, _, err := linalg.LeastSquares(G, e, 1e-10)
	out := m.clone()
	if err != nil {
		return out
	}
	for a, v := range mean {
		out.H0.SetVec(a, v+spread[a]*z.At(a, 0))
	}
	return out
}

// observed returns the rows G_t, the outputs less what h₀ = mean explains, and which states
// x leaves as they are.
func (m *Model) observed(x, y mat.Matrix, mean []float64) (G, e *mat.Dense, constant []bool) {
	n, _, p := m.Dims()
	k, _ := x.Dims()
	G, e = mat.NewDense(k*p, n, nil), mat.NewDense(k*p, 1, nil)
	constant = make([]bool, n)
	for a := range constant {
		constant[a] = true
	}
	P, M := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil) // M_1 ⋯ M_t, M_t
	for a := range n {
		P.Set(a, a, 1)
	}
	for t := range k {
		M.Zero()
		for i, A := range m.A {
			linalg.AddMultiple(M, x.At(t, i), A)
		}
		for b := range n {
			for a := range n {
				want := 0.0
				if a == b {
					want = 1
				}
				constant[b] = constant[b] && math.Abs(M.At(a, b)-want) < 1e-9
			}
		}
		P.Mul(P, M)
		rows := G.Slice(t*p, (t+1)*p, 0, n).(*mat.Dense)
		rows.Mul(m.Omega, P.T())
		for o := range p {
			e.Set(t*p+o, 0, y.At(t, o)-floats.Dot(rows.RawRowView(o), mean))
		}
	}
	return G, e, constant
}
