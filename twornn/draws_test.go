package twornn

import (
	"context"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
)

// many returns full if TWORNN_FULL is set, and else few.
func many(few, full int) uint64 {
	if os.Getenv("TWORNN_FULL") != "" {
		return uint64(full)
	}
	return uint64(few)
}

// drawSystem returns a system of m states beside a constant one: F with eigenvalues of absolute
// value up to 0.9, and products of the given size that leave it stable.
func drawSystem(m int, products float64, rnd *rand.Rand) *Model {
	for {
		q := NewModel(m+1, 2, 1)
		q.H0.SetVec(0, 1)
		q.A[0].Set(0, 0, 1)
		F := mat.NewDense(m, m, nil)
		for a := range m {
			q.A[1].Set(0, 1+a, rnd.NormFloat64())
			q.Omega.Set(0, 1+a, rnd.NormFloat64())
			for b := range m {
				F.Set(a, b, rnd.NormFloat64())
				q.A[1].Set(1+a, 1+b, products*rnd.NormFloat64()/math.Sqrt(float64(m)))
			}
		}
		q.Omega.Set(0, 0, rnd.NormFloat64())
		F.Scale((0.3+0.6*rnd.Float64())/spectralRadius(F), F)
		q.A[0].Slice(1, m+1, 1, m+1).(*mat.Dense).Copy(F)
		// The second moments of the states stay finite if F ⊗ F + N ⊗ N is stable.
		var K, NN mat.Dense
		K.Kronecker(F, F)
		N := q.A[1].Slice(1, m+1, 1, m+1)
		NN.Kronecker(N, N)
		K.Add(&K, &NN)
		if spectralRadius(&K) < 0.9 {
			return q
		}
	}
}

// tame returns a system with products and a run of it whose outputs stay within ten standard deviations.
func tame(rnd *rand.Rand, seed uint64) (*Model, Sequence) {
	for {
		m := drawSystem(2, 0.4, rnd)
		s, clean := along(m, 2000, 0.05, seed)
		y := mat.Col(nil, 0, clean)
		if mean, sd := stat.MeanStdDev(y, nil); max(slices.Max(y)-mean, mean-slices.Min(y)) < 10*sd {
			return m, s
		}
	}
}

func spectralRadius(a *mat.Dense) (most float64) {
	var eig mat.Eigen
	eig.Factorize(a, mat.EigenNone)
	for _, v := range eig.Values(nil) {
		most = max(most, math.Hypot(real(v), imag(v)))
	}
	return most
}

// Where the truth is linear a fit that may take products is hardly ever worse for it: in the
// median of draws at most 1 %, in none more than 10 % above the best linear fit, on fresh data.
func TestProductsThatAreNotThere(t *testing.T) {
	var ratio []float64
	taken := 0
	for seed := range many(12, 200) {
		m := drawSystem(2, 0, rand.New(pcg(100+seed)))
		s, _ := along(m, 400, 0.5, seed)
		test, _ := along(m, 2000, 0.5, 1000+seed)
		r := fit(t, slices.Values([]Sequence{s}), Options{})
		var linear Candidate
		for _, c := range r.Candidates {
			if c.Start == "linear" && (linear.Model == nil || c.Validation < linear.Validation) {
				linear = c
			}
		}
		if r.Interactions.Taken {
			taken++
		}
		ratio = append(ratio, meanSquare(r.Model, test.X, test.Y)/meanSquare(linear.Model, test.X, test.Y))
	}
	slices.Sort(ratio)
	median, most := ratio[len(ratio)/2], ratio[len(ratio)-1]
	t.Logf("%d draws, products taken in %d: median %.4f, most %.4f", len(ratio), taken, median, most)
	if median > 1.01 || most > 1.1 {
		t.Errorf("median %.4f, most %.4f of the linear fit's error", median, most)
	}
}

// A system with products is learnt from one run as well as by a descent from the truth, in 95 of
// 100 draws to 5 % of the error on fresh data.
func TestProductsThatAreThere(t *testing.T) {
	var ratio, clean []float64
	for seed := range many(6, 100) {
		m, s := tame(rand.New(pcg(500+seed)), seed)
		test, truth := along(m, 4000, 0.05, 1000+seed)
		c, err := Collect(slices.Values([]Sequence{s}))
		if err != nil {
			t.Fatal(err)
		}
		oracle, err := Likelihood(context.Background(), c, m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r := fit(t, slices.Values([]Sequence{s}), Options{})
		ratio = append(ratio, meanSquare(r.Model, test.X, test.Y)/meanSquare(oracle.Model, test.X, test.Y))
		clean = append(clean, meanSquare(r.Model, test.X, truth)/meanSquare(oracle.Model, test.X, truth))
		if v := ratio[len(ratio)-1]; v > 1.05 {
			t.Logf("draw %d: %.3g times the oracle's error, training MSE %.4g and %.4g\n%v", seed, v, r.MSE, oracle.MSE, r)
		}
	}
	slices.Sort(ratio)
	slices.Sort(clean)
	within, _ := slices.BinarySearch(ratio, 1.05)
	t.Logf("%d of %d draws within 1.05 of the oracle, most %.4f; without the noise of the test data median %.3f, most %.3f",
		within, len(ratio), ratio[len(ratio)-1], clean[len(clean)/2], clean[len(clean)-1])
	if misses := len(ratio) - within; misses > 1 && 100*within < 95*len(ratio) {
		t.Errorf("%d of %d draws are within 1.05 of the oracle", within, len(ratio))
	}
}
