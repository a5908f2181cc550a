package twornn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
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

func inputs(count, d int, length func(i int) int) []*mat.Dense {
	rnd := rand.New(rand.NewPCG(3, 4))
	x := make([]*mat.Dense, count)
	for i := range x {
		if k := length(i); k > 0 {
			x[i] = mat.NewDense(k, d, nil)
			for t := range k {
				for j := range d {
					x[i].Set(t, j, rnd.NormFloat64()/2)
				}
			}
		}
	}
	return x
}

// TestPredictBatch: each row is what Predict gives, whatever the lengths, their order and
// the number of processors; views with a stride too.
func TestPredictBatch(t *testing.T) {
	for _, c := range []struct{ n, d, p, count int }{{1, 1, 1, 1}, {3, 2, 2, 63}, {5, 3, 1, 64}, {4, 2, 3, 200}} {
		m := Random(c.n, c.d, c.p, 0.6, pcg(1))
		x := inputs(c.count, c.d, func(i int) int { return i * 7 % 12 })
		wide := mat.NewDense(5, c.d+2, nil)
		wide.Set(2, 1, 0.5)
		x[0] = wide.Slice(0, 5, 1, c.d+1).(*mat.Dense)
		var got, again mat.Dense
		m.PredictBatch(&got, x)
		old := runtime.GOMAXPROCS(1)
		m.PredictBatch(&again, x)
		runtime.GOMAXPROCS(old)
		if !mat.Equal(&got, &again) {
			t.Errorf("%+v: one processor gives other bits", c)
		}
		for i := range x {
			var s mat.Matrix
			if x[i] != nil {
				s = x[i]
			}
			for o, want := range m.Predict(nil, s) {
				if math.Abs(got.At(i, o)-want) > 1e-13*(1+math.Abs(want)) {
					t.Fatalf("%+v: sequence %d, output %d: %v, want %v", c, i, o, got.At(i, o), want)
				}
			}
		}
	}
	m := NewModel(2, 2, 1)
	mustPanic(t, "columns", func() { m.PredictBatch(new(mat.Dense), []*mat.Dense{mat.NewDense(1, 3, nil)}) })
	mustPanic(t, "dst", func() { m.PredictBatch(mat.NewDense(2, 1, nil), make([]*mat.Dense, 3)) })
	m.PredictBatch(new(mat.Dense), nil)
}

func TestPredictBatchDoesNotAllocate(t *testing.T) {
	m := Random(4, 3, 2, 0.5, pcg(1))
	x := inputs(100, 3, func(int) int { return 20 })
	dst := mat.NewDense(100, 2, nil)
	m.PredictBatch(dst, x)
	if n := testing.AllocsPerRun(20, func() { m.PredictBatch(dst, x) }); n > 1 { // the pools may be emptied
		t.Errorf("%v allocations a call", n)
	}
}

// BenchmarkPredictBatch reports multiply-adds as they are needed, d n² a step, beside the
// rate of gonum's Gemm in BenchmarkGemm.
func BenchmarkPredictBatch(b *testing.B) {
	const n, d, k, count = 10, 4, 1000, 1000
	m := Random(n, d, 1, 0.33, pcg(1)) // states neither die out, to numbers below the normal ones, nor explode
	x := slices.Repeat(inputs(100, d, func(int) int { return k }), 10)
	b.Run(fmt.Sprintf("n=%d/d=%d/steps=%d/batch=%d", n, d, k, count), func(b *testing.B) {
		dst := mat.NewDense(count, 1, nil)
		b.ReportAllocs()
		for b.Loop() {
			m.PredictBatch(dst, x)
		}
		b.ReportMetric(float64(n*n*d*k*count)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GMA/s")
	})
}

func BenchmarkGemm(b *testing.B) {
	const n = 64
	A, B, C := blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}, blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}, blas64.General{Rows: n, Cols: n, Stride: n, Data: make([]float64, n*n)}
	for i := range A.Data {
		A.Data[i], B.Data[i] = 1+float64(i%5), 1+float64(i%3)
	}
	b.Run("n=64", func(b *testing.B) {
		for b.Loop() {
			blas64.Gemm(blas.NoTrans, blas.NoTrans, 1, A, B, 0, C)
		}
		b.ReportMetric(float64(n*n*n)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GMA/s")
	})
}

// TestColumnAsH0: h₀ may be a column of a matrix.
func TestColumnAsH0(t *testing.T) {
	m := Random(3, 2, 2, 0.6, pcg(1))
	wide := mat.NewDense(3, 2, []float64{1, 9, 2, 9, 3, 9})
	column, plain := m.clone(), m.clone()
	column.H0 = wide.ColView(0).(*mat.VecDense)
	plain.H0 = mat.NewVecDense(3, []float64{1, 2, 3})
	x := inputs(3, 2, func(i int) int { return i })
	var a, b mat.Dense
	column.PredictBatch(&a, x)
	plain.PredictBatch(&b, x)
	if !mat.Equal(&a, &b) || !slices.Equal(column.Predict(nil, x[2]), plain.Predict(nil, x[2])) {
		t.Error("a column of a matrix as h₀ gives other outputs")
	}
	if ok, _, err := Equal(column, plain, 0); !ok || err != nil {
		t.Error("the models count as different", err)
	}
}

// TestOutgrownStates: along a run on which states outgrow float64 outputs are what they would be with
// larger exponents: infinite with the right sign while they are beyond, and right again afterwards. In plain
// arithmetic infinities meet zeros and each other, and all is NaN from there on.
func TestOutgrownStates(t *testing.T) {
	m := NewModel(2, 2, 2)
	m.H0.SetVec(0, 1)
	m.H0.SetVec(1, -1)
	m.A[0].Set(0, 0, 100) // the first input raises the states, the second lowers them
	m.A[0].Set(1, 1, 100)
	m.A[0].Set(1, 0, 0)
	m.A[1].Set(0, 0, 0.01)
	m.A[1].Set(1, 1, 0.01)
	m.Omega = mat.NewDense(2, 2, []float64{1, 0, 1, 1})
	x := mat.NewDense(600, 2, nil)
	for i := range 300 {
		x.Set(i, 0, 1)
		x.Set(300+i, 1, 1)
	}
	var y mat.Dense
	m.OutputsTo(&y, x)
	for i, want := range map[int]float64{0: 100, 152: 1e306, 155: math.Inf(1), 299: math.Inf(1), 400: math.Inf(1), 597: 1e4, 599: 1} {
		if got := y.At(i, 0); got != want && !(math.Abs(got-want) < 1e-12*want*float64(i+1)) {
			t.Errorf("after step %d: %g, want %g", i+1, got, want)
		}
		if got := y.At(i, 1); got != 0 {
			t.Errorf("after step %d states that cancel give %g", i+1, got)
		}
	}
	var batch mat.Dense
	m.PredictBatch(&batch, []*mat.Dense{mat.DenseCopyOf(x.Slice(0, 200, 0, 2)), x})
	if a, b := batch.At(0, 0), batch.At(1, 0); !math.IsInf(a, 1) || math.Abs(b-1) > 1e-9 {
		t.Errorf("together: %g and %g, want +Inf and 1", a, b)
	}
}
