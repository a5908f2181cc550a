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
//	backprop.go     the loss of a network of any activation, for gradient descent
package lsq
