package datasets

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

// FromFrame returns the series with the named columns of df, all if none is named, in
// the order given. The first column holds the times, in UTC if they do not name their
// zone, by the rule of CSV.Time, unless it is named or of a numeric type. It errs if
// there are no times and another column of strings seems to hold them.
//
// A column of strings is read as ReadCSV would read it: gota takes a whole column for
// strings when one marker in it is odd. It errs if df has an error or no rows, and
// with a *[CellError] for text, an infinity or a time that does not increase.
func FromFrame(df dataframe.DataFrame, columns ...string) (*Series, error) {
	if df.Err != nil {
		return nil, fmt.Errorf("datasets: data frame: %w", df.Err)
	}
	if df.Nrow() == 0 || df.Ncol() == 0 {
		return nil, errors.New("datasets: the data frame has no rows")
	}
	f := newFrame(df, columns)
	s := &Series{name: frameName, rows: df.Nrow()}
	first := f.names[0]
	if !f.asked[first] && f.isTime(first) {
		var err error
		if s.times, err = f.times(first); err != nil {
			return nil, err
		}
		s.timeName = first
		s.setStep(0, time.UTC)
	}
	if s.times == nil {
		for _, name := range f.names {
			if !f.asked[name] && f.isTime(name) {
				return nil, &CellError{File: frameName, Column: name,
					Problem: "seems to hold the times, which only the first column is taken for",
					Cure:    "put it first with Select of the data frame, or leave it out with Drop"}
			}
		}
	}
	if len(columns) == 0 {
		columns = f.names
		if s.times != nil {
			columns = columns[1:]
		}
	}
	if len(columns) == 0 {
		return nil, errors.New("datasets: the data frame has no column of numbers beside its times; name its columns, or turn them into numbers first")
	}
	taken := make(map[string]bool, len(columns))
	for _, name := range columns {
		if _, ok := f.place[name]; !ok {
			return nil, fmt.Errorf("datasets: the data frame has no column %s; it has %s", inline(name), list(f.names))
		}
		if taken[name] {
			return nil, fmt.Errorf("datasets: column %s is named twice; name it once", inline(name))
		}
		taken[name] = true
		v, err := f.values(name)
		if err != nil {
			return nil, err
		}
		s.columns = append(s.columns, name)
		s.values = append(s.values, v)
	}
	return s, nil
}

// Frame returns the series as a data frame: the times, if any, as strings in a first
// column, then the columns as floats, with NaN where a value is missing. FromFrame
// turns it back, except that the step is then the most common one on the clock of UTC.
func (s *Series) Frame() dataframe.DataFrame {
	var columns []series.Series
	if s.times != nil {
		text := make([]string, s.rows)
		for i, t := range s.times {
			text[i] = t.Format(time.RFC3339Nano)
		}
		name := s.timeName
		for name == "" || slices.Contains(s.columns, name) {
			name += "time"
		}
		columns = append(columns, series.New(text, series.String, name))
	}
	for j, name := range s.columns {
		columns = append(columns, series.New(s.values[j], series.Float, name))
	}
	return dataframe.New(columns...)
}

const frameName = "data frame"

// frame is a data frame on its way into a Series. Columns are looked up by their places, as
// gota's Col copies all names each time.
type frame struct {
	df    dataframe.DataFrame
	names []string
	types []series.Type
	place map[string]int  // the first of each name
	asked map[string]bool // by the caller
}

func newFrame(df dataframe.DataFrame, columns []string) frame {
	f := frame{df: df, names: df.Names(), types: df.Types(), place: make(map[string]int, df.Ncol()), asked: make(map[string]bool, len(columns))}
	for i, name := range f.names {
		if _, twice := f.place[name]; !twice {
			f.place[name] = i
		}
	}
	for _, name := range columns {
		f.asked[name] = true
	}
	return f
}

func (f frame) isTime(name string) bool {
	i := f.place[name]
	return f.types[i] == series.String && (isTimeName(name) || layoutOf(f.df.Elem(0, i).String()) != "")
}

// times returns a column of strings as times that increase.
func (f frame) times(name string) ([]time.Time, error) {
	c := f.df.Col(name)
	k := clock{loc: time.UTC}
	if found := layoutsOf(slices.DeleteFunc(c.Records(), func(text string) bool { return text == "" || text == "NaN" })); len(found) == 1 {
		k.layout = found[0]
	}
	times := make([]time.Time, c.Len())
	for i := range times {
		text := ""
		if e := c.Elem(i); !e.IsNA() {
			text = e.String()
		}
		t, problem, _ := k.parse(text)
		cure := "mend the column, or name those to take, with it as numbers or without it"
		if problem == "" && i > 0 {
			if problem = order(times[i-1], t, fmt.Sprintf("row %d", i)); problem != "" {
				if why := k.comesTwice(times[:i], t); why != "" {
					problem += ", " + why
					cure = twiceCure + "; else " + cure
				}
			}
		}
		if problem != "" {
			return nil, f.fail(i, name, text, problem, cure)
		}
		times[i] = t
	}
	return times, nil
}

// values returns a column as numbers, NaN where one is missing.
func (f frame) values(name string) ([]float64, error) {
	at := f.place[name]
	if f.types[at] == series.Bool {
		return nil, &CellError{File: frameName, Column: name, Problem: "is of type bool, no numbers", Cure: "make it 0 and 1 first"}
	}
	text, err := newNumbers(0, 0, nil)
	if err != nil {
		return nil, err
	}
	v := make([]float64, f.df.Nrow())
	for i := range v {
		e := f.df.Elem(i, at)
		switch {
		case e.IsNA():
			v[i] = math.NaN()
		case f.types[at] == series.String:
			if v[i], err = text.parse(e.String()); err != nil {
				problem, _ := text.explain(e.String(), err, false)
				return nil, f.fail(i, name, e.String(), problem,
					"mend the column, name those to take, or use ReadCSV, which has CSV.Decimal and CSV.Missing")
			}
		default:
			v[i] = e.Float()
		}
		if math.IsInf(v[i], 0) {
			return nil, f.fail(i, name, e.String(), "is infinite", "make it NaN to count it as missing")
		}
	}
	return v, nil
}

func (f frame) fail(i int, column, text, problem, cure string) error {
	return &CellError{File: frameName, Row: i + 1, Column: column, Text: text, Problem: problem, Cure: cure}
}
