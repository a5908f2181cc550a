package datasets

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
)

// Words is a sample of words: each distinct word with the number of times it was met,
// in the order in which they came. A word is a list of indices into Alphabet.
type Words struct {
	// Alphabet names the symbols.
	Alphabet []string

	words  [][]int
	counts []float64
	index  map[string]int // by key
}

// NewWords returns an empty sample over the given alphabet. It panics if the alphabet is
// empty or names a symbol twice.
func NewWords(alphabet []string) *Words {
	if len(alphabet) == 0 {
		panic("datasets: the alphabet is empty")
	}
	seen := make(map[string]bool, len(alphabet))
	for _, s := range alphabet {
		if seen[s] {
			panic(fmt.Sprintf("datasets: symbol %q occurs twice in the alphabet", s))
		}
		seen[s] = true
	}
	return &Words{Alphabet: slices.Clone(alphabet)}
}

// Numbered returns the alphabet "0", "1", … of d symbols.
func Numbered(d int) []string {
	alphabet := make([]string, d)
	for i := range alphabet {
		alphabet[i] = strconv.Itoa(i)
	}
	return alphabet
}

// Add counts a word count times more. It panics if a symbol is out of range, or if count
// is not a positive number.
func (w *Words) Add(word []int, count float64) {
	if !(count > 0) || math.IsInf(count, 1) {
		panic(fmt.Sprintf("datasets: a word cannot be counted %v times", count))
	}
	for _, s := range word {
		if s < 0 || s >= len(w.Alphabet) {
			panic(fmt.Sprintf("datasets: symbol %d is not among the %d of the alphabet", s, len(w.Alphabet)))
		}
	}
	if w.index == nil {
		w.index = make(map[string]int)
	}
	k := key(word)
	at, ok := w.index[k]
	if !ok {
		at = len(w.words)
		w.index[k] = at
		w.words = append(w.words, slices.Clone(word))
		w.counts = append(w.counts, 0)
	}
	if w.counts[at] += count; math.IsInf(w.counts[at], 1) {
		panic("datasets: a word cannot be counted more often than there are numbers; give counts in a larger unit")
	}
}

// key returns a text that is the same for equal words alone.
func key(word []int) string {
	b := make([]byte, 0, 2*len(word))
	for _, s := range word {
		for ; s >= 0x80; s >>= 7 {
			b = append(b, byte(s)|0x80)
		}
		b = append(b, byte(s))
	}
	return string(b)
}

// All ranges over the distinct words with their counts, in the order in which they
// came. The words are not to be changed.
func (w *Words) All() iter.Seq2[[]int, float64] {
	return func(yield func([]int, float64) bool) {
		for i, word := range w.words {
			if !yield(word, w.counts[i]) {
				return
			}
		}
	}
}

// Len returns the number of distinct words.
func (w *Words) Len() int { return len(w.words) }

// Total returns the number of words, each counted as often as it was met.
func (w *Words) Total() float64 {
	var s float64
	for _, c := range w.counts {
		s += c
	}
	return s
}

// Count returns how often a word was met.
func (w *Words) Count(word []int) float64 {
	if at, ok := w.index[key(word)]; ok {
		return w.counts[at]
	}
	return 0
}

// Longest returns the number of symbols of the longest word.
func (w *Words) Longest() int {
	n := 0
	for _, word := range w.words {
		n = max(n, len(word))
	}
	return n
}

// Text returns the word by the names of its symbols.
func (w *Words) Text(word []int) []string {
	names := make([]string, len(word))
	for t, s := range word {
		names[t] = w.Alphabet[s]
	}
	return names
}

// String says how much there is.
func (w *Words) String() string {
	return fmt.Sprintf("%.6g words, %d of them distinct, of up to %d symbols out of %d",
		w.Total(), w.Len(), w.Longest(), len(w.Alphabet))
}

// Sequences returns the distinct words as one-hot sequences: row t of X is the unit
// vector of symbol t, and Y, 1×1, is the share of the word in the sample.
func (w *Words) Sequences() iter.Seq[twornn.Sequence] {
	// In a unit in which the sum is a number, however large the counts.
	unit, total := 0x1p-64, 0.0
	if !math.IsInf(w.Total(), 1) {
		unit = 1
	}
	for _, c := range w.counts {
		total += c * unit
	}
	return func(yield func(twornn.Sequence) bool) {
		for word, count := range w.All() {
			if !yield(twornn.Sequence{X: OneHot(word, len(w.Alphabet)), Y: mat.NewDense(1, 1, []float64{count * unit / total})}) {
				return
			}
		}
	}
}

// OneHot returns the k×d matrix whose row t is the unit vector of symbol word[t], nil for
// the empty word. It panics if a symbol is out of range.
func OneHot(word []int, d int) *mat.Dense {
	if len(word) == 0 {
		return nil
	}
	X := mat.NewDense(len(word), d, nil)
	for t, s := range word {
		X.Set(t, s, 1)
	}
	return X
}

// WordOf returns the word whose one-hot rows x holds, the inverse of OneHot. It errs if
// a row is no unit vector.
func WordOf(x *mat.Dense) ([]int, error) {
	if x == nil || x.IsEmpty() {
		return nil, nil
	}
	k, d := x.Dims()
	word := make([]int, k)
	for t := range k {
		row := x.RawRowView(t)
		one := -1
		for i, v := range row[:d] {
			switch {
			case v == 1 && one < 0:
				one = i
			case v != 0:
				return nil, fmt.Errorf("datasets: step %d is no unit vector: entry %d is %v; a word has one symbol a step", t+1, i+1, v)
			}
		}
		if one < 0 {
			return nil, fmt.Errorf("datasets: step %d is no unit vector: it is zero; a word has one symbol a step", t+1)
		}
		word[t] = one
	}
	return word, nil
}

// WordsFromSequences returns the words of one-hot sequences, each counted once; their
// outputs play no part. It errs, with the number of the sequence, if a row is no unit
// vector of the alphabet's size.
func WordsFromSequences(data iter.Seq[twornn.Sequence], alphabet []string) (*Words, error) {
	if data == nil {
		return nil, errors.New("datasets: there are no data: the source of sequences is nil")
	}
	w := NewWords(alphabet)
	n := 0
	for s := range data {
		n++
		if s.Err != nil {
			return nil, s.Err
		}
		if s.Len() > 0 {
			if d, _ := s.Dims(); d != len(alphabet) {
				return nil, fmt.Errorf("datasets: sequence %d has %d inputs for an alphabet of %d; name one symbol an input", n, d, len(alphabet))
			}
		}
		word, err := WordOf(s.X)
		if err != nil {
			return nil, fmt.Errorf("datasets: sequence %d: %w", n, err)
		}
		w.Add(word, 1)
	}
	if n == 0 {
		return nil, errors.New("datasets: the data hold no sequence; give one at the least")
	}
	return w, nil
}
