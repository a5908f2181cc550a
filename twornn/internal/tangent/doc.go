// Package tangent recovers tensors of low rank from linear measurements: by gradient steps that
// are brought back to the rank, and by ones that go along the tangents of the tensors of that rank.
//
// Its files, each naming only what it or an earlier one declares:
//
//	run.go      Run: when a descent ends, and how it went
//	design.go   Design: what a descent sees of the measurements
//	descent.go  Descend: conjugate gradients along tangents, then Gauss-Newton
//	dense.go    Dense: XᵀX and XᵀY written out; the paper's fixed steps on them
//	batches.go  Batches: the paper's Algorithm 2 on rows held as their factors
package tangent
