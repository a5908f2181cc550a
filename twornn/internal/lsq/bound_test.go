package lsq

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// TestBoundIsOne: a weak direction of the data in which a start at random, or one chosen
// without them, may have no part at all. The rank-1 tensor that differs from the data's along
// that direction must not come below the bound.
func TestBoundIsOne(t *testing.T) {
	const c, weak = 9, 0.3 // d = 3, two letters; the square of the least singular value
	G := mat.NewSymDense(c, nil)
	for i := range c {
		G.SetSym(i, i, 1)
	}
	// v is zero but for two opposite entries.
	G.SetSym(0, 0, 1+(weak-1)/2)
	G.SetSym(7, 7, 1+(weak-1)/2)
	G.SetSym(0, 7, (1-weak)/2)
	tri, ok := linalg.Cholesky(G)
	if !ok {
		t.Fatal("not positive")
	}
	R := mat.NewDense(c, c, nil)
	for i := range c {
		for k := i; k < c; k++ {
			R.Set(i, k, tri.Data[i*tri.Stride+k])
		}
	}
	// H is along v: as a matrix, 3×3, it has two entries and rank 2.
	H := mat.NewDense(c, 1, nil)
	H.Set(0, 0, 1)
	H.Set(7, 0, -1)
	B := new(mat.Dense)
	B.Mul(R, H)
	b := &factorBlock{l: 2, R: R, B: B, dof: 1}
	bound := b.excess(1, 3)
	// The nearest of rank 1 to H in the norm of R, over a grid of all that keep its two entries.
	least := math.Inf(1)
	for a := -2.0; a <= 2; a += 0.01 {
		for _, at := range []int{0, 7} {
			g := mat.NewDense(c, 1, nil)
			g.Set(at, 0, a)
			least = min(least, linalg.Squared(linalg.Residual(R, B, g)))
		}
	}
	if !(bound <= least) || b.least > weak || b.least < 0.2*weak {
		t.Errorf("the bound is %v, a model of rank 1 has %v; σ² is %v, taken for %v", bound, least, weak, b.least)
	}
}
