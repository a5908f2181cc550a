package beam

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn/words"
)

func init() {
	register.DoFn2x1[string, func(string, float64), error](&wordFn{})
	register.DoFn3x0[string, float64, func(string, float64)](&partFn{})
	register.Function2x1[float64, float64, float64](add)
	register.Emitter2[string, float64]()
}

// CountWords counts the distinct words of a PCollection<string>, a word a line as
// datasets.ReadLines splits it: a separator of " " stands for any blanks, "" makes every
// character a symbol. The result is a PCollection<KV<string, float64>> of words, their symbols
// parted by tabs, and how often each was met; a word of no symbols is the empty text. A line
// that is not UTF-8, or lacks a symbol between two separators, fails the pipeline.
func CountWords(s sdk.Scope, separator string, lines sdk.PCollection) sdk.PCollection {
	s = s.Scope("twornn.CountWords")
	return sdk.CombinePerKey(s, add, sdk.ParDo(s, &wordFn{Separator: separator}, lines))
}

// CountParts turns counts of words into those of their parts of up to the given length: how often each
// begins a word (words.Prefixes), ends one (words.Suffixes), or occurs in one (words.Factors),
// the empty word among them. It costs O(k²) a word of length k for factors. With it a sample of
// any size becomes as many counts as there are such parts, and the Hankel block of the sample by
// words.Factors, say, is that of the counts by words.Strings, but for one factor: each is divided by its
// Total. It panics for words.Strings.
func CountParts(s sdk.Scope, kind words.Statistic, upTo int, counts sdk.PCollection) sdk.PCollection {
	if kind != words.Prefixes && kind != words.Suffixes && kind != words.Factors || upTo < 0 {
		panic("beam: CountParts counts prefixes, suffixes or factors up to a length")
	}
	s = s.Scope("twornn.CountParts")
	return sdk.CombinePerKey(s, add, sdk.ParDo(s, &partFn{Kind: int(kind), UpTo: upTo}, counts))
}

func add(a, b float64) float64 { return a + b }

const symbolMark = "\t"

type wordFn struct{ Separator string }

func (f *wordFn) ProcessElement(line string, emit func(string, float64)) error {
	symbols, err := split(strings.TrimSuffix(line, "\r"), f.Separator)
	if err == nil {
		emit(strings.Join(symbols, symbolMark), 1)
	}
	return err
}

// split returns the symbols of a line.
func split(line, separator string) (symbols []string, err error) {
	switch {
	case !utf8.ValidString(line):
		return nil, fmt.Errorf("beam: the line %.60q is not UTF-8; convert the file", line)
	case strings.TrimSpace(line) == "":
		return nil, nil
	case separator == "":
		symbols = strings.Split(line, "")
	case strings.TrimSpace(separator) == "":
		return strings.Fields(line), nil
	default:
		symbols = strings.Split(line, separator)
		for i := range symbols {
			symbols[i] = strings.TrimSpace(symbols[i])
		}
	}
	for i, s := range symbols {
		if s == "" || strings.Contains(s, symbolMark) {
			return nil, fmt.Errorf("beam: the line %.60q has no symbol number %d, or a tab in it; write one without between two separators, or take one separator out", line, i+1)
		}
	}
	return symbols, nil
}

type partFn struct{ Kind, UpTo int }

func (f *partFn) ProcessElement(word string, count float64, emit func(string, float64)) {
	symbols := symbolsOf(word)
	n := len(symbols)
	for from := range n + 1 {
		for to := from; to <= min(n, from+f.UpTo); to++ {
			if f.Kind == int(words.Prefixes) && from > 0 || f.Kind == int(words.Suffixes) && to < n {
				continue
			}
			emit(strings.Join(symbols[from:to], symbolMark), count)
		}
	}
}

// Words returns the sample of counts that came out of a pipeline, in the order of the words, over the
// alphabet of their symbols in order: the same whatever the order they came in. It errs if there
// is no symbol, or if a count is not a positive number.
func Words(counts map[string]float64) (*datasets.Words, error) {
	var texts, alphabet []string
	index := map[string]int{}
	for word, n := range counts {
		if !(n > 0) || n > 1e300 {
			return nil, fmt.Errorf("beam: the word %q is counted %v times; leave it out", word, n)
		}
		texts = append(texts, word)
		for _, s := range symbolsOf(word) {
			index[s] = 0
		}
	}
	for s := range index {
		alphabet = append(alphabet, s)
	}
	if len(alphabet) == 0 {
		return nil, fmt.Errorf("beam: there is no symbol in the %d words; check how lines are split", len(counts))
	}
	slices.Sort(texts)
	slices.Sort(alphabet)
	for i, s := range alphabet {
		index[s] = i
	}
	w := datasets.NewWords(alphabet)
	for _, text := range texts {
		var word []int
		for _, s := range symbolsOf(text) {
			word = append(word, index[s])
		}
		w.Add(word, counts[text])
	}
	return w, nil
}

func symbolsOf(word string) []string {
	if word == "" {
		return nil
	}
	return strings.Split(word, symbolMark)
}
