package baseline

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/twornn/spectral/twornn/internal/stop"
)

// ChooseETS fits the ETS of y with the least AIC: trends none, additive and damped; with
// a season of 2 to 24 rows, of which y holds two, seasons none, additive and, where all
// of y is positive, multiplicative. A season of 0 or 1 is none. It costs nine FitETS and
// errs as that does if no form can be fitted.
func ChooseETS(ctx context.Context, y []float64, season int) (*ETS, error) {
	return stop.Within(ctx, func() (*ETS, error) { return chooseETS(ctx, slices.Clone(y), season) })
}

func chooseETS(ctx context.Context, y []float64, season int) (*ETS, error) {
	if season < 0 {
		return nil, fmt.Errorf("baseline: the season is %d rows; give 0 for none", season)
	}
	seasons := []Seasonality{NoSeason}
	if season >= 2 && season <= seasonMost && len(y) >= 2*season {
		seasons = append(seasons, AdditiveSeason)
		if len(y) > 0 && slices.Min(y) > 0 {
			seasons = append(seasons, MultiplicativeSeason)
		}
	}
	var best *ETS
	var failed error
	for _, s := range seasons {
		for _, trend := range []Trend{NoTrend, AdditiveTrend, DampedTrend} {
			form := Form{trend, s, season}
			if s == NoSeason {
				form.Period = 0
			}
			m, err := fitETS(ctx, y, form)
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			switch {
			case err != nil && failed == nil:
				failed = err
			case err == nil && (best == nil || m.AIC() < best.AIC()):
				best = m
			}
		}
	}
	if best == nil {
		return nil, failed
	}
	return best, nil
}

// FitETS fits an ETS of the given form to y, rows evenly spaced, by its Gaussian
// likelihood: weights and the state before the first row by BFGS with exact gradients
// from a few starts, σ² in closed form. α is in (0, 1), β in (0, α), γ in (0, 1−α) and φ
// in (0.8, 0.98). An evaluation costs O(len(y)).
//
// It errs if the form is none or has no season to speak of, if y has a NaN or an
// infinite value or is too short, if the season multiplies and some value is not
// positive, and if ctx is done.
func FitETS(ctx context.Context, y []float64, form Form) (*ETS, error) {
	return stop.Within(ctx, func() (*ETS, error) { return fitETS(ctx, y, form) })
}

func fitETS(ctx context.Context, y []float64, form Form) (*ETS, error) {
	if err := form.check(); err != nil {
		return nil, err
	}
	if err := checkValues(y); err != nil {
		return nil, err
	}
	if need := max(form.Parameters()+2, 2*form.period()); len(y) < need {
		cure := "give more rows"
		if form.Season != 0 || form.Trend != 0 {
			cure += ", or leave out the season or the trend"
		}
		return nil, fmt.Errorf("baseline: ETS(%v) needs %d rows, got %d; %s", form, need, len(y), cure)
	}
	if form.Season == MultiplicativeSeason {
		if t := slices.IndexFunc(y, func(v float64) bool { return v <= 0 }); t >= 0 {
			return nil, fmt.Errorf("baseline: row %d is %v; a season that multiplies needs positive values: use AdditiveSeason", t, y[t])
		}
	}
	scale := stat.StdDev(y, nil)
	if most := floats.Norm(y, math.Inf(1)); scale <= constant*most {
		scale = most
	}
	if scale == 0 {
		scale = 1
	}
	y = slices.Clone(y)
	floats.Scale(1/scale, y)
	m := descendETS(ctx, y, form)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if m == nil {
		return nil, fmt.Errorf("baseline: ETS(%v) has no finite likelihood on these %d rows; use another form", form, len(y))
	}
	m.rescale(scale)
	return m, nil
}

// rescale turns a model of y/scale into one of y.
func (m *ETS) rescale(scale float64) {
	m.Level *= scale
	m.Slope *= scale
	if m.Season != MultiplicativeSeason {
		floats.Scale(scale, m.Seasonal)
	}
	m.Sigma2 *= scale * scale
	m.LogLik -= float64(m.N) * math.Log(scale)
}

