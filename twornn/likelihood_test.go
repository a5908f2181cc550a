package twornn

import (
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/lsq"
	"github.com/twornn/spectral/twornn/internal/moments"
)

// TestCandidates: what was weighed is told, the chosen one once, and the spare states of a
// rank asked for too high are cut with a word.
func TestCandidates(t *testing.T) {
	m := Random(2, 2, 1, 0.7, pcg(3))
	data := drawLengths(m, 300, 0.1, 1, 2, 4, 5)
	for _, rank := range []int{0, 4} {
		r := fit(t, data, Options{L: 2, Rank: rank})
		if r.Rank != 2 || r.Has(RankCut) != (rank == 4) || r.Refinement.Status != Converged || r.Refinement.Gradient > 1e-3 {
			t.Errorf("rank %d asked for: %v", rank, r)
		}
		chosen := 0
		for _, c := range r.Candidates {
			if c.Chosen {
				chosen++
				if c.Rank != 2 || math.Abs(c.MSE-r.MSE) > 1e-12*r.MSE || c.Parameters != 2*(4+2)-4 {
					t.Errorf("chosen: %+v of MSE %v", c, r.MSE)
				}
			}
		}
		next, ok := r.RunnerUp()
		if chosen != 1 || !ok || next.Rank == 2 {
			t.Errorf("%d chosen of %v, next %v", chosen, r.Candidates, next)
		}
		if next.Rank == 1 && !(next.MSE > 1.5*r.MSE) {
			t.Errorf("rank 1 has MSE %v, rank 2 %v", next.MSE, r.MSE)
		}
	}
	if r := fit(t, data, Options{L: 2, Rank: 2, Recovery: LeastSquares{}}); len(r.Candidates) != 1 || r.Refinement.Unknowns != 0 {
		t.Errorf("the bare method: %v", r.Candidates)
	}
}

// TestMaxGrowth: a bound that is asked for is kept to, by fewer states or by damping, and
// the result says which.
func TestMaxGrowth(t *testing.T) {
	grows := NewModel(1, 2, 1) // E f² doubles each step
	grows.H0.SetVec(0, 1)
	grows.A[0].Set(0, 0, 1)
	grows.A[1].Set(0, 0, 1)
	grows.Omega.Set(0, 0, 1)
	data := drawLengths(grows, 300, 0.3, 1, 1, 2, 3)
	free := fit(t, data, Options{L: 1})
	if !free.Has(Unstable) {
		t.Errorf("no warning: %v", free)
	}
	r := fit(t, data, Options{L: 1, MaxGrowth: 2})
	if !r.Has(Damped) || r.Has(Unstable) {
		t.Errorf("not damped: %v", r)
	}
	c := mustCollect(t, data)
	if g := growth(r.Model, c.set()); g > 2.001 || g < 1 {
		t.Errorf("damped to a growth of %v", g)
	}
}

// withBias draws sequences with an output after every step whose first input is always 1,
// so that a state may grow step by step; with none the growth of a product of independent
// matrices lies in rare runs.
func withBias(m *Model, n, length int, noise float64, seed uint64) iter.Seq[Sequence] {
	return func(yield func(Sequence) bool) {
		rnd := rand.New(pcg(seed + 500))
		for s := range draw(m, n, length, 0, true, seed) {
			for t := range length {
				s.X.Set(t, 0, 1)
			}
			m.OutputsTo(s.Y, s.X)
			s.Y.Apply(func(_, _ int, v float64) float64 { return v + noise*rnd.NormFloat64() }, s.Y)
			if !yield(s) {
				return
			}
		}
	}
}

