package affine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/twornn/spectral/twornn/internal/lsq"
)

// TestPolicyIsNoKnifeEdge: with any figure of the policy doubled or halved a search comes to the
// same conclusion, whether there are products, and to an error on fresh inputs as near to the
// truth's.
func TestPolicyIsNoKnifeEdge(t *testing.T) {
	const noise = 0.1
	plain := linear(2, 1, rand.New(rand.NewPCG(5, 1)))
	products := plain.WithProducts()
	*products.at(1, 1, 1), *products.at(1, 2, 1), *products.at(1, 1, 2) = 0.25, -0.2, 0.3
	for _, c := range []struct {
		name  string
		truth *System
	}{{"linear", plain}, {"with products", products}} {
		rnd := rand.New(rand.NewPCG(6, 1))
		data, fresh := draw(c.truth, 100, noise, rnd), draw(c.truth, 1000, 0, rnd)
		conclude := func(p Policy) (taken bool, excess float64) {
			s := Fit(t.Context(), data, p, 1)
			sums, n := s.Best.SquaredErrors(fresh)
			return s.Best.Products, math.Sqrt((sums[0]/n + noise*noise) / (noise * noise))
		}
		standard := Default()
		standard.MostStates = 4 // for the sake of time
		taken, excess := conclude(standard)
		if taken != c.truth.Products || excess > 1.15 {
			t.Errorf("%s: products %v, error %.4g of the noise", c.name, taken, excess)
		}
		fields := reflect.TypeFor[Policy]()
		for i := range fields.NumField() {
			for _, factor := range []float64{2, 0.5} {
				t.Run(fmt.Sprint(c.name, ", ", fields.Field(i).Name, " × ", factor), func(t *testing.T) {
					by := standard
					switch v := reflect.ValueOf(&by).Elem().Field(i); v.Kind() {
					case reflect.Int:
						v.SetInt(int64(max(1, float64(v.Int())*factor)))
					case reflect.Float64:
						v.SetFloat(v.Float() * factor)
					}
					// Estimating a dozen parameters more costs 6 % of the noise.
					if got, other := conclude(by); got != taken || other > excess+0.1 {
						t.Errorf("products %v, error %.4g of the noise; by the standard %v, %.4g", got, other, taken, excess)
					}
				})
			}
		}
	}
}

// TestShortRecordsAreLeftOutCold: of a short record parts are left out of fits from nothing, also
// where there is no time for that with interactions: fits that have seen a part take ever more
// states, nine here in place of four.
func TestShortRecordsAreLeftOutCold(t *testing.T) {
	const steps, columns, p = 178, 4, 3
	rnd := rand.New(rand.NewPCG(3, 1))
	run, level := lsq.Run{}, make([]float64, columns)
	for i := range steps {
		run.X = append(append(run.X, 1), level...)
		for j := range level {
			level[j] = 0.9*level[j] + 0.2*level[(j+1)%columns]*rnd.Float64() + rnd.NormFloat64()
		}
		run.At, run.Y = append(run.At, i+1), append(run.Y, level[:p]...)
	}
	data := &Data{D: 1 + columns, P: p}
	data.Add(run)
	data.Stop = func() bool { return false }
	data.Split(6)
	by := Default()
	by.MostStates = 6 // for the sake of time
	s := linearSearch(t.Context(), data, by, 1, nil)
	if s.cold || s.parts == nil {
		t.Fatalf("with interactions without each part %v, linear ones %v", s.cold, s.parts != nil)
	}
	for f, q := range s.parts {
		train, held := data.Without(f, by.Parts)
		if c := q.linear[s.Best.States()]; train.M != q.data.M || c.errorOn(held) != s.Best.Folds[f] {
			t.Errorf("part %d: the error is not that of a fit without it", f)
		}
	}
}

