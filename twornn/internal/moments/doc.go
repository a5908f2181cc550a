// Package moments makes of rows (x₁, …, x_l; y) the sums and factors by which least squares
// knows them: with X the rows x₁⊗⋯⊗x_l, the triangular factor of [X Y], or sums of products
// that tell it. It knows the data, and no model.
//
// Its files, each naming only what it or an earlier one declares:
//
//	running.go    running mean and spread of the outputs
//	sums.go       XᵀX, XᵀY and YᵀY in few numbers
//	sample.go     an example; stretches of inputs, and a sample of what is too long to measure
//	kept.go       examples as they came, for fits that run along them
//	spread.go     how many targets they hold, means and spreads of their columns
//	outliers.go   values far outside the others
//	breaks.go     places where outputs change level or size at once
//	longrun.go    their inputs joined to long runs
//	symbols.go    words of many symbols, kept as they are
//	frame.go      coordinates of the inputs in which products keep their digits
//	length.go     Length: all rows of one length, in parts
//	fold.go       how rows are folded into a factor or into sums
//	turn.go       rows and factors in other coordinates
//	whole.go      all rows, or those of some parts, as one system
//	pipeline.go   folding beside the reader
//	mapped.go     a Length in other coordinates
//	set.go        Set: a Length for each length of the data
//	whiten.go     coordinates in which the inputs have unit second moments
//	merge.go      shards join
//	collector.go  the pass over the data
//	binary.go     sets that travel
package moments
