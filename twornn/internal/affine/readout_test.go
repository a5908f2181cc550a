package affine

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// weak returns windows of three rows of a linear system whose outputs hold a little of the products
// of the last input and the state before it.
func weak(windows int, size, noise float64, rnd *rand.Rand) *Data {
	s := linear(5, 2, rand.New(rand.NewPCG(7, 1))).readout(mat.NewDense(3, 2, nil), weakProducts(size))
	data := &Data{D: s.D, P: s.P}
	for range windows {
		r := draw(s, 3, noise, rnd).Runs[0]
		r.At, r.Y = r.At[2:], r.Y[2*s.P:]
		data.Add(r)
	}
	return data
}

func weakProducts(size float64) *mat.Dense {
	rnd := rand.New(rand.NewPCG(7, 2))
	D := mat.NewDense(4*2, 2, nil)
	for i := range 8 {
		for o := range 2 {
			D.Set(i, o, size*rnd.NormFloat64())
		}
	}
	return D
}

// TestReadoutIsRidge: the outputs are those of a ridge regression on states and products, with the
// weight on the products alone, solved as one system of equations.
func TestReadoutIsRidge(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 1))
	data := weak(300, 0.3, 0.5, rnd)
	s := linear(5, 2, rand.New(rand.NewPCG(7, 1)))
	for _, weight := range []float64{1e-6, 0.1, 3} {
		n, k := 3, 8
		G, B := mat.NewSymDense(n+k, nil), mat.NewDense(n+k, 2, nil)
		rows := 0.0
		s.products(data, func(x, e []float64) {
			rows++
			G.SymRankOne(G, 1, mat.NewVecDense(n+k, x))
			for o, v := range e {
				for i, w := range x {
					B.Set(i, o, B.At(i, o)+v*w)
				}
			}
		})
		for i := n; i < n+k; i++ {
			G.SetSym(i, i, G.At(i, i)+weight*rows)
		}
		var want mat.Dense
		if err := want.Solve(G, B); err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		s.products(data, func(x, e []float64) {
			for o, v := range e {
				for i, w := range x {
					v -= w * want.At(i, o)
				}
				sum += v * v
			}
		})
		c := newReadouts(s, data).with(weight, data)
		r := c.runs(data)
		sse := r.SSE(r.Pattern.Take(c.Theta))
		if math.Abs(sse-sum) > 1e-8*sum || math.Abs(c.SSE-sum) > 1e-8*sum {
			t.Errorf("weight %g: sum of squares %.12g along the runs, %.12g told, want %.12g", weight, sse, c.SSE, sum)
		}
	}
}

// TestWeakProducts: products that take away two hundredths of the error are found, and not where there are
// none; the linear system is near its floor, though few compressed runs stand for the many.
func TestWeakProducts(t *testing.T) {
	const noise = 1
	for _, size := range []float64{0, 0.04} {
		data, fresh := weak(3000, size, noise, rand.New(rand.NewPCG(9, 1))), weak(4000, size, 0, rand.New(rand.NewPCG(9, 2)))
		p := Default()
		p.MostStates = 2
		s := Fit(t.Context(), data, p, 1)
		excess := func(c *System) float64 {
			sums, n := c.SquaredErrors(fresh)
			return (sums[0] + sums[1]) / (2 * n * noise * noise)
		}
		best, linear := excess(s.Best), excess(s.Linear)
		// 14 parameters of 6,000 outputs' noise are 0.0023.
		if size == 0 && (s.Best.Products || best > 0.004) {
			t.Errorf("no products: taken %v, error %.4f beyond the noise", s.Best.Products, best)
		}
		if size > 0 && (!s.Best.Products || best > linear/2 || linear > 0.025) {
			t.Errorf("products: taken %v, error %.4f beyond the noise, of the linear system %.4f", s.Best.Products, best, linear)
		}
	}
}
