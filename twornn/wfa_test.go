package twornn

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// parityOfWeights is an automaton over {0, a, b} with two outputs: the number of a's
// less the number of b's, and (−1) to the number of b's.
func parityOfWeights() *WFA {
	eye := func() *mat.Dense { return mat.NewDense(3, 3, []float64{1, 0, 0, 0, 1, 0, 0, 0, 1}) }
	a, b := eye(), eye()
	a.Set(0, 1, 1) // state 0 is 1, state 1 counts
	b.Set(0, 1, -1)
	b.Set(2, 2, -1) // state 2 keeps the sign
	return &WFA{
		Alphabet: []string{"0", "a", "b"},
		Alpha:    mat.NewVecDense(3, []float64{1, 0, 1}),
		A:        []*mat.Dense{eye(), a, b},
		Omega:    mat.NewDense(2, 3, []float64{0, 1, 0, 0, 0, 1}),
	}
}

func TestWFAByHand(t *testing.T) {
	w := parityOfWeights()
	for word, want := range map[string][2]float64{"": {0, 1}, "a": {1, 1}, "b": {-1, -1}, "a a 0 b a": {2, -1}, "b b b b 0": {-4, 1}} {
		got, err := w.Value(strings.Fields(word)...)
		if err != nil || got[0] != want[0] || got[1] != want[1] {
			t.Errorf("f(%s) = %v, want %v (%v)", word, got, want, err)
		}
	}
	if _, err := w.Value("a", "c"); err == nil || !strings.Contains(err.Error(), `symbol 2 of the word, "c", is not in the alphabet 0 a b`) {
		t.Errorf("an unknown symbol: %v", err)
	}
	if _, err := new(WFA).Value("a"); err == nil {
		t.Error("an empty automaton has values")
	}
}

// TestTheorem2: automaton and 2-RNN agree on all words up to length 6 and on long
// random ones, and the conversion is exact both ways.
func TestTheorem2(t *testing.T) {
	alphabet := []string{"x", "y", "z"}
	for _, s := range modelSizes {
		m := Random(s.n, s.d, s.p, 0.5, pcg(1))
		w := m.WFA(alphabet[:s.d])
		if !sameModel(w.Model(), m) {
			t.Errorf("%+v: the numbers changed on the way", s)
		}
		check := func(word []int, x *mat.Dense) {
			var names []string
			for _, i := range word {
				names = append(names, alphabet[i])
			}
			got, err := w.Value(names...)
			if err != nil {
				t.Fatal(err)
			}
			want := m.Predict(nil, nil)
			if x != nil {
				want = m.Predict(nil, x)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%+v: f_A(%v) = %v, f_M = %v", s, names, got, want)
			}
		}
		for l := 0; l <= 6; l++ {
			words(s.d, l, check)
		}
		rnd := rand.New(pcg(2))
		for range 20 {
			word := make([]int, 50)
			x := mat.NewDense(50, s.d, nil)
			for k := range word {
				word[k] = rnd.IntN(s.d)
				x.Set(k, word[k], 1)
			}
			check(word, x)
		}
	}
	mustPanic(t, "alphabet", func() { NewModel(1, 2, 1).WFA([]string{"a"}) })
	mustPanic(t, "repeated", func() { NewModel(1, 2, 1).WFA([]string{"a", "a"}) })
}

func TestChangeOfBasisKeepsTheFunction(t *testing.T) {
	m := Random(4, 3, 2, 0.5, pcg(3))
	P := Random(4, 1, 1, 1, pcg(4)).A[0]
	q, err := m.ChangeBasis(P)
	if err != nil {
		t.Fatal(err)
	}
	if e := relativeError(t, q, m, 5); e > 1e-11 {
		t.Errorf("relative error %.2g", e)
	}
	if mat.EqualApprox(q.A[0], m.A[0], 1e-3) {
		t.Error("the parameters did not change")
	}
	if _, err := m.ChangeBasis(mat.NewDense(4, 4, nil)); err == nil {
		t.Error("a singular change of basis is taken")
	}
}

