// Package forecast turns a series into forecasts. A [Method] learns from training rows,
// a [Forecaster] says what is expected after any row of a record, and [Backtest] scores
// methods side by side on identical targets.
//
//	table, err := forecast.Backtest(ctx, s, s.Len()*4/5,
//		[]forecast.Method{forecast.TwoRNN{}, forecast.Ridge{}, forecast.Persistence{}},
//		forecast.Options{Targets: []string{"DUB"}, Horizons: []int{1, 3, 6}})
//
// [TwoRNN] is the recommended method; its zero value needs no choice. Beside it stand
// those that people use: persistence, a season ago, the mean, autoregressions, ridge
// regressions, ARIMA, exponential smoothing, a regression automaton, recurrent networks
// and the paper's own recipe on windows.
//
// Nothing leaks from the rows forecast: methods are given a view of the training rows
// alone, missing values are bridged by the values before them, and a forecaster reads
// rows up to the one it forecasts from, and the Known columns up to the one it
// forecasts. What a Known column lacks up to there is not bridged: such a forecast is left out,
// and told ([LeftOut]), and regressions do not learn from such rows if there are enough others.
// The place in a season is the number of the row modulo the season.
//
// Rows are steps. Where times are missing, rows without values are put in
// ([datasets.Series.Complete]), for learning, forecasts and scores alike: so a season keeps
// its place, and a horizon counts them. Not so where the gaps are nights or weekends
// ([datasets.Gaps]): there the next row is the next step. And where the times have no common
// step, or more than half of the rows are missing, the rows are taken as they follow each
// other. A row closer to the one before than a step, as where the rate of the record changed, is the
// next step all the same. [Fitted.String] and [Table.String] say what was done.
//
// # Files
//
// In this order no file names what a later one declares. To begin with, what a method is,
// and the simple ones:
//
//	numbers.go         means, ranges and the like
//	options.go         Options, Method, Forecaster
//	record.go          a series as methods read it
//	season.go          seasons found from the data
//	engine.go          from a rule on a record to a Forecaster
//	simple.go          Persistence, Seasonal, Mean
//	autoregression.go  AR, VAR
//	rivals.go          ARIMA, ETS, Automaton
//	windowed.go        Spectral, Network: models of windows
//
// How they are compared:
//
//	diebold.go         DieboldMariano
//	table.go           Row, Table
//	backtest.go        Backtest
//
// Regressions on features, one for each horizon:
//
//	warp.go            roots and logarithms, and back
//	feature.go         lags, smoothed columns, seasons, products
//	catalogue.go       which of them there are
//	design.go          rows of features in their units
//	anchor.go          what a regression explains the distance from
//	folds.go           rolling origins
//	sums.go            second moments, and ridge regressions from them
//	linear.go          a regression as learnt
//	path.go            state-space models carried along the record
//	cell.go            a target at a horizon, and its candidates
//	stage.go           what all regressions of a horizon share
//	family.go          sets of features with prior scales
//	members.go         the best member of each
//	ridge.go           Ridge
//
// The recommended forecaster:
//
//	contest.go         the race on rolling origins
//	weights.go         what each candidate weighs
//	exam.go            Exam, Lost: the last part of the training rows
//	band.go            errors held out, and their scale
//	mixture.go         the weighted sum, learnt from all training rows
//	share.go           what is left of it where it fails
//	level.go           the level of the intervals
//	warnings.go        Exact, Outliers: what the training rows can't tell
//	twornn.go          TwoRNN, Fitted
//	save.go            Save, Load
//	predictions.go     forecasts as a table with times and intervals, and as a file
//	wind.go            the paper's wind tables
package forecast
