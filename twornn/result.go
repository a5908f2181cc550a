package twornn

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/lsq"
	"github.com/twornn/spectral/twornn/internal/moments"
	"github.com/twornn/spectral/twornn/internal/phrase"
	"github.com/twornn/spectral/twornn/internal/rivals"
)

// Result is a fitted model with the account of how it came about.
type Result struct {
	*Model
	L, Rank        int // Rank 0: the zero function
	Basis          Basis
	SingularValues []float64     // of the Hankel block, descending
	Recovery       map[int]Stats // by length
	N              int           // measurements, over all lengths; of a fit along runs, runs. Their outputs, Refinement.N, count once that stand in several windows
	Lengths        []int         // of the measurements, ascending
	MSE, ZeroMSE   float64       // on the measurements: the model's, the zero function's
	LongMSE        float64       // on the outputs after more steps than were measured, of a sample of longer training sequences; 0 if there are none
	Candidates     []Candidate   // all that were weighed, the chosen one among them
	Refinement     Stats         // of the joint fit; its zero value if there was none
	Interactions   *Interactions // of a fit along runs with a constant input; nil for others
	Exact          *Exact        // of words learnt symbol by symbol; nil for others
	Fallback       bool          // the model did worse than the zero function on its training data, so this is returned
	Warnings       []Warning

	joined    *joined       // for Intervals; nil if there was no joint fit
	adequate  bool          // the joint fit leaves no more than noise
	dependent int           // how many inputs are linear combinations of others
	wild      *wild         // outliers of the data; nil as long as nobody asked
	trial     *rivals.Trial // rivals on parts left out; nil if there was none
	left      []float64     // squared errors of the model on these parts; nil if it was not fitted so
	again     bool          // left is of whole fits to the others
	over      float64       // by how much the criterion of the zero function is higher; 0 where it is not known
	folds     []float64     // mean squared errors on parts left out of a fit along runs; nil for others
	factor    float64       // how many times the error of the best rival that of the model is
	ceiling   bool          // the rank was left open and is the highest that L can carry
}

// String says in a line whether interactions were taken, and what they are worth.
func (i *Interactions) String() string {
	if !i.Taken && math.IsNaN(i.Linear) {
		return "a linear system" // no parts were left out
	}
	if !i.Taken {
		return fmt.Sprintf("a linear system, mean squared error on parts left out %.4g times the outputs' variance", i.Linear)
	}
	s := fmt.Sprintf("interactions of state and input, mean squared error on parts left out %.4g times the outputs' variance (linear, %s: %.4g)",
		i.Validation, phrase.Count(i.LinearRank, "state"), i.Linear)
	if i.Validation > i.Linear {
		s += "; taken all the same, as they are likelier and do better on most parts, and one of the others outweighs these"
	}
	return s
}

// WithStart returns the model with the h₀ that the beginning of a run tells: x is k×d, y k×p,
// the outputs after each step. After a fit along runs with a constant input the states have
// mean 0 and variance 1 over the training data, and that and the noise left in training weigh
// what the beginning says; other models are started as Model.WithStart does. It panics as
// that does.
func (r *Result) WithStart(x, y mat.Matrix) *Model {
	if r.Interactions == nil || r.joined == nil {
		return r.Model.WithStart(x, y)
	}
	n, _, p := r.Dims()
	mean, spread, noise := make([]float64, n), make([]float64, n), make([]float64, p)
	mean[0] = 1
	for a := 1; a < n; a++ {
		spread[a] = 1
	}
	for o := range noise {
		// A millionth of the spread at the least: beside an output without any noise nothing else
		// would count, not even what keeps the start near the mean.
		noise[o] = max(r.joined.noise[everyLength][o], 1e-12) / (r.joined.w.scale[o] * r.joined.w.scale[o])
	}
	return r.begin(x, y, mean, spread, noise)
}

