package forecast

import (
	"context"

	"github.com/twornn/spectral/datasets"
)

// WindHorizons are those of the paper's wind tables (Tables 1 to 3).
var WindHorizons = []int{1, 3, 6}

// WindMethods are the columns of the paper's wind tables and, last, the recommended
// forecaster: TIHT, TIHT+SGD, a regression automaton, ARIMA, an RNN, persistence.
func WindMethods() []Method {
	return []Method{Spectral{}, Spectral{Refine: true}, Automaton{}, ARIMA{}, Network{}, Persistence{}, TwoRNN{}}
}

// WindTables are the paper's wind tables for a series: RMSE, MAPE and MAE of all
// methods, 1, 3 and 6 rows ahead, for one column of s, learnt from the rows before from
// and scored on the rest. It errs as Backtest does.
func WindTables(ctx context.Context, s *datasets.Series, column string, from int) (*Table, error) {
	if s == nil {
		return nil, errNoSeries
	}
	one, err := s.Select(column)
	if err != nil {
		return nil, err
	}
	return Backtest(ctx, one, from, WindMethods(), Options{Horizons: WindHorizons})
}
