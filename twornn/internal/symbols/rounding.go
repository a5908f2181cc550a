package symbols

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// rounded returns m with h₀ and all transitions rounded to unit vectors (or zero, for one
// that no data tell), if they are within 1e-6 of such, and nil if not. Products of what is left are
// exact, so the state is a unit vector after any number of symbols.
func rounded(m *Model) *Model {
	n, d, p := m.Dims()
	r := newModel(n, d, p)
	if !unit(r.H0.RawVector().Data, m.H0.RawVector().Data) {
		return nil
	}
	for s := range d {
		for i := range n {
			if !unit(r.A[s].RawRowView(i), m.A[s].RawRowView(i)) {
				return nil
			}
		}
	}
	for i := range p {
		for j, v := range m.Omega.RawRowView(i) {
			// Outputs that are whole numbers are so in truth.
			if w := math.Round(v); math.Abs(v-w) < 1e-9 {
				v = w
			}
			r.Omega.Set(i, j, v)
		}
	}
	return r
}

// unit sets dst to v rounded and reports whether that is zero or a unit vector nearby.
func unit(dst, v []float64) bool {
	ones := 0
	for i, x := range v {
		switch {
		case math.Abs(x-1) < 1e-6:
			dst[i] = 1
			ones++
		case math.Abs(x) > 1e-6:
			return false
		}
	}
	return ones <= 1
}

// errorOf returns the largest error of m against the mean outputs.
func (o *Tree) errorOf(m *Model) float64 {
	return o.largestError(m, func(v int32, j int, y float64) float64 { return math.Abs(y - o.outputs[v][j]) })
}

// Error returns the largest error of an output of m against those that were added, each by itself: at
// least half of what two of them differ by after the same prefix.
func (o *Tree) Error(m *Model) float64 {
	return o.largestError(m, func(v int32, j int, y float64) float64 {
		if r := o.ranges[v]; r != nil {
			return max(math.Abs(y-r[j].low), math.Abs(y-r[j].high))
		}
		return math.Abs(y - o.outputs[v][j])
	})
}

// largestError returns the largest of the errors that off gives of output j of m, y, at each node v.
func (o *Tree) largestError(m *Model, off func(v int32, j int, y float64) float64) float64 {
	n, _, p := m.Dims()
	type state struct {
		v int32
		h []float64
	}
	worst := 0.0
	stack := []state{{0, slices.Clone(m.H0.RawVector().Data)}}
	for len(stack) > 0 {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if o.outputs[at.v] != nil {
			for j := range p {
				if e := off(at.v, j, floats.Dot(m.Omega.RawRowView(j), at.h)); !(e <= worst) {
					worst = e
				}
			}
		}
		for _, c := range o.child[at.v] {
			h := make([]float64, n)
			for i, x := range at.h {
				if x != 0 {
					floats.AddScaled(h, x, m.A[c.symbol].RawRowView(i))
				}
			}
			stack = append(stack, state{c.to, h})
		}
	}
	return worst
}
