package words

import (
	"context"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
)

func pcg(seed uint64) rand.Source { return rand.NewPCG(seed, 7) }

// ladder is a machine of three states that does not forget: a and b by turns, with c in
// between, ending after b alone.
func ladder() *pfa {
	a := newPFA(3, 3)
	a.start[0] = 1
	a.step[0][0*3+1] = 0.7 // a: 0 → 1
	a.step[2][0*3+0] = 0.3 // c: 0 → 0
	a.step[1][1*3+2] = 0.9 // b: 1 → 2
	a.step[2][1*3+1] = 0.1
	a.step[0][2*3+1] = 0.4
	a.stop[2] = 0.6
	return a
}

// draw returns n words of a.
func draw(a *pfa, n int, src rand.Source) *datasets.Words {
	rnd := rand.New(src)
	w := datasets.NewWords(datasets.Numbered(a.d))
	for range n {
		w.Add(a.draw(rnd), 1)
	}
	return w
}

// TestFit: the divergence from the machine that made the words is what so many
// parameters cost, some k/2N nats, and the probabilities of words sum to 1.
func TestFit(t *testing.T) {
	truth := ladder()
	a, err := Fit(t.Context(), draw(truth, 3000, pcg(1)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var divergence, total float64
	for _, w := range twornn.Words(3, 10) {
		p, q := math.Exp(truth.logProb(w)), math.Exp(a.LogProb(w))
		total += q
		// With q − p, since longer words are left out.
		divergence += q - p
		if p > 0 {
			divergence += p * math.Log(p/q)
		}
		if !(q > 0) {
			t.Fatalf("the probability of %v is %v", w, q)
		}
	}
	if divergence > 10.0/2/3000 || total > 1 || total < 0.97 {
		t.Errorf("divergence %v nats, total %v:\n%v", divergence, total, a)
	}
}

// TestAutomatonWFA: the weighted automaton has the probability of the word for value.
func TestAutomatonWFA(t *testing.T) {
	a, err := Fit(t.Context(), draw(ladder(), 300, pcg(2)), Options{States: 4})
	if err != nil {
		t.Fatal(err)
	}
	f := a.WFA()
	for _, w := range twornn.Words(3, 4) {
		names := make([]string, len(w))
		for i, s := range w {
			names[i] = f.Alphabet[s]
		}
		v, err := f.Value(names...)
		if err != nil {
			t.Fatal(err)
		}
		if p := math.Exp(a.LogProb(w)); math.Abs(v[0]-p) > 1e-13*(1+p) {
			t.Errorf("%v: %v, by logarithms %v", w, v[0], p)
		}
	}
}

// TestFitBits: the same bits whatever GOMAXPROCS.
func TestFitBits(t *testing.T) {
	sample := draw(ladder(), 300, pcg(3))
	fit := func() float64 {
		a, err := Fit(t.Context(), sample, Options{States: 5})
		if err != nil {
			t.Fatal(err)
		}
		return a.LogProb([]int{0, 1, 2, 0, 1})
	}
	two := fit()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if one := fit(); one != two {
		t.Errorf("%v on one processor, %v on all", one, two)
	}
}

// TestLongWords: a word of 10,000 symbols has a logarithm, and one of a symbol that was
// never met has too.
func TestLongWords(t *testing.T) {
	sample := datasets.NewWords([]string{"a", "b", "unseen"})
	for range 10 {
		sample.Add([]int{0, 1}, 1)
		sample.Add([]int{0, 0, 1}, 1)
	}
	a, err := Fit(t.Context(), sample, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range [][]int{make([]int, 10000), {2}, {2, 2, 2}, {}} {
		if l := a.LogProb(w); math.IsNaN(l) || math.IsInf(l, 0) || l > 0 {
			t.Errorf("a word of %d symbols: %v", len(w), l)
		}
	}
}

// TestFitErrors: what data and options can cause is an error.
func TestFitErrors(t *testing.T) {
	if _, err := Fit(t.Context(), nil, Options{}); err == nil || !strings.Contains(err.Error(), "no word") {
		t.Error(err)
	}
	if _, err := Fit(t.Context(), datasets.NewWords([]string{"a"}), Options{}); err == nil {
		t.Error("an empty sample passed")
	}
	sample := draw(ladder(), 10, pcg(4))
	for _, o := range []Options{{HeldOut: 1}, {HeldOut: math.NaN()}, {States: -1}} {
		if _, err := Fit(t.Context(), sample, o); err == nil {
			t.Errorf("%+v passed", o)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Fit(ctx, sample, Options{}); err == nil {
		t.Error("a fit that is stopped before it starts has no error")
	}
	// One word, and the empty word alone.
	for _, w := range [][]int{{0, 1}, {}} {
		one := datasets.NewWords([]string{"a", "b"})
		one.Add(w, 1)
		a, err := Fit(t.Context(), one, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if p := a.LogProb(w); math.IsNaN(p) || p < math.Log(0.2) {
			t.Errorf("the only word has log probability %v", p)
		}
	}
}

// TestSpectralStart: a distribution, already far better than unigrams, and after EM near the
// machine that made the words.
func TestSpectralStart(t *testing.T) {
	sample := draw(ladder(), 3000, pcg(8))
	words, count := sorted(sample)
	c := newCorpus(words, count, 3)
	a, err := spectralStart(t.Context(), sample, 6, 1e-4)
	if err != nil {
		t.Fatal(err)
	}
	for i := range a.n {
		total := a.stop[i]
		for _, m := range a.step {
			total += sum(m[i*a.n : (i+1)*a.n])
		}
		if math.Abs(total-1) > 1e-12 {
			t.Errorf("the ways out of state %d sum to %v", i, total)
		}
	}
	truth, first, one := c.expect(ladder(), 0).logLik, c.expect(a, 0).logLik, c.expect(unigrams(c), 0).logLik
	if first < one+0.8*(truth-one) {
		t.Errorf("log-likelihood %v, of unigrams %v, of the machine %v", first, one, truth)
	}
	for range 50 {
		a = &c.expect(a, fine).pfa
		a.normalise()
	}
	if last := c.expect(a, 0).logLik; last < truth {
		t.Errorf("after EM the log-likelihood is %v, that of the machine %v", last, truth)
	}
}

// TestFitLargeAlphabet: 2,000 symbols leave room for small automata alone.
func TestFitLargeAlphabet(t *testing.T) {
	rnd := rand.New(pcg(9))
	sample := datasets.NewWords(datasets.Numbered(2000))
	for range 2000 {
		sample.Add([]int{rnd.IntN(20), 1980 + rnd.IntN(20)}, 1)
	}
	a, err := Fit(t.Context(), sample, Options{NoMerging: true, States: 3})
	if err != nil {
		t.Fatal(err)
	}
	low, high := a.LogProb([]int{1985, 3}), a.LogProb([]int{3, 1985})
	if !(high > low+3) || math.IsInf(low, 0) {
		t.Errorf("small symbols first: %v, last: %v\n%v", high, low, a)
	}
}

// TestRoom: whatever the alphabet and the number of starts, the automata of all sizes that are tried keep
// to the room there is, and what is asked for beyond it is an error before any of it is taken.
func TestRoom(t *testing.T) {
	for _, d := range []int{3, 200, 2000, 20000, 500000} {
		for _, starts := range []int{-1, 0, 30, 100} {
			sample := coins(500, 5, d, pcg(10))
			f := &fitter{d: d, rnd: rand.New(pcg(11)), o: Options{Starts: starts, HeldOut: 0.2}}
			f.words, f.counts = sorted(sample)
			f.split()
			if err := f.checkRoom(); err != nil {
				t.Fatal(err)
			}
			held := float64(len(f.whole.tries) + 2)
			for _, n := range append(f.sizes(spectralSizes), f.mergedLimit(), f.mergedLimit(), 1) {
				held += f.numbers(n) / f.numbers(1)
			}
			for _, n := range f.starts() {
				held += f.numbers(n) / f.numbers(1)
			}
			if held *= float64(d); held > maxRoom {
				t.Errorf("%d symbols, %d starts: %.3g numbers", d, starts, held)
			}
		}
	}
	large := coins(500, 5, 20000, pcg(10))
	for want, o := range map[string]Options{
		"7 automata of 60 states over 20000 symbols would hold": {States: 60},
		"automata of 1 state over 20000 symbols would hold":     {Starts: math.MaxInt},
	} {
		if _, err := Fit(t.Context(), large, o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

// TestFitStopped: a fit of more starts than there is time for returns what it has.
func TestFitStopped(t *testing.T) {
	sample := coins(300, 6, 3, pcg(12))
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	a, err := Fit(ctx, sample, Options{Starts: 100000, NoSpectral: true, NoMerging: true})
	if err != nil || math.IsInf(a.LogProb([]int{0, 1}), 0) {
		t.Errorf("%v, %v", a, err)
	}
}
