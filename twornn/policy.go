package twornn

import (
	"github.com/twornn/spectral/twornn/internal/affine"
	"github.com/twornn/spectral/twornn/internal/wide"
)

// policy is every threshold by which Fit decides, with what speaks for it. Numbers that
// only keep rounding at bay (1e-9 of a relative error and the like) stand where they are
// used; they decide nothing.
type policy struct {
	// ManyStarts is the most starts at the first rank that is tried, FewStarts at each
	// further one. On the paper's random 2-RNNs one start in two to five ends at the best
	// optimum: 24 miss it in fewer than one fit of a hundred, and the ranks beyond have a
	// truncated or spectral start that is near already.
	ManyStarts, FewStarts int
	// Budget is how many operations may go into the starts of a rank: some seconds of one
	// core.
	Budget float64
	// TotalBudget is how many may go into all ranks of a joint fit: some 20 s of one core.
	TotalBudget float64
	// A run that lowers its sum of squares by less than a tenth of what parts it from the
	// goal in SlowGoal iterations, or by less than a hundredth in SlowRival while another run is
	// ahead, is given up: Gauss-Newton near an optimum gains far more, or is done.
	SlowGoal, SlowRival int
	// Evidence is the difference of the criterion below which one model is hardly better
	// than another: 2 log of a Bayes factor, strong from 10 on (Kass and Raftery 1995).
	Evidence float64
	// ParameterCost and StateCost are what a spare state has to earn where a rank was asked
	// for: where the truth has one state fewer, it lowers the sum of squares by about 2.1 σ²
	// for each of its parameters, with a standard deviation of some 7 σ² (measured on both of
	// the paper's tasks, 12 to 25 parameters).
	ParameterCost, StateCost float64
	// Condition is that of the products of inputs beyond which a recovery loses more than six of the sixteen
	// digits of its numbers.
	Condition float64
	// Misfit is by how many of its standard deviations the lack of fit may exceed that of
	// noise before a model counts as inadequate: the usual two.
	Misfit float64
	// NearGain is the most that a run may gain, over all that the model explains, to have
	// begun near its optimum.
	NearGain float64
	// AgainNoise and AgainOpen are how often the best optimum has to be found before it is
	// believed: where what is left may be noise, and where much may be left to explain.
	AgainNoise, AgainOpen int
	// SpareStarts are enough where the fit is adequate: with spare states each start ends
	// elsewhere at a like sum.
	SpareStarts int
	// LowRank is how many times the squared error of a higher rank that of the rank asked for
	// must be for the warning that it is low, where a recovery was named.
	LowRank float64
	// MaxGrowth is the growth from which a model counts as unstable: ordinary models stay below
	// 3, those with a rank too many go to 1e5 and beyond.
	MaxGrowth float64
	// DampingDigits is the precision to which a factor that damps A is found.
	DampingDigits float64
	// Drift is how much larger the mean square on long sequences may be than on those
	// measured before a warning, LongWorse how much larger than that of the zero function.
	Drift, LongWorse float64
	// Offset is the distance from its optimum, in standard errors, up to which a fit cut off by
	// its limit is good enough: 0.1 adds a hundredth to the error of estimation.
	Offset float64
	// RoughStart is the tolerance of a recovery of which only a start is wanted.
	RoughStart float64
	// StartSweeps is the most sweeps of such a one by ALS: at the thousand that ALS itself takes, a fit of 79
	// windows of six inputs spent 36 of its 48 s there, and with a hundred it took 18 s in all.
	StartSweeps int
	// DenseStart is up to how many columns a start is by least squares where there are fewer rows;
	// beyond, ALS takes a tenth of the time and the joint fit comes to the same.
	DenseStart int
	// NoNoise is the noise, over the spread of an output, below which there is none to weigh
	// by; LeastNoise is what a smaller noise of an output counts as.
	NoNoise, LeastNoise float64
	// PooledRows is how many rows of the noise of all lengths are added to that of each.
	PooledRows float64
	// Outlier is how many standard deviations of the bulk a value has to be from the median to be
	// an outlier, OutlierShare how much of its column's sum of squares about the median it holds.
	Outlier, OutlierShare float64
	// Swollen is the share of the sum of squares in the last sixth of a record from which that is next to all of it: what
	// came before is then a fifth of it in size, or less.
	Swollen float64
	// Outdone is by what share the squared error of the model may exceed that of a rival on parts of
	// the data left out, or by half of it where the rival does better on most of them, Constant what share of it a constant has to take away to be missed.
	Outdone, Constant float64
	// Little is the share of the squared error of the outputs' mean, on parts left out, below which what a model takes away is
	// next to nothing; Clear the share of a rival's that is clearly less, though on one part it be more.
	Little, Clear float64
	// Earned is by what share the error of a model of words has to be below that of a linear
	// regression for products of inputs to be worth while where a fit along runs is possible.
	Earned float64
	// Least is the number of outputs, times p, below which nothing is sure of a model, six on each of six parts: that
	// it did better on each is chance once in 64 times, and of so few there are many to look at. Of fewer the start of
	// a run is not told either.
	Least int
	// Repeats is how often sequences repeat others in the mean, and FewDifferent how many outputs after different inputs,
	// times p, are few, for a warning that there is little to learn from.
	Repeats, FewDifferent int
	// Memory is how many times the squared error along a single run a wrong start may add to it before
	// a warning: by a fifth more than on parts left out, whose start is known, a model is no longer what these show.
	Memory float64
	// Settles is the squared error at the end of runs, over that at their beginning, below which a warning says that
	// they begin at different states: where runs of a system that decays did, it was 0.02 to 0.09, and in some
	// sixty random fits of other data 0.2 at the least.
	Settles float64
	// Apart is what share of the squared error has to be in its means over single runs for the same warning, and
	// ApartSteps how many outputs these must have in the mean: of white noise the share is one over their number. Runs
	// of a motor's position had 0.77 to 0.97.
	Apart      float64
	ApartSteps int
	// Break is what share of the variance of an output, or of the logarithm of its size, one step of its level along the record
	// has to explain for a warning. Of a random walk it explains as much, but not at once.
	Break float64
	// Seen is one in how many outputs has to stand after the first steps of a run, which tell a start of words, before a
	// warning says that there is none to speak of.
	Seen int
	// runs is what decides in a fit along runs.
	runs affine.Policy
	// wide is what decides in a fit of many inputs.
	wide wide.Policy
}

// standard is the policy of Fit.
var standard = policy{
	ManyStarts: 24, FewStarts: 6, Budget: 2e10, TotalBudget: 6e10,
	SlowGoal: 8, SlowRival: 10,
	Evidence: 10, ParameterCost: 2.2, StateCost: 20,
	Condition: 1e6,
	Misfit:    2, NearGain: 0.25, AgainNoise: 2, AgainOpen: 4, SpareStarts: 8,
	LowRank:   1.5,
	MaxGrowth: 30, DampingDigits: 1e-3,
	Drift: 1.25, LongWorse: 1.05,
	Offset:     0.1,
	RoughStart: 0.01, StartSweeps: 100, DenseStart: 512,
	NoNoise: 1e-6, LeastNoise: 1e-3,
	PooledRows: 50,
	Outlier:    30, OutlierShare: 0.25, Swollen: 0.95,
	Outdone: 0.1, Constant: 0.1, Little: 0.02, Clear: 0.5, Earned: 0.03, Memory: 0.2, Settles: 0.1, Apart: 0.5, ApartSteps: 10, Break: 0.6, Seen: 20, Repeats: 4, FewDifferent: 200, Least: 36,
	runs: affine.Default(),
	wide: wide.Default(),
}
