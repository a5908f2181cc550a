package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func random(r, c int, seed uint64) *mat.Dense {
	rnd := rand.New(rand.NewPCG(seed, 2))
	m := mat.NewDense(r, c, nil)
	for i := range r {
		for j := range c {
			m.Set(i, j, rnd.NormFloat64())
		}
	}
	return m
}

var sizes = [][2]int{{1, 1}, {1, 5}, {5, 1}, {7, 7}, {40, 9}, {9, 40}, {200, 150}}

func TestRKeepsTheGramMatrix(t *testing.T) {
	for _, s := range sizes {
		a := random(s[0], s[1], 1)
		var want, got mat.Dense
		want.Mul(a.T(), a)
		R(a)
		got.Mul(a.T(), a)
		if !mat.EqualApprox(&got, &want, 1e-12*float64(s[0])) {
			t.Errorf("%v: RᵀR is not aᵀa", s)
		}
		for i := 1; i < s[0]; i++ {
			for j := range min(i, s[1]) {
				if a.At(i, j) != 0 {
					t.Errorf("%v: entry below the diagonal", s)
				}
			}
		}
	}
}

func TestThinQR(t *testing.T) {
	for _, s := range sizes {
		a := random(s[0], s[1], 2)
		q, r := ThinQR(a)
		var qr, qtq mat.Dense
		qr.Mul(q, r)
		if !mat.EqualApprox(&qr, a, 1e-12) {
			t.Errorf("%v: QR is not a", s)
		}
		qtq.Mul(q.T(), q)
		k := min(s[0], s[1])
		eye := mat.NewDiagDense(k, nil)
		for i := range k {
			eye.SetDiag(i, 1)
		}
		if !mat.EqualApprox(&qtq, eye, 1e-13) {
			t.Errorf("%v: Q is not orthonormal", s)
		}
	}
}

// TestLeastSquares checks the two conditions that define the solution of least
// squares with minimum norm: aᵀ(ax − b) = 0 and x in the row space of a.
func TestLeastSquares(t *testing.T) {
	for _, s := range sizes {
		for _, deficient := range []bool{false, true} {
			a, b := random(s[0], s[1], 3), random(s[0], 2, 4)
			want := min(s[0], s[1])
			if deficient {
				if want < 3 {
					continue
				}
				want = 2
				a.Mul(random(s[0], 2, 5), random(2, s[1], 6))
			}
			t.Run(fmt.Sprintf("%dx%d deficient %v", s[0], s[1], deficient), func(t *testing.T) {
				x, rank, rcond, err := LeastSquares(a, b, 0)
				if err != nil {
					t.Fatal(err)
				}
				if rank != want {
					t.Errorf("rank %d, want %d", rank, want)
				}
				if rcond < 0 || rcond > 1 {
					t.Errorf("rcond %v", rcond)
				}
				var res, grad mat.Dense
				res.Mul(a, x)
				res.Sub(&res, b)
				grad.Mul(a.T(), &res)
				if g := mat.Norm(&grad, 2); g > 1e-9 {
					t.Errorf("gradient %v at the minimum", g)
				}
				// The part of x outside the row space is x − V Vᵀ x.
				_, sv, v, err := SVD(a)
				if err != nil {
					t.Fatal(err)
				}
				k := Rank(sv, 1e-10)
				vk := v.Slice(0, s[1], 0, k)
				var coef, in mat.Dense
				coef.Mul(vk.T(), x)
				in.Mul(vk, &coef)
				if !mat.EqualApprox(&in, x, 1e-8*(1+mat.Norm(x, 2))) {
					t.Error("x has a part outside the row space: its norm is not minimal")
				}
			})
		}
	}
}

func TestLeastSquaresEdges(t *testing.T) {
	x, rank, _, err := LeastSquares(mat.NewDense(3, 2, nil), random(3, 1, 1), 0)
	if err != nil || rank != 0 || mat.Norm(x, 2) != 0 {
		t.Errorf("zero matrix: x %v, rank %d, err %v", x, rank, err)
	}
	for _, bad := range []float64{math.NaN(), math.Inf(1)} {
		a := random(3, 3, 1)
		a.Set(0, 0, bad)
		if _, _, _, err := LeastSquares(a, random(3, 1, 2), 0); err == nil {
			t.Errorf("%v accepted in a", bad)
		}
		if _, _, _, err := LeastSquares(random(3, 3, 1), a, 0); err == nil {
			t.Errorf("%v accepted in b", bad)
		}
		// gonum's SVD hangs on a 3×3 matrix with an infinity.
		if _, _, _, err := SVD(a); err == nil {
			t.Errorf("SVD accepts %v", bad)
		}
	}
}
