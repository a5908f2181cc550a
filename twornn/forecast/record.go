package forecast

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/twornn/spectral/datasets"
)

// record is a series as the methods read it: the columns of the task, each a slice,
// with a missing value replaced by the one before it, so that nothing is taken from
// later rows. Before the first value of a column stands start.
type record struct {
	n      int
	series *datasets.Series // with the rows that its gaps lack, if these are put in
	place  []int            // of the rows of the series as it came; nil if they are those of the record
	before int              // missing rows before the first, so that seasons go on as they were learnt
	last   int              // the last row in which a target was measured, −1 if none
	v      [][]float64      // by column of the task
	absent [][]bool         // where a value is missing; nil for a column without
	mu     sync.Mutex
	memo   map[any]any // what engines have computed on this record
}

// mostValue is the largest value whose squares can be summed, leastValue the smallest that a column may vary by,
// whose square keeps its digits.
const mostValue, leastValue = 1e100, 1e-150

// newRecord reads the columns of the task from s. start is by column, nil for zeros.
func newRecord(s *datasets.Series, k *task, start []float64) (*record, error) {
	r := &record{series: s, memo: map[any]any{}}
	if k.steps {
		var err error
		if r.series, r.place, err = complete(s); err != nil {
			return nil, err
		}
	}
	s, r.n = r.series, r.series.Len()
	for j, name := range k.columns {
		v, err := s.Column(name)
		if err != nil {
			return nil, fmt.Errorf("forecast: %w", err)
		}
		last := 0.0
		if start != nil {
			last = start[j]
		}
		var absent []bool
		for i, x := range v {
			if math.IsInf(x, 0) {
				return nil, fmt.Errorf("forecast: row %d of column %q is infinite; make it NaN to count it as missing", r.cameAs(i), name)
			}
			if math.Abs(x) > mostValue {
				return nil, fmt.Errorf("forecast: row %d of column %q is %g, whose square overflows in sums; use larger units", r.cameAs(i), name, x)
			}
			if math.IsNaN(x) {
				if absent == nil {
					absent = make([]bool, len(v))
				}
				absent[i], v[i] = true, last
			}
			last = v[i]
		}
		r.v = append(r.v, v)
		r.absent = append(r.absent, absent)
	}
	r.last = r.n - 1
	for r.last >= 0 && !slices.ContainsFunc(k.targets, func(j int) bool { return r.has(j, r.last) }) {
		r.last--
	}
	return r, nil
}

// tooSmall returns an error if a column varies by so little that squares of that underflow: it would seem to be
// forecast without an error.
func (r *record) tooSmall(k *task) error {
	for j, v := range r.v {
		if varies := slices.Max(v) - slices.Min(v); 0 < varies && varies < leastValue {
			return fmt.Errorf("forecast: column %q has values up to %g that vary by %g, too small to work with, since squares underflow; change its unit", k.columns[j], largest(v), varies)
		}
	}
	return nil
}

// stepsIn tells whether the rows that are missing in gaps are to be put in: not where the
// times have no step, nor where the gaps are nights or weekends, after which the next row
// counts as the next step, nor where they take more rows than there are.
func stepsIn(s *datasets.Series) bool {
	g := s.Gaps()
	return (g.Step > 0 || g.Months > 0) && !g.Uneven && !g.Calendar && g.Rows <= s.Len()
}

// complete returns s with the rows that are missing in its gaps, and the places of its own
// rows among them, nil if none is missing.
func complete(s *datasets.Series) (*datasets.Series, []int, error) {
	full, err := s.Complete()
	if err != nil {
		return nil, nil, fmt.Errorf("forecast: %w", err)
	}
	if full == s {
		return s, nil, nil
	}
	place, all, t := make([]int, s.Len()), full.Times(), 0
	for i, at := range s.Times() {
		for !all[t].Equal(at) {
			t++
		}
		place[i] = t
	}
	return full, place, nil
}

// How many rows are looked at for how long values are missing, and how far they move meanwhile, and from how many such
// moves on that is known.
const (
	mostMoves  = 2000
	leastMoves = 10
)

// sinceMeasured returns how far column j moves, with probability p, over as many rows as it was not measured before
// row t; 0 where it is not missing for longer than it mostly is, as the errors held out tell of that.
func (r *record) sinceMeasured(j, t int, p float64) float64 {
	last := t
	for last >= 0 && !r.has(j, last) {
		last--
	}
	if last < 0 || last == t {
		return 0
	}
	// In nine rows of ten it was not missing for longer than this.
	var usual []int
	for u, missing := max(0, last-mostMoves), 0; u <= last; u++ {
		if missing++; r.has(j, u) {
			missing = 0
		}
		usual = append(usual, missing)
	}
	slices.Sort(usual)
	k := t - last
	if k <= usual[len(usual)*9/10] {
		return 0
	}
	var moves []float64
	for ; k > 0 && len(moves) < leastMoves; k /= 2 {
		moves = moves[:0]
		for u := last; u >= max(k, last-mostMoves); u-- {
			if r.has(j, u) && r.has(j, u-k) {
				moves = append(moves, math.Abs(r.v[j][u]-r.v[j][u-k]))
			}
		}
	}
	if len(moves) == 0 {
		return 0
	}
	slices.Sort(moves)
	return moves[min(int(p*float64(len(moves))), len(moves)-1)]
}

