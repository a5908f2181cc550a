package datasets

import (
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
		{"year and rain", "year,mm;2015,870;2016,12", CSV{}, "2015-01-01, 2016-01-01", "mm", "12 months"},
		{"year and quarter", "year,quarter,x;2015,4,1;2016,1,2", CSV{}, "2015-10-01, 2016-01-01", "x", "3 months"},
		{"other names", "jaar,maand,dag,x;2015,1,31,1;2015,2,1,2", CSV{Times: []string{"jaar", "maand", "dag"}}, "2015-01-31, 2015-02-01", "x", "24h"},
		{"two digits", "yy,mm,dd,x;15,1,31,1;15,2,1,2", CSV{Times: []string{"yy", "mm", "dd"}}, "2015-01-31, 2015-02-01", "x", "24h"},
		{"parts as numbers too", "year,month,x;2015,12,1;2016,1,2", CSV{Columns: []string{"x", "month"}}, "2015-12-01, 2016-01-01", "x month", "1 month"},
		{"day and clock", "date,time,x;2020-01-31,23:30,1;2020-02-01,00:00,2", CSV{}, "2020-01-31 23:30, 2020-02-01", "x", "30m"},
		{"clock and day", "Time,Date,x;23:30,2020-01-31,1;24:00,2020-01-31,2", CSV{}, "2020-01-31 23:30, 2020-02-01", "x", "30m"},
		{"day and hour", "YYYYMMDD,HH,x;20200131,23,1;20200131,24,2;20200201,1,3", CSV{}, "2020-01-31 23:00, 2020-02-01, 2020-02-01 01:00", "x", "1h"},
		{"day and hhmm", "LST_DATE,LST_TIME,x;20200131,2330,1;20200131,2400,2", CSV{Times: []string{"LST_DATE", "LST_TIME"}}, "2020-01-31 23:30, 2020-02-01", "x", "30m"},
		{"month first", "date,x;1/30/2020,1;1/31/2020,2", CSV{}, "2020-01-30, 2020-01-31", "x", "24h"},
		{"day first", "date,x;31.01.20 23:00,1;01.02.20 0:00,2", CSV{}, "2020-01-31 23:00, 2020-02-01", "x", "1h"},
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
		{"rows of nothing, joined", "Date,Time,x;20/01/2020,18.00.00,1;20/01/2020,19.00.00,2;,,;,,", CSV{}, "2020-01-20 18:00, 2020-01-20 19:00", "x", "1h"},
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
