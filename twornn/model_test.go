package twornn

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

var modelSizes = []struct{ n, d, p int }{{1, 1, 1}, {2, 3, 1}, {5, 3, 2}, {3, 1, 2}, {4, 2, 3}}

// TestPredictIsTheDefinition checks h_t = Σ_i (x_t)_i A[i]ᵀ h_{t−1}, y = Ω h_t with
// nothing but matrix products.
func TestPredictIsTheDefinition(t *testing.T) {
	for _, s := range modelSizes {
		m := Random(s.n, s.d, s.p, 0.5, pcg(1))
		for seq := range draw(m, 5, 4, 0, true, 1) {
			h := mat.DenseCopyOf(m.H0)
			for step := range 4 {
				next := mat.NewDense(s.n, 1, nil)
				for i, a := range m.A {
					var v mat.Dense
					v.Mul(a.T(), h)
					v.Scale(seq.X.At(step, i), &v)
					next.Add(next, &v)
				}
				h = next
				var y mat.Dense
				y.Mul(m.Omega, h)
				got := m.Predict(nil, seq.X.Slice(0, step+1, 0, s.d))
				for j, v := range got {
					if math.Abs(v-y.At(j, 0)) > 1e-13*(1+math.Abs(v)) || v != seq.Y.At(step, j) {
						t.Fatalf("%+v step %d: %v, want %v; OutputsTo has %v", s, step, v, y.At(j, 0), seq.Y.At(step, j))
					}
				}
			}
		}
	}
}

func TestPredictOfTheEmptyWord(t *testing.T) {
	m := Random(3, 2, 2, 1, pcg(2))
	var want mat.VecDense
	want.MulVec(m.Omega, m.H0)
	for _, x := range []mat.Matrix{nil, &mat.Dense{}} {
		got := m.Predict(make([]float64, 2), x)
		if math.Abs(got[0]-want.AtVec(0)) > 1e-15 || math.Abs(got[1]-want.AtVec(1)) > 1e-15 {
			t.Errorf("f(λ) = %v, want Ω h₀ = %v", got, want.RawVector().Data)
		}
	}
}

// TestHankelHoldsTheValues: entry (i₁, …, i_l, j) of H⁽ˡ⁾ is f_j(e_{i₁}, …, e_{i_l}),
// and its ranks are at most n.
func TestHankelHoldsTheValues(t *testing.T) {
	for _, s := range modelSizes {
		m := Random(s.n, s.d, s.p, 0.5, pcg(3))
		for l := 0; l <= 4; l++ {
			h := m.Hankel(l)
			if got := fmt.Sprint(h.Dims()); got != fmt.Sprint(hankelDims(l, s.d, s.p)) {
				t.Fatalf("H(%d) has dimensions %v", l, got)
			}
			for _, r := range h.Ranks() {
				if r > s.n {
					t.Errorf("H(%d) has rank %d above n = %d", l, r, s.n)
				}
			}
			words(s.d, l, func(word []int, x *mat.Dense) {
				var want []float64
				if x == nil {
					want = m.Predict(nil, nil)
				} else {
					want = m.Predict(nil, x)
				}
				for j, v := range want {
					if got := h.At(append(append([]int(nil), word...), j)...); math.Abs(got-v) > 1e-13*(1+math.Abs(v)) {
						t.Fatalf("%+v: H(%d)%v = %v, f = %v", s, l, word, got, v)
					}
				}
			})
		}
	}
}

func TestMapInputs(t *testing.T) {
	m := Random(3, 2, 2, 0.7, pcg(4))
	T := mat.NewDense(2, 4, []float64{1, -2, 0.5, 0, 3, 1, 0, -1})
	q := m.MapInputs(T)
	for s := range draw(q, 20, 3, 0, false, 4) {
		var x mat.Dense
		x.Mul(s.X, T.T())
		want := m.Predict(nil, &x)
		for j, v := range q.Predict(nil, s.X) {
			if math.Abs(v-want[j]) > 1e-12*(1+math.Abs(v)) {
				t.Fatalf("f'(x) = %v, f(Tx) = %v", v, want[j])
			}
		}
	}
}

func TestRandomIsSeeded(t *testing.T) {
	a, b, c := Random(2, 2, 1, 1, pcg(5)), Random(2, 2, 1, 1, pcg(5)), Random(2, 2, 1, 1, pcg(6))
	if !mat.Equal(a.A[1], b.A[1]) || mat.Equal(a.A[1], c.A[1]) {
		t.Error("the same seed must give the same model, another another")
	}
	// The standard deviation is what was asked for: 4 standard errors of 1,250 draws.
	var sum, n float64
	m := Random(10, 12, 3, 0.2, pcg(7))
	for _, a := range m.A {
		for _, v := range a.RawMatrix().Data {
			sum += v * v
			n++
		}
	}
	if sd := math.Sqrt(sum / n); math.Abs(sd-0.2) > 4*0.2/math.Sqrt(2*n) {
		t.Errorf("standard deviation %v, want 0.2", sd)
	}
}

func TestModelMisusePanics(t *testing.T) {
	m := Random(2, 3, 1, 1, pcg(8))
	mustPanic(t, "sizes", func() { NewModel(0, 1, 1) })
	mustPanic(t, "nil model", func() { (*Model)(nil).Dims() })
	mustPanic(t, "unfitted", func() { new(Model).Predict(nil, nil) })
	mustPanic(t, "inputs", func() { m.Predict(nil, mat.NewDense(2, 2, nil)) })
	mustPanic(t, "dst", func() { m.Predict(make([]float64, 2), nil) })
	mustPanic(t, "outputs", func() { m.OutputsTo(mat.NewDense(1, 1, nil), mat.NewDense(2, 3, nil)) })
	mustPanic(t, "length", func() { m.Hankel(-1) })
	mustPanic(t, "map", func() { m.MapInputs(mat.NewDense(2, 2, nil)) })
}

// TestNoRows: nil, a nil *mat.Dense in an interface, and a matrix without rows are all the
// empty word.
func TestNoRows(t *testing.T) {
	m := Random(3, 2, 2, 1, pcg(9))
	want := m.Predict(nil, nil)
	var typed *mat.Dense
	for _, x := range []mat.Matrix{nil, typed, &mat.Dense{}} {
		for i, y := range m.Predict(nil, x) {
			if y != want[i] {
				t.Errorf("%T: output %d is %v, want %v", x, i, y, want[i])
			}
		}
		var dst mat.Dense
		m.OutputsTo(&dst, x)
		if !dst.IsEmpty() {
			t.Errorf("%T: outputs after no step", x)
		}
	}
}
