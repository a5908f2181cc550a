package twornn

// Candidate is one model that Fit weighed: its size, how well it fits, and what the
// choice went by.
type Candidate struct {
	L, Rank    int
	Start      string  // what the fit started from: "spectral", "truncation", "random", …
	MSE        float64 // on the training data, as Result.MSE
	Parameters int     // free ones: R(dR+p+1) − R²
	// Criterion is M log(SSE/M) + c k, M being the number of training outputs and k that of
	// free parameters; the least is chosen. Differences count, not its size.
	Criterion float64
	Growth    float64 // of outputs on inputs much longer than those trained on
	Chosen    bool
}
