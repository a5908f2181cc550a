// Package affine fits systems that are linear but for products of state and input,
//
//	s_t = F s_{t−1} + B u_t + b + Σ_i (u_t)_i N_i s_{t−1}   y_t = C s_t + c,
//
// to runs of any length. They are the 2-RNNs with a constant input that keep a constant
// state, h_t = (1, s_t), and every 2-RNN with a constant input and one state less is
// among them. Without the interactions N_i they are the linear systems.
//
// Starts come from words of bounded order, so that no Hankel matrix has dˡ columns. Those with one symbol other
// than the constant have the values C Fʲ B, responses hundreds of steps long, which tell a linear system by
// Theorem 3 of the paper. Those with two, C Fʲ N_i Fᵏ B, are linear in the interactions once F, B and C are known:
// the first Gauss-Newton step from N = 0 is their least squares fit, in the n²(d − 1) unknowns that they
// depend on in place of all pairs of lags. States that products alone reach come from random starts.
//
// Inputs come with the constant first and the others with zero mean and unit second
// moments, outputs with zero mean and unit variance: priors then mean the same for all data.
//
// Its files, each naming only what it or an earlier one declares:
//
//	gram.go      sums of rows
//	data.go      runs, parts of them, some of them
//	system.go    System, its normal form
//	compress.go  many runs as few, for linear systems
//	start.go     systems to start from: those that the responses tell, larger ones, random ones
//	refine.go    descent from a start, and the prior of the interactions by evidence
//	readout.go   products in the outputs of a linear system, by ridge regression
//	validate.go  how systems compare
//	tell.go      linear systems of many states, as responses tell them
//	policy.go    what decides in a search
//	path.go      the way up through numbers of states on some data, each from those before
//	search.go    Fit: which system
package affine
