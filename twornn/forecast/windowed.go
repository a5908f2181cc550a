package forecast

import (
	"context"
	"fmt"
	"iter"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/baseline"
)

// Spectral forecasts by the paper's own recipe, a linear 2-RNN on windows: for each
// horizon the Hankel tensors of windows of 1 and the scaled columns are recovered by
// TIHT, and the model is read off them with the empty word in the basis (Appendix B).
type Spectral struct {
	// L is the paper's L; windows have 2L+1 rows. States is the rank. Where either is
	// zero it is the best of L up to 3 and of 2, 3, 5 and 10 states, on the last fifth of
	// the training rows. The paper's Section 5 has 3 and 10, which need its many rows.
	L, States int
	// Refine goes on from there by stochastic gradient descent, the paper's TIHT+SGD.
	Refine bool
}

// Network forecasts by a recurrent network on windows of scaled columns: one layer of
// cells and one dense layer for all targets and horizons, by Adam with early stopping.
// See [baseline.FitRNN] and [baseline.FitLSTM].
type Network struct {
	// LSTM takes LSTM cells. False means plain tanh cells.
	LSTM bool
	// Rows is the length of the windows. Zero means 12.
	Rows int
	// Options are those of the network.
	Options baseline.LSTM
}

var _, _ Method = Spectral{}, Network{}

// String implements Method.
func (m Spectral) String() string {
	if m.Refine {
		return "TIHT+SGD"
	}
	return "TIHT"
}

// String implements Method.
func (m Network) String() string {
	if m.LSTM {
		return "LSTM"
	}
	return "RNN"
}

// mostHankel bounds the unknowns of a Hankel tensor of Spectral.
const mostHankel = 20000

// Fit implements Method.
func (m Spectral) Fit(ctx context.Context, train *datasets.Series, o Options) (Forecaster, error) {
	if err := notNegative("Spectral.L", m.L); err != nil {
		return nil, err
	}
	if err := notNegative("Spectral.States", m.States); err != nil {
		return nil, err
	}
	return done(fitWith(ctx, train, o, func(r *record, k *task) (engine, error) {
		e := &perHorizon{k: k}
		for i := range k.horizons {
			w, err := m.choose(ctx, r, k, k.horizons[i:i+1], o.Recorder)
			if err != nil {
				return nil, fmt.Errorf("forecast: %s, %d ahead: %w", m, k.horizons[i], err)
			}
			e.parts = append(e.parts, w)
		}
		return e, nil
	}))
}

// choices lists what L and States leave open, as far as the tensors are small.
func (m Spectral) choices(k *task) []Spectral {
	ls, states := []int{1, 2, 3}, []int{2, 3, 5, 10}
	if m.L > 0 {
		ls = []int{m.L}
	}
	if m.States > 0 {
		states = []int{m.States}
	}
	var out []Spectral
	for _, l := range ls {
		if math.Pow(float64(1+len(k.columns)), float64(2*l+1))*float64(len(k.targets)) > mostHankel {
			break
		}
		for _, n := range states {
			out = append(out, Spectral{l, n, m.Refine})
		}
	}
	return out
}

// choose learns the member that forecasts the last fifth best.
func (m Spectral) choose(ctx context.Context, r *record, k *task, horizon []int, rec twornn.Recorder) (*windowed, error) {
	all := m.choices(k)
	if len(all) == 0 {
		return nil, fmt.Errorf("a window of %d columns has more than %d unknowns; select fewer columns or lower L", len(k.columns), mostHankel)
	}
	if need := 2*all[0].L + 1 + horizon[0]; r.n < need {
		return nil, tooFewWindows(r.n, 2*all[0].L+1, horizon[0])
	}
	best, least := all[0], math.Inf(1)
	for _, c := range all {
		if len(all) == 1 {
			break
		}
		c.Refine = false
		e, err := c.learn(ctx, r, k, horizon, 4*r.n/5, rec)
		if err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			continue // more states than such windows can have
		}
		if s := e.error(r, 4*r.n/5); s < least {
			best, least = c, s
		}
	}
	if math.IsInf(least, 1) && m.States == 0 {
		best.States = 1 // columns that do not move carry no more
	}
	best.Refine = m.Refine
	return best.learn(ctx, r, k, horizon, r.n, rec)
}

// learn learns from the rows before end.
func (m Spectral) learn(ctx context.Context, r *record, k *task, horizon []int, end int, rec twornn.Recorder) (*windowed, error) {
	e := newWindowed(k, r, 2*m.L+1)
	e.horizons = horizon
	data := e.sequences(r, end, true)
	fit, err := twornn.Fit(ctx, data, twornn.Options{L: m.L, Rank: m.States, Basis: twornn.UpToLength, Recovery: twornn.TIHT{}, Recorder: rec})
	if err != nil {
		return nil, err
	}
	model := fit.Model
	if m.Refine {
		if model, _, err = (twornn.Adam{}).Refine(ctx, model, data, rec); err != nil {
			return nil, err
		}
	}
	e.model = model
	return e, nil
}

