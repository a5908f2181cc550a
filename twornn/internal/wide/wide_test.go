package wide

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/lsq"
)

func random(rnd *rand.Rand, n, d, p int) (lsq.Shape, []float64) {
	s := lsq.Shape{N: n, D: d, P: p}
	theta := make([]float64, s.Dim())
	h0, A, Omega := s.Parts(theta)
	for i := range h0 {
		h0[i] = rnd.NormFloat64()
	}
	for i := range A.Data {
		A.Data[i] = rnd.NormFloat64() / math.Sqrt(float64(n*d))
	}
	for i := range Omega.Data {
		Omega.Data[i] = rnd.NormFloat64() / math.Sqrt(float64(n))
	}
	return s, theta
}

func sample(rnd *rand.Rand, s lsq.Shape, theta []float64, N, L int, noise float64) *Data {
	data := &Data{D: s.D, P: s.P}
	r := &lsq.Runs{Shape: s, Pattern: lsq.Every(s.N, s.D, s.P), Base: theta}
	for range N {
		run := lsq.Run{X: make([]float64, L*s.D)}
		for i := range run.X {
			run.X[i] = rnd.NormFloat64()
		}
		for t := range L {
			run.At = append(run.At, t+1)
		}
		run.Y = make([]float64, L*s.P)
		r.At(theta)(run, nil, func(i int, y []float64) {
			for o, v := range y {
				run.Y[i*s.P+o] = v + noise*rnd.NormFloat64()
			}
		})
		data.Add(run)
	}
	return data
}

// TestDerivatives: the gradient is Jᵀe and the curvature JᵀJ v of the derivatives that
// package lsq works out along runs.
func TestDerivatives(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	s, truth := random(rnd, 3, 4, 2)
	data := sample(rnd, s, truth, 9, 4, 0.3)
	data.Runs[3].At, data.Runs[3].Y = []int{0, 3}, []float64{1, 2, 3, 4} // before the first step, too
	data.Runs[4].At, data.Runs[4].Y = []int{2}, []float64{1, 2}
	k := s.Dim()
	N, want := mat.NewSymDense(k, nil), make([]float64, k)
	sse := (&lsq.Runs{Shape: s, Data: data.Runs, Pattern: lsq.Every(3, 4, 2), Base: truth}).Normal(truth, N, want)
	q, g := &stack{data: data, Shape: s}, make([]float64, k)
	if got := q.Gradient(truth, g); math.Abs(got-sse) > 1e-12*sse || !floats.EqualApprox(g, want, 1e-12*sse) {
		t.Errorf("sum %v, gradient %v, want %v, %v", got, g, sse, want)
	}
	v, got := make([]float64, k), make([]float64, k)
	for i := range v {
		v[i] = rnd.NormFloat64()
	}
	q.Curvature(truth, v, got)
	var Nv mat.VecDense
	Nv.MulVec(N, mat.NewVecDense(k, v))
	if !floats.EqualApprox(got, Nv.RawVector().Data, 1e-11*mat.Norm(N, 2)) {
		t.Errorf("curvature %v, want %v", got, Nv.RawVector().Data)
	}
}

// run searches from all outputs with any number of states.
func run(ctx context.Context, data *Data, p Policy, report func(float64) error) *Search {
	s := NewSearch(data, p, report)
	s.Run(ctx, data, 0)
	return s
}

// TestFloor: with nothing known Fit ends at the optimum to which a descent from the true
// parameters leads, with the true number of states.
func TestFloor(t *testing.T) {
	for _, c := range []struct {
		n, d, p, N, L int
		noise         float64
	}{{3, 18, 2, 2000, 3, 0.1}, {2, 20, 1, 500, 3, 0.1}, {2, 18, 2, 300, 5, 0.1}} {
		rnd := rand.New(rand.NewPCG(1, 2))
		s, truth := random(rnd, c.n, c.d, c.p)
		data := sample(rnd, s, truth, c.N, c.L, c.noise)
		got := run(t.Context(), data, Default(), nil)
		got.Polish(t.Context(), got.Best, data)
		o := &descent{stack: &stack{data: data, Shape: s}, theta: truth, energy: data.energy()}
		o.run(t.Context(), 1e-6, 50)
		if got.Best.N != c.n || !(got.Best.SSE < o.sse*(1+1e-6)) {
			t.Errorf("%+v: %d states with %.8g, from the truth %.8g", c, got.Best.N, got.Best.SSE, o.sse)
		}
	}
}

// TestTheorem3: without noise the start is the truth, whatever the outputs after other steps.
func TestTheorem3(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 2))
	s, truth := random(rnd, 3, 17, 2)
	data := sample(rnd, s, truth, 2000, 3, 0)
	start := NewStart(data)
	if n := start.Rank(); n != 3 {
		t.Fatalf("rank %d", n)
	}
	theta := start.Theta(3)
	if sse := (&stack{data: data, Shape: s}).SSE(theta); !(sse < 1e-6*data.energy()) {
		t.Errorf("sum of squares %g of %g", sse, data.energy())
	}
}

// TestStopped: a context that is done ends the search with the best so far.
func TestStopped(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	s, truth := random(rnd, 3, 18, 1)
	data := sample(rnd, s, truth, 400, 3, 1)
	ctx, cancel := context.WithCancel(t.Context())
	got := run(ctx, data, Default(), func(float64) error { cancel(); return nil })
	if len(got.Tried) != 1 || got.Best == nil || got.Best.Ended != lsq.Stopped {
		t.Errorf("%d tried, best %+v", len(got.Tried), got.Best)
	}
}

// TestPolicyIsNoKnifeEdge: with any figure of the policy doubled or halved a search comes to the
// same number of states, or one more whose cost the noise does not show, and to an error as near.
func TestPolicyIsNoKnifeEdge(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	s, truth := random(rnd, 3, 18, 2)
	data, fresh := sample(rnd, s, truth, 2000, 3, 0.1), sample(rnd, s, truth, 2000, 3, 0)
	conclude := func(p Policy) (int, float64) {
		f := run(t.Context(), data, p, nil)
		q := &stack{data: fresh, Shape: f.Best.Shape}
		return f.Best.N, q.SSE(f.Best.Theta) / fresh.energy()
	}
	n, sse := conclude(Default())
	fields := reflect.TypeFor[Policy]()
	for i := range fields.NumField() {
		for _, factor := range []float64{2, 0.5} {
			by := Default()
			switch v := reflect.ValueOf(&by).Elem().Field(i); v.Kind() {
			case reflect.Int:
				v.SetInt(int64(float64(v.Int()) * factor))
			case reflect.Float64:
				v.SetFloat(v.Float() * factor)
			}
			if m, e := conclude(by); m != n || !(e < 1.1*sse) {
				t.Errorf("%s × %g: %d states, %.4g of the fresh outputs missed; by the standard %d, %.4g", fields.Field(i).Name, factor, m, e, n, sse)
			}
		}
	}
}
