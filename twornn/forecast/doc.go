// Package forecast turns a series into forecasts. A [Method] learns from training rows,
// a [Forecaster] says what is expected after any row of a record, and [Backtest] scores
// methods side by side on identical targets.
//
//	table, err := forecast.Backtest(ctx, s, s.Len()*4/5,
//		[]forecast.Method{forecast.TwoRNN{}, forecast.Ridge{}, forecast.Persistence{}},
//		forecast.Options{Targets: []string{"DUB"}, Horizons: []int{1, 3, 6}})
//
// Nothing leaks from the rows forecast: methods are given a view of the training rows
// alone, missing values are bridged by the values before them, and a forecaster reads
// rows up to the one it forecasts from, and the Known columns up to the one it
// forecasts. Rows are taken as evenly spaced, and the place in a season is the number of
// the row modulo the season.
package forecast