// wild are the outliers of the data, of which there may be none.
type wild struct{ outliers []moments.Outlier }

// Warning is something a user should know before trusting the model.
type Warning struct {
	Kind WarningKind
	Text string
}

func (w Warning) String() string { return w.Text }

// WarningKind tells warnings apart in code.
type WarningKind int

const (
	Deficient      WarningKind = iota + 1 // fewer independent measurements than unknowns
	RankCut                               // fewer states than asked for
	RankLow                               // more states would fit clearly better
	WorseThanZero                         // the zero function is returned
	Unstable                              // outputs explode on long sequences
	Drifting                              // much worse on whole sequences than on the lengths measured
	NotConverged                          // a recovery reached its limit of iterations
	Damped                                // A is scaled down to keep to MaxGrowth
	Collinear                             // some inputs are linear combinations of others
	Outliers                              // a few values outweigh all others
	NoConstant                            // outputs have a constant part, and the inputs no constant
	Outdone                               // a simple rival does better on parts of the data left out
	ShortWords                            // the words measured carry fewer states than the data show
	Unexcited                             // inputs vary too little to learn more than what they show
	TooFew                                // the data do not tell whether the model is better than a simple rival
	StartCounts                           // a single run's start counts for long, or runs begin at different states
	IllConditioned                        // a recovery that was named magnifies errors
	Unexplained                           // a machine of words.FitOutputs is off on its own words
	Shifting                              // outputs change their level or size at once, where no input does
)

func (k WarningKind) String() string {
	names := []string{"Deficient", "RankCut", "RankLow", "WorseThanZero", "Unstable", "Drifting", "NotConverged", "Damped", "Collinear", "Outliers", "NoConstant", "Outdone", "ShortWords", "Unexcited", "TooFew", "StartCounts", "IllConditioned", "Unexplained", "Shifting"}
	if k < 1 || int(k) > len(names) {
		return fmt.Sprintf("WarningKind(%d)", int(k))
	}
	return names[k-1]
}

func (r *Result) warn(kind WarningKind, format string, args ...any) {
	r.Warnings = append(r.Warnings, Warning{kind, fmt.Sprintf(format, args...)})
}

// warnCollinear warns that so many of the inputs are linear combinations of the others. mayStand says
// that they may not move, too.
func (r *Result) warnCollinear(n, of int, mayStand bool) {
	r.dependent = n
	verb, stand := "are linear combinations", ", or do not move"
	if n == 1 {
		verb, stand = "is a linear combination", ", or does not move"
	}
	if !mayStand {
		stand = ""
	}
	r.warn(Collinear, "%d of the %d inputs %s of the others%s; the model is right where they keep to that: leave out what the others tell, or give data in which they move apart", n, of, verb, stand)
}

// Has reports whether the result carries a warning of the given kind.
func (r *Result) Has(kind WarningKind) bool {
	for _, w := range r.Warnings {
		if w.Kind == kind {
			return true
		}
	}
	return false
}

// holds reports whether the model may be used on sequences like those of the data.
func (r *Result) holds(by policy) bool {
	return !r.Fallback && (r.adequate || !r.Has(Unstable) && !r.Has(Drifting) && !r.Has(Outdone) && !r.Has(ShortWords) && !r.hardly(by))
}

// hardly reports whether of few data the model is hardly better than a rival: it may be worse.
func (r *Result) hardly(by policy) bool { return r.again && r.factor > 1-by.Outdone }

// earns reports whether the model is worth its products of inputs: that it does better than a
// linear regression on parts of the data left out, by more than chance.
func (r *Result) earns(by policy) bool { return r.trial == nil || r.factor < 1-by.Earned }

// RunnerUp returns the best candidate of another rank or L than the chosen one, and false
// if nothing else was weighed. Fits along runs are weighed by parts left out, others by the criterion.
func (r *Result) RunnerUp() (best Candidate, ok bool) {
	for _, c := range r.Candidates {
		if c.Chosen || c.Rank == r.Rank && c.L == r.L {
			continue
		}
		if !ok || r.weight(c) < r.weight(best) {
			best, ok = c, true
		}
	}
	return best, ok
}

