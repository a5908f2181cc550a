package datasets

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func ExampleRead() {
	file := `time;station;speed
2020-01-01 00:00;A;3,5
2020-01-01 01:00;A;-
2020-01-01 02:00;A;4,5
2020-01-01 06:00;A;1.002,5
2020-01-01 00:00;B;7,0
`
	s, err := Read(strings.NewReader(file), "wind.csv", CSV{
		Comma: ';', Decimal: ',', Thousands: '.',
		Missing: []string{"-"},
		Where:   map[string]string{"station": "A"},
	})
	fmt.Println(s, err)
	// Output:
	// wind.csv: 4 rows, 1 column
	// 2020-01-01 to 2020-01-01 06:00 UTC, step 1h
	// 3 rows missing in 1 gap, the longest of 3 between 2020-01-01 02:00 and 2020-01-01 06:00
	//   column  missing  min    mean     max
	//    speed        1  3.5  336.83  1002.5
	// warning: 3 of 7 rows (43 %) are missing in gaps, which no window bridges
	// warning: 1 of 4 rows (25 %) lacks a value, which no window holds <nil>
}

func ExampleReadCSV() {
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "wind.csv")
	os.WriteFile(path, []byte("date,speed\n2020-01-01,3.5\n2020-01-02,\"4,5\"\n"), 0o644)

	_, err := ReadCSV(path, CSV{})
	var cell *CellError
	if errors.As(err, &cell) {
		fmt.Println(cell.Line, cell.Column, cell.Text)
		fmt.Println(cell.Problem)
		fmt.Println(cell.Cure)
	}
	// Output:
	// 3 speed 4,5
	// is no number
	// the rows before have a decimal point; the file mixes decimal signs, make them one
}

