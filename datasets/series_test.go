package datasets

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

func abc(t *testing.T) *Series {
	return read(t, "date,a,b,c\n2020-01-01,1,10,\n2020-01-02,2,20,7\n2020-01-03,3,NA,\n2020-01-05,4,40,7\n2020-01-06,5,50,7\n", CSV{})
}

func day(d int) time.Time { return time.Date(2020, 1, d, 0, 0, 0, 0, time.UTC) }

func TestSelect(t *testing.T) {
	s := abc(t)
	v, err := s.Select("c", "a")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(v.Columns(), []string{"c", "a"}) || !slices.Equal(v.Missing(), []int{2, 0}) || v.Len() != 5 {
		t.Errorf("selected %v", v)
	}
	if !slices.Equal(column(t, v, "a"), []float64{1, 2, 3, 4, 5}) {
		t.Errorf("a is %v", column(t, v, "a"))
	}
	if _, err := v.Column("b"); err == nil || err.Error() != "datasets: test.csv has no column b; it has c, a" {
		t.Errorf("a column that was not selected: %v", err)
	}
	for _, bad := range [][]string{{}, {"a", "d"}, {"a", "a"}} {
		if v, err := s.Select(bad...); err == nil {
			t.Errorf("Select(%q) is %v", bad, v)
		}
	}
}

func TestSplits(t *testing.T) {
	s := abc(t)
	for _, c := range []struct {
		name        string
		train, test *Series
		want        int
	}{
		{"0.5", first(s.Split(.5)), second(s.Split(.5)), 3}, // 2.5 rounds up
		{"0.69", first(s.Split(.69)), second(s.Split(.69)), 3},
		{"0.01", first(s.Split(.01)), second(s.Split(.01)), 0},
		{"0.99", first(s.Split(.99)), second(s.Split(.99)), 5},
		{"in the gap", first(s.SplitAt(day(4))), second(s.SplitAt(day(4))), 3},
		{"at a row", first(s.SplitAt(day(5))), second(s.SplitAt(day(5))), 3},
		{"before all", first(s.SplitAt(day(1))), second(s.SplitAt(day(1))), 0},
		{"after all", first(s.SplitAt(day(7))), second(s.SplitAt(day(7))), 5},
	} {
		if c.train.Len() != c.want || c.test.Len() != 5-c.want {
			t.Errorf("%s: %d and %d rows, want %d and the rest", c.name, c.train.Len(), c.test.Len(), c.want)
		}
		if all := append(column(t, c.train, "a"), column(t, c.test, "a")...); !slices.Equal(all, []float64{1, 2, 3, 4, 5}) {
			t.Errorf("%s: the parts hold %v", c.name, all)
		}
		if all := append(c.train.Times(), c.test.Times()...); !slices.Equal(all, s.Times()) {
			t.Errorf("%s: the parts have times %v", c.name, all)
		}
		if c.test.Step() != 24*time.Hour {
			t.Errorf("%s: step %v", c.name, c.test.Step())
		}
		_ = c.train.String() + c.test.String()
	}
	for _, f := range []float64{0, 1, -1, 2, math.NaN()} {
		panics(t, fmt.Sprint("Split ", f), func() { s.Split(f) })
	}
	noTimes := read(t, "x\n1\n2\n", CSV{})
	panics(t, "SplitAt without times", func() { noTimes.SplitAt(day(1)) })
	if noTimes.Times() != nil || noTimes.Step() != 0 || noTimes.Gaps() != (Gaps{}) {
		t.Errorf("without times: %v", noTimes)
	}
}

func first(a, _ *Series) *Series  { return a }
func second(_, b *Series) *Series { return b }

func TestBetween(t *testing.T) {
	s := abc(t)
	for _, c := range []struct {
		from, to int
		want     []float64
	}{{2, 5, []float64{2, 3}}, {4, 6, []float64{4}}, {0, 9, []float64{1, 2, 3, 4, 5}}, {4, 4, nil}, {5, 2, nil}} {
		if got := column(t, s.Between(day(c.from), day(c.to)), "a"); !slices.Equal(got, c.want) {
			t.Errorf("between %d and %d: %v", c.from, c.to, got)
		}
	}
}

// What a Series hands out is the caller's to change.
func TestCopies(t *testing.T) {
	s := abc(t)
	train, _ := s.Split(.5)
	column(t, s, "a")[0] = 99
	s.Times()[0] = day(9)
	s.Columns()[0] = "z"
	if v := column(t, train, "a"); v[0] != 1 || s.Times()[0] != day(1) || s.Columns()[0] != "a" {
		t.Error("a caller changed the series")
	}
}

func TestGaps(t *testing.T) {
	for _, c := range []struct {
		minutes []int
		step    time.Duration // CSV.Step
		want    Gaps
	}{
		{[]int{0, 60, 120}, 0, Gaps{Step: time.Hour}},
		{[]int{0}, 0, Gaps{}},
		{[]int{0, 10, 70}, 0, Gaps{Step: 10 * time.Minute, Count: 1, Rows: 5, Longest: 5}}, // a tie: the shorter
		{[]int{0, 60, 240, 300, 480, 540}, 0, Gaps{Step: time.Hour, Count: 2, Rows: 4, Longest: 2}},
		{[]int{0, 60, 120, 210, 270}, 0, Gaps{Step: time.Hour, Count: 1, Rows: 1, Longest: 1}}, // an hour and a half
		{[]int{0, 60, 120, 150, 210}, 0, Gaps{Step: time.Hour, Irregular: 1}},
		{[]int{0, 60, 120}, 30 * time.Minute, Gaps{Step: 30 * time.Minute, Count: 2, Rows: 2, Longest: 1}},
	} {
		var b strings.Builder
		b.WriteString("time,x\n")
		for _, m := range c.minutes {
			b.WriteString(day(1).Add(time.Duration(m)*time.Minute).Format("2006-01-02 15:04") + ",1\n")
		}
		s := read(t, b.String(), CSV{Step: c.step})
		got := s.Gaps()
		got.First, got.After, got.Before = time.Time{}, time.Time{}, time.Time{}
		if got != c.want || s.Step() != c.want.Step {
			t.Errorf("%v with step %v: %+v, want %+v", c.minutes, c.step, got, c.want)
		}
	}
}

func TestSeriesString(t *testing.T) {
	s := read(t, "date,a,none\n2020-01-01,1,\n2020-01-02,-2.5,\n2020-01-05,NA,\n", CSV{})
	want := strings.TrimPrefix(`
test.csv: 3 rows, 2 columns
2020-01-01 to 2020-01-05 UTC, step 24h
2 rows missing in 1 gap, the longest of 2 between 2020-01-02 and 2020-01-05
  column  missing   min   mean  max
       a        1  -2.5  -0.75    1
    none        3     -      -    -
warning: 2 of 5 rows (40 %) are missing in gaps, which no window bridges
warning: 3 of 3 rows (100 %) lack a value, which no window holds`, "\n")
	if got := s.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := read(t, "x\n1\n", CSV{}).String(); !strings.HasPrefix(got, "test.csv: 1 row, 1 column\nno times\n") {
		t.Errorf("got\n%s", got)
	}
}

// The mean of the largest numbers is finite.
func TestSpread(t *testing.T) {
	low, mean, high, n := spread([]float64{math.MaxFloat64, math.NaN(), -math.MaxFloat64, math.MaxFloat64})
	if low != -math.MaxFloat64 || high != math.MaxFloat64 || n != 3 || math.Abs(mean/(math.MaxFloat64/3)-1) > 1e-12 {
		t.Errorf("%v %v %v %d", low, mean, high, n)
	}
}
