// Package nb reads, runs and judges the notebooks of this repository.
//
// Jupyter does not see a Go program fail: for GoNB each run of a cell is a
// process of its own, and when that process panics or exits with 3, the cell
// still counts as "ok" and nbconvert ends with 0. The only trace is a line on
// the cell's stderr. So a notebook is run in two steps: [Jupyter.Execute] has
// Jupyter execute it from top to bottom, and [Scan] reads what came out.
//
// [Clean] brings an executed notebook into the form in which it is committed,
// and [Lint] says what keeps one from being committed.
package nb