// TestNoSilentExplosion: no fit, of any size and noise, explodes on independent inputs of
// length 200 without the warning. TWORNN_FULL=1 does 1,000.
func TestNoSilentExplosion(t *testing.T) {
	fits := 60
	if os.Getenv("TWORNN_FULL") != "" {
		fits = 1000
	}
	warned, worst := 0, 0.0
	for seed := range uint64(fits) {
		n, d, p := 1+int(seed%5), 1+int(seed/5%3), 1+int(seed/15%2)
		N := []int{20, 60, 300}[seed/30%3]
		noise := []float64{0, 0.1, 1}[seed/7%3]
		m := Random(n, d, p, 1, pcg(seed))
		for _, a := range m.A {
			a.Scale(1/math.Sqrt(float64(n*d)), a) // neither dies out nor grows by itself
		}
		o := Options{Rank: n}
		if seed%2 == 0 {
			o.Rank = 0
		}
		if seed%3 == 0 && n < 4 {
			o.Rank = n + 1
		}
		data := withBias(m, N, 5, noise, seed)
		o.L = 2
		if d == 1 {
			o.Rank = min(o.Rank, 2) // all that the block can carry
		}
		r := fit(t, data, o)
		var train, run float64
		rows := 0.0
		for s := range data {
			train += linalg.Squared(s.Y)
			rows += float64(len(s.Y.RawMatrix().Data))
		}
		const runs = 20
		for s := range withBias(m, runs, 200, 0, 1000+seed) {
			for _, y := range r.Predict(nil, s.X) {
				run += y * y / runs / float64(p)
			}
		}
		g := math.Sqrt(run / (train / rows))
		if r.Has(Unstable) {
			warned++
			continue
		}
		worst = max(worst, g)
		// The warning goes by the mean square over all inputs, 30² times that of the training
		// outputs; 20 runs of a product of random matrices may be some way above it.
		if !(g <= 100) {
			t.Errorf("seed %d: n %d, d %d, p %d, N %d, noise %g: outputs grow to %.3g times the training outputs, without a warning\n%v", seed, n, d, p, N, noise, g, r)
		}
	}
	t.Logf("%d fits: %d warn, the largest growth of the others %.3g", fits, warned, worst)
}

// TestBalanced: the same function; both Gramians the same diagonal matrix; the weights are
// the singular values of the Hankel block over the words, written out.
func TestBalanced(t *testing.T) {
	const n, d, p, steps = 4, 2, 2, 2
	m := Random(n, d, p, 0.7, pcg(1))
	net, weights := lsq.Balanced((*lsq.Net)(m), n, steps)
	b := (*Model)(net)
	if e := relativeError(t, b, m, 6); e > 1e-10 {
		t.Errorf("the function changed by %.2g", e)
	}
	C, O := lsq.Gramians(net, steps)
	D := mat.NewDiagDense(n, weights)
	if !mat.EqualApprox(C, D, 1e-9*weights[0]) || !mat.EqualApprox(O, D, 1e-9*weights[0]) {
		t.Errorf("not balanced: %v\n%v\n%v", weights, mat.Formatted(C), mat.Formatted(O))
	}
	var rows []*mat.Dense
	for l := range steps + 1 {
		words(d, l, func(_ []int, x *mat.Dense) { rows = append(rows, x) })
	}
	H := mat.NewDense(len(rows), len(rows)*p, nil)
	for i, u := range rows {
		for k, v := range rows {
			uv := new(mat.Dense)
			switch {
			case u == nil:
				uv = v
			case v == nil:
				uv = u
			default:
				uv.Stack(u, v)
			}
			var y []float64
			if uv == nil {
				y = m.Predict(nil, nil)
			} else {
				y = m.Predict(nil, uv)
			}
			copy(H.RawRowView(i)[k*p:], y)
		}
	}
	_, s, _, err := linalg.SVD(H)
	if err != nil {
		t.Fatal(err)
	}
	if !floats.EqualApprox(s[:n], weights, 1e-9*s[0]) {
		t.Errorf("weights %v, singular values %v", weights, s)
	}
	// A state that carries nothing is cut without loss.
	padded := NewModel(n+1, d, p)
	for i := range n {
		padded.H0.SetVec(i, m.H0.AtVec(i))
		for j := range p {
			padded.Omega.Set(j, i, m.Omega.At(j, i))
		}
		for k := range n {
			for a := range d {
				padded.A[a].Set(i, k, m.A[a].At(i, k))
			}
		}
	}
	cut, _ := lsq.Balanced((*lsq.Net)(padded), n, steps)
	if e := relativeError(t, (*Model)(cut), m, 6); e > 1e-6 { // the roots of the Gramians keep half the digits
		t.Errorf("cutting an idle state changed the function by %.2g", e)
	}
}

