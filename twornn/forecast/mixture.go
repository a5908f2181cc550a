package forecast

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// mixture is the engine of TwoRNN: for each target and horizon a weighted sum of
// regressions, state-space models and anchors, learnt from all training rows. All of it
// can be saved.
type mixture struct {
	Warps   [][]warp
	Designs []*design
	Paths   []*path
	Cells   [][]terms // by horizon and target
	// By target: no forecast leaves the training range widened by half of itself, or the
	// range of changes over its horizon.
	Low, High []float64
	Rows      int // of the training part
	k         *task
}

// terms are the parts of one forecast.
type terms struct {
	Terms []term
	// Fall and Rise bound the change over the horizon; where Alone, changes in the training rows
	// stood alone, and those forecast bound it.
	Fall, Rise float64
	Alone      bool    `json:",omitempty"`
	Spread     float64 // mean square of the change forecast, on the rows held out
	Band       band
}

// term is a weighted part: a regression on a design, a path or an anchor.
type term struct {
	Name   string
	Weight float64
	Design int     `json:",omitempty"`
	Path   int     `json:",omitempty"`
	Linear *linear `json:",omitempty"`
	Anchor *anchor `json:",omitempty"`
}

// newMixture learns the chosen candidates of each cell from all training rows. weights
// is by horizon, target and candidate.
func newMixture(ctx context.Context, t *contest, weights [][][]float64) (*mixture, error) {
	m := &mixture{Warps: t.warps, Rows: t.r.n, k: t.k}
	designs, paths := map[*design]int{}, map[*path]int{}
	for i, row := range t.cells {
		var cells []terms
		for c, x := range row {
			cell := terms{}
			for n, w := range weights[i][c] {
				if w == 0 {
					continue
				}
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				p, err := x.candidates[n].learn(ctx)
				if err != nil {
					return nil, fmt.Errorf("forecast: %s: %w", x.candidates[n].name, err)
				}
				e := term{Name: x.candidates[n].name, Weight: w, Linear: p.Linear, Anchor: p.Anchor}
				if p.design != nil {
					e.Design = place(designs, p.design, &m.Designs)
				}
				if p.path != nil {
					e.Path = place(paths, p.path, &m.Paths)
				}
				cell.Terms = append(cell.Terms, e)
			}
			f := x.combined(weights[i][c])
			cell.Fall, cell.Rise, cell.Alone = x.believed(t.r, t.k, f)
			cell.Band, cell.Spread = newBand(f, x.truth, x.rows, x.h, t.k.seasons), spread(f, x.last)
			cells = append(cells, cell)
		}
		m.Cells = append(m.Cells, cells)
	}
	for _, j := range t.k.targets {
		lo, hi := slices.Min(t.r.v[j]), slices.Max(t.r.v[j])
		low := lo - (hi-lo)/2
		if lo >= 0 {
			low = max(low, 0) // what never was negative stays so
		}
		m.Low, m.High = append(m.Low, low), append(m.High, hi+(hi-lo)/2)
	}
	m.prune()
	return m, nil
}

// join takes over the forecasts of part, whose targets have the places group among those of m.
func (m *mixture) join(part *mixture, group []int) {
	if m.Cells == nil {
		m.Low, m.High = make([]float64, len(m.k.targets)), make([]float64, len(m.k.targets))
		for range m.k.horizons {
			m.Cells = append(m.Cells, make([]terms, len(m.k.targets)))
		}
	}
	sets, designs, paths := len(m.Warps), len(m.Designs), len(m.Paths)
	for _, d := range part.Designs {
		d.Set += sets
	}
	for _, p := range part.Paths {
		p.Warps += sets
	}
	m.Warps, m.Designs, m.Paths = append(m.Warps, part.Warps...), append(m.Designs, part.Designs...), append(m.Paths, part.Paths...)
	for from, to := range group {
		m.Low[to], m.High[to] = part.Low[from], part.High[from]
		for i, row := range part.Cells {
			for n := range row[from].Terms {
				switch e := &row[from].Terms[n]; {
				case e.Linear != nil:
					e.Design += designs
				case e.Anchor == nil:
					e.Path += paths
				}
			}
			m.Cells[i][to] = row[from]
		}
	}
}

// place returns the index of p in list, appended if it is new.
func place[T any](known map[*T]int, p *T, list *[]*T) int {
	i, ok := known[p]
	if !ok {
		i = len(*list)
		known[p] = i
		*list = append(*list, p)
	}
	return i
}

// prune leaves out the features that no regression uses.
func (m *mixture) prune() {
	for i, d := range m.Designs {
		used := make([]bool, len(d.Features))
		m.regressions(i, func(l *linear) {
			for _, f := range l.Index {
				used[f] = true
			}
		})
		for j, f := range d.Features {
			if used[j] && f.Kind == product {
				used[f.A], used[f.B] = true, true
			}
		}
		to := make([]int, len(used))
		kept := &design{H: d.H, warps: d.warps, Set: d.Set}
		for j, f := range d.Features {
			if to[j] = len(kept.Features); !used[j] {
				continue
			}
			if f.Kind == product {
				f.A, f.B = to[f.A], to[f.B]
			}
			kept.Features = append(kept.Features, f)
		}
		m.Designs[i] = kept
		m.regressions(i, func(l *linear) {
			for n, f := range l.Index {
				l.Index[n] = to[f]
			}
		})
	}
}

