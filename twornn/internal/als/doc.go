// Package als recovers tensor trains from rows by alternating least squares, and holds what
// trains make of rows.
//
// Its files, each naming only what it or an earlier one declares:
//
//	rows.go          rows as their factors, and what trains make of them
//	continuation.go  a train for words of l letters from one for l−1
//	start.go         where a descent begins
//	sweep.go         one core after the other
//	pair.go          two neighbouring cores at once, by which ranks change
//	run.go           a run, and what it keeps
//	grow.go          trains grown from rank 1
//	solve.go         the whole: continue or grow, then polish
package als
