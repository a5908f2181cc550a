package experiment_test

import (
	"context"
	"fmt"

	"github.com/twornn/spectral/twornn/experiment"
)

func ExampleRun() {
	rows, err := experiment.Run(context.Background(), experiment.Grid{
		Tasks:   []experiment.Task{experiment.Addition()},
		Methods: []experiment.Method{experiment.LeastSquares(), experiment.TIHT()},
		Noises:  []float64{0.1},
		Sizes:   []int{160, 640},
		Seeds:   experiment.Seeds(3),
	}, experiment.RunOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range experiment.Medians(rows) {
		fmt.Printf("%-12s N = %d: %.0e\n", m.Method, m.N, m.MSE)
	}
	// Output:
	// LeastSquares N = 160: 3e+00
	// LeastSquares N = 640: 9e-03
	// TIHT         N = 160: 2e-02
	// TIHT         N = 640: 8e-03
}
