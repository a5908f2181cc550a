package datasets

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"testing"
)

// csvSeeds are files of every kind, sound and not.
var csvSeeds = []string{
	"date,x\n2020-01-01,1\n2020-01-02,\n", "a;b\n1,5;2\n", "\xEF\xBB\xBFx\r\n1\r\n", "x,\"y\nz\"\n\"1\",2\n",
	"time,x\n2020-01-01T00:00:00Z,1e308\n", "x\n\n", "\xFF\xFEx", "x,y\n1,\"", "x\n0x1\n", "x\n1\x00\n", "",
	strings.Repeat("c,", 3000) + "\n" + strings.Repeat("1,", 3000) + "\n",
	"year,month,day,hour,x\n2015,2,28,24,1\n2015,3,1,1,2\n", "year,doy,x\n2015,366,1\n", "year,quarter,x\n2015,4,1\n",
	"date,time,x\n31.12.20,24:00,1\n01.01.21,0:30,2\n", "Time,Date,x\n1:00 PM,1/2/2020,1\n",
	"ts,x\n1583020800,1\n1583020860,-99\n", "ts,x\n99999999999999999999,1\n", "ts,x\n-1e300,1\n", "time [s],x\n-0.5,1\n1e18,2\n",
	"q,x\n2001Q3,1\n2001-Q4,2\n", "year,x\n1987.25,1\n1987.5,2\n", "year,x\n0001,1\n9999,2\n", "decimal year,x\n2019.9973,1\n2020,2\n",
	"\"TOA5\",\"a\"\nTIMESTAMP,w\nTS,m/s\n,Avg\n2012-06-07 13:00:00,\"NAN\"\n", "# c\n#a,b\n1,2\n# d\n3,4\n",
	"J\xE4ger,w\n\x80,2\n", "x,n\n9007199254740993,1\n-9223372036854775808,2\n9223372036854775807,3\n",
	"a  b\n 1\t2 \n\"3\" 4\n\"", "date,x\n9999-12-31 24:00,1\n", "date,x\n2020-01-01 24:30,1\n", "yyyymm,x\n202013,1\n", "a,a\n1,1\n",
	"site,date,x\nA,2020-01-01,1\nB,2020-01-01,1\n",
}

// sound reports what is wrong with a series that a reader returned.
func sound(s *Series) string {
	switch {
	case s.Len() == 0 || len(s.columns) == 0 || len(s.columns) != len(s.values) || s.times != nil && len(s.times) != s.Len():
		return "its sizes do not fit"
	case s.units != nil && len(s.units) != len(s.columns):
		return "its units do not fit"
	}
	for _, v := range s.values {
		if len(v) != s.Len() || slices.ContainsFunc(v, func(x float64) bool { return math.IsInf(x, 0) }) {
			return "a column is cut, or infinite"
		}
	}
	for i := 1; i < len(s.times); i++ {
		if !s.times[i].After(s.times[i-1]) {
			return "its times do not rise"
		}
	}
	if strings.ContainsAny(s.String(), "\r\x00") {
		return "its summary holds the file's line ends"
	}
	if c := FitScaler(s); c.check() != nil {
		return c.check().Error()
	}
	if g := s.Gaps(); g.Count < 0 || g.Rows < 0 || g.Longest < 0 {
		return "its gaps are negative"
	}
	for q := range s.Windows(Window{Length: 1}) {
		if q.Err == nil && math.IsNaN(q.X.At(0, 0)) {
			return "a window holds NaN"
		}
	}
	return ""
}

