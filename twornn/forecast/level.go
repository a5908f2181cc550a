package forecast

// The level of the intervals follows how often they missed of late (Gibbs and Candès
// 2021). With miss_u whether the value of row u+h lay outside the interval forecast at
// row u, over the rows from the end of the training rows on,
//
//	a_{u+1} = a_u + γ (1 − p − miss_u),   a = 1 − p at first,
//
// and an interval asked to cover with probability p is drawn at 1 − a. So in the long
// run it misses as often as it should, whatever comes.
const (
	levelStep   = 0.02 // γ
	levelMemory = 600  // rows
	leastMiss   = 0.001
	mostMiss    = 0.9
)

// interval returns the ends of an interval of a cell at row t.
func (m *mixture) interval(r *record, t, i, c int, p float64) (low, high float64) {
	h, j, b := m.k.horizons[i], m.k.targets[c], m.Cells[i][c].Band
	miss := 1 - p
	// An interval of row u is judged when row u+h is known.
	for u := max(m.Rows-1, t-h-levelMemory); u+h <= t; u++ {
		if _, ahead := r.lacks(m.k, u, h); ahead > 0 || !r.has(j, u+h) {
			continue // there was no forecast, or there is nothing to judge it by
		}
		lo, hi := b.between(m.final(r, u).At(i, c), u+h, 1-min(max(miss, leastMiss), mostMiss))
		if y := r.v[j][u+h]; y < lo || y > hi {
			miss -= levelStep
		}
		// Further out than this it would take long to come back.
		miss = min(max(miss+levelStep*(1-p), -levelStep), 1)
	}
	return b.between(m.final(r, t).At(i, c), t+h, 1-min(max(miss, leastMiss), mostMiss))
}
