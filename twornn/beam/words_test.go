package beam

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"sync"
	"testing"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn/words"
)

func init() { register.Function2x0(takeCount) }

// taken are the counts of the pipeline that has run last, in this process.
var (
	taken = map[string]float64{}
	lock  sync.Mutex
)

func takeCount(word string, n float64) {
	lock.Lock()
	defer lock.Unlock()
	taken[word] += n
}

// counted runs a pipeline of counts.
func counted(t *testing.T, make func(s sdk.Scope) sdk.PCollection) map[string]float64 {
	t.Helper()
	clear(taken)
	p, s := sdk.NewPipelineWithRoot()
	sdk.ParDo0(s, takeCount, make(s))
	if _, err := sdk.Run(context.Background(), "prism", p); err != nil {
		t.Fatal(err)
	}
	return maps.Clone(taken)
}

// TestCountsOfWords: those of a sample, and of its factors the Hankel block of words.Factors.
func TestCountsOfWords(t *testing.T) {
	rnd := pcg(5)
	var lines []string
	for range 200 {
		var word []string
		for range rnd.IntN(5) {
			word = append(word, fmt.Sprint(rnd.IntN(2)))
		}
		lines = append(lines, strings.Join(word, " "))
	}
	want, err := datasets.ReadLines(strings.NewReader(strings.Join(lines, "\n")), " ")
	if err != nil {
		t.Fatal(err)
	}
	if want, err = want.Recode([]string{"0", "1"}); err != nil {
		t.Fatal(err)
	}
	sample := func(s sdk.Scope) sdk.PCollection { return CountWords(s, " ", sdk.CreateList(s, lines)) }
	got, err := Words(counted(t, sample))
	if err != nil {
		t.Fatal(err)
	}
	if got.Total() != want.Total() || got.Len() != want.Len() || fmt.Sprint(got.Alphabet) != "[0 1]" {
		t.Errorf("%v, want %v", got, want)
	}
	for word, n := range want.All() {
		if got.Count(word) != n {
			t.Errorf("%v counted %v times, want %v", word, got.Count(word), n)
		}
	}
	short := [][]int{{}, {0}, {1}, {0, 1}, {1, 1}}
	for _, kind := range []words.Statistic{words.Factors, words.Prefixes, words.Suffixes} {
		parts, err := Words(counted(t, func(s sdk.Scope) sdk.PCollection { return CountParts(s, kind, 5, sample(s)) }))
		if err != nil {
			t.Fatal(err)
		}
		a, b := words.Hankel(want, kind, short, short), words.Hankel(parts, words.Strings, short, short)
		x, y := a.H.Dense(), b.H.Dense()
		x.Scale(want.Total(), x) // blocks are shares of their totals
		y.Scale(parts.Total(), y)
		if !mat.EqualApprox(x, y, 1e-12) || x.At(0, 0) == 0 {
			t.Errorf("%v: by the sample\n%v\nby its counts\n%v", kind, mat.Formatted(x), mat.Formatted(y))
		}
	}
}

func TestLinesThatCannotBeSplit(t *testing.T) {
	for _, c := range [][2]string{{"a,,b", ","}, {"a\xff", " "}, {"a\tb", ""}} {
		if _, err := split(c[0], c[1]); err == nil {
			t.Errorf("%q is split", c[0])
		}
	}
	for _, separator := range []string{" ", "", ","} {
		if symbols, err := split(" ", separator); err != nil || len(symbols) > 0 {
			t.Errorf("an empty line, separated by %q: %v, %v", separator, symbols, err)
		}
	}
	if _, err := Words(map[string]float64{"": 3}); err == nil {
		t.Error("no symbol is no error")
	}
}
