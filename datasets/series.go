package datasets

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"time"
)

// Series is a table of numbers: named columns, and rows in the order of time. A
// missing value is NaN. The rows may have times, in UTC and increasing.
//
// A Series does not change: its methods hand out copies of its numbers, or views
// that share them. So it may serve many goroutines, and one that is shared, such as
// [IrishWind], cannot be spoilt.
type Series struct {
	name     string
	columns  []string
	values   [][]float64 // by column
	times    []time.Time // nil if none
	timeName string      // the column the times came from
	step     time.Duration
	months   int            // the step if it is calendar months, and then step is 0
	loc      *time.Location // whose clock counts months or days; nil counts hours
	uneven   bool           // see Gaps.Uneven
	closed   *closed        // see Gaps.Calendar; nil if none
	rows     int

	units     []string // by column, nil if the file gave none
	group     []string // what tells it apart from the others of its file
	tolerance float64  // CSV.Tolerance
	notes     []Note   // of the reader
}

// errNoSeries is the error of a nil series.
var errNoSeries = errors.New("datasets: there is no series: it is nil; read one first, and look at the error that came with it")

// Name returns the name of the file or data set, with that of its group if the file
// stacks several.
func (s *Series) Name() string { return s.name }

// Group returns the texts by which ReadGroups told the series from the others of its
// file, nil if it did not.
func (s *Series) Group() []string { return slices.Clone(s.group) }

// Units returns the units of the columns, nil if the file had no row of them.
func (s *Series) Units() []string { return slices.Clone(s.units) }

// Len returns the number of rows.
func (s *Series) Len() int { return s.rows }

// Columns returns the names of the columns, in order.
func (s *Series) Columns() []string { return slices.Clone(s.columns) }

// Times returns a copy of the times of the rows in UTC, nil if there are none.
func (s *Series) Times() []time.Time { return slices.Clone(s.times) }

// Step returns the sampling step: CSV.Step if it was set, else the most common
// difference between the times of neighbouring rows, the shortest of these if
// several are as common; if times jitter, so that hardly two differences are the same,
// that near which most are. A view has the step of the series it was cut from. It is 0
// without times; then neighbouring rows are one step apart.
//
// Months and years differ in length. So if all rows are whole months apart, on the
// same day of the month or its last and at the same time of day, the step is the most
// common number of calendar months: Step is 0, and Gaps().Months has the number, 3
// for quarters and 12 for years. Likewise a step of whole days counts days on the
// clock of CSV.Location, whose midnights may be 23 or 25 hours apart.
//
// Gaps().Uneven says where times have no step in common.
func (s *Series) Step() time.Duration { return s.step }

// Column returns a copy of a column, with NaN where a value is missing. It errs if
// there is no such column.
func (s *Series) Column(name string) ([]float64, error) {
	j, err := s.index(name)
	if err != nil {
		return nil, err
	}
	return slices.Clone(s.values[j]), nil
}

// Missing returns how many values each column lacks, in the order of Columns. Those
// outside CSV.Range are among them.
func (s *Series) Missing() []int {
	n := make([]int, len(s.columns))
	for j, c := range s.values {
		for _, v := range c {
			if math.IsNaN(v) {
				n[j]++
			}
		}
	}
	return n
}

// Select returns a view of the named columns, in the order given. It errs if a
// column is not there or named twice, or if none is named.
func (s *Series) Select(columns ...string) (*Series, error) {
	if len(columns) == 0 {
		return nil, errors.New("datasets: Select needs the name of a column")
	}
	v := *s
	v.columns, v.values, v.units = nil, nil, nil
	place, taken := s.places(), make(map[string]bool, len(columns))
	for _, name := range columns {
		j, ok := place[name]
		if !ok {
			return nil, s.lacks(name)
		}
		if taken[name] {
			return nil, fmt.Errorf("datasets: column %s is selected twice; name it once", inline(name))
		}
		taken[name] = true
		v.columns = append(v.columns, name)
		v.values = append(v.values, s.values[j])
		if s.units != nil {
			v.units = append(v.units, s.units[j])
		}
	}
	return &v, nil
}

// Between returns a view of the rows whose time t has from ≤ t < to. There may be
// none. It panics if the series has no times.
func (s *Series) Between(from, to time.Time) *Series {
	i := s.at(from)
	return s.slice(i, max(i, s.at(to)))
}

// Split returns views of the first round(fraction·n) rows and of the others, for
// training and testing. It never shuffles, since neighbouring rows are alike. One of
// the two may be empty if there are few rows. It panics unless 0 < fraction < 1.
func (s *Series) Split(fraction float64) (train, test *Series) {
	if !(fraction > 0 && fraction < 1) {
		panic("datasets: the fraction of Split must lie between 0 and 1")
	}
	i := int(math.Round(fraction * float64(s.rows)))
	return s.slice(0, i), s.slice(i, s.rows)
}

// SplitAt returns views of the rows before time t and of those from t on. It panics
// if the series has no times.
func (s *Series) SplitAt(t time.Time) (train, test *Series) {
	i := s.at(t)
	return s.slice(0, i), s.slice(i, s.rows)
}

// at returns the first row that is not before t.
func (s *Series) at(t time.Time) int {
	if s.times == nil {
		panic("datasets: the series has no times; use Split, or name its CSV.Time")
	}
	return sort.Search(s.rows, func(i int) bool { return !s.times[i].Before(t) })
}

// slice returns a view of rows i to j−1.
func (s *Series) slice(i, j int) *Series {
	v := *s
	v.rows = j - i
	v.values = make([][]float64, len(s.values))
	for c := range v.values {
		v.values[c] = s.values[c][i:j:j]
	}
	if s.times != nil {
		v.times = s.times[i:j:j]
	}
	return &v
}

// index returns the place of a column, or an error that lists those there are.
func (s *Series) index(name string) (int, error) {
	if j := slices.Index(s.columns, name); j >= 0 {
		return j, nil
	}
	return 0, s.lacks(name)
}

func (s *Series) lacks(name string) error {
	return fmt.Errorf("datasets: %s has no column %s; it has %s", inline(s.name), inline(name), list(s.columns))
}

// places returns the place of every column, for those who look up many.
func (s *Series) places() map[string]int {
	place := make(map[string]int, len(s.columns))
	for j, name := range s.columns {
		place[name] = j
	}
	return place
}
