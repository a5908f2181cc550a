package datasets

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

func ExampleFromFrame() {
	df := dataframe.ReadCSV(strings.NewReader("date,wind,rain\n2020-01-01,3.5,0\n2020-01-02,null,1\n2020-01-03,4.5,2\n"))
	fmt.Println(df.Types()) // gota takes wind for strings, for its null
	s, err := FromFrame(df)
	fmt.Println(s, err)
	// Output:
	// [string string int]
	// data frame: 3 rows, 2 columns
	// 2020-01-01 to 2020-01-03 UTC, step 24h
	// no gaps
	//   column  missing  min  mean  max
	//     wind        1  3.5     4  4.5
	//     rain        0    0     1    2
	// warning: 1 of 3 rows (33 %) lacks a value, which no window holds <nil>
}

func TestFrameAndBack(t *testing.T) {
	third := read(t, "date,a,b,c\n2020-01-01,0.3333333333333333,1e-300,\n2020-01-02,-1e300,NA,1e17\n", CSV{})
	for name, s := range map[string]*Series{
		"gap":        abc(t),
		"digits":     third,
		"view":       second(abc(t).Split(.5)),
		"no times":   read(t, "time,x\n0,1\n1,\n", CSV{Time: NoTime}),
		"same name":  read(t, "date,x,date\n2020-01-01,1,2\n", CSV{Columns: []string{"x"}}),
		"fractions":  read(t, "date,x\n2020-01-01 00:00:00.125,1\n2020-01-01 00:00:00.25,2\n", CSV{}),
		"odd name":   read(t, "x,when\n1,2020-01-01\n", CSV{Time: "when"}),
		"name twice": read(t, "when,x\n2020-01-01,1\n", CSV{Time: "when", Columns: []string{"x", "when"}, Missing: []string{"2020-01-01"}}),
		"Irish":      IrishWind(),
	} {
		back, err := FromFrame(s.Frame())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if !slices.Equal(back.Columns(), s.Columns()) || !slices.Equal(back.Times(), s.Times()) || !slices.Equal(back.Missing(), s.Missing()) {
			t.Errorf("%s: %v is not\n%v", name, back, s)
		}
		for _, c := range s.Columns() {
			if !same(column(t, back, c), column(t, s, c)) {
				t.Errorf("%s: column %s is %v", name, c, column(t, back, c))
			}
		}
	}
	if df := abc(t).Between(day(8), day(9)).Frame(); df.Err != nil || df.Nrow() != 0 {
		t.Errorf("no rows: %v", df)
	}
}

func TestFromFrameColumns(t *testing.T) {
	df := dataframe.New(
		series.New([]string{"0", "1"}, series.String, "time"),
		series.New([]int{5, 6}, series.Int, "n"),
		series.New([]string{"x", "y"}, series.String, "text"),
		series.New([]bool{true, false}, series.Bool, "flag"),
	)
	s, err := FromFrame(df, "n", "time")
	if err != nil {
		t.Fatal(err)
	}
	if s.Times() != nil || !slices.Equal(column(t, s, "n"), []float64{5, 6}) || !slices.Equal(column(t, s, "time"), []float64{0, 1}) {
		t.Errorf("%v", s)
	}
	// A frame whose index is of a numeric type has no times.
	s, err = FromFrame(dataframe.New(series.New([]int{0, 1}, series.Int, "time")))
	if err != nil || s.Times() != nil || !slices.Equal(s.Columns(), []string{"time"}) {
		t.Errorf("%v, %v", s, err)
	}
}

func TestFromFrameErrors(t *testing.T) {
	strs := func(name string, v ...string) series.Series { return series.New(v, series.String, name) }
	const mend = "; mend the column, name those to take, or use ReadCSV, which has CSV.Decimal and CSV.Missing"
	const first = ", which only the first column is taken for; put it first with Select of the data frame, or leave it out with Drop"
	const clock = "; mend the column, or name those to take, with it as numbers or without it"
	for _, c := range []struct {
		df      dataframe.DataFrame
		columns []string
		want    string
		cell    bool
	}{
		{dataframe.DataFrame{}, nil, "the data frame has no rows", false},
		{dataframe.New(strs("x", "1"), strs("y", "1", "2")), nil, "data frame: arguments have different dimensions", false},
		{dataframe.New(strs("x", "1")), []string{"y"}, "the data frame has no column y; it has x", false},
		{dataframe.New(strs("x", "1")), []string{"x", "x"}, "column x is named twice; name it once", false},
		{dataframe.New(strs("date", "2020-01-01")), nil, "the data frame has no column of numbers beside its times; name its columns, or turn them into numbers first", false},
		{dataframe.New(strs("x", "1"), strs("y", "2020-01-01")), nil, "data frame, column y: seems to hold the times" + first, true},
		{dataframe.New(strs("x", "1"), strs("time", "1")), []string{"x"}, "data frame, column time: seems to hold the times" + first, true},
		{dataframe.New(strs("date", "1500-01-01", "2020-01-01"), strs("x", "1", "2")), nil, `data frame, row 2, column date: "2020-01-01" is more than 292 years after the time of row 1` + clock, true},
		{dataframe.New(strs("x", "1", "-")), nil, `data frame, row 2, column x: "-" is no number` + mend, true},
		{dataframe.New(strs("x", "3,5")), nil, `data frame, row 1, column x: "3,5" is no number` + mend, true},
		{dataframe.New(strs("x", "0x10")), nil, `data frame, row 1, column x: "0x10" is no number` + mend, true},
		{dataframe.New(strs("x", "Inf")), nil, `data frame, row 1, column x: "Inf" is infinite` + mend, true},
		{dataframe.New(series.New([]float64{1, math.Inf(-1)}, series.Float, "x")), nil, `data frame, row 2, column x: "-Inf" is infinite; make it NaN to count it as missing`, true},
		{dataframe.New(series.New([]bool{true}, series.Bool, "x")), nil, `data frame, column x: is of type bool, no numbers; make it 0 and 1 first`, true},
		{dataframe.New(strs("date", "2020-01-01", "2020-01-01"), strs("x", "1", "2")), nil, `data frame, row 2, column date: "2020-01-01" repeats the time of row 1` + clock, true},
		{dataframe.New(strs("date", "2020-01-02", "2020-01-01"), strs("x", "1", "2")), nil, `data frame, row 2, column date: "2020-01-01" is earlier than the time of row 1` + clock, true},
		{dataframe.New(strs("date", "2020-01-02", "NaN"), strs("x", "1", "2")), nil, `data frame, row 2, column date: the time is missing` + clock, true},
		{dataframe.New(strs("time", "0", "1"), strs("x", "1", "2")), nil, `data frame, row 1, column time: "0" is no time that reads in one way only` + clock, true},
	} {
		s, err := FromFrame(c.df, c.columns...)
		if err == nil || s != nil || err.Error() != "datasets: "+c.want {
			t.Errorf("got  %v\nwant datasets: %s", err, c.want)
		}
		if cell := (*CellError)(nil); errors.As(err, &cell) != c.cell {
			t.Errorf("%v is of type %T", err, err)
		}
	}
	df := dataframe.ReadCSV(strings.NewReader(""))
	if _, err := FromFrame(df); df.Err == nil || !errors.Is(err, df.Err) {
		t.Errorf("the frame's own error %v is lost in %v", df.Err, err)
	}
}
