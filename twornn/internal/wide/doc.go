// Package wide fits a linear 2-RNN to sequences of many inputs, where d^l numbers a length
// are too many: nothing here costs more than some n²d operations a step.
//
// Inputs have E xxᵀ = I. Its files, each naming only what it or an earlier one declares:
//
//	stack.go     sequences one below the other; derivatives of all outputs along a
//	             direction, and against errors, by two products of matrices each
//	newton.go    Gauss-Newton without JᵀJ: conjugate gradients on JᵀJ v
//	start.go     Theorem 3 at L = 1 from H⁽¹⁾, H⁽²⁾ and a part of H⁽³⁾
//	search.go    how many states
package wide
