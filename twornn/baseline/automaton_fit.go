package baseline

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/twornn/spectral/twornn/internal/stop"
)

// worthwhile is the least gain in the mean squared error for which a choice gives way to
// a less simple one. The errors of some hundred rows leave such gains to chance.
const worthwhile = 0.01

// FitAutomaton learns a regression automaton from y, rows evenly spaced, by merging states
// as Lin, Hammerschmidt, Pellegrino and Verwer (2016) do, who read symbols beside the
// numbers, with guards over real values in place of symbols as in Pellegrino,
// Hammerschmidt, Lin and Verwer (2016). All windows of y make a prefix tree, which is
// folded from its root down: the values that windows read next are cut into guards where
// what follows them differs, and the windows in a guard go on to the known state whose
// forecasts suit them, or make a new one. What follows them is folded along. Then guards
// are learnt again from the whole record, read as one, as long as that pays. At the end
// each state gets a line through the rows that reach it on that reading, drawn in towards
// the line through all rows.
//
// What the options leave open is judged on the last two fifths of y, each of which is
// forecast by what is learnt on all before it: by the product of the mean squared errors at
// all horizons, of which a less simple choice must gain a hundredth. All of y is then learnt
// with it. One learning sorts and cuts the rows of each state a few times; some sixty are
// done.
//
// It errs if the options are out of range, if y has a NaN or an infinite value or is too
// short for the window, the rows of a state and the horizons, and if ctx is done.
func FitAutomaton(ctx context.Context, y []float64, o Automaton) (*RegressionAutomaton, error) {
	return stop.Within(ctx, func() (*RegressionAutomaton, error) { return fitAutomaton(ctx, slices.Clone(y), o) })
}

func fitAutomaton(ctx context.Context, y []float64, o Automaton) (*RegressionAutomaton, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := checkValues(y); err != nil {
		return nil, err
	}
	o = o.filled()
	candidates := o.candidates()
	early, part := len(y)*3/5, len(y)*4/5
	if len(candidates) == 1 {
		early = len(y)
	}
	ahead := o.Horizons[len(o.Horizons)-1]
	widest := candidates[len(candidates)-1].Window
	if need := widest + ahead + o.LeastRows; early < need {
		return nil, fmt.Errorf("baseline: an automaton on windows of %d that forecasts %d ahead learns from %d rows or more, got %d of %d; take a shorter window or horizon, or fewer LeastRows",
			widest, ahead, need, early, len(y))
	}
	if len(candidates) == 1 {
		return build(y, candidates[0]), nil
	}
	margin := worthwhile * 2 * float64(len(o.Horizons))
	best, least := 0, math.Inf(1)
	for i, c := range candidates {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		loss := logLoss(build(y[:early], c), y[:part], early) + logLoss(build(y[:part], c), y, part)
		if loss < least-margin {
			best, least = i, loss
		}
	}
	return build(y, candidates[best]), nil
}

// logLoss returns the sum over the horizons of the logarithms of the mean squared errors
// of the rows from on.
func logLoss(a *RegressionAutomaton, y []float64, from int) (loss float64) {
	f := a.Filter()
	mean, sums := make([]float64, len(a.Horizons)), make([]float64, len(a.Horizons))
	for t, v := range y {
		f.Update(v)
		f.Forecast(mean, nil, a.Horizons)
		for k, h := range a.Horizons {
			if t+h >= from && t+h < len(y) {
				sums[k] += (y[t+h] - mean[k]) * (y[t+h] - mean[k])
			}
		}
	}
	for _, s := range sums {
		loss += math.Log(s + math.SmallestNonzeroFloat64)
	}
	return loss
}

// build learns the automaton of y with options that leave nothing open.
func build(y []float64, o Automaton) *RegressionAutomaton {
	tg := newTargets(y, o.Horizons, o.Means)
	a := &RegressionAutomaton{Horizons: o.Horizons, Mean: tg.mean, Chosen: o}
	for i, n := range refine(tg, learn(tg, o), o) {
		for k, to := range n.next {
			e := AutomatonEdge{From: i, To: to, Low: math.Inf(-1), High: math.Inf(1)}
			if k > 0 {
				e.Low = n.cuts[k-1]
			}
			if k < len(n.cuts) {
				e.High = n.cuts[k]
			}
			a.Edges = append(a.Edges, e)
		}
		a.States = append(a.States, AutomatonState{})
	}
	a.join()
	a.settle(tg)
	return a
}

// join makes one edge of neighbours that lead to the same state.
func (a *RegressionAutomaton) join() {
	edges := a.Edges[:1]
	for _, e := range a.Edges[1:] {
		if last := &edges[len(edges)-1]; last.From == e.From && last.To == e.To {
			last.High = e.High
		} else {
			edges = append(edges, e)
		}
	}
	a.Edges = edges
}

// settle reads the rows once from the start, and gives each state and horizon the line
// through the rows that reached it.
func (a *RegressionAutomaton) settle(tg *targets) {
	f := a.Filter().(*automatonFilter)
	reached := make([]*sums, len(a.States))
	at := make([]int, len(tg.y))
	for i := range reached {
		reached[i] = newSums(len(a.Horizons))
	}
	for t, v := range tg.y {
		a.Edges[f.edge(v)].Rows++
		f.Update(v)
		at[t] = f.state
		a.States[f.state].Rows++
		if t < tg.rows {
			reached[f.state].add(tg, t, 1)
		}
	}
	squares := make([][]float64, len(a.States)) // of what the lines leave of z
	for i := range squares {
		squares[i] = make([]float64, len(a.Horizons))
	}
	for k := range a.Horizons {
		for t, z := range tg.z[k] {
			c, b := reached[at[t]].line(tg, k)
			e := z - c - b*tg.x[t]
			squares[at[t]][k] += e * e
		}
	}
	for i := range a.States {
		a.States[i].fill(tg, reached[i], squares[i])
	}
}

// fill sets a state's lines in the units of the rows: those through all rows and, on top
// of these, its own. Its variances, too, start from that of all rows.
func (s *AutomatonState) fill(tg *targets, reached *sums, squares []float64) {
	x := 0.0
	if reached.n > 0 {
		x = reached.x / reached.n
	}
	s.Value = tg.mean + tg.scale*x
	for k, all := range tg.all {
		c, b := reached.line(tg, k)
		s.Lines = append(s.Lines, AutomatonLine{
			Mean:     all.Mean + all.Slope*tg.scale*x + tg.unit[k]*(c+b*x),
			Slope:    all.Slope + b*tg.unit[k]/tg.scale,
			Variance: tg.unit[k] * tg.unit[k] * (squares[k] + tg.shrinkage()) / (reached.n + tg.shrinkage()),
		})
	}
}
