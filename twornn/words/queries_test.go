package words

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/internal/stop"
)

// TestLearn: a WFA of 10 states over 4 symbols by queries, equal to 1e-9 on all words to
// length 8, with hardly more than n²d queries; and others.
func TestLearn(t *testing.T) {
	for _, c := range []struct{ n, d, p int }{{10, 4, 1}, {10, 4, 1}, {1, 1, 1}, {6, 2, 3}, {5, 3, 2}, {25, 2, 1}} {
		target := twornn.Random(c.n, c.d, c.p, 0.7/math.Sqrt(float64(c.n)), pcg(uint64(c.n)))
		// Counted here too, whatever the learner says.
		calls := 0
		ask := UnitVectors(target, c.d)
		l, err := Learn(t.Context(), func(w []int) []float64 { calls++; return ask(w) }, c.d, Against(target, 1e-10), QueryOptions{Tol: 1e-13})
		if err != nil {
			t.Fatal(err)
		}
		t.Log(l)
		n, _, _ := l.Dims()
		if n != c.n || !l.Equal || l.Queries != calls {
			t.Errorf("%+v: %v, %d calls", c, l, calls)
		}
		if bound := c.n*c.n*c.d + c.n*c.n + 10*c.n; l.Queries > bound {
			t.Errorf("%+v: %d queries, above %d", c, l.Queries, bound)
		}
		length := 8
		if c.d == 1 || c.n == 25 {
			length = 10
		}
		worst := 0.0
		equalStates(target, l.Model, c.d, length, &worst)
		if !(worst <= 1e-9) {
			t.Errorf("%+v: off by %v", c, worst)
		}
	}
}

// equalStates runs through all words to length l in depth and keeps the largest difference of
// outputs.
func equalStates(a, b *twornn.Model, d, l int, worst *float64) {
	var visit func(ha, hb []float64, left int)
	step := func(m *twornn.Model, s int, h []float64) []float64 {
		next := make([]float64, len(h))
		for i, x := range h {
			axpy(x, m.A[s].RawRowView(i), next)
		}
		return next
	}
	_, _, p := a.Dims()
	visit = func(ha, hb []float64, left int) {
		for j := range p {
			if e := math.Abs(dot(a.Omega.RawRowView(j), ha) - dot(b.Omega.RawRowView(j), hb)); !(e <= *worst) {
				*worst = e
			}
		}
		for s := range d {
			if left > 0 {
				visit(step(a, s, ha), step(b, s, hb), left-1)
			}
		}
	}
	visit(a.H0.RawVector().Data, b.H0.RawVector().Data, l)
}

// TestLearnMachines: machines, whose empty word may have an output of zero, are learnt with
// as many states as they have, by sampled words too.
func TestLearnMachines(t *testing.T) {
	for _, tk := range []*datasets.Tracking{datasets.RunningSum(5), datasets.SymmetricGroup(3), datasets.AlternatingGroup(4)} {
		target := tk.Model()
		for j := range tk.States() { // one output: is it state 1?
			target.Omega.Set(0, j, 0)
			for i := 1; i < tk.States(); i++ {
				target.Omega.Set(i, j, 0)
			}
		}
		target.Omega.Set(0, 1, 1)
		f := UnitVectors(target, tk.Symbols())
		l, err := Learn(t.Context(), f, tk.Symbols(), Sampled(f, tk.Symbols(), 2000, 12, 1e-6, pcg(8)), QueryOptions{})
		if err != nil {
			t.Fatal(tk.Name, err)
		}
		if equal, word, err := twornn.Equal(target, l.Model, 1e-9); !equal || err != nil {
			t.Errorf("%s: %v differs on %v; %v", tk.Name, l, word, err)
		}
	}
}

// TestLearnNoise: answers with noise of 1e-7, told as such, give the right number of states
// and errors of that order.
func TestLearnNoise(t *testing.T) {
	target := twornn.Random(4, 2, 1, 0.5, pcg(2))
	rnd := rand.New(pcg(3))
	exact := UnitVectors(target, 2)
	f := func(w []int) []float64 {
		y := exact(w)
		y[0] += 1e-7 * rnd.NormFloat64()
		return y
	}
	l, err := Learn(t.Context(), f, 2, Sampled(f, 2, 500, 8, 1e-3, pcg(4)), QueryOptions{Tol: 1e-6})
	if err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	equalStates(target, l.Model, 2, 8, &worst)
	if n, _, _ := l.Dims(); n > 4 || worst > 1e-3 {
		t.Errorf("%v: off by %v", l, worst)
	}
}