// Whatever the file and the settings, Read returns: a sound series, or an error in
// one line.
func FuzzReadCSV(f *testing.F) {
	for i, file := range csvSeeds {
		f.Add([]byte(file), ',', '.', rune(0), "", "x", uint16(0), "")
		f.Add([]byte(file), []rune{';', ' ', '\t', ','}[i%4], '.', ',', "date,time", "x", uint16(i*37), UnixSeconds)
	}
	f.Add([]byte("when;x\n2020-01-01;1.000,5\n"), ';', ',', '.', "when", "", uint16(4), "")
	f.Add([]byte("YeAr,0\n1700 ,1\n"), ',', '.', rune(0), "", "0", uint16(57), "\n") // a layout of two lines
	f.Add([]byte("when x\n1,5 2\n"), ' ', ',', rune(0), "when", "", uint16(4), ElapsedDays)
	f.Fuzz(func(t *testing.T, file []byte, comma, decimal, thousands rune, at, column string, bits uint16, layout string) {
		o := CSV{Comma: comma, Decimal: decimal, Thousands: thousands, Missing: []string{column}, Latin1: bits&1 > 0, Skip: int(bits >> 1 & 1), HeaderRows: int(bits >> 2 & 3)}
		if names := strings.Split(at, ","); len(names) > 1 && bits&16 > 0 {
			o.Times = names
		} else {
			o.Time = at
		}
		if bits&32 > 0 {
			o.TimeLayout = layout
		}
		if bits&64 > 0 {
			o.Columns = []string{column}
		}
		if bits&128 > 0 {
			o.Differences = []string{column}
		}
		if bits&256 > 0 {
			o.Comment, o.Tolerance = column, -1
		}
		var all []*Series
		var err error
		if bits&512 > 0 {
			all, err = ReadGroups(bytes.NewReader(file), "f.csv", o, column)
		} else {
			var s *Series
			if s, err = Read(bytes.NewReader(file), "f.csv", o); s != nil {
				all = append(all, s)
			}
		}
		if err != nil {
			if all != nil || strings.ContainsAny(err.Error(), "\r\n\x00") || !strings.HasPrefix(err.Error(), "datasets: ") {
				t.Fatalf("the error is %q", err)
			}
			return
		}
		for _, s := range all {
			if problem := sound(s); problem != "" {
				t.Fatalf("%s: %v", problem, s)
			}
		}
	})
}

// Whatever the file, ReadTUDelft returns, and its report adds up.
func FuzzReadTUDelft(f *testing.F) {
	line := "2014-05-15 09:00:00,Rijnhaven,12.87,3.51,16.6,0,11.15,78.6,1.04,1.32,0,3.39,0.74,2.5,230,13" + strings.Repeat(",0.5", 17) + "\r\n"
	for _, file := range []string{
		"", line, line + line, line + "\n^x\n" + line[:60], strings.TrimSpace(line) + line, strings.ReplaceAll(line, "2.5", `"NAN"`),
		strings.Replace(line, "Rijn", `"Rijn`, 1) + line, strings.Replace(line, "09:", "25:", 1), strings.Replace(line, "2014", "0000", 1), strings.Replace(line, "09:00", "24:00", 1),
		strings.Replace(line, "2.5", "-99.9", 1), strings.Replace(line, "2.5", "1e999", 1), strings.Repeat(line[:100]+"\n", 2) + line, mark + line,
		strings.Repeat(",", 32) + "\n", strings.Repeat(",", 70000) + "\n" + line, strings.Replace(line, "2014", "9999", 1) + line, line[:len(line)-2],
	} {
		f.Add([]byte(file), uint8(0), uint8(13))
		f.Add([]byte(file), uint8(1), uint8(14))
	}
	f.Fuzz(func(t *testing.T, file []byte, least, column uint8) {
		var r TUDelftReport
		o := TUDelft{LeastCount: int(least % 13), EveryRecord: least > 200, Report: &r}
		o.Columns = []string{delftColumns[2+int(column)%31]}
		s, err := ReadTUDelft(bytes.NewReader(file), o)
		total := r.Blank + r.Records
		for _, x := range r.Rejected {
			total += x.Count
			if x.First < 1 || x.First > r.Lines {
				t.Fatalf("a line that is not there: %v", r)
			}
		}
		if total != r.Lines {
			t.Fatalf("%d of %d lines are accounted for: %v", total, r.Lines, r)
		}
		if err != nil {
			if s != nil || strings.ContainsAny(err.Error(), "\r\n\x00") || !strings.HasPrefix(err.Error(), "datasets: ") {
				t.Fatalf("the error is %q", err)
			}
			return
		}
		if c := r.Columns[0]; c.Values+c.Missing+c.NoNumber+c.OutOfRange != r.Records {
			t.Fatalf("%v", r)
		}
		if problem := sound(s); problem != "" {
			t.Fatalf("%s: %v", problem, s)
		}
	})
}
