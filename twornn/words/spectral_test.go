package words

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/internal/linalg"
)

// short is a machine of three states whose words are short, so that all of them that matter
// can be listed.
func short() *pfa {
	a := newPFA(3, 2)
	a.start[0], a.start[1] = 0.7, 0.3
	a.step[0] = []float64{0.06, 0.12, 0, 0, 0.03, 0.06, 0.12, 0, 0.06}
	a.step[1] = []float64{0, 0.06, 0.06, 0.12, 0, 0.03, 0, 0.06, 0}
	a.stop = []float64{0.7, 0.76, 0.76}
	return a
}

// TestSpectralExact: with the true probabilities for counts each statistic gives back the
// machine.
func TestSpectralExact(t *testing.T) {
	truth := short()
	sample := datasets.NewWords(datasets.Numbered(2))
	for _, w := range twornn.Words(2, 11) {
		sample.Add(w, math.Exp(truth.logProb(w)))
	}
	for _, s := range []Statistic{Strings, Prefixes, Suffixes, Factors} {
		fit, err := Spectral(t.Context(), sample, SpectralOptions{Statistic: s, States: 3})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range twornn.Words(2, 6) {
			p := math.Exp(truth.logProb(w))
			v, err := fit.Value(names(fit.WFA, w)...)
			// What is cut off are words of more than 11 symbols, of weight 1e-6.
			if err != nil || math.Abs(v[0]-p) > 2e-5 || math.Abs(math.Exp(fit.LogProb(w))-p) > 2e-5 {
				t.Fatalf("%v: %v has %v, in truth %v; %v", s, w, v, p, err)
			}
		}
	}
}

// TestSpectralStates: the number of states is chosen by words held out, and words without a
// positive value have the floor.
func TestSpectralStates(t *testing.T) {
	truth := ladder()
	fit, err := Spectral(t.Context(), draw(truth, 20000, pcg(5)), SpectralOptions{MaxStates: 12})
	if err != nil {
		t.Fatal(err)
	}
	if fit.States < 3 || fit.States > 6 || len(fit.HeldOut) != 12 || fit.HeldOut[2] < fit.HeldOut[0]+1 {
		t.Errorf("%d states, held out %.4v", fit.States, fit.HeldOut)
	}
	var divergence float64
	for _, w := range twornn.Words(3, 8) {
		if l := fit.LogProb(w); math.IsNaN(l) || math.IsInf(l, 0) {
			t.Fatalf("%v: %v", w, l)
		} else if p := truth.logProb(w); !math.IsInf(p, -1) {
			divergence += math.Exp(p) * (p - l)
		}
	}
	if divergence > 0.01 {
		t.Errorf("%v nats from the truth", divergence)
	}
	// The first symbol is impossible; after it the state is none.
	if l, low := fit.LogProb([]int{1, 1, 1}), math.Log(floorShare*fit.distribution.g[1]); l > low+1 {
		t.Errorf("an impossible word has %v, its first symbol alone %v at the most", l, low)
	}
	if l := fit.LogProb(make([]int, 10000)); math.IsInf(l, 0) || math.IsNaN(l) {
		t.Errorf("10,000 symbols: %v", l)
	}
}

// TestSpectralDistribution: whatever the statistic and the states, also more than the sample tells of,
// the words up to a length have no more than 1 together.
func TestSpectralDistribution(t *testing.T) {
	for name, sample := range map[string]*datasets.Words{"ladder": draw(ladder(), 300, pcg(7)), "coins": coins(40, 6, 3, pcg(8))} {
		for _, s := range []Statistic{Strings, Prefixes, Suffixes, Factors} {
			for _, n := range []int{0, 3, 30} {
				fit, err := Spectral(t.Context(), sample, SpectralOptions{Statistic: s, States: n})
				if err != nil {
					t.Fatal(err)
				}
				sum := 0.0
				for _, w := range twornn.Words(3, 8) {
					sum += math.Exp(fit.LogProb(w))
				}
				if !(sum <= 1+1e-12) || sum < 0.1 {
					t.Errorf("%s, %v, %d states: words of up to 8 symbols have %v together", name, s, n, sum)
				}
			}
		}
	}
}

// coins returns n words of so many symbols out of d, all alike.
func coins(n, length, d int, src rand.Source) *datasets.Words {
	rnd := rand.New(src)
	sample := datasets.NewWords(datasets.Numbered(d))
	for range n {
		w := make([]int, length)
		for i := range w {
			w[i] = rnd.IntN(d)
		}
		sample.Add(w, 1)
	}
	return sample
}

// TestSpectralEntropy: of words of 100 symbols out of 4, all alike, no distribution has a mean logarithm
// above −100 log 4, and one chosen by words held out is that of few states.
func TestSpectralEntropy(t *testing.T) {
	fit, err := Spectral(t.Context(), coins(200, 100, 4, pcg(9)), SpectralOptions{MaxStates: 20})
	if err != nil {
		t.Fatal(err)
	}
	mean := 0.0
	for w := range coins(500, 100, 4, pcg(10)).All() {
		mean += fit.LogProb(w) / 500
	}
	bound := -100 * math.Log(4)
	if mean > bound || slices.Max(fit.HeldOut) > bound || fit.States > 5 {
		t.Errorf("%d states, %v on fresh words, %v held out; the bound is %v", fit.States, mean, slices.Max(fit.HeldOut), bound)
	}
}

