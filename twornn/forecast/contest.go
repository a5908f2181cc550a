package forecast

import (
	"context"
	"runtime"
	"sync"

	"github.com/twornn/spectral/twornn"
)

// contest is the race of all candidates on the rolling origins of one series.
type contest struct {
	k     *task
	r     *record
	split split
	warps [][]warp // sets of transformations: as it is, and transformed
	first int
	ok    []func(t int) bool // by horizon: which rows can be learnt from
	cells [][]*cell          // by horizon and target
}

// newContest cuts the rows and finds the transformations.
func newContest(k *task, r *record) *contest {
	t := &contest{k: k, r: r, split: newSplit(r.n, k.seasons)}
	t.first = max(min(r.n/8, mostLags), t.split.bounds[0])
	plain, bent := make([]warp, len(k.columns)), make([]warp, len(k.columns))
	kind := identity
	for _, j := range k.targets {
		bent[j] = warpFor(r.v[j])
		kind = max(kind, bent[j].Kind)
	}
	for j := range k.columns {
		// Ratios of columns are sums where all are logarithms.
		if !k.isTarget(j) {
			bent[j] = warpTo(kind, r.v[j])
		}
	}
	t.warps = [][]warp{plain}
	if kind != identity {
		t.warps = append(t.warps, bent)
	}
	for _, h := range k.horizons {
		var row []*cell
		t.ok = append(t.ok, r.learnable(k, h))
		for c := range k.targets {
			row = append(row, t.newCell(len(t.cells), h, c))
		}
		t.cells = append(t.cells, row)
	}
	return t
}

// newCell makes the race of target c at horizon h, the i-th.
func (t *contest) newCell(i, h, c int) *cell {
	x := &cell{h: h, target: c}
	v := t.r.v[t.k.targets[c]]
	for g := t.split.lead; g < t.split.segments(); g++ {
		rows := t.split.held(g, t.first, h, t.ok[i])
		x.rows, x.blocks = append(x.rows, rows...), append(x.blocks, len(rows))
	}
	for _, row := range x.rows {
		x.truth, x.last = append(x.truth, v[row+h]), append(x.last, v[row])
	}
	return x
}

// sparsest returns the cell with the fewest rows held out.
func (t *contest) sparsest() *cell {
	least := t.cells[0][0]
	for _, row := range t.cells {
		if x := row[0]; len(x.truth) < len(least.truth) {
			least = x
		}
	}
	return least
}

// run enters all candidates. rec is told of each group that is done, counted on from done.
func (t *contest) run(ctx context.Context, rec twornn.Recorder, done *int) error {
	t.addAnchors()
	type job func() ([]func(), error)
	var jobs []job
	for w := range t.warps {
		for i := range t.k.horizons {
			jobs = append(jobs, func() ([]func(), error) { return t.regressions(ctx, w, i) })
		}
	}
	for w := range t.warps {
		for _, m := range pathMakers(t.k, t.r.n) {
			if t.warps[w][m.columns[0]].Kind == identity && w > 0 && len(m.columns) == 1 {
				continue
			}
			jobs = append(jobs, func() ([]func(), error) { return t.paths(ctx, w, m) })
		}
	}
	// Each job is on its own; what they found is entered in their order. One that fails, or is told
	// to stop, stops the others.
	outer := ctx
	ctx, stop := context.WithCancelCause(outer) // ctx is that of the jobs
	defer stop(nil)
	entries, errs := make([][]func(), len(jobs)), make([]error, len(jobs))
	var mu sync.Mutex
	var wg sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, j := range jobs {
		wg.Add(1)
		slots <- struct{}{}
		go func() {
			defer func() { <-slots; wg.Done() }()
			err := ctx.Err()
			if err == nil {
				entries[i], err = j()
			}
			if err == nil {
				mu.Lock()
				*done++
				err = tell(rec, "candidates", *done)
				mu.Unlock()
			}
			if errs[i] = err; err != nil {
				stop(err)
			}
		}()
	}
	wg.Wait()
	if ctx.Err() != nil && outer.Err() == nil {
		return context.Cause(ctx)
	}
	for i := range jobs {
		if errs[i] != nil {
			return errs[i]
		}
		for _, enter := range entries[i] {
			enter()
		}
	}
	return nil
}