// weight is what candidates are weighed by.
func (r *Result) weight(c Candidate) float64 {
	if r.Interactions != nil && c.Validation > 0 {
		return c.Validation
	}
	return c.Criterion
}

// String returns the summary that a notebook prints.
func (r *Result) String() string {
	var b strings.Builder
	n, d, p := r.Dims()
	fmt.Fprintf(&b, "linear 2-RNN: %s, %s, %s\n", phrase.Count(n, "state"), phrase.Count(d, "input"), phrase.Count(p, "output"))
	switch {
	case r.Exact != nil:
		fmt.Fprintf(&b, "%s; %s of length %s\n", r.Exact, phrase.Count(r.N, "measurement"), phrase.List(r.Lengths))
	case r.Interactions != nil:
		along := fmt.Sprintf("along %s with %s; %v", phrase.Count(r.N, "run"), phrase.Count(r.Refinement.N, "output"), r.Interactions)
		b.WriteString(phrase.Wrap(along, 88, "\n  ") + "\n")
	default:
		fmt.Fprintf(&b, "L = %d, %v; %s of length %s\n", r.L, r.Basis, phrase.Count(r.N, "measurement"), phrase.List(r.Lengths))
	}
	training := fmt.Sprintf("training MSE %.4g (zero function %.4g), in the outputs' units squared", r.MSE, r.ZeroMSE)
	if r.LongMSE > 0 {
		training += fmt.Sprintf("; on whole, longer sequences %.4g", r.LongMSE)
	}
	b.WriteString(phrase.Wrap(training, 88, "\n  ") + "\n")
	if s := r.route(); s != "" {
		b.WriteString(phrase.Wrap(s, 88, "\n  ") + "\n")
	}
	if len(r.SingularValues) > 0 {
		b.WriteString("singular values")
	}
	for i, s := range r.SingularValues {
		if i == 8 {
			b.WriteString(" …")
			break
		}
		fmt.Fprintf(&b, " %.3g", s)
	}
	for _, w := range r.Warnings {
		b.WriteString(phrase.Wrap("\nwarning: "+w.Text, 88, "\n  "))
	}
	return b.String()
}

// route tells in a line how the model was reached and what came next.
func (r *Result) route() string {
	var chosen Candidate
	for _, c := range r.Candidates {
		if c.Chosen {
			chosen = c
		}
	}
	var b strings.Builder
	if r.Rank == 0 {
		return "the zero function stands in for a model"
	}
	switch steps := phrase.Count(r.Refinement.Iterations, "iteration"); {
	case r.Refinement.Unknowns == 0:
	case r.Interactions == nil:
		fmt.Fprintf(&b, "joint fit from a %s start, %s, %v", chosen.Start, steps, r.Refinement.Status)
	case r.Refinement.Iterations == 0 && r.Refinement.Status == Converged:
		fmt.Fprintf(&b, "%s, as responses or means tell it, without a descent", chosen.Start)
	default:
		fmt.Fprintf(&b, "%s, %s, %v", chosen.Start, steps, r.Refinement.Status)
	}
	if next, ok := r.RunnerUp(); ok {
		if b.Len() > 0 {
			b.WriteString("; ")
		}
		diff := next.Criterion - chosen.Criterion
		other := fmt.Sprintf("rank %d", next.Rank)
		if next.L != r.L {
			other += fmt.Sprintf(" with L = %d", next.L)
		}
		left := next.Validation / chosen.Validation
		switch {
		case r.Interactions != nil && left >= 1:
			fmt.Fprintf(&b, "next best: %s, %s, with %.4g times the error on parts left out", other, next.Start, left)
		case r.Interactions != nil && left < 1:
			fmt.Fprintf(&b, "%s, %s, has %.4g times the error on parts left out together, but not less on enough of them or by enough (Candidates)", other, next.Start, left)
		case diff < 0:
			fmt.Fprintf(&b, "%s has a criterion lower by %.4g, but L is settled before, and growth counts too (Candidates)", other, -diff)
		default:
			fmt.Fprintf(&b, "next best: %s, its criterion higher by %.4g (10 or more is a clear difference)", other, diff)
		}
	}
	if r.ceiling && b.Len() > 0 {
		b.WriteString("; no higher rank is possible with this L")
	}
	return b.String()
}

