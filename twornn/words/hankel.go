package words

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn/internal/linalg"
)

// Statistic says what of a sample a Hankel block holds, as means over its words
// (Balle, Carreras, Luque and Quattoni 2014).
type Statistic int

const (
	// Factors: how often a word occurs inside the words.
	Factors Statistic = iota
	// Strings: how often a word is the whole.
	Strings
	// Prefixes: how often a word is a beginning.
	Prefixes
	// Suffixes: how often a word is an end.
	Suffixes
)

func (s Statistic) String() string {
	if s < Factors || s > Suffixes {
		return fmt.Sprintf("Statistic(%d)", int(s))
	}
	return [...]string{"factors", "strings", "prefixes", "suffixes"}[s]
}

// check returns an error if there is no such statistic.
func (s Statistic) check() error {
	if s < Factors || s > Suffixes {
		return fmt.Errorf("words: there is no %v; a Statistic is Factors, Strings, Prefixes or Suffixes", s)
	}
	return nil
}

// Blocks are the sparse Hankel block H of a sample on prefixes and suffixes, entry (u, v)
// the statistic of uv, and for each symbol σ the block of uσv.
type Blocks struct {
	Prefixes, Suffixes [][]int
	H                  *Sparse
	Symbol             []*Sparse
}

// Sparse is a matrix by rows that holds its non-zero entries alone.
type Sparse struct {
	rows, cols int
	start      []int // of each row in col and value; one more at the end
	col        []int32
	value      []float64
}

// Dims returns the numbers of rows and columns.
func (m *Sparse) Dims() (rows, cols int) { return m.rows, m.cols }

// NonZero returns the number of entries that are kept.
func (m *Sparse) NonZero() int { return len(m.value) }

// Dense returns m as a dense matrix.
func (m *Sparse) Dense() *mat.Dense {
	a := mat.NewDense(m.rows, m.cols, nil)
	for i := range m.rows {
		for k := m.start[i]; k < m.start[i+1]; k++ {
			a.Set(i, int(m.col[k]), m.value[k])
		}
	}
	return a
}

// column returns column j.
func (m *Sparse) column(j int) []float64 {
	v := make([]float64, m.rows)
	for i := range m.rows {
		for k := m.start[i]; k < m.start[i+1]; k++ {
			if int(m.col[k]) == j {
				v[i] = m.value[k]
			}
		}
	}
	return v
}

// mul returns m B, or mᵀ B.
func (m *Sparse) mul(B *mat.Dense, transposed bool) *mat.Dense {
	_, n := B.Dims()
	rows := m.rows
	if transposed {
		rows = m.cols
	}
	C := mat.NewDense(rows, n, nil)
	for i := range m.rows {
		for k := m.start[i]; k < m.start[i+1]; k++ {
			from, to := int(m.col[k]), i
			if transposed {
				from, to = i, int(m.col[k])
			}
			axpy(m.value[k], B.RawRowView(from), C.RawRowView(to))
		}
	}
	return C
}

// SVD returns the k largest singular values of m with their vectors, by eight rounds of
// subspace iteration from a fixed random start (Halko, Martinsson and Tropp 2011): k+10
// columns, O(NonZero·k) a round. With k near the smaller side it is exact.
func (m *Sparse) SVD(k int) (u *mat.Dense, s []float64, v *mat.Dense, err error) {
	small := min(m.rows, m.cols)
	k = min(k, small)
	wide := min(k+10, small)
	rnd := rand.New(rand.NewPCG(2011, 1))
	q := mat.NewDense(m.cols, wide, nil)
	for i := range m.cols {
		for j := range wide {
			q.Set(i, j, rnd.NormFloat64())
		}
	}
	for range 8 {
		y, _ := linalg.ThinQR(m.mul(q, false))
		q, _ = linalg.ThinQR(m.mul(y, true))
	}
	w, s, z, err := linalg.SVD(m.mul(q, false))
	if err != nil {
		return nil, nil, nil, fmt.Errorf("words: the Hankel block: %w", err)
	}
	v = new(mat.Dense)
	v.Mul(q, z)
	return w.Slice(0, m.rows, 0, k).(*mat.Dense), s[:k], v.Slice(0, m.cols, 0, k).(*mat.Dense), nil
}

// Hankel returns the blocks of a sample. Without prefixes the rows are those 300 words,
// the empty one first, that the statistic meets most often as what comes before a cut, of up to 12
// symbols; so are suffixes with what comes after. It panics if there is no sample, on an unknown statistic,
// and on prefixes or suffixes without the empty word.
func Hankel(sample *datasets.Words, s Statistic, prefixes, suffixes [][]int) *Blocks {
	if sample == nil {
		panic("words: a Hankel block needs a sample, and it is nil; read or add some words first")
	}
	if err := s.check(); err != nil {
		panic(err.Error())
	}
	b, err := hankel(context.Background(), sample, s, prefixes, suffixes)
	if err != nil {
		panic(err.Error()) // there is no other error than that of a context
	}
	return b
}

