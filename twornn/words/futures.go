package words

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/internal/linalg"
)

// futures is the matrix H of what follows each word, and the words' coordinates C in its
// row space.
type futures struct {
	obs      *observations
	suffixes [][]int
	nodes    []int32       // with complete rows
	at       map[int32]int // node to row
	C        *mat.Dense
}

// collect finds the complete rows and their coordinates.
func (f *futures) collect(tol float64) error {
	var rows []float64
	width := len(f.suffixes) * f.obs.p
	for v := range f.obs.child {
		r, ok := f.obs.future(rows, int32(v), f.suffixes)
		if !ok {
			rows = rows[:len(f.nodes)*width]
			continue
		}
		rows = r
		f.at[int32(v)] = len(f.nodes)
		f.nodes = append(f.nodes, int32(v))
	}
	if len(f.nodes) == 0 {
		return errors.New("words: no word was observed with all its futures; give words with an output after every symbol, all words up to some length")
	}
	H := mat.NewDense(len(f.nodes), width, rows)
	distinct := distinctRows(H, tol)
	D := mat.NewDense(len(distinct), width, nil)
	for i, r := range distinct {
		D.SetRow(i, H.RawRowView(r))
	}
	_, s, v, err := linalg.SVD(D)
	if err != nil {
		return fmt.Errorf("words: the futures: %w", err)
	}
	n := linalg.Rank(s, tol)
	if n == 0 {
		return errors.New("words: all outputs are zero; there is nothing to learn")
	}
	// Where there are as many futures as the rank, they are the basis: coordinates are
	// unit vectors then.
	B := v.Slice(0, width, 0, n).(*mat.Dense)
	f.C = new(mat.Dense)
	f.C.Mul(H, B)
	if len(distinct) == n {
		var db mat.Dense
		db.Mul(D, B)
		X := new(mat.Dense)
		if err := X.Inverse(&db); err == nil {
			f.C.Mul(mat.DenseCopyOf(f.C), X)
		}
	}
	return nil
}

// solve returns the machine in the coordinates C.
func (f *futures) solve(tol float64) (*Machine, error) {
	o := f.obs
	_, n := f.C.Dims()
	m := &Machine{Model: twornn.NewModel(n, o.d, o.p)}
	for s := range o.d {
		var from, to []int
		for i, v := range f.nodes {
			if u := o.find(v, []int{s}); u > 0 {
				if j, ok := f.at[u]; ok {
					from, to = append(from, i), append(to, j)
				}
			}
		}
		if len(from) == 0 {
			m.Missing = append(m.Missing, Gap{o.word(f.nodes[0]), s})
			continue
		}
		C, next := rowsOf(f.C, from), rowsOf(f.C, to)
		X, rank, _, err := linalg.LeastSquares(C, next, tol)
		if err != nil {
			return nil, fmt.Errorf("words: the transitions of symbol %d: %w", s, err)
		}
		m.A[s].Copy(X)
		if rank < n {
			m.Missing = append(m.Missing, f.gaps(C, s)...)
		}
	}
	Y := mat.NewDense(len(f.nodes), o.p, nil)
	for i, v := range f.nodes {
		Y.SetRow(i, o.outputs[v])
	}
	X, _, _, err := linalg.LeastSquares(f.C, Y, tol)
	if err != nil {
		return nil, fmt.Errorf("words: the outputs: %w", err)
	}
	m.Omega.Copy(X.T())
	if i, ok := f.at[0]; ok {
		m.H0.CopyVec(f.C.RowView(i))
		return m, nil
	}
	m.Model = f.start(m.Model, tol)
	return m, nil
}

// gaps returns words whose states lie outside the span of the rows C, from which symbol s
// was observed.
func (f *futures) gaps(C *mat.Dense, s int) []Gap {
	rows, n := C.Dims()
	q := newSpan(n)
	for i := 0; i < rows && len(q.basis) < n; i++ {
		q.addAbove(C.RawRowView(i), 1e-6)
	}
	var gaps []Gap
	for i, v := range f.nodes {
		if len(q.basis) < n && q.addAbove(f.C.RawRowView(i), 1e-6) {
			gaps = append(gaps, Gap{f.obs.word(v), s})
		}
	}
	return gaps
}

func rowsOf(a *mat.Dense, rows []int) *mat.Dense {
	_, n := a.Dims()
	b := mat.NewDense(len(rows), n, nil)
	for i, r := range rows {
		b.SetRow(i, a.RawRowView(r))
	}
	return b
}

// distinctRows returns the numbers of the rows that differ from those before by more
// than tol of their size, at most as many as there are columns and one.
func distinctRows(H *mat.Dense, tol float64) []int {
	n, width := H.Dims()
	var kept []int
	known := make(map[string]bool)
	for i := range n {
		row := H.RawRowView(i)
		k := fmt.Sprint(row)
		if known[k] {
			continue
		}
		known[k] = true
		same := slices.ContainsFunc(kept, func(j int) bool {
			return floatsClose(row, H.RawRowView(j), tol)
		})
		if !same {
			if kept = append(kept, i); len(kept) > 4*width {
				return append(kept, rest(i+1, n)...)
			}
		}
	}
	return kept
}

// rest returns the numbers from i to n−1.
func rest(i, n int) []int {
	r := make([]int, 0, n-i)
	for ; i < n; i++ {
		r = append(r, i)
	}
	return r
}

func floatsClose(a, b []float64, tol float64) bool {
	size, diff := 0.0, 0.0
	for i, x := range a {
		size = max(size, math.Abs(x), math.Abs(b[i]))
		diff = max(diff, math.Abs(x-b[i]))
	}
	return diff <= tol*size
}