// Each bad file has one error, in one line, that names the place and the cure.
func TestBadFiles(t *testing.T) {
	const (
		elsewhere = ": seems to hold the times, which only the first column is taken for unasked; name it in CSV.Time, or set CSV.Time to NoTime"
		names     = "; if these are the names, name those to read in CSV.Columns"
		packed    = ": is compressed; unpack it, or give Read what compress/gzip or archive/zip unpacks"
		cr        = ": has line ends that are CR alone; save it with LF or CR LF"
		zone      = ", an abbreviation that names no one offset; write an offset such as -0700, or leave the zone out of the file and CSV.TimeLayout and set CSV.Location"
		text      = "; if it means missing, add it to CSV.Missing; if the column is text, name the others in CSV.Columns, or pick rows by it with CSV.Where; if it is a time, name it in CSV.Time, with CSV.TimeLayout"
		infinite  = "; mend the file, or add it to CSV.Missing to count it as missing"
		header    = "; mend the header, or set CSV.Columns to the columns wanted"
		ragged    = "; mend the row, or set CSV.Comma; a field that holds the separator needs quotes"
		disorder  = "; if there is a UTC column, name it in CSV.Time; if the file stacks several series, pick one with CSV.Where or read all with ReadGroups; else sort or mend the file"
		text2     = " and CSV.Columns to the columns of numbers"
		dayFirst  = `; set CSV.TimeLayout to "2/1/2006" (day first) or "1/2/2006" (month first), or CSV.Time to NoTime` + text2
		counts    = "; set CSV.TimeLayout, to ElapsedSeconds, ElapsedMinutes, ElapsedHours or ElapsedDays if it counts these, or CSV.Time to NoTime"
	)
	for _, c := range []struct {
		file string
		o    CSV
		want string // after "datasets: f.csv"
	}{
		{"", CSV{}, ": the file is empty; it needs a header and rows"},
		{"\xEF\xBB\xBF", CSV{}, ": the file is empty; it needs a header and rows"},
		{"\n\n", CSV{}, ": the file is empty; it needs a header and rows"},
		{"date,x\n", CSV{}, ": has a header and no rows; it needs rows"},
		{"\xFF\xFEd\x00a\x00", CSV{}, ": is written in UTF-16; save it as UTF-8"},
		{"\xFE\xFF\x00d\x00a", CSV{}, ": is written in UTF-16; save it as UTF-8"},
		{"d\x00a\x00", CSV{}, ": holds zero bytes, as UTF-16 does and text in UTF-8 does not; save it as UTF-8"},
		{"x,temp \xB0C\n1,2\n", CSV{}, `, line 1: "temp \xb0C" is not UTF-8; save the file as UTF-8, or set CSV.Latin1 if it is written in Latin-1 or by Windows`},
		{"x,y\n1,2\n3\n", CSV{}, ", line 3: has 1 field, the header 2" + ragged},
		{"x,y\n1,2,\n", CSV{}, ", line 2: has 3 fields, the header 2" + ragged},
		{"x,y,x\n1,2,3\n", CSV{}, ", line 1, column x: occurs twice in the header" + header},
		{"x,,y\n1,2,3\n", CSV{}, ", line 1: field 2 of the header has no name" + header},
		{"x, y\n1,2\n", CSV{Columns: []string{"z"}}, ": has no column z; CSV.Columns may name x, y"},
		{"x,y\n1,2\n", CSV{Time: "when"}, ": has no column when; CSV.Time may name x, y"},
		{"x,y\n1,2\n", CSV{Where: map[string]string{"z": "1"}}, ": has no column z; CSV.Where may name x, y"},
		{"x,y\n1,2\n", CSV{Where: map[string]string{"y": "3"}}, ": none of its 1 row has y = 3; CSV.Where compares whole cells, capitals included"},
		{"x,y\n1,ten\n", CSV{}, `, line 2, column y: "ten" is no number` + text},
		{"x,y\n1,-\n", CSV{}, `, line 2, column y: "-" is no number` + text},
		{"x,y\r\n1,Inf\r\n", CSV{}, `, line 2, column y: "Inf" is infinite` + infinite},
		{"x,y\n1,-infinity\n", CSV{}, `, line 2, column y: "-infinity" is infinite` + infinite},
		{"x,y\n1,1e999\n", CSV{}, `, line 2, column y: "1e999" is too large for a number` + infinite},
		{"x,y\n1,0x1p-2\n", CSV{}, `, line 2, column y: "0x1p-2" is no number` + text},
		{"x,y\n1,1_000\n", CSV{}, `, line 2, column y: "1_000" is no number` + text},
		{"x,y\n1,2\x00\n", CSV{}, `, line 2, column y: "2\x00" is no number` + text},
		{"x,y\n1,\"a\nb\"\n", CSV{}, `, line 2, column y: "a\nb" is no number` + text},
		{"x,y\n\"\n1\",2\n3,z\n", CSV{}, `, line 4, column y: "z" is no number` + text},
		{"\n\nx,y\n\n1,z\n", CSV{}, `, line 5, column y: "z" is no number` + text},
		{"x,\"a\nb\"\n1,z\n", CSV{}, `, line 3, column "a\nb": "z" is no number` + text},
		{"x,y\n1,2\n1,2020-01-01\n", CSV{}, `, line 3, column y: "2020-01-01" is a time, no number; set CSV.Time to this column, or leave it out with CSV.Columns`},
		{"x,y\n1,2020-01-01\n", CSV{}, ", column y" + elsewhere + text2},
		{"x,time\n1,2\n", CSV{}, ", column time" + elsewhere},
		{"x,y,time\n1,2,3\n", CSV{Columns: []string{"y"}}, ", column time" + elsewhere},
		{"x,\n1,2020-01-01\n", CSV{Columns: []string{"x"}}, ": field 2 of the header, without a name, " + elsewhere[2:] + text2},
		{"\x1F\x8B\x08\x00", CSV{}, packed},
		{"PK\x03\x04", CSV{}, packed},
		{"x,\uFEFFy\n1,2\n", CSV{}, `, line 1: "\ufeffy" holds a byte order mark, which nobody sees; remove it`},
		{"x,y\r1,2\r3,4\r", CSV{}, ", line 1" + cr},
		{"x\r1\r", CSV{}, ", line 1" + cr},
		{"x,y\n1,2\r3,4\n", CSV{}, ", line 2" + cr},
		{"date,x\n2020-01-01 00:00 CET,1\n", CSV{TimeLayout: "2006-01-02 15:04 MST"}, `, line 2, column date: "2020-01-01 00:00 CET" is in the zone CET` + zone},
		{"date,x\n2020-01-01 00:00:00 UTC,1\n2020-01-01 01:00:00 EST,1\n", CSV{}, `, line 3, column date: "2020-01-01 01:00:00 EST" is in the zone EST` + zone},
		{"date,x\n1500-01-01,1\n2020-01-01,1\n", CSV{}, `, line 3, column date: "2020-01-01" is more than 292 years after the time of line 2; mend the file, or set CSV.Time to NoTime and leave the column out with CSV.Columns`},
		{"x,y\n1,2\n", CSV{Range: map[string][2]float64{"z": {}}}, ": column z of CSV.Range is not read; CSV.Range may name x, y"},
		{"time;speed\n2020-01-01 00:00;3,5\n", CSV{}, `, line 1: "time;speed" is one field; its separator is ';'?; set CSV.Comma to ';'`},
		{"time,speed\n2020-01-01 00:00,3.5\n", CSV{Comma: '\t'}, `, line 1: "time,speed" is one field; its separator is ','?; set CSV.Comma to ','`},
		{"time;speed\n2020-01-01 00:00;3,5\n", CSV{Comma: ';'}, `, line 2, column speed: "3,5" is no number; decimal comma? set CSV.Decimal to ','`},
		{"x;y\n1;3.5\n2;3,5\n", CSV{Comma: ';'}, `, line 3, column y: "3,5" is no number; the rows before have a decimal point; the file mixes decimal signs, make them one`},
		{"x,y\n1,3\n", CSV{Comma: ',', Decimal: ','}, ": has no number with the decimal sign ',', which separates its fields too; set CSV.Comma or CSV.Decimal to another sign; where both are one, numbers need quotes"},
		{"x;y\n1;3,5\n2;3.5\n", CSV{Comma: ';', Decimal: ','}, `, line 3, column y: "3.5" is no number; the rows before have a decimal comma; the file mixes decimal signs, make them one`},
		{"x;y\n1;3,5\n2;1.234\n", CSV{Comma: ';', Decimal: ','}, `, line 3, column y: "1.234" is no number; the rows before have a decimal comma; thousands sign? set CSV.Thousands to '.'; if the file mixes decimal signs, make them one`},
		{"x;y\n1;1,234\n", CSV{Comma: ';'}, `, line 2, column y: "1,234" is no number; decimal comma? set CSV.Decimal to ','; thousands sign? set CSV.Thousands to ','`},
		{"x;y\n1;1,234,567\n", CSV{Comma: ';'}, `, line 2, column y: "1,234,567" is no number; thousands sign? set CSV.Thousands to ','`},
		{"x;y\n1;981\n2;1.234\n3;12.111\n4;NA\n", CSV{Comma: ';'}, `, line 3, column y: "1.234" is 1.234 or, with a sign between thousands, 1234: every point of the file stands before three digits, and cells of the column have none; decimal point? set CSV.Decimal to '.'; thousands sign? set CSV.Decimal to ',' and CSV.Thousands to '.'`},
		{"x;y\n1;1.234,5\n", CSV{Comma: ';'}, `, line 2, column y: "1.234,5" is no number; set CSV.Decimal and CSV.Thousands to the signs of the file`},
		{"1.5,2\n3,4\n", CSV{}, `, line 1: "1.5,2" is data, no header; put a line with the names of the columns first, or set CSV.Names to them` + names},
		{"1,2\n3,4\n", CSV{}, `, line 1: "1,2" is data, no header; put a line with the names of the columns first, or set CSV.Names to them` + names},
		{"2020-01-01,here,2\n2020-01-02,here,4\n", CSV{}, `, line 1: "2020-01-01,here,2" is data, no header; put a line with the names of the columns first, or set CSV.Names to them`},
		{"date,x\n01/02/2020,1\n", CSV{}, `, line 2, column date: "01/02/2020" is no time that reads in one way only` + dayFirst},
		{"time,x\n0,1\n", CSV{}, `, line 2, column time: "0" is no time that reads in one way only` + counts},
		{"date,x\n2020-01-01,1\n2020-01-02 01:00,1\n", CSV{}, `, line 3, column date: "2020-01-02 01:00" is no time of the layout 2006-01-02; set CSV.TimeLayout, or mend the file`},
		{"date,x\n2020-01-01,1\n,1\n", CSV{}, ", line 3, column date: the time is missing; give every row its time"},
		{"date,x\n2020-01-01,1\n2020-01-02,1\n2020-01-02,1\n", CSV{}, `, line 4, column date: "2020-01-02" repeats the time of line 3` + disorder},
		{"date,x\n2020-01-02,1\n\n2020-01-01,1\n", CSV{}, `, line 4, column date: "2020-01-01" is earlier than the time of line 2` + disorder},
		{"date\n2020-01-01\n", CSV{}, ": has no column of numbers beside date; to read a column of times as numbers, name it in CSV.Columns"},
		{"x,y\n1,\"2\n", CSV{}, ", line 2: has a stray quote; in a field with quotes, every quote is doubled and quotes begin and end the field"},
		{"x,y\n1,2\"3\n", CSV{}, ", line 2: has a stray quote; in a field with quotes, every quote is doubled and quotes begin and end the field"},
		{"x\n1\n\n3\n", CSV{}, ", line 3, column x: is blank; write NA for a missing value, or remove the line"},
		{"x,y\n1," + strings.Repeat("z", 100) + "\n", CSV{}, `, line 2, column y: "` + strings.Repeat("z", 60) + `"… is no number` + text},
	} {
		s, err := Read(strings.NewReader(c.file), "f.csv", c.o)
		if err == nil {
			t.Errorf("%q is not refused but read as %v", c.file, s)
			continue
		}
		if want := "datasets: f.csv" + c.want; err.Error() != want {
			t.Errorf("%q:\n got %s\nwant %s", c.file, err, want)
		}
		if s != nil || strings.ContainsAny(err.Error(), "\r\n\x00") {
			t.Errorf("%q: the error is not one line, or there is a series beside it", c.file)
		}
		if cell := (*CellError)(nil); !errors.As(err, &cell) || cell.Cure == "" {
			t.Errorf("%q: the error is no CellError with a cure", c.file)
		}
	}
}

