package twornn

import (
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
)

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
