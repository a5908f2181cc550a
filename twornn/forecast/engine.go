package forecast

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/internal/phrase"
	"github.com/twornn/spectral/twornn/internal/stop"
)

// engine is a learnt rule on a record: what the methods of this package share.
type engine interface {
	// forecast writes to dst, a row a horizon and a column a target, what is expected
	// after row t of r. Known columns of r that the record lacks are as they were last.
	forecast(dst *mat.Dense, r *record, t int)
}

// apart has engines that forecast some of the targets each.
type apart struct {
	engines []engine
	at      [][]int // the places of their targets
}

func (e apart) forecast(dst *mat.Dense, r *record, t int) {
	h, _ := dst.Dims()
	for i, part := range e.engines {
		x := mat.NewDense(h, len(e.at[i]), nil)
		part.forecast(x, r, t)
		for from, to := range e.at[i] {
			for row := range h {
				dst.Set(row, to, x.At(row, from))
			}
		}
	}
}

// forecaster turns an engine into a Forecaster. It keeps the record of the last
// series it was asked about, since a Series does not change.
type forecaster struct {
	engine
	task  *task
	start []float64

	mu     sync.Mutex
	series *datasets.Series
	record *record
}

// fitWith reads the training series, has an engine learnt on it, and wraps it.
func fitWith(ctx context.Context, train *datasets.Series, o Options, learn func(r *record, k *task) (engine, error)) (*forecaster, error) {
	return stop.Within(ctx, func() (*forecaster, error) { return fitNow(ctx, train, o, learn) })
}

// fitNow is fitWith, which may be late to see that ctx has ended.
func fitNow(ctx context.Context, train *datasets.Series, o Options, learn func(r *record, k *task) (engine, error)) (*forecaster, error) {
	if ctx.Err() != nil {
		return nil, stopped(ctx, "learning had begun")
	}
	if train == nil || train.Len() == 0 {
		return nil, fmt.Errorf("forecast: the training series has no rows; lower what is held back, or read more")
	}
	k, err := newTask(train, o)
	if err != nil {
		return nil, err
	}
	if k.steps = stepsIn(train); k.steps {
		k.first, k.step = train.Times()[0], stepOf(train.Gaps())
	}
	start, err := starts(train, k)
	if err != nil {
		return nil, err
	}
	r, err := newRecord(train, k, start)
	if err != nil {
		return nil, err
	}
	if err := r.tooSmall(k); err != nil {
		return nil, err
	}
	for _, j := range k.targets {
		if r.absent[j] != nil && !slices.Contains(r.absent[j], false) {
			return nil, fmt.Errorf("forecast: column %q has no value in the training rows; leave it out of Options.Targets", k.columns[j])
		}
	}
	if len(o.Seasons) == 0 {
		k.seasons, k.own = findSeasons(r, k, r.series)
	}
	e, err := learn(r, k)
	if err != nil && ctx.Err() != nil {
		return nil, stopped(ctx, "learning was done")
	}
	if err != nil {
		return nil, err
	}
	return &forecaster{engine: e, task: k, start: start}, nil
}

// errNoSeries is the error of a nil series.
var errNoSeries = errors.New("forecast: there is no series: it is nil; read one first, and look at the error that came with it")

// stopped is the error of a context that ended before something, which errors.Is finds.
func stopped(ctx context.Context, before string) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if !errors.Is(cause, err) {
		err = fmt.Errorf("%w (%w)", err, cause)
	}
	cure := "allow more time, or take fewer columns, targets or horizons"
	if errors.Is(err, context.Canceled) {
		cure = "the program or the user stopped it"
	}
	return fmt.Errorf("forecast: stopped before %s: %w; %s", before, err, cure)
}

// rowsAre returns "1 row is", "2 rows are".
func rowsAre(n int) string {
	if n == 1 {
		return "1 row is"
	}
	return phrase.Count(n, "row") + " are"
}

// read returns the record of s.
func (f *forecaster) read(s *datasets.Series) (*record, error) {
	if s == nil {
		return nil, errNoSeries
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.series != s {
		r, err := newRecord(s, f.task, f.start)
		if err != nil {
			return nil, err
		}
		rows, err := f.task.since(s)
		if err != nil {
			return nil, err
		}
		r.shift(rows, f.start)
		f.series, f.record = s, r
	}
	return f.record, nil
}

// Forecast implements Forecaster.
func (f *forecaster) Forecast(dst *mat.Dense, s *datasets.Series, t int) (*mat.Dense, error) {
	if s != nil && (t < 0 || t >= s.Len()) {
		panic("forecast: t is no row of the series")
	}
	dst = f.task.sized(dst)
	r, err := f.read(s)
	if err != nil {
		return nil, err
	}
	if err := f.task.measured(r, t); err != nil {
		return nil, err
	}
	f.engine.forecast(dst, r, r.row(t))
	if err := f.task.finite(dst, t); err != nil {
		return nil, err
	}
	return dst, f.task.future(dst, r, t)
}

// measured returns an error if a target has no value up to row t of the series as it came.
func (k *task) measured(r *record, t int) error {
	for _, j := range k.targets {
		if r.absent[j] == nil {
			continue
		}
		first := slices.Index(r.absent[j], false)
		if first >= 0 && first <= r.row(t) {
			continue
		}
		cure := "give rows in which it was measured, or learn without it in Options.Targets"
		if first >= 0 {
			cure = fmt.Sprintf("forecast from row %d on, where its first value is", r.cameAs(first))
		}
		return fmt.Errorf("forecast: column %q was not measured in any row up to row %d, so there is nothing to forecast it from; %s", k.columns[j], t, cure)
	}
	return nil
}

// finite returns an error if a forecast overflowed.
func (k *task) finite(dst *mat.Dense, t int) error {
	for i, h := range k.horizons {
		for c, j := range k.targets {
			if y := dst.At(i, c); !isFinite(y) {
				return fmt.Errorf("forecast: column %q, %s after row %d, is forecast as %v; see whether the record is in the units of the training rows, and learn anew", k.columns[j], phrase.Count(h, "row"), t, y)
			}
		}
	}
	return nil
}

// sized returns dst, allocated if nil or empty, of a row a horizon and a column a target.
func (k *task) sized(dst *mat.Dense) *mat.Dense {
	if dst == nil {
		dst = &mat.Dense{}
	}
	if dst.IsEmpty() {
		dst.ReuseAs(len(k.horizons), len(k.targets))
	}
	if h, p := dst.Dims(); h != len(k.horizons) || p != len(k.targets) {
		panic("forecast: dimension mismatch: dst")
	}
	return dst
}

// future blots out the forecasts that lack the future of a known column.
func (k *task) future(dst *mat.Dense, r *record, t int) error {
	var err error
	for i, h := range k.horizons {
		column, ahead := r.lacks(k, r.row(t), h)
		if ahead == 0 {
			continue
		}
		for c := range k.targets {
			dst.Set(i, c, math.NaN())
		}
		if err == nil {
			err = &FutureError{column, t, ahead}
		}
	}
	return err
}

// tell tells a Recorder, which may be nil.
func tell(rec twornn.Recorder, stage string, i int) error {
	if rec == nil {
		return nil
	}
	return rec.Record(twornn.Progress{Stage: stage, Iteration: i})
}