// TestBadComma: what numbers and names are written with separates no fields, though lines would fall apart
// by it.
func TestBadComma(t *testing.T) {
	for _, c := range "1x'-+.é٣\"\n" {
		text := strings.ReplaceAll("ab,cd\n2,3\n", ",", string(c))
		if _, err := Read(strings.NewReader(text), "f.csv", CSV{Comma: c}); err == nil || !strings.Contains(err.Error(), "cannot separate fields: it must be no digit, letter, quote, sign or point") {
			t.Errorf("%q: %v", c, err)
		}
	}
	for _, c := range ",;\t |:/_~" {
		text := strings.ReplaceAll("ab,cd\n2,3\n", ",", string(c))
		if s, err := Read(strings.NewReader(text), "f.csv", CSV{Comma: c}); err != nil || s.Len() != 1 {
			t.Errorf("%q: %v", c, err)
		}
	}
}

// What is wrong with the options, or outside the file, is a plain error.
func TestBadOptions(t *testing.T) {
	for _, o := range []CSV{
		{Comma: '"'}, {Comma: '\n'}, {Step: -1}, {Decimal: ',', Thousands: ','}, {Columns: []string{"x", "x"}},
		{Range: map[string][2]float64{"x": {2, 1}}}, {Range: map[string][2]float64{"x": {math.NaN(), 1}}},
		{Skip: -1}, {HeaderRows: -1}, {Time: "x", Times: []string{"x", "y"}}, {Tolerance: .5}, {Times: []string{"x", "x"}},
	} {
		if _, err := Read(strings.NewReader("x,y\n1,2\n"), "f.csv", o); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v", o, err)
		}
	}
	dir := t.TempDir()
	if _, err := ReadCSV(filepath.Join(dir, "none.csv"), CSV{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := ReadCSV(dir, CSV{}); err == nil || !strings.Contains(err.Error(), "is a directory; name a file in it") {
		t.Errorf("directory: %v", err)
	}
	if _, err := ReadCSV(os.DevNull, CSV{}); err == nil || !strings.Contains(err.Error(), "is no regular file; open it and give it to Read") {
		t.Errorf("device: %v", err)
	}
	broken := errors.New("the cable is cut")
	r := io.MultiReader(strings.NewReader("x,y\n1,2\n"), errReader{broken})
	if _, err := Read(r, "f.csv", CSV{}); !errors.Is(err, broken) {
		t.Errorf("broken reader: %v", err)
	}
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

// The same table, however it is written.
func TestWaysToWrite(t *testing.T) {
	want := read(t, "date,x,y\n2020-01-01,1.5,\n2020-01-02,2,1000\n", CSV{})
	for name, c := range map[string]struct {
		file string
		o    CSV
	}{
		"mark":        {"\xEF\xBB\xBFdate,x,y\n2020-01-01,1.5,\n2020-01-02,2,1000\n", CSV{}},
		"two marks":   {"\xEF\xBB\xBF\xEF\xBB\xBFdate,x,y\n2020-01-01,1.5,\n2020-01-02,2,1000\n", CSV{}},
		"CRLF":        {"\xEF\xBB\xBFdate,x,y\r\n2020-01-01,1.5,\r\n2020-01-02,2,1000\r\n", CSV{}},
		"no end":      {"date,x,y\n2020-01-01,1.5,\n2020-01-02,2,1000", CSV{}},
		"quotes":      {"\"date\",\"x\",\"y\"\n\"2020-01-01\",\"1.5\",\"NAN\"\n\"2020-01-02\",\"2\",\"1000\"\n", CSV{}},
		"blanks":      {" date , x , y \n 2020-01-01 , 1.5 , NaN \n 2020-01-02 , 2 , 1000 \n", CSV{}},
		"semicolons":  {"date;x;y\n2020-01-01;1,5;null\n2020-01-02;2;1.000\n", CSV{Comma: ';', Decimal: ',', Thousands: '.'}},
		"comma twice": {"date,x,y\n2020-01-01,\"1,5\",\n2020-01-02,2,1000\n", CSV{Decimal: ','}},
		"layout":      {"day,x,y\n01/01/2020,1.5,na\n02/01/2020,2,1000\n", CSV{Time: "day", TimeLayout: "02/01/2006"}},
		"first cell":  {"day,x,y\n2020-01-01,1.5,na\n2020-01-02,2,1000\n", CSV{}},
		"last":        {"x,y,when\n1.5,na,2020-01-01\n2,1000,2020-01-02\n", CSV{Time: "when"}},
		"columns":     {"y,,z,x,z,date\n,a,b,1.5,c,2020-01-01\n1000,,,2,,2020-01-02\n", CSV{Time: "date", Columns: []string{"x", "y"}}},
		"where":       {"date,x,y,at\n2020-01-01,1.5,,A\n2020-01-01,oops,,B\n2020-01-02,2,1000,A\n", CSV{Where: map[string]string{"at": "A"}}},
		"markers":     {"date,x,y\n2020-01-01,1.5,-999\n2020-01-02,2,1000\n", CSV{Missing: []string{"-999"}}},
	} {
		s := read(t, c.file, c.o)
		if !slices.Equal(s.Columns(), want.Columns()) || !slices.Equal(s.Times(), want.Times()) || s.Step() != 24*time.Hour {
			t.Errorf("%s: %v", name, s)
		}
		for _, x := range want.Columns() {
			if !same(column(t, s, x), column(t, want, x)) {
				t.Errorf("%s: column %s is %v", name, x, column(t, s, x))
			}
		}
		if !slices.Equal(s.Missing(), []int{0, 1}) {
			t.Errorf("%s: missing %v", name, s.Missing())
		}
	}
}

func TestTimeColumn(t *testing.T) {
	for _, c := range []struct {
		file string
		o    CSV
		want []string // columns
		time bool
	}{
		{"time,x\n2020-01-01,1\n", CSV{}, []string{"x"}, true},
		{"x,time\n1,2\n", CSV{Time: NoTime}, []string{"x", "time"}, false},
		{"x,time\n1,2\n", CSV{Columns: []string{"x", "time"}}, []string{"x", "time"}, false},
		{"x,time\n1,2\n", CSV{Where: map[string]string{"time": "2"}}, []string{"x"}, false},
		{"time,x\n0,1\n", CSV{Time: NoTime}, []string{"time", "x"}, false},
		{"time,x\n0,1\n", CSV{Columns: []string{"x", "time"}}, []string{"x", "time"}, false},
		{"date,x\n2020-01-01,1\n", CSV{Columns: []string{"x"}}, []string{"x"}, true},
		{"year,x\n2020,1\n", CSV{Time: "year", TimeLayout: "2006"}, []string{"x"}, true},
		{"0,1\n5,6\n", CSV{Columns: []string{"0", "1"}}, []string{"0", "1"}, false}, // numbered columns
	} {
		s := read(t, c.file, c.o)
		if !slices.Equal(s.Columns(), c.want) || (s.Times() != nil) != c.time {
			t.Errorf("%q: columns %v, times %v", c.file, s.Columns(), s.Times())
		}
	}
}

// The traps of shared/data/nyc-weather/README.md.
func TestTwoClocks(t *testing.T) {
	path := needFile(t, sharedData+"nyc-weather/weather.csv")
	o := CSV{Time: "time_hour", Columns: []string{"temp", "wind_speed", "pressure"}}
	for _, c := range []struct {
		origin     string
		gaps, rows int
	}{{"EWR", 17, 27}, {"JFK", 14, 24}, {"LGA", 14, 24}} {
		o.Where = map[string]string{"origin": c.origin}
		s, err := ReadCSV(path, o)
		if err != nil {
			t.Fatal(err)
		}
		g := s.Gaps()
		if g.Count != c.gaps || g.Rows != c.rows || g.Longest != 5 || g.Irregular != 0 || s.Step() != time.Hour || s.Len() != 8730-c.rows {
			t.Errorf("%s: %d rows, step %v, %v", c.origin, s.Len(), s.Step(), g)
		}
		if first := time.Date(2013, 10, 26, 0, 0, 0, 0, time.UTC); !g.After.Add(time.Hour).Equal(first) {
			t.Errorf("%s: the longest gap begins after %v", c.origin, g.After)
		}
		if c.origin == "EWR" && s.Missing()[0] != 1 {
			t.Errorf("missing %v", s.Missing())
		}
	}
	var cell *CellError
	// Without Time the airports would be one series without gaps.
	if _, err := ReadCSV(path, CSV{Columns: o.Columns}); !errors.As(err, &cell) || cell.Column != "time_hour" {
		t.Errorf("times in the last column: %v", err)
	}
	o.Where = nil
	if _, err := ReadCSV(path, o); !errors.As(err, &cell) || cell.Column != "time_hour" || !strings.Contains(cell.Problem, "earlier") {
		t.Errorf("three airports in one: %v", err)
	}
	if !strings.Contains(cell.Cure, "CSV.Where") {
		t.Errorf("the cure is %s", cell.Cure)
	}
	// By the clock on the wall an hour of November comes twice.
	all, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("time,temp\n")
	for line := range strings.Lines(string(all)) {
		if f := strings.Split(line, ","); f[0] == "EWR" {
			fmt.Fprintf(&b, "%s-%s-%s %s:00,%s\n", f[1], f[2], f[3], f[4], f[5])
		}
	}
	ny, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	for _, loc := range []*time.Location{nil, ny} {
		_, err = Read(strings.NewReader(b.String()), "local", CSV{TimeLayout: "2006-1-2 15:04", Location: loc})
		if !errors.As(err, &cell) || cell.Text != "2013-11-3 1:00" || !strings.Contains(cell.Problem, "repeats") || !strings.Contains(cell.Cure, "UTC") {
			t.Errorf("local time in %v: %v", loc, err)
		}
	}
}

// TestNoReader: nil is no reader, and an error of each that takes one.
func TestNoReader(t *testing.T) {
	_, one := Read(nil, "", CSV{})
	_, groups := ReadGroups(nil, "", CSV{}, "a")
	_, delft := ReadTUDelft(nil, TUDelft{})
	_, numbers := ReadPAutomaC(nil)
	_, lines := ReadLines(nil, " ")
	for i, err := range []error{one, groups, delft, numbers, lines} {
		if err == nil || !strings.HasPrefix(err.Error(), "datasets: ") || !strings.Contains(err.Error(), "there is no reader: it is nil") {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// TestDifferencesBeyondNumbers: a difference that no number holds is an error of its cell, not an infinity.
func TestDifferencesBeyondNumbers(t *testing.T) {
	_, err := Read(strings.NewReader("a,b\n1,1.7e308\n2,-1.7e308\n"), "f.csv", CSV{Differences: []string{"b"}})
	if cell := (*CellError)(nil); !errors.As(err, &cell) || cell.Line != 3 || cell.Column != "b" || !strings.Contains(cell.Problem, "no number holds the difference") {
		t.Error(err)
	}
}

// TestSheetSeparator: the line by which a spreadsheet is told the separator is named, with the setting that
// reads the file; a column may be called sep.
func TestSheetSeparator(t *testing.T) {
	for _, c := range []struct {
		file string
		o    CSV
		cure string
		skip CSV
	}{
		{"sep=,\na,b\n1,2\n", CSV{}, "set CSV.Skip to 1", CSV{Skip: 1}},
		{"sep=;\na;b\n1;2\n", CSV{}, "set CSV.Skip to 1 and CSV.Comma to ';'", CSV{Skip: 1, Comma: ';'}},
		{"SEP=;\na;b\n1;2\n", CSV{Comma: ';'}, "set CSV.Skip to 1", CSV{Skip: 1, Comma: ';'}},
		{"\"sep=\t\"\na\tb\n1\t2\n", CSV{}, "set CSV.Skip to 1 and CSV.Comma to '\\t'", CSV{Skip: 1, Comma: '\t'}},
	} {
		_, err := Read(strings.NewReader(c.file), "f.csv", c.o)
		if cell := (*CellError)(nil); !errors.As(err, &cell) || cell.Line != 1 || cell.Cure != c.cure {
			t.Errorf("%q: %v", c.file, err)
		}
		if s := read(t, c.file, c.skip); s.Len() != 1 || len(s.Columns()) != 2 {
			t.Errorf("%q: %v", c.file, s)
		}
	}
	if s := read(t, "sep,b\n1,2\n", CSV{}); s.Columns()[0] != "sep" {
		t.Errorf("%v", s)
	}
}

// TestPoints: points that may be decimal or stand between thousands are refused, and only where nothing
// in the file tells which.
func TestPoints(t *testing.T) {
	semicolon := CSV{Comma: ';'}
	for name, c := range map[string]struct {
		cells   string // of a column
		o       CSV
		doubt   bool
		largest float64
	}{
		"thousands":           {"1.234 2.345 345 12.111 981", semicolon, true, 981},
		"negative":            {"-1.234 0 -12.111", semicolon, true, 0},
		"told decimal":        {"1.234 345 981", CSV{Comma: ';', Decimal: '.'}, false, 981},
		"told thousands":      {"1.234 345 981", CSV{Comma: ';', Decimal: ',', Thousands: '.'}, false, 1234},
		"three decimals":      {"1.234 2.345 981.000 -12.111", semicolon, false, 981},
		"below one":           {"1.234 0.345 981", semicolon, false, 981},
		"of other lengths":    {"1.234 2.34 981", semicolon, false, 981},
		"long":                {"1.234 1234.567 981", semicolon, false, 1234.567},
		"ungrouped thousands": {"1.234 981 1981", semicolon, false, 1981},
		"exponent":            {"1.234 981 1.234e1", semicolon, false, 981},
		"whole numbers":       {"1 234 981", semicolon, false, 981},
		"missing":             {"1.234 NA 12.111", semicolon, false, 12.111},
		"commas":              {"1.234 345 981", CSV{}, false, 981},
	} {
		for other, tells := range map[string]bool{"7": false, "0.5": true, "7.123": false} {
			if c.o.Thousands != 0 && other != "7" {
				continue
			}
			sep := string(max(c.o.Comma, ','))
			text := "x" + sep + "y\n"
			for _, cell := range strings.Fields(c.cells) {
				text += cell + sep + other + "\n"
			}
			s, err := Read(strings.NewReader(text), "points", c.o)
			if c.doubt && !tells {
				if err == nil || !strings.Contains(err.Error(), "decimal point? set CSV.Decimal to '.'; thousands sign?") {
					t.Errorf("%s beside %s: %v", name, other, err)
				}
				continue
			}
			if err != nil {
				t.Errorf("%s beside %s: %v", name, other, err)
				continue
			}
			if x, _ := s.Column("x"); slices.Max(slices.DeleteFunc(x, math.IsNaN)) != c.largest {
				t.Errorf("%s beside %s: %v", name, other, x)
			}
		}
	}
}

// TestPointsInEveryCell: a column that may hold numbers above a thousand alone is read with decimal points and a
// note, whose cures both read it without one; where anything in the file tells what points are, there is none.
func TestPointsInEveryCell(t *testing.T) {
	const text = "Datum;Umsatz;Kunden\n01.01.2021;1.905;104\n02.01.2021;2.981;99\n15.01.2021;3.080;87\n16.01.2021;2.700;91\n"
	for _, c := range []struct {
		text  string
		o     CSV
		noted string
		first float64
	}{
		{text, CSV{Comma: ';', TimeLayout: "02.01.2006"}, "column Umsatz has a point", 1.905},
		{text, CSV{Comma: ';', TimeLayout: "02.01.2006", Decimal: '.'}, "", 1.905},
		{text, CSV{Comma: ';', TimeLayout: "02.01.2006", Decimal: ',', Thousands: '.'}, "", 1905},
		{"a;Umsatz\n1.234;-1.905\n1.111;NA\n", CSV{Comma: ';'}, "columns a, Umsatz have a point", -1.905},
		{"a;Umsatz\n0.234;1.905\n1.111;1.2\n", CSV{Comma: ';'}, "", 1.905},
		{"a;Umsatz\n0.234;1.905\n1.111;1.200\n", CSV{Comma: ';'}, "", 1.905},
		{"a;Umsatz\n1.234;1.905\n1.0e1;1.200\n", CSV{Comma: ';'}, "", 1.905},
		{"a;Umsatz\n1234.567;1.905\n1.111;1.200\n", CSV{Comma: ';'}, "", 1.905},
		{"a,Umsatz\n1.234,1.905\n1.111,1.200\n", CSV{}, "", 1.905},
	} {
		s := read(t, c.text, c.o)
		if x := column(t, s, "Umsatz"); x[0] != c.first {
			t.Errorf("%q, %v: %v", c.text, c.o, x)
		}
		var noted []string
		for _, n := range s.Notes() {
			if n.Kind == PointsDecimal {
				noted = append(noted, n.Text)
			}
		}
		if c.noted == "" && len(noted) > 0 || c.noted != "" && (len(noted) != 1 || !strings.Contains(noted[0], c.noted)) {
			t.Errorf("%q, %v: %q", c.text, c.o, noted)
		}
	}
}

// A web page in place of a file is told to be one, a column named like a tag is not.
func TestWebPage(t *testing.T) {
	for _, page := range []string{"<!doctype html>\n<html></html>", "<!DOCTYPE HTML PUBLIC \"\">\n<a>", "\ufeff \r\n\t<HTML lang=de>\n<head>\n", "<html>"} {
		_, err := Read(strings.NewReader(page), "page.csv", CSV{})
		if err == nil || !strings.Contains(err.Error(), "is a web page") {
			t.Errorf("%q: %v", page, err)
		}
	}
	if s := read(t, "<htm,b\n1,2\n", CSV{}); s.Len() != 1 {
		t.Error(s)
	}
}