// everyLength is where the variance of the noise of all lengths stands among those by length.
const everyLength = -1

// joined is what a Result keeps of a joint fit for its intervals.
type joined struct {
	w     coordinates
	shape lsq.Shape
	theta []float64         // parameters, in the coordinates of w
	M     float64           // outputs that were fitted
	free  int               // parameters that they determine
	noise map[int][]float64 // variances by length
	last  int               // the length whose noise stands for those that were not measured
	own   bool              // each run has a start of its own
	// covariance returns the variance of gᵀθ for noise of a variance.
	covariance func() (func(g []float64, noise float64) float64, error)
}

// Exact says how words were explained without an error: their matrices were read off, symbol
// by symbol, as words.FitOutputs does.
type Exact struct {
	Futures       int     // the length of the suffixes whose outputs told the states apart
	Deterministic bool    // states and transitions are unit vectors: nothing drifts, however long the words
	Error         float64 // the largest error of a training output
	Unseen        int     // transitions that no training word tells: what the model does there is not learnt
}

func (e *Exact) String() string {
	kind := "weighted"
	if e.Deterministic {
		kind = "deterministic"
	}
	return fmt.Sprintf("read off words, symbol by symbol; %s, largest error %.2g", kind, e.Error)
}

// Interactions says what the products of state and input are worth that a 2-RNN with a
// constant input can hold: h_t = F h_{t−1} + B u_t + Σ_i (u_t)_i N_i h_{t−1}.
type Interactions struct {
	Taken      bool    // whether they are in the model; if not, it is a linear system
	Precision  float64 // of the prior of N_i, in units in which states and inputs have variance 1
	Validation float64 // mean squared error on parts left out, in units of the outputs' variance
	Linear     float64 // that of the best linear system
	LinearRank int     // its states, the constant one among them
}

// Candidate is one model that Fit weighed: its size, how well it fits, and what the
// choice went by.
type Candidate struct {
	Model      *Model // in the units of the data
	L, Rank    int
	Start      string  // what it came from: "spectral", "truncation" (of a larger one), "random", "damping", "given" (to Likelihood), "slow" (of Start: it sums up); of a fit along runs what it is: "linear", "interactions"
	MSE        float64 // on the training data, as Result.MSE
	Parameters int     // free ones: R(dR+p+1) − R²
	// Criterion is M log(SSE/M), M being the number of training outputs, plus what its k
	// parameters cost; the least is chosen. Differences count, not its size. The cost is
	// k log M (BIC), or where a rank was asked for, which spare states alone shall lower,
	// 2.2 k + 20 R.
	Criterion float64
	// Growth is the largest root mean square of an output on inputs much longer than those
	// trained on, over that of the training outputs: after 200 independent inputs with the
	// training inputs' second moments, exactly, or along a stretch of training inputs. 1 is
	// as large as in training.
	Growth float64
	// Validation is the mean squared error on parts of the data that were left out, in units
	// of the outputs' variance, where the choice went by that; 0 elsewhere.
	Validation float64
	// Status is how its joint fit ended: anything but Converged is cut short, since it lagged
	// behind another or for want of time, and a fit to the end may have a lower MSE and
	// criterion. NotRun: there was none.
	Status Status
	Chosen bool
}
