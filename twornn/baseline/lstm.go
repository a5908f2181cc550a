package baseline

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"

	"github.com/twornn/spectral/twornn"
)

// LSTM holds the choices of FitLSTM. The zero value is the network of the paper's
// Section 5: 20 units, trained by Adam with learning rate 0.001.
type LSTM struct {
	// Units is the number of LSTM cells. Zero means 20.
	Units int
	// LearningRate is that of Adam, with β₁ 0.9, β₂ 0.999 and ε 1e-8. Zero means 0.001.
	LearningRate float64
	// Batch is the number of sequences of a mini-batch. Zero means 100.
	Batch int
	// Epochs is a hard limit of passes over the training sequences. Zero means 1000.
	Epochs int
	// Patience ends the training after that many epochs without a smaller validation
	// error. Zero means 200.
	Patience int
	// Validation is the fraction of the sequences of each length, the last ones, that
	// is held out. Zero means 0.2. Negative means none: the training error decides.
	Validation float64
	// Raw trains on the numbers as they are. False means standardised: each input to
	// mean 0 and variance 1, constant inputs (a bias) to ±1; the outputs by their means
	// and one common scale, so that the squared error stays the one asked for.
	Raw bool
	// Src draws the first weights and shuffles. Nil means a fixed seed.
	Src rand.Source
}

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
// FitLSTM errs if the options are out of range, if ctx is done while the data are
// read, as twornn.Collect does where a sequence is unusable, and if the training
// diverges. The same source gives the same bits whatever GOMAXPROCS.
func FitLSTM(ctx context.Context, data iter.Seq[twornn.Sequence], o LSTM, rec twornn.Recorder) (*Network, twornn.Stats, error) {
	return fitNetwork(ctx, data, lstmCell, o, rec)
}

// fitNetwork is FitLSTM with any kind of cells.
func fitNetwork(ctx context.Context, data iter.Seq[twornn.Sequence], cells int, o LSTM, rec twornn.Recorder) (*Network, twornn.Stats, error) {
	if err := o.check(); err != nil {
		return nil, twornn.Stats{}, err
	}
	o = o.filled()
	set, err := readExamples(ctx, data)
	if err != nil {
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

func (o LSTM) check() error {
	if o.Units < 0 || o.Batch < 0 || o.Epochs < 0 || o.Patience < 0 {
		return fmt.Errorf("baseline: Units %d, Batch %d, Epochs %d, Patience %d: none may be negative; zero means the default",
			o.Units, o.Batch, o.Epochs, o.Patience)
	}
	if !(o.LearningRate >= 0) || math.IsInf(o.LearningRate, 1) {
		return fmt.Errorf("baseline: LearningRate %v is no positive number; zero means the default", o.LearningRate)
	}
	if !(o.Validation < 1) {
		return fmt.Errorf("baseline: Validation %v holds out all sequences; give a fraction below 1", o.Validation)
	}
	return nil
}

// filled returns o with the defaults in place of zeros.
func (o LSTM) filled() LSTM {
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	def(&o.Units, 20)
	def(&o.Batch, 100)
	def(&o.Epochs, 1000)
	def(&o.Patience, 200)
	if o.LearningRate == 0 {
		o.LearningRate = 0.001
	}
	if o.Validation == 0 {
		o.Validation = 0.2
	}
	if o.Src == nil {
		o.Src = rand.NewPCG(20, 1)
	}
	return o
}
