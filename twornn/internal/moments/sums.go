package moments

import (
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// gramSums are XᵀX, XᵀY and YᵀY of rows x₁⊗⋯⊗x_l, in few numbers and little time: entry
// (i, j) of XᵀX is the sum of Π_t x_{t,i_t} x_{t,j_t}, and each pair {i_t, j_t} counts once,
// so that there are (d(d+1)/2)^l different sums. They are those of the products of a word
// of pairs of the first letters and one of the others: one product UᵀV of two thin matrices.
// A row costs some 2(d(d+1)/2)^l operations, where a QR takes 2d^{2l}: for d = 3 and
// l = 5 between seven and eight times as many.
//
// Sums square the condition of X. So they are used only where that is known to be small,
// and only for rows of about the size of those that showed it.
type gramSums struct {
	d, l, p int
	s       *mat.Dense // words of pairs × words of pairs
	xy, yy  *mat.Dense // p×d^l and p×p
}

func newGramSums(d, l, p int) *gramSums {
	pairs := d * (d + 1) / 2
	return &gramSums{d: d, l: l, p: p, s: mat.NewDense(linalg.Pow(pairs, l/2), linalg.Pow(pairs, l-l/2), nil),
		xy: mat.NewDense(p, linalg.Pow(d, l), nil), yy: mat.NewDense(p, p, nil)}
}

// plus returns the sums of both. Either may be nil.
func (g *gramSums) plus(o *gramSums) *gramSums {
	if g == nil {
		g, o = o, nil
	}
	if g == nil {
		return nil
	}
	sum := newGramSums(g.d, g.l, g.p)
	for ; g != nil; g, o = o, nil {
		sum.s.Add(sum.s, g.s)
		sum.xy.Add(sum.xy, g.xy)
		sum.yy.Add(sum.yy, g.yy)
	}
	return sum
}

// gramRoom is what add works in: rows of words, a column for each measurement.
type gramRoom struct{ letters, pairs, U, V, X, y []float64 }

var gramRooms = sync.Pool{New: func() any { return new(gramRoom) }}

// add adds rows of l·d inputs and p outputs each.
func (g *gramSums) add(x, y []float64) {
	m := gramRooms.Get().(*gramRoom)
	defer gramRooms.Put(m)
	a, b := g.s.Dims()
	_, c := g.xy.Dims()
	// So many rows at a time that V stays in a core's own cache.
	chunk := min(256, max(16, 1<<15/max(b, c)&^7))
	rows := len(y) / g.p
	for from := 0; from < rows; from += chunk {
		n := min(chunk, rows-from)
		g.transpose(m, x[from*g.l*g.d:(from+n)*g.l*g.d], n)
		per := g.d * (g.d + 1) / 2
		U := products(&m.U, m.pairs[:g.l/2*per*n], per, n)
		V := products(&m.V, m.pairs[g.l/2*per*n:], per, n)
		X := products(&m.X, m.letters, g.d, n)
		general := func(rows int, data []float64) blas64.General {
			return blas64.General{Rows: rows, Cols: n, Stride: n, Data: data}
		}
		vector := func(data []float64) blas64.Vector { return blas64.Vector{N: len(data), Inc: 1, Data: data} }
		// Products with vectors: at these sizes gonum's Gemv is twice as fast as its Gemm.
		for i := range a {
			blas64.Gemv(blas.NoTrans, 1, general(b, V), vector(U[i*n:(i+1)*n]), 1, vector(g.s.RawRowView(i)))
		}
		Y := linalg.Sized(&m.y, g.p*n)
		for i := range n {
			for o, v := range y[(from+i)*g.p : (from+i+1)*g.p] {
				Y[o*n+i] = v
			}
		}
		for o := range g.p {
			yo := vector(Y[o*n : (o+1)*n])
			blas64.Gemv(blas.NoTrans, 1, general(c, X), yo, 1, vector(g.xy.RawRowView(o)))
			blas64.Gemv(blas.NoTrans, 1, general(g.p, Y), yo, 1, vector(g.yy.RawRowView(o)))
		}
	}
}

// transpose sets the letters and pairs of n rows: row (t, i) of letters holds (x_t)_i of
// every measurement, row (t, {i, j}) of pairs its product with (x_t)_j.
func (g *gramSums) transpose(m *gramRoom, x []float64, n int) {
	ld := g.l * g.d
	letters := linalg.Sized(&m.letters, ld*n)
	for r := range n {
		for i, v := range x[r*ld : (r+1)*ld] {
			letters[i*n+r] = v
		}
	}
	pairs := linalg.Sized(&m.pairs, g.l*g.d*(g.d+1)/2*n)
	at := 0
	for t := range g.l {
		for i := range g.d {
			xi := letters[(t*g.d+i)*n : (t*g.d+i+1)*n]
			for j := range i + 1 {
				floats.MulTo(pairs[at:at+n], xi, letters[(t*g.d+j)*n:(t*g.d+j+1)*n])
				at += n
			}
		}
	}
}

// products sets *room to all products of one row of each group of per rows, n numbers long:
// the columns are Kronecker products. No group gives a row of ones.
func products(room *[]float64, rows []float64, per, n int) []float64 {
	count := 1
	for left := len(rows); left > 0; left -= per * n {
		count *= per
	}
	w := linalg.Sized(room, count*n)
	for i := range n {
		w[i] = 1
	}
	size := 1
	for ; len(rows) > 0; rows = rows[per*n:] {
		// From the back, so that no row is overwritten before it is used.
		for u := size - 1; u >= 0; u-- {
			for j := per - 1; j >= 0; j-- {
				floats.MulTo(w[(u*per+j)*n:(u*per+j+1)*n], w[u*n:(u+1)*n], rows[j*n:(j+1)*n])
			}
		}
		size *= per
	}
	return w
}

// full returns XᵀX, d^l×d^l.
func (g *gramSums) full() *mat.SymDense {
	c := linalg.Pow(g.d, g.l)
	pairs := g.d * (g.d + 1) / 2
	// pair[i·d+j] is the place of {i, j} among the pairs.
	pair := make([]int, g.d*g.d)
	for i := range g.d {
		for j := range i + 1 {
			pair[i*g.d+j], pair[j*g.d+i] = i*(i+1)/2+j, i*(i+1)/2+j
		}
	}
	// word returns the place of the word of pairs of the words i and j of n letters.
	word := func(i, j, n int) int {
		at, base := 0, 1
		for range n {
			at += base * pair[i%g.d*g.d+j%g.d]
			i, j, base = i/g.d, j/g.d, base*pairs
		}
		return at
	}
	tail := linalg.Pow(g.d, g.l-g.l/2)
	tails := make([]int, tail*tail)
	for i := range tail {
		for j := range tail {
			tails[i*tail+j] = word(i, j, g.l-g.l/2)
		}
	}
	G := mat.NewSymDense(c, nil)
	raw := G.RawSymmetric()
	for i := range c / tail {
		for j := i; j < c/tail; j++ {
			row := g.s.RawRowView(word(i, j, g.l/2))
			for k := range tail {
				dst := raw.Data[(i*tail+k)*c+j*tail : (i*tail+k)*c+(j+1)*tail]
				for m, at := range tails[k*tail : (k+1)*tail] {
					dst[m] = row[at]
				}
			}
		}
	}
	return G
}

// split returns R, upper triangular with RᵀR = XᵀX, B with RᵀB = XᵀY, and what no X
// explains, YᵀY − BᵀB. B is nil if rounding has made XᵀX indefinite.
func (g *gramSums) split() (R blas64.Triangular, B, rest *mat.Dense) {
	R, ok := linalg.Cholesky(g.full())
	if !ok {
		return R, nil, nil
	}
	B = mat.DenseCopyOf(g.xy.T())
	blas64.Trsm(blas.Left, blas.Trans, 1, R, B.RawMatrix())
	rest = new(mat.Dense)
	rest.Mul(B.T(), B)
	rest.Sub(g.yy, rest)
	return R, B, rest
}

// losesNothing reports whether the sums have lost nothing that counts: X has a condition
// below 1000, so that its square costs six digits of sixteen, and of each output at least
// 1e-8 of the sum of squares is left by X, so that what is left, a difference of sums,
// keeps eight digits and the noise hides what rounding has moved.
func (g *gramSums) losesNothing() bool {
	R, B, rest := g.split()
	if B == nil || linalg.RCondTri(R) < 0.001 {
		return false
	}
	for j := range g.p {
		if !(rest.At(j, j) > 1e-8*g.yy.At(j, j)) {
			return false
		}
	}
	return true
}

// factor returns rows that stand for those summed, [R B; 0 S], upper triangular; nil for
// no sums.
func (g *gramSums) factor() *mat.Dense {
	if g == nil {
		return nil
	}
	c, p := linalg.Pow(g.d, g.l), g.p
	f := mat.NewDense(c+p, c+p, nil)
	if R, B, rest := g.split(); B != nil {
		// Without the negative parts that rounding may leave.
		if S := linalg.SymRoot(rest); S != nil {
			S = mat.DenseCopyOf(S.T())
			linalg.R(S)
			for i := range c {
				copy(f.RawRowView(i)[i:c], R.Data[i*R.Stride+i:i*R.Stride+c])
			}
			f.Slice(0, c, c, c+p).(*mat.Dense).Copy(B)
			f.Slice(c, c+p, c, c+p).(*mat.Dense).Copy(S)
			return f
		}
	}
	// Rounding has made XᵀX indefinite: a root of all of it.
	all := mat.NewDense(c+p, c+p, nil)
	all.Slice(0, c, 0, c).(*mat.Dense).Copy(g.full())
	all.Slice(0, c, c, c+p).(*mat.Dense).Copy(g.xy.T())
	all.Slice(c, c+p, 0, c).(*mat.Dense).Copy(g.xy)
	all.Slice(c, c+p, c, c+p).(*mat.Dense).Copy(g.yy)
	if S := linalg.SymRoot(all); S != nil {
		f.Copy(S.T())
		linalg.R(f)
	}
	return f
}

// largestRow returns the largest ‖x₁⊗⋯⊗x_l‖² of n rows.
func largestRow(x []float64, n, l, d int) (most float64) {
	for i := range n {
		q := 1.0
		for t := range l {
			xt := x[(i*l+t)*d : (i*l+t+1)*d]
			q *= linalg.Dot(xt, xt)
		}
		most = max(most, q)
	}
	return most
}
