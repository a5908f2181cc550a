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