// TestHankelBlocks: every entry, by counting in the slow way.
func TestHankelBlocks(t *testing.T) {
	sample := draw(ladder(), 50, pcg(6))
	basis := twornn.Words(3, 3)
	for _, s := range []Statistic{Strings, Prefixes, Suffixes, Factors} {
		b := Hankel(sample, s, basis, basis)
		H, first := b.H.Dense(), b.Symbol[1].Dense()
		for i, u := range basis {
			for j, v := range basis {
				if got, want := H.At(i, j), occurs(sample, s, slices.Concat(u, v)); math.Abs(got-want) > 1e-12 {
					t.Fatalf("%v: H[%v, %v] = %v, by counting %v", s, u, v, got, want)
				}
				if got, want := first.At(i, j), occurs(sample, s, slices.Concat(u, []int{1}, v)); math.Abs(got-want) > 1e-12 {
					t.Fatalf("%v: H₁[%v, %v] = %v, by counting %v", s, u, v, got, want)
				}
			}
		}
	}
	b := Hankel(sample, Factors, nil, nil)
	if len(b.Prefixes) < 50 || len(b.Prefixes) > 301 || len(b.Prefixes[0]) != 0 || b.H.NonZero() == 0 {
		t.Errorf("%d prefixes, %d entries", len(b.Prefixes), b.H.NonZero())
	}
}

// occurs is the statistic of w, by trying every place.
func occurs(sample *datasets.Words, s Statistic, w []int) float64 {
	n := 0.0
	for x, c := range sample.All() {
		for from := 0; from+len(w) <= len(x); from++ {
			to := from + len(w)
			ok := slices.Equal(x[from:to], w)
			if s == Strings || s == Prefixes {
				ok = ok && from == 0
			}
			if s == Strings || s == Suffixes {
				ok = ok && to == len(x)
			}
			if ok {
				n += c
			}
		}
	}
	return n / sample.Total()
}

// TestManySymbols: words of symbols far up in a large alphabet are kept apart, in blocks as in n-grams.
func TestManySymbols(t *testing.T) {
	for _, pair := range [][2]int{{1_150_000, 1_150_001}, {0xd800, 0xfffd}, {127, 128}} {
		sample := datasets.NewWords(datasets.Numbered(pair[1] + 1))
		sample.Add([]int{pair[0]}, 10)
		sample.Add([]int{pair[1]}, 5)
		b := Hankel(sample, Prefixes, nil, nil)
		if want := [][]int{{}, {pair[0]}, {pair[1]}}; !slices.EqualFunc(b.Prefixes, want, slices.Equal) {
			t.Errorf("prefixes %v, want %v", b.Prefixes, want)
		}
		if x, y := b.H.Dense().At(1, 0), b.H.Dense().At(2, 0); math.Abs(x-2./3) > 1e-15 || math.Abs(y-1./3) > 1e-15 {
			t.Errorf("%v: statistics %v and %v", pair, x, y)
		}
	}
	seen := make(map[string][]int)
	for _, w := range [][]int{{}, {0}, {0, 0}, {1}, {128}, {0, 1}, {1 << 14}, {1 << 21}, {1 << 31}, {128, 1}, {1, 128}, {1 << 40}} {
		if k := key(w); seen[k] != nil {
			t.Errorf("%v and %v have one key", seen[k], w)
		} else {
			seen[k] = w
		}
	}
}

// countdown is a context that ends when it is looked at for the left-th time.
type countdown struct {
	context.Context
	left, late int // late is how often it was looked at afterwards
}

func (c *countdown) Err() error {
	if c.left--; c.left > 0 {
		return nil
	}
	if c.left < 0 {
		c.late++
	}
	return context.Canceled
}

// TestSpectralStops: wherever the words of a block are counted when the context ends, nothing more is.
func TestSpectralStops(t *testing.T) {
	sample := draw(ladder(), 300, pcg(11))
	all := &countdown{Context: t.Context(), left: math.MaxInt}
	if _, err := hankel(all, sample, Factors, nil, nil); err != nil {
		t.Fatal(err)
	}
	looks := math.MaxInt - all.left
	cuts := 0
	for w := range sample.All() {
		cuts += len(w) + 1
	}
	if looks < 3*cuts { // those of prefixes, of suffixes, and of the block
		t.Errorf("%d looks at the context for %d cuts", looks, cuts)
	}
	for _, at := range []int{1, 2, looks / 8, looks / 3, looks / 2, looks - 1} {
		ctx := &countdown{Context: t.Context(), left: at}
		if _, err := spectralOf(ctx, sample, SpectralOptions{States: 2}); !errors.Is(err, context.Canceled) || ctx.late > 0 {
			t.Errorf("ended at look %d: %d looks later: %v", at, ctx.late, err)
		}
	}
}

// TestSparseSVD: the leading singular values and vectors of a sparse matrix are those of the dense
// one, the same bits each time.
func TestSparseSVD(t *testing.T) {
	b := Hankel(draw(ladder(), 500, pcg(7)), Factors, nil, nil)
	u, s, v, err := b.H.SVD(8)
	if err != nil {
		t.Fatal(err)
	}
	_, want, _, err := linalg.SVD(b.H.Dense())
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range s {
		if math.Abs(x-want[i]) > 1e-10*want[0] {
			t.Errorf("singular value %d: %v, of the dense matrix %v", i, x, want[i])
		}
	}
	var r mat.Dense
	r.Mul(u.T(), b.H.mul(v, false))
	for i := range 8 {
		r.Set(i, i, r.At(i, i)-s[i])
	}
	if e := mat.Norm(&r, 2); e > 1e-8*want[0] {
		t.Errorf("UᵀHV is off the singular values by %v", e)
	}
	if u2, _, _, _ := b.H.SVD(8); !mat.Equal(u, u2) {
		t.Error("another time it is other bits")
	}
}