// addAnchors enters persistence and the like.
func (t *contest) addAnchors() {
	for _, row := range t.cells {
		for _, x := range row {
			v := t.r.v[t.k.targets[x.target]]
			for _, a := range anchors(t.k, t.r.n) {
				if a.Kind == fromMean {
					continue
				}
				c := &candidate{name: "naive " + a.String(), learn: func(context.Context) (piece, error) { return piece{Anchor: &a}, nil }}
				if a.Kind == fromLast {
					c.name = "persistence"
				}
				for _, i := range x.rows {
					c.forecasts = append(c.forecasts, a.at(v, 0, i, x.h))
				}
				x.add(c)
			}
		}
	}
}

// regressions enters the best members of all families of one horizon.
func (t *contest) regressions(ctx context.Context, w, i int) ([]func(), error) {
	h := t.k.horizons[i]
	d := &design{H: h, Set: w, warps: t.warps[w], Features: catalogue(t.k, t.r.n, h)}
	s, err := newStage(ctx, t.k, t.r, d, t.split, anchors(t.k, t.r.n), t.first, false)
	if err != nil {
		return nil, err
	}
	var out []func()
	for _, f := range families(s) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g := regressionGrid
		if len(f.use) > largeFamily {
			g = coarseGrid
		}
		for c, x := range s.best(f, g) {
			if x == nil || w > 0 && t.warps[w][t.k.targets[c]].Kind == identity {
				continue
			}
			x.name = t.warps[w][t.k.targets[c]].Kind.String() + ": " + x.name
			out = append(out, func() { t.cells[i][c].add(x) })
		}
	}
	return out, nil
}

// The members of each family; a family of many features has fewer, to save time.
var (
	regressionGrid = grid{lambdas: []float64{1e-6, 1e-4, 1e-3, 1e-2, 0.1, 0.5, 3}, memories: []float64{0, 0.3}}
	coarseGrid     = grid{lambdas: []float64{1e-6, 1e-4, 1e-2, 0.1, 0.5}, memories: []float64{0, 0.3}}
)

// largeFamily is the number of features above which the coarse grid is taken.
const largeFamily = 200

// paths enters a state-space model, learnt anew at each origin.
func (t *contest) paths(ctx context.Context, w int, m pathMaker) ([]func(), error) {
	warps := t.warps[w]
	out := make([]*candidate, len(t.k.horizons)*len(t.k.targets))
	var before *path
	for g := t.split.lead; g < t.split.segments(); g++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		p, err := learnPath(ctx, m, t.r, warps, t.k.horizons, t.split.bounds[g], before)
		if err != nil {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, nil // what can't be learnt does not take part
		}
		before = p
		for i, h := range t.k.horizons {
			rows := t.split.held(g, t.first, h, t.ok[i])
			f := p.forecasts(t.r, warps, rows, t.k.horizons)[i]
			for c, j := range t.k.targets {
				at := p.place(j)
				if at < 0 {
					continue
				}
				x := &out[i*len(t.k.targets)+c]
				if *x == nil {
					*x = &candidate{name: warps[j].Kind.String() + ": " + m.name}
				}
				for row, from := range rows {
					(*x).forecasts = append((*x).forecasts, p.value(f.At(row, at), t.r, warps, at, i, from))
				}
			}
		}
	}
	var last *path // from all training rows, learnt once for all cells
	learn := func(ctx context.Context) (piece, error) {
		if last == nil {
			p, err := learnPath(ctx, m, t.r, warps, t.k.horizons, t.r.n, before)
			if err != nil {
				return piece{}, err
			}
			p.Warps, last = w, p
		}
		return piece{path: last}, nil
	}
	var enter []func()
	for n, x := range out {
		if x != nil {
			x.learn = learn
			enter = append(enter, func() { t.cells[n/len(t.k.targets)][n%len(t.k.targets)].add(x) })
		}
	}
	return enter, nil
}
