package forecast

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
	"github.com/twornn/spectral/twornn/internal/phrase"
)

// Options say what is to be forecast. They are the same for every Method, so that a
// comparison scores all on the same targets.
type Options struct {
	// Targets are the columns to forecast. None means all that are not Known.
	Targets []string
	// Horizons are the numbers of rows ahead, each positive. None means 1.
	Horizons []int
	// Known are the columns whose values after the row of the forecast are known when
	// it is made: a calendar, a plan, the input of a system. They are no targets.
	Known []string
	// Seasons are the numbers of rows in a season, several if they are nested, such as
	// 24 and 168, each once; 1 alone says that there is no season. None means found from the
	// training rows, of the lengths that are usual at the step of the times: a day and a week of
	// hours, a week and a year of days and the like, or without times 4, 7, 12, 24, 52, 168 and 365
	// rows. What a third of the targets show is taken for all of them, what fewer show clearly for
	// these alone, which then are learnt apart.
	Seasons []int
	// Recorder is told of the steps of a fit. Nil is silent.
	Recorder twornn.Recorder
}

// Method is a way to learn a forecaster from the training rows alone.
type Method interface {
	// Fit learns from train. It errs if train lacks a column that o names or has too
	// few rows, and with ctx's error when ctx is done.
	Fit(ctx context.Context, train *datasets.Series, o Options) (Forecaster, error)
	// String names the method in tables.
	String() string
}

// Forecaster is what a Method has learnt. It serves many goroutines.
type Forecaster interface {
	// Forecast gives what is expected Horizons rows after row t of s, from rows 0 to t
	// of s and the Known columns up to t + the horizon: a row a horizon, a column a
	// target. Rows that are missing in gaps count (see the package's doc). s may hold fewer or
	// more rows than the training rows, and new ones need no new fit. Where rows have times with a
	// step it may begin at any of them, as seasons go on by the times; else row 0 must have the
	// place in the season that the first training row had. dst is allocated if nil or empty.
	//
	// If the Known columns end before t + a horizon, or lack a value up to there in a row of s, that
	// row of dst is NaN and the error is a *[FutureError]; the other rows are good.
	//
	// It errs if s lacks a column or has another step, or if a target was not measured in any row up to t, and panics if t is no row of s or dst has a wrong
	// shape.
	Forecast(dst *mat.Dense, s *datasets.Series, t int) (*mat.Dense, error)
}

// FutureError says that a forecast needs a value of a Known column that s lacks, Horizon rows
// after the row that it is made from.
type FutureError struct {
	Column       string
	Row, Horizon int
}

// Error implements error.
func (e *FutureError) Error() string {
	return fmt.Sprintf("forecast: %s after row %d the known column %q has no value; fill it in, %s", phrase.Count(e.Horizon, "row"), e.Row, e.Column, beyondEnd)
}

const beyondEnd = "or beyond the end append rows with future values, and NaN elsewhere"

// LeftOut says which forecasts could not be made, since a Known column has no value in a row
// from there to the row forecast. None are if Forecasts is 0.
type LeftOut struct {
	// Forecasts are those left out, of so many asked for: by row and horizon, all targets one.
	Forecasts, Of int
	Columns       []string // that lack values, in the order in which that was seen
	First         *FutureError
}

// String says it in a line, nothing if none are left out.
func (l LeftOut) String() string {
	if l.Forecasts == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %s left out for want of known values of %s, the first %s after row %d: fill them in, %s",
		l.Forecasts, phrase.Count(l.Of, "forecast"), strings.Join(l.Columns, ", "), phrase.Count(l.First.Horizon, "row"), l.First.Row, beyondEnd)
}

// add counts a forecast that is left out.
func (l *LeftOut) add(e FutureError) {
	if l.Forecasts++; l.First == nil {
		l.First = &e
	}
	if !slices.Contains(l.Columns, e.Column) {
		l.Columns = append(l.Columns, e.Column)
	}
}

// err is the error if all forecasts are left out.
func (l *LeftOut) err() error {
	if l.Forecasts == 0 || l.Forecasts < l.Of {
		return nil
	}
	if l.Of == 1 {
		return l.First
	}
	return fmt.Errorf("forecast: none of %s can be made: %w", phrase.Count(l.Of, "forecast"), l.First)
}

// step is that of times: a duration, or months.
type step struct {
	time   time.Duration
	months int
}

func stepOf(g datasets.Gaps) step { return step{g.Step, g.Months} }

