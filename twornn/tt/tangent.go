package tt

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/linalg"
)

// Point is a tensor among the tensors of its ranks, with what it takes to work in
// the tangent space there: the same tensor with its cores orthonormal from the left
// and from the right.
//
//	T = U₁ ⋯ U_{m−1} C   with orthonormal columns on the left of C
//
// Tangents at T are the sums Σ_k U₁ ⋯ U_{k−1} δ_k V_{k+1} ⋯ V_m with V the cores
// orthonormal from the right and U_kᵀ δ_k = 0 for k < m. With these gauges the terms
// are orthogonal to each other (Holtz, Rohwedder and Schneider 2012), and a tangent
// takes no more numbers than the tensor.
type Point struct {
	U, V []Core
	C    Core // the last core, which carries the norm
}

// Tangent is a tangent at a Point: the cores δ₁, …, δ_m.
type Tangent struct{ Delta []Core }

// NewPoint returns the point of a. Its ranks are those of a, cut where the dimensions
// on one side cannot carry them. It costs O(m d r³) and errs if an entry is not finite.
func NewPoint(a *Tensor) (*Point, error) {
	m := a.Order()
	// A first sweep cuts ranks that the right cannot carry, the second those that the
	// left cannot: then the bonds of both forms agree.
	right, r0, err := rightOrthonormal(a.cores[1:])
	if err != nil {
		return nil, err
	}
	var head mat.Dense
	head.Mul(a.cores[0].left(), r0)
	_, right0 := head.Dims()
	cores := append([]Core{{1, a.cores[0].Dim, right0, head.RawMatrix().Data}}, right...)
	left, l, err := leftOrthonormal(cores[:m-1])
	if err != nil {
		return nil, err
	}
	last := cores[m-1]
	var c mat.Dense
	c.Mul(l, last.right())
	if !linalg.IsFinite(&c) {
		return nil, linalg.ErrNotFinite
	}
	r, _ := c.Dims()
	p := &Point{U: left, C: Core{r, last.Dim, 1, denseData(&c)}}
	p.V, _, err = rightOrthonormal(p.Tensor().cores[1:])
	return p, err
}

// Tensor returns the tensor of the point. It shares cores with it.
func (p *Point) Tensor() *Tensor { return New(append(append([]Core(nil), p.U...), p.C)...) }

// order returns m.
func (p *Point) order() int { return len(p.U) + 1 }

// u and v return core k, counted from 0, of the left and right form.
func (p *Point) u(k int) Core {
	if k < len(p.U) {
		return p.U[k]
	}
	return p.C
}
func (p *Point) v(k int) Core { return p.V[k-1] }

// Gauge returns the tangent nearest to Σ_k U₁ ⋯ δ_k ⋯ V_m for cores δ_k that need not
// keep to U_kᵀ δ_k = 0, as contractions of a tensor with both sides give them. It
// overwrites the cores.
func (p *Point) Gauge(delta []Core) Tangent {
	for k, u := range p.U {
		var ud, uud mat.Dense
		d := delta[k].left()
		ud.Mul(u.left().T(), d)
		uud.Mul(u.left(), &ud)
		d.Sub(d, &uud)
	}
	return Tangent{delta}
}

// Project returns the orthogonal projection of the tensor b on the tangent space. It
// costs O(m d r³) and panics if the dimensions differ.
func (p *Point) Project(b *Tensor) Tangent {
	m := p.order()
	if b.Order() != m {
		panic("tt: dimension mismatch")
	}
	// F[k] holds the inner products of the cores after k, E those of the cores before.
	F := make([]*mat.Dense, m)
	F[m-1] = mat.NewDense(1, 1, []float64{1})
	for k := m - 1; k > 0; k-- {
		cv, cb := p.v(k), b.cores[k]
		var vf, next mat.Dense
		vf.Mul(cv.left(), F[k])
		next.Mul(mat.NewDense(cv.Left, cv.Dim*cb.Right, vf.RawMatrix().Data), cb.right().T())
		F[k-1] = &next
	}
	E := mat.NewDense(1, 1, []float64{1})
	delta := make([]Core, m)
	for k := range m {
		cb := b.cores[k]
		if cb.Dim != p.u(k).Dim {
			panic("tt: dimension mismatch")
		}
		var eb, d mat.Dense
		eb.Mul(E, cb.right())
		rows, _ := eb.Dims()
		half := mat.NewDense(rows*cb.Dim, cb.Right, eb.RawMatrix().Data)
		d.Mul(half, F[k].T())
		_, right := d.Dims()
		delta[k] = Core{rows, cb.Dim, right, d.RawMatrix().Data}
		if k < m-1 {
			var next mat.Dense
			next.Mul(p.U[k].left().T(), half)
			E = &next
		}
	}
	return p.Gauge(delta)
}