// TestLearnErrors: answers that are no function of one kind.
func TestLearnErrors(t *testing.T) {
	never := func(*twornn.Model) ([]int, bool) { return nil, false }
	always := func(*twornn.Model) ([]int, bool) { return []int{0, 0}, true }
	one, zero := func([]int) []float64 { return []float64{1} }, func([]int) []float64 { return []float64{0} }
	for name, c := range map[string]struct {
		f      BlackBox
		oracle Oracle
		want   string
	}{
		"zero":     {func([]int) []float64 { return []float64{0} }, never, "answers zero"},
		"liar":     {func([]int) []float64 { return []float64{0} }, always, "the black box that it is"},
		"NaN":      {func([]int) []float64 { return []float64{math.NaN()} }, never, "is NaN"},
		"none":     {func([]int) []float64 { return nil }, never, "has 0 outputs"},
		"changing": {func(w []int) []float64 { return make([]float64, 1+len(w)) }, always, "has 3 outputs"},
		"useless":  {func(w []int) []float64 { return []float64{1} }, always, "tells nothing new"},
		"large":    {func([]int) []float64 { return []float64{1e300} }, never, "the answer to [] is 1e+300, too large"},
		"grows":    {func(w []int) []float64 { return []float64{math.Pow(1e90, float64(len(w)))} }, always, "the answer to [0 0] is 1e+180, too large"},
		"small":    {func(w []int) []float64 { return []float64{1e-300} }, never, "is 1e-300, too small"},
		"later":    {func(w []int) []float64 { return []float64{1, 1}[:min(len(w), 1)+1] }, never, "has 2 outputs, those before it 1"},
		"no box":   {nil, never, "the black box is nil"},
		"no one":   {one, nil, "the oracle is nil"},
		"symbol":   {one, func(*twornn.Model) ([]int, bool) { return []int{0, 1}, true }, "the word [0 1], and the symbols of the black box are 0 to 0"},
		"long":     {one, func(*twornn.Model) ([]int, bool) { return make([]int, 100_000), true }, "the word [0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 …] of 100000 symbols tells"},
		"nonsense": {zero, func(*twornn.Model) ([]int, bool) { return []int{-1}, true }, "the word [-1], and the symbols"},
		"no end":   {func(w []int) []float64 { return []float64{rand.New(pcg(uint64(len(w)))).Float64()} }, always, ""},
	} {
		_, err := Learn(t.Context(), c.f, 1, c.oracle, QueryOptions{})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestLearnUnfit: black boxes and oracles of this package that cannot be asked are errors of Learn,
// and an oracle that cannot compare never says that nothing differs. Outside Learn they panic.
func TestLearnUnfit(t *testing.T) {
	f := func(w []int) []float64 { return []float64{float64(1 + len(w))} }
	never := func(*twornn.Model) ([]int, bool) { return nil, false }
	other := func(d, p int) *twornn.Model { return twornn.Random(2, d, p, 1, pcg(1)) }
	for _, c := range []struct {
		f      BlackBox
		oracle Oracle
		want   string
	}{
		{f, Against(nil, 1e-9), "not fitted"},
		{f, Against(&twornn.Model{}, 1e-9), "not fitted"},
		{f, Against(other(3, 1), 1e-9), "cannot equal one of 3 and 1"},
		{f, Against(other(2, 2), 1e-9), "cannot equal one of 2 and 2"},
		{f, Sampled(nil, 2, 9, 5, 1e-6, pcg(1)), "needs a black box and a source"},
		{f, Sampled(f, 2, 9, 5, 1e-6, nil), "needs a black box and a source"},
		{f, Sampled(f, 3, 9, 5, 1e-6, pcg(1)), "draws words of 3 symbols, the model reads 2"},
		{f, Sampled(f, 0, 9, 5, 1e-6, pcg(1)), "draws words of 0 symbols"},
		{f, Sampled(f, 2, 0, 5, 1e-6, pcg(1)), "tries 0 words"},
		{f, Sampled(f, 2, 9, -1, 1e-6, pcg(1)), "up to -1 symbols"},
		{f, Sampled(f, 2, 9, 5, math.NaN(), pcg(1)), "tolerance NaN"},
		{UnitVectors(nil, 2), never, "no function to ask"},
		{UnitVectors((*twornn.Model)(nil), 2), never, "not fitted"},
		{UnitVectors(other(3, 1), 2), never, "takes 3 inputs"},
		{UnitVectors(other(2, 1), 0), never, "asks with 0 inputs"},
		{UnitVectors(other(1, 1), 1), never, "has 1 inputs and is asked for symbol 1; give it and Learn the same number"},
	} {
		if l, err := Learn(t.Context(), c.f, 2, c.oracle, QueryOptions{}); l != nil || err == nil || !strings.HasPrefix(err.Error(), "words: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, %v", c.want, l, err)
		}
	}
	func() {
		defer func() {
			if err, ok := recover().(error); !ok || !strings.Contains(err.Error(), "cannot equal") {
				t.Errorf("outside Learn: %v", err)
			}
		}()
		Against(other(3, 1), 0)(other(2, 1))
	}()
	if _, err := Learn(t.Context(), f, 0, never, QueryOptions{}); err == nil || !strings.Contains(err.Error(), "a black box of 0 symbols") {
		t.Error(err)
	}
	for _, o := range []QueryOptions{{Tol: math.NaN()}, {Tol: -1}, {Tol: 1}, {MaxStates: -1}} {
		if _, err := Learn(t.Context(), f, 2, Sampled(f, 2, 9, 5, 1e-6, pcg(1)), o); err == nil || !strings.Contains(err.Error(), "zero means the default") {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestLearnSampledShapes: a black box that answers longer words with another number of outputs is
// found by sampled words, whatever the number, none included, and a word drawn from some of the
// symbols alone will do.
func TestLearnSampledShapes(t *testing.T) {
	for _, long := range [][]float64{nil, {1, 2}, {math.Inf(1)}, {math.NaN()}, {1e300}} {
		f := func(w []int) []float64 {
			if len(w) > 3 {
				return long
			}
			return []float64{float64(1 + len(w))}
		}
		l, err := Learn(t.Context(), f, 2, Sampled(f, 2, 200, 5, 1e-6, pcg(3)), QueryOptions{})
		if err == nil || l == nil || l.Equal || !strings.Contains(err.Error(), "words: the answer to [") {
			t.Errorf("%v: %v, %v", long, l, err)
		}
	}
	f := func(w []int) []float64 {
		y := []float64{float64(1 + len(w))}
		for i := range w {
			w[i] = 99 // it may do with its word what it likes
		}
		return y
	}
	if l, err := Learn(t.Context(), f, 2, Sampled(f, 1, 200, 5, 1e-6, pcg(3)), QueryOptions{}); err != nil || !l.Equal {
		t.Errorf("words of the first symbol alone: %v, %v", l, err)
	}
}

// TestLearnStops: when the context ends nothing more is asked, and the model so far comes with
// the error; a black box or an oracle that hangs is left behind within a second.
func TestLearnStops(t *testing.T) {
	target := datasets.RunningSum(7).Model()
	for _, most := range []int{3, 40} {
		ctx, cancel := context.WithCancel(t.Context())
		asked := 0
		f := func(word []int) []float64 {
			if asked++; asked == most {
				cancel()
			}
			return UnitVectors(target, 7)(word)
		}
		l, err := Learn(ctx, f, 7, Against(target, 1e-9), QueryOptions{})
		if !errors.Is(err, context.Canceled) || asked != most || !strings.Contains(err.Error(), fmt.Sprintf("stopped after %d queries", most)) {
			t.Errorf("%v after %d queries, of which %d were to be asked", err, asked, most)
		}
		if l != nil && (l.Equal || l.Queries > most || len(l.Prefixes) != l.H0.Len()) {
			t.Errorf("%v, with %d prefixes", l, len(l.Prefixes))
		}
		if most == 40 && l == nil {
			t.Error("the model so far is lost")
		}
	}
	for _, hanging := range []string{"black box", "oracle"} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			free, begin := make(chan bool), time.Now()
			hang := func(what string) {
				if what == hanging {
					cancel()
					<-free
				}
			}
			f := func(word []int) []float64 { hang("black box"); return UnitVectors(target, 7)(word) }
			oracle := func(m *twornn.Model) ([]int, bool) { hang("oracle"); return []int{1}, true }
			_, err := Learn(ctx, f, 7, oracle, QueryOptions{})
			if took := time.Since(begin); !errors.Is(err, context.Canceled) || took != stop.Grace { // by a clock that goes on only where all wait
				t.Errorf("%s: %v after %v", hanging, err, took)
			}
			close(free)
		})
	}
}

// TestLearnHalving: long counterexamples are cut by halving: log₂ 300 places are asked for,
// not 300.
func TestLearnHalving(t *testing.T) {
	tk := datasets.RunningSum(5)
	target := tk.Model()
	target.Omega.Slice(1, 5, 0, 5).(*mat.Dense).Zero()
	f := UnitVectors(target, 5)
	rnd := rand.New(pcg(9))
	oracle := func(m *twornn.Model) ([]int, bool) {
		ask := UnitVectors(m, 5)
		for range 200 {
			w := make([]int, 300)
			for i := range w {
				w[i] = rnd.IntN(5)
			}
			if math.Abs(ask(w)[0]-f(w)[0]) > 1e-6 {
				return w, true
			}
		}
		return nil, false
	}
	l, err := Learn(t.Context(), f, 5, oracle, QueryOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if n, _, _ := l.Dims(); n != 5 || l.Queries > 5*5*5+5+5*5*12 {
		t.Errorf("%v", l)
	}
}
