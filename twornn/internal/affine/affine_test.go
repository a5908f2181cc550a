package affine

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/lsq"
)

// draw returns one run of inputs and the outputs of the system along it, with noise of the
// given standard deviation.
func draw(s *System, steps int, noise float64, rnd *rand.Rand) *Data {
	run := lsq.Run{}
	for t := range steps {
		run.X = append(run.X, 1)
		for range s.D - 1 {
			run.X = append(run.X, rnd.NormFloat64())
		}
		run.At = append(run.At, t+1)
	}
	r := s.runs(&Data{D: s.D, P: s.P})
	r.At(r.Pattern.Take(s.Theta))(run, nil, func(_ int, y []float64) {
		for _, v := range y {
			run.Y = append(run.Y, v+noise*rnd.NormFloat64())
		}
	})
	data := &Data{D: s.D, P: s.P}
	data.Add(run)
	return data
}

// true linear system of two states, one of them slow.
func linear(d, p int, rnd *rand.Rand) *System {
	s := NewSystem(2, d, p)
	*s.at(0, 1, 1), *s.at(0, 2, 2), *s.at(0, 1, 2) = 0.8, -0.5, 0.3
	for i := 1; i < d; i++ {
		for a := 1; a <= 2; a++ {
			*s.at(i, 0, a) = rnd.NormFloat64()
		}
	}
	for o := range p {
		for a := 1; a <= 2; a++ {
			*s.out(o, a) = rnd.NormFloat64()
		}
	}
	return s
}

// TestNormalise: the system computes what it did, and its states have mean 0 and unit second
// moments.
func TestNormalise(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	s := linear(3, 2, rnd).WithProducts()
	for i := 1; i < 3; i++ {
		*s.at(i, 1, 2), *s.at(i, 2, 1) = 0.2, -0.1
	}
	*s.at(0, 0, 1) = 0.7 // a constant that moves the state
	data := draw(s, 500, 0, rnd)
	if !s.Normalise(data) {
		t.Fatal("the system is lost")
	}
	r := s.runs(data)
	if sse := r.SSE(r.Pattern.Take(s.Theta)); sse > 1e-18*float64(data.M) {
		t.Errorf("the outputs moved: sum of squares %g", sse)
	}
	C, _ := s.moments(data)
	for a := range s.N {
		for b := range s.N {
			want := 0.0
			if a == b {
				want = 1
			}
			if math.Abs(C.At(a, b)-want) > 1e-6 {
				t.Errorf("E h h' is %g at %d, %d", C.At(a, b), a, b)
			}
		}
	}
}

// TestResponsesTellTheSystem: without noise and with lags enough the responses are C Fʲ B, and
// the system read off them computes the outputs.
func TestResponsesTellTheSystem(t *testing.T) {
	rnd := rand.New(rand.NewPCG(2, 1))
	s := linear(3, 2, rnd)
	data := draw(s, 3000, 0, rnd)
	g := NewResponses(data)
	F, B, C := mat.NewDense(2, 2, nil), mat.NewDense(2, 2, nil), mat.NewDense(2, 2, nil)
	for a := range 2 {
		for b := range 2 {
			F.Set(a, b, *s.at(0, 1+b, 1+a))
			B.Set(a, b, *s.at(1+b, 0, 1+a))
			C.Set(a, b, *s.out(a, 1+b))
		}
	}
	for j := range 5 {
		var want mat.Dense
		want.Mul(C, B)
		if !mat.EqualApprox(g[j], &want, 1e-4) { // ridge of the least weight tried, 1e-8, and 0.8^64
			t.Errorf("response %d is\n%v, want\n%v", j, mat.Formatted(g[j]), mat.Formatted(&want))
		}
		B.Mul(F, mat.DenseCopyOf(B))
	}
	q := g.Spectral(2, 3, 2)
	r := q.runs(data)
	if mse := r.SSE(r.Pattern.Take(q.Theta)) / float64(data.M); mse > 1e-6 {
		t.Errorf("the system of the responses has a mean squared error of %g", mse)
	}
	if v := g.Values(); v[2] > 1e-3*v[1] {
		t.Errorf("singular values %v: two count", v[:4])
	}
}

// TestGrowKeepsOutputs: with the couplings of the new state to the outputs at nothing, a
// larger system computes the same.
func TestGrow(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 1))
	s := linear(2, 1, rnd)
	data := draw(s, 200, 0, rnd)
	g := s.Grow(rnd)
	if g.States() != 3 {
		t.Fatalf("%d states", g.States())
	}
	*g.out(0, 3) = 0
	for a := 1; a <= 2; a++ {
		*g.at(0, 3, a) = 0
	}
	r := g.runs(data)
	if sse := r.SSE(r.Pattern.Take(g.Theta)); sse > 1e-20*float64(data.M) {
		t.Errorf("the outputs moved: sum of squares %g", sse)
	}
}

