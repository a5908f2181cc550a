package words

import "math/rand/v2"

// Options holds the choices of Fit. The zero value chooses everything from the sample.
type Options struct {
	// States is the number of states of each automaton that EM learns from spectral and random
	// starts, and the most that merging may leave. Zero means several, weighed by held-out likelihood,
	// of fewer states the larger the alphabet is.
	States int
	// Starts is the number of random starts of EM. Zero means by their cost; negative
	// means none. All are kept to be weighed, so that many leave room for fewer states.
	Starts int
	// NoMerging leaves out the automata whose states are merged from the prefix tree.
	NoMerging bool
	// NoSpectral leaves out the automata that EM learns from a spectral start.
	NoSpectral bool
	// HeldOut is the fraction of the words on which parts are weighed. Zero means 0.2.
	HeldOut float64
	// Src draws starts and the words held out. Nil means a fixed seed.
	Src rand.Source
}

// What Fit chooses where it is not told. Budgets are by time: a sample of 20,000 words of some
// ten symbols, the size of a PAutomaC problem, should take less than a minute on two cores.
const (
	// maxMerged is the most states that merging leaves.
	maxMerged = 120
	// fine is a share of a prefix's weight far below what counts of a hundred thousand words
	// can tell; coarse costs about half as much on problem 1 and moves the log-likelihood by
	// less than a thousandth of a nat a word (TestEMClimbs bounds it on a small machine).
	fine, coarse = 1e-9, 1e-4
	// refineBudget and growBudget, the latter for 60 states and in proportion, are multiply-adds
	// of one automaton, of which a core does 1 to 2e9 a second.
	refineBudget, growBudget = 2e10, 4e10
	// hopeless is a distance, in nats a word, that the largest random start does not make
	// up: on problem 26 random starts end whole nats below merged states.
	hopeless = 0.4
	// maxNumbers bounds the d·n² transitions of an automaton of more than the fewest states, whose
	// iterations cost as much, and maxUses the d+1 counts and d children of each node that merging
	// holds, 12 bytes together. What all of them may be is maxRoom.
	maxNumbers, maxUses = 1 << 19, 1 << 25
)

// rejects are the evidences, in nats, by which one pair of nodes keeps two states of the
// prefix tree apart. Below 2 the states of problems 24 and 26 do not end; with no such
// limit too few are left, and the likelihood is a nat a word less.
var rejects = []float64{3, 6}

// startSizes are the numbers of states of random starts, and spectralSizes those of spectral
// ones: an iteration costs their square.
var (
	startSizes    = []int{15, 30, 60}
	spectralSizes = []int{40}
)
