// Package words learns weighted automata from strings. On one-hot inputs a linear 2-RNN is
// a weighted automaton (Theorem 2 of the paper), so what is learnt here is a model of
// package twornn too: Automaton.WFA and Automaton.Model, Machine.Model, Learnt.Model.
//
//	sample, err := datasets.ReadPAutomaC(file)
//	a, err := words.Fit(ctx, sample, words.Options{})
//	a.LogProb([]int{0, 2, 1})
//
// There are four ways to learn, by what is known:
//
//	Fit         words drawn from a distribution: the likelihood of strings
//	Spectral    the same, from the singular vectors of a sparse Hankel block
//	FitOutputs  words with outputs after their symbols, such as the states of a machine
//	Learn       a black box that answers what its outputs on a word are
//
// # The likelihood of strings
//
// Where the words come from a machine of few states, its states are found by merging those
// of the tree of all prefixes; Baum and Welch's EM refines them, and learns from spectral and
// random starts too. The automata are weighed by words held out, and their mixture, automata side
// by side, is an [Automaton] again. Sums over the words run along the tree of prefixes,
// so that a beginning that many words share is gone through once.
//
// # Exactness
//
// On one-hot inputs everything falls apart by symbol. With the outputs after each prefix as
// rows, the matrix of a symbol solves a least-squares problem of its own, whatever the number of
// symbols and the length of the words; nothing of size d^l is ever written out.
//
// # Files
//
// In the order in which one may read them, each using those before it alone:
//
//	arith.go         sums, and two goroutines that keep their order
//	sample.go        what a sample has to be
//	pfa.go           probabilistic automata, their words and values
//	trie.go          words by their common prefixes
//	expect.go        expected counts of a sample (EM)
//	merge.go         merging the states of the prefix tree
//	automaton.go     Automaton: a mixture, as one gets it
//	perplexity.go    scores, samples
//	ngram.go         n-grams, to compare with
//	options.go       the choices of Fit
//	holdout.go       words held out
//	hankel.go        sparse Hankel blocks and their SVD
//	embed.go         vectors for the symbols of large alphabets, and which lie together
//	spectralstart.go a start for EM from singular vectors
//	room.go          how much memory a fit may take
//	candidates.go    automata by merging and by EM
//	weigh.go         their shares
//	fit.go           Fit
//	conditional.go   the distribution that values of either sign tell
//	spectral.go      Spectral
//	observations.go  words with outputs
//	machine.go       Machine: what FitOutputs gives
//	outputs.go       FitOutputs
//	oracles.go       black boxes, and oracles that know where a model is wrong
//	queries.go       Learn: queries and counterexamples
//	hmm.go           hidden Markov models
//	modelfile.go     PAutomaC's files of machines
//	dot.go           Graphviz
//	att.go           OpenFst
//	npz.go           NumPy
//	save.go          Save and Load of an Automaton
package words