// TestValidate: the error on parts left out, by steps from the fit to all, is that of fits to
// the others, of a regression that is linear in its parameters.
func TestValidate(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 1))
	s := linear(2, 1, rnd)
	data := draw(s, 2000, 0.2, rnd)
	data.Split(4)
	s.Refine(context.Background(), data, 2, 50, 1e-12)
	s.Validate(t.Context(), data, 4, 5)
	for f := 1; f < 4; f++ { // the first part alone tells the start of the run
		c := s.clone()
		r := c.runs(data)
		r.Folds, r.Leave = 4, f+1
		d := descend(context.Background(), lsq.Ridge{Problem: r, Weight: c.weights(r.Pattern)}, r.Pattern.Take(c.Theta), data, 100, 1e-12)
		want := r.Errors(d.Theta)[f] / 500
		if math.Abs(s.Folds[f]-want) > 0.005*want { // of second order in a step of half a standard error
			t.Errorf("part %d: mean squared error %g, by a fit to the others %g", f, s.Folds[f], want)
		}
	}
}

// TestEvidence: interactions that are not there are shrunk to nothing, and the linear system
// is chosen; such as are there are found.
func TestEvidence(t *testing.T) {
	for _, n := range []float64{0, 0.3} {
		rnd := rand.New(rand.NewPCG(5, 1))
		s := linear(2, 1, rnd).WithProducts()
		*s.at(1, 1, 2), *s.at(1, 2, 1) = n, -n
		data := draw(s, 800, 0.3, rnd)
		p := Default()
		p.MostStates = 3
		found := Fit(context.Background(), data, p, 1)
		if found.Best.Products != (n != 0) {
			t.Errorf("interactions of %g: chosen %v with %d states", n, found.Best.Products, found.Best.States())
		}
		if n != 0 && (found.Best.SSE > 1.1*0.09*float64(data.M) || found.Best.States() != 2) {
			t.Errorf("noise %g, want about 0.09, with %d states", found.Best.SSE/float64(data.M), found.Best.States())
		}
	}
}

// TestSearchIsDeterministic: the same system twice.
func TestSearchIsDeterministic(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 1))
	data := draw(linear(2, 1, rnd), 150, 0.3, rnd)
	p := Default()
	p.MostStates = 2
	a, b := Fit(context.Background(), data, p, 1), Fit(context.Background(), data, p, 1)
	for i, v := range a.Best.Theta {
		if v != b.Best.Theta[i] {
			t.Fatalf("parameter %d: %g and %g", i, v, b.Best.Theta[i])
		}
	}
}

// TestSumsUpTwiceOrGrows: what sums its input up twice, as the position of a mass that is pushed, and what grows by
// itself, is learnt from four runs: on fresh ones it misses less than the noise, and says on parts left out
// what it is worth.
func TestSumsUpTwiceOrGrows(t *testing.T) {
	twice, grows := NewSystem(2, 2, 1), NewSystem(1, 2, 1)
	*twice.at(0, 1, 1), *twice.at(0, 2, 2), *twice.at(0, 1, 2) = 1, 1, 1
	*twice.at(1, 0, 1), *twice.out(0, 2) = 0.1, 1
	*grows.at(0, 1, 1), *grows.at(1, 0, 1), *grows.out(0, 1) = 1.03, 0.3, 1
	for _, c := range []struct {
		name  string
		truth *System
		seed  uint64
	}{{"twice", twice, 1}, {"grows", grows, 1}, {"grows", grows, 5}} { // of the last two no part tells a system that decays
		name, truth, rnd := c.name, c.truth, rand.New(rand.NewPCG(7, c.seed))
		data, fresh := &Data{D: 2, P: 1}, &Data{D: 2, P: 1}
		size := 0.0
		for range 4 {
			data.Add(draw(truth, 100, 0, rnd).Runs[0])
			fresh.Add(draw(truth, 100, 0, rnd).Runs[0])
		}
		for _, r := range data.Runs {
			for _, y := range r.Y {
				size += y * y / float64(data.M)
			}
		}
		size = math.Sqrt(size)
		const noise = 0.02
		for i, d := range []*Data{data, fresh} {
			for _, r := range d.Runs {
				for j := range r.Y {
					r.Y[j] /= size
					if i == 0 {
						r.Y[j] += noise * rnd.NormFloat64()
					}
				}
			}
		}
		p := Default()
		p.MostStates, p.MostTold = truth.States(), truth.States()
		s := Fit(t.Context(), data, p, 1)
		sums, n := s.Best.SquaredErrors(fresh)
		if e := math.Sqrt(sums[0] / n); e > noise || s.Best.Validation() > 2*noise*noise {
			t.Errorf("%s: error %.3g, on parts left out %.3g², noise %g", name, e, math.Sqrt(s.Best.Validation()), noise)
		}
	}
}

