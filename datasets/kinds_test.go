package datasets

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"
)

// Times of every kind, and what they are. Each file reads with the settings shown.
func TestKindsOfTime(t *testing.T) {
	for _, c := range []struct {
		name, file string // lines with ";" for the line end
		o          CSV
		want       string // times of the rows
		columns    string
		step       string
	}{
		{"year to hour", "year,month,day,hour,x;2015,2,28,23,1;2015,3,1,0,2;2015,3,1,1,3", CSV{}, "2015-02-28 23:00, 2015-03-01, 2015-03-01 01:00", "x", "1h"},
		{"hours 1 to 24", "yr,mo,dy,hr,x;2015,2,28,24,1;2015,3,1,1,2", CSV{}, "2015-03-01, 2015-03-01 01:00", "x", "1h"},
		{"any order", "x,Day,Month,Year;1,31,1,2015;2,1,2,2015", CSV{}, "2015-01-31, 2015-02-01", "x", "24h"},
		{"floats", "Year,Month,Day,x;2015.0,1.0,31.0,1;2015.0,2.0,1.0,2", CSV{}, "2015-01-31, 2015-02-01", "x", "24h"},
		{"year and month", "year,month,x;2015,12,1;2016,1,2", CSV{}, "2015-12-01, 2016-01-01", "x", "1 month"},
		{"named months", "year,month,x;2015,Dec,1;2016,January,2", CSV{Times: []string{"year", "month"}, TimeLayout: "2006 Jan"}, "", "", ""},
		{"names of months", "year,month,x;2015,Dec,1;2016,Jan,2", CSV{}, "2015-12-01, 2016-01-01", "x", "1 month"},
		{"day of year", "year,doy,x;2015,9,1;2015,10,2;2015,100,3", CSV{}, "2015-01-09, 2015-01-10, 2015-04-10", "x", "24h"},
		{"year and quarter", "year,quarter,x;2015,4,1;2016,1,2", CSV{}, "2015-10-01, 2016-01-01", "x", "3 months"},
		{"other names", "jaar,maand,dag,x;2015,1,31,1;2015,2,1,2", CSV{Times: []string{"jaar", "maand", "dag"}}, "2015-01-31, 2015-02-01", "x", "24h"},
		{"two digits", "yy,mm,dd,x;15,1,31,1;15,2,1,2", CSV{Times: []string{"yy", "mm", "dd"}}, "2015-01-31, 2015-02-01", "x", "24h"},
		{"parts as numbers too", "year,month,x;2015,12,1;2016,1,2", CSV{Columns: []string{"x", "month"}}, "2015-12-01, 2016-01-01", "x month", "1 month"},
		{"day and clock", "date,time,x;2020-01-31,23:30,1;2020-02-01,00:00,2", CSV{}, "2020-01-31 23:30, 2020-02-01", "x", "30m"},
		{"clock and day", "Time,Date,x;23:30,2020-01-31,1;24:00,2020-01-31,2", CSV{}, "2020-01-31 23:30, 2020-02-01", "x", "30m"},
		{"day and hour", "YYYYMMDD,HH,x;20200131,23,1;20200131,24,2;20200201,1,3", CSV{}, "2020-01-31 23:00, 2020-02-01, 2020-02-01 01:00", "x", "1h"},
		{"day and hhmm", "LST_DATE,LST_TIME,x;20200131,2330,1;20200131,2400,2", CSV{Times: []string{"LST_DATE", "LST_TIME"}}, "2020-01-31 23:30, 2020-02-01", "x", "30m"},
		{"month first", "date,x;1/30/2020,1;1/31/2020,2", CSV{}, "2020-01-30, 2020-01-31", "x", "24h"},
		{"day first", "date,x;31.01.20 23:00,1;1.02.20 0:00,2", CSV{}, "2020-01-31 23:00, 2020-02-01", "x", "1h"},
		{"noon", "date,x;1/30/2020 11:00 AM,1;1/30/2020 12:00 PM,2", CSV{}, "2020-01-30 11:00, 2020-01-30 12:00", "x", "1h"},
		{"months by name", "when,x;30-Jan-2020,1;31-Jan-2020,2", CSV{}, "2020-01-30, 2020-01-31", "x", "24h"},
		{"no zeros", "date,x;2020/1/9,1;2020/1/10,2", CSV{}, "2020-01-09, 2020-01-10", "x", "24h"},
		{"24:00", "date,x;2020-02-28 24:00,1;2020-02-29 24:00,2", CSV{}, "2020-02-29, 2020-03-01", "x", "24h"},
		{"T24", "date,x;2019-12-31T24:00:00Z,1;2020-01-01T01:00:00Z,2", CSV{}, "2020-01-01, 2020-01-01 01:00", "x", "1h"},
		{"compact day", "date,x;20200228,1;20200229,2", CSV{}, "2020-02-28, 2020-02-29", "x", "24h"},
		{"compact hour", "time,x;2020022823,1;2020022824,2", CSV{}, "2020-02-28 23:00, 2020-02-29", "x", "1h"},
		{"compact minute", "time,x;202002282359,1;202002290000,2", CSV{}, "2020-02-28 23:59, 2020-02-29", "x", "1m"},
		{"compact month", "yyyymm,x;202011,1;202012,2", CSV{}, "2020-11-01, 2020-12-01", "x", "1 month"},
		{"seconds", "ts,x;1583020800,1;1583020860,2", CSV{}, "2020-03-01, 2020-03-01 00:01", "x", "1m"},
		{"milliseconds", "timestamp,x;1583020800000,1;1583020800500,2", CSV{}, "2020-03-01, 2020-03-01 00:00:00.5", "x", "500ms"},
		{"microseconds", "t,x;1583020800000000,1;1583020800000001,2", CSV{Time: "t"}, "2020-03-01, 2020-03-01 00:00:00.000001", "x", "1µs"},
		{"nanoseconds", "t,x;1583020800000000000,1;1583020800000000001,2", CSV{Time: "t"}, "2020-03-01, 2020-03-01 00:00:00.000000001", "x", "1ns"},
		{"fractions", "ts,x;1583020800.25,1;1583020800.5,2", CSV{}, "2020-03-01 00:00:00.25, 2020-03-01 00:00:00.5", "x", "250ms"},
		{"before 1970", "ts,x;-1.5,1;0,2", CSV{TimeLayout: UnixSeconds}, "1969-12-31 23:59:58.5, 1970-01-01", "x", "1.5s"},
		{"elapsed", "time [s],x;0,1;0.1,2;0.2,3", CSV{}, "1970-01-01, 1970-01-01 00:00:00.1, 1970-01-01 00:00:00.2", "x", "100ms"},
		{"elapsed hours", "t,x;0,1;0.5,2", CSV{Time: "t", TimeLayout: ElapsedHours}, "1970-01-01, 1970-01-01 00:30", "x", "30m"},
		{"quarters", "q,x;2001Q3,1;2001Q4,2;2002Q1,3", CSV{}, "2001-07-01, 2001-10-01, 2002-01-01", "x", "3 months"},
		{"quarters, dashed", "date,x;2001-Q3,1;2001-q4,2", CSV{}, "2001-07-01, 2001-10-01", "x", "3 months"},
		{"quarters first", "date,x;Q4 2001,1;Q1 2002,2", CSV{}, "2001-10-01, 2002-01-01", "x", "3 months"},
		{"weeks", "date,x;2020-W53,1;2021-W01,2", CSV{}, "2020-12-28, 2021-01-04", "x", "168h"},
		{"months with M", "date,x;1960M12,1;1961M1,2", CSV{}, "1960-12-01, 1961-01-01", "x", "1 month"},
		{"short months", "date,x;1960-12,1;1961-1,2", CSV{TimeLayout: "2006-1"}, "1960-12-01, 1961-01-01", "x", "1 month"},
		{"basic format", "date,x;20200131T233000Z,1;20200201T000000Z,2", CSV{}, "2020-01-31 23:30, 2020-02-01", "x", "30m"},
		{"clock with points", "Date,Time,x;10/03/2004,18.00.00,1;10/03/2004,19.00.00,2;13/03/2004,18.00.00,3", CSV{Step: time.Hour}, "2004-03-10 18:00, 2004-03-10 19:00, 2004-03-13 18:00", "x", "1h"},
		{"rows of nothing", "date,x;2020-01-01,1;2020-01-02,2;,;,", CSV{}, "2020-01-01, 2020-01-02", "x", "24h"},
		{"no header", "2020-01-01,1;2020-01-02,2", CSV{Names: []string{"date", "x"}}, "2020-01-01, 2020-01-02", "x", "24h"},
		{"hour ending", "Date,Hour,x;1/8/2020,24,1;2/8/2020,1,2", CSV{TimeLayout: "2/1/2006 15"}, "2020-08-02, 2020-08-02 01:00", "x", "1h"},
		{"years", "year,x;1845,1;1846,2", CSV{}, "1845-01-01, 1846-01-01", "x", "12 months"},
		{"years of time", "time,x;1845,1;1846,2", CSV{}, "1845-01-01, 1846-01-01", "x", "12 months"},
		{"decimal quarters", "year,x;1987.00,1;1987.25,2;1987.5,3", CSV{}, "1987-01-01, 1987-04-01, 1987-07-01", "x", "3 months"},
		{"decimal months", "date,x;1999.917,1;2000.000,2;2000.083,3", CSV{}, "1999-12-01, 2000-01-01, 2000-02-01", "x", "1 month"},
		{"middles of months", "decimal_date,x;1958.2027,1;1958.2877,2;1958.3699,3", CSV{}, "1958-03-15, 1958-04-15, 1958-05-15", "x", "1 month"},
		{"decimal days", "decimal year,x;2019.9973,1;2020.0000,2;2020.0027,3", CSV{}, "2019-12-31, 2020-01-01, 2020-01-02", "x", "24h"},
		{"decimal comma", "year;x|1987,25;1|1987,5;2", CSV{Comma: ';', Decimal: ','}, "1987-04-01, 1987-07-01", "x", "3 months"},
	} {
		file := strings.NewReplacer(";", "\n").Replace(c.file)
		if c.o.Comma == ';' {
			file = strings.ReplaceAll(c.file, "|", "\n")
		}
		s, err := Read(strings.NewReader(file), "f.csv", c.o)
		if c.want == "" {
			if err == nil {
				t.Errorf("%s is not refused: %v", c.name, s)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var times []string
		for _, at := range s.Times() {
			times = append(times, short(at))
		}
		step := stepText(s.Step(), s.Gaps().Months)
		if got := strings.Join(times, ", "); got != c.want || strings.Join(s.Columns(), " ") != c.columns || step != c.step {
			t.Errorf("%s: times %s, step %s, want %s, %s; %v", c.name, got, step, c.want, c.step, s)
		}
	}
}

// What looks like times and need not be is left as it is: columns that fall, count in
// ones, or are called otherwise.
func TestNumbersStayNumbers(t *testing.T) {
	for _, file := range []string{
		"x\n1000000000\n1000000001\n1000000002\n", // a counter
		"id,x\n20200101,1\n20191231,2\n20200102,3\n",
		"t_min,t_max\n1,5\n2,6\n3,7\n",
		"x,hour\n5,3\n4,4\n9,5\n",
		"price,volume\n2000,1\n2001,2\n2002,3\n",
		"a,b\n1600000000,1\n1600000000,2\n1600000060,2\n",
	} {
		if s := read(t, file, CSV{}); s.Times() != nil {
			t.Errorf("%q has times: %v", file, s)
		}
	}
}

// Lines that are no data, numbered as in the file.
func TestLines(t *testing.T) {
	s := read(t, "# made by hand\n#\ndate,x\n# a pause\n2020-01-01,1\n#2020-01-01,9\n2020-01-02,2\n", CSV{})
	if s.Len() != 2 || !hasNote(s, Comments, "") || !strings.Contains(s.String(), "note: 4 lines of comment passed over") {
		t.Errorf("%v", s)
	}
	s = read(t, "# KNMI\n# STN,YYYYMMDD,   FG\n#\n  260,20200101,  112\n  260,20200102,  124\n", CSV{Time: "YYYYMMDD"})
	if !slices.Equal(s.Columns(), []string{"STN", "FG"}) || s.Len() != 2 {
		t.Errorf("%v", s)
	}
	s = read(t, "// note\nx,y\n#1,2\n", CSV{Comment: "//", Missing: []string{"#1"}})
	if s.Len() != 1 || s.Missing()[0] != 1 {
		t.Errorf("%v", s)
	}
	s = read(t, "  a   b\n  1.5  2\n\t3\t -4  \n\n", CSV{Comma: ' '})
	if !slices.Equal(column(t, s, "b"), []float64{2, -4}) {
		t.Errorf("%v", s)
	}
	s = read(t, "no header\ndate;speed;dir\n;m/s;°\nd;n;n\n2020-01-01;1;2\n", CSV{Comma: ';', Skip: 1, HeaderRows: 3})
	if !slices.Equal(s.Units(), []string{"m/s", "°"}) || !strings.Contains(s.String(), "unit") {
		t.Errorf("%v", s)
	}
	if v, err := s.Select("dir"); err != nil || !slices.Equal(v.Units(), []string{"°"}) {
		t.Errorf("%v, %v", v, err)
	}
	for _, c := range []struct {
		file string
		o    CSV
		want string
	}{
		{"one\ntwo\n# c\nx,y\nm,s\n\n1,2\n# d\n3,z\n", CSV{Skip: 2, HeaderRows: 2}, ", line 9, column y:"},
		{"x\n# c\n1\n# d\n\n2\n", CSV{}, ", line 5, column x: is blank"},
		{"a b\n1 2\n\n3 z\n", CSV{Comma: ' '}, ", line 4, column b:"},
		{"x,y\n", CSV{HeaderRows: 2}, "has 1 of the rows of its header; lower CSV.HeaderRows"},
		{"x,y\nm\n1,2\n", CSV{HeaderRows: 2}, ", line 2: has 1 field, the header 2; lower CSV.HeaderRows"},
		{"x,y\n1,2\n", CSV{Skip: 3}, "has 2 lines; lower CSV.Skip"},
	} {
		if _, err := Read(strings.NewReader(c.file), "f.csv", c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.file, err)
		}
	}
}

// Each group is a series of its own, also where their rows alternate; no window
// bridges two.
func TestReadGroups(t *testing.T) {
	var b strings.Builder
	b.WriteString("date,site,depth,x\n")
	for i := range 10 {
		for k, site := range []string{"A", "B"} {
			fmt.Fprintf(&b, "2020-01-%02d,%s,%d,%d\n", 1+i+5*k, site, k, 100*k+i)
		}
	}
	for i := range 3 {
		fmt.Fprintf(&b, "2020-02-%02d,A,1,%d\n", 1+i, 1000+i)
	}
	all, err := ReadGroups(strings.NewReader(b.String()), "f.csv", CSV{}, "site", "depth")
	if err != nil || len(all) != 3 {
		t.Fatal(all, err)
	}
	for k, want := range []struct {
		name  string
		first float64
		rows  int
	}{{"f.csv: A, 0", 0, 10}, {"f.csv: B, 1", 100, 10}, {"f.csv: A, 1", 1000, 3}} {
		s := all[k]
		x := column(t, s, "x")
		if s.Name() != want.name || len(x) != want.rows || x[0] != want.first || !slices.Equal(s.Columns(), []string{"x"}) || s.Gaps().Count > 0 {
			t.Errorf("%v", s)
		}
		for i := 1; i < len(x); i++ {
			if x[i]-x[i-1] != 1 {
				t.Errorf("%s holds rows of another: %v", s.Name(), x)
			}
		}
	}
	if !slices.Equal(all[1].Group(), []string{"B", "1"}) {
		t.Errorf("group %v", all[1].Group())
	}
	for _, by := range [][]string{nil, {"none"}, {"site", "site"}} {
		if _, err := ReadGroups(strings.NewReader(b.String()), "f.csv", CSV{}, by...); err == nil {
			t.Errorf("by %v: no error", by)
		}
	}
}

// A step that is off by a little is a step, and what is missing is counted in steps.
func TestTolerance(t *testing.T) {
	file := func(seconds ...float64) string {
		var b strings.Builder
		b.WriteString("time,x\n")
		for _, s := range seconds {
			at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(s * 1e9))
			fmt.Fprintf(&b, "%s,1\n", at.Format("2006-01-02 15:04:05.000"))
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		file string
		o    CSV
		want Gaps
	}{
		"within":    {file(0, 61, 121, 181, 240), CSV{}, Gaps{Step: time.Minute, Jittered: 2}},
		"exactly":   {file(0, 61, 121, 181, 240), CSV{Tolerance: -1}, Gaps{Step: time.Minute, Count: 1, Rows: 1, Longest: 1, Irregular: 1}},
		"more":      {file(0, 66, 120, 180, 240, 300), CSV{Tolerance: .11}, Gaps{Step: time.Minute, Jittered: 2}},
		"a gap":     {file(0, 60, 120, 781, 840, 900), CSV{}, Gaps{Step: time.Minute, Count: 1, Rows: 10, Longest: 10, Jittered: 2}},
		"all alone": {file(0, 9.99, 20.02, 29.97, 40.01, 49.98), CSV{}, Gaps{Step: 10 * time.Second, Jittered: 5}},
	} {
		s := read(t, c.file, c.o)
		g := s.Gaps()
		g.After, g.Before = time.Time{}, time.Time{}
		if g != c.want {
			t.Errorf("%s: %+v, want %+v", name, g, c.want)
		}
	}
	if _, err := Read(strings.NewReader("x\n1\n"), "f", CSV{Tolerance: math.NaN()}); err == nil {
		t.Error("a tolerance that is NaN is taken")
	}
}

// Numbers as markers, whole numbers that do not fit, and differences that do.
func TestExactNumbers(t *testing.T) {
	s := read(t, "x;y\n-99,0;1\n-99;-9,9e1\n1;-99,00\n", CSV{Comma: ';', Decimal: ',', Missing: []string{"-99.0", "-"}})
	if !slices.Equal(s.Missing(), []int{2, 2}) || column(t, s, "x")[2] != 1 {
		t.Errorf("%v", s)
	}
	for text, lost := range map[string]bool{
		"9007199254740993": true, "9007199254740992": false, "9007199254740994": false, "-9007199254740993": true, "9223372036854775807": true,
		"123456789012345678901": true, "1e300": false, "9007199254740993.5": false, "9007199254740991": false,
	} {
		if s := read(t, "x,y\n"+text+",1\n", CSV{}); hasNote(s, DigitsLost, "x") != lost {
			t.Errorf("%s: %v", text, s.Notes())
		}
	}
	s = read(t, "x,y\n9007199254740993,1\n9007199254740994,2\n,3\n9007199254740994,4\n9007199254740991,4\n0.5,1\n", CSV{Differences: []string{"x"}})
	nan := math.NaN()
	if d := column(t, s, "x"); !same(d, []float64{nan, 1, nan, nan, -3, .5 - 9007199254740991}) || hasNote(s, DigitsLost, "x") {
		t.Errorf("differences %v", d)
	}
	if _, err := Read(strings.NewReader("x\n1\n"), "f", CSV{Differences: []string{"z"}}); err == nil {
		t.Error("differences of a column that is not there")
	}
	// The ends of int64 are as far apart as they are.
	s = read(t, "x\n-9223372036854775808\n9223372036854775807\n", CSV{Differences: []string{"x"}})
	if d := column(t, s, "x")[1]; d != 0x1p64 {
		t.Errorf("%v", d)
	}
}

// Notes about columns that can hardly be variables, and those about which there is
// nothing to say.
func TestColumnNotes(t *testing.T) {
	col := func(n int, f func(i int) float64) []float64 {
		v := make([]float64, n)
		for i := range v {
			v[i] = f(i)
		}
		return v
	}
	wave := func(i int) float64 { return 10 + 5*math.Sin(float64(i)) }
	spoilt := func(code float64, every int) func(int) float64 {
		return func(i int) float64 {
			if i%every == 3 {
				return code
			}
			return wave(i)
		}
	}
	for _, c := range []struct {
		name string
		v    []float64
		want NoteKind
	}{
		{"x", col(100, wave), 0},
		{"x", col(100, func(i int) float64 { return float64(i) }), Counter},
		{"RECORD", col(100, func(i int) float64 { return float64(i + i/50) }), Counter},
		{"hour", col(100, func(i int) float64 { return float64(i % 24) }), TimePart},
		{"hour", col(100, func(i int) float64 { return float64(i%24) / 7 }), 0},
		{"x", col(100, func(i int) float64 { return 1583020800 + 3600*float64(i) }), TimePart},
		{"x", col(100, func(int) float64 { return .3 }), Constant},
		{"x", col(100, func(i int) float64 { return .3 + float64(i%2)*0x1p-54 }), Constant},
		{"x", col(100, func(i int) float64 { return float64(i%3/2) * 1e-17 }), Constant},
		{"x", col(100, func(i int) float64 { return float64(i%3) * 1e-17 }), 0},
		{"x", col(100, func(i int) float64 { return 1e9 + float64(i%3) }), 0},
		{"x", col(100, spoilt(-99, 10)), FarValue},
		{"x", col(100, spoilt(-999.9, 10)), FarValue},
		{"x", col(100, spoilt(9999, 10)), FarValue},
		{"x", col(100, spoilt(-99, 60)), 0}, // twice may be by chance
		{"x", col(100, func(i int) float64 { return 1000*wave(i) - 14000*float64((i+7)%10/9) }), 0},
		{"rain", col(100, func(i int) float64 { return max(0, wave(i)-12) }), 0},
		{"x", col(100, func(i int) float64 { return float64(i % 7 / 6) }), 0}, // 0 and 1
	} {
		n, ok := columnNote(c.name, c.v)
		if n.Kind != c.want || ok != (c.want > 0) {
			t.Errorf("%s %v: %v, want kind %d", c.name, c.v[:5], n, c.want)
		}
	}
	// A marker far below a wide range: −200 among values from 2 to 1479.
	wide := col(300, func(i int) float64 {
		if i%20 == 3 {
			return -200
		}
		return 2 + 1477*float64(i*i%300)/300
	})
	if n, _ := columnNote("nox", wide); n.Kind != FarValue || !strings.Contains(n.Text, "is -200 in 15 rows") {
		t.Errorf("%v", n)
	}
}

// A header of very many columns costs no more than its length.
func TestManyColumns(t *testing.T) {
	const n = 100_000
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "c%d,", i)
	}
	text := b.String() + "z\n" + strings.Repeat("1,", n) + "2\n"
	s := read(t, text, CSV{})
	if len(s.Columns()) != n+1 || column(t, s, "z")[0] != 2 {
		t.Errorf("%d columns", len(s.Columns()))
	}
	if s := read(t, text, CSV{Columns: s.Columns()}); len(s.Columns()) != n+1 {
		t.Errorf("%d columns", len(s.Columns()))
	}
}
