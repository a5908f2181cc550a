package words

import (
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/internal/linalg"
)

// start finds the state before any symbol, whose future was not observed whole: one of
// the states learnt, if it goes where the first symbols go, or else a new one.
func (f *futures) start(m *twornn.Model, tol float64) *twornn.Model {
	n, d, p := m.Dims()
	var firsts []int
	var to []int
	for s := range d {
		if u := f.obs.find(0, []int{s}); u > 0 {
			if j, ok := f.at[u]; ok {
				firsts, to = append(firsts, s), append(to, j)
			}
		}
	}
	for i := range n { // a unit vector, for machines that are deterministic
		ok := true
		for k, s := range firsts {
			ok = ok && floatsClose(m.A[s].RawRowView(i), f.C.RawRowView(to[k]), 1e-6)
		}
		if ok {
			m.H0.SetVec(i, 1)
			return m
		}
	}
	M := mat.NewDense(n*len(firsts), n, nil)
	b := mat.NewDense(n*len(firsts), 1, nil)
	for k, s := range firsts {
		for j := range n {
			for i := range n {
				M.Set(k*n+j, i, m.A[s].At(i, j))
			}
			b.Set(k*n+j, 0, f.C.At(to[k], j))
		}
	}
	if len(firsts) > 0 {
		if x, _, _, err := linalg.LeastSquares(M, b, tol); err == nil {
			var r mat.Dense
			r.Mul(M, x)
			r.Sub(&r, b)
			if mat.Norm(&r, 2) <= 1e-6*mat.Norm(b, 2) {
				m.H0.CopyVec(x.ColView(0))
				return m
			}
		}
	}
	g := twornn.NewModel(n+1, d, p)
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
