// Package lsq fits the parameters θ of a linear 2-RNN by least squares: residuals, their exact
// derivatives, and the descent.
//
// Its files, each naming only what it or an earlier one declares:
//
//	params.go       (h₀, A, Ω) as one vector
//	descent.go      Levenberg-Marquardt on any Problem
//	balance.go      the basis in which states are ordered by what they carry
//	block.go        what all kinds of equations share
//	factorblock.go  a length in compressed form: residuals of the factor of [X Y]
//	rowblock.go     rows as they came
//	equations.go    Equations, a Problem: all that the data say of θ
//	bound.go        what no model of so few states comes below
//	prior.go        Gaussian priors on the parameters of a Problem
//	pattern.go      which parameters are free; a system with a constant state
//	runs.go         Runs: a model along runs of any length
//	runsown.go      starts of their own for runs
//	runner.go       a model along one run after the other
//	runswalk.go     the derivatives of the state along a run
//	runssum.go      Runs as a Problem: sums over all outputs, or over those of each part
//	backprop.go     the loss of a network of any activation, for gradient descent
package lsq
