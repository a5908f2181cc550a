package baseline

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// armas are tried against dense matrices: roots far from the circle, so that the sums
// of impulses that stand for infinite ones end, and none, seasonal and mixed orders.
var armas = []ARIMA{
	{Order: Order{}},
	{Order: Order{P: 1, Constant: true}, AR: []float64{0.8}},
	{Order: Order{Q: 1}, MA: []float64{-0.6}},
	{Order: Order{P: 2, Q: 1, Constant: true}, AR: []float64{1.2, -0.5}, MA: []float64{0.4}},
	{Order: Order{P: 1, Q: 3}, AR: []float64{-0.7}, MA: []float64{0.3, 0.2, -0.4}},
	{Order: Order{P: 3, Constant: true}, AR: []float64{0.5, -0.3, 0.4}},
	{Order: Order{P: 1, Q: 1, SP: 1, SQ: 1, Season: 4, Constant: true}, AR: []float64{0.5}, MA: []float64{0.3}, SAR: []float64{0.6}, SMA: []float64{-0.4}},
	{Order: Order{SQ: 1, Season: 6}, SMA: []float64{-0.8}},
}

// covariance returns the n×n covariance of a run of the ARMA with noise of variance 1,
// by the definition: sums of products of impulses, 4,000 of them.
func covariance(m *ARIMA, n int) *mat.SymDense {
	a, b := m.arma()
	psi := impulses(a, b, 4000+n)
	c := mat.NewSymDense(n, nil)
	for k := range n {
		var gamma float64
		for i := range 4000 {
			gamma += psi[i] * psi[i+k]
		}
		for i := range n - k {
			c.SetSym(i, i+k, gamma)
		}
	}
	return c
}

// TestLikelihoodAgainstDense: the recursions give the Gaussian density that Cholesky's
// factor of the dense covariance gives, with the same mean and variance. 1e-9 is some
// thousand roundings of logarithms of order 100.
func TestLikelihoodAgainstDense(t *testing.T) {
	const n = 40
	rnd := rand.New(rand.NewPCG(4, 1))
	for _, m := range armas {
		w, ones := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
		for i := range n {
			w.SetVec(i, 3+rnd.NormFloat64())
			ones.SetVec(i, 1)
		}
		var chol mat.Cholesky
		if !chol.Factorize(covariance(&m, n)) {
			t.Fatal("the covariance is not positive definite")
		}
		mean := 0.0
		var z mat.VecDense
		if m.Constant {
			if err := chol.SolveVecTo(&z, ones); err != nil {
				t.Fatal(err)
			}
			mean = mat.Dot(&z, w) / mat.Dot(&z, ones)
		}
		w.AddScaledVec(w, -mean, ones)
		if err := chol.SolveVecTo(&z, w); err != nil {
			t.Fatal(err)
		}
		sigma2 := mat.Dot(&z, w) / n
		want := likelihood{mean, sigma2, -0.5 * (n*math.Log(2*math.Pi*sigma2) + chol.LogDet() + n)}
		w.AddScaledVec(w, mean, ones)
		a, b := m.arma()
		got, ok := evaluate(w.RawVector().Data, a, b, m.Constant)
		if !ok || !near([]float64{got.mean, got.sigma2, got.loglik}, []float64{want.mean, want.sigma2, want.loglik}, 1e-9) {
			t.Errorf("%v: %v, dense %v", m.Order, got, want)
		}
	}
}

// TestGainsClosed: the variance of an innovation of an AR(1) is 1/(1−φ²) and then 1;
// of an MA(1), (1+θ²+…+θ²ᵗ⁺²)/(1+θ²+…+θ²ᵗ) after t rows, down to 1.
func TestGainsClosed(t *testing.T) {
	for _, v := range []float64{0.3, -0.9, 0.999} {
		ar, _ := newGains([]float64{v}, nil)
		ma, _ := newGains(nil, []float64{v})
		num, den := 1+v*v, 1.0
		for row := range 50 {
			want := 1.0
			if row == 0 {
				want = 1 / (1 - v*v)
			}
			if math.Abs(ar.F-want) > 1e-13*want {
				t.Fatalf("AR %v, row %d: F %v, want %v", v, row, ar.F, want)
			}
			if math.Abs(ma.F-num/den) > 1e-13 {
				t.Fatalf("MA %v, row %d: F %v, want %v", v, row, ma.F, num/den)
			}
			den = num
			num = 1 + v*v*num
			ar.next()
			ma.next()
		}
		if !ar.settled {
			t.Error("an AR(1) has not settled in 50 rows")
		}
	}
	if _, ok := newGains([]float64{1}, nil); ok {
		t.Error("a random walk passes for stationary")
	}
}

// TestSettled: a filter that has settled has the gain that it goes on to.
func TestSettled(t *testing.T) {
	for _, m := range armas {
		a, b := m.arma()
		g, _ := newGains(a, b)
		var K []float64
		for !g.settled {
			K = slices.Clone(g.K)
			g.next()
		}
		if !near(K, g.K, 1e-9) {
			t.Errorf("%v: gain %v before it settles, %v after", m.Order, K, g.K)
		}
	}
}

// TestPartial: coefficients and partial autocorrelations are one to one, products of
// polynomials are those by hand, and autocovariances solve the Yule-Walker equations.
func TestPartial(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 2))
	for n := range 7 {
		r := make([]float64, n)
		for i := range r {
			r[i] = 1.9*rnd.Float64() - 0.95
		}
		a := fromPartial(r)
		back, ok := toPartial(a)
		if !ok || !near(back, r, 1e-9) {
			t.Errorf("partial autocorrelations %v come back as %v", r, back)
		}
		gamma, ok := autocovariances(a, n+5)
		if !ok {
			t.Fatal("not stationary")
		}
		for k := range gamma {
			var sum float64
			if k == 0 {
				sum = 1
			}
			for i, v := range a {
				sum += v * gamma[abs(k-1-i)]
			}
			if math.Abs(sum-gamma[k]) > 1e-9*gamma[0] {
				t.Errorf("order %d: γ%d is %v, Yule and Walker %v", n, k, gamma[k], sum)
			}
		}
	}
	if _, ok := toPartial([]float64{0.6, 0.5}); ok { // 1 − 0.6 − 0.5 < 0
		t.Error("a root inside the circle passes")
	}
	if c := product([]float64{2}, []float64{3, 5}, 2); !slices.Equal(c, []float64{2, 3, 6, 5, 10}) {
		t.Error("(1+2B)(1+3B²+5B⁴) is", c)
	}
	if d := differences(1, 1, 4); !slices.Equal(d, []float64{1, 0, 0, 1, -1}) {
		t.Error("differences", d)
	}
	if w := differenced([]float64{1, 4, 9, 16}, differences(2, 0, 1)); !slices.Equal(w, []float64{2, 2}) {
		t.Error("second differences of squares", w)
	}
}
