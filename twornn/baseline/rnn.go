package baseline

import (
	"context"
	"iter"

	"github.com/twornn/spectral/twornn"
)

// RNN holds the choices of FitRNN: those of an LSTM, with the same defaults.
type RNN LSTM

// FitRNN trains a network of one layer of plain tanh cells (Elman 1990) with a linear
// output layer. It differs from FitLSTM in the cell alone, which has a quarter of the
// weights: data, mini-batches, Adam, early stopping, what rec is told and the errors are
// the same. A plain cell forgets: the error fades within some ten steps.
func FitRNN(ctx context.Context, data iter.Seq[twornn.Sequence], o RNN, rec twornn.Recorder) (*Network, twornn.Stats, error) {
	return fitNetwork(ctx, data, plainCell, LSTM(o), rec)
}
