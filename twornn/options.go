package twornn

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/twornn/spectral/twornn/internal/affine"
	"github.com/twornn/spectral/twornn/internal/moments"
	"github.com/twornn/spectral/twornn/internal/phrase"
)

// Options are the choices of Fit. The zero value leaves them all to Fit.
type Options struct {
	// L is the length of prefixes and suffixes. Zero: chosen with the rank among
	// those that the data's lengths allow. It is for words, and windows fitted as words: a fit along
	// runs takes none.
	L int
	// Rank is the number of states, at the most: fewer are taken, with a warning, where the others would
	// fit noise. Zero: the one of least BIC, or along runs that which does best on parts of the data left out.
	// Along runs one state is the constant, so that Rank 1 is an error.
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
		return fmt.Errorf("twornn: MaxGrowth %g: it must be a number, and not negative; zero means no bound", o.MaxGrowth)
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

// defaultMemory is what a fit may take if Options.Memory is left open: 4 GB.
const defaultMemory = 4 << 30

// memory returns how many bytes a fit may take.
func (o Options) memory() float64 {
	if o.Memory == 0 {
		return defaultMemory
	}
	return float64(o.Memory)
}

// fitting yields data as long as what a fit keeps of it has room: the blocks that L asks for are
// counted at the first sequence, before any of them is made, rows as they come.
func (o Options) fitting(data iter.Seq[Sequence]) iter.Seq[Sequence] {
	return func(yield func(Sequence) bool) {
		kept, n := 0.0, 0
		for s := range given(data) {
			if s.Err == nil && s.check() == nil && s.Len() > 0 {
				if kept == 0 {
					d, p := s.Dims()
					if err := o.checkBlock(d, p, s.everyStep()); err != nil {
						yield(Sequence{Err: err})
						return
					}
				}
				n++
				if kept += o.keeps(s); kept > o.memory() {
					yield(Sequence{Err: fmt.Errorf("twornn: the rows of the first %s take %s, more than the %s of Options.Memory: give fewer inputs, a smaller L, or more memory", phrase.Count(n, "sequence"), phrase.Bytes(kept), phrase.Bytes(o.memory()))})
					return
				}
			}
			if !yield(s) {
				return
			}
		}
	}
}

// copies is how many times what is kept of the data is there at the worst: as it came, in other
// coordinates, scaled, and as the equations of a fit.
const copies = 4

// keeps returns about how many bytes a fit keeps of a sequence: its rows, at each length that L asks
// for whose products are too many to be summed up.
func (o Options) keeps(s Sequence) (sum float64) {
	d, p := s.Dims()
	at := s.example().After()
	for _, l := range o.lengths() {
		if !slices.Contains(at, l) || math.Pow(float64(d), float64(l)) <= maxDense {
			continue
		}
		sum += copies * 8 * float64(l*d+p)
	}
	return sum
}

// checkRows errs if the sequences that are kept, and what a fit along them makes of them, would not fit.
func (o Options) checkRows(k *moments.Kept, d, p int) error {
	numbers := d * (d + p) // second moments, and one state
	for _, r := range k.Runs {
		numbers += len(r.X) + len(r.Y)
	}
	if need := copies * 8 * float64(numbers); need > o.memory() {
		return fmt.Errorf("twornn: the rows of %s take %s in a fit along them, more than the %s of Options.Memory: give fewer sequences or inputs, or Options{Memory: %.2g}",
			phrase.Count(len(k.Runs), "sequence"), phrase.Bytes(need), phrase.Bytes(o.memory()), 1.1*need)
	}
	return nil
}

// maxDense is up to how many products d^l measurements are summed up.
const maxDense = 4096

// checkBlock errs if the Hankel block that the options ask for would not fit: how large it would
// be, and what would fit.
func (o Options) checkBlock(d, p int, everyStep bool) error {
	if o.L == 0 || o.Basis == EqualLength || o.Basis == Auto && !everyStep {
		return nil
	}
	return blockFits(o.L, d, p, o.memory())
}

// checkRuns errs if the fit along runs would not fit, with the states that are asked for or with the fewest.
func (o Options) checkRuns(data *affine.Data, parts int) error {
	need := func(rank int) float64 {
		m := rank - 1
		return data.Bytes(m+m*(m+data.D)+data.P*rank, parts) // of a linear system
	}
	asked := max(2, o.Rank)
	if need(asked) <= o.memory() {
		return nil
	}
	cure := fmt.Sprintf("give fewer rows or inputs, or Options{Memory: %.2g}", 1.1*need(2))
	if most := sort.Search(asked, func(r int) bool { return need(r+1) > o.memory() }); most >= 2 {
		cure = fmt.Sprintf("give Options{Rank: %d}, or more memory", most)
	}
	return fmt.Errorf("twornn: a linear system of %s, fitted along %s with %s, takes %s, more than the %s of Options.Memory: %s",
		phrase.Count(asked, "state"), phrase.Count(len(data.Runs), "run"), phrase.Count(data.M, "output"), phrase.Bytes(need(asked)), phrase.Bytes(o.memory()), cure)
}

// What to give where the joint fit of so many states, or the descent from a model, has no room; %d is how many have.
const (
	giveRank  = "give Options{Rank: %d}"
	giveModel = "give a model of %d states at the most, or Adam, which has no normal equations"
)

// checkStates errs if the joint fit of n states would not fit.
func (o Options) checkStates(n, d, p int, give string) error {
	k := n * (1 + d*n + p)
	if size := normalBytes(k); size > o.memory() {
		most := n
		for most > 1 && normalBytes(most*(1+d*most+p)) > o.memory() {
			most--
		}
		cure := fmt.Sprintf(give, most)
		if normalBytes(most*(1+d*most+p)) > o.memory() {
			cure = "raise it, or give fewer inputs"
		}
		return fmt.Errorf("twornn: %s over %s have %s, whose normal equations take %s, more than the %s of Options.Memory: %s",
			phrase.Count(n, "state"), phrase.Count(d, "input"), phrase.Count(k, "parameter"), phrase.Bytes(size), phrase.Bytes(o.memory()), cure)
	}
	return nil
}
