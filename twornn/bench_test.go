package twornn

import (
	"context"
	"fmt"
	"slices"
	"testing"
)

// randomTask is the data of the paper's first experiment: N sequences of each of the
// lengths 2, 4 and 5 from a 2-RNN with 5 states, 3 inputs and 2 outputs.
func randomTask(N int, noise float64) []Sequence {
	m := Random(5, 3, 2, 0.4, pcg(1))
	return slices.Collect(drawLengths(m, N, noise, 1, 2, 4, 5))
}

func BenchmarkCollect(b *testing.B) {
	for _, N := range []int{160, 20000} {
		data := randomTask(N, 0.1)
		b.Run(fmt.Sprintf("n=5/d=3/p=2/l=2,4,5/N=%d", N), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Collect(slices.Values(data)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkFit(b *testing.B) {
	for _, N := range []int{160, 640, 2560, 20000} {
		data := randomTask(N, 0.1)
		b.Run(fmt.Sprintf("n=5/d=3/p=2/L=2/N=%d", N), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Fit(context.Background(), slices.Values(data), Options{L: 2, Rank: 5}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
