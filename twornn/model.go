package twornn

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/batch"
	"github.com/twornn/spectral/twornn/internal/linalg"
	"github.com/twornn/spectral/twornn/internal/lsq"
	"github.com/twornn/spectral/twornn/internal/phrase"
)

// Model is the linear 2-RNN (h₀, A, Ω) with n states, d inputs and p outputs:
//
//	h_t = Σ_i (x_t)_i A[i]ᵀ h_{t-1}   y_t = Ω h_t
//
// H0 has n entries, A[i] is the n×n slice A_{:,i,:} that sends the old state (its
// rows) to the new one (its columns), and Omega is p×n.
type Model struct {
	H0    *mat.VecDense
	A     []*mat.Dense
	Omega *mat.Dense
}

// NewModel returns the zero function with n states, d inputs and p outputs.
// It panics unless all three are positive.
func NewModel(n, d, p int) *Model {
	if n <= 0 || d <= 0 || p <= 0 {
		panic("twornn: n, d and p must be positive")
	}
	m := &Model{
		H0:    mat.NewVecDense(n, nil),
		A:     make([]*mat.Dense, d),
		Omega: mat.NewDense(p, n, nil),
	}
	for i := range m.A {
		m.A[i] = mat.NewDense(n, n, nil)
	}
	return m
}

// Random returns a model whose entries are drawn from N(0, sigma²), sigma being
// the standard deviation: first h₀, then A in the order of its three indices,
// then Ω by rows. It panics unless n, d and p are positive.
func Random(n, d, p int, sigma float64, src rand.Source) *Model {
	m := NewModel(n, d, p)
	rnd := rand.New(src)
	for i := range n {
		m.H0.SetVec(i, sigma*rnd.NormFloat64())
	}
	for i := range n {
		for _, a := range m.A {
			for j := range n {
				a.Set(i, j, sigma*rnd.NormFloat64())
			}
		}
	}
	for i := range p {
		for j := range n {
			m.Omega.Set(i, j, sigma*rnd.NormFloat64())
		}
	}
	return m
}

// Dims returns the numbers of states n, inputs d and outputs p.
// It panics if m is not fitted or its parts disagree.
func (m *Model) Dims() (n, d, p int) {
	if err := m.fitted(); err != nil {
		panic(err.Error())
	}
	p, n = m.Omega.Dims()
	return n, len(m.A), p
}

// h0 returns the entries of H0, which may be a column of a matrix; they are not to be
// changed.
func (m *Model) h0() []float64 {
	v := m.H0.RawVector()
	if v.Inc == 1 {
		return v.Data[:v.N]
	}
	return mat.Col(nil, 0, m.H0)
}

func (m *Model) states() int { n, _, _ := m.Dims(); return n }

// fitted returns an error if there is no model in m, or its parts disagree.
func (m *Model) fitted() error {
	if m == nil || m.H0 == nil || m.Omega == nil || len(m.A) == 0 {
		return errors.New("twornn: the model is not fitted; fit it or load it first")
	}
	_, n := m.Omega.Dims()
	for _, a := range m.A {
		if a == nil {
			return errors.New("twornn: the model is not fitted: an A is nil; fit it or load it first")
		}
		if r, c := a.Dims(); r != n || c != n || m.H0.Len() != n {
			return errors.New("twornn: the parts of the model disagree in their number of states")
		}
	}
	return nil
}

// Takes implements Taker.
func (m *Model) Takes(d, p int) error {
	if err := m.fitted(); err != nil {
		return err
	}
	if _, md, mp := m.Dims(); d > 0 && md != d || mp != p {
		return fmt.Errorf("twornn: the model takes %s and gives %s, the data have %d and %d; use the columns, bias and targets it was fitted with", phrase.Count(md, "input"), phrase.Count(mp, "output"), d, p)
	}
	return nil
}

// starts errs if a descent on data of so many inputs and outputs cannot start from m.
func (m *Model) starts(d, p int) error {
	if err := m.Takes(d, p); err != nil {
		return err
	}
	if !m.finite() {
		return errors.New("twornn: the model holds NaN or infinite numbers: there is no way down; start from another model")
	}
	return nil
}

// Predict returns f(x_1, …, x_k), the output after the last row of the k×d matrix
// x, in dst, which is allocated if nil. With k = 0, or x nil, it is Ω h₀.
// What is beyond the numbers is infinite, with its sign, and never NaN for finite inputs.
// It costs O(k d n²) and panics if x has not d columns or dst not p entries.
func (m *Model) Predict(dst []float64, x mat.Matrix) []float64 {
	n, _, p := m.Dims()
	if dst == nil {
		dst = make([]float64, p)
	}
	if len(dst) != p {
		panic("twornn: dimension mismatch: dst")
	}
	h := make([]float64, n)
	m.output(dst, h, m.run(h, x, nil))
	return dst
}

