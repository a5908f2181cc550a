package twornn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
)

// exact returns H⁽ˡ⁾ of m for the given lengths.
func exact(m *Model, lengths ...int) map[int]*tt.Tensor {
	h := map[int]*tt.Tensor{}
	for _, l := range lengths {
		h[l] = m.Hankel(l)
	}
	return h
}

// TestTheorem3 : from exact Hankel tensors, Spectral returns a model of the same
// function, whether the empty word's value is given or not.
func TestTheorem3(t *testing.T) {
	for _, s := range []struct{ n, d, p, L int }{{1, 1, 1, 1}, {2, 3, 1, 1}, {5, 3, 2, 2}, {3, 2, 1, 2}, {4, 2, 3, 2}, {8, 2, 1, 3}} {
		m := Random(s.n, s.d, s.p, 0.5, pcg(1))
		for name, c := range map[string]struct {
			b       Basis
			lengths []int
		}{
			"equal length":            {EqualLength, EqualLength.lengths(s.L)},
			"up to L":                 {UpToLength, UpToLength.lengths(s.L)},
			"up to L with the empty":  {UpToLength, append(UpToLength.lengths(s.L), 0)},
			"auto with three lengths": {Auto, EqualLength.lengths(s.L)},
			"auto with all":           {Auto, UpToLength.lengths(s.L)},
		} {
			for _, rank := range []int{s.n, 0} {
				got, values, err := Spectral(exact(m, c.lengths...), s.L, rank, c.b)
				if err != nil {
					t.Fatalf("%+v %s: %v", s, name, err)
				}
				if n, _, _ := got.Dims(); n != s.n {
					t.Errorf("%+v %s, rank %d: %d states; singular values %.2g", s, name, rank, n, values)
				}
				// Rounding grows by the condition of the block; the last singular
				// values are 1e-3 to 1e-5 of the first.
				if e := relativeError(t, got, m, 2*s.L+3); e > 1e-8 {
					t.Errorf("%+v %s, rank %d: relative error %.2g", s, name, rank, e)
				}
			}
		}
	}
}

