package twornn

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The benchmarks of "make bench"; BENCHMARKS.md has what they gave and how to compare two
// commits. Data are of the paper's first experiment unless the name says otherwise: a
// 2-RNN with n = 5 states, d = 3 inputs, p = 2 outputs, N sequences of each of the lengths
// 2, 4 and 5, noise 0.1. d^l is 9, 81 and 243.

var benchLengths = []int{2, 4, 5}

func benchData(N int) []Sequence {
	return slices.Collect(drawLengths(Random(5, 3, 2, 0.4, pcg(1)), N, 0.1, 1, benchLengths...))
}

// repeated yields n sequences, the given ones over and over.
func repeated(data []Sequence, n int) iter.Seq[Sequence] {
	return func(yield func(Sequence) bool) {
		for i := range n {
			if !yield(data[i%len(data)]) {
				return
			}
		}
	}
}

func size(N int) string { return fmt.Sprintf("n=5/d=3/p=2/l=2,4,5/N=%d", N) }

// ok ends the benchmark on an error.
func ok[T any](b *testing.B) func(T, error) T {
	return func(v T, err error) T {
		if err != nil {
			b.Helper()
			b.Fatal(err)
		}
		return v
	}
}

func BenchmarkCollect(b *testing.B) {
	for _, N := range []int{160, 2560, 20000} {
		data := benchData(N)
		b.Run(size(N), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ok[Collection](b)(Collect(slices.Values(data)))
			}
		})
	}
	// A million of each length, from a source that costs nothing and needs no memory.
	data := benchData(20000)
	b.Run(size(1000000), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ok[Collection](b)(Collect(repeated(data, 3000000)))
		}
	})
}

// BenchmarkFitCollection is what a fit takes after the pass over the data: it does not
// depend on N.
func BenchmarkFitCollection(b *testing.B) {
	for _, N := range []int{10000, 1000000} {
		m := Random(5, 3, 2, 0.4, pcg(1))
		// Drawn one by one, as each must have its own noise.
		c := ok[Collection](b)(Collect(drawLengths(m, N, 0.1, 1, benchLengths...)))
		b.Run(size(N), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ok[*Result](b)(FitCollection(context.Background(), c, Options{L: 2, Rank: 5}))
			}
		})
	}
}

// BenchmarkFit is the whole of it, from sequences to a model, by each route.
func BenchmarkFit(b *testing.B) {
	for _, f := range []struct {
		name string
		Recovery
		sizes []int
	}{
		{"default", nil, []int{160, 640, 2560, 20000}},
		{"LeastSquares", LeastSquares{}, []int{160, 2560, 20000}},
		{"NuclearNorm", NuclearNorm{}, []int{160, 640}},
		{"IHT", IHT{}, []int{160, 640, 2560, 20000}},
		{"TIHT", TIHT{}, []int{160, 320, 640, 1280, 2560, 5000, 20000}},
	} {
		for _, N := range f.sizes {
			data := benchData(N)
			b.Run(f.name+"/"+size(N), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					ok[*Result](b)(Fit(context.Background(), slices.Values(data), Options{L: 2, Rank: 5, Recovery: f.Recovery}))
				}
			})
		}
	}
	data := benchData(2560)
	b.Run("nothing given/"+size(2560), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			ok[*Result](b)(Fit(context.Background(), slices.Values(data), Options{}))
		}
	})
}

// BenchmarkFitLong is a fit along one run of a bilinear system with a constant input.
func BenchmarkFitLong(b *testing.B) {
	for _, steps := range []int{500, 2000} {
		data := slices.Collect(bilinearRun(steps, 0.05))
		b.Run(fmt.Sprintf("steps=%d", steps), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ok[*Result](b)(Fit(context.Background(), slices.Values(data), Options{}))
			}
		})
	}
}

// bilinearRun yields one run of a system of two states with a product, and noise.
func bilinearRun(steps int, noise float64) iter.Seq[Sequence] {
	m := NewModel(3, 2, 1)
	m.H0.SetVec(0, 1)
	for i, a := range [][]float64{{1, 0, 0, 0, 0.8, 0.1, 0, -0.1, 0.7}, {0, 0.5, 0.2, 0, 0.1, 0.1, 0, 0, 0.1}} {
		m.A[i].Copy(mat.NewDense(3, 3, a))
	}
	m.Omega.SetRow(0, []float64{0.2, 1, -0.5})
	return func(yield func(Sequence) bool) {
		for s := range draw(m, 1, steps, 0, true, 3) {
			for t := range steps {
				s.X.Set(t, 0, 1)
			}
			m.OutputsTo(s.Y, s.X)
			rnd := rand.New(pcg(4))
			for t := range steps {
				s.Y.Set(t, 0, s.Y.At(t, 0)+noise*rnd.NormFloat64())
			}
			yield(s)
		}
	}
}

// BenchmarkFitWide is a fit of many inputs: no table of d^l numbers is to be had.
func BenchmarkFitWide(b *testing.B) {
	for _, c := range []struct{ d, N int }{{20, 2000}, {40, 5000}} {
		data := slices.Collect(draw(manyInputs(3, c.d, 2, 3), c.N, 3, 0.1, true, 1))
		b.Run(fmt.Sprintf("n=3/d=%d/p=2/steps=3/N=%d", c.d, c.N), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				ok[*Result](b)(Fit(context.Background(), slices.Values(data), Options{}))
			}
		})
	}
}

// BenchmarkRecover is one recovery in tensor-train format: d^l = 10⁴, without noise.
func BenchmarkRecover(b *testing.B) {
	const n, d, l, N = 3, 100, 2, 2000
	m := Random(n, d, 1, 1./(n*d), pcg(1))
	c := ok[Collection](b)(CollectRows(drawLengths(m, N, 0, 1, l)))
	b.Run(fmt.Sprintf("TTIHT/n=%d/d=%d/p=1/l=%d/N=%d", n, d, l, N), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, st, err := (TTIHT{}).Recover(context.Background(), c[l], n, nil)
			if err != nil || st.Status != Converged {
				b.Fatal(st, err)
			}
		}
	})
}

func BenchmarkSpectral(b *testing.B) {
	m := Random(5, 3, 2, 0.4, pcg(1))
	for _, L := range []int{2, 50} {
		h := exact(m, L, 2*L, 2*L+1)
		b.Run(fmt.Sprintf("n=5/d=3/p=2/L=%d", L), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := Spectral(h, L, 5, EqualLength); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkRefine(b *testing.B) {
	data := benchData(2560)
	start := ok[*Result](b)(Fit(context.Background(), slices.Values(data), Options{L: 2, Rank: 5, Recovery: LeastSquares{}})).Model
	b.Run("LevenbergMarquardt/"+size(2560), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := (LevenbergMarquardt{}).Refine(context.Background(), start, slices.Values(data), nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Adam, 10 epochs/"+size(2560), func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := (Adam{Epochs: 10}).Refine(context.Background(), start, slices.Values(data), nil); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkPredict(b *testing.B) {
	m := Random(5, 3, 2, 0.4, pcg(1))
	x := mat.NewDense(6, 3, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 8, 7, 6, 5, 4, 3, 2, 1})
	y := make([]float64, 2)
	b.Run("n=5/d=3/p=2/steps=6", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			m.Predict(y, x)
		}
	})
}
