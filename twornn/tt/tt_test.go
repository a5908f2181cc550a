package tt

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// random returns a train with the given dimensions and ranks, entries N(0, 1).
func random(dims, ranks []int, seed uint64) *Tensor {
	rnd := rand.New(rand.NewPCG(seed, 1))
	cores := make([]Core, len(dims))
	left := 1
	for k, d := range dims {
		right := 1
		if k < len(ranks) {
			right = ranks[k]
		}
		cores[k] = NewCore(left, d, right)
		for i := range cores[k].Data {
			cores[k].Data[i] = rnd.NormFloat64()
		}
		left = right
	}
	return New(cores...)
}

var shapes = []struct{ dims, ranks []int }{
	{[]int{4}, nil},
	{[]int{3, 2}, []int{2}},
	{[]int{1, 1, 1}, []int{1, 1}},
	{[]int{3, 3, 3, 2}, []int{2, 3, 2}},
	{[]int{2, 3, 4, 2, 1}, []int{2, 4, 3, 1}},
	{[]int{2, 2, 2}, []int{5, 4}}, // ranks above what the dimensions can carry
}

// each calls f with every index of a tensor with the given dimensions, in row-major order.
func each(dims []int, f func(pos int, index []int)) {
	size := 1
	for _, d := range dims {
		size *= d
	}
	index := make([]int, len(dims))
	for pos := range size {
		rest := pos
		for k := len(dims) - 1; k >= 0; k-- {
			index[k] = rest % dims[k]
			rest /= dims[k]
		}
		f(pos, index)
	}
}