// TestTheorem3FromDenseTensors: trains of full rank, as least squares gives them,
// serve as well as those of rank n.
func TestTheorem3FromDenseTensors(t *testing.T) {
	m := Random(4, 3, 2, 0.5, pcg(2))
	h := exact(m, 2, 4, 5)
	for l, a := range h {
		full, err := a.Full()
		if err != nil {
			t.Fatal(err)
		}
		if h[l], err = tt.SVD(full, a.Dims(), 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	got, _, err := Spectral(h, 2, 4, EqualLength)
	if err != nil {
		t.Fatal(err)
	}
	if e := relativeError(t, got, m, 7); e > 1e-9 {
		t.Errorf("relative error %.2g", e)
	}
}

// TestSpectralNeverExpands: at L = 50 the block is 3⁵⁰×3⁵⁰·2; only its train is
// held. The model's states are kept of size one by orthogonal transitions.
func TestSpectralNeverExpands(t *testing.T) {
	n := 4
	m := Random(n, 3, 2, 1, pcg(3))
	for i, a := range m.A {
		rnd := rand.New(rand.NewPCG(uint64(i), 1))
		for r := range n {
			for c := range n {
				a.Set(r, c, rnd.NormFloat64())
			}
		}
		q, _ := linalg.ThinQR(a)
		a.Scale(1/math.Sqrt(3), q)
	}
	got, _, err := Spectral(exact(m, 50, 100, 101), 50, n, EqualLength)
	if err != nil {
		t.Fatal(err)
	}
	if e := relativeError(t, got, m, 6); e > 1e-8 {
		t.Errorf("relative error %.2g", e)
	}
}

// TestEqualLengthLosesForecasters shows fact and remedy: y_k = W x_k with a bias
// has a block of rank 1 over words of equal length, whatever L, since what follows
// a prefix depends on nothing but whether all its biases were on. With the empty
// suffix in the block (Appendix B) the function is found exactly.
func TestEqualLengthLosesForecasters(t *testing.T) {
	W := mat.NewDense(2, 3, []float64{0.5, 1, -0.2, 0.1, 0.3, 0.7})
	m := lastInput(W)
	x := mat.NewDense(2, 3, []float64{1, 5, 6, 1, -2, 3})
	if y := m.Predict(nil, x); math.Abs(y[0]-(0.5-2-0.6)) > 1e-14 || math.Abs(y[1]-(0.1-0.6+2.1)) > 1e-14 {
		t.Fatalf("lastInput predicts %v", y)
	}
	for _, L := range []int{1, 2, 3} {
		got, values, err := Spectral(exact(m, UpToLength.lengths(L)...), L, 0, EqualLength)
		if err != nil {
			t.Fatal(err)
		}
		if n, _, _ := got.Dims(); n != 1 {
			t.Errorf("L = %d: the equal-length block has rank %d, want 1: %.2g", L, n, values)
		}
		if y := got.Predict(nil, x); math.Abs(y[0]-0.5) > 1e-9 && math.Abs(y[0]-m.Predict(nil, x)[0]) < 1e-3 {
			t.Errorf("L = %d: the equal-length basis predicts %v after all", L, y)
		}
		got, _, err = Spectral(exact(m, UpToLength.lengths(L)...), L, 0, UpToLength)
		if err != nil {
			t.Fatal(err)
		}
		if y, want := got.Predict(nil, x), m.Predict(nil, x); math.Abs(y[0]-want[0]) > 1e-10 || math.Abs(y[1]-want[1]) > 1e-10 {
			t.Errorf("L = %d: words up to L predict %v, want %v", L, y, want)
		}
	}
}

// TestRanksAreNested: a lower rank of the equal-length basis keeps leading states.
func TestRanksAreNested(t *testing.T) {
	m := Random(5, 3, 2, 0.5, pcg(4))
	h := exact(m, 2, 4, 5)
	whole, _, err := Spectral(h, 2, 5, EqualLength)
	if err != nil {
		t.Fatal(err)
	}
	part, _, err := Spectral(h, 2, 3, EqualLength)
	if err != nil {
		t.Fatal(err)
	}
	for i := range part.A {
		if !mat.Equal(part.A[i], whole.A[i].Slice(0, 3, 0, 3)) {
			t.Error("the leading states differ")
		}
	}
}

// TestWithoutTheEmptyWord: four states of three inputs at L = 1 need the row of the
// empty prefix, and so f(λ); without it the rank is refused, not guessed at, and a
// longer L does without.
func TestWithoutTheEmptyWord(t *testing.T) {
	m := Random(4, 3, 2, 0.5, pcg(9))
	if _, _, err := Spectral(exact(m, 1, 2, 3), 1, 4, UpToLength); err == nil || !strings.Contains(err.Error(), "at most 3 is possible") {
		t.Errorf("without f(λ): %v", err)
	}
	got, _, err := Spectral(exact(m, 0, 1, 2, 3), 1, 4, UpToLength)
	if err != nil {
		t.Fatal(err)
	}
	if e := relativeError(t, got, m, 5); e > 1e-8 {
		t.Errorf("with f(λ): relative error %.2g", e)
	}
	if r := fit(t, drawLengths(m, 300, 0, 1, 1, 2, 3, 4, 5), Options{}); r.L != 2 || r.Rank != 4 || relativeError(t, r, m, 6) > 1e-7 {
		t.Errorf("L = %d, rank %d: %v", r.L, r.Rank, r)
	}
}

func TestRankIsCutAtRounding(t *testing.T) {
	m := Random(2, 3, 1, 0.7, pcg(5))
	for _, b := range []Basis{EqualLength, UpToLength} {
		got, _, err := Spectral(exact(m, UpToLength.lengths(2)...), 2, 4, b)
		if err != nil {
			t.Fatal(err)
		}
		if n, _, _ := got.Dims(); n != 2 {
			t.Errorf("%v: %d states of a function of rank 2", b, n)
		}
		if e := relativeError(t, got, m, 8); e > 1e-9 {
			t.Errorf("%v: relative error %.2g", b, e)
		}
	}
}

func TestSpectralOfZero(t *testing.T) {
	m := NewModel(2, 3, 2)
	for _, b := range []Basis{EqualLength, UpToLength} {
		got, _, err := Spectral(exact(m, UpToLength.lengths(1)...), 1, 2, b)
		if err != nil {
			t.Fatal(err)
		}
		if y := got.Predict(nil, mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})); y[0] != 0 || y[1] != 0 {
			t.Errorf("%v: %v", b, y)
		}
	}
}