// TestLeastSum: no model of fewer states comes below the bound, as far as a search from
// many starts can tell; of the true rank the bound is below the fit; and it is sharp
// enough to tell a state that is well above the noise.
func TestLeastSum(t *testing.T) {
	for _, seed := range []uint64{1, 2, 3} {
		m := Random(3, 2, 2, 0.7, pcg(seed))
		c := mustCollect(t, drawLengths(m, 3000, 0.1, seed, 2, 3, 4))
		w, z, err := newCoordinates(c.set(), standard)
		if err != nil {
			t.Fatal(err)
		}
		q, err := lsq.NewEquations(z, 3)
		if err != nil {
			t.Fatal(err)
		}
		truth := newClimb(q, w.fromData(m))
		truth.run(t.Context(), LevenbergMarquardt{}, nil, nil)
		if b := q.LeastSum(3); !(b < truth.SSE) {
			t.Errorf("seed %d: the bound for the true rank is %v, the fit has %v", seed, b, truth.SSE)
		}
		for _, r := range []int{1, 2} {
			fewer := *q
			fewer.N = r
			least := math.Inf(1)
			for s := range uint64(12) {
				run := newClimb(&fewer, Random(r, 2, 2, 0.5, pcg(100+s)))
				run.run(t.Context(), LevenbergMarquardt{}, nil, nil)
				least = min(least, run.SSE)
			}
			b := q.LeastSum(r)
			if !(b <= least) {
				t.Errorf("seed %d: %d states reach %v, below the bound of %v", seed, r, least, b)
			}
			if !(b > 1.1*truth.SSE) {
				t.Errorf("seed %d: the bound for %d states is %v, the fit of 3 has %v: it tells nothing", seed, r, b, truth.SSE)
			}
		}
	}
}

// sameEquations returns the equations of the data as rows and, where dense, as factors.
func sameEquations(t *testing.T, m *Model, N int, noise float64, lengths ...int) (rows, factors *lsq.Equations) {
	t.Helper()
	n, _, _ := m.Dims()
	kept, err := CollectRows(drawLengths(m, N, noise, 3, lengths...), lengths...)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Collect(drawLengths(m, N, noise, 3, lengths...), lengths...)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []Collection{kept, c} {
		if c.set().Frame() != nil {
			t.Fatal("the collection has a frame; choose inputs that need none")
		}
	}
	if rows, err = lsq.NewEquations(kept.set(), n); err != nil {
		t.Fatal(err)
	}
	if factors, err = lsq.NewEquations(c.set(), n); err != nil {
		t.Fatal(err)
	}
	return rows, factors
}

// TestNormalEquations checks sums of squares against predictions, Jᵀ(y−ŷ) against central
// differences of the sum, and JᵀJ of both kinds of blocks against each other and against
// central differences of the outputs.
func TestNormalEquations(t *testing.T) {
	for _, s := range []struct {
		n, d, p int
		lengths []int
	}{{2, 3, 1, []int{2, 4, 5}}, {3, 2, 2, []int{1, 2, 3}}, {1, 1, 1, []int{1, 2, 3}}, {4, 2, 3, []int{1, 5}}} {
		t.Run(fmt.Sprint(s), func(t *testing.T) {
			target := Random(s.n, s.d, s.p, 0.6, pcg(1))
			rows, factors := sameEquations(t, target, 600, 0.3, s.lengths...)
			at := Random(s.n, s.d, s.p, 0.6, pcg(2)) // anywhere but at the minimum
			theta := lsq.Theta((*lsq.Net)(at))
			if len(factors.Residuals(theta)) >= len(rows.Residuals(theta)) {
				t.Fatal("nothing is compressed")
			}
			k := len(theta)
			var want float64
			for q := range drawLengths(target, 600, 0.3, 3, s.lengths...) {
				for j, v := range at.Predict(nil, q.X) {
					e := q.Y.At(0, j) - v
					want += e * e
				}
			}
			Nr, Nf := mat.NewSymDense(k, nil), mat.NewSymDense(k, nil)
			gr, gf := make([]float64, k), make([]float64, k)
			for name, got := range map[string]float64{
				"rows": rows.Normal(theta, Nr, gr), "factors": factors.Normal(theta, Nf, gf),
				"rows, without derivatives": rows.SSE(theta), "factors, without derivatives": factors.SSE(theta),
			} {
				if math.Abs(got-want) > 1e-11*want {
					t.Errorf("%s: sum of squares %v, want %v", name, got, want)
				}
			}
			if d := mat.Norm(sub(Nr, Nf), 2); d > 1e-11*mat.Norm(Nr, 2) {
				t.Errorf("JᵀJ of rows and of factors differ by %.2g", d)
			}
			size := mat.Norm(mat.NewVecDense(k, gr), 2)
			const h = 1e-5 // central differences are good to h² or so
			for i := range k {
				if math.Abs(gr[i]-gf[i]) > 1e-11*size {
					t.Errorf("gradient %d: %v of rows, %v of factors", i, gr[i], gf[i])
				}
				at := func(h float64) float64 {
					x := append([]float64(nil), theta...)
					x[i] += h
					return rows.SSE(x)
				}
				// The sum's derivative is −2 g.
				if d := -(at(h) - at(-h)) / (4 * h); math.Abs(d-gr[i]) > 1e-7*size {
					t.Errorf("gradient %d: %v, by differences %v", i, gr[i], d)
				}
			}
			if d := mat.Norm(sub(Nr, outerOfDifferences(t, rows, theta)), 2); d > 1e-7*mat.Norm(Nr, 2) {
				t.Errorf("JᵀJ differs from that of differences by %.2g", d)
			}
		})
	}
}

