package wide

import (
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/lsq"
)

// words are the outputs after l steps, in rows: X[t] is N×d, the inputs of step t, and Y N×p.
type words struct {
	X []*mat.Dense
	Y *mat.Dense
}

// words returns the outputs after l steps, of every so manieth sequence, so that there are
// about so many; nil if there are fewer than one an input.
func (data *Data) words(l, many int) *words {
	var rows []int // two numbers each: sequence and output
	for i, r := range data.Runs {
		for j, t := range r.At {
			if t == l {
				rows = append(rows, i, j)
			}
		}
	}
	total := len(rows) / 2
	if total < data.D {
		return nil
	}
	stride := max(1, total/many)
	n := (total + stride - 1) / stride
	w := &words{Y: mat.NewDense(n, data.P, nil)}
	for range l {
		w.X = append(w.X, mat.NewDense(n, data.D, nil))
	}
	for k := range n {
		r, j := data.Runs[rows[2*k*stride]], rows[2*k*stride+1]
		w.Y.SetRow(k, r.Y[j*data.P:(j+1)*data.P])
		for t := range l {
			w.X[t].SetRow(k, r.X[t*data.D:(t+1)*data.D])
		}
	}
	return w
}

// Start is what short words tell, by Theorem 3 at L = 1: H⁽²⁾ = P S by truncated SVD, from
// the least squares of outputs after two steps, h₀ and Ω from those after one, and A from
// H⁽³⁾ = P A S, by least squares on the outputs after three steps as they are. It costs
// some tens of products of the data with d²p numbers.
type Start struct {
	D, P       int
	one, three *words
	U, V       *mat.Dense // of H⁽²⁾ as d × d·p
	Values     []float64  // its singular values
	Edge       float64    // what they are at the most if there is noise alone; 0 if the outputs are too few to tell
}

// manyWords is how many outputs a start looks at, at the most, beside ten times as many as
// there are numbers in H⁽²⁾.
const manyWords = 10_000

// plenty is how many outputs an unknown of H⁽²⁾ are enough for plain least squares.
const plenty = 1.5

// NewStart returns it, nil if there are no outputs after one, two and three steps.
func NewStart(data *Data) *Start {
	d, p := data.D, data.P
	one, three := data.words(1, manyWords), data.words(3, manyWords)
	two := data.words(2, max(manyWords, 10*d*d))
	if one == nil || two == nil || three == nil {
		return nil
	}
	s := &Start{D: d, P: p, one: one, three: three}
	H, noise := two.bilinear()
	var err error
	if s.U, s.Values, s.V, err = linalg.SVD(H); err != nil {
		return nil
	}
	n, _ := two.Y.Dims()
	if float64(n) > plenty*float64(d*d) {
		s.Edge = noise / math.Sqrt(float64(n-d*d)) * (math.Sqrt(float64(d)) + math.Sqrt(float64(d*p)))
	}
	return s
}

// bilinear returns the least squares of y_o = x₁ᵀ G_o x₂ as the matrix d × d·p of all
// (G_o)_{ij}, by conjugate gradients, and the deviation of what is left.
func (w *words) bilinear() (G *mat.Dense, noise float64) {
	n, p := w.Y.Dims()
	_, d := w.X[0].Dims()
	times := func(v []float64, out *mat.Dense) { // out = x₁ᵀ G x₂
		var Z mat.Dense
		Z.Mul(w.X[0], mat.NewDense(d, d*p, v))
		for k := range n {
			z, x := Z.RawRowView(k), w.X[1].RawRowView(k)
			for o := range p {
				out.Set(k, o, linalg.Dot(x, z[o*d:(o+1)*d]))
			}
		}
	}
	back := func(e *mat.Dense, dst []float64) { // dst = Σ x₁ ⊗ e ⊗ x₂
		Z := mat.NewDense(n, d*p, nil)
		for k := range n {
			z, x := Z.RawRowView(k), w.X[1].RawRowView(k)
			for o := range p {
				linalg.Axpy(e.At(k, o), x, z[o*d:(o+1)*d])
			}
		}
		mat.NewDense(d, d*p, dst).Mul(w.X[0].T(), Z)
	}
	// Where there are hardly more outputs than unknowns a ridge keeps noise at bay: that of a
	// Gaussian prior of the variance that the signal has, half of the outputs' at a guess.
	unknowns := float64(d * d)
	ridge := unknowns
	if float64(n) > plenty*unknowns {
		ridge = 0
	}
	v, sse := leastSquares(d*d*p, w.Y, times, back, ridge)
	return mat.NewDense(d, d*p, v), math.Sqrt(sse / float64(n*p) / max(0.1, 1-unknowns/float64(n)))
}

