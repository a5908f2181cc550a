package forecast

import (
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"
)

// A forecast keeps an eye on itself. With x_u the change that it forecast at row u and
// y_u the change that came, over the rows u from the end of the training rows on whose
// change is known at row t,
//
//	share_t = (a V + Σ_u 2^{−(t−u)/b} x_u y_u) / (a V + Σ_u 2^{−(t−u)/b} x_u²),
//
// over shareEnough and held to 0 to 1, is what is left of the change that it forecasts at row t. V is the mean
// of x² on the rows held out. So a rule of the training rows that holds no more fades
// into persistence, and one that holds is left alone. The sums are states as others: new
// rows need no new fit.
const (
	sharePrior    = 100 // a, rows
	shareHalfLife = 200 // b, rows
	shareEnough   = 0.9 // less would shrink by chance what holds
	shareMemory   = 4 * shareHalfLife
)

// history has the sums of the terms and the forecasts after the rows of a record, as far
// as asked for.
type history struct {
	mu         sync.Mutex
	raw, final []*mat.Dense
}

func (m *mixture) history(r *record) *history {
	return remember(r, m, func() *history { return &history{raw: make([]*mat.Dense, r.n), final: make([]*mat.Dense, r.n)} })
}

// at returns the sums of the terms after row t.
func (m *mixture) at(r *record, t int) *mat.Dense {
	h := m.history(r)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.raw[t] == nil {
		h.raw[t] = mat.NewDense(len(m.k.horizons), len(m.k.targets), nil)
		m.raw(h.raw[t], r, t)
	}
	return h.raw[t]
}

func (m *mixture) forecast(dst *mat.Dense, r *record, t int) { dst.Copy(m.final(r, t)) }

// final returns the forecasts after row t.
func (m *mixture) final(r *record, t int) *mat.Dense {
	past := m.history(r)
	past.mu.Lock()
	f := past.final[t]
	past.mu.Unlock()
	if f != nil {
		return f
	}
	f = mat.NewDense(len(m.k.horizons), len(m.k.targets), nil)
	now := m.at(r, t)
	for i, h := range m.k.horizons {
		for c, j := range m.k.targets {
			last := r.v[j][t]
			f.Set(i, c, last+m.share(r, t, i, c, h)*(now.At(i, c)-last))
		}
	}
	past.mu.Lock()
	past.final[t] = f
	past.mu.Unlock()
	return f
}

// share returns the share of the change that a cell forecasts at row t.
func (m *mixture) share(r *record, t, i, c, h int) float64 {
	j := m.k.targets[c]
	a := sharePrior * m.Cells[i][c].Spread
	b := a
	if !(a > 0) {
		return 1
	}
	fade := math.Exp2(-1. / shareHalfLife)
	for u := max(m.Rows-1, t-h-shareMemory); u+h <= t; u++ {
		x, y := m.at(r, u).At(i, c)-r.v[j][u], r.v[j][u+h]-r.v[j][u]
		if a, b = a*fade, b*fade; r.has(j, u+h) {
			a, b = a+x*y, b+x*x
		}
	}
	return min(max(a/b/shareEnough, 0), 1)
}
