package words

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/internal/phrase"
)

// Embedding gives each symbol of a large alphabet a vector of few numbers, in which a 2-RNN
// reads it: A is then n×k×n for vectors of k numbers, where one-hot inputs need n×d×n.
// Symbols of about the same vector are read in about the same way (Section 6 of the paper).
type Embedding struct {
	Alphabet []string
	// Vectors is d×k: row σ is the vector of symbol σ.
	Vectors *mat.Dense
	// SingularValues are those of the co-occurrences; nil for vectors that were given.
	SingularValues []float64
}

// Embed learns vectors of k numbers from what stands beside each symbol: the co-occurrence
// matrix C, d×2d, counts symbols just before it and just after it, each over the root of what chance
// would give, and its first k left singular vectors times the singular values are, a row
// over the root of the count, the mean company of a symbol (correspondence analysis). A
// symbol never seen has the vector 0. Only counts that are not zero are stored; it errs if
// the sample holds no two symbols side by side, or has fewer than k symbols.
func Embed(sample *datasets.Words, k int) (*Embedding, error) {
	if err := usable(sample); err != nil {
		return nil, err
	}
	d, unit := len(sample.Alphabet), unit(sample)
	if k < 1 || k > d {
		return nil, fmt.Errorf("words: %s for %s; choose 1 to %d", phrase.Count(k, "dimension"), phrase.Count(d, "symbol"), d)
	}
	seen := make([]float64, d)
	pairs := make(map[[2]int32]float64)
	total := 0.0
	for w, c := range sample.All() {
		c *= unit
		for t := 1; t < len(w); t++ {
			a, b := int32(w[t-1]), int32(w[t])
			pairs[[2]int32{a, int32(d) + b}] += c // after a
			pairs[[2]int32{b, a}] += c            // before b
			total += 2 * c
			seen[a] += c
			seen[b] += c
		}
	}
	if total == 0 {
		return nil, errors.New("words: no two symbols stand side by side; give longer words")
	}
	for at, c := range pairs {
		pairs[at] = c / (math.Sqrt(seen[at[0]]) * math.Sqrt(seen[int(at[1])%d]))
	}
	u, s, _, err := sparse(pairs, d, 2*d).SVD(k)
	if err != nil {
		return nil, err
	}
	e := &Embedding{Alphabet: sample.Alphabet, Vectors: mat.NewDense(d, k, nil), SingularValues: s}
	for i := range d {
		if seen[i] == 0 {
			continue
		}
		// Of about length 1 for a symbol that is met as often as others.
		scale := math.Sqrt(total / float64(d) / seen[i])
		for j := range len(s) {
			e.Vectors.Set(i, j, u.At(i, j)*s[j]*scale*math.Sqrt(float64(d)/float64(k)))
		}
	}
	return e, nil
}

// Rows returns the vectors of the symbols of a word, as a sequence has them: row t is that of
// symbol t; nil for the empty word. It panics if a symbol is out of range.
func (e *Embedding) Rows(word []int) *mat.Dense {
	if len(word) == 0 {
		return nil
	}
	_, k := e.Vectors.Dims()
	X := mat.NewDense(len(word), k, nil)
	for t, s := range word {
		X.SetRow(t, e.Vectors.RawRowView(s))
	}
	return X
}

// Sequences turns one-hot sequences into those of the vectors, for twornn.Fit.
func (e *Embedding) Sequences(data iter.Seq[twornn.Sequence]) iter.Seq[twornn.Sequence] {
	return func(yield func(twornn.Sequence) bool) {
		if data == nil {
			yield(twornn.Sequence{Err: errors.New("words: there are no data: the source of sequences is nil")})
			return
		}
		n := 0
		for s := range data {
			n++
			if s.Err == nil && s.Len() > 0 {
				word, err := datasets.WordOf(s.X)
				if d, _ := s.Dims(); err == nil && d != len(e.Alphabet) {
					err = fmt.Errorf("%s for %s", phrase.Count(d, "input"), phrase.Count(len(e.Alphabet), "symbol"))
				}
				if err != nil {
					s = twornn.Sequence{Err: fmt.Errorf("words: sequence %d: %w", n, err)}
				} else {
					s.X = e.Rows(word)
				}
			}
			if !yield(s) {
				return
			}
		}
	}
}

