package forecast

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn/internal/phrase"
)

// TwoRNN is the package's own forecaster; its zero value is the recommended one.
//
// Each of its parts is a 2-RNN that runs along the record on inputs of a constant, the
// row, and the place in the season: an autoregression, an ARIMA or an exponential
// smoothing is a linear innovations model; a regression on lags, smoothed columns,
// seasons and known columns keeps these in its state; products make it bilinear. And a
// weighted sum of 2-RNNs (h₀, A, Ω) and (h₀', A', Ω') is one 2-RNN on their states side
// by side,
//
//	w Ω h + w' Ω' h' = [wΩ  w'Ω'] (h ⊕ h'),   A_i ⊕ A'_i,   h₀ ⊕ h₀',
//
// so the combination stays in the class, before the transformations below.
//
// The parts race on rolling origins: the last 40 to 50 % of the training rows, in 3 to 5
// blocks, are each forecast from the rows before them. In the race are the target as it
// is and as its root or logarithm where its values allow; forecasts of the level, the
// change, the change over a season, and of that change's change; recent rows of the
// target or of all columns; recent rows weighing more; products of the features that
// matter most, held to their training range; autoregressions, ARIMA and exponential
// smoothing. The weights follow the errors on the rows held out; they are drawn to equal
// ones where these are few, and to persistence where the gain over it is no clearer than
// chance. Then all that has weight learns from all training rows.
//
// No forecast leaves the training range widened by half of itself, nor changes by more
// than half as much again as any change seen over its horizon. If outliers made such changes in the
// training rows, four times as large as any other, the bound is half as much again as those
// that were forecast in the rows held out, and persistence stands for a forecast beyond it. Where what it forecasts
// fails to come in the rows after the training part, it fades into persistence, and its
// intervals follow how often they missed: both are states, and need no new fit.
//
// Rows are learnt from in which all targets were measured; targets that share few such rows are
// learnt apart, so that one that is mostly missing does not spoil the others.
//
// A fit of n rows with P features costs O(n P² + P³) a horizon; beyond 16,000 rows the
// last ones are learnt from. It is deterministic. It errs if the training rows are too
// few for the horizons, or too many of a target's values are missing, and with ctx's
// error or that of Options.Recorder, which is told of each group of candidates.
type TwoRNN struct {
	// Keep returns the combination also where it lost to a simple method on the last
	// part of the training rows. See [Lost].
	Keep bool
}

var _ Method = TwoRNN{}

// String implements Method.
func (TwoRNN) String() string { return "2-RNN" }

// leastRows is what a training series must have, beside twice the largest horizon.
const leastRows = 20

// leastHeld is the number of held-out rows that a choice can rest on.
const leastHeld = 8

