package affine

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// maxRegressors bounds the columns of an autoregression. With 240 of them systems of 20 and 28 states with
// 36 and 12 inputs missed four to five times as much as with 480.
const maxRegressors = 480

// autoregressive returns responses by way of outputs, too: of an autoregression on the last q inputs
// and outputs, an estimate of the best predictor, the responses follow,
//
//	y_t = Σ_{j<q} b_j u_{t−j} + Σ_{1≤j≤q} a_j y_{t−j} + c   G_j = b_j + Σ_i a_i G_{j−i}
//
// and go on for longer than lags could be regressed on. q of zero is that of least generalised
// cross-validation. It returns nil where outputs do not follow each other, or the responses grow.
func autoregressive(data *Data, q int) (Responses, int) {
	u, p := data.D-1, data.P
	most := min(maxLags, (maxRegressors-1)/(u+p), data.M/p/(3*(u+p)))
	if u == 0 || most < 2 {
		return nil, 0
	}
	if q > 0 {
		most = q
	}
	XX, XY, YY, N := autoGram(data, most)
	if N < 2*float64(most*(u+p)) { // a part less than the whole, or outputs that are missing
		return nil, 0
	}
	fit := func(q int) (*mat.Dense, float64) {
		k := 1 + q*(u+p)
		sub := XX.SliceSym(0, k).(*mat.SymDense)
		B, dof, sse := ridgeGCV(sub, mat.DenseCopyOf(XY.Slice(0, k, 0, p)), YY, N)
		return B, sse / math.Pow(N-dof, 2)
	}
	var B *mat.Dense
	if q > 0 {
		B, _ = fit(q)
	} else {
		least := math.Inf(1)
		for k := 1; k <= most; k = max(k+1, k*5/4) {
			if b, score := fit(k); score < least {
				least, q, B = score, k, b
			}
		}
	}
	if B == nil {
		return nil, 0
	}
	return unfold(B, q, u, p), q
}

// autoGram returns the sums for regressions on up to q lags: a constant, then of each lag the inputs
// and the outputs, the latest first.
func autoGram(data *Data, q int) (XX *mat.SymDense, XY *mat.Dense, YY, N float64) {
	u, p, d := data.D-1, data.P, data.D
	k := 1 + q*(u+p)
	sums := newGram(k + p)
	x := make([]float64, k+p)
	x[0] = 1
	for _, r := range data.Runs {
		for i := q; i < len(r.At); i++ {
			t := r.At[i]
			if r.At[i-q] != t-q || t < q {
				continue // an output is missing
			}
			for j := range q {
				at := x[1+j*(u+p):]
				copy(at[:u], r.X[(t-1-j)*d+1:(t-j)*d])
				copy(at[u:u+p], r.Y[(i-1-j)*p:(i-j)*p])
			}
			copy(x[k:], r.Y[i*p:(i+1)*p])
			sums.add(x)
			if N++; data.stoppedAt(i - q) {
				return XX, XY, 0, 0
			}
		}
	}
	XX, XY, YY = sums.split(k)
	return XX, XY, YY, N
}

// maxSide is how many rows or columns of a Hankel matrix the responses of an autoregression go on for.
const maxSide = 240

// unfold returns the responses of the autoregression with coefficients B.
func unfold(B *mat.Dense, q, u, p int) (out Responses) {
	lags := max(2*q, min(2*maxLags, 2*maxSide/max(u, p)))
	block := func(j, from, n int) mat.Matrix { return B.Slice(1+j*(u+p)+from, 1+j*(u+p)+from+n, 0, p).T() }
	var most float64
	for j := range lags {
		g := mat.NewDense(p, u, nil)
		if j < q {
			g.Copy(block(j, 0, u))
		}
		for i := 1; i <= min(j, q); i++ {
			var a mat.Dense
			a.Mul(block(i-1, u, p), out[j-i])
			g.Add(g, &a)
		}
		size := mat.Norm(g, 2)
		if most = max(most, size); !(size <= 1e3) || j == lags-1 && size > 0.5*most {
			return nil // it grows, or hardly fades
		}
		out = append(out, g)
	}
	return out
}

// realisations returns those of responses by regression on inputs, and by an autoregression with q
// lags, zero for as many as are worth while; either may be nil. It returns the lags that were taken.
func realisations(data *Data, q int) ([2]*realisation, int) {
	a, q := autoregressive(data, q)
	return [2]*realisation{NewResponses(data).realise(), a.realise()}, q
}

// fitted returns the system of m states with its outputs fitted; nil if there is none.
func (r *realisation) fitted(m int, data *Data) *System {
	c := r.system(m, data.D, data.P)
	if c == nil {
		return nil
	}
	c.keepTo(c.limit(data))
	if !c.FitOutputs(data) {
		return nil
	}
	return c
}

// ladder returns the systems of more and more states, as long as they lower the squared errors by a
// thousandth.
func (r *realisation) ladder(data *Data, most int) (out []*System) {
	last, idle := math.Inf(1), 0
	for m := 1; r != nil && m <= most && idle < 3; m = max(m+1, m*9/8) {
		c := r.fitted(m, data)
		if c == nil || 3*c.Known > float64(data.M) || data.Stop() {
			break
		}
		if idle++; c.SSE < 0.999*last {
			last, idle = c.SSE, 0
		}
		out = append(out, c)
	}
	return out
}

// told returns the linear system that the responses of long runs tell, with its outputs fitted, of
// up to most states: the fewest that do as well as any, but for a little, on parts left out; nil if
// there is none. The data are split into the parts.
func told(ctx context.Context, data *Data, parts, most int, little float64) (best *System) {
	whole, q := realisations(data, 0)
	var ladders [2][]*System
	for i, r := range whole {
		ladders[i] = r.ladder(data, most)
	}
	leaveOut(ctx, data, parts, ladders, q)
	all := slices.Concat(ladders[0], ladders[1])
	for _, c := range all {
		if best == nil || c.Validation() < best.Validation() {
			best = c
		}
	}
	fewest := best
	for _, c := range all {
		if c.States() < fewest.States() && c.Validation() <= (1+little)*best.Validation() {
			fewest = c
		}
	}
	return fewest
}

// leaveOut sets how systems of as many states, told by each of the other parts, do on a part.
func leaveOut(ctx context.Context, data *Data, parts int, ladders [2][]*System, q int) {
	for _, c := range slices.Concat(ladders[0], ladders[1]) {
		c.Folds = make([]float64, parts)
	}
	inParts(parts, func(f int) {
		train, held := data.Without(f, parts)
		part, _ := realisations(train, q)
		for i, ladder := range ladders {
			for _, c := range ladder {
				c.Folds[f] = math.Inf(1)
				if part[i] == nil || ctx.Err() != nil {
					continue
				}
				if of := part[i].fitted(c.States(), train); of != nil {
					c.Folds[f] = of.errorOn(held)
				}
			}
		}
	})
}
