// Package experiment runs the paper's experiments (Section 5): tasks × methods × noises
// × sizes × seeds, each combination a Row.
//
//	rows, err := experiment.Run(ctx, experiment.Grid{
//		Tasks:   []experiment.Task{experiment.Addition()},
//		Methods: []experiment.Method{experiment.LeastSquares(), experiment.TIHT()},
//		Noises:  []float64{0.1},
//		Sizes:   []int{320, 640},
//		Seeds:   experiment.Seeds(10),
//	}, experiment.RunOptions{Cache: "addition.jsonl"})
//	medians := experiment.Medians(rows)
//
// # The paper's experiments
//
// The first learns a random 2-RNN with n = 5, d = 3 and p = 2 (Random), the second the
// sum of the running differences of two inputs (Addition). N sequences of each of the
// lengths L, 2L and 2L+1, L = 2, are learnt from, with inputs N(0, I) and noise on the
// outputs; the score is the mean squared error on 1,000 sequences of length 6. Noise is
// a standard deviation.
//
// Where the paper and its authors' code disagree, the defaults follow the paper:
//
//	                 paper, default here        authors' code, offered here
//	target           entries of variance 0.2    deviation 0.2, h₀ rescaled: RandomCode
//	noise            one draw an output         one draw a sequence: Task.Shared
//	test targets     noisy                      noisy: Task.NoisyTest
//
// except for the test targets, which are without noise unless asked for: noise hides
// every error below its own variance.
//
// All methods are subject to the paper's guard: a fit with a larger training error than
// the zero function is replaced by the zero function, and its row says Fallback.
//
// # Determinism
//
// The data and the fit are functions of the task, the noise, N, the seed and the rank
// alone, whatever else is run, in which order and on how many cores. Only Row.Seconds
// comes from the clock. At different noises the inputs are the same; at different N the
// sequences are all new.
package experiment
