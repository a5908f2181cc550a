package tt

import (
	"math"
	"testing"
)

var points = []struct{ dims, ranks []int }{
	{[]int{4}, nil},
	{[]int{3, 2}, []int{2}},
	{[]int{3, 3, 3, 2}, []int{2, 3, 2}},
	{[]int{2, 3, 4, 2, 1}, []int{2, 4, 2, 1}},
	{[]int{2, 2, 2}, []int{5, 4}},       // ranks above what the dimensions can carry
	{[]int{7, 1, 1}, []int{3, 3}},       // the right alone cannot
	{[]int{1, 1, 6, 1}, []int{3, 4, 2}}, // neither can
}

func point(t *testing.T, a *Tensor) *Point {
	t.Helper()
	p, err := NewPoint(a)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPointIsTheTensor(t *testing.T) {
	for _, s := range points {
		a := random(s.dims, s.ranks, 30)
		p := point(t, a)
		if d := relDiff(full(t, p.Tensor()), full(t, a)); d > 1e-13 {
			t.Errorf("%v: off by %.2g", s.dims, d)
		}
		zero := p.Project(a)
		zero.AddScaled(-1, zero)
		if d := relDiff(full(t, p.Embed(1, 3, zero)), full(t, a)); d > 1e-13 {
			t.Errorf("%v: embedded, off by %.2g", s.dims, d)
		}
		// A tensor lies in its own tangent space.
		if d := relDiff(full(t, p.Embed(0, 1, p.Project(a))), full(t, a)); d > 1e-12 {
			t.Errorf("%v: projected on its own tangent space, off by %.2g", s.dims, d)
		}
	}
}

// TestProjectionIsOrthogonal: what the projection leaves of b is orthogonal to every
// tangent, projecting twice changes nothing, and both forms agree.
func TestProjectionIsOrthogonal(t *testing.T) {
	for _, s := range points {
		p := point(t, random(s.dims, s.ranks, 31))
		b := random(s.dims, s.ranks, 32)
		fb := full(t, b)
		g := p.Project(b)
		for k, c := range p.Tensor().cores[1:] {
			if c.Left != p.V[k].Left || c.Right != p.V[k].Right {
				t.Fatalf("%v: bond %d differs between the forms", s.dims, k)
			}
		}
		fg := full(t, p.Embed(0, 1, g))
		if d := relDiff(full(t, p.Embed(0, 1, p.ProjectDense(fb))), fg); d > 1e-12 {
			t.Errorf("%v: dense and train differ by %.2g", s.dims, d)
		}
		if d := relDiff(full(t, p.Embed(0, 1, p.ProjectDense(fg))), fg); d > 1e-12 {
			t.Errorf("%v: a second projection moves it by %.2g", s.dims, d)
		}
		var norm float64
		for _, v := range fg {
			norm += v * v
		}
		if got := g.Norm(); math.Abs(got-math.Sqrt(norm)) > 1e-12*(1+got) {
			t.Errorf("%v: norm %v, want %v", s.dims, got, math.Sqrt(norm))
		}
		for seed := uint64(40); seed < 45; seed++ {
			other := p.Project(random(s.dims, s.ranks, seed))
			var in float64
			for i, v := range full(t, p.Embed(0, 1, other)) {
				in += v * (fb[i] - fg[i])
			}
			if math.Abs(in) > 1e-11*(1+b.Norm()*other.Norm()) {
				t.Errorf("%v: the rest is not orthogonal to a tangent: %.2g", s.dims, in)
			}
			var want float64
			for i, v := range full(t, p.Embed(0, 1, other)) {
				want += v * fg[i]
			}
			if got := DotTangents(g, other); math.Abs(got-want) > 1e-11*(1+math.Abs(want)) {
				t.Errorf("%v: inner product %v, want %v", s.dims, got, want)
			}
		}
	}
}

// TestTangentIsTheDerivative: moving a core by ε moves the tensor by ε times a
// tangent, to second order.
func TestTangentIsTheDerivative(t *testing.T) {
	s := points[2]
	a := random(s.dims, s.ranks, 33)
	p := point(t, a)
	for k := range s.dims {
		move := random(s.dims, s.ranks, 34)
		var diff []float64
		for _, eps := range []float64{1e-5, -1e-5} {
			cores := append([]Core(nil), a.cores...)
			c := NewCore(cores[k].Left, cores[k].Dim, cores[k].Right)
			for i, v := range cores[k].Data {
				c.Data[i] = v + eps*move.cores[k].Data[i]
			}
			cores[k] = c
			f := full(t, New(cores...))
			if diff == nil {
				diff = f
				continue
			}
			for i, v := range f {
				diff[i] = (diff[i] - v) / 2e-5
			}
		}
		if d := relDiff(full(t, p.Embed(0, 1, p.ProjectDense(diff))), diff); d > 1e-8 {
			t.Errorf("core %d: the derivative leaves the tangent space by %.2g", k, d)
		}
	}
}
