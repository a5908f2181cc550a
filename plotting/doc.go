// Package plotting draws what the other packages compute, in one house style, and
// shows it: as a picture in a GoNB notebook, as text in a terminal.
//
// A figure is a function that returns (*plot.Plot, error), so that
//
//	plotting.Show(plotting.SingularValues(fit.SingularValues))
//
// reads in one line. Figures are shown as PNG, the one format that a notebook still
// shows when it is opened untrusted, as on a code host. A table comes as Markdown for
// the notebook with the same in aligned text for the terminal.
//
// Figures never hang or panic on account of their data: values that are not finite
// leave a gap that the legend counts, and values that no axis can hold are an error.
package plotting
