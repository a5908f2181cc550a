// Package rivals compares a fit with the zero function, the mean of the outputs, a regression on the last few inputs,
// and persistence, on parts of the data left out by turns.
//
// Its files, each naming only what it or an earlier one declares:
//
//	rivals.go  targets of the data, regressions, persistence
//	trial.go   Trial: errors on the parts left out, of rivals and of a model
package rivals