// etsStarts are the logits of the weights that a fit starts from: quick smoothing, slow
// smoothing, and, where there is a trend, one whose slope follows as fast as the level
// (cycles have their best fit there). φ starts at 0.93 and γ at 0.05 of its range.
var etsStarts = []struct{ alpha, beta float64 }{{1, -3}, {-2, -3}, {2, 2}}

// descendETS returns the best of the fits from all starts, nil if none has a finite
// likelihood.
func descendETS(ctx context.Context, y []float64, form Form) *ETS {
	start := firstStates(y, form)
	unit := 1.0
	if form.Season == MultiplicativeSeason { // as far as one of the series' deviations goes
		unit = 1 / max(1, math.Abs(stat.Mean(y, nil)))
	}
	l := newETSLoss(form, y, start, unit)
	k := form.Parameters() - 1
	var best *ETS
	for _, logits := range etsStarts {
		if form.Trend == NoTrend && logits.beta > 0 {
			continue
		}
		x := make([]float64, 0, k)
		l.weights(&l.m, &l.dm, func(_, _ float64, v, _ *float64) {
			switch v {
			case &l.m.Alpha:
				x = append(x, logits.alpha)
			case &l.m.Beta:
				x = append(x, logits.beta)
			case &l.m.Phi:
				x = append(x, 1)
			default:
				x = append(x, -3)
			}
		})
		x = x[:k]
		x, at := bfgs{f: l.loss, iterations: 500, gradient: 1e-7, change: 1e-9}.minimise(ctx, x)
		if math.IsInf(at, 0) || math.IsNaN(at) {
			continue
		}
		n := float64(len(y))
		logLik := -n * (at + 0.5*(math.Log(2*math.Pi)+1))
		if best == nil || logLik > best.LogLik {
			l.set(x)
			sse, _ := l.forward()
			m := l.m
			m.Seasonal = slices.Clone(m.Seasonal)
			m.Sigma2, m.LogLik, m.N = sse/n, logLik, len(y)
			best = &m
		}
	}
	return best
}

// firstStates guesses the state before the first row: seasons from the first few of
// them, less a moving mean, then a line through the first rows without their season.
func firstStates(y []float64, form Form) *ETS {
	m := form.period()
	st := &ETS{Form: form, Seasonal: make([]float64, m)}
	multiplies := form.Season == MultiplicativeSeason
	head := slices.Clone(y[:min(len(y), max(10, 2*m))])
	if m > 1 {
		st.Seasonal = firstSeasons(y[:min(len(y), 5*m)], m, multiplies)
		for t := range head {
			if s := st.Seasonal[t%m]; multiplies {
				head[t] /= s
			} else {
				head[t] -= s
			}
		}
	}
	if form.Trend == NoTrend {
		st.Level = stat.Mean(head, nil)
		return st
	}
	rows := make([]float64, len(head))
	for t := range rows {
		rows[t] = float64(t + 1)
	}
	st.Level, st.Slope = stat.LinearRegression(rows, head, nil, false)
	if multiplies && st.Level <= 0 {
		st.Level, st.Slope = head[0], 0
	}
	return st
}

// firstSeasons returns the means of y's places in the season, less (or over) those of
// the season around each row, so that they add up to 0 (or to m).
func firstSeasons(y []float64, m int, multiplies bool) []float64 {
	sums, counts := make([]float64, m), make([]float64, m)
	for t, v := range y {
		from := min(max(0, t-m/2), len(y)-m)
		level := stat.Mean(y[from:from+m], nil)
		if multiplies {
			v /= level
		} else {
			v -= level
		}
		sums[t%m] += v
		counts[t%m]++
	}
	floats.Div(sums, counts)
	mean := stat.Mean(sums, nil)
	if multiplies {
		floats.Scale(1/mean, sums)
	} else {
		floats.AddConst(-mean, sums)
	}
	return sums
}
