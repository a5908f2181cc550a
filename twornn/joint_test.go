package twornn

import (
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/twornn/spectral/twornn/internal/linalg"
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
