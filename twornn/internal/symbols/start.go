package symbols

import (
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// start sets the state before any symbol. If its future was not observed whole, it is one of
// the states learnt, if that goes where the first symbols go, or else a new one.
func (f *futures) start(m *Model, tol float64) *Model {
	if i, ok := f.at[0]; ok {
		m.H0.CopyVec(f.C.RowView(i))
		return m
	}
	firsts, to := f.firsts()
	n, _, _ := m.Dims()
	for i := range n { // a unit vector, for machines that are deterministic
		ok := true
		for k, s := range firsts {
			ok = ok && close(m.A[s].RawRowView(i), f.C.RawRowView(to[k]), 1e-6)
		}
		if ok {
			m.H0.SetVec(i, 1)
			return m
		}
	}
	if x := f.solveStart(m, firsts, to, tol); x != nil {
		m.H0.CopyVec(x)
		return m
	}
	return f.newStart(m, firsts, to)
}

// firsts returns the symbols that were met first in a word, and the rows after them.
func (f *futures) firsts() (firsts, to []int) {
	for s := range f.obs.D {
		if u := f.obs.find(0, []int{s}); u > 0 {
			if j, ok := f.at[u]; ok {
				firsts, to = append(firsts, s), append(to, j)
			}
		}
	}
	return firsts, to
}

// solveStart returns the h₀ that all first symbols send where they lead, nil if there is none,
// or if it takes more than the limit.
func (f *futures) solveStart(m *Model, firsts, to []int, tol float64) mat.Vector {
	n, _, _ := m.Dims()
	rows := n * len(firsts)
	if rows == 0 || f.limit > 0 && float64(rows)*float64(n)*float64(n) > f.limit {
		return nil
	}
	M, b := mat.NewDense(rows, n, nil), mat.NewDense(rows, 1, nil)
	for k, s := range firsts {
		for j := range n {
			for i := range n {
				M.Set(k*n+j, i, m.A[s].At(i, j))
			}
			b.Set(k*n+j, 0, f.C.At(to[k], j))
		}
	}
	x, _, _, err := linalg.LeastSquares(M, b, tol)
	if err != nil {
		return nil
	}
	var r mat.Dense
	r.Mul(M, x)
	r.Sub(&r, b)
	if mat.Norm(&r, 2) <= 1e-6*mat.Norm(b, 2) {
		return x.ColView(0)
	}
	return nil
}

// newStart returns m with one state more, from which the first symbols lead where they do.
func (f *futures) newStart(m *Model, firsts, to []int) *Model {
	n, d, p := m.Dims()
	g := newModel(n+1, d, p)
	g.H0.SetVec(n, 1)
	for s := range d {
		g.A[s].Slice(0, n, 0, n).(*mat.Dense).Copy(m.A[s])
	}
	for k, s := range firsts {
		copy(g.A[s].RawRowView(n), f.C.RawRowView(to[k]))
	}
	g.Omega.Slice(0, p, 0, n).(*mat.Dense).Copy(m.Omega)
	return g
}
