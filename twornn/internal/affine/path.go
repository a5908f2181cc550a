package affine

import (
	"context"
	"math/rand/v2"
	"slices"

	"github.com/twornn/spectral/twornn/internal/lsq"
)

// path is a way up through numbers of states on some data: each start has that before it.
type path struct {
	*Policy
	data, more, sub *Data // all of it, some, and what starts are tried on
	short           *Data // the same for linear systems, compressed; nil if it cannot be
	resp            Responses
	rnd             *rand.Rand
	linear, bent    []*System // by number of states: without products, and with
	last            *System
}

func newPath(data *Data, p *Policy, rnd *rand.Rand) *path {
	return &path{Policy: p, data: data, more: data.some(4 * p.Subset), sub: data.some(p.Subset), short: data.compressed(), resp: NewResponses(data), rnd: rnd}
}

// again returns a linear system that may grow for the data, which lack a part: the one found there, unless that
// found for all of the data has less error on them. Then it is no optimum, as happens where errors of early
// steps grow along a run, and one is sought from that for all. On four runs of a state that grows by a fiftieth a
// step one part of six so ended at thousands of times the noise.
func (p *path) again(ctx context.Context, found, all *System) *System {
	data := p.data
	if p.short != nil && !all.Products {
		data = p.short
	}
	r := all.runs(data)
	if found != nil && r.SSE(r.Pattern.Take(all.Theta)) >= found.SSE {
		return found
	}
	q := all.clone()
	if !q.Refine(ctx, data, 2, p.iterations(q, data), p.Tol) || found != nil && q.SSE >= found.SSE {
		return found
	}
	p.keep(q)
	return q
}

// told returns the linear system that the responses of short runs tell, which is stable, with its
// outputs fitted, and taken nearer to the optimum unless it then grows beyond what the runs
// show; nil if there is none.
func (p *path) told(ctx context.Context, m int) *System {
	c := p.resp.Spectral(m, p.data.D, p.data.P)
	if c == nil || !c.FitOutputs(p.short) || !c.Normalise(p.short) {
		return nil
	}
	c.Ended = lsq.Converged
	n := p.near(m)
	if q := c.clone(); n > 0 && q.Refine(ctx, p.short, 1, n, p.Tol) && q.bounded(p.data) && q.SSE < c.SSE {
		return q
	}
	return c
}

// near returns how many iterations may lead from what the responses tell to its optimum: none
// where they are dear.
func (p *path) near(m int) int {
	return min(nearIterations, int(p.Budget/(500*pass(NewSystem(m, p.data.D, p.data.P), p.short))))
}

const nearIterations = 8

// next returns the best system with m states that it finds, nil if there is none.
func (p *path) next(ctx context.Context, m int, products bool) *System {
	type run struct {
		*System
		sse float64
	}
	if !products && p.short != nil {
		c := p.told(ctx, m)
		for _, q := range p.summing(m) {
			if q.Refine(ctx, p.short, 2, p.Iterations, p.Tol) && (c == nil || q.SSE < c.SSE) {
				c = q
			}
		}
		if c != nil {
			p.keep(c)
			return c
		}
		if p.last != nil {
			return nil // the responses tell fewer states, and descents would take what cost does not count
		}
	}
	sub, more, data := p.sub, p.more, p.data
	var runs []run
	for _, c := range p.starts(m, products) {
		if ctx.Err() != nil && len(runs) > 0 {
			break
		}
		if products && !c.Products {
			if !c.Refine(ctx, sub, 1, p.iterations(c, sub)/2, 1e-3) {
				continue
			}
			c = c.WithProducts()
		}
		if c.Refine(ctx, sub, 1, p.iterations(c, sub)/2, p.Tol) {
			runs = append(runs, run{c, c.SSE})
		}
	}
	slices.SortStableFunc(runs, func(a, b run) int {
		if a.sse < b.sse {
			return -1
		}
		return 1
	})
	// The two best go on to the end, and the better of them to all of the data.
	var best *System
	for _, c := range runs[:min(2, len(runs))] {
		if c.Refine(ctx, sub, p.Rounds, p.iterations(c.System, sub), p.Tol) && (best == nil || c.SSE < best.SSE) {
			best = c.System
		}
	}
	for i, on := range []*Data{more, data} { // in two rounds and in one
		if best != nil && on != sub && (i > 0 || on != data) && !best.Refine(ctx, on, 2-i, p.iterations(best, on)/2, p.Tol) {
			best = nil
		}
	}
	if best != nil {
		p.keep(best)
	}
	return best
}

// keep keeps a system for later ones to start from.
func (p *path) keep(c *System) {
	p.last = c
	of := &p.linear
	if c.Products {
		of = &p.bent
	}
	m := c.States()
	for len(*of) <= m {
		*of = append(*of, nil)
	}
	(*of)[m] = c
}

// fewer returns the system found with a state less than m, nil if there is none.
func (p *path) fewer(m int, products bool) *System {
	of := p.linear
	if products {
		of = p.bent
	}
	if m < 1 || m > len(of) {
		return nil
	}
	return of[m-1]
}

// iterations returns how many a round may have: fewer where they are dear.
func (p *path) iterations(c *System, data *Data) int {
	return min(p.Iterations, max(8, int(p.Budget/(200*pass(c, data)))))
}

// starts returns what there is to start from: the responses' system, those with a state
// less, the linear system of as many states, and random ones.
func (p *path) starts(m int, products bool) (out []*System) {
	d, y := p.data.D, p.data.P
	if products && m < len(p.linear) && p.linear[m] != nil {
		out = append(out, p.linear[m].WithProducts())
	} else if c := p.resp.Spectral(m, d, y); c != nil {
		out = append(out, c)
	}
	if l := p.fewer(m, products); l != nil {
		out = append(out, l.Grow(p.rnd))
		if products {
			out = append(out, l.Grow(p.rnd))
		}
	}
	random := p.Starts
	if !products {
		random = 1 // a linear system's sum of squares has hardly any other minimum
	}
	c := NewSystem(m, d, y)
	c.Products = products
	if dear := 50*pass(c, p.sub) > p.Budget/200; (dear || p.data.many()) && len(out) > 0 {
		random = 0
	}
	for range random {
		out = append(out, Random(m, d, y, p.rnd))
	}
	return append(out, p.summing(m)...)
}

// summing returns systems of m states, one or two of which sum up what comes, with outputs fitted, where
// states may grow.
func (p *path) summing(m int) (out []*System) {
	for k := 1; k <= min(m, 2) && p.data.Grows > 0; k++ {
		if c := Summing(m, k, p.data.D, p.data.P, p.rnd); c.Normalise(p.sub) && c.FitOutputs(p.sub) {
			out = append(out, c)
		}
	}
	return out
}

// pass returns about how many operations the normal equations of a system take.
func pass(c *System, data *Data) float64 {
	k := float64(len(c.runs(data).Pattern.Free))
	steps, rows := 0, 0
	for _, r := range data.Runs {
		steps += r.Steps(data.D)
		rows += len(r.At) * data.P
	}
	return float64(steps)*float64(c.N*c.N)*k + float64(rows)*k*k + k*k*k
}
