// Package datasets brings data to package twornn: from a CSV file or a data frame
// to a [Series], from a Series to windows, and from a model to synthetic examples.
//
// The usual way is
//
//	s, err := datasets.ReadCSV("wind.csv", datasets.CSV{})
//	train, test := s.Split(0.8)
//	scaler := datasets.FitScaler(train)
//	w := datasets.Window{Length: 5, Bias: true, Scaler: scaler}
//	fit, err := twornn.Fit(ctx, train.Windows(w), twornn.Options{})
//	model, err := w.Unscale(fit.Model)
//
// Nothing is sorted, merged, filled or dropped without being asked. A cell that is
// not what it should be is a [CellError], which says where it is and what to do. A
// missing value is NaN inside a Series, is counted in [Series.Missing], and never
// gets into a window; no window bridges a gap in time, and [Series.CountWindows]
// says how many are lost to either.
//
// In the terms of the paper, a window is one example ((x_1, …, x_k), (y_1, …, y_k))
// with x_t a row of the series, preceded by a 1 if Window.Bias is set, and y_t the
// targets Window.Horizon rows later. [FromModel] and [Addition] draw the data sets
// D_l of its experiments.
package datasets
