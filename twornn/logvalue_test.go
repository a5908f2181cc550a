package twornn

import (
	"math"
	"slices"
	"strings"
	"testing"
)

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