// row returns the place of row t of the series as it came.
func (r *record) row(t int) int {
	if r.place == nil {
		return t
	}
	return r.place[t]
}

// at returns the place of row t of the series as it came in the series of the record.
func (r *record) at(t int) int { return r.row(t) - r.before }

// shift puts missing rows before the first.
func (r *record) shift(rows int, start []float64) {
	if rows == 0 {
		return
	}
	if r.place == nil {
		r.place = make([]int, r.n)
		for i := range r.place {
			r.place[i] = i
		}
	}
	for i := range r.place {
		r.place[i] += rows
	}
	for j, v := range r.v {
		absent := make([]bool, rows, rows+r.n)
		front := make([]float64, rows, rows+r.n)
		for i := range rows {
			absent[i], front[i] = true, start[j]
		}
		if r.absent[j] == nil {
			r.absent[j] = make([]bool, r.n)
		}
		r.v[j], r.absent[j] = append(front, v...), append(absent, r.absent[j]...)
	}
	r.before, r.n, r.last = rows, r.n+rows, r.last+rows
}

// cameAs returns which row of the series as it came stands in row i, or after it if that was put in.
func (r *record) cameAs(i int) int {
	if r.place == nil {
		return i
	}
	row, _ := slices.BinarySearch(r.place, i)
	return row
}

// came tells whether row i was in the series as it came.
func (r *record) came(i int) bool {
	if r.place == nil {
		return true
	}
	_, found := slices.BinarySearch(r.place, i)
	return found
}

// gapsText says what became of the gaps of a series and of rows closer than its step, nothing if there are none.
func gapsText(g datasets.Gaps, steps bool) string {
	text := g.String()
	switch {
	case g.Uneven:
		return "the times have no common step: rows are taken as evenly spaced, one a step"
	case g.Count == 0 && g.Irregular == 0:
		return ""
	case g.Count == 0:
	case steps:
		text += ":\n  put in as rows without values, so that a row is a step"
	case g.Calendar:
		text += ":\n  the rows are taken as they follow each other, so that these are no steps"
	default:
		text += ", more than half of all:\n  the rows are taken as they follow each other, one a step, which may be far from right"
	}
	if g.Irregular > 0 {
		text += "\n  a shorter step counts as a whole one, so that a row ahead is not always as far: learn from rows of one step alone, or bring the record to even steps first"
	}
	return text
}

// has tells whether row t of column j was measured.
func (r *record) has(j, t int) bool { return r.absent[j] == nil || !r.absent[j][t] }

// lacks tells how many rows after row t, of h, a known column of k has no value, and which
// column: the last such row, 0 if all are there. On the way to row t+h a row lost in a gap is
// bridged.
func (r *record) lacks(k *task, t, h int) (column string, ahead int) {
	for ahead = h; ahead > 0; ahead-- {
		for _, j := range k.known {
			if t+ahead < r.n && r.has(j, t+ahead) || ahead < h && r.lost(k, t+ahead) {
				continue
			}
			return k.columns[j], ahead
		}
	}
	return "", 0
}

// lost tells whether row t has no value at all, and targets were measured after it.
func (r *record) lost(k *task, t int) bool {
	if t > r.last {
		return false
	}
	for j := range k.columns {
		if r.has(j, t) {
			return false
		}
	}
	return true
}

// remember returns what make returns, made once for each key.
func remember[T any](r *record, key any, make func() T) T {
	r.mu.Lock()
	defer r.mu.Unlock()
	if v, ok := r.memo[key]; ok {
		return v.(T)
	}
	v := make()
	r.memo[key] = v
	return v
}

// starts returns for each column its first value in train, which is what a column is
// before its first value. A column with no value at all starts at 0.
func starts(train *datasets.Series, k *task) ([]float64, error) {
	first := make([]float64, len(k.columns))
	for j, name := range k.columns {
		v, err := train.Column(name)
		if err != nil {
			return nil, err
		}
		for _, x := range v {
			if !math.IsNaN(x) && !math.IsInf(x, 0) {
				first[j] = x
				break
			}
		}
	}
	return first, nil
}
