package forecast

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// choice is a member of a family.
type choice struct {
	lambda float64
	anchor int
	memory float64 // the share of the training rows after which a row weighs half; 0: never
}

// grid lists the members of a family.
type grid struct {
	lambdas  []float64
	memories []float64
}

// evaluate calls visit with every member of a family for every target it serves.
func (s *stage) evaluate(f family, g grid, visit func(c int, ch choice, forecasts []float64)) {
	targets := []int{f.target}
	if f.target < 0 {
		targets = all(len(s.k.targets))
	}
	var ys []int
	for _, c := range targets {
		for a := range s.anchors {
			ys = append(ys, c*len(s.anchors)+a)
		}
	}
	parts := make([]*mat.Dense, len(s.held))
	for b, held := range s.held {
		parts[b] = columns(held.x, f.use)
	}
	for _, memory := range g.memories {
		systems := make([]*system, len(s.held))
		for b := range s.held {
			systems[b] = newSystem(s.upTo(s.split.lead+b, memory), f.use, f.scale)
		}
		for _, lambda := range g.lambdas {
			if lambda < f.least {
				continue
			}
			for i, forecasts := range s.forecastBlocks(parts, f.use, systems, lambda, ys) {
				c, a := ys[i]/len(s.anchors), ys[i]%len(s.anchors)
				visit(c, choice{lambda, a, memory}, forecasts)
			}
		}
	}
}

// best returns the best member of a family for each target, nil for those it does not
// serve.
func (s *stage) best(f family, g grid) []*candidate {
	best := make([]*candidate, len(s.k.targets))
	s.evaluate(f, g, func(c int, ch choice, forecasts []float64) {
		score := s.score(forecasts, c)
		if best[c] == nil || score < best[c].score {
			best[c] = &candidate{
				name:      fmt.Sprintf("%s, %v, lambda %g, memory %g", f.name, s.anchors[ch.anchor], ch.lambda, ch.memory),
				score:     score,
				forecasts: forecasts,
				learn: func(context.Context) (piece, error) {
					return piece{Linear: s.learn(f, ch, c), design: s.d}, nil
				},
			}
		}
	})
	return best
}

// upTo returns the sums of the segments before end, older ones weighing less.
func (s *stage) upTo(end int, memory float64) *sums {
	key := fraction{end, memory}
	if done, ok := s.upto[key]; ok {
		return done
	}
	out := newSums(s.full.p, s.full.q)
	s.upto[key] = out
	for g := range end {
		w := 1.0
		if memory > 0 {
			age := s.split.bounds[end] - (s.split.bounds[g]+s.split.bounds[g+1])/2
			w = math.Exp2(-float64(age) / (memory * float64(s.r.n)))
		}
		out.addSums(w, s.sums[g])
	}
	return out
}

// forecastBlocks returns for each right side the forecasts of all held-out rows.
func (s *stage) forecastBlocks(parts []*mat.Dense, use []int, systems []*system, lambda float64, ys []int) [][]float64 {
	out := make([][]float64, len(ys))
	for b, sys := range systems {
		coef, rest := sys.solve(lambda, ys)
		held := s.held[b]
		z := times(parts[b], coef, use)
		for i, y := range ys {
			c, a := y/len(s.anchors), y%len(s.anchors)
			v := s.src.v[s.k.targets[c]]
			for row, t := range held.rows {
				e := s.anchors[a].at(v, s.mean[c], t, s.d.H) + s.unit[c]*z.At(row, i)
				out[i] = append(out[i], s.value(e, s.unit[c]*s.unit[c]*rest[i], c, t, held.low, held.high))
			}
		}
	}
	return out
}

// columns returns the intercept and some features of x.
func columns(x *mat.Dense, use []int) *mat.Dense {
	rows, _ := x.Dims()
	part := mat.NewDense(rows, 1+len(use), nil)
	for r := range rows {
		from, to := x.RawRowView(r), part.RawRowView(r)
		to[0] = 1
		for i, f := range use {
			to[1+i] = from[1+f]
		}
	}
	return part
}

// times returns the product of such columns with their coefficients in b.
func times(part, b *mat.Dense, use []int) *mat.Dense {
	_, q := b.Dims()
	coef := mat.NewDense(1+len(use), q, nil)
	coef.SetRow(0, b.RawRowView(0))
	for i, f := range use {
		coef.SetRow(1+i, b.RawRowView(1+f))
	}
	z := &mat.Dense{}
	z.Mul(part, coef)
	return z
}

// score returns the logarithm of the mean squared error on the held-out rows: the mean of
// that over all and of the mean of the blocks', so that no single block decides.
func (s *stage) score(forecasts []float64, c int) float64 {
	v := s.r.v[s.k.targets[c]]
	i, total, rows, logs, blocks := 0, 0.0, 0, 0.0, 0
	for _, b := range s.held {
		sum := 0.0
		for _, t := range b.rows {
			d := forecasts[i] - v[t+s.d.H]
			sum += d * d
			i++
		}
		if n := len(b.rows); n > 0 {
			logs += math.Log(max(sum/float64(n), math.SmallestNonzeroFloat64))
			blocks++
			total, rows = total+sum, rows+n
		}
	}
	if rows == 0 || math.IsNaN(total) {
		return math.Inf(1)
	}
	pooled := math.Log(max(total/float64(rows), math.SmallestNonzeroFloat64))
	return (pooled + logs/float64(blocks)) / 2
}

// error returns the mean squared error on the held-out rows.
func (s *stage) error(forecasts []float64, c int) float64 {
	v := s.r.v[s.k.targets[c]]
	sum, i := 0.0, 0
	for _, b := range s.held {
		for _, t := range b.rows {
			d := forecasts[i] - v[t+s.d.H]
			sum += d * d
			i++
		}
	}
	if i == 0 || math.IsNaN(sum) {
		return math.Inf(1)
	}
	return sum / float64(i)
}

// learn returns a member of a family learnt from all training rows.
func (s *stage) learn(f family, c choice, target int) *linear {
	sys := newSystem(s.upTo(s.split.segments(), c.memory), f.use, f.scale)
	b, rest := sys.solve(c.lambda, []int{target*len(s.anchors) + c.anchor})
	low, high := s.changes(s.r.n)
	l := &linear{Anchor: s.anchors[c.anchor], Target: target, Index: sys.use, Intercept: b.At(0, 0),
		Mean: s.mean[target], Unit: s.unit[target], Variance: rest[0] * s.unit[target] * s.unit[target],
		Low: low[target], High: high[target]}
	for _, i := range sys.use {
		l.Coef = append(l.Coef, b.At(1+i, 0))
	}
	return l
}
