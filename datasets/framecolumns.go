package datasets

import (
	"fmt"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// Frame is a data frame of gota. The alias lets packages that do not import gota
// name what they return.
type Frame = dataframe.DataFrame

// FrameColumn is a named column of text, of whole numbers or of floats: the one of
// the three that is not nil.
type FrameColumn struct {
	Name   string
	Text   []string
	Counts []int
	Floats []float64
}

// FrameOf returns the data frame with the given columns. Its Err says if they are not of one length, or
// two are of one name, of which gota would make others.
func FrameOf(columns ...FrameColumn) Frame {
	out := make([]series.Series, 0, len(columns))
	taken := make(map[string]bool, len(columns))
	for _, c := range columns {
		if taken[c.Name] {
			return Frame{Err: fmt.Errorf("datasets: two columns of the data frame are called %s; name them apart", inline(c.Name))}
		}
		taken[c.Name] = true
		switch {
		case c.Text != nil:
			out = append(out, series.New(c.Text, series.String, c.Name))
		case c.Counts != nil:
			out = append(out, series.New(c.Counts, series.Int, c.Name))
		default:
			out = append(out, series.New(c.Floats, series.Float, c.Name))
		}
	}
	return dataframe.New(out...)
}

// Rows returns a view of rows from to to−1. It panics unless 0 ≤ from ≤ to ≤ Len.
func (s *Series) Rows(from, to int) *Series {
	if from < 0 || from > to || to > s.rows {
		panic("datasets: rows out of range")
	}
	return s.slice(from, to)
}

// FromColumns returns the series with the given columns, which it copies, and no
// times. A value that is infinite is kept, and Series.Notes warns of it: it is an error of what learns
// from it, so make it NaN to count it as missing. It panics unless the columns are named, all different and of one length.
func FromColumns(names []string, values ...[]float64) *Series {
	if len(names) == 0 || len(names) != len(values) {
		panic("datasets: a name for each column is needed")
	}
	s := &Series{name: "columns", rows: len(values[0])}
	taken := make(map[string]bool, len(names))
	for j, name := range names {
		if taken[name] || len(values[j]) != s.rows {
			panic("datasets: columns of one name or of different lengths")
		}
		taken[name] = true
		s.columns = append(s.columns, name)
		s.values = append(s.values, append([]float64(nil), values[j]...))
	}
	return s
}
