package twornn

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
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
// Sums square the condition of X. So they are used only where that is known to be small
// from a factor of rows before, and only for rows of about the size of those.
type gramSums struct {
	d, l, p int
	s       *mat.Dense // words of pairs × words of pairs
	xy, yy  *mat.Dense // d^l×p and p×p
}

func newGramSums(d, l, p int) *gramSums {
	pairs := d * (d + 1) / 2
	return &gramSums{d: d, l: l, p: p, s: mat.NewDense(pow(pairs, l/2), pow(pairs, l-l/2), nil),
		xy: mat.NewDense(pow(d, l), p, nil), yy: mat.NewDense(p, p, nil)}
}

// add adds n rows, of l·d and p numbers each.
func (g *gramSums) add(x, y []float64, n int) {
	const chunk = 256
	a, b := g.s.Dims()
	U, V := make([]float64, chunk*a), make([]float64, chunk*b)
	pairs := make([]float64, g.l*g.d*(g.d+1)/2)
	X := make([]float64, chunk*pow(g.d, g.l))
	c := pow(g.d, g.l)
	per := len(pairs) / g.l
	for from := 0; from < n; from += chunk {
		m := min(chunk, n-from)
		for i := range m {
			row := x[(from+i)*g.l*g.d : (from+i+1)*g.l*g.d]
			for t := range g.l {
				xt, at := row[t*g.d:(t+1)*g.d], t*per
				for j, v := range xt {
					for _, w := range xt[:j+1] {
						pairs[at] = v * w
						at++
					}
				}
			}
			kronecker(U[i*a:(i+1)*a], pairs[:g.l/2*per], per)
			kronecker(V[i*b:(i+1)*b], pairs[g.l/2*per:], per)
			kronecker(X[i*c:(i+1)*c], row, g.d)
		}
		Y := blas64.General{Rows: m, Cols: g.p, Stride: g.p, Data: y[from*g.p:]}
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, blas64.General{Rows: m, Cols: a, Stride: a, Data: U},
			blas64.General{Rows: m, Cols: b, Stride: b, Data: V}, 1, g.s.RawMatrix())
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, blas64.General{Rows: m, Cols: c, Stride: c, Data: X}, Y, 1, g.xy.RawMatrix())
		blas64.Gemm(blas.Trans, blas.NoTrans, 1, Y, Y, 1, g.yy.RawMatrix())
	}
}

// full returns XᵀX, d^l×d^l.
func (g *gramSums) full() *mat.SymDense {
	c := pow(g.d, g.l)
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
	tail := pow(g.d, g.l-g.l/2)
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

// factor returns rows that stand for those summed, [R B; 0 S] with RᵀR = XᵀX; nil for
// no sums.
func (g *gramSums) factor() *mat.Dense {
	if g == nil {
		return nil
	}
	c, p := pow(g.d, g.l), g.p
	f := mat.NewDense(c+p, c+p, nil)
	XX, B := g.full(), mat.DenseCopyOf(g.xy)
	var ch mat.Cholesky
	if ch.Factorize(XX) {
		var R mat.TriDense
		ch.UTo(&R)
		blas64.Trsm(blas.Left, blas.Trans, 1, R.RawTriangular(), B.RawMatrix())
		// What no X explains: YᵀY − BᵀB, without the negative parts that rounding leaves.
		var rest mat.Dense
		rest.Mul(B.T(), B)
		rest.Sub(g.yy, &rest)
		if S := root(&rest); S != nil {
			f.Slice(0, c, 0, c).(*mat.Dense).Copy(&R)
			f.Slice(0, c, c, c+p).(*mat.Dense).Copy(B)
			f.Slice(c, c+p, c, c+p).(*mat.Dense).Copy(S.T())
			return f
		}
	}
	// Rounding has made XᵀX indefinite: a root of all of it.
	all := mat.NewDense(c+p, c+p, nil)
	all.Slice(0, c, 0, c).(*mat.Dense).Copy(XX)
	all.Slice(0, c, c, c+p).(*mat.Dense).Copy(g.xy)
	all.Slice(c, c+p, 0, c).(*mat.Dense).Copy(g.xy.T())
	all.Slice(c, c+p, c, c+p).(*mat.Dense).Copy(g.yy)
	if S := root(all); S != nil {
		f.Copy(S.T())
	}
	return f
}

// mayBeSummed reports whether rows like those of the triangular factor [X Y] lose nothing
// that counts in sums: X has a condition below 100, so that its square costs four digits of
// sixteen, and of each output at least 1e-8 of the sum of squares is left by X, so that
// what is left, a difference of sums, keeps eight digits.
func mayBeSummed(f *mat.Dense, c int) bool {
	rows, cols := f.Dims()
	if rows < cols || linalg.RCondR(f.Slice(0, c, 0, c).(*mat.Dense)) < 0.01 {
		return false
	}
	for j := c; j < cols; j++ {
		var all, left float64
		for i := range j + 1 {
			v := f.At(i, j)
			all += v * v
			if i >= c {
				left += v * v
			}
		}
		if !(left > 1e-8*all) {
			return false
		}
	}
	return true
}

// largestRow returns the largest ‖x₁⊗⋯⊗x_l‖² of n rows.
func largestRow(x []float64, n, l, d int) (most float64) {
	for i := range n {
		q := 1.0
		for t := range l {
			xt := x[(i*l+t)*d : (i*l+t+1)*d]
			q *= dot(xt, xt)
		}
		most = max(most, q)
	}
	return most
}