// hankel is Hankel until ctx ends, and errs then.
func hankel(ctx context.Context, sample *datasets.Words, s Statistic, prefixes, suffixes [][]int) (*Blocks, error) {
	var err error
	if prefixes == nil {
		if prefixes, err = frequent(ctx, sample, s, false); err != nil {
			return nil, err
		}
	}
	if suffixes == nil {
		if suffixes, err = frequent(ctx, sample, s, true); err != nil {
			return nil, err
		}
	}
	b := &Blocks{Prefixes: prefixes, Suffixes: suffixes}
	rows, cols := newLookup(prefixes), newLookup(suffixes)
	d := len(sample.Alphabet)
	sums := make([]map[[2]int32]float64, d+1)
	for i := range sums {
		sums[i] = make(map[[2]int32]float64)
	}
	u, total := unit(sample), 0.0
	for _, c := range sample.All() {
		total += c * u
	}
	for w, c := range sample.All() {
		c = c * u / total
		var before [][]int32 // rows that end at each cut
		var after [][]int32  // columns that begin there
		for cut := range len(w) + 1 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			before = append(before, rows.ending(w[:cut], s == Strings || s == Prefixes))
			after = append(after, cols.beginning(w[cut:], s == Strings || s == Suffixes))
		}
		for cut := range len(w) + 1 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			add(sums[d], before[cut], after[cut], c)
			if cut < len(w) {
				add(sums[w[cut]], before[cut], after[cut+1], c)
			}
		}
	}
	b.H = sparse(sums[d], len(prefixes), len(suffixes))
	for _, m := range sums[:d] {
		b.Symbol = append(b.Symbol, sparse(m, len(prefixes), len(suffixes)))
	}
	return b, nil
}

func add(m map[[2]int32]float64, rows, cols []int32, c float64) {
	for _, i := range rows {
		for _, j := range cols {
			m[[2]int32{i, j}] += c
		}
	}
}

// sparse sorts the entries, whatever the order of the map.
func sparse(m map[[2]int32]float64, rows, cols int) *Sparse {
	at := make([][2]int32, 0, len(m))
	for k := range m {
		at = append(at, k)
	}
	slices.SortFunc(at, func(a, b [2]int32) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	s := &Sparse{rows: rows, cols: cols, start: make([]int, rows+1)}
	for _, k := range at {
		s.col, s.value = append(s.col, k[1]), append(s.value, m[k])
		s.start[k[0]+1] = len(s.col)
	}
	for i := range rows {
		s.start[i+1] = max(s.start[i+1], s.start[i])
	}
	return s
}

// lookup finds words.
type lookup struct {
	index   map[string]int32
	longest int
}

func newLookup(words [][]int) *lookup {
	l := &lookup{index: make(map[string]int32, len(words))}
	empty := false
	for i, w := range words {
		l.index[key(w)] = int32(i)
		l.longest = max(l.longest, len(w))
		empty = empty || len(w) == 0
	}
	if !empty {
		panic("words: the empty word must be among the prefixes, and among the suffixes")
	}
	return l
}

// ending returns the words that w ends with, or w alone if whole.
func (l *lookup) ending(w []int, whole bool) []int32 {
	return l.find(w, whole, func(k int) []int { return w[len(w)-k:] })
}

// beginning returns the words that w begins with, or w alone if whole.
func (l *lookup) beginning(w []int, whole bool) []int32 {
	return l.find(w, whole, func(k int) []int { return w[:k] })
}

func (l *lookup) find(w []int, whole bool, part func(k int) []int) []int32 {
	var found []int32
	from := 0
	if whole {
		from = len(w)
	}
	for k := from; k <= min(len(w), l.longest); k++ {
		if i, ok := l.index[key(part(k))]; ok {
			found = append(found, i)
		}
	}
	return found
}

// frequent returns the words that come most often before a cut, or after it.
func frequent(ctx context.Context, sample *datasets.Words, s Statistic, after bool) ([][]int, error) {
	const most, longest = 300, 12
	type entry struct {
		word  []int
		count float64
	}
	met := make(map[string]*entry)
	meet := func(w []int, c float64) {
		k := key(w)
		if met[k] == nil {
			met[k] = &entry{word: w}
		}
		met[k].count += c
	}
	whole := s == Strings || s == Prefixes
	if after {
		whole = s == Strings || s == Suffixes
	}
	u := unit(sample)
	for w, c := range sample.All() {
		c *= u
		for cut := range len(w) + 1 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			part := w[:cut]
			if after {
				part = w[cut:]
			}
			from := 0
			if whole {
				from = len(part)
			}
			for k := from; k <= min(len(part), longest); k++ {
				if after {
					meet(part[:k], c)
				} else {
					meet(part[len(part)-k:], c)
				}
			}
		}
	}
	delete(met, "")
	all := make([]*entry, 0, len(met))
	for _, e := range met {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(len(a.word), len(b.word)), slices.Compare(a.word, b.word))
	})
	words := [][]int{{}}
	for _, e := range all[:min(most, len(all))] {
		words = append(words, e.word)
	}
	return words, nil
}