// ProjectDense is Project for a dense tensor in row-major order. It costs O(r) times
// the size of the tensor and panics if that is not what the dimensions say.
func (p *Point) ProjectDense(full []float64) Tangent {
	m := p.order()
	// R[k] is the expanded right side after core k: r_k × (d_{k+2} ⋯ d_m).
	R := make([]*mat.Dense, m)
	R[m-1] = mat.NewDense(1, 1, []float64{1})
	for k := m - 1; k > 0; k-- {
		cv := p.v(k)
		var next mat.Dense
		next.Mul(cv.left(), R[k])
		_, w := R[k].Dims()
		R[k-1] = mat.NewDense(cv.Left, cv.Dim*w, next.RawMatrix().Data)
	}
	delta := make([]Core, m)
	left, rest := 1, full
	for k := range m {
		dim := p.u(k).Dim
		_, width := R[k].Dims()
		if left*dim*width != len(rest) {
			panic("tt: dimension mismatch")
		}
		Z := mat.NewDense(left*dim, width, rest)
		var d mat.Dense
		d.Mul(Z, R[k].T())
		_, right := d.Dims()
		delta[k] = Core{left, dim, right, d.RawMatrix().Data}
		if k < m-1 {
			var next mat.Dense
			next.Mul(p.U[k].left().T(), Z)
			left, rest = p.U[k].Right, next.RawMatrix().Data
		}
	}
	return p.Gauge(delta)
}

// DotTangents returns the inner product of two tangents at the same point, O(m d r²).
func DotTangents(a, b Tangent) (s float64) {
	for k, c := range a.Delta {
		for i, v := range c.Data {
			s += v * b.Delta[k].Data[i]
		}
	}
	return s
}

// Norm returns the Frobenius norm of the tangent.
func (t Tangent) Norm() float64 { return math.Sqrt(DotTangents(t, t)) }

// AddScaled adds f times the tangent b at the same point.
func (t Tangent) AddScaled(f float64, b Tangent) {
	for k, c := range t.Delta {
		for i, v := range b.Delta[k].Data {
			c.Data[i] += f * v
		}
	}
}

// Embed returns the tensor T·keep + step·tangent, of twice the ranks: with keep 0 and
// step 1 the tangent itself, with keep 1 the point after a step along it.
func (p *Point) Embed(keep, step float64, t Tangent) *Tensor {
	m := p.order()
	if m == 1 {
		c := NewCore(1, p.C.Dim, 1)
		for i := range c.Data {
			c.Data[i] = keep*p.C.Data[i] + step*t.Delta[0].Data[i]
		}
		return New(c)
	}
	cores := make([]Core, m)
	for k := range cores {
		d := t.Delta[k]
		u, left, right := p.u(k), 2*d.Left, 2*d.Right
		if k == 0 {
			left = 1
		}
		if k == m-1 {
			right = 1
		}
		// [[U δ] [0 V]] between [U δ] at the start and [keep·C + δ; V] at the end.
		c := NewCore(left, d.Dim, right)
		for l := range d.Left {
			for i := range d.Dim {
				row := c.Data[(l*d.Dim+i)*right:]
				dr := d.Data[(l*d.Dim+i)*d.Right : (l*d.Dim+i+1)*d.Right]
				if k == m-1 {
					row[0] = keep*u.At(l, i, 0) + step*dr[0]
				} else {
					copy(row, u.Data[(l*d.Dim+i)*d.Right:(l*d.Dim+i+1)*d.Right])
					for b, v := range dr {
						row[d.Right+b] = step * v
					}
				}
				if k > 0 {
					v := p.v(k)
					low := c.Data[((d.Left+l)*d.Dim+i)*right:]
					copy(low[right-d.Right:right], v.Data[(l*d.Dim+i)*d.Right:(l*d.Dim+i+1)*d.Right])
				}
			}
		}
		cores[k] = c
	}
	return New(cores...)
}
