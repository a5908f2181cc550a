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
// Nothing is sorted, merged, filled or dropped without being asked. What is plain in a
// file is read and said: times in several columns or as numbers, 24:00, comments. What
// could be read in two ways is refused, with the setting that reads it: a [CellError]
// says where it is and what to do. A missing value is NaN inside a Series, is counted in
// [Series.Missing], and never gets into a window; no window bridges a gap in time, and
// [Series.CountWindows] says how many are lost to either. [Series.Runs] takes whole stretches.
// [Series.String] is to be read before anything else: it warns of columns that can hardly
// be variables, of values that may be markers, and of losses of more than a tenth;
// [Series.Notes] has the same for programs.
//
// A series knows its step, the most common distance of its times. [Series.Gaps] says how
// many rows are missing and where, whether they are nights or weekends, and whether the
// times have a step at all; [Series.Complete] puts the missing rows in, without values.
//
// A file that stacks several series is read by [ReadGroups], the raw files of the
// paper's wind stations by [ReadTUDelft], and [Fetch] brings a file from the web.
//
// In the terms of the paper, a window is one example ((x_1, …, x_k), (y_1, …, y_k))
// with x_t a row of the series, preceded by a 1 if Window.Bias is set, and y_t the
// targets Window.Horizon rows later. [FromModel] and [Addition] draw the data sets
// D_l of its experiments.
//
// The files, each needing only those before it: errors, small (helpers); kinds, names,
// layouts, cell, points, numbertime, clock (how cells are written); note, series, step, gaps,
// notes, summary (the table of numbers); scaler, windows, runs, latest (what models learn
// from); frame, framecolumns; options, record, table, headerlines, header, looks, parts,
// findtimes, roles, exact, rows, csv (CSV files); tudelftreport, tudelft, tudelftlines,
// readtudelft (stations); fetch; irishwind; synthetic; words, words_pautomac, words_text,
// tracking_groups, tracking (strings of symbols).
package datasets
