package twornn

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"github.com/twornn/spectral/twornn/internal/stop"
	"github.com/twornn/spectral/twornn/tt"
)

// Recovery estimates the Hankel tensor H⁽ˡ⁾ from its linear measurements. rank is
// the tensor-train rank R that a method of low rank keeps to; 0 means no bound. A
// Recovery holds choices, never the state of a run, so that one value serves many
// goroutines.
//
// The tensor has l+1 dimensions d, …, d, p. Reaching a limit of iterations, or
// having fewer measurements than unknowns, is no error but a Status. When rec or
// ctx stops the run, the best tensor so far is returned with the status Stopped.
type Recovery interface {
	Recover(ctx context.Context, m *Measurements, rank int, rec Recorder) (*tt.Tensor, Stats, error)
}

// RowRecovery is a Recovery that may need the measurements as they came: Fit then keeps
// them, as CollectRows does.
type RowRecovery interface {
	Recovery
	NeedsRows() bool
}

// Continuation is a Recovery that can begin at the tensor of words one letter shorter,
// H⁽ˡ⁻¹⁾, in the coordinates of the data; nil if there is none. Fit recovers the lengths in
// ascending order and hands each on.
type Continuation interface {
	Recovery
	RecoverFrom(ctx context.Context, m *Measurements, rank int, shorter *tt.Tensor, rec Recorder) (*tt.Tensor, Stats, error)
}

// Recorder is told of every iteration. Its error stops the run, which then returns
// the best it has. A nil Recorder is silent. Throttling is the display's affair.
type Recorder interface {
	Record(Progress) error
}

// Progress is what a Recorder is told.
type Progress struct {
	Stage     string  // what runs: "recover", "refine"
	Length    int     // of the Hankel tensor at hand; 0 if none
	Iteration int     // from 1
	Residual  float64 // ‖Y − XH‖/‖Y‖; 0 where there is none
}

// stops tells rec, which may be nil, of the progress, and returns whether that ends the run.
func stops(rec Recorder, p Progress) bool { return rec != nil && rec.Record(p) != nil }

func (p Progress) String() string {
	s := p.Stage
	if p.Length > 0 {
		s += fmt.Sprintf(" H(%d)", p.Length)
	}
	if p.Iteration > 0 {
		s += fmt.Sprintf(", iteration %d: residual %.3g", p.Iteration, p.Residual)
	}
	return s
}

// Stats says how a recovery went.
type Stats struct {
	Status     Status
	Iterations int
	Residuals  []float64 // ‖Y − XH‖/‖Y‖ after each iteration; at least the last
	N          int       // measurements
	Unknowns   float64   // d^l, unknowns for each output
	Rank       int       // of X as the solver saw it; 0 where it did not look
	RCond      float64   // reciprocal condition number of X; 0 where it did not look

	// Gradient says how far from an optimum a refinement by Levenberg-Marquardt ended: the
	// distance of θ, in units of the standard errors of its parameters and averaged over
	// them, as the gradient there tells. Below 0.01 nothing is left to gain.
	Gradient float64
}

// Status says why a run ended.
type Status int

const (
	NotRun          Status = iota // nothing was run
	Converged                     // the method reached its goal
	Underdetermined               // fewer independent measurements than unknowns: the solution of least norm
	IterationLimit                // MaxIterations were done
	Stopped                       // the Recorder or the context ended the run
)

func (s Status) String() string {
	switch s {
	case NotRun:
		return "not run"
	case Converged:
		return "converged"
	case Underdetermined:
		return "underdetermined"
	case IterationLimit:
		return "iteration limit"
	case Stopped:
		return "stopped"
	}
	return fmt.Sprintf("Status(%d)", int(s))
}

// errNoRank is returned by recoveries that keep to a rank and were given none.
var errNoRank = errors.New("twornn: this recovery keeps to a rank and none is given; set Options.Rank")

// errDiverged is the error of a step that is too long for the data.
func errDiverged(length, iteration int, step float64) error {
	return fmt.Errorf("twornn: H(%d): the residual grew without bound by iteration %d with step %.3g; lower Step, or leave it zero to have it set from the data", length, iteration+1, step)
}

// Refiner improves a model on the data it was, or was not, fitted to. It never returns
// one that is worse by its own measure than what it was given, leaves its argument as
// it was, and stops as a Recovery does: with the best so far.
type Refiner interface {
	Refine(ctx context.Context, m *Model, data iter.Seq[Sequence], rec Recorder) (*Model, Stats, error)
}

// checkSteps returns an error if the options of a method that takes steps are of no use.
func checkSteps(method string, step, tol float64, iterations int) error {
	for _, v := range []float64{step, tol} {
		if !(v >= 0) || math.IsInf(v, 0) {
			return fmt.Errorf("twornn: %s: Step %v and Tol %v: neither may be negative or no number; zero means the default", method, step, tol)
		}
	}
	if iterations < 0 {
		return fmt.Errorf("twornn: %s: MaxIterations is %d; it may not be negative; zero means the default", method, iterations)
	}
	return nil
}

// refining returns what f returns, a refined model, within a moment of the end of ctx: see stop.Within.
// After that end rec is told of nothing more.
func refining[T any](ctx context.Context, rec Recorder, f func(rec Recorder) (T, Stats, error)) (T, Stats, error) {
	type refined struct {
		to T
		st Stats
	}
	r, err := stop.Within(ctx, func() (refined, error) {
		to, st, err := f(whileRunning(ctx, rec))
		return refined{to, st}, err
	})
	return r.to, r.st, err
}

// recovering is the same for what recovers a tensor.
func recovering(ctx context.Context, rec Recorder, f func(rec Recorder) (*tt.Tensor, Stats, error)) (*tt.Tensor, Stats, error) {
	h, st, err := refining(ctx, rec, f)
	if h == nil && err != nil && ctx.Err() != nil {
		st.Status = Stopped
	}
	return h, st, err
}

// bounded tells a Recorder of nothing once ctx has ended: what was left behind shall not call it.
type bounded struct {
	ctx context.Context
	rec Recorder
}

// Record implements Recorder.
func (b bounded) Record(p Progress) error {
	if err := b.ctx.Err(); err != nil {
		return err
	}
	return b.rec.Record(p)
}

// whileRunning returns rec, silent once ctx has ended.
func whileRunning(ctx context.Context, rec Recorder) Recorder {
	if rec == nil {
		return nil
	}
	return bounded{ctx, rec}
}

// watcher tells a Recorder of the iterations of a fit along sequences, counted over all of its
// descents, and ends the context of the fit when the Recorder wants no more.
type watcher struct {
	rec       Recorder // nil: silent
	cancel    context.CancelFunc
	iteration int
	halted    bool // by the Recorder
}

// watch returns the context for a fit, and its watcher.
func watch(ctx context.Context, rec Recorder) (context.Context, *watcher) {
	ctx, cancel := context.WithCancel(ctx)
	return ctx, &watcher{rec: rec, cancel: cancel}
}

// report tells of an iteration and the relative residual.
func (w *watcher) report(residual float64) error {
	if w.rec == nil {
		return nil
	}
	w.iteration++
	err := w.rec.Record(Progress{"refine", 0, w.iteration, residual})
	if err != nil {
		w.halted = true
		w.cancel()
	}
	return err
}
