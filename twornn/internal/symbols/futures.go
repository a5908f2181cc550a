package symbols

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// errLimit says that learning would take more than the limit.
var errLimit = errors.New("there are too many states for the limit")

// futures is the matrix H of what follows each word, and the words' coordinates C in its
// row space.
type futures struct {
	obs      *Tree
	suffixes [][]int
	limit    float64
	nodes    []int32       // with complete rows
	at       map[int32]int // node to row
	values   []float64     // singular values of the distinct rows
	C        *mat.Dense
}

// collect finds the complete rows and their coordinates.
func (f *futures) collect(tol float64) error {
	var rows []float64
	width := len(f.suffixes) * f.obs.P
	for v := range f.obs.child {
		r, ok := f.obs.future(rows, int32(v), f.suffixes)
		if !ok {
			rows = r[:len(f.nodes)*width]
			continue
		}
		rows = r
		f.at[int32(v)] = len(f.nodes)
		f.nodes = append(f.nodes, int32(v))
	}
	if len(f.nodes) == 0 {
		return errors.New("no word was observed with all its futures; give words with an output after every symbol, all words up to some length")
	}
	return f.coordinates(mat.NewDense(len(f.nodes), width, rows), tol)
}

// coordinates sets C to those of the rows of H.
func (f *futures) coordinates(H *mat.Dense, tol float64) error {
	_, width := H.Dims()
	distinct, ok := distinctRows(H, tol, f.limit)
	many := float64(len(distinct))
	if !ok || f.limit > 0 && many*float64(width)*min(many, float64(width)) > f.limit {
		return errLimit
	}
	D := rowsOf(H, distinct)
	_, s, v, err := linalg.SVD(D)
	if err != nil {
		return fmt.Errorf("the futures: %w", err)
	}
	n := linalg.Rank(s, tol)
	if n == 0 {
		return errors.New("all outputs are zero; there is nothing to learn")
	}
	if f.limit > 0 && float64(n)*float64(n)*float64(f.obs.D) > f.limit/8 {
		return errLimit
	}
	f.values = s
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

// solve returns the machine in the coordinates C, all but its state at the start.
func (f *futures) solve(tol float64) (*Machine, error) {
	o := f.obs
	_, n := f.C.Dims()
	m := &Machine{Model: newModel(n, o.D, o.P), Values: f.values}
	steps := f.steps()
	for s := range o.D {
		if err := f.transitions(m, s, steps[s], tol); err != nil {
			return nil, fmt.Errorf("the transitions of symbol %d: %w", s, err)
		}
	}
	Y := mat.NewDense(len(f.nodes), o.P, nil)
	for i, v := range f.nodes {
		Y.SetRow(i, o.outputs[v])
	}
	X, _, _, err := linalg.LeastSquares(f.C, Y, tol)
	if err != nil {
		return nil, fmt.Errorf("the outputs: %w", err)
	}
	m.Omega.Copy(X.T())
	return m, nil
}

// steps are pairs of rows: that of a word u, and that of uσ.
type steps struct{ from, to []int }

// steps returns those of each symbol.
func (f *futures) steps() []steps {
	by := make([]steps, f.obs.D)
	for i, v := range f.nodes {
		for _, e := range f.obs.child[v] {
			if j, ok := f.at[e.to]; ok {
				b := &by[e.symbol]
				b.from, b.to = append(b.from, i), append(b.to, j)
			}
		}
	}
	return by
}

// transitions finds the matrix of symbol s, and what of it no word tells.
func (f *futures) transitions(m *Machine, s int, seen steps, tol float64) error {
	_, n := f.C.Dims()
	if len(seen.from) == 0 {
		m.Missing = append(m.Missing, Gap{f.obs.word(f.nodes[0]), s})
		m.Unseen += n
		return nil
	}
	C, next := rowsOf(f.C, seen.from), rowsOf(f.C, seen.to)
	X, rank, _, err := linalg.LeastSquares(C, next, tol)
	if err != nil {
		return err
	}
	m.A[s].Copy(X)
	m.Unseen += n - rank
	// To name them all takes time for each symbol; one is named in any case.
	if rank < n && (f.limit == 0 || len(m.Missing) == 0) {
		m.Missing = append(m.Missing, f.gaps(C, s)...)
	}
	return nil
}

// gaps returns words whose states lie outside the span of the rows C, from which symbol s
// was observed.
func (f *futures) gaps(C *mat.Dense, s int) []Gap {
	rows, n := C.Dims()
	q := NewSpan(n)
	for i := 0; i < rows && len(q.basis) < n; i++ {
		q.AddAbove(C.RawRowView(i), 1e-6)
	}
	var gaps []Gap
	for i, v := range f.nodes {
		if len(q.basis) < n && q.AddAbove(f.C.RawRowView(i), 1e-6) {
			gaps = append(gaps, Gap{f.obs.word(v), s})
		}
	}
	return gaps
}
