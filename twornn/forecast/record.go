package forecast

import (
	"fmt"
	"math"
	"sync"

	"github.com/twornn/spectral/datasets"
)

// record is a series as the methods read it: the columns of the task, each a slice,
// with a missing value replaced by the one before it, so that nothing is taken from
// later rows. Before the first value of a column stands start.
type record struct {
	n      int
	v      [][]float64 // by column of the task
	absent [][]bool    // where a value is missing; nil for a column without
	mu     sync.Mutex
	memo   map[any]any // what engines have computed on this record
}

// mostValue is the largest value whose squares can be summed.
const mostValue = 1e100

// newRecord reads the columns of the task from s. start is by column, nil for zeros.
func newRecord(s *datasets.Series, k *task, start []float64) (*record, error) {
	r := &record{n: s.Len(), memo: map[any]any{}}
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
				return nil, fmt.Errorf("forecast: row %d of column %q is infinite; make it NaN to count it as missing", i, name)
			}
			if math.Abs(x) > mostValue {
				return nil, fmt.Errorf("forecast: row %d of column %q is %g, whose square overflows in sums; use larger units", i, name, x)
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
	return r, nil
}

// has tells whether row t of column j was measured.
func (r *record) has(j, t int) bool { return r.absent[j] == nil || !r.absent[j][t] }

// known tells whether the known columns of k have their values at row t.
func (r *record) known(k *task, t int) (column int, ok bool) {
	for _, j := range k.known {
		if t >= r.n || !r.has(j, t) {
			return j, false
		}
	}
	return 0, true
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