func (s step) String() string {
	if s.months > 0 {
		return phrase.Count(s.months, "month")
	}
	return s.time.String()
}

// mostAhead bounds rows looked back over, by lags and seasons; mostHorizon those looked ahead.
const mostAhead, mostHorizon = 1 << 20, 1 << 16

// task is Options made complete for one training series.
type task struct {
	columns  []string // all that the methods read, in the order of the series
	targets  []int    // into columns
	asked    int      // targets of the whole task, of which these may be a part
	known    []int    // into columns, increasing
	horizons []int
	seasons  []int     // increasing; nil if none
	own      [][]int   // by target, of these; nil if all are of every target
	steps    bool      // rows that are missing in gaps are put in, so that a row is a step
	first    time.Time // of the rows learnt from; zero if rows are no steps
	step     step      // of their times
}

// newTask checks o against the training series and fills in what is zero.
func newTask(train *datasets.Series, o Options) (*task, error) {
	k := &task{columns: train.Columns(), horizons: slices.Clone(o.Horizons), seasons: slices.Clone(o.Seasons)}
	find := func(names []string, what string) ([]int, error) {
		var at []int
		for _, name := range names {
			j := slices.Index(k.columns, name)
			if j < 0 {
				return nil, fmt.Errorf("forecast: %s names %q, which is no column; there are %q", what, name, k.columns)
			}
			if slices.Contains(at, j) {
				return nil, fmt.Errorf("forecast: %s names %q twice; name it once", what, name)
			}
			at = append(at, j)
		}
		return at, nil
	}
	var err error
	if k.known, err = find(o.Known, "Options.Known"); err != nil {
		return nil, err
	}
	slices.Sort(k.known)
	if k.targets, err = find(o.Targets, "Options.Targets"); err != nil {
		return nil, err
	}
	if len(o.Targets) == 0 {
		for j := range k.columns {
			if !slices.Contains(k.known, j) {
				k.targets = append(k.targets, j)
			}
		}
	}
	if k.asked = len(k.targets); k.asked == 0 {
		return nil, errors.New("forecast: no target is left; leave a column out of Options.Known")
	}
	for _, j := range k.targets {
		if slices.Contains(k.known, j) {
			return nil, fmt.Errorf("forecast: %q is a target and Known; it can't be both", k.columns[j])
		}
	}
	return k, k.checkNumbers()
}

// checkNumbers checks horizons and seasons and fills in the default horizon.
func (k *task) checkNumbers() error {
	if len(k.horizons) == 0 {
		k.horizons = []int{1}
	}
	for i, h := range k.horizons {
		if h <= 0 || h >= mostHorizon || slices.Contains(k.horizons[:i], h) {
			return fmt.Errorf("forecast: Options.Horizons has %d; each must be positive, less than %d and named once", h, mostHorizon)
		}
	}
	if slices.Equal(k.seasons, []int{1}) {
		k.seasons = nil // asked for none
	}
	for i, s := range k.seasons {
		if s < 2 || s >= mostAhead || slices.Contains(k.seasons[:i], s) {
			return fmt.Errorf("forecast: Options.Seasons has %d; give the rows in a season, 2 to %d and each once, or 1 alone for no season, or leave it empty to have them found", s, mostAhead-1)
		}
	}
	slices.Sort(k.seasons)
	return nil
}

// furthest returns the largest horizon.
func (k *task) furthest() int { return slices.Max(k.horizons) }

// seasonsOf returns the seasons of target c.
func (k *task) seasonsOf(c int) []int {
	if k.own == nil {
		return k.seasons
	}
	return k.own[c]
}

// alike returns the targets in groups of like seasons, by their places in k.targets.
func (k *task) alike() [][]int {
	var groups [][]int
	for c := range k.targets {
		i := slices.IndexFunc(groups, func(g []int) bool { return slices.Equal(k.seasonsOf(g[0]), k.seasonsOf(c)) })
		if i < 0 {
			i, groups = len(groups), append(groups, nil)
		}
		groups[i] = append(groups[i], c)
	}
	return groups
}

// part returns the task of some of the targets, which have like seasons.
func (k *task) part(group []int) *task {
	part := *k
	part.targets, part.seasons, part.own = nil, k.seasonsOf(group[0]), nil
	for _, c := range group {
		part.targets = append(part.targets, k.targets[c])
	}
	return &part
}

func (k *task) targetNames() []string {
	var names []string
	for _, j := range k.targets {
		names = append(names, k.columns[j])
	}
	return names
}