// perHorizon has a windowed model for each horizon.
type perHorizon struct {
	k     *task
	parts []*windowed
}

func (e *perHorizon) forecast(dst *mat.Dense, r *record, t int) {
	_, p := dst.Dims()
	for i, w := range e.parts {
		w.forecast(dst.Slice(i, i+1, 0, p).(*mat.Dense), r, t)
	}
}

// Fit implements Method.
func (m Network) Fit(ctx context.Context, train *datasets.Series, o Options) (Forecaster, error) {
	length := m.Rows
	if length == 0 {
		length = 12
	}
	if err := notNegative("Network.Rows", m.Rows); err != nil {
		return nil, err
	}
	return done(fitWith(ctx, train, o, func(r *record, k *task) (engine, error) {
		if r.n-k.furthest() < length { // their sum may overflow
			return nil, fmt.Errorf("forecast: %s: %w", m, tooFewWindows(r.n, length, k.furthest()))
		}
		e := newWindowed(k, r, length)
		data := e.sequences(r, r.n, false)
		var net *baseline.Network
		var err error
		if m.LSTM {
			net, _, err = baseline.FitLSTM(ctx, data, m.Options, o.Recorder)
		} else {
			net, _, err = baseline.FitRNN(ctx, data, baseline.RNN(m.Options), o.Recorder)
		}
		if err != nil {
			return nil, fmt.Errorf("forecast: %s: %w", m, err)
		}
		e.model = net
		return e, nil
	}))
}

func tooFewWindows(n, length, ahead int) error {
	return fmt.Errorf("%s too few for a window of %d and what comes after it; it needs %d at the least, and many more to learn from, or take Persistence", rowsAre(n), length, uint64(length)+uint64(ahead))
}

// windowed forecasts its horizons from the last rows, scaled.
type windowed struct {
	k         *task
	horizons  []int
	length    int
	mean, std []float64 // by column
	model     twornn.Predictor
}

func newWindowed(k *task, r *record, length int) *windowed {
	e := &windowed{k: k, horizons: k.horizons, length: length}
	for _, v := range r.v {
		m, s, size := mean(v), 0.0, 0.0
		for _, x := range v {
			s += (x - m) * (x - m) / float64(len(v))
			size = max(size, math.Abs(x))
		}
		// What varies by rounding alone must not be scaled up to 1.
		if s = math.Sqrt(s); !(s > 1e-12*size) {
			s = 1
		}
		e.mean, e.std = append(e.mean, m), append(e.std, s)
	}
	return e
}

// input returns the window that ends in row t: a 1 and the columns. Rows before the
// first are as the first.
func (e *windowed) input(r *record, t int) *mat.Dense {
	x := mat.NewDense(e.length, 1+len(r.v), nil)
	for i := range e.length {
		row := x.RawRowView(i)
		row[0] = 1
		for j, v := range r.v {
			row[1+j] = (v[max(t-e.length+1+i, 0)] - e.mean[j]) / e.std[j]
		}
	}
	return x
}

// sequences yields the windows of the rows before end with the targets after their last
// row, or after each row, horizon by horizon.
func (e *windowed) sequences(r *record, end int, each bool) iter.Seq[twornn.Sequence] {
	far, rows := slices.Max(e.horizons), 1
	if each {
		rows = e.length
	}
	return func(yield func(twornn.Sequence) bool) {
		for t := e.length - 1; t+far < end; t++ {
			y := mat.NewDense(rows, len(e.horizons)*len(e.k.targets), nil)
			for row := range rows {
				for i, h := range e.horizons {
					for c, j := range e.k.targets {
						y.Set(row, i*len(e.k.targets)+c, (r.v[j][t-rows+1+row+h]-e.mean[j])/e.std[j])
					}
				}
			}
			if !yield(twornn.Sequence{X: e.input(r, t), Y: y}) {
				return
			}
		}
	}
}

// error returns the mean squared error over all targets, in units of their variances,
// of the rows from from on.
func (e *windowed) error(r *record, from int) float64 {
	sum, n := 0.0, 0
	for t := from - e.horizons[0]; t+slices.Max(e.horizons) < r.n; t++ {
		y := e.model.Predict(nil, e.input(r, t))
		for i, h := range e.horizons {
			for c, j := range e.k.targets {
				d := y[i*len(e.k.targets)+c] - (r.v[j][t+h]-e.mean[j])/e.std[j]
				sum += d * d
				n++
			}
		}
	}
	return sum / float64(n)
}

func (e *windowed) forecast(dst *mat.Dense, r *record, t int) {
	y := e.model.Predict(nil, e.input(r, t))
	for i := range e.horizons {
		for c, j := range e.k.targets {
			dst.Set(i, c, e.mean[j]+e.std[j]*y[i*len(e.k.targets)+c])
		}
	}
}