// TestNothingToTell: outputs that inputs tell nothing of stay at their mean, but for draws in which chance
// says otherwise on parts left out: two of these six, where without the comparison all six moved.
func TestNothingToTell(t *testing.T) {
	moved := 0
	for seed := range uint64(6) {
		rnd := rand.New(rand.NewPCG(seed, 10))
		data := draw(NewSystem(1, 3, 2), 150, 1, rnd)
		p := Default()
		p.MostStates = 3
		s := Fit(context.Background(), data, p, 1)
		mean := NewSystem(1, 3, 2)
		mean.FitOutputs(data)
		if ratio := s.Best.SSE / mean.SSE; ratio < 1-1e-6 {
			moved++
			t.Logf("seed %d: %d states, products %v, %.4f of the squared error about the mean", seed, s.Best.States(), s.Best.Products, ratio)
		}
	}
	if moved > 3 {
		t.Errorf("%d of 6 draws move", moved)
	}
}

// TestRepeatedRunsGoTogether: runs that repeat others are in their parts, so that none is told by its copy.
func TestRepeatedRunsGoTogether(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	truth, data := linear(2, 1, rnd), &Data{D: 2, P: 1}
	for range 10 {
		data.Add(draw(truth, 3, 0.1, rnd).Runs[0])
	}
	for _, r := range data.Runs[:10:10] {
		data.Add(r)
	}
	data.Split(5)
	outputs := len(data.Runs[0].At)
	if data.Distinct != 10*outputs {
		t.Errorf("%d different outputs of %d", data.Distinct, 10*outputs)
	}
	for i, r := range data.Runs[10:] {
		if !slices.Equal(r.Fold, data.Runs[i].Fold) || r.Fold[0] != i/2 {
			t.Errorf("run %d is in part %v, its copy in %v", i, data.Runs[i].Fold, r.Fold)
		}
	}
}

// TestFirstStepTellsWordsOfTwoSymbols: with the linear part known the first Gauss-Newton step from no interactions
// finds those of the truth up to what words of three symbols and more give, which is of second order in them.
func TestFirstStepTellsWordsOfTwoSymbols(t *testing.T) {
	rnd := rand.New(rand.NewPCG(12, 1))
	plain := linear(3, 2, rnd).WithProducts()
	worst := func(size float64) (most float64) {
		truth := plain.clone()
		for i := 1; i < 3; i++ {
			for a := 1; a <= 2; a++ {
				for b := 1; b <= 2; b++ {
					*truth.at(i, a, b) = size * (float64(i) - float64(a)/float64(b))
				}
			}
		}
		r := plain.runs(draw(truth, 3000, 0, rand.New(rand.NewPCG(13, 1))))
		theta, k := r.Pattern.Take(plain.Theta), r.Dim()
		N, g := mat.NewSymDense(k, nil), make([]float64, k)
		r.Normal(theta, N, g)
		var free []int
		for j, i := range r.Pattern.Free {
			if lsq.PartOf(i, plain.N, plain.D) == lsq.Interaction {
				free = append(free, j)
			}
		}
		sub, right := mat.NewDense(len(free), len(free), nil), mat.NewVecDense(len(free), nil)
		for a, i := range free {
			right.SetVec(a, g[i])
			for b, j := range free {
				sub.Set(a, b, N.At(i, j))
			}
		}
		var step mat.VecDense
		if err := step.SolveVec(sub, right); err != nil {
			t.Fatal(err)
		}
		want := r.Pattern.Take(truth.Theta)
		for a, i := range free {
			most = max(most, math.Abs(step.AtVec(a)-want[i]))
		}
		return most
	}
	large, small := worst(1e-3), worst(1e-4)
	t.Logf("interactions of 1e-3 to within %.2g, of 1e-4 to within %.2g", large, small)
	if large > 1e-4 || small > large/50 {
		t.Errorf("interactions of 1e-3 come out to within %.2g, of 1e-4 to within %.2g", large, small)
	}
}