func full(t *testing.T, a *Tensor) []float64 {
	t.Helper()
	f, err := a.Full()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// relDiff returns ‖a − b‖ / (1 + ‖b‖).
func relDiff(a, b []float64) float64 {
	var d, n float64
	for i := range a {
		d += (a[i] - b[i]) * (a[i] - b[i])
		n += b[i] * b[i]
	}
	return math.Sqrt(d) / (1 + math.Sqrt(n))
}

func TestFullIsAt(t *testing.T) {
	for _, s := range shapes {
		a := random(s.dims, s.ranks, 1)
		f := full(t, a)
		each(s.dims, func(pos int, index []int) {
			if got := a.At(index...); math.Abs(got-f[pos]) > 1e-13*(1+math.Abs(got)) {
				t.Errorf("%v: At%v = %v, Full has %v", s.dims, index, got, f[pos])
			}
		})
	}
}

func TestUnfoldIsRowMajor(t *testing.T) {
	a := random([]int{2, 3, 4}, []int{2, 2}, 2)
	for k, rows := range []int{1, 2, 6, 24} {
		m, err := a.Unfold(k)
		if err != nil {
			t.Fatal(err)
		}
		if r, c := m.Dims(); r != rows || c != 24/rows {
			t.Errorf("Unfold(%d) is %d×%d", k, r, c)
		}
		if d := relDiff(m.RawMatrix().Data, full(t, a)); d != 0 {
			t.Errorf("Unfold(%d) reorders the entries", k)
		}
	}
}

func TestDotAndNormAgainstFull(t *testing.T) {
	for _, s := range shapes {
		a, b := random(s.dims, s.ranks, 3), random(s.dims, nil1(s.ranks), 4)
		fa, fb := full(t, a), full(t, b)
		want := mat.Dot(mat.NewVecDense(len(fa), fa), mat.NewVecDense(len(fb), fb))
		if got := Dot(a, b); math.Abs(got-want) > 1e-12*(1+a.Norm()*b.Norm()) {
			t.Errorf("%v: Dot = %v, want %v", s.dims, got, want)
		}
	}
}

// nil1 returns ranks of one in place of those given.
func nil1(ranks []int) []int {
	out := make([]int, len(ranks))
	for i := range out {
		out[i] = 1
	}
	return out
}

func TestSVDIsExactAtFullRank(t *testing.T) {
	for _, s := range shapes {
		f := full(t, random(s.dims, s.ranks, 5))
		a, err := SVD(f, s.dims, 0, 0)
		if err != nil {
			t.Fatal(err)
		}
		// Rounding in a handful of small SVDs: a few hundred epsilons.
		if d := relDiff(full(t, a), f); d > 1e-13 {
			t.Errorf("%v: relative error %.2g", s.dims, d)
		}
	}
}

func TestSVDFindsTheRanks(t *testing.T) {
	dims, ranks := []int{3, 3, 3, 3, 2}, []int{2, 3, 3, 2}
	a, err := SVD(full(t, random(dims, ranks, 6)), dims, 0, 1e-12)
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(a.Ranks()); got != fmt.Sprint(ranks) {
		t.Errorf("ranks %v, want %v", got, ranks)
	}
}

// TestSVDIsQuasiOptimal: the error at rank R is at most √(m−1) times that of the
// best approximation, which is itself no less than the largest tail of any
// unfolding's singular values.
func TestSVDIsQuasiOptimal(t *testing.T) {
	dims := []int{3, 4, 3, 4}
	f := full(t, random(dims, []int{3, 9, 4}, 7))
	for rank := 1; rank <= 4; rank++ {
		a, err := SVD(f, dims, rank, 0)
		if err != nil {
			t.Fatal(err)
		}
		var least float64
		for k, rows := range map[int]int{1: 3, 2: 12, 3: 36} {
			var svd mat.SVD
			svd.Factorize(mat.NewDense(rows, len(f)/rows, f), mat.SVDNone)
			var tail float64
			for _, s := range svd.Values(nil)[min(rank, len(svd.Values(nil))):] {
				tail += s * s
			}
			least = max(least, math.Sqrt(tail))
			if r := a.Ranks()[k-1]; r > rank {
				t.Errorf("rank %d: bond %d has rank %d", rank, k, r)
			}
		}
		diff := mat.NewVecDense(len(f), nil)
		diff.SubVec(mat.NewVecDense(len(f), full(t, a)), mat.NewVecDense(len(f), f))
		if got := mat.Norm(diff, 2); got > math.Sqrt(3)*least+1e-12 || got < least-1e-10 {
			t.Errorf("rank %d: error %.4g, best is at least %.4g", rank, got, least)
		}
	}
}

func TestSVDKeepsItsTolerance(t *testing.T) {
	dims := []int{3, 4, 3, 4}
	f := full(t, random(dims, []int{3, 9, 4}, 8))
	norm := mat.Norm(mat.NewVecDense(len(f), f), 2)
	for _, tol := range []float64{1e-3, 0.1, 0.5, 0.9} {
		a, err := SVD(f, dims, 0, tol)
		if err != nil {
			t.Fatal(err)
		}
		diff := mat.NewVecDense(len(f), nil)
		diff.SubVec(mat.NewVecDense(len(f), full(t, a)), mat.NewVecDense(len(f), f))
		if got := mat.Norm(diff, 2); got > tol*norm {
			t.Errorf("tol %g: relative error %g", tol, got/norm)
		}
	}
}

func TestSplitFactorisesTheUnfolding(t *testing.T) {
	for _, s := range shapes {
		a := random(s.dims, s.ranks, 9)
		for k := 1; k < len(s.dims); k++ {
			split, err := NewSplit(a, k)
			if err != nil {
				t.Fatal(err)
			}
			P, _ := split.P.Unfold(k)
			V, _ := split.V.Unfold(1)
			r := len(split.Values)
			var ps, got, ptp, vvt mat.Dense
			ps.Mul(P, mat.NewDiagDense(r, split.Values))
			got.Mul(&ps, V)
			if d := relDiff(got.RawMatrix().Data, full(t, a)); d > 1e-13 {
				t.Errorf("%v at %d: P diag(s) V is off by %.2g", s.dims, k, d)
			}
			eye := mat.NewDiagDense(r, nil)
			for i := range r {
				eye.SetDiag(i, 1)
			}
			ptp.Mul(P.T(), P)
			vvt.Mul(V, V.T())
			if !mat.EqualApprox(&ptp, eye, 1e-13) || !mat.EqualApprox(&vvt, eye, 1e-13) {
				t.Errorf("%v at %d: P or V is not orthonormal", s.dims, k)
			}
			// The projections of a itself: Pᵀ (first cores) (last cores) Vᵀ = diag(s).
			var c mat.Dense
			c.Mul(split.PTimes(a), split.VTimes(a).T())
			if !mat.EqualApprox(&c, mat.NewDiagDense(r, split.Values), 1e-12*(1+split.Values[0])) {
				t.Errorf("%v at %d: the projections do not give the singular values", s.dims, k)
			}
		}
	}
}

func TestSizeIsRefusedBeforeAllocation(t *testing.T) {
	dims := make([]int, 50)
	for k := range dims {
		dims[k] = 3
	}
	a := random(dims, nil1(dims[1:]), 10)
	if _, err := a.Full(); !errors.Is(err, ErrSize) {
		t.Errorf("Full of 3⁵⁰ entries: %v", err)
	}
	if v := a.At(make([]int, 50)...); math.IsNaN(v) {
		t.Error("At fails where Full must")
	}
}

func TestNotFiniteIsAnError(t *testing.T) {
	for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if _, err := SVD([]float64{1, 2, bad, 4}, []int{2, 2}, 0, 0); err == nil {
			t.Errorf("SVD accepts %v", bad)
		}
		if _, err := SVD([]float64{bad}, []int{1}, 0, 0); err == nil {
			t.Errorf("SVD of order 1 accepts %v", bad)
		}
		if _, err := NewPoint(New(Core{1, 1, 1, []float64{bad}})); err == nil {
			t.Errorf("NewPoint of order 1 accepts %v", bad)
		}
		a := random([]int{2, 2}, []int{2}, 11)
		a.cores[1].Data[0] = bad
		if _, err := NewSplit(a, 1); err == nil {
			t.Errorf("NewSplit accepts %v", bad)
		}
	}
}

