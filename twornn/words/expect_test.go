package words

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/twornn/spectral/datasets"
)

// TestExpect: expected counts and the log-likelihood, against a sum over all paths.
func TestExpect(t *testing.T) {
	// Words are short: paths are 3^k.
	sample := datasets.NewWords(datasets.Numbered(3))
	for w, n := range draw(ladder(), 30, pcg(1)).All() {
		sample.Add(w[:min(len(w), 6)], n)
	}
	sample.Add(nil, 2)
	words, count := sorted(sample)
	c := newCorpus(words, count, 3)
	a := randomPFA(3, c, rand.New(pcg(2)))
	want := newPFA(3, 3)
	logLik := 0.0
	for k, w := range words {
		total := 0.0
		paths(a, w, func(states []int, p float64) { total += p })
		logLik += count[k] * math.Log(total)
		paths(a, w, func(states []int, p float64) {
			x := count[k] * p / total
			want.start[states[0]] += x
			want.stop[states[len(w)]] += x
			for i, s := range w {
				want.step[s][states[i]*3+states[i+1]] += x
			}
		})
	}
	got := c.expect(a, 0)
	if math.Abs(got.logLik-logLik) > 1e-9*math.Abs(logLik) {
		t.Errorf("log-likelihood %v, by paths %v", got.logLik, logLik)
	}
	same := func(what string, a, b []float64) {
		for i := range a {
			if math.Abs(a[i]-b[i]) > 1e-10*(1+b[i]) {
				t.Errorf("%s %d: %v, by paths %v", what, i, a[i], b[i])
			}
		}
	}
	same("start", got.start, want.start)
	same("stop", got.stop, want.stop)
	for s := range 3 {
		same("step", got.step[s], want.step[s])
	}
}

// paths calls each with the states of every path of a through a word, and its probability.
func paths(a *pfa, w []int, each func(states []int, p float64)) {
	var visit func(states []int, p float64)
	visit = func(states []int, p float64) {
		at, k := states[len(states)-1], len(states)-1
		if k == len(w) {
			each(states, p*a.stop[at])
			return
		}
		for j := range a.n {
			visit(append(states[:k+1:k+1], j), p*a.step[w[k]][at*a.n+j])
		}
	}
	for i := range a.n {
		visit([]int{i}, a.start[i])
	}
}

// TestEMClimbs: no step of EM loses likelihood, and a coarse beam hardly moves it.
func TestEMClimbs(t *testing.T) {
	words, count := sorted(draw(ladder(), 1000, pcg(3)))
	c := newCorpus(words, count, 3)
	a := randomPFA(6, c, rand.New(pcg(4)))
	last := math.Inf(-1)
	for range 60 {
		e := c.expect(a, 0)
		if e.logLik < last-1e-9*math.Abs(last) {
			t.Fatalf("log-likelihood fell from %v to %v", last, e.logLik)
		}
		last = e.logLik
		if b := c.expect(a, coarse).logLik; math.Abs(b-last) > 1e-3*c.total {
			t.Errorf("with a coarse beam the log-likelihood is %v, not %v", b, last)
		}
		a = &e.pfa
		a.normalise()
	}
}

// TestMerging: of a deterministic machine's words the merged states are the machine's.
func TestMerging(t *testing.T) {
	words, count := sorted(draw(ladder(), 3000, pcg(5)))
	m := newMerger(words, count, 3, 0.5, 6)
	if red := m.run(t.Context(), 50, 10); len(red) != 3 {
		t.Errorf("%d states, the machine has 3", len(red))
	}
	// A trial leaves nothing behind.
	m = newMerger(words, count, 3, 0.5, 6)
	uses, next := append([]float64(nil), m.uses...), append([]int32(nil), m.next...)
	b := m.next[0]
	m.next[0] = -1
	m.fold(0, b)
	m.undo()
	m.next[0] = b
	for i := range uses {
		if uses[i] != m.uses[i] {
			t.Fatalf("use %d was %v and is %v", i, uses[i], m.uses[i])
		}
	}
	for i := range next {
		if next[i] != m.next[i] {
			t.Fatalf("child %d was %v and is %v", i, next[i], m.next[i])
		}
	}
}

// TestMergingApart: two states that differ at once and are alike in all that follows, which is
// a wide tree whose rare nodes all speak for merging, stay apart.
func TestMergingApart(t *testing.T) {
	a := newPFA(4, 10)
	a.start[0] = 1
	a.step[0][0*4+1], a.step[1][0*4+2] = 0.5, 0.5 // 0 leads to state 1, 1 to state 2
	a.step[0][1*4+3], a.step[1][1*4+3] = 0.8, 0.2
	a.step[0][2*4+3], a.step[1][2*4+3] = 0.3, 0.7
	for s := 2; s < 10; s++ {
		a.step[s][3*4+3] = 0.1
	}
	a.stop[3] = 0.2
	words, count := sorted(draw(a, 600, pcg(6)))
	if red := newMerger(words, count, 10, 0.5, 6).run(t.Context(), 50, 10); len(red) != 4 {
		t.Errorf("%d states, the machine has 4", len(red))
	}
}

// TestExcluded: words that the automaton excludes, or of which a coarse beam loses the end, leave
// no NaN in the counts.
func TestExcluded(t *testing.T) {
	sample := draw(ladder(), 50, pcg(7))
	sample.Add([]int{1, 1, 1}, 1)
	sample.Add([]int{0}, 1) // ends where it may not
	words, count := sorted(sample)
	c := newCorpus(words, count, 3)
	e := c.expect(ladder(), coarse)
	if !math.IsInf(e.logLik, -1) {
		t.Errorf("log-likelihood %v with words that are excluded", e.logLik)
	}
	for _, v := range [][]float64{e.start, e.stop, e.step[0], e.step[1], e.step[2]} {
		for _, x := range v {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Fatalf("a count is %v", x)
			}
		}
	}
	// What is left is counted as it is without those words.
	only, n := sorted(draw(ladder(), 50, pcg(7)))
	if want := newCorpus(only, n, 3).expect(ladder(), coarse); math.Abs(sum(e.stop)-sum(want.stop)) > 1e-9 {
		t.Errorf("%v words end, without the excluded ones %v", sum(e.stop), sum(want.stop))
	}
}
