package words_test

import (
	"context"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/words"
)

// Words in a file of the PAutomaC competition, and how probable others are: symbols 0 and 1 by
// turns. Words of one symbol twice are possible, but rare.
func ExampleFit() {
	file := "6 2\n" + strings.Repeat("2 0 1\n4 0 1 0 1\n6 0 1 0 1 0 1\n", 2)
	sample, err := datasets.ReadPAutomaC(strings.NewReader(file))
	if err != nil {
		log.Fatal(err)
	}
	a, err := words.Fit(context.Background(), sample, words.Options{States: 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(a.LogProb([]int{0, 1, 0, 1}) > math.Log(0.1), a.LogProb([]int{0, 0}) < math.Log(0.1))
	// Output: true true
}

// The sum modulo 3 from eight words of up to two symbols: exact on a word of 9,000.
func ExampleFitOutputs() {
	task := datasets.RunningSum(3)
	m, err := words.FitOutputs(context.Background(), func(yield func(twornn.Sequence) bool) {
		for _, w := range task.Cover() {
			if !yield(task.Example(w)) {
				return
			}
		}
	}, words.OutputsOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m)
	long := make([]int, 9000)
	for t := range long {
		long[t] = 1 + t%2 // 1 and 2 by turns: the sum is 0 in the end
	}
	fmt.Println(m.Predict(nil, datasets.OneHot(long, 3)))
	// Output:
	// deterministic, 3 states, 3 symbols, 3 outputs; from 8 words of up to 2 symbols, largest error 0
	// [1 0 0]
}

// An automaton of four states behind a black box, by questions.
func ExampleLearn() {
	target := twornn.Random(4, 2, 1, 0.5, rand.NewPCG(1, 1))
	l, err := words.Learn(context.Background(), words.UnitVectors(target, 2), 2, words.Against(target, 0), words.QueryOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(l)
	// Output: 4 states, 2 symbols, 1 output; 24 queries (n²d = 32), 4 equivalence queries, the oracle knows no difference
}

// A machine of one state: half the words end after each symbol.
func ExampleReadModel() {
	m, err := words.ReadModel(strings.NewReader("I: (state)\n(0) 1\nF: (state)\n(0) 0.5\nS: (state,symbol)\n(0,0) 1\nT: (state,symbol,state)\n(0,0,0) 1\n"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", math.Exp(m.LogProb([]int{0, 0, 0})))
	// Output: 0.0625
}
