package tt

import (
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// Chart gives coordinates to the tangent space at a Point: with Q_k an orthonormal basis
// of what U_k leaves of its rows, δ_k = Q_k θ_k for k < m and δ_m = θ_m. The coordinates
// are orthonormal, and there are no more of them than the dimension of the tangent space,
//
//	Σ_k (r_{k−1} d_k − r_k) r_k + r_{m−1} d_m.
type Chart struct {
	p   *Point
	all []*mat.Dense // [U_k Q_k], square
	dim int
}

// NewChart returns the chart at p. It costs O(Σ_k (r_{k−1} d_k)³).
func NewChart(p *Point) *Chart {
	c := &Chart{p: p, dim: len(p.C.Data)}
	for _, u := range p.U {
		rows := u.Left * u.Dim
		var qr mat.QR
		var q mat.Dense
		qr.Factorize(u.left())
		qr.QTo(&q)
		q.Slice(0, rows, 0, u.Right).(*mat.Dense).Copy(u.left())
		c.all = append(c.all, &q)
		c.dim += (rows - u.Right) * u.Right
	}
	return c
}

// Dim returns the number of coordinates.
func (c *Chart) Dim() int { return c.dim }

// Tangent returns the tangent with the coordinates theta.
func (c *Chart) Tangent(theta []float64) Tangent {
	t := Tangent{make([]Core, c.p.order())}
	for k, u := range c.p.U {
		rows := u.Left * u.Dim
		t.Delta[k] = NewCore(u.Left, u.Dim, u.Right)
		if free := rows - u.Right; free > 0 {
			t.Delta[k].left().Mul(c.all[k].Slice(0, rows, u.Right, rows), mat.NewDense(free, u.Right, theta[:free*u.Right]))
			theta = theta[free*u.Right:]
		}
	}
	last := c.p.C
	t.Delta[len(c.p.U)] = Core{last.Left, last.Dim, last.Right, append([]float64(nil), theta...)}
	return t
}

// Coordinates returns those of a tangent.
func (c *Chart) Coordinates(t Tangent) []float64 {
	theta := make([]float64, 0, c.dim)
	for k, u := range c.p.U {
		rows := u.Left * u.Dim
		if free := rows - u.Right; free > 0 {
			var part mat.Dense
			part.Mul(c.all[k].Slice(0, rows, u.Right, rows).T(), t.Delta[k].left())
			theta = append(theta, part.RawMatrix().Data...)
		}
	}
	return append(theta, t.Delta[len(c.p.U)].Data...)
}

// Design stores the derivatives of ρ_i H by the coordinates in dst, for the rows ρ_i of A,
// H being the tensor of the point as a matrix of q columns, the last index the fastest: row
// i·q+o of dst is for column o. An empty dst is resized. It costs some 2r times the size
// of A for each of the q. It panics if A has not as many columns as H rows, or dst not
// the rows and columns.
func (c *Chart) Design(dst, A *mat.Dense, q int) {
	n, width := A.Dims()
	J := dst
	if J.IsEmpty() {
		J.ReuseAs(n*q, c.dim)
	}
	if r, k := J.Dims(); r != n*q || k != c.dim {
		panic("tt: dimension mismatch: dst")
	}
	room := designRooms.Get().(*designRoom)
	defer designRooms.Put(room)
	right := c.rightSides(q)
	Z := A.RawMatrix() // of each row: left·dim × width
	at := 0
	for k, u := range c.p.U {
		rows, r := u.Left*u.Dim, u.Right
		if width%u.Dim != 0 {
			panic("tt: dimension mismatch")
		}
		width /= u.Dim
		free := rows - r
		next, off := sized(&room.next[k%2], n*r*width), sized(&room.off, n*free*width)
		all := c.all[k].RawMatrix()
		turned := blas64.General{Rows: rows, Cols: width, Stride: width, Data: sized(&room.turned, rows*width)}
		for i := range n {
			z := blas64.General{Rows: rows, Cols: width, Stride: width, Data: Z.Data[i*Z.Stride : i*Z.Stride+rows*width]}
			blas64.Gemm(blas.Trans, blas.NoTrans, 1, all, z, 0, turned)
			copy(next[i*r*width:], turned.Data[:r*width])
			copy(off[i*free*width:], turned.Data[r*width:])
		}
		if free > 0 {
			d := sized(&room.d, n*free*r)
			for o := range q {
				blas64.Gemm(blas.NoTrans, blas.Trans, 1,
					blas64.General{Rows: n * free, Cols: width, Stride: width, Data: off},
					blas64.General{Rows: r, Cols: width, Stride: q * width, Data: right[k][o*width:]}, 0,
					blas64.General{Rows: n * free, Cols: r, Stride: r, Data: d})
				for i := range n {
					copy(J.RawRowView(i*q + o)[at:], d[i*free*r:(i+1)*free*r])
				}
			}
			at += free * r
		}
		Z = blas64.General{Rows: n, Cols: r * width, Stride: r * width, Data: next}
	}
	if width*q != c.p.C.Dim {
		panic("tt: dimension mismatch")
	}
	for i := range n {
		for o := range q {
			row := J.RawRowView(i*q + o)[at:]
			clear(row)
			for j, v := range Z.Data[i*Z.Stride : i*Z.Stride+c.p.C.Left*width] {
				row[j*q+o] = v
			}
		}
	}
}

// designRoom is what Design works in.
type designRoom struct {
	next           [2][]float64
	off, turned, d []float64
}

var designRooms = sync.Pool{New: func() any { return new(designRoom) }}

// sized returns a slice of n numbers of any value in place of *s, in its memory if that is
// enough.
func sized(s *[]float64, n int) []float64 {
	if cap(*s) < n {
		*s = make([]float64, n)
	}
	*s = (*s)[:n]
	return *s
}

// rightSides returns for every core but the last the expanded product of the V after it,
// r_k rows of q groups, one for each column of H, of the other indices.
func (c *Chart) rightSides(q int) [][]float64 {
	m := c.p.order()
	out := make([][]float64, m-1)
	width := c.p.C.Dim / q
	for k := m - 1; k > 0; k-- {
		v := c.p.v(k)
		if k == m-1 {
			out[k-1] = make([]float64, len(v.Data))
			for j, x := range v.Data {
				a, w, o := j/(width*q), j/q%width, j%q
				out[k-1][(a*q+o)*width+w] = x
			}
			continue
		}
		// (left·dim × right) times (right × q·width), then dim moved behind q.
		w := q * width
		full := make([]float64, v.Left*v.Dim*w)
		blas64.Gemm(blas.NoTrans, blas.NoTrans, 1,
			blas64.General{Rows: v.Left * v.Dim, Cols: v.Right, Stride: v.Right, Data: v.Data},
			blas64.General{Rows: v.Right, Cols: w, Stride: w, Data: out[k]}, 0,
			blas64.General{Rows: v.Left * v.Dim, Cols: w, Stride: w, Data: full})
		dst := make([]float64, len(full))
		for a := range v.Left {
			for i := range v.Dim {
				for o := range q {
					copy(dst[((a*q+o)*v.Dim+i)*width:((a*q+o)*v.Dim+i+1)*width], full[((a*v.Dim+i)*q+o)*width:])
				}
			}
		}
		out[k-1] = dst
		width *= v.Dim
	}
	return out
}
