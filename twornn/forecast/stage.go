package forecast

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// stage holds what all regressions of one horizon and one set of transformations
// share: the design, the second moments of each segment, and the rows held out.
type stage struct {
	k       *task
	r       *record
	d       *design
	src     source
	split   split
	first   int // no row before it is learnt from
	ok      func(t int) bool
	unheld  bool // no bound of changes
	anchors []anchor
	mean    []float64 // by target, of the transformed column
	unit    []float64 // by target, of what the regressions explain
	sums    []*sums   // by segment
	held    []heldOut // by block
	full    *sums     // of all segments
	upto    map[fraction]*sums
}

// leastShared is the share of the rows in which a target was measured, of all and of the last half,
// that it must share with others to be learnt together with them. With half of the rows lost errors
// grow by a few percent, with nine tenths by half and more.
const leastShared = 0.8

// together returns the targets in groups whose rows are learnt from together, by their places in
// k.targets: those rows that all of a group were measured in. So a target that is mostly missing does
// not cost the others their rows. Nor does one with a season of its own bring that to the others.
// The most complete targets come first.
func (r *record) together(k *task) [][]int {
	from := max(0, r.n-mostRows)
	rows := func(group []int) (n [2]float64) { // in which all were measured, and those of the last half
		for t := from; t < r.n; t++ {
			if !slices.ContainsFunc(group, func(c int) bool { return !r.has(k.targets[c], t) }) {
				n[0], n[1] = n[0]+1, n[1]+flag(t >= (from+r.n)/2)
			}
		}
		return n
	}
	own := make([][2]float64, len(k.targets))
	for c := range own {
		own[c] = rows([]int{c})
	}
	order := all(len(own))
	slices.SortStableFunc(order, func(a, b int) int { return int(own[b][0] - own[a][0]) })
	var groups [][]int
	for _, c := range order {
		i := slices.IndexFunc(groups, func(g []int) bool {
			if !slices.Equal(k.seasonsOf(g[0]), k.seasonsOf(c)) {
				return false
			}
			g = append(slices.Clone(g), c)
			n := rows(g)
			return !slices.ContainsFunc(g, func(c int) bool { return n[0] < leastShared*own[c][0] || n[1] < leastShared*own[c][1] })
		})
		if i < 0 {
			i, groups = len(groups), append(groups, nil)
		}
		groups[i] = append(groups[i], c)
	}
	for _, g := range groups {
		slices.Sort(g)
	}
	return groups
}

// Rows whose known future has holes are not learnt from where so large a share of the others is left,
// and so many: of all, half as many of the last half, and a fifth of the last fifth. Else holes are
// bridged. That costs much, where the column tells much: with a tenth of it missing errors were
// thrice those without those rows.
const (
	leastWhole  = 0.2
	fewestWhole = 40
)

// learnable returns which rows t can be learnt from, h rows ahead: those after which all targets
// were measured, with the known columns up to there where enough have them.
func (r *record) learnable(k *task, h int) (ok func(t int) bool) {
	measured := func(t int) bool {
		return !slices.ContainsFunc(k.targets, func(j int) bool { return !r.has(j, t+h) })
	}
	whole := func(t int) bool {
		_, ahead := r.lacks(k, t, h)
		return ahead == 0
	}
	for _, last := range []float64{1, 0.5, 0.2} {
		rows, good := 0.0, 0.0
		for t := r.n - int(last*float64(min(r.n, mostRows))); t+h < r.n; t++ {
			if measured(t) {
				rows, good = rows+1, good+flag(whole(t))
			}
		}
		if last == 1 && good == rows || good < max(leastWhole*rows, fewestWhole*last) {
			return measured // none has holes, or too many
		}
	}
	return func(t int) bool { return measured(t) && whole(t) }
}

// heldOut is a block of rows forecast from the rows before it.
type heldOut struct {
	rows []int
	x    *mat.Dense // rows×(1+features)
	low  []float64  // by target: the range of transformed changes over h rows before it
	high []float64
}

// block is the number of rows whose moments are added at once.
const block = 256

