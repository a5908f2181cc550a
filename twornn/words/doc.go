// Package words learns weighted automata from strings. On one-hot inputs a linear 2-RNN
// is a weighted automaton (Theorem 2 of the paper), so what is learnt here is a model of
// package twornn too.
//
//	sample, err := datasets.ReadPAutomaC(file)
//	a, err := words.Fit(ctx, sample, words.Options{})
//	a.LogProb([]int{0, 2, 1})
//
// # The likelihood of strings
//
// [Fit] learns a distribution. Where the words come from a machine of few states, its
// states are found by merging those of the tree of all prefixes; Baum and Welch's EM then
// refines them, and learns from random starts too. The automata are weighed by words
// held out, and their mixture, automata side by side, is an [Automaton] again.
package words
