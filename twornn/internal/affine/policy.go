package affine

// Policy holds what decides in a search.
type Policy struct {
	Parts      int // of the data, left out by turns
	Starts     int // random ones, for each number of states
	Subset     int // outputs times p on which starts are tried
	MostStates int
	MostTold   int     // states of a linear system that is told without a descent
	Parameters int     // free ones, at the most
	Rounds     int     // of the fit of the interactions' prior
	Iterations int     // of a round
	Tol        float64 // of the sum of squares, below which a step is not worth while
	Little     float64 // the gain on parts left out below which more states are not tried
	Clear      float64 // the gain on parts left out, most of which agree, that needs no likelihood beside it
	Slight     float64 // the gain on parts left out from which products are worth while in many runs, or in the outputs
	Sure       float64 // the same in standard errors, as the parts tell it
	Near       float64 // how much worse on parts left out is nearly as well
	Budget     float64 // operations of a search, about
	ManyBudget float64 // the same for many runs, of which each tells little
	ColdBudget float64 // up to which parts are left out of fits from nothing
	Memory     float64 // bytes that a search may take, about
}

// Default is what Fit takes. What speaks for the figures, by training rows alone:
//
//   - Starts: on one run of 1,024 steps, of eight random ones with three states five to six end at the best optimum.
//   - Rounds, Iterations: with 20 iterations a round in place of 30 a worse optimum was kept
//     on that run, at 1.18 times the squared error.
//   - Little, Near: a linear system of seven states is 3 % better on a Duffing oscillator than
//     one of two, and interactions with two to nine states are up to fifty times better.
//   - Clear: on simulated tanks a third state among products lowered the error on parts left out by
//     a quarter to two thirds in four of four draws, in three of them on most of the six parts; where
//     there were no products, some were taken in one of 200 draws.
//   - Slight: where the truth was linear, readouts gained 0.13 % at the most on parts left out of twenty
//     draws of windows, and one that gained on most of the parts did by 0.06 %.
//   - Sure: windows of two random walks gained 0.9 and 2.9 % by products on parts left out, 1.4 and 2.1
//     standard errors, and lost a third or more on later rows; those of wind gained 0.5 %, 3.3 standard
//     errors, or more.
//   - Budget and its kin bound time, in operations as pass counts them, not in seconds: a run
//     of 65,062 steps took some 150 s of one core, one of 1,024 steps 17 s.
func Default() Policy {
	return Policy{Parts: 6, Starts: 3, Subset: 4000, MostStates: 12, MostTold: 60, Parameters: 500,
		Rounds: 4, Iterations: 30, Tol: 1e-5, Little: 0.01, Clear: 0.25, Slight: 0.003, Sure: 3, Near: 0.1, Budget: 2e11, ManyBudget: 2e10, ColdBudget: 3e10, Memory: 4e9}
}
