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

// Ridge is a regression for each target and horizon, shrunk by the ridge, on the last
// rows of all columns, the rows one and two seasons before the row forecast, dummies
// (a season up to 24) or three waves, and the Known columns up to the row forecast. It
// explains the target, its change, or its change over a season. The number of rows, the
// weight and that choice do best on the last fifth of the training rows, as forecast
// from the others; then it learns from all. Forecasts are held to the training range,
// widened by itself on both sides. Targets that share few rows in which they were measured are
// learnt apart.
type Ridge struct {
	// Products adds all squares and pairwise products of the features that matter most,
	// held to their training range, where they gain half a percent on that fifth.
	Products bool
}

var _ Method = Ridge{}

// String implements Method.
func (m Ridge) String() string {
	if m.Products {
		return "ridge+products"
	}
	return "ridge"
}

// ridgeGrid are the weights that are tried.
var ridgeGrid = grid{lambdas: []float64{1e-12, 1e-7, 1e-5, 1e-3, 3e-3, 0.01, 0.03, 0.1, 0.3, 1, 3}, memories: []float64{0}}

// ridgeGain is what products must gain in RMSE on the rows held out.
const ridgeGain = 0.005

// Fit implements Method.
func (m Ridge) Fit(ctx context.Context, train *datasets.Series, o Options) (Forecaster, error) {
	return done(fitWith(ctx, train, o, func(r *record, k *task) (engine, error) {
		var parts apart
		for _, group := range r.together(k) {
			e, err := m.learn(ctx, r, k.part(group))
			if err != nil {
				return nil, err
			}
			parts.engines, parts.at = append(parts.engines, e), append(parts.at, group)
		}
		return parts, nil
	}))
}

// learn learns the regressions of all horizons.
func (m Ridge) learn(ctx context.Context, r *record, k *task) (*regressions, error) {
	e := &regressions{k: k}
	e.bounds(r)
	for _, h := range k.horizons {
		if need := 2*h + 8; r.n < need {
			return nil, fmt.Errorf("forecast: %s too few for a regression %s ahead; it needs %d, or take Persistence or Mean", rowsAre(r.n), phrase.Count(h, "row"), need)
		}
		d, l, err := m.choose(ctx, k, r, h)
		if err != nil {
			return nil, err
		}
		e.designs, e.targets = append(e.designs, d), append(e.targets, l)
	}
	return e, nil
}

// ridgeLags are the numbers of recent rows that are tried.
var ridgeLags = []int{1, 2, 3, 6, 8, 16, 24, 36, 48}

// choose returns the best regressions of one horizon: one choice for all targets, by
// the mean over them of the squared error over that of persistence.
func (m Ridge) choose(ctx context.Context, k *task, r *record, h int) (*design, []*linear, error) {
	an := slices.DeleteFunc(anchors(k, r.n), func(a anchor) bool { return a.Kind == fromBoth })
	least := math.Inf(1)
	var best *stage
	var member choice
	var of family
	try := func(s *stage, f family) {
		score := map[choice]float64{}
		unit := s.persistence()
		s.evaluate(f, ridgeGrid, func(c int, ch choice, forecasts []float64) {
			score[ch] += s.error(forecasts, c) / unit[c]
			if c == len(k.targets)-1 && score[ch] < least {
				least, best, member, of = score[ch], s, ch, f
			}
		})
	}
	for _, products := range []bool{false, true}[:1+int(flag(m.Products))] {
		if products {
			least *= (1 - ridgeGain) * (1 - ridgeGain)
		}
		for _, p := range ridgeLags {
			if p > 1 && (p > r.n/10 || p*len(k.columns) > r.n/4) {
				break
			}
			d := &design{H: h, warps: make([]warp, len(k.columns)), Features: ridgeFeatures(k, r.n, h, p, products)}
			s, err := newStage(ctx, k, r, d, split{bounds: []int{0, 4 * r.n / 5, r.n}, lead: 1}, an, needs(d), true)
			if err != nil {
				return nil, nil, err
			}
			if !products {
				try(s, s.family(fmt.Sprintf("rows %d", p), -1, everyFeature))
				continue
			}
			for _, weight := range []float64{1, 0.3, 0.1} {
				try(s, s.family(fmt.Sprintf("rows %d, products", p), -1, func(f *feature, _ int) float64 {
					if f.Kind == product {
						return weight
					}
					return 1
				}))
			}
		}
	}
	if best == nil {
		return nil, nil, fmt.Errorf("forecast: no row of the last fifth can be forecast %s ahead of %s; give more rows, or leave out targets with many missing values", phrase.Count(h, "row"), strings.Join(k.targetNames(), ", "))
	}
	var out []*linear
	for c := range k.targets {
		out = append(out, best.learn(of, member, c))
	}
	return best.d, out, nil
}

// everyFeature has all features of a design alike.
func everyFeature(*feature, int) float64 { return 1 }

// needs returns the first row that has all the lags of a design.
func needs(d *design) int {
	first := 0
	for _, f := range d.Features {
		switch f.Kind {
		case lag:
			first = max(first, f.Shift)
		case aligned:
			first = max(first, f.Shift-d.H)
		}
	}
	return first
}

// ridgeFeatures lists p lags, aligned rows, seasons and known columns.
func ridgeFeatures(k *task, n, h, p int, products bool) []feature {
	c := &cataloguer{k: k, n: n, h: h}
	for j := range k.columns {
		for s := range p {
			c.add(feature{Kind: lag, Column: j, Shift: s})
		}
		for _, season := range k.seasons {
			back := (h + season - 1) / season * season
			for _, shift := range []int{back, back + season} {
				if 3*season <= n {
					c.add(feature{Kind: aligned, Column: j, Shift: shift, Period: season})
				}
			}
		}
	}
	c.seasons()
	c.knowns()
	if products {
		c.products()
	}
	return c.list
}

// regressions are a linear for each horizon and target.
type regressions struct {
	k         *task
	designs   []*design   // by horizon
	targets   [][]*linear // by horizon and target
	low, high []float64   // by target: the training range, widened by itself
}

// bounds sets the range that forecasts are held to.
func (e *regressions) bounds(r *record) {
	for _, j := range e.k.targets {
		lo, hi := slices.Min(r.v[j]), slices.Max(r.v[j])
		e.low, e.high = append(e.low, lo-(hi-lo)), append(e.high, hi+(hi-lo))
	}
}

func (e *regressions) forecast(dst *mat.Dense, r *record, t int) {
	for i, d := range e.designs {
		src := r.source(d.warps)
		x := make([]float64, 1+len(d.Features))
		d.fill(x, src, []int{t})
		for c, l := range e.targets[i] {
			dst.Set(i, c, min(max(l.value(d, e.k.targets[c], src, x, t), e.low[c]), e.high[c]))
		}
	}
}
