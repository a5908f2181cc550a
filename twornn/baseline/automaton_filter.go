package baseline

import (
	"math"
	"sort"
)

// automatonFilter is where an automaton is in a record.
type automatonFilter struct {
	a     *RegressionAutomaton
	first []int // the first edge of each state, and the number of edges
	state int
	last  float64
	seen  bool
}

// Filter implements Univariate. An update costs the logarithm of the edges of a state, a
// forecast that of the horizons. A Forecast panics at a horizon that is not in a.Horizons.
func (a *RegressionAutomaton) Filter() Filter {
	f := &automatonFilter{a: a, first: make([]int, len(a.States)+1)}
	for i := range f.first {
		f.first[i] = sort.Search(len(a.Edges), func(k int) bool { return a.Edges[k].From >= i })
	}
	return f
}

// edge returns the edge that y takes.
func (f *automatonFilter) edge(y float64) int {
	from, to := f.first[f.state], f.first[f.state+1]
	return from + sort.Search(to-from-1, func(k int) bool { return y < f.a.Edges[from+k].High })
}

// Update implements Filter.
func (f *automatonFilter) Update(y float64) {
	if math.IsNaN(y) {
		y = f.a.Mean
		if f.seen {
			y = f.a.States[f.state].at(0, f.last)
		}
	}
	f.state = f.a.Edges[f.edge(y)].To
	f.last, f.seen = y, true
}

// at returns what line k expects after y.
func (s *AutomatonState) at(k int, y float64) float64 {
	return s.Lines[k].Mean + s.Lines[k].Slope*(y-s.Value)
}

// Forecast implements Filter.
func (f *automatonFilter) Forecast(mean, variance []float64, horizons []int) {
	checkForecast(mean, variance, horizons)
	state := &f.a.States[f.state]
	for i, h := range horizons {
		k := f.a.horizon(h)
		m, v := f.a.Mean, math.Inf(1)
		if f.seen {
			m, v = state.at(k, f.last), state.Lines[k].Variance
		}
		if mean[i] = m; variance != nil {
			variance[i] = v
		}
	}
}