func TestSpectralErrors(t *testing.T) {
	m := Random(2, 2, 1, 1, pcg(6))
	for _, c := range []struct {
		h    map[int]*tt.Tensor
		L    int
		rank int
		b    Basis
		want string
	}{
		{exact(m, 2, 4), 2, 2, Auto, "L = 2 with words of equal length needs sequences (or outputs) of length 2, 4 and 5; none were collected of length 5"},
		{exact(m, 1, 2), 1, 2, UpToLength, "length 1, 2 and 3; none were collected of length 3"},
		{exact(m, 1, 2, 3), 1, 3, EqualLength, "rank too high: 3 asked for; with L = 1, 2 inputs and words of equal length at most 2 is possible"},
		{exact(m, 0, 1, 2, 3), 1, 4, UpToLength, "at most 3 is possible"},
		{exact(m, 1, 2, 3), 1, 3, UpToLength, "at most 2 is possible"},
		{exact(m, 1, 2, 3), 1, -1, Auto, "rank -1: it may not be negative"},
	} {
		_, _, err := Spectral(c.h, c.L, c.rank, c.b)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %q", err, c.want)
		}
	}
	big := Random(1, 60, 1, 1, pcg(7)) // 3661 words
	if _, _, err := Spectral(exact(big, 1, 2, 3, 4, 5), 2, 1, UpToLength); err == nil || !strings.Contains(err.Error(), "lower L") {
		t.Errorf("a block too large to write out: %v", err)
	}
	bad := exact(m, 1, 2, 3)
	bad[2].Core(0).Data[0] = math.NaN()
	for _, b := range []Basis{EqualLength, UpToLength} {
		if _, _, err := Spectral(bad, 1, 2, b); err == nil {
			t.Errorf("%v: a NaN passes", b)
		}
	}
	mustPanic(t, "L", func() { _, _, _ = Spectral(exact(m, 1), 0, 1, Auto) })
	mixed := exact(m, 1, 2)
	mixed[3] = Random(2, 3, 1, 1, pcg(8)).Hankel(3)
	mustPanic(t, "dimensions", func() { _, _, _ = Spectral(mixed, 1, 1, Auto) })
}

func TestBasisString(t *testing.T) {
	if got := fmt.Sprint(Auto, EqualLength, UpToLength, Basis(7)); got != "auto words of equal length words up to length L Basis(7)" {
		t.Error(got)
	}
}

// TestTheorem3FromAnyFactorisation: (PM)(M⁻¹S) gives the same function for every M, and
// so does the factorisation by columns of H itself, which is nobody's SVD.
func TestTheorem3FromAnyFactorisation(t *testing.T) {
	m := Random(4, 3, 2, 0.6, pcg(1))
	h := exact(m, 2, 4, 5)
	H, err := h[4].Unfold(2)
	if err != nil {
		t.Fatal(err)
	}
	split, err := tt.NewSplit(h[4], 2)
	if err != nil {
		t.Fatal(err)
	}
	P, _ := split.P.Unfold(2)
	V, _ := split.V.Unfold(1)
	var S mat.Dense
	S.Mul(mat.NewDiagDense(4, split.Values), V)
	want, _, err := Spectral(h, 2, 4, EqualLength)
	if err != nil {
		t.Fatal(err)
	}
	check := func(name string, P, S *mat.Dense) {
		got, err := FromFactors(P, S, h, 2)
		if err != nil {
			t.Fatal(err)
		}
		if e := relativeError(t, got, m, 6); e > 1e-8 {
			t.Errorf("%s: relative error %.2g", name, e)
		}
		if equal, word, err := Equal(got, want, 1e-7); !equal {
			t.Errorf("%s: differs from Spectral on %v (%v)", name, word, err)
		}
	}
	check("SVD", P, &S)
	for seed := range uint64(5) {
		M := Random(4, 1, 1, 1, pcg(seed+10)).A[0]
		var inv, PM, MS mat.Dense
		if err := inv.Inverse(M); err != nil {
			t.Fatal(err)
		}
		PM.Mul(P, M)
		MS.Mul(&inv, &S)
		check("random M", &PM, &MS)
	}
	// Four columns of H that span the others, and the coefficients.
	C := mat.DenseCopyOf(H.Slice(0, 9, 0, 4))
	Cp, err := linalg.PseudoInverse(C)
	if err != nil {
		t.Fatal(err)
	}
	var coef mat.Dense
	coef.Mul(Cp, H)
	check("columns of H", C, &coef)

	mustPanic(t, "shapes", func() { _, _ = FromFactors(P, P, h, 2) })
	if _, err := FromFactors(P, &S, exact(m, 2), 2); err == nil {
		t.Error("a missing tensor")
	}
}

// TestRankTooLowSaysSo, and TestRankTooHighConverges beside it, are the paper's figure
// on rank.
func TestRankTooLowSaysSo(t *testing.T) {
	m := Random(3, 3, 1, 0.6, pcg(2))
	for name, r := range map[string]Recovery{"least squares": LeastSquares{}, "TIHT": TIHT{}} {
		for rank, want := range map[int]bool{1: true, 2: true, 3: false} {
			f := fit(t, drawLengths(m, 1500, 0.02, 2, 2, 4, 5), Options{L: 2, Rank: rank, Recovery: r})
			if f.Has(RankLow) != want {
				t.Errorf("%s, rank %d of 3: warning %v, want %v: %v", name, rank, !want, want, f)
			}
		}
	}
}
