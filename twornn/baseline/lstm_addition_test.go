package baseline_test

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/baseline"
)

// addition yields the training data of the paper's second experiment, n sequences of
// each of the lengths.
func addition(n int, noise float64, seed uint64, lengths ...int) iter.Seq[twornn.Sequence] {
	src := rand.NewPCG(seed, 1)
	var parts []iter.Seq[twornn.Sequence]
	for _, l := range lengths {
		parts = append(parts, datasets.Addition(n, l, noise, src))
	}
	return func(yield func(twornn.Sequence) bool) {
		for _, part := range parts {
			for s := range part {
				if !yield(s) {
					return
				}
			}
		}
	}
}

// TestAddition: the network adds up six steps having seen up to five. Each step adds a
// variance of 2 to the target, 12 in all; to forget one step costs 2, so that an error
// below 1 means that all six are used.
func TestAddition(t *testing.T) {
	train, test := addition(100, 0.1, 1, 2, 4, 5), addition(500, 0, 2, 6)
	nw, st, err := baseline.FitLSTM(t.Context(), train, baseline.LSTM{LearningRate: 0.01, Epochs: 150}, nil)
	if err != nil {
		t.Fatal(err)
	}
	m := twornn.Evaluate(nw, test)
	t.Logf("%v, training residual %.3g", m, slices.Min(st.Residuals))
	if !(m.MSE < 1) {
		t.Errorf("test MSE %v on length 6", m.MSE)
	}
}

// TestAdditionEveryStep: from outputs after each of four steps the network learns those
// after two, which no training sequence ends with. Again 2 is what a step adds.
func TestAdditionEveryStep(t *testing.T) {
	every := func(yield func(twornn.Sequence) bool) {
		m := datasets.AdditionModel()
		for s := range addition(200, 0, 3, 4) {
			s.Y = new(mat.Dense)
			m.OutputsTo(s.Y, s.X)
			if !yield(s) {
				return
			}
		}
	}
	nw, _, err := baseline.FitLSTM(t.Context(), every, baseline.LSTM{LearningRate: 0.01, Epochs: 60}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if m := twornn.Evaluate(nw, addition(500, 0, 4, 2)); !(m.MSE < 1) {
		t.Errorf("test MSE %v on length 2", m.MSE)
	}
}

// The network learns to add up four steps, and then adds up five.
func ExampleFitLSTM() {
	train := datasets.Addition(300, 4, 0.1, rand.NewPCG(1, 1))
	test := datasets.Addition(500, 5, 0.1, rand.NewPCG(2, 1))

	o := baseline.LSTM{LearningRate: 0.01, Epochs: 100}
	nw, stats, err := baseline.FitLSTM(context.Background(), train, o, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	m := twornn.Evaluate(nw, test)
	fmt.Printf("%v after %d epochs, R² above 0.95: %t\n", stats.Status, stats.Iterations, m.R2 > 0.95)
	// Output: iteration limit after 100 epochs, R² above 0.95: true
}