// OutputsTo stores the outputs after every step: row t of dst is f(x_1, …, x_t).
// An empty dst is resized to k×p. It costs O(k (d n² + p n)) and panics if x has
// not d columns or dst is not k×p.
func (m *Model) OutputsTo(dst *mat.Dense, x mat.Matrix) {
	n, _, p := m.Dims()
	if none(x) {
		x = &mat.Dense{}
	}
	k, _ := x.Dims()
	if dst.IsEmpty() {
		if k == 0 {
			return
		}
		dst.ReuseAs(k, p)
	}
	if r, c := dst.Dims(); r != k || c != p {
		panic("twornn: dimension mismatch: dst")
	}
	m.run(make([]float64, n), x, func(t int, h []float64, e int) { m.output(dst.RawRowView(t), h, e) })
}

// run sets h to h_k over 2ᵉ, returns e and calls each, if not nil, with every h_t and e on the way. e is zero
// but where a state outgrows the numbers, so that no infinity meets a zero or another one.
func (m *Model) run(h []float64, x mat.Matrix, each func(t int, h []float64, e int)) (e int) {
	n, d, _ := m.Dims()
	copy(h, m.h0())
	if none(x) {
		return 0
	}
	k, c := x.Dims()
	if k == 0 {
		return 0
	}
	if c != d {
		panic("twornn: dimension mismatch: x")
	}
	next := make([]float64, n)
	for t := range k {
		clear(next)
		for i, a := range m.A {
			addMulT(next, x.At(t, i), a.RawMatrix().Data, h)
		}
		copy(h, next)
		e += within(h, e)
		if each != nil {
			each(t, h, e)
		}
	}
	return e
}

// within brings h 2ᵉ, if it outgrows the numbers or e is more than it needs, to others, and returns by how
// much e changes.
func within(h []float64, e int) int {
	const large = 1e100
	most := 0.0
	for _, v := range h {
		most = max(most, math.Abs(v))
	}
	if most <= large && (e == 0 || most >= 1) || !(most <= math.MaxFloat64) {
		return 0
	}
	by := -e
	if most > 0 {
		by = max(by, math.Ilogb(most))
	}
	for i, v := range h {
		h[i] = math.Ldexp(v, -by)
	}
	return by
}

// PredictBatch stores f(x[i]), the output after the last row of the k×d matrix x[i], in
// row i of dst. Sequences may differ in length; an empty one, or nil, gives Ω h₀. An empty
// dst is resized to len(x)×p; for a batch of another size, dst.Reset() empties it.
//
// It runs 64 sequences side by side, so that a step is one product of matrices,
// and on all processors; the outputs agree with those of Predict up to rounding, and do
// not depend on the number of processors. It costs O(k d n²) a sequence, allocates only
// dst if that is empty (and, the first time, room to work in), and panics if an x[i] has
// not d columns or dst is not len(x)×p.
func (m *Model) PredictBatch(dst *mat.Dense, x []*mat.Dense) {
	_, d, p := m.Dims()
	if len(x) == 0 {
		return
	}
	if dst.IsEmpty() {
		dst.ReuseAs(len(x), p)
	}
	if r, c := dst.Dims(); r != len(x) || c != p {
		panic("twornn: dimension mismatch: dst")
	}
	for _, s := range x {
		if (Sequence{X: s}).Len() > 0 && s.RawMatrix().Cols != d {
			panic("twornn: dimension mismatch: x")
		}
	}
	batch.Predict(dst, (*lsq.Net)(m), x)
	for i, s := range x {
		if row := dst.RawRowView(i); !linalg.FiniteVector(mat.NewVecDense(p, row)) {
			m.Predict(row, s) // a state outgrew the numbers
		}
	}
}

// none reports whether x is nil, or a *mat.Dense that is.
func none(x mat.Matrix) bool {
	dense, ok := x.(*mat.Dense)
	return x == nil || ok && dense == nil
}

// output sets y to Ω h 2ᵉ.
func (m *Model) output(y, h []float64, e int) {
	for i := range y {
		var s float64
		for j, w := range m.Omega.RawRowView(i) {
			s += w * h[j]
		}
		if y[i] = s; e != 0 {
			y[i] = math.Ldexp(s, e)
		}
	}
}

