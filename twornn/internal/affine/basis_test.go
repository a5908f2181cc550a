package affine

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/lsq"
)

// Changes of basis move no output, whether products are free or not, and are all that do:
// JᵀJ has no other null direction. Rebase goes along them to a lesser penalty.
func TestChangesOfBasis(t *testing.T) {
	for _, products := range []bool{false, true} {
		rnd := rand.New(rand.NewPCG(1, 2))
		s := Random(3, 3, 2, rnd)
		if s.Products = products; products {
			for i := 1; i < s.D; i++ {
				for a := 1; a < s.N; a++ {
					for b := 1; b < s.N; b++ {
						*s.at(i, a, b) = 0.1 * rnd.NormFloat64()
					}
				}
			}
		}
		data := draw(s, 400, 0.1, rnd)
		r := s.runs(data)
		k := r.Dim()
		N := mat.NewSymDense(k, nil)
		theta := r.Pattern.Take(s.Theta)
		r.Normal(theta, N, make([]float64, k))
		T := s.changes(r.Pattern)
		var NT mat.Dense
		NT.Mul(N, T.T())
		if e := mat.Norm(&NT, 2) / mat.Norm(N, 2) / mat.Norm(T, 2); e > 1e-10 {
			t.Errorf("products %v: a change of basis moves the outputs by %g", products, e)
		}
		var eig mat.EigenSym
		eig.Factorize(N, false)
		values, null := eig.Values(nil), 0
		for _, v := range values {
			if v < 1e-11*values[k-1] {
				null++
			}
		}
		if m, _ := T.Dims(); null != m {
			t.Errorf("products %v: %d directions change nothing, want %d", products, null, m)
		}
		p := stable{Ridge: lsq.Ridge{Problem: r, Weight: s.weights(r.Pattern)}, s: s.clone(), limit: math.Inf(1)}
		for j := range p.Weight {
			p.Weight[j]++
		}
		sse, penalty := r.SSE(theta), p.Penalty(theta)
		p.Rebase(theta)
		if now := r.SSE(theta); math.Abs(now-sse) > 1e-8*sse {
			t.Errorf("products %v: sum of squares %g, before %g", products, now, sse)
		}
		if now := p.Penalty(theta); !(now < penalty) {
			t.Errorf("products %v: penalty %g, before %g", products, now, penalty)
		}
	}
}

// A linear system is at its optimum after a dozen steps or two: nothing creeps along changes of basis.
func TestDescentEnds(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	truth := Random(2, 2, 1, rnd)
	data := draw(truth, 800, 0.1, rnd)
	for range 5 {
		s := Random(2, 2, 1, rnd)
		if !s.Refine(context.Background(), data, 4, 60, 1e-9) || s.Ended != lsq.Converged || s.Iterations > 60 {
			t.Errorf("%v after %d iterations, sum of squares %g", s.Ended, s.Iterations, s.SSE)
		}
	}
}
