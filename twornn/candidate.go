package twornn

// Candidate is one model that Fit weighed: its size, how well it fits, and what the
// choice went by.
type Candidate struct {
	L, Rank    int
	Start      string  // what it came from: "spectral", "truncation" (of a larger one), "random", "damping"
	MSE        float64 // on the training data, as Result.MSE
	Parameters int     // free ones: R(dR+p+1) − R²
	// Criterion is M log(SSE/M), M being the number of training outputs, plus what its k
	// parameters cost; the least is chosen. Differences count, not its size. The cost is
	// k log M (BIC), or where a rank was asked for, which spare states alone shall lower,
	// 2.2 k + 20 R.
	Criterion float64
	// Growth is the largest root mean square of an output on inputs much longer than those
	// trained on, over that of the training outputs: after 200 independent inputs with the
	// training inputs' second moments, exactly, or along a stretch of training inputs. 1 is
	// as large as in training.
	Growth float64
	Chosen bool
}
