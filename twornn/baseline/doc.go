// Package baseline holds what a 2-RNN is compared with.
//
// On the same sequences: the training mean, persistence and a vector autoregression
// (baseline.go), an LSTM (lstm_options.go, lstm_cell.go, lstm_data.go, lstm_batch.go,
// lstm_train.go, lstm.go) and a plain RNN (rnn.go). Each is a twornn.Predictor, so that
// twornn.Evaluate scores it on exactly the targets that the model is scored on.
//
// On a record of several columns: an autoregression whose order is chosen
// (autoregression.go).
//
// On a record of one column: seasonal ARIMA (bfgs.go, arima_poly.go,
// arima_likelihood.go, arima.go, arima_filter.go, arima_fit.go, arima_choose.go),
// exponential smoothing (ets.go, ets_filter.go, ets_loss.go, ets_fit.go) and a
// regression automaton (automaton.go, automaton_filter.go, automaton_sums.go,
// automaton_learn.go, automaton_again.go, automaton_fit.go). Each is a Univariate:
// its Filter goes along the record once and forecasts after every row (filter.go).
//
// Read in this order, no file uses a name before the file that has it.
package baseline
