package als

import (
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/tt"
)

// Continued returns a train for words of l letters from h, that of words of l−1 letters: with
// (h)⟨⟨k, l−k⟩⟩ = P S, k = ⌊(l−1)/2⌋, it is P, a core in the middle, S. For a 2-RNN
// H⁽ˡ⁾ is of this form if P S has its rank, with its A in the basis of P and S for the
// core (Theorem 3). The core is found by least squares, linear in R²d unknowns, by
// conjugate gradients: O(N d R²) each, 200 at the most. It returns nil if h has no two letters.
func (x *Rows) Continued(h *tt.Tensor, rank int) (*tt.Tensor, error) {
	l := len(x.x)
	if h == nil || h.Order() != l || l < 3 {
		return nil, nil
	}
	k := (l - 1) / 2
	cut := new(tt.Tensor)
	if err := cut.Round(h, rank, 0); err != nil {
		return nil, err
	}
	split, err := tt.NewSplit(cut, k)
	if err != nil {
		return nil, err
	}
	var before, after []tt.Core
	for j := range k {
		before = append(before, split.P.Core(j))
	}
	before[k-1] = timesMatrix(before[k-1], split.P.Core(k))
	for j := 1; j < split.V.Order(); j++ {
		after = append(after, split.V.Core(j))
	}
	after[0] = matrixTimes(split.V.Core(0), after[0])
	// What the outer cores make of each row: P is n×r, S[o] is n×r' for each output o.
	P := ones(x.N)
	for j, c := range before {
		P = through(P, matrices(x.x[j], c), c.Right)
	}
	_, p := x.Y.Dims()
	S := make([]*mat.Dense, p)
	last := after[len(after)-1]
	for o := range S {
		S[o] = mat.NewDense(x.N, last.Left, nil)
		for i := range x.N {
			for a := range last.Left {
				S[o].Set(i, a, last.At(a, o, 0))
			}
		}
		for j := len(after) - 2; j >= 0; j-- {
			S[o] = back(S[o], matrices(x.x[k+1+j], after[j]), after[j].Left)
		}
	}
	middle := leastCore(P, x.x[k], S, x.Y)
	return tt.New(append(append(before, middle), after...)...), nil
}

// A Split begins and ends with cores that are matrices, one of their bonds being 1: these
// two merge them into the core beside.
//
// timesMatrix returns the core with its right bond times M, a core Left×Dim×1.
func timesMatrix(c, M tt.Core) tt.Core {
	g := tt.NewCore(c.Left, c.Dim, M.Dim)
	mat.NewDense(c.Left*c.Dim, M.Dim, g.Data).Mul(mat.NewDense(c.Left*c.Dim, c.Right, c.Data), rightOf(M))
	return g
}

// matrixTimes returns the core with its left bond times M, a core 1×Dim×Right.
func matrixTimes(M, c tt.Core) tt.Core {
	g := tt.NewCore(M.Dim, c.Dim, c.Right)
	rightOf(g).Mul(mat.NewDense(M.Dim, M.Right, M.Data), rightOf(c))
	return g
}

// coreSystem is the linear map of a core G between two others, d×(r·q) with its d inputs as
// rows, to the outputs Σ P_ia X_ij S_ob G_ajb of every row i and output o.
type coreSystem struct {
	P, X *mat.Dense
	S    []*mat.Dense
	q    int       // columns of each of S
	W    mat.Dense // n×(r·q), room for both ways
}

// apply sets dst, n×p, to the outputs of G.
func (c *coreSystem) apply(dst, G *mat.Dense) {
	c.W.Mul(c.X, G)
	n, _ := c.P.Dims()
	for i := range n {
		w, p := c.W.RawRowView(i), c.P.RawRowView(i)
		for o, s := range c.S {
			sum := 0.0
			for a, v := range p {
				sum += v * linalg.Dot(w[a*c.q:(a+1)*c.q], s.RawRowView(i))
			}
			dst.Set(i, o, sum)
		}
	}
}

// adjoint sets dst to the transposed map of E, n×p.
func (c *coreSystem) adjoint(dst, E *mat.Dense) {
	n, _ := c.P.Dims()
	for i := range n {
		w, p := c.W.RawRowView(i), c.P.RawRowView(i)
		clear(w)
		for o, s := range c.S {
			e := E.At(i, o)
			for a, v := range p {
				linalg.Axpy(v*e, s.RawRowView(i), w[a*c.q:(a+1)*c.q])
			}
		}
	}
	dst.Mul(c.X.T(), &c.W)
}

// leastCore returns the core G that minimises Σ_io (y_io − Σ P_ia X_ij S_ob G_ajb)², by
// conjugate gradients on the normal equations (CGLS).
func leastCore(P, X *mat.Dense, S []*mat.Dense, Y *mat.Dense) tt.Core {
	n, r := P.Dims()
	_, d := X.Dims()
	_, q := S[0].Dims()
	c := &coreSystem{P: P, X: X, S: S, q: q}
	c.W.ReuseAs(n, r*q)
	G, g, direction := mat.NewDense(d, r*q, nil), mat.NewDense(d, r*q, nil), mat.NewDense(d, r*q, nil)
	E, moved := mat.DenseCopyOf(Y), mat.NewDense(n, len(S), nil)
	c.adjoint(g, E)
	direction.Copy(g)
	gg := linalg.Squared(g)
	first := gg
	for range 200 {
		if !(gg > 1e-28*first) {
			break
		}
		c.apply(moved, direction)
		mm := linalg.Squared(moved)
		if mm == 0 {
			break
		}
		linalg.AddMultiple(G, gg/mm, direction)
		linalg.AddMultiple(E, -gg/mm, moved)
		c.adjoint(g, E)
		next := linalg.Squared(g)
		direction.Scale(next/gg, direction)
		direction.Add(direction, g)
		gg = next
	}
	core := tt.NewCore(r, d, q)
	for a := range r {
		for j := range d {
			copy(core.Data[(a*d+j)*q:(a*d+j+1)*q], G.RawRowView(j)[a*q:(a+1)*q])
		}
	}
	return core
}