// newStage passes over the rows once.
func newStage(ctx context.Context, k *task, r *record, d *design, sp split, an []anchor, first int, unheld bool) (*stage, error) {
	s := &stage{unheld: unheld, k: k, r: r, d: d, src: r.source(d.warps), split: sp, anchors: an, upto: map[fraction]*sums{}}
	s.first, s.ok = first, r.learnable(k, d.H)
	rows := s.rows(0, sp.segments())
	s.d.scale(s.src, thinned(rows, 6000))
	s.units(rows)
	p := len(s.d.Features)
	q := len(k.targets) * len(s.anchors)
	s.full = newSums(p, q)
	for g := range sp.segments() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		rows := s.rows(g, g+1)
		s.sums = append(s.sums, s.moments(rows, p, q))
		s.full.addSums(1, s.sums[g])
		if g >= sp.lead {
			rows = sp.held(g, s.first, s.d.H, s.ok)
			x := mat.NewDense(max(len(rows), 1), 1+p, nil)
			s.d.fill(x.RawMatrix().Data, s.src, rows)
			b := heldOut{rows: rows, x: x}
			b.low, b.high = s.changes(sp.bounds[g])
			s.held = append(s.held, b)
		}
	}
	return s, nil
}

// rows returns the rows t whose targets are in segments from to to−1.
func (s *stage) rows(from, to int) []int {
	var rows []int
	for g := from; g < to; g++ {
		rows = append(rows, s.split.rows(g, s.first, s.d.H, s.ok)...)
	}
	return rows
}

// units sets the means of the targets, and the units of their distances from the anchors.
func (s *stage) units(rows []int) {
	n := float64(len(rows))
	for _, j := range s.k.targets {
		v := s.src.v[j]
		mean, size := 0.0, 0.0
		for _, t := range rows {
			mean += v[t+s.d.H] / n
		}
		for _, t := range rows {
			size += math.Pow(v[t+s.d.H]-v[t], 2) / n
		}
		if size = math.Sqrt(size); !(size > 0) {
			size = 1
		}
		s.mean, s.unit = append(s.mean, mean), append(s.unit, size)
	}
}

// moments returns the sums of some rows.
func (s *stage) moments(rows []int, p, q int) *sums {
	out := newSums(p, q)
	c := 1 + p + q
	x, z := make([]float64, block*(1+p)), make([]float64, block*c)
	for len(rows) > 0 {
		part := rows[:min(block, len(rows))]
		rows = rows[len(part):]
		s.d.fill(x, s.src, part)
		for i, t := range part {
			row := z[i*c : (i+1)*c]
			copy(row, x[i*(1+p):(i+1)*(1+p)])
			s.explain(row[1+p:], t)
		}
		out.add(z[:len(part)*c])
	}
	return out
}

// explain writes the distances of the targets from the anchors, target by target.
func (s *stage) explain(y []float64, t int) {
	for c, j := range s.k.targets {
		v := s.src.v[j]
		for a, an := range s.anchors {
			y[c*len(s.anchors)+a] = (v[t+s.d.H] - an.at(v, s.mean[c], t, s.d.H)) / s.unit[c]
		}
	}
}

// changes returns by target the range of the transformed changes over h rows, of those
// that end before row end.
func (s *stage) changes(end int) (low, high []float64) {
	for _, j := range s.k.targets {
		v := s.src.v[j]
		lo, hi := changeRange(v, s.d.H, end)
		if s.unheld {
			lo, hi = -math.MaxFloat64, math.MaxFloat64
		}
		low, high = append(low, lo), append(high, hi)
	}
	return low, high
}

// value turns z, a transformed forecast of target c from row t, into a value: held to
// the range of changes, and corrected for the noise of the given variance.
func (s *stage) value(z, variance float64, c, t int, low, high []float64) float64 {
	j := s.k.targets[c]
	last := s.src.v[j][t]
	z = last + min(max(z-last, low[c]), high[c])
	return s.d.warps[j].mean(z, variance)
}

// persistence returns by target the mean squared change over h rows of the rows held out.
func (s *stage) persistence() []float64 {
	out := make([]float64, len(s.k.targets))
	for c, j := range s.k.targets {
		n := 0
		for _, b := range s.held {
			for _, t := range b.rows {
				d := s.r.v[j][t+s.d.H] - s.r.v[j][t]
				out[c] += d * d
				n++
			}
		}
		if out[c] /= float64(n); !(out[c] > 0) {
			out[c] = 1
		}
	}
	return out
}

// fraction is a number of segments and a memory.
type fraction struct {
	end    int
	memory float64
}
