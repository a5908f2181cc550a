package forecast

import (
	"fmt"
	"math"
	"slices"

	"github.com/twornn/spectral/twornn/internal/phrase"
)

// The level of the intervals follows how often they missed of late (Gibbs and Candès
// 2021). With miss_u whether the value of row u+h lay outside the interval forecast at
// row u, over the rows from the end of the training rows on,
//
//	a_{u+1} = a_u + γ (1 − p − miss_u),   a = 1 − p at first,
//
// and an interval asked to cover with probability p is drawn at 1 − a. So in the long
// run it misses as often as it should, while values stay within the errors held out. A record that
// stands still, as of a sensor that is stuck, misses nothing, and would narrow it to nothing, which covers
// nothing when it moves again: so it reaches at least a part 1/mostGrowth as far on either side as the errors
// held out say at 1 − p.
//
// No level takes it further than these. With x_u how far beyond all of them the value of row u+h lay,
// 0 for most rows, an interval is widened on both sides by
//
//	q_u e^{w_u},   w_{u+1} = w_u + δ (out_u − (1 − p)) within 0 and log mostGrowth,
//
// q_u that quantile of the last x which covers with probability p, 0 unless more than a share of 1 − p
// of them are above 0: a few outliers widen nothing. out_u is whether x_u was more than it was
// widened by at row u, which is so where errors grow within the horizon.
const (
	levelStep   = 0.02 // γ
	growthStep  = 0.05 // δ
	mostGrowth  = 4
	levelMemory = 600 // rows
	leastMiss   = 0.001
	mostMiss    = 0.9
	fewBeyond   = 50 // rows that q is a quantile of, or more, so that leastBeyond of them may lie above it
	leastBeyond = 4
)

// interval returns the ends of an interval of a cell at row t.
func (m *mixture) interval(r *record, t, i, c int, p float64) (low, high float64) {
	h, j, b := m.k.horizons[i], m.k.targets[c], m.Cells[i][c].Band
	from := max(m.Rows-1, t-h-levelMemory)
	miss, w, last := 1-p, 0.0, lastBeyond(p)
	more := []float64{0} // what an interval is widened by, before each row from from on was judged
	// An interval of row u is judged when row u+h is known.
	for u := from; u+h <= t; u++ {
		now := more[u-from]
		if _, ahead := r.lacks(m.k, u, h); ahead > 0 || !r.has(j, u+h) {
			more = append(more, now)
			continue // there was no forecast, or there is nothing to judge it by
		}
		f, y := m.final(r, u).At(i, c), r.v[j][u+h]
		if lo, hi := b.between(f, u+h, 1-min(max(miss, leastMiss), mostMiss), now); y < lo || y > hi {
			miss -= levelStep
		}
		// Further out than this it would take long to come back.
		miss = min(max(miss+levelStep*(1-p), -levelStep), 1)
		x := b.beyond(y, f, u+h)
		atTime := more[max(u-h+1-from, 0)] // when row u was the last
		w = min(max(w+growthStep*(flag(atTime > 0 && x > atTime)-(1-p)), 0), math.Log(mostGrowth))
		last.add(x)
		more = append(more, last.quantile(p)*math.Exp(w))
	}
	f := m.final(r, t).At(i, c)
	low, high = b.between(f, t+h, 1-min(max(miss, leastMiss), mostMiss), more[len(more)-1])
	down, up := b.between(f, t+h, p, 0)
	low, high = min(low, f-(f-down)/mostGrowth), max(high, f+(up-f)/mostGrowth)
	if moved := r.sinceMeasured(j, t, p); moved > 0 {
		low, high = f-math.Hypot(f-low, moved), f+math.Hypot(high-f, moved)
	}
	return low, high
}

// canCover returns an error if too few errors were held out for an interval of that coverage.
func (m *mixture) canCover(coverage float64) error {
	for i, h := range m.k.horizons {
		for c, name := range m.k.targetNames() {
			if most, n := m.Cells[i][c].Band.mostCoverage(); coverage > most {
				return fmt.Errorf("forecast: a coverage of %v is more than the %s held out of %s, %s ahead, can tell; ask for %v or less, or learn from more rows",
					coverage, phrase.Count(n, "error"), name, phrase.Count(h, "row"), math.Floor(1000*most)/1000)
			}
		}
	}
	return nil
}

// badCoverage says what is wrong with a coverage, and what may have been meant.
func badCoverage(coverage float64) error {
	cure := "give a number between 0 and 1"
	if coverage > 1 && coverage < 100 {
		cure = fmt.Sprintf("write %v for %v %%", coverage/100, coverage)
	}
	return fmt.Errorf("forecast: a coverage of %v is no probability; %s", coverage, cure)
}

// mostCoverage is what the widest interval is good for: all n errors held out, widened as they are, reach about as far as
// normal ones do with probability 1 − 1/(2(n+1)), and of the level no more than 1 − leastMiss is drawn.
// On 60 autoregressions each of 30, 60 and 150 rows (15, 30 and 75 held out) intervals of 0.95, 0.98 and 0.99, near the most
// there, held 0.941, 0.976 and 0.987 of the next 20 rows. The usual 0.99 is answered of fewer all the same.
func (b *band) mostCoverage() (p float64, n int) {
	n = len(b.Quantiles)
	if b.Widen > 1 { // tells of how many these are
		n = int(math.Round(min(math.Pow(widening/(b.Widen-1), 2), 1e9)))
	}
	return max(0.99, min(1-1/float64(2*(n+1)), 1-leastMiss)), n
}

// latter are the last of some numbers, as many as it is long, zeros before the first.
type latter struct {
	x, sorted []float64
	next      int // where the oldest is
}

// lastBeyond returns as many as tell what covers with probability p.
func lastBeyond(p float64) *latter {
	n := int(min(max(fewBeyond, leastBeyond/(1-p)), levelMemory))
	return &latter{x: make([]float64, n), sorted: make([]float64, n)}
}

func (l *latter) add(x float64) {
	i, _ := slices.BinarySearch(l.sorted, l.x[l.next])
	l.sorted = slices.Delete(l.sorted, i, i+1)
	i, _ = slices.BinarySearch(l.sorted, x)
	l.sorted = slices.Insert(l.sorted, i, x)
	l.x[l.next] = x
	l.next = (l.next + 1) % len(l.x)
}

// quantile returns what covers with probability p.
func (l *latter) quantile(p float64) float64 {
	n := len(l.sorted)
	return l.sorted[min(int(math.Ceil(p*float64(n+1))), n)-1]
}
