package twornn

import (
	"context"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/twornn/spectral/twornn/internal/moments"
)

// fitWords fits by measurements of short words.
func fitWords(ctx context.Context, c moments.Set, o Options, by policy) (*Result, error) {
	w, z, err := newCoordinates(c, by)
	if err != nil {
		return nil, err
	}
	f := newFitter(z, w, o, by)
	best, tried, err := f.fit(ctx)
	if err != nil {
		return nil, err
	}
	trial, left := f.try(ctx, &best)
	res := f.result(best)
	res.trial, res.left, res.wild = trial, left, f.wild
	if res.joined, err = f.joined(best, w, res); err != nil {
		return nil, err
	}
	for _, c := range tried {
		a := f.account(c, best.Model)
		a.Chosen = a.Chosen && !res.Fallback
		res.Candidates = append(res.Candidates, a)
	}
	if rank := f.betterRank(ctx, best); rank > 0 && !res.Has(RankLow) {
		res.warn(RankLow, "rank %d asked for, but %d states fit clearly better (by BIC): what the rank leaves out is no noise", o.Rank, rank)
	}
	res.Model = w.toData(res.Model)
	if r, d := w.dims(); r < d {
		res.warn(Collinear, "%d of the %d inputs are linear combinations of the others; the model is right where they keep to that", d-r, d)
	}
	res.adequate = best.climb != nil && best.climb.adequate(by)
	return res, nil
}

// fit returns the best model of the route that the options ask for, and all that were
// weighed: the paper's with the recovery that is named, or else the recommended one.
func (f *fitter) fit(ctx context.Context) (candidate, []candidate, error) {
	if f.o.Recovery == nil {
		return f.likelihood(ctx)
	}
	best, err := f.search(ctx)
	return best, f.spectral, err
}

// joined returns what intervals need of a joint fit, nil if there was none.
func (f *fitter) joined(best candidate, w coordinates, r *Result) (*joined, error) {
	if best.climb == nil || r.Fallback {
		return nil, nil
	}
	noise, err := f.noiseVariances(best.Model)
	if err != nil {
		return nil, err
	}
	q := best.climb.q
	return &joined{
		w: w, shape: q.Shape, theta: best.climb.Theta, M: q.M, free: q.Free(),
		noise: noise, last: r.Lengths[len(r.Lengths)-1],
		covariance: func() (func(g []float64, noise float64) float64, error) {
			var K *mat.SymDense
			if k := f.c.Kept(); k != nil && k.Overlaps() {
				K = byTarget(k, w, q.Shape, best.climb.Theta)
			}
			return best.climb.covariance(K)
		},
	}, nil
}

// account is what a Result tells of a candidate.
func (f *fitter) account(c candidate, chosen *Model) Candidate {
	rows := 0
	for _, l := range f.c.Lengths() {
		rows += f.c[l].N()
	}
	n, status := c.states(), NotRun
	if c.climb != nil {
		status = c.climb.stats().Status
	}
	return Candidate{
		Model: f.w.toData(c.Model), L: c.L, Rank: n, Start: c.start, MSE: c.sse / float64(rows*f.p), Parameters: freeParameters(n, f.d, f.p),
		Criterion: c.bic, Growth: growth(c.Model, f.c), Status: status, Chosen: c.Model == chosen,
	}
}

// noiseVariances returns the variance of the residuals of each output, by length: the
// squared errors over N less the part that the parameters took, drawn towards that of
// all lengths where rows are few.
func (f *fitter) noiseVariances(m *Model) (map[int][]float64, error) {
	k := float64(freeParameters(m.states(), f.d, f.p))
	var rows float64
	for _, l := range f.c.Lengths() {
		rows += float64(f.c[l].N())
	}
	left := max(1-k/(rows*float64(f.p)), 1/(1+rows))
	pooled := make([]float64, f.p)
	by := map[int][]float64{}
	for _, l := range f.c.Lengths() {
		e, err := squaredErrors(f.c[l], m.Hankel(l))
		if err != nil {
			return nil, err
		}
		by[l] = e
		floats.AddScaled(pooled, 1/(rows*left), e)
	}
	prior := f.policy.PooledRows
	for l, e := range by {
		for o := range e {
			e[o] = (e[o] + prior*pooled[o]) / (float64(f.c[l].N())*left + prior)
		}
	}
	by[everyLength] = pooled
	return by, nil
}