// addMulT adds x aᵀ h to dst, a being n×n by rows.
func addMulT(dst []float64, x float64, a, h []float64) {
	if x == 0 {
		return
	}
	n := len(dst)
	for i, hi := range h {
		s := x * hi
		for j, v := range a[i*n : (i+1)*n] {
			dst[j] += s * v
		}
	}
}

// WithStart returns m with the h₀ that the beginning of a run tells: x is k×d, y k×p, the
// outputs after each step. With G_t = Ω (M_1 ⋯ M_t)ᵀ, M_t = Σ_i (x_t)_i A[i], outputs are
// G_t h₀, and of all h₀ of least squared error the one nearest to that of m is taken. A state
// that x leaves as it is, such as a constant, stays. It costs O(k n² (d + n)), and panics if
// shapes disagree or x or y is not finite. See Result.WithStart for measurements with noise.
func (m *Model) WithStart(x, y mat.Matrix) *Model {
	n, _, _ := m.Dims()
	one := make([]float64, n)
	for a := range one {
		one[a] = 1
	}
	return m.begin(x, y, m.h0(), one, nil)
}

// begin returns m with the likeliest h₀ under the prior N(mean, diag(spread²)) and the noise
// of each output; nil is none.
func (m *Model) begin(x, y mat.Matrix, mean, spread, noise []float64) *Model {
	n, d, p := m.Dims()
	k, cols := x.Dims()
	if rows, outs := y.Dims(); cols != d || outs != p || rows != k {
		panic(fmt.Sprintf("twornn: dimension mismatch: x is %d×%d and y %d×%d for %d inputs and %d outputs", k, cols, rows, outs, d, p))
	}
	G, e, constant := m.observed(x, y, mean)
	// In units of the prior and of the noise.
	for t := range k {
		for o := range p {
			w := 1.0
			if noise != nil {
				w = 1 / math.Sqrt(max(noise[o], 1e-300))
			}
			row := G.RawRowView(t*p + o)
			for a := range row {
				if row[a] *= w * spread[a]; constant[a] {
					row[a] = 0
				}
			}
			e.Set(t*p+o, 0, e.At(t*p+o, 0)*w)
		}
	}
	if noise != nil {
		I := mat.NewDense(n, n, nil)
		for a := range n {
			I.Set(a, a, 1)
		}
		var rows, rest mat.Dense
		rows.Stack(G, I)
		rest.Stack(e, mat.NewDense(n, 1, nil))
		G, e = &rows, &rest
	}
	z, _, _, err := linalg.LeastSquares(G, e, 1e-10)
	out := m.clone()
	if err != nil {
		return out
	}
	for a, v := range mean {
		out.H0.SetVec(a, v+spread[a]*z.At(a, 0))
	}
	return out
}

// observed returns the rows G_t, the outputs less what h₀ = mean explains, and which states
// x leaves as they are.
func (m *Model) observed(x, y mat.Matrix, mean []float64) (G, e *mat.Dense, constant []bool) {
	n, _, p := m.Dims()
	k, _ := x.Dims()
	G, e = mat.NewDense(k*p, n, nil), mat.NewDense(k*p, 1, nil)
	constant = make([]bool, n)
	for a := range constant {
		constant[a] = true
	}
	P, M := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil) // M_1 ⋯ M_t, M_t
	for a := range n {
		P.Set(a, a, 1)
	}
	for t := range k {
		M.Zero()
		for i, A := range m.A {
			linalg.AddMultiple(M, x.At(t, i), A)
		}
		for b := range n {
			for a := range n {
				want := 0.0
				if a == b {
					want = 1
				}
				constant[b] = constant[b] && math.Abs(M.At(a, b)-want) < 1e-9
			}
		}
		P.Mul(P, M)
		rows := G.Slice(t*p, (t+1)*p, 0, n).(*mat.Dense)
		rows.Mul(m.Omega, P.T())
		for o := range p {
			e.Set(t*p+o, 0, y.At(t, o)-floats.Dot(rows.RawRowView(o), mean))
		}
	}
	return G, e, constant
}

// finite reports whether all parameters are finite.
func (m *Model) finite() bool {
	if !linalg.IsFinite(m.Omega) || !linalg.IsFinite(mat.DenseCopyOf(m.H0)) {
		return false
	}
	for _, a := range m.A {
		if !linalg.IsFinite(a) {
			return false
		}
	}
	return true
}

// clone returns a copy of m.
func (m *Model) clone() *Model {
	n, d, p := m.Dims()
	c := NewModel(n, d, p)
	c.H0.CopyVec(m.H0)
	for i, a := range m.A {
		c.A[i].Copy(a)
	}
	c.Omega.Copy(m.Omega)
	return c
}
