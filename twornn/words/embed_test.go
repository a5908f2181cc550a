package words

import (
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
)

// company is a language of d symbols in k kinds: the next kind depends on the last, and a 2-RNN reads the
// kinds alone.
type company struct {
	d, k  int
	next  [][]float64
	model *twornn.Model
}

func newCompany(d, k int) *company {
	rnd := rand.New(pcg(11))
	c := &company{d: d, k: k, model: twornn.Random(2, k, 1, 0.6, pcg(12))}
	for range k {
		row := make([]float64, k)
		for j := range row {
			row[j] = rnd.ExpFloat64() * rnd.ExpFloat64()
		}
		scale(row, sum(row))
		c.next = append(c.next, row)
	}
	return c
}

func (c *company) word(length int, rnd *rand.Rand) []int {
	w := make([]int, length)
	kind := rnd.IntN(c.k)
	for t := range w {
		w[t] = kind + c.k*rnd.IntN(c.d/c.k)
		kind = pick(c.next[kind], rnd.Float64())
	}
	return w
}

// example has the output after every symbol, with one-hot inputs unless e gives vectors.
func (c *company) example(w []int, e *Embedding) twornn.Sequence {
	kinds := make([]int, len(w))
	for t, s := range w {
		kinds[t] = s % c.k
	}
	y := new(mat.Dense)
	c.model.OutputsTo(y, datasets.OneHot(kinds, c.k))
	if e == nil {
		return twornn.Sequence{X: datasets.OneHot(w, c.d), Y: y}
	}
	return twornn.Sequence{X: e.Rows(w), Y: y}
}

// TestEmbed: of 2,000 symbols in 20 kinds the vectors are learnt from their company, and
// the function from words of three; the one-hot way says that it cannot.
func TestEmbed(t *testing.T) {
	c := newCompany(2000, 20)
	rnd := rand.New(pcg(13))
	text := datasets.NewWords(datasets.Numbered(c.d))
	for range 20000 {
		text.Add(c.word(20, rnd), 1)
	}
	e, err := Embed(text, 20)
	if err != nil {
		t.Fatal(err)
	}
	data := func(n, length int, e *Embedding, seed uint64) func(yield func(twornn.Sequence) bool) {
		return func(yield func(twornn.Sequence) bool) {
			rnd := rand.New(pcg(seed))
			for range n {
				if !yield(c.example(c.word(length, rnd), e)) {
					return
				}
			}
		}
	}
	kinds, kind := e.Kinds(20)
	wrong := 0
	for s := range c.d {
		if kind[s] != kind[s%c.k] {
			wrong++
		}
	}
	if wrong > 0 {
		t.Errorf("%d of %d symbols are taken for another kind", wrong, c.d)
	}
	for name, v := range map[string]*Embedding{"vectors": e, "kinds": kinds} {
		fit, err := twornn.Fit(t.Context(), data(2000, 3, v, 14), twornn.Options{Rank: 2, L: 1})
		if err != nil {
			t.Fatal(err)
		}
		m := twornn.Evaluate(fit, data(500, 4, v, 15))
		t.Log(name, m)
	}
	// One-hot, futures of two symbols are 4,002,001 columns.
	_, err = FitOutputs(t.Context(), data(10, 3, nil, 14), OutputsOptions{Futures: 2})
	if err == nil || !strings.Contains(err.Error(), "Embed") {
		t.Errorf("one-hot: %v", err)
	}
}

// TestEmbedNil: a nil source of sequences yields an error.
func TestEmbedNil(t *testing.T) {
	e := &Embedding{Alphabet: []string{"a"}, Vectors: mat.NewDense(1, 1, nil)}
	for s := range e.Sequences(nil) {
		if s.Err == nil || !strings.Contains(s.Err.Error(), "the source of sequences is nil") {
			t.Error(s.Err)
		}
		return
	}
	t.Error("nothing")
}
