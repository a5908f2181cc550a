package twornn

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
)

// Options are the choices of Fit. The zero value leaves them all to Fit.
type Options struct {
	// L is the length of prefixes and suffixes. Zero: chosen with the rank among
	// those that the data's lengths allow.
	L int
	// Rank is the number of states, at the most: fewer are taken, with a warning, where the others would
	// fit noise. Zero: the one of least BIC, or along runs that which does best on parts of the data left out.
	Rank int
	// Basis is the words that index the Hankel block. Zero: Auto.
	Basis Basis
	// Recovery asks for the paper's Algorithm 1 with this estimate of the Hankel tensors,
	// and no more. Nil: the recommended fit, maximum likelihood, see FitCollection.
	Recovery Recovery
	// MaxGrowth bounds by how much the outputs may grow when the model is run on inputs
	// much longer than those trained on, as Candidate.Growth says. A model beyond it gives
	// way to another that was tried, or is damped; a warning says so. It acts
	// on the recommended fit, which errs where no damping is enough. Zero: no bound, but a warning beyond 30.
	MaxGrowth float64
	// OwnStarts gives each run a start of its own: its states at the beginning are estimated from
	// its outputs, as Result.WithStart does for a new run, and Model.H0 is their mean. The model
	// is then that of what happens along the runs, wherever they begin. It takes a constant
	// input and whole runs, not overlapping windows.
	OwnStarts bool
	// Memory is how many bytes a fit may take, about. What would take more is an error that says how
	// much, before it is allocated. What is left open, such as the rank, is chosen among what has room. Zero: 4 GB.
	Memory int64
	// Recorder is told of progress. Nil: silent.
	Recorder Recorder
	// Src draws the random starts of the recommended fit. Nil: a fixed seed.
	Src rand.Source
}

// maxLength bounds L: words of 2L+1 symbols.
const maxLength = 1000

func (o Options) check() error {
	if o.L < 0 || o.Rank < 0 {
		return fmt.Errorf("twornn: L = %d and rank %d: neither may be negative; zero means chosen from the data", o.L, o.Rank)
	}
	if o.Rank > 10_000 {
		return fmt.Errorf("twornn: rank %d asked for: at most 10000 is possible", o.Rank)
	}
	if o.L > maxLength {
		return fmt.Errorf("twornn: L = %d: at most %d is possible", o.L, maxLength)
	}
	if !(o.MaxGrowth >= 0) {
		return fmt.Errorf("twornn: MaxGrowth %g: it may not be negative; zero means no bound", o.MaxGrowth)
	}
	if o.OwnStarts && o.Recovery != nil {
		return errors.New("twornn: OwnStarts is of the recommended fit: leave Recovery nil")
	}
	if o.Memory < 0 {
		return fmt.Errorf("twornn: Memory is %d bytes: it may not be negative; zero means 4 GB", o.Memory)
	}
	if o.Basis < Auto || o.Basis > UpToLength {
		return fmt.Errorf("twornn: there is no basis %v", o.Basis)
	}
	return nil
}

// source returns the random numbers of the options.
func (o Options) source() rand.Source {
	if o.Src != nil {
		return o.Src
	}
	return rand.NewPCG(1, 5)
}

// until yields data until ctx is done, and then the reason.
func until(ctx context.Context, data iter.Seq[Sequence]) iter.Seq[Sequence] {
	return func(yield func(Sequence) bool) {
		for s := range data {
			if err := ctx.Err(); err != nil {
				yield(Sequence{Err: err})
				return
			}
			if !yield(s) {
				return
			}
		}
	}
}

// lengths returns the lengths that L and the basis ask for; none if L is left open.
func (o Options) lengths() []int {
	switch {
	case o.L == 0:
		return nil
	case o.Basis == EqualLength:
		return EqualLength.lengths(o.L)
	}
	return append([]int{0}, UpToLength.lengths(o.L)...)
}