// padded returns m with states that are never reached, states that are never seen,
// and a change of basis to hide them.
func padded(t *testing.T, m *Model) *Model {
	n, d, p := m.Dims()
	N := n + 4
	q := NewModel(N, d, p)
	rnd := rand.New(pcg(5))
	q.H0.SliceVec(0, n).(*mat.VecDense).CopyVec(m.H0)
	for i, a := range m.A {
		for r := range N {
			for c := range N {
				// From a reached state to an unreached one nothing leads, nor from an
				// unseen one to a seen one: n, n+1 are unreached, n+2, n+3 unseen.
				unreached := func(s int) bool { return s == n || s == n+1 }
				unseen := func(s int) bool { return s >= n+2 }
				if (unreached(c) && !unreached(r)) || (unseen(r) && !unseen(c)) || (r < n && c < n) {
					continue
				}
				q.A[i].Set(r, c, rnd.NormFloat64())
			}
		}
		q.A[i].Slice(0, n, 0, n).(*mat.Dense).Copy(a)
	}
	q.Omega.Slice(0, p, 0, n).(*mat.Dense).Copy(m.Omega)
	q.Omega.Set(0, n, 3) // an unreached state may be seen
	P := Random(N, 1, 1, 1, pcg(6)).A[0]
	q, err := q.ChangeBasis(P)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func TestMinimize(t *testing.T) {
	for _, s := range []struct{ n, d, p int }{{1, 1, 1}, {3, 2, 1}, {5, 3, 2}} {
		m := Random(s.n, s.d, s.p, 0.5, pcg(7))
		big := padded(t, m)
		small := big.Minimize(0)
		if n, _, _ := small.Dims(); n != s.n {
			t.Errorf("%+v: %d states", s, n)
		}
		if e := relativeError(t, small, m, 5); e > 1e-8 {
			t.Errorf("%+v: relative error %.2g", s, e)
		}
		if equal, word, err := Equal(big, small, 1e-7); !equal || err != nil {
			t.Errorf("%+v: differ on %v, %v", s, word, err)
		}
	}
	if n, _, _ := NewModel(4, 2, 1).Minimize(0).Dims(); n != 1 {
		t.Errorf("the zero function has %d states", n)
	}
	if n, _, _ := lastInput(mat.NewDense(1, 3, []float64{1, 2, 3})).Minimize(0).Dims(); n != 2 {
		t.Errorf("y = W x with a bias and one output needs 2 states, got %d", n)
	}
}

// TestEqual: functions that first differ on a given word are told apart by a word at
// least as short.
func TestEqual(t *testing.T) {
	m := Random(3, 2, 1, 0.6, pcg(8))
	P := Random(3, 1, 1, 1, pcg(9)).A[0]
	q, err := m.ChangeBasis(P)
	if err != nil {
		t.Fatal(err)
	}
	for _, tol := range []float64{-1, math.NaN()} {
		if _, _, err := Equal(m, q, tol); err == nil {
			t.Errorf("a tolerance of %g is taken", tol)
		}
	}
	if equal, word, err := Equal(m, q, 0); !equal || word != nil || err != nil {
		t.Errorf("equal %v, word %v, %v", equal, word, err)
	}
	// g counts to 4 symbols 1 in a row, a chain of 5 states, and adds 1e-3 to f there.
	chainOf := NewModel(3+5, 2, 1)
	copy(chainOf.H0.RawVector().Data, m.H0.RawVector().Data)
	chainOf.H0.SetVec(3, 1)
	for i := range 2 {
		chainOf.A[i].Slice(0, 3, 0, 3).(*mat.Dense).Copy(m.A[i])
	}
	for s := range 4 {
		chainOf.A[1].Set(3+s, 4+s, 1)
	}
	chainOf.Omega.Slice(0, 1, 0, 3).(*mat.Dense).Copy(m.Omega)
	chainOf.Omega.Set(0, 7, 1e-3)
	equal, word, err := Equal(m, chainOf, 0)
	if equal || err != nil || !slices.Equal(word, []int{1, 1, 1, 1}) {
		t.Errorf("equal %v, word %v, %v; they differ on 1111 alone", equal, word, err)
	}
	// Values that grow do not hide that f(λ) differs, however many states there are.
	grows := NewModel(1, 1, 1)
	grows.H0.SetVec(0, 1)
	grows.A[0].Set(0, 0, 1000)
	grows.Omega.Set(0, 0, 1)
	more := NewModel(4, 1, 1)
	more.H0.SetVec(0, 1)
	more.H0.SetVec(1, 1) // 1 at λ, then gone
	more.A[0].Set(0, 0, 1000)
	more.A[0].Set(1, 2, 1)
	more.A[0].Set(2, 3, 1)
	more.Omega.Set(0, 0, 1)
	more.Omega.Set(0, 1, 1)
	if equal, word, err := Equal(grows, more, 0); equal || len(word) != 0 || err != nil {
		t.Errorf("equal %v, word %v, %v; they differ on the empty word", equal, word, err)
	}
	if _, _, err := Equal(m, Random(3, 3, 1, 1, pcg(1)), 0); err == nil {
		t.Error("models of other inputs are compared")
	}
	if _, _, err := Equal(m, nil, 0); err == nil {
		t.Error("no model is compared")
	}
	bad := m.clone()
	bad.Omega.Set(0, 0, math.NaN())
	if equal, _, err := Equal(m, bad, 0); equal || err == nil {
		t.Error("a model with a NaN is compared")
	}
	if _, err := m.ChangeBasis(mat.NewDense(3, 3, []float64{math.NaN(), 0, 0, 0, 1, 0, 0, 0, 1})); err == nil {
		t.Error("a change of basis with a NaN is taken")
	}
}

func TestWordsAndBlocks(t *testing.T) {
	if got := len(Words(3, 4)); got != (linalg.Pow(3, 5)-1)/2 {
		t.Errorf("%d words", got)
	}
	m := Random(4, 2, 2, 0.5, pcg(10))
	// The block of all words up to L is what newBlock lays out from H⁽ˡ⁾.
	h := exact(m, 0, 1, 2, 3, 4, 5)
	b, err := newBlock(h, 2, 2, 2)
	if err != nil {
		t.Fatal(err)
	}
	up := Words(2, 2)
	if !mat.EqualApprox(m.Block(up, up), b.H, 1e-13) {
		t.Error("the blocks differ")
	}
	for i := range 2 {
		var prefixes [][]int
		for _, u := range up {
			prefixes = append(prefixes, append(slices.Clone(u), i))
		}
		if !mat.EqualApprox(m.Block(prefixes, up), b.Plus[i], 1e-13) {
			t.Errorf("the blocks of symbol %d differ", i)
		}
	}
	if !m.Complete(up, up, 0) || m.Complete(up[:2], up, 0) {
		t.Error("all words up to 2 are a complete basis of 4 states, two prefixes are not")
	}
	// A forecaster: words of one length are never complete, those up to 1 are.
	f := lastInput(mat.NewDense(1, 3, []float64{1, 2, 3}))
	if one := Words(3, 1); f.Complete(one[1:], one[1:], 0) || !f.Complete(one, one, 0) {
		t.Error("the forecaster's bases")
	}
}

// TestEqualThroughCancellation: a value that is zero but for rounding does not count as
// different from zero.
func TestEqualThroughCancellation(t *testing.T) {
	m := NewModel(2, 2, 1)
	m.H0.SetVec(0, 1)
	m.A[0].Copy(mat.NewDense(2, 2, []float64{1, 1, 0, 1}))
	m.A[1].Copy(mat.NewDense(2, 2, []float64{1, 0, 0, 1}))
	m.Omega.Set(0, 1, 1)
	again, err := m.ChangeBasis(mat.NewDense(2, 2, []float64{1, -1, 0.3, 1}))
	if err != nil {
		t.Fatal(err)
	}
	if ok, word, err := Equal(m, again, 0); !ok || err != nil {
		t.Errorf("a change of basis changes the value on %v: %v", word, err)
	}
	other := m.clone()
	other.Omega.Set(0, 0, 1e-8)
	if ok, _, _ := Equal(m, other, 0); ok {
		t.Error("1e-8 on the empty word is no rounding")
	}
}

// TestLogValue: the logarithm and sign of the value, of short words, and of words whose
// value no float64 holds.
func TestLogValue(t *testing.T) {
	m := Random(3, 2, 2, 0.7, pcg(4))
	w := m.WFA([]string{"a", "b"})
	for _, word := range Words(2, 6) {
		names := make([]string, len(word))
		for i, s := range word {
			names[i] = w.Alphabet[s]
		}
		v, err := w.Value(names...)
		log, sign, err2 := w.LogValue(names...)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		for j := range v {
			if got := sign[j] * math.Exp(log[j]); math.Abs(got-v[j]) > 1e-14*(1+math.Abs(v[j])) {
				t.Errorf("%v: %v, by its logarithm %v", word, v[j], got)
			}
		}
	}
	// One state: f(a…a) = 3·(−1/4)^k.
	one := NewModel(1, 1, 1)
	one.H0.SetVec(0, 3)
	one.A[0].Set(0, 0, -0.25)
	one.Omega.Set(0, 0, 1)
	for _, k := range []int{0, 1, 10001} {
		log, sign, err := one.WFA([]string{"a"}).LogValue(slices.Repeat([]string{"a"}, k)...)
		want := math.Log(3) - float64(k)*math.Log(4)
		if err != nil || math.Abs(log[0]-want) > 1e-13*math.Abs(want) || sign[0] != float64(1-2*(k%2)) {
			t.Errorf("%d symbols: log %v, sign %v, want %v; %v", k, log, sign, want, err)
		}
	}
	// A value of zero, and a symbol that is none.
	one.A[0].Set(0, 0, 0)
	if log, sign, err := one.WFA([]string{"a"}).LogValue("a"); err != nil || !math.IsInf(log[0], -1) || sign[0] != 0 {
		t.Errorf("zero has log %v, sign %v; %v", log, sign, err)
	}
	if _, _, err := w.LogValue("c"); err == nil {
		t.Error("a symbol that is none passed")
	}
}

// TestLogLikelihood: counts times logarithms, and an error at a value that has none.
func TestLogLikelihood(t *testing.T) {
	m := NewModel(1, 1, 1)
	m.H0.SetVec(0, 0.5)
	m.A[0].Set(0, 0, 0.5)
	m.Omega.Set(0, 0, 1)
	w := m.WFA([]string{"a"})
	sample := func(yield func([]int, float64) bool) {
		_ = yield([]int{0}, 2) && yield(make([]int, 10000), 1)
	}
	got, err := w.LogLikelihood(sample)
	if want := -math.Ln2 * (2*2 + 10001); err != nil || math.Abs(got-want) > 1e-9 {
		t.Errorf("%v, want %v; %v", got, want, err)
	}
	m.A[0].Set(0, 0, -0.5)
	if _, err := m.WFA([]string{"a"}).LogLikelihood(sample); err == nil || !strings.Contains(err.Error(), "[0]") {
		t.Error(err)
	}
}

// TestCompleteWithoutWords: no words are a complete basis for the zero function alone.
func TestCompleteWithoutWords(t *testing.T) {
	m := Random(2, 2, 1, 0.6, pcg(1))
	word := [][]int{{}}
	for _, c := range [][2][][]int{{nil, nil}, {word, nil}, {nil, word}} {
		if m.Complete(c[0], c[1], 0) || !NewModel(2, 2, 1).Complete(c[0], c[1], 0) {
			t.Errorf("%v: wrong", c)
		}
		if !m.Block(c[0], c[1]).IsEmpty() {
			t.Errorf("%v: a block of something", c)
		}
	}
}
