package words

import (
	"math"
	"strings"
	"testing"

	"github.com/twornn/spectral/datasets"
)

// counted returns words of two symbols, the first of them counted first times and the others other.
func counted(first, other float64) *datasets.Words {
	w := datasets.NewWords([]string{"a", "b"})
	for i := range 8 {
		var word []int
		for k := i; k > 0; k /= 2 {
			word = append(word, k%2)
		}
		if w.Add(word, other); i == 0 {
			w = datasets.NewWords(w.Alphabet)
			w.Add(nil, first)
		}
	}
	return w
}

// TestExtremeCounts: with counts whose sum no float64 holds, or that are as small as there are, the
// probabilities are those of the same shares counted in another unit.
func TestExtremeCounts(t *testing.T) {
	test := [][]int{nil, {0, 1}, {1, 1, 1, 1, 1}}
	for _, c := range [][2]float64{{math.MaxFloat64, math.MaxFloat64}, {math.MaxFloat64, 1}, {5e-324, 5e-324}, {1e-310, 5e-324}} {
		// Powers of two change no digits, and no prior is of the size of these counts.
		scale := 0x1p-624
		if c[0] < 1 {
			scale = 0x1p624
		}
		like, usual := counted(c[0], c[1]), counted(c[0]*scale, c[1]*scale)
		for what, learn := range map[string]func(*datasets.Words) (func([]int) float64, error){
			"Fit": func(w *datasets.Words) (func([]int) float64, error) {
				a, err := Fit(t.Context(), w, Options{States: 3})
				if err != nil {
					return nil, err
				}
				return a.LogProb, nil
			},
			"Spectral": func(w *datasets.Words) (func([]int) float64, error) {
				s, err := Spectral(t.Context(), w, SpectralOptions{})
				if err != nil {
					return nil, err
				}
				return s.LogProb, nil
			},
			"FitNGrams": func(w *datasets.Words) (func([]int) float64, error) { return FitNGrams(w, 2).LogProb, nil },
		} {
			p, err := learn(like)
			q, err2 := learn(usual)
			if err != nil || err2 != nil {
				t.Errorf("%s of counts %v: %v, %v", what, c, err, err2)
				continue
			}
			for _, w := range test {
				if got, want := p(w), q(w); !(math.Abs(got-want) <= 1e-9*math.Abs(want)+1e-9) || got > 1e-9 {
					t.Errorf("%s of counts %v: log P(%v) = %v, not %v", what, c, w, got, want)
				}
			}
		}
		e, err := Embed(like, 1)
		if f, err2 := Embed(usual, 1); err != nil || err2 != nil || !(math.Abs(e.Vectors.At(0, 0)/f.Vectors.At(0, 0)-1) < 1e-9) {
			t.Errorf("Embed of counts %v: %v, %v", c, err, err2)
		}
	}
	// All alike, each is one of eight.
	s, err := Spectral(t.Context(), counted(math.MaxFloat64, math.MaxFloat64), SpectralOptions{Statistic: Strings})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := s.Value("a", "b"); err != nil || math.Abs(got[0]-1.0/8) > 1e-7 {
		t.Errorf("P = %v, %v of one word in eight", got, err)
	}
	// What has no value takes ε at the most of each symbol and the end.
	if got := s.LogProb([]int{0, 1}); math.Abs(got+math.Log(8)) > 3*floorShare {
		t.Errorf("log P = %v of one word in eight", got)
	}
}

// TestUsable: a sample without words or symbols, and options of Spectral that no sample suits, are errors.
func TestUsable(t *testing.T) {
	var bare datasets.Words
	bare.Add(nil, 1)
	for want, sample := range map[string]*datasets.Words{"holds no word": nil, "no word;": datasets.NewWords([]string{"a"}), "alphabet of the sample is empty": &bare} {
		_, fit := Fit(t.Context(), sample, Options{})
		_, spectral := Spectral(t.Context(), sample, SpectralOptions{})
		_, embed := Embed(sample, 1)
		for _, err := range []error{fit, spectral, embed} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", want, err)
			}
		}
	}
	for want, o := range map[string]SpectralOptions{
		"no Statistic(4)":                                                {Statistic: 4},
		"Prefixes lacks the empty word":                                  {Prefixes: [][]int{{0}}},
		"Suffixes lacks the empty word":                                  {Suffixes: [][]int{}},
		"Suffixes holds the word [0 2]":                                  {Suffixes: [][]int{nil, {0, 2}}},
		"the sample has the symbols 0 to ":                               {Prefixes: [][]int{nil, {-1}}},
		"States is 1000000, and the Hankel block of the sample carries ": {States: 1e6},
	} {
		if _, err := Spectral(t.Context(), counted(1, 1), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// TestHankelMisuse: no sample and a statistic that there is none of panic with what is wrong.
func TestHankelMisuse(t *testing.T) {
	for want, block := range map[string]func(){
		"needs a sample":       func() { Hankel(nil, Factors, nil, nil) },
		"no Statistic(7)":      func() { Hankel(counted(1, 1), 7, nil, nil) },
		"no Statistic(-1)":     func() { Hankel(counted(1, 1), -1, nil, nil) },
		"the empty word must ": func() { Hankel(counted(1, 1), Strings, [][]int{{0}}, nil) },
	} {
		func() {
			defer func() {
				if r, _ := recover().(string); !strings.HasPrefix(r, "words: ") || !strings.Contains(r, want) {
					t.Errorf("%s: %v", want, r)
				}
			}()
			block()
		}()
	}
}

// TestOutOfRange: more states than have room are an error, however many, and a symbol that is not in the
// alphabet is a panic that says so, whatever the model.
func TestOutOfRange(t *testing.T) {
	sample := counted(1, 1)
	for _, states := range []int{1 << 14, 1 << 32, 1 << 40, math.MaxInt} {
		if _, err := Fit(t.Context(), sample, Options{States: states}); err == nil || !strings.Contains(err.Error(), "Options.States names") {
			t.Errorf("%d states: %v", states, err)
		}
	}
	s, err := Spectral(t.Context(), sample, SpectralOptions{States: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range []func([]int) float64{s.LogProb, FitNGrams(sample, 2).LogProb} {
		for _, symbol := range []int{-1, 2} {
			func() {
				defer func() {
					if r, _ := recover().(string); !strings.Contains(r, "is not among the 2 of the alphabet") {
						t.Errorf("%d: %v", i, r)
					}
				}()
				p([]int{0, symbol})
			}()
		}
	}
}