func TestMisusePanics(t *testing.T) {
	a := random([]int{2, 2}, []int{2}, 12)
	for name, f := range map[string]func(){
		"no cores":     func() { New() },
		"ranks":        func() { New(NewCore(1, 2, 2), NewCore(3, 2, 1)) },
		"last rank":    func() { New(NewCore(1, 2, 2)) },
		"index count":  func() { a.At(0) },
		"index range":  func() { a.At(0, 2) },
		"dense size":   func() { _, _ = SVD(make([]float64, 3), []int{2, 2}, 0, 0) },
		"bond":         func() { _, _ = NewSplit(a, 2) },
		"other dims":   func() { Dot(a, random([]int{2, 3}, []int{2}, 1)) },
		"other order":  func() { Dot(a, random([]int{2}, nil, 1)) },
		"sum":          func() { new(Tensor).Add(a, random([]int{2, 3}, []int{2}, 1)) },
		"vectors":      func() { _, _ = a.Contract(nil, nil, nil) },
		"vector":       func() { _, _ = a.Contract([]float64{1}) },
		"mode":         func() { new(Tensor).ModeProduct(a, 0, mat.NewDense(2, 3, nil)) },
		"no unfolding": func() { _, _ = a.Unfold(3) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func TestModeProductAgainstFull(t *testing.T) {
	for _, s := range shapes {
		a := random(s.dims, s.ranks, 13)
		for k, d := range s.dims {
			M := mat.NewDense(3, d, full(t, random([]int{3, d}, []int{2}, 14)))
			b := new(Tensor)
			b.ModeProduct(a, k, M)
			each(b.Dims(), func(_ int, index []int) {
				var want float64
				at := append([]int(nil), index...)
				for j := range d {
					at[k] = j
					want += M.At(index[k], j) * a.At(at...)
				}
				if got := b.At(index...); math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
					t.Fatalf("%v ×%d M at %v: %v, want %v", s.dims, k, index, got, want)
				}
			})
		}
	}
}

func TestAddAndScaleAgainstFull(t *testing.T) {
	for _, s := range shapes {
		a, b := random(s.dims, s.ranks, 15), random(s.dims, nil1(s.ranks), 16)
		fa, fb := full(t, a), full(t, b)
		var sum, half Tensor
		sum.Add(a, b)
		half.Scale(-0.5, a)
		for i, v := range full(t, &sum) {
			if math.Abs(v-fa[i]-fb[i]) > 1e-12*(1+math.Abs(v)) {
				t.Fatalf("%v: entry %d of the sum", s.dims, i)
			}
		}
		for i, v := range full(t, &half) {
			if v != -0.5*fa[i] && math.Abs(v+0.5*fa[i]) > 1e-13*(1+math.Abs(v)) {
				t.Fatalf("%v: entry %d of the half", s.dims, i)
			}
		}
		if relDiff(full(t, a), fa) != 0 {
			t.Error("an argument changed")
		}
	}
}

// The distance is that of the entries, of a tensor from itself nothing, and for one too large
// to write out it is that of the trains.
func TestDistanceAgainstFull(t *testing.T) {
	for _, s := range shapes {
		a, b := random(s.dims, s.ranks, 15), random(s.dims, nil1(s.ranks), 16)
		fa, fb := full(t, a), full(t, b)
		var d, n float64
		for i := range fa {
			d += (fa[i] - fb[i]) * (fa[i] - fb[i])
			n += fb[i] * fb[i]
		}
		if got, want := Distance(a, b), math.Sqrt(d/n); math.Abs(got-want) > 1e-12*want {
			t.Errorf("%v: %v, want %v", s.dims, got, want)
		}
		if got := Distance(a, a); got > 1e-14 {
			t.Errorf("%v: %v from itself", s.dims, got)
		}
	}
	var twice Tensor
	large := random(slices.Repeat([]int{3}, 30), slices.Repeat([]int{2}, 29), 17)
	twice.Scale(2, large)
	if got := Distance(large, &twice); math.Abs(got-0.5) > 1e-7 {
		t.Errorf("3^30 entries: %v from its double", got)
	}
}

func TestContractAgainstFull(t *testing.T) {
	rnd := rand.New(rand.NewPCG(17, 1))
	for _, s := range shapes {
		a := random(s.dims, s.ranks, 17)
		var x [][]float64
		for _, d := range s.dims {
			v := make([]float64, d)
			for i := range v {
				v[i] = rnd.NormFloat64()
			}
			x = append(x, v)
		}
		for k := 0; k <= len(s.dims); k++ {
			got, err := a.Contract(x[:k]...)
			if err != nil {
				t.Fatal(err)
			}
			want := make([]float64, len(got))
			each(s.dims, func(pos int, index []int) {
				w := a.At(index...)
				for j := range k {
					w *= x[j][index[j]]
				}
				want[pos%len(want)] += w
			})
			if d := relDiff(got, want); d > 1e-12 {
				t.Errorf("%v with %d vectors: off by %.2g", s.dims, k, d)
			}
		}
	}
}

// TestRoundIsExact: what is of a lower rank than its train says loses the surplus
// ranks and nothing else.
func TestRoundIsExact(t *testing.T) {
	for _, s := range shapes {
		a := random(s.dims, s.ranks, 18)
		var twice, got Tensor
		twice.Add(a, a)
		if err := got.Round(&twice, 0, 1e-13); err != nil {
			t.Fatal(err)
		}
		want := full(t, a)
		for i := range want {
			want[i] *= 2
		}
		if d := relDiff(full(t, &got), want); d > 1e-12 {
			t.Errorf("%v: rounding is off by %.2g", s.dims, d)
		}
		tight, err := SVD(want, s.dims, 0, 1e-12)
		if err != nil {
			t.Fatal(err)
		}
		if g, w := fmt.Sprint(got.Ranks()), fmt.Sprint(tight.Ranks()); g != w {
			t.Errorf("%v: ranks %v, want %v", s.dims, g, w)
		}
	}
}

// TestRoundIsTheSVD: at any rank and tolerance, rounding a train gives what the
// TT-SVD of the dense tensor gives.
func TestRoundIsTheSVD(t *testing.T) {
	dims := []int{3, 4, 3, 4}
	a := random(dims, []int{3, 9, 4}, 19)
	f := full(t, a)
	for _, c := range []struct {
		rank int
		tol  float64
	}{{1, 0}, {2, 0}, {3, 0}, {0, 0.1}, {0, 0.5}, {2, 0.3}} {
		want, err := SVD(f, dims, c.rank, c.tol)
		if err != nil {
			t.Fatal(err)
		}
		var got Tensor
		if err := got.Round(a, c.rank, c.tol); err != nil {
			t.Fatal(err)
		}
		if d := relDiff(full(t, &got), full(t, want)); d > 1e-11 {
			t.Errorf("rank %d, tol %g: differs from the TT-SVD by %.2g", c.rank, c.tol, d)
		}
	}
	bad := random(dims, []int{2, 2, 2}, 20)
	bad.cores[2].Data[0] = math.NaN()
	if err := new(Tensor).Round(bad, 1, 0); err == nil {
		t.Error("a NaN is rounded")
	}
}

// TestRoundOfZero keeps rank one and the value zero.
func TestRoundOfZero(t *testing.T) {
	var zero, got Tensor
	zero.Scale(0, random([]int{2, 3, 2}, []int{2, 2}, 21))
	if err := got.Round(&zero, 2, 0); err != nil || got.Norm() != 0 {
		t.Errorf("norm %v, %v", got.Norm(), err)
	}
}
