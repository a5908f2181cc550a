package baseline

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// LSTM holds the choices of FitLSTM. The zero value is the network of the paper's
// Section 5: 20 units, trained by Adam with learning rate 0.001.
type LSTM struct {
	// Units is the number of LSTM cells, up to some thousands: it errs if the weights, with what trains
	// them, take more than 4 GB. Zero means 20.
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