// leastSquares solves min ‖Y − J v‖² + ridge ‖v‖² by conjugate gradients, given J and Jᵀ, and returns v
// and the sum of squares.
func leastSquares(k int, Y *mat.Dense, times func(v []float64, out *mat.Dense), back func(e *mat.Dense, dst []float64), ridge float64) ([]float64, float64) {
	n, p := Y.Dims()
	v, e := make([]float64, k), mat.DenseCopyOf(Y)
	g := make([]float64, k)
	back(e, g)
	dir := append([]float64(nil), g...)
	rr := linalg.Dot(g, g)
	first := rr
	Jd := mat.NewDense(n, p, nil)
	for i := 0; i < most && rr > 1e-15*first; i++ {
		times(dir, Jd)
		q := Jd.RawMatrix().Data
		alpha := rr / (linalg.Dot(q, q) + ridge*linalg.Dot(dir, dir))
		floats.AddScaled(v, alpha, dir)
		floats.AddScaled(e.RawMatrix().Data, -alpha, q)
		back(e, g)
		floats.AddScaled(g, -ridge, v)
		next := linalg.Dot(g, g)
		floats.Scale(next/rr, dir)
		floats.Add(dir, g)
		rr = next
	}
	return v, linalg.Dot(e.RawMatrix().Data, e.RawMatrix().Data)
}

// Theta returns the parameters with n states, nil if H⁽²⁾ has not so many.
func (s *Start) Theta(n int) []float64 {
	d, p := s.D, s.P
	if n > len(s.Values) || !(s.Values[n-1] > 1e-12*s.Values[0]) {
		return nil
	}
	P, S := mat.NewDense(d, n, nil), mat.NewDense(n, d*p, nil)
	for b := range n {
		root := math.Sqrt(s.Values[b])
		for i := range d {
			P.Set(i, b, root*s.U.At(i, b))
		}
		for j := range d * p {
			S.Set(b, j, root*s.V.At(j, b))
		}
	}
	shape := lsq.Shape{N: n, D: d, P: p}
	theta := make([]float64, shape.Dim())
	h0, A, Omega := shape.Parts(theta)
	if !s.outputs(P, Omega.Data) {
		return nil
	}
	s.middle(P, S, A.Data)
	beginning(P, A.Data, h0)
	if v := linalg.Dot(theta, theta); math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return theta
}

// outputs sets Ω to the least squares of the outputs after one step on h₁ = Pᵀx₁.
func (s *Start) outputs(P *mat.Dense, Omega []float64) bool {
	var h mat.Dense
	h.Mul(s.one.X[0], P)
	B, _, _, err := linalg.LeastSquares(&h, s.one.Y, 0)
	if err != nil {
		return false
	}
	_, n := P.Dims()
	mat.NewDense(s.P, n, Omega).Copy(B.T())
	return true
}

// middle sets A to the least squares of y₃ = (Pᵀx₁)ᵀ A(x₂) S(x₃).
func (s *Start) middle(P, S *mat.Dense, A []float64) {
	d, p := s.D, s.P
	_, n := P.Dims()
	var h mat.Dense
	h.Mul(s.three.X[0], P)
	rows, _ := h.Dims()
	// What each output owes to the state after two steps: row k has p times n numbers.
	owed := mat.NewDense(rows, p*n, nil)
	for o := range p {
		So := mat.NewDense(d, n, nil)
		for b := range n {
			for i := range d {
				So.Set(i, b, S.At(b, o*d+i))
			}
		}
		owed.Slice(0, rows, o*n, (o+1)*n).(*mat.Dense).Mul(s.three.X[2], So)
	}
	Z := mat.NewDense(rows, n*n, nil)
	x2 := s.three.X[1].RawMatrix()
	times := func(v []float64, out *mat.Dense) { // v is d×n²
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, x2, general(d, n*n, v), 0, Z.RawMatrix())
		next := make([]float64, n)
		for k := range rows {
			clear(next)
			turn(next, Z.RawRowView(k), h.RawRowView(k))
			for o := range p {
				out.Set(k, o, linalg.Dot(next, owed.RawRowView(k)[o*n:(o+1)*n]))
			}
		}
	}
	back := func(e *mat.Dense, dst []float64) {
		clear(Z.RawMatrix().Data)
		lambda := make([]float64, n)
		for k := range rows {
			clear(lambda)
			for o := range p {
				linalg.Axpy(e.At(k, o), owed.RawRowView(k)[o*n:(o+1)*n], lambda)
			}
			z := Z.RawRowView(k)
			for a, v := range h.RawRowView(k) {
				linalg.Axpy(v, lambda, z[a*n:(a+1)*n])
			}
		}
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, x2, Z.RawMatrix(), 0, general(d, n*n, dst))
	}
	v, _ := leastSquares(d*n*n, s.three.Y, times, back, 0)
	for a := range n {
		for i := range d {
			copy(A[a*d*n+i*n:a*d*n+(i+1)*n], v[i*n*n+a*n:i*n*n+(a+1)*n])
		}
	}
}

// beginning sets h₀ to the least squares of P = A •₁ h₀.
func beginning(P *mat.Dense, A, h0 []float64) {
	d, n := P.Dims()
	B := mat.NewDense(d*n, n, nil)
	y := mat.NewDense(d*n, 1, nil)
	for i := range d {
		for b := range n {
			y.Set(i*n+b, 0, P.At(i, b))
			for a := range n {
				B.Set(i*n+b, a, A[a*d*n+i*n+b])
			}
		}
	}
	if v, _, _, err := linalg.LeastSquares(B, y, 0); err == nil {
		copy(h0, v.RawMatrix().Data)
	}
}