// TestExactIsEnough: where a system leaves nothing but rounding no more states are tried, and no
// interactions, which would fit it.
func TestExactIsEnough(t *testing.T) {
	rnd := rand.New(rand.NewPCG(4, 1))
	truth, data := linear(3, 2, rnd), &Data{D: 3, P: 2}
	*truth.at(0, 1, 1), *truth.at(0, 2, 2), *truth.at(0, 1, 2) = 0, 0, 0 // so that the responses are exact
	for range 40 {
		data.Add(draw(truth, 6, 0, rnd).Runs[0])
	}
	s := Fit(t.Context(), data, Default(), 1)
	if s.Best.Products || s.Best.States() != 2 || len(s.Tried) > 2 || !(s.Best.Validation() < rounding) {
		t.Errorf("%d states, products %v, of %d tried; on parts left out %.3g", s.Best.States(), s.Best.Products, len(s.Tried), s.Best.Validation())
	}
}

// TestProductsOfShortRuns: interactions that do worse on the parts left out together are not taken
// of a few short runs, likelier as they are and better on most parts.
func TestProductsOfShortRuns(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 1))
	plain, data := linear(2, 1, rnd), &Data{D: 2, P: 1}
	for range 12 {
		data.Add(draw(plain, 3, 0.1, rnd).Runs[0])
	}
	plain.SSE, plain.Folds = 2, []float64{1, 1, 1, 1, 1, 1}
	c := plain.WithProducts()
	c.SSE, c.Folds = 1, []float64{0.9, 0.9, 0.9, 0.9, 0.9, 4}
	s := &Search{Policy: Default(), data: data, Best: plain}
	if s.prefers(c, true) {
		t.Error("taken")
	}
	if c.Folds[5] = 1.1; !s.prefers(c, true) {
		t.Error("not taken where they do better in all, too")
	}
}

// TestClearProductsNeedNotBeCalm: a system that explodes on the inputs in another order is taken only where it
// clearly does better on every part left out: the truth may be such a system.
func TestClearProductsNeedNotBeCalm(t *testing.T) {
	// h' = h/2 + x₁ + x₂h: x₂ acts while h is zero, and backwards once it is not.
	truth := NewSystem(2, 3, 1).WithProducts()
	*truth.at(0, 1, 1), *truth.at(1, 0, 1), *truth.at(2, 1, 1), *truth.out(0, 1) = 0.5, 1, 5, 1
	run := lsq.Run{}
	for i := range 200 {
		x := []float64{1, 0, 1}
		if i >= 100 {
			x = []float64{1, math.Sin(float64(i)), 0}
		}
		run.X = append(run.X, x...)
		run.At, run.Y = append(run.At, i+1), append(run.Y, x[1])
	}
	data := &Data{D: 3, P: 1}
	data.Add(run)
	plain, c := NewSystem(2, 3, 1), truth
	plain.SSE, plain.Folds = 2, []float64{1, 1, 1, 1, 1, 1}
	c.SSE, c.Folds = 1, []float64{0.5, 0.5, 0.5, 0.5, 0.5, 0.5}
	if !c.bounded(data) || c.Calm(data) {
		t.Fatalf("bounded %v, calm %v", c.bounded(data), c.Calm(data))
	}
	s := &Search{Policy: Default(), data: data, Best: plain}
	if !s.prefers(c, true) {
		t.Error("not taken")
	}
	if c.Folds[5] = 1.1; s.prefers(c, true) {
		t.Error("taken, worse on one part")
	}
	for f := range c.Folds {
		c.Folds[f] = 0.9
	}
	if s.prefers(c, true) {
		t.Error("taken, little better")
	}
}

// TestNoMoreThanToldOfShortRuns: beyond the states that the responses of compressed runs tell there is
// no descent along the runs themselves: one took a minute, and cost counts none.
func TestNoMoreThanToldOfShortRuns(t *testing.T) {
	rnd := rand.New(rand.NewPCG(6, 1))
	truth, data := linear(2, 1, rnd), &Data{D: 2, P: 1}
	for range 400 {
		data.Add(draw(truth, 4, 1, rnd).Runs[0])
	}
	by := Default()
	p := newPath(data, &by, rnd)
	if p.short == nil || p.next(t.Context(), 1, false) == nil {
		t.Fatal("the runs are not compressed, or tell nothing")
	}
	if c := p.next(t.Context(), by.MostStates, false); c != nil {
		t.Errorf("%d states of runs of four steps", c.States())
	}
}
