package baseline

import (
	"context"
	"errors"
	"iter"
	"math"

	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/internal/stop"
)

// FitLSTM trains a network of one layer of LSTM cells with a linear output layer on
// the squared error of the outputs that the data give: after every step, or after the
// last only. Sequences of all lengths share the mini-batches, without padding. A
// fraction of them is held out, and the weights that err least on those are returned.
//
// The weights start uniform with variance 1/(d+Units+1), the biases at 0 and those of
// the forget gates at 1. The gradient is exact, through all steps. An epoch costs
// O(Units (d+Units)) a step; the memory is that of all sequences, and of one
// mini-batch 8·Units numbers a step.
//
// rec is told of every epoch: Stage "train", and the Residual √(Σ(y−ŷ)²/Σy²) over the
// sequences held out. Its error, or a ctx that is done, stops the training within one
// mini-batch; the best weights so far are returned with the status Stopped and no
// error. Otherwise the status is Converged if the patience ran out, or IterationLimit.
// Stats.Unknowns is the number of weights.
//
// FitLSTM errs if the options are out of range or would take more than 4 GB, if ctx is done while the data are
// read, as twornn.Collect does where a sequence is unusable, and if the training
// diverges. The same source gives the same bits whatever GOMAXPROCS.
func FitLSTM(ctx context.Context, data iter.Seq[twornn.Sequence], o LSTM, rec twornn.Recorder) (*Network, twornn.Stats, error) {
	return fitNetwork(ctx, data, lstmCell, o, rec)
}

// fitNetwork is FitLSTM with any kind of cells.
func fitNetwork(ctx context.Context, data iter.Seq[twornn.Sequence], cells int, o LSTM, rec twornn.Recorder) (*Network, twornn.Stats, error) {
	type trained struct {
		nw *Network
		st twornn.Stats
	}
	r, err := stop.Within(ctx, func() (trained, error) {
		nw, st, err := train(ctx, data, cells, o, rec)
		return trained{nw, st}, err
	})
	return r.nw, r.st, err
}

func train(ctx context.Context, data iter.Seq[twornn.Sequence], cells int, o LSTM, rec twornn.Recorder) (*Network, twornn.Stats, error) {
	if err := o.check(); err != nil {
		return nil, twornn.Stats{}, err
	}
	o = o.filled()
	set, err := readExamples(ctx, data)
	if err != nil {
		return nil, twornn.Stats{}, err
	}
	if err := o.checkRoom(cells, set); err != nil {
		return nil, twornn.Stats{}, err
	}
	set.split(o.Validation)
	scale := identity(set.d, set.p)
	if !o.Raw {
		scale = set.standardise()
	}
	tr := newTrainer(set, o, cells)
	stats, err := tr.run(ctx, rec, scale.energy(set))
	stats.N, stats.Unknowns = len(set.all), float64(len(tr.theta))
	if err != nil {
		return nil, stats, err
	}
	copy(tr.theta, tr.best)
	scale.fold(tr.nw)
	for _, w := range tr.theta {
		if math.IsNaN(w) || math.IsInf(w, 0) {
			return nil, stats, errors.New("baseline: the weights overflow in the units of the data; scale the data to about 1")
		}
	}
	return tr.nw, stats, nil
}
