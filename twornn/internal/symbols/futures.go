package symbols

import (
	"errors"
	"fmt"
	"math"
	"slices"

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
	states   *mat.Dense // the distinct rows, where they are the basis; nil elsewhere
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
			f.states = D
		}
	}
	return nil
}

// complete takes each word of which not all futures were observed for the only state that agrees with
// those that were, if there is one, and reports whether any was taken. It needs the states as a basis,
// and does nothing beyond the limit.
func (f *futures) complete(tol float64) bool {
	whole := len(f.nodes)
	if f.states == nil || f.limit > 0 && float64(len(f.obs.child)-whole)*float64(len(f.states.RawMatrix().Data)) > f.limit {
		return false
	}
	n, _ := f.states.Dims()
	var rows []float64
	tol *= f.obs.Size()
	for v := range f.obs.child {
		if _, ok := f.at[int32(v)]; ok {
			continue
		}
		if i := f.agrees(int32(v), tol); i >= 0 {
			f.at[int32(v)] = len(f.nodes)
			f.nodes = append(f.nodes, int32(v))
			rows = append(rows, make([]float64, n)...)
			rows[len(rows)-n+i] = 1
		}
	}
	if len(rows) == 0 {
		return false
	}
	C := new(mat.Dense)
	C.Stack(f.C, mat.NewDense(len(rows)/n, n, rows))
	f.C = C
	return true
}

// agrees returns the only state whose futures are those of v as far as these were observed, −1 if there
// is none or more than one, or if none was.
func (f *futures) agrees(v int32, tol float64) int {
	n, _ := f.states.Dims()
	fit, observed := make([]int, n), false
	for i := range fit {
		fit[i] = i
	}
	for k, w := range f.suffixes {
		u := f.obs.find(v, w)
		if u < 0 || f.obs.outputs[u] == nil {
			continue
		}
		observed = true
		fit = slices.DeleteFunc(fit, func(i int) bool {
			for j, y := range f.obs.outputs[u] {
				if !(math.Abs(y-f.states.At(i, k*f.obs.P+j)) <= tol) {
					return true
				}
			}
			return false
		})
	}
	if len(fit) != 1 || !observed {
		return -1
	}
	return fit[0]
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
	var told []int
	var outputs []float64
	for i, v := range f.nodes {
		if y := o.outputs[v]; y != nil {
			told, outputs = append(told, i), append(outputs, y...)
		}
	}
	X, _, _, err := linalg.LeastSquares(rowsOf(f.C, told), mat.NewDense(len(told), o.P, outputs), tol)
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
		u, seen := f.nodes[0], false
		for _, v := range f.nodes {
			if _, seen = f.obs.place(v, s); seen {
				u = v
				break
			}
		}
		m.Missing = append(m.Missing, Gap{f.obs.word(u), s, seen})
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
// was observed with what follows; first those that s was seen after.
func (f *futures) gaps(C *mat.Dense, s int) []Gap {
	rows, n := C.Dims()
	q := NewSpan(n)
	for i := 0; i < rows && len(q.basis) < n; i++ {
		q.AddAbove(C.RawRowView(i), 1e-6)
	}
	var gaps []Gap
	for _, seen := range []bool{true, false} {
		for i, v := range f.nodes {
			if _, ok := f.obs.place(v, s); len(q.basis) < n && (ok || !seen) && q.AddAbove(f.C.RawRowView(i), 1e-6) {
				gaps = append(gaps, Gap{f.obs.word(v), s, seen})
			}
		}
	}
	return gaps
}