// Fit implements Method. The Forecaster is a *[Fitted].
func (m TwoRNN) Fit(ctx context.Context, train *datasets.Series, o Options) (Forecaster, error) {
	f, err := m.Learn(ctx, train, o)
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Learn is Fit with its own type.
func (m TwoRNN) Learn(ctx context.Context, train *datasets.Series, o Options) (*Fitted, error) {
	out := &Fitted{}
	f, err := fitWith(ctx, train, o, func(r *record, k *task) (engine, error) {
		if need := leastRows + 2*k.furthest(); r.n < need {
			return nil, fmt.Errorf("forecast: %s too few to choose a forecaster %s ahead; it needs %d, or take Persistence or AR", rowsAre(r.n), phrase.Count(k.furthest(), "row"), need)
		}
		out.mixture, out.Gaps = &mixture{Rows: r.n, k: k}, train.Gaps()
		out.Exams = make([]Exam, len(k.horizons)*len(k.targets))
		groups, done := r.together(k), 0
		for _, group := range groups {
			t := newContest(k.part(group), r)
			if x := t.sparsest(); len(x.truth) < leastHeld {
				return nil, fmt.Errorf("forecast: in only %s of the last half is %s measured %s ahead; leave out of Options.Targets what has so many missing values, or take Persistence", phrase.Count(len(x.truth), "row"), list(t.k.targetNames()), phrase.Count(x.h, "row"))
			}
			if err := t.run(ctx, o.Recorder, &done); err != nil {
				return nil, err
			}
			e, err := newMixture(ctx, t, m.weigh(t, group, out))
			if err != nil {
				return nil, err
			}
			out.mixture.join(e, group)
		}
		return out.mixture, nil
	})
	if err != nil {
		return nil, err
	}
	out.forecaster, out.Exact, out.Outliers = f, out.mixture.exact(), out.mixture.outliers()
	return out, nil
}

// weigh returns the weights by horizon, target and candidate, and enters exams and
// warnings. The targets of t have the places group among all.
func (m TwoRNN) weigh(t *contest, group []int, out *Fitted) [][][]float64 {
	weights := make([][][]float64, len(t.cells))
	for i, row := range t.cells {
		for c, x := range row {
			w := x.weights(len(x.blocks))
			e, simple, statistic := x.examine(t.k.columns[t.k.targets[c]])
			out.Exams[i*t.k.asked+group[c]] = e
			if e.RMSE > e.Simple && statistic > lostErrors {
				if !isRounding(e.RMSE-e.Simple, largest(x.truth), slices.Max(x.truth)-slices.Min(x.truth)) { // else it is a tie, of which nothing is to be said
					out.Warnings = append(out.Warnings, Lost{e, statistic, !m.Keep})
				}
				if !m.Keep {
					clear(w)
					w[simple] = 1
				}
			}
			weights[i] = append(weights[i], w)
		}
	}
	return weights
}

// Fitted is what TwoRNN has learnt.
type Fitted struct {
	*forecaster
	mixture *mixture
	// Gaps are those of the training rows, and tell of rows closer than their step. String says what became of them.
	Gaps datasets.Gaps
	// Exams say how the forecaster did on the last part of the training rows, by horizon
	// and target.
	Exams []Exam
	// Warnings has what it lost there.
	Warnings []Lost
	// Exact warns of the targets whose intervals have no width.
	Exact []Exact
	// Outliers warns of the targets of which changes in the training rows stood alone.
	Outliers []Outliers
}

// Interval returns the ends of intervals that cover what comes with the given
// probability, shaped like Forecast: from the errors on the rows held out, by horizon,
// and where the training rows say so with the size of the forecast or the place in the
// season. They widen and narrow as those of the rows since the
// training part missed more or less often than they should, but to no less than a quarter of what the rows
// held out say, and if more of these erred further than
// all rows held out than may be missed, they widen by as much. An interval holds its forecast, which is
// an expectation: where errors are skewed, as of a series that is 0 in most rows, this may lie beyond the
// ranks of errors that would do, and the interval then covers more than was asked for.
// Where a target was not measured in the last rows before t they widen by what it moved over as many rows before.
// Where no row held out was missed, or too few for the coverage, they have no width; Exact says so. It errs as Forecast
// does, and unless 0 < coverage < 1, and if the coverage is above 0.99 and more than the errors held out can tell: n of them tell of
// 1 − 1/(2(n+1)), and none of more than 0.999.
func (f *Fitted) Interval(s *datasets.Series, t int, coverage float64) (low, high *mat.Dense, err error) {
	if !(coverage > 0 && coverage < 1) {
		return nil, nil, badCoverage(coverage)
	}
	if err := f.mixture.canCover(coverage); err != nil {
		return nil, nil, err
	}
	mid, err := f.Forecast(nil, s, t)
	if mid == nil {
		return nil, nil, err
	}
	r, readErr := f.read(s)
	if readErr != nil {
		return nil, nil, readErr
	}
	low, high = f.task.sized(nil), f.task.sized(nil)
	for i := range f.task.horizons {
		for c := range f.task.targets {
			y := mid.At(i, c)
			lo, hi := y, y
			if !math.IsNaN(y) { // or its future is not known
				lo, hi = f.mixture.interval(r, r.row(t), i, c, coverage)
			}
			if now := r.row(t); f.mixture.Low[c] == 0 && slices.Min(r.v[f.task.targets[c]][:now+1]) >= 0 {
				lo = max(lo, min(y, 0)) // what never was negative stays so
			}
			low.Set(i, c, lo)
			high.Set(i, c, hi)
		}
	}
	return low, high, err
}

// String is the summary: the seasons, which may be of some targets alone (see [Options]), then for
// each target and horizon what was chosen, how it did on the last part of the training rows, and
// the warnings. What was chosen is named, with its weight, as in
//
//	14 %  root: all smooth, change, lambda 0.01, memory 0.3
//
// The words mean, in their order:
//
//   - root: what is forecast is the square root of the target; "level" is the target as it is, and
//     "log" its logarithm.
//   - all smooth: from what, beside the season and the Known columns. "own" is the recent rows of
//     the target, "all" those of all columns, and a 3 the last 3 of them. "fading": the older a row,
//     the more its coefficient is drawn to zero, and "own fading" has the target's running means
//     too. "smooth": as fading, with the running means of all columns. "products": all of these, and
//     the products of those that matter most; with a 0.3 these are drawn harder to zero, "few" have
//     the last 3 rows alone, and "now" multiplies the last row, the Known columns and the season.
//   - change: the distance from the last row is what is learnt; "level" is that from the mean of the
//     training rows, "change over 7 rows" that from the same place in the season of 7 rows, and
//     "change of change over 7 rows" how much that is more than at the last row.
//   - lambda: how hard all coefficients are drawn to zero, the weight of their squares in the ridge.
//   - memory: after which share of the training rows a row weighs half; 0 is never.
//
// AR, VAR, ARIMA and ETS are those methods, persistence is the last row, and "naive change over
// 7 rows" is the row at the same place in the season before.
func (f *Fitted) String() string {
	var b strings.Builder
	k := f.task
	fmt.Fprintf(&b, "2-RNN forecaster of %s, %s ahead, learnt from %s\n", list(k.targetNames()), numbers(k.horizons, "row"), phrase.Count(f.mixture.Rows-f.missing(), "row"))
	if text := gapsText(f.Gaps, k.steps); text != "" {
		b.WriteString(text + "\n")
	}
	if len(k.seasons) > 0 {
		fmt.Fprintf(&b, "seasons of %s\n", numbers(k.seasons, "row"))
	}
	for i, h := range k.horizons {
		for c := range k.targets {
			e := f.Exams[i*len(k.targets)+c]
			fmt.Fprintf(&b, "%s, %d ahead:\n%s", e.Target, h, f.mixture.Cells[i][c].describe())
			if e.N > 0 {
				fmt.Fprintf(&b, "  last %d training rows, from those before: RMSE %.4g, persistence %.4g, %s %.4g\n",
					e.N, e.RMSE, e.Persistence, e.SimpleName, e.Simple)
			}
		}
	}
	for _, w := range f.Warnings {
		fmt.Fprintf(&b, "warning: %v\n", w)
	}
	for _, w := range f.Exact {
		fmt.Fprintf(&b, "warning: %v\n", w)
	}
	for _, w := range f.Outliers {
		fmt.Fprintf(&b, "warning: %v\n", w)
	}
	return b.String()
}

// missing returns how many rows were put in.
func (f *Fitted) missing() int {
	if f.task.steps {
		return f.Gaps.Rows
	}
	return 0
}

// describe names the heaviest terms, one a line.
func (t terms) describe() string {
	const most = 3
	s := slices.Clone(t.Terms)
	slices.SortStableFunc(s, func(a, b term) int { return int(math.Copysign(1, b.Weight-a.Weight)) })
	var b strings.Builder
	rest := 1.0
	for _, e := range s[:min(most, len(s))] {
		fmt.Fprintf(&b, "  %3.0f %%  %s\n", 100*e.Weight, e.Name)
		rest -= e.Weight
	}
	if len(s) > most {
		fmt.Fprintf(&b, "  %3.0f %%  %d more\n", 100*max(0, rest), len(s)-most)
	}
	return b.String()
}

// list joins names.
func list(names []string) string { return strings.Join(names, ", ") }