// TestOutputsAfterEveryStep: sequences longer than those measured give the same equations
// as if each of their outputs stood alone.
func TestOutputsAfterEveryStep(t *testing.T) {
	const n, d, p = 3, 2, 2
	target := Random(n, d, p, 0.6, pcg(1))
	every := func() iter.Seq[Sequence] { return draw(target, 40, 7, 0.3, true, 5) }
	together, err := collect(every(), moments.Plan{Lengths: []int{1, 2}, All: true})
	if err != nil {
		t.Fatal(err)
	}
	apart, err := CollectRows(every(), 1, 2, 3, 4, 5, 6, 7)
	if err != nil {
		t.Fatal(err)
	}
	theta := lsq.Theta((*lsq.Net)(Random(n, d, p, 0.6, pcg(2))))
	k := len(theta)
	var N [2]*mat.SymDense
	var sse, M [2]float64
	g := [2][]float64{make([]float64, k), make([]float64, k)}
	for i, c := range []moments.Set{together, apart.set()} {
		q, err := lsq.NewEquations(c, n)
		if err != nil {
			t.Fatal(err)
		}
		N[i] = mat.NewSymDense(k, nil)
		sse[i], M[i] = q.Normal(theta, N[i], g[i]), q.M
	}
	if M[0] != M[1] || math.Abs(sse[0]-sse[1]) > 1e-11*sse[1] {
		t.Errorf("%v outputs with sum of squares %v, one by one %v with %v", M[0], sse[0], M[1], sse[1])
	}
	if e := mat.Norm(sub(N[0], N[1]), 2); e > 1e-11*mat.Norm(N[1], 2) {
		t.Errorf("JᵀJ differ by %.2g", e)
	}
	if !floats.EqualApprox(g[0], g[1], 1e-11*floats.Norm(g[1], 2)) {
		t.Error("gradients differ")
	}
}

func sub(a, b mat.Matrix) *mat.Dense {
	d := new(mat.Dense)
	d.Sub(a, b)
	return d
}

// outerOfDifferences returns JᵀJ with J by central differences of the residuals.
func outerOfDifferences(t *testing.T, q *lsq.Equations, theta []float64) *mat.Dense {
	t.Helper()
	k := len(theta)
	const h = 1e-5
	rows := len(q.Residuals(theta))
	J := mat.NewDense(rows, k, nil)
	for i := range k {
		x := append([]float64(nil), theta...)
		x[i] += h
		up := q.Residuals(x)
		x[i] -= 2 * h
		down := q.Residuals(x)
		for r := range rows {
			J.Set(r, i, (up[r]-down[r])/(2*h))
		}
	}
	var N mat.Dense
	N.Mul(J.T(), J)
	return &N
}

// TestTruncationHasTheStates: what a model with states that carry nothing is cut to has the states asked for, or is
// no start.
func TestTruncationHasTheStates(t *testing.T) {
	m := NewModel(3, 2, 1) // one state of three is reached and seen
	m.H0.SetVec(0, 1)
	m.A[0].Set(0, 0, 0.5)
	m.Omega.Set(0, 0, 1)
	c := mustCollect(t, draw(Random(2, 2, 1, 0.5, pcg(1)), 100, 3, 0.1, true, 1))
	f, err := newWordFit(c.set(), Options{}, standard)
	if err != nil {
		t.Fatal(err)
	}
	j, err := f.newJoint(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f.spectral = []candidate{{Model: m, L: 1, basis: UpToLength}}
	j.tried[3] = &candidate{Model: m}
	for _, s := range j.starts(2) {
		if s.states() != 2 {
			t.Errorf("a start of %d states for 2", s.states())
		}
	}
}
