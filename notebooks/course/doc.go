// Package course holds what the notebooks share and what is no part of their argument:
// words as strings, medians as curves, runs of experiments with a bar, work side by side.
// A notebook that uses a function of it says in its text what it does.
//
// It is for notebooks: it prints and shows. Programs do without it.
package course