// regressions calls f with each regression on a design.
func (m *mixture) regressions(design int, f func(*linear)) {
	for _, row := range m.Cells {
		for _, cell := range row {
			for _, e := range cell.Terms {
				if e.Linear != nil && e.Design == design {
					f(e.Linear)
				}
			}
		}
	}
}

// raw writes the weighted sums after row t of r.
func (m *mixture) raw(dst *mat.Dense, r *record, t int) {
	rows := []int{t}
	x := make([][]float64, len(m.Designs))
	sources := make([]source, len(m.Designs))
	for i, d := range m.Designs {
		sources[i] = r.source(d.warps)
		x[i] = make([]float64, 1+len(d.Features))
		d.fill(x[i], sources[i], rows)
	}
	ahead := make([][]*mat.Dense, len(m.Paths))
	for i, p := range m.Paths {
		ahead[i] = p.forecasts(r, m.Warps[p.Warps], rows, m.k.horizons)
	}
	for i, h := range m.k.horizons {
		for c, j := range m.k.targets {
			y, cell := 0.0, m.Cells[i][c]
			for _, e := range cell.Terms {
				switch {
				case e.Linear != nil:
					y += e.Weight * e.Linear.value(m.Designs[e.Design], j, sources[e.Design], x[e.Design], t)
				case e.Anchor != nil:
					y += e.Weight * e.Anchor.at(r.v[j], 0, t, h)
				default:
					p := m.Paths[e.Path]
					at := p.place(j)
					y += e.Weight * p.value(ahead[e.Path][i].At(0, at), r, m.Warps[p.Warps], at, i, t)
				}
			}
			dst.Set(i, c, m.held(y, r.v[j], t, i, c))
		}
	}
}

// At most so large a share of the changes, or one, stand alone: those from one on that is so many times
// the next smaller one.
const aloneShare, aloneBy = 0.01, 4

// believed returns the range of changes that forecasts are held to, given those of the rows held
// out: half as large again as the changes seen. Where some of these stand alone, outliers in
// the training rows, they tell nothing of how far forecasts may go, and a row with an outlier some
// rows behind may meet a coefficient that no row learnt from has tried. It is then half as large
// again as the changes that were forecast, those that stand alone if they came, and those seen
// while a known column changed.
func (x *cell) believed(r *record, k *task, forecasts []float64) (fall, rise float64, alone bool) {
	v := r.v[k.targets[x.target]]
	var seen []float64
	for t := 0; t+x.h < r.n; t++ {
		change := v[t+x.h] - v[t]
		if slices.ContainsFunc(k.known, func(j int) bool { return r.v[j][t+x.h] != r.v[j][t] }) {
			fall, rise = min(fall, 1.5*change), max(rise, 1.5*change)
		} else {
			seen = append(seen, change)
		}
	}
	slices.Sort(seen)
	high, up := withoutAlone(seen)
	slices.Reverse(seen)
	for i, c := range seen {
		seen[i] = -c
	}
	low, down := withoutAlone(seen)
	if !up && !down {
		fall, rise = changeRange(v, x.h, r.n)
		return fall, rise, false
	}
	for i, f := range forecasts {
		from, to := about(v, x.rows[i])
		change := max(f-to, 0) + min(f-from, 0)
		if math.Abs(x.truth[i]-f) > math.Abs(change)/2 {
			change = min(max(change, -low), high) // it did not come
		}
		fall, rise = min(fall, 1.5*change), max(rise, 1.5*change)
	}
	return fall, rise, true
}

// withoutAlone returns the largest of some sorted changes, without those at their end that stand
// alone, at least 0, and whether there are such. Where most do not rise none does: those that do are rare events.
func withoutAlone(sorted []float64) (largest float64, alone bool) {
	n := len(sorted)
	if n == 0 {
		return 0, false
	}
	i := max(n-1-max(1, int(aloneShare*float64(n))), 0)
	for ; i+1 < n && sorted[i] > 0; i++ {
		if sorted[i+1] > aloneBy*sorted[i] {
			return sorted[i], true
		}
	}
	return max(sorted[n-1], 0), false
}

// aboutRows is of how many rows the median tells where a record is beside an outlier.
const aboutRows = 5

// about returns the last value at row t and the median of the last ones: if the last is an outlier
// it may be gone in the next row.
func about(v []float64, t int) (low, high float64) {
	rows := slices.Sorted(slices.Values(v[max(0, t+1-aboutRows) : t+1]))
	median := rows[len(rows)/2]
	return min(v[t], median), max(v[t], median)
}

// held returns y, forecast from row t of v, held to the believed range.
func (m *mixture) held(y float64, v []float64, t, i, c int) float64 {
	cell, last := m.Cells[i][c], v[t]
	if cell.Alone {
		if low, high := about(v, t); y < low+cell.Fall || y > high+cell.Rise {
			y = last
		}
	} else {
		y = last + min(max(y-last, cell.Fall), cell.Rise)
	}
	// The record itself may have left the range.
	return min(max(y, min(m.Low[c], last)), max(m.High[c], last))
}
