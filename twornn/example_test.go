package twornn_test

import (
	"context"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/tt"
)

// The paper's second experiment: the sum of the running differences of two numbers,
// with a bias, which a 2-RNN of two states computes.
func ExampleFit() {
	src := rand.NewPCG(1, 1)
	data := datasets.Join(
		datasets.Addition(300, 2, 0.01, src),
		datasets.Addition(300, 4, 0.01, src),
		datasets.Addition(300, 5, 0.01, src))
	fit, err := twornn.Fit(context.Background(), data, twornn.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("states:", fit.Rank, "length:", fit.L)
	x := mat.NewDense(3, 3, []float64{
		1, 0, 1,
		1, 5, 2,
		1, 1, 4,
	})
	fmt.Printf("1 - 3 + 3 = %.1f\n", fit.Predict(nil, x)[0])
	// Output:
	// states: 2 length: 2
	// 1 - 3 + 3 = 1.0
}

// Shards of the data, collected apart, join into one collection.
func ExampleCollect() {
	m := datasets.AdditionModel()
	all, err := twornn.Collect(datasets.FromModel(m, 100, 3, 0, rand.NewPCG(1, 1)))
	if err != nil {
		log.Fatal(err)
	}
	more, err := twornn.Collect(datasets.FromModel(m, 50, 3, 0, rand.NewPCG(2, 2)))
	if err != nil {
		log.Fatal(err)
	}
	if err := all.Merge(more); err != nil {
		log.Fatal(err)
	}
	for _, l := range all.Lengths() {
		fmt.Printf("H(%d): %d measurements of %.0f unknowns\n", l, all[l].N(), all[l].Unknowns())
	}
	// Output:
	// H(3): 150 measurements of 27 unknowns
}

// Theorem 3: a model is recovered from its Hankel tensors.
func ExampleSpectral() {
	m := datasets.AdditionModel()
	h := map[int]*tt.Tensor{2: m.Hankel(2), 4: m.Hankel(4), 5: m.Hankel(5)}
	got, values, err := twornn.Spectral(h, 2, 2, twornn.EqualLength)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("singular values %.2f\n", values[:2])
	x := mat.NewDense(2, 3, []float64{1, 2, 3, 1, 0, 5})
	fmt.Printf("%.4f and %.4f\n", m.Predict(nil, x)[0], got.Predict(nil, x)[0])
	// Output:
	// singular values [2.00 2.00]
	// 6.0000 and 6.0000
}

// A model is evaluated on the last output of every sequence.
func ExampleEvaluate() {
	m := datasets.AdditionModel()
	test := datasets.FromModel(m, 1000, 6, 0.5, rand.NewPCG(3, 3))
	e := twornn.Evaluate(m, test)
	fmt.Printf("%d sequences, RMSE %.1f\n", e.N, e.RMSE)
	// Output:
	// 1000 sequences, RMSE 0.5
}

func ExampleModel_Save() {
	dir, err := os.MkdirTemp("", "model")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "addition.json")
	if err := datasets.AdditionModel().Save(path); err != nil {
		log.Fatal(err)
	}
	m, err := twornn.Load(path)
	if err != nil {
		log.Fatal(err)
	}
	n, d, p := m.Dims()
	fmt.Println(n, "states,", d, "inputs,", p, "output")
	// Output:
	// 2 states, 3 inputs, 1 output
}