// WFA returns the automaton over the symbols that m computes on their vectors: A^σ = Σ_k
// v_k A[k]. It errs if that needs more than 2^27 numbers, a gigabyte: m itself reads
// such alphabets by Rows.
func (e *Embedding) WFA(m *twornn.Model) (*twornn.WFA, error) {
	n, k, p := m.Dims()
	d, c := e.Vectors.Dims()
	if c != k {
		panic("words: the model does not read vectors of this length")
	}
	if d*n*n > 1<<27 {
		return nil, fmt.Errorf("words: %s and %s are %d numbers; use the model on Rows of the words", phrase.Count(d, "symbol"), phrase.Count(n, "state"), d*n*n)
	}
	w := twornn.NewModel(n, d, p)
	w.H0.CopyVec(m.H0)
	w.Omega.Copy(m.Omega)
	for s := range d {
		for j, x := range e.Vectors.RawRowView(s) {
			axpy(x, m.A[j].RawMatrix().Data, w.A[s].RawMatrix().Data)
		}
	}
	return w.WFA(e.Alphabet), nil
}

// Kinds gathers symbols of about the same vector into k kinds and returns the embedding in
// which all of a kind have its mean vector, and the kind of each symbol: 2,000 symbols of a few dozen
// kinds are read as exactly as the kinds are told apart. The centres start far from each
// other and move by Lloyd's rounds.
func (e *Embedding) Kinds(k int) (*Embedding, []int) {
	d, width := e.Vectors.Dims()
	centres, kind := e.centres(k)
	v := mat.NewDense(d, width, nil)
	for i, j := range kind {
		v.SetRow(i, centres[j])
	}
	return &Embedding{Alphabet: e.Alphabet, Vectors: v, SingularValues: e.SingularValues}, kind
}

// centres returns the k centres and which is nearest to each vector.
func (e *Embedding) centres(k int) (centres [][]float64, kind []int) {
	d, width := e.Vectors.Dims()
	centres = e.spread(k)
	kind = make([]int, d)
	for range 100 {
		moved := false
		for i := range d {
			best := nearest(centres, e.Vectors.RawRowView(i))
			moved = moved || best != kind[i]
			kind[i] = best
		}
		next, count := make([][]float64, len(centres)), make([]float64, len(centres))
		for j := range next {
			next[j] = make([]float64, width)
		}
		for i, j := range kind {
			axpy(1, e.Vectors.RawRowView(i), next[j])
			count[j]++
		}
		for j := range next {
			if count[j] > 0 {
				scale(next[j], count[j])
				centres[j] = next[j]
			}
		}
		if !moved {
			break
		}
	}
	return centres, kind
}

// spread returns k of the vectors, each as far as can be from those before it, among the
// means of few neighbours, so that no outlier is taken for a kind.
func (e *Embedding) spread(k int) [][]float64 {
	d, width := e.Vectors.Dims()
	far := make([]float64, d)
	for i := range far {
		far[i] = math.Inf(1)
	}
	var centres [][]float64
	at := 0
	for range min(k, d) {
		// The mean of the vectors nearest to the one that is farthest.
		near := make([]int, d)
		for i := range near {
			near[i] = i
		}
		v := e.Vectors.RawRowView(at)
		slices.SortStableFunc(near, func(i, j int) int {
			return cmp.Compare(distance(v, e.Vectors.RawRowView(i)), distance(v, e.Vectors.RawRowView(j)))
		})
		near = near[:max(1, d/(4*k))]
		c := make([]float64, width)
		for _, i := range near {
			axpy(1/float64(len(near)), e.Vectors.RawRowView(i), c)
		}
		centres = append(centres, c)
		for i := range far {
			far[i] = min(far[i], distance(c, e.Vectors.RawRowView(i)))
			if far[i] > far[at] {
				at = i
			}
		}
	}
	return centres
}

func nearest(centres [][]float64, v []float64) int {
	best := 0
	for j, c := range centres {
		if distance(c, v) < distance(centres[best], v) {
			best = j
		}
	}
	return best
}

// distance returns ‖a − b‖².
func distance(a, b []float64) (s float64) {
	for i, x := range a {
		s += (x - b[i]) * (x - b[i])
	}
	return s
}
