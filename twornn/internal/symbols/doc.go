// Package symbols learns weighted automata with outputs from words, exactly where the outputs
// are without noise: on one-hot inputs a linear 2-RNN falls apart by symbol, so that
// the matrix of each is a least-squares problem of its own, whatever the number of symbols.
//
// Its files, each naming only what it or an earlier one declares:
//
//	model.go     (h₀, A, Ω), and what was learnt with it
//	span.go      a basis that grows
//	tree.go      words with outputs, by their common prefixes
//	distinct.go  rows that differ
//	futures.go   what follows each prefix, its coordinates, and a matrix for each symbol
//	start.go     the state before any symbol
//	rounding.go  deterministic machines, made exact
//	learn.go     Learn
package symbols
