package words

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"gonum.org/v1/gonum/blas/gonum"
)

// each calls do(0), …, do(n−1) on two goroutines; the calls must not touch each other.
func each(n int, do func(k int)) {
	var wg sync.WaitGroup
	const g = 2
	for j := range g {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for k := j; k < n; k += g {
				do(k)
			}
		}()
	}
	wg.Wait()
}

var blas gonum.Implementation

func axpy(s float64, x, y []float64) { blas.Daxpy(len(y), s, x, 1, y, 1) }
func dot(x, y []float64) float64     { return blas.Ddot(len(y), x, 1, y, 1) }

func sum(v []float64) (s float64) {
	for _, x := range v {
		s += x
	}
	return s
}

// scale divides v by t.
func scale(v []float64, t float64) {
	if t == 0 {
		return
	}
	for i := range v {
		v[i] /= t
	}
}

// pick returns the first index whose share of p, with those before it, reaches u.
func pick(p []float64, u float64) int {
	last := 0
	for i, v := range p {
		if v > 0 {
			last = i
			if u -= v; u < 0 {
				break
			}
		}
	}
	return last
}

// logSum returns log Σ exp v.
func logSum(v []float64) float64 {
	top := math.Inf(-1)
	for _, x := range v {
		top = max(top, x)
	}
	if math.IsInf(top, -1) {
		return top
	}
	var s float64
	for _, x := range v {
		s += math.Exp(x - top)
	}
	return top + math.Log(s)
}

func lgamma(x float64) float64 {
	v, _ := math.Lgamma(x)
	return v
}

// key returns a text that is the same for equal words alone, whatever their symbols.
func key(w []int) string {
	b := make([]byte, 0, 2*len(w))
	for _, s := range w {
		b = binary.AppendUvarint(b, uint64(s))
	}
	return string(b)
}

// distinct returns an error if a symbol occurs twice: nothing tells the two apart where they are read back.
func distinct(alphabet []string) error {
	seen := make(map[string]bool, len(alphabet))
	for _, s := range alphabet {
		if seen[s] {
			return fmt.Errorf("words: the symbol %q occurs twice in the alphabet; name its symbols apart", s)
		}
		seen[s] = true
	}
	return nil
}

// shown returns a text of a file as an error may hold it: short, and in one line.
func shown(text string) string {
	const most = 40
	if len(text) > most {
		return fmt.Sprintf("%q…", text[:most])
	}
	if strings.ContainsFunc(text, func(r rune) bool { return r == utf8.RuneError || !strconv.IsPrint(r) }) {
		return fmt.Sprintf("%q", text)
	}
	return text
}

// spelt returns a word of indices as an error may hold it: its first symbols, and how many there are.
func spelt(word []int) string {
	const most = 20
	if len(word) <= most {
		return fmt.Sprint(word)
	}
	return fmt.Sprintf("%s …] of %d symbols", strings.TrimSuffix(fmt.Sprint(word[:most]), "]"), len(word))
}
