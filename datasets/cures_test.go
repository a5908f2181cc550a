package datasets

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// Each cure that an error names works when it is followed: the file errs, the error
// names the setting, and with that setting alone the file reads, or errs with the next
// cure on the way.
func TestCures(t *testing.T) {
	type step struct {
		cure string // in the error
		set  func(*CSV)
	}
	missing := func(m string) func(*CSV) { return func(o *CSV) { o.Missing = append(o.Missing, m) } }
	columns := func(c ...string) func(*CSV) { return func(o *CSV) { o.Columns = c } }
	times := func(c ...string) func(*CSV) { return func(o *CSV) { o.Times = c } }
	at := func(c string) func(*CSV) { return func(o *CSV) { o.Time = c } }
	layout := func(l string) func(*CSV) { return func(o *CSV) { o.TimeLayout = l } }
	comma := func(c rune) func(*CSV) { return func(o *CSV) { o.Comma = c } }
	decimal := func(c rune) func(*CSV) { return func(o *CSV) { o.Decimal = c } }
	thousands := func(c rune) func(*CSV) { return func(o *CSV) { o.Thousands = c } }
	skip := func(n int) func(*CSV) { return func(o *CSV) { o.Skip = n } }
	header := func(n int) func(*CSV) { return func(o *CSV) { o.HeaderRows = n } }
	where := func(c, v string) func(*CSV) { return func(o *CSV) { o.Where = map[string]string{c: v} } }
	latin1 := func(o *CSV) { o.Latin1 = true }
	noTime := func(c ...string) func(*CSV) { return func(o *CSV) { o.Time, o.Columns = NoTime, c } }
	none := func(o *CSV) { o.Time = NoTime }
	for _, c := range []struct {
		file  string
		steps []step
	}{
		// Separators and signs.
		{"a;b\n1;2\n", []step{{`set CSV.Comma to ';'`, comma(';')}}},
		{"\"a\";\"b\"\n\"1\";\"2\"\n", []step{{`set CSV.Comma to ';'`, comma(';')}}},
		{"from;to;x\n20.12.2019 00:00;20.12.2019 00:15;1,5\n", []step{{`set CSV.Comma to ';'`, comma(';')}, {"is a time, no number; set CSV.Time to this column, or leave it out with CSV.Columns", columns("x")}, {"set CSV.Decimal to ','", decimal(',')}}},
		{"a\tb\n1\t2\n", []step{{`set CSV.Comma to '\t'`, comma('\t')}}},
		{"a|b\n1|2\n", []step{{`set CSV.Comma to '|'`, comma('|')}}},
		{"a   b\n 1  2\n", []step{{`set CSV.Comma to ' '`, comma(' ')}}},
		{"station 7\na;b\n1;2\n3;4\n", []step{{`set CSV.Comma to ';'`, comma(';')}, {`set CSV.Skip to 1`, skip(1)}}},
		{"a;b\n1;3,5\n", []step{{`set CSV.Comma to ';'`, comma(';')}, {`set CSV.Decimal to ','`, decimal(',')}}},
		{"a;b\n1;1,234,567\n", []step{{`set CSV.Comma to ';'`, comma(';')}, {`set CSV.Thousands to ','`, thousands(',')}}},
		{"a;b\n1;3,5\n2;1.234\n", []step{{`set CSV.Comma to ';'`, comma(';')}, {`set CSV.Decimal to ','`, decimal(',')}, {`set CSV.Thousands to '.'`, thousands('.')}}},
		// Lines that are neither header nor data.
		{"\"TOA5\",\"a\",\"b\"\nTIMESTAMP,RECORD,w\nTS,RN,m/s\n,,Avg\n2012-06-07 13:00:00,1,4.4\n", []step{{"set CSV.Skip to 1 and CSV.HeaderRows to 3", func(o *CSV) { o.Skip, o.HeaderRows = 1, 3 }}}},
		{"site 0\n\nlat,52\ndate,x,y\n2020-01-01,1,2\n2020-01-02,1,2\n", []step{{"set CSV.Skip to 3", skip(3)}}},
		{"a,b\nm/s,C\n1,2\n3,4\n", []step{{"set CSV.HeaderRows to 2", header(2)}}},
		{"date,b\n20d,14n\nyyyy-mm-dd,\n2020-01-01,2\n2020-01-02,4\n", []step{{"set CSV.HeaderRows to 3", header(3)}}},
		{"made by,me\na,b\n1,2\n3,4\n", []step{{"or CSV.Skip to 1 if it has the names", skip(1)}}},
		{"a,b\n1,2\n", []step{}},
		// Columns that are no numbers.
		{"a,name\n1,x\n2,y\n", []step{{"name the others in CSV.Columns", columns("a")}}},
		{"a,name\n1,x\n2,y\n", []step{{"pick rows by it with CSV.Where", where("name", "y")}}},
		{"a,b\n1,-\n2,3\n", []step{{"add it to CSV.Missing", missing("-")}}},
		{"a,b\n1,Inf\n2,3\n", []step{{"add it to CSV.Missing", missing("Inf")}}},
		{"a,b\n1,1e999\n2,3\n", []step{{"add it to CSV.Missing", missing("1e999")}}},
		{"a,b\n1,2\n2,12:30\n", []step{{"leave it out with CSV.Columns", columns("a")}}},
		{"a,b\n1,2\n2,2020-01-01\n", []step{{"leave it out with CSV.Columns", columns("a")}}},
		{"name,w\nJ\xE4ger,2\n", []step{{"set CSV.Latin1", latin1}, {"pick rows by it with CSV.Where", where("name", "Jäger")}}},
		{"a \xB0C,w\n1,2\n", []step{{"set CSV.Latin1", latin1}}},
		{"a,,b\n1,2,3\n", []step{{"set CSV.Columns to the columns wanted", columns("a", "b")}}},
		{"a,b,b\n1,2,3\n", []step{{"set CSV.Columns to the columns wanted", columns("a")}}},
		{"1,2\n5,6\n", []step{{"name those to read in CSV.Columns", columns("1", "2")}}},
		{"date\n2020-01-01\n", []step{{"name it in CSV.Columns", columns("date")}, {"set CSV.Time to this column, or leave it out", nil}}},
		// Times in another column, or in several.
		{"n,when\n1,2020-01-01\n2,2020-01-02\n", []step{{"name it in CSV.Time", at("when")}}},
		{"n,when\n1,2020-01-01\n2,2020-01-02\n", []step{{"set CSV.Time to NoTime and CSV.Columns to the columns of numbers", noTime("n")}}},
		{"n,when\n1,20200101\n2,20200102\n3,20200104\n", []step{{"name it in CSV.Time", at("when")}}},
		{"n,when\n1,20200101\n2,20200102\n3,20200104\n", []step{{"or set CSV.Time to NoTime", none}}},
		{"when,n\n20200101,1\n20200102,2\n20200104,3\n", []step{{"name it in CSV.Time", at("when")}}},
		{"n,time\n1,0\n2,10\n", []step{{"name it in CSV.Time", at("time")}, {"set CSV.TimeLayout, to ElapsedSeconds,", layout(ElapsedSeconds)}}},
		{"time,n\n0,1\n10,2\n", []step{{"ElapsedHours or ElapsedDays", layout(ElapsedHours)}}},
		{"time,n\n0,1\n10,2\n", []step{{"or CSV.Time to NoTime", none}}},
		{"n,date,time\n1,2020-01-01,00:00\n2,2020-01-01,01:00\n", []step{{`set CSV.Times to []string{"date", "time"}`, times("date", "time")}}},
		{"n,date,time\n1,2020-01-01,00:00\n2,2020-01-01,01:00\n", []step{{"set CSV.Time to NoTime and CSV.Columns to", noTime("n")}}},
		{"time,n\n00:00,1\n01:00,2\n", []step{{"set CSV.Time to it and CSV.TimeLayout to 15:04:05 or 15:04", func(o *CSV) { o.Time, o.TimeLayout = "time", "15:04" }}}},
		{"time,n\n00:00,1\n01:00,2\n", []step{{"set CSV.Time to NoTime and CSV.Columns to", noTime("n")}}},
		{"year,day,x\n2020,1,1\n2020,2,2\n", []step{{"set CSV.Time to NoTime", none}}},
		{"year,month,day,x\n20,1,1,1\n20,1,2,2\n", []step{{`set CSV.Times to []string{"year", "month", "day"}`, times("year", "month", "day")}}},
		{"year,month,day,x\n20,1,1,1\n20,1,2,2\n", []step{{"or CSV.Time to NoTime", none}}},
		// Following the wrong cure leads to the right one.
		{"n,date,time\n1,2020-01-01,00:00\n2,2020-01-01,01:00\n", []step{{"CSV.Times", at("date")}, {`set CSV.Times to []string{"date", "time"}`, func(o *CSV) { o.Time, o.Times = "", []string{"date", "time"} }}}},
		{"n,date,time\n1,2020-01-01,00:00\n2,2020-01-01,01:00\n", []step{{"CSV.Times", at("time")}, {`set CSV.Times to []string{"date", "time"}`, func(o *CSV) { o.Time, o.Times = "", []string{"date", "time"} }}}},
		{"n,day,hh\n1,20200101,0\n2,20200101,1\n", []step{{"", at("day")}, {`set CSV.Times to []string{"day", "hh"}`, func(o *CSV) { o.Time, o.Times = "", []string{"day", "hh"} }}}},
		{"year,month,x\n2020,1,1\n2020,2,2\n", []step{{"", at("year")}, {`set CSV.Times to []string{"year", "month"}`, func(o *CSV) { o.Time, o.Times = "", []string{"year", "month"} }}}},
		// Times that read in two ways.
		{"date,x\n01/02/2020,1\n02/03/2020,1\n", []step{{`set CSV.TimeLayout to "2/1/2006" (day first)`, layout("2/1/2006")}}},
		{"date,x\n01/02/2020,1\n02/03/2020,1\n", []step{{`or "1/2/2006" (month first)`, layout("1/2/2006")}}},
		{"date,x\n01/02/2020,1\n02/03/2020,1\n", []step{{"or CSV.Time to NoTime and CSV.Columns to", noTime("x")}}},
		{"date,time,x\n01.02.2020,10:00,1\n02.03.2020,10:00,1\n", []step{{`set CSV.TimeLayout to "2.1.2006 15:04"`, layout("2.1.2006 15:04")}}},
		{"date,hour,x\n01/02/2020,1,1\n01/02/2020,2,1\n", []step{{`or "1/2/2006 15" (month first)`, layout("1/2/2006 15")}}},
		{"2020-01-01,5\n2020-01-02,6\n", []step{{"set CSV.Names to them", func(o *CSV) { o.Names = []string{"date", "x"} }}}},
		{"1749;01;96.7\n1749;02;104.3\n", []step{{"set CSV.Comma to ';'", comma(';')}, {"set CSV.Names to them", func(o *CSV) { o.Names = []string{"year", "month", "x"} }}}},
		{"date,x\n2020 the 1st,1\n", []step{{"set CSV.TimeLayout, as of package time", layout("2006 the 1st")}}},
		{"date,x\n2020-01-01,1\n2020-01-02 01:00,1\n", []step{{"set CSV.TimeLayout", nil}}},
		// Series stacked, and times that repeat.
		{"date,at,x\n2020-01-01,1,1\n2020-01-01,2,1\n", []step{{"pick one with CSV.Where", where("at", "2")}}},
		{"year,month,x\n2020,1,1\n2020,1,2\n", []step{{"if the rows are no series, set CSV.Time to NoTime", none}}},
		{"date,x\n1500-01-01,1\n2020-01-01,1\n", []step{{"set CSV.Time to NoTime and leave the column out with CSV.Columns", noTime("x")}}},
	} {
		var o CSV
		for _, s := range c.steps {
			_, err := Read(strings.NewReader(c.file), "f.csv", o)
			if s.cure == "" { // somebody tries something
				s.set(&o)
				continue
			}
			if err == nil || !strings.Contains(err.Error(), s.cure) {
				t.Errorf("%q %+v: the error %v does not say %q", c.file, o, err, s.cure)
				break
			}
			if s.set == nil {
				break // the file itself is to mend
			}
			s.set(&o)
		}
		if n := len(c.steps); n > 0 && c.steps[n-1].set == nil {
			continue
		}
		if _, err := Read(strings.NewReader(c.file), "f.csv", o); err != nil {
			t.Errorf("%q: with the cures, %+v, it errs still: %v", c.file, o, err)
		}
	}
}

// The cures for a series that loses all its windows leave some.
func TestWindowCures(t *testing.T) {
	file := "date,x\n2020-01-01,1\n2020-01-03,2\n2020-01-06,3\n2020-01-08,4\n2020-01-11,5\n2020-01-13,6\n"
	w := Window{Length: 2}
	_, err := read(t, file, CSV{}).CountWindows(w)
	for cure, o := range map[string]CSV{
		"raise CSV.Tolerance": {Step: 60 * time.Hour, Tolerance: .3},
		"set CSV.Time to NoTime, without its column in CSV.Columns": {Time: NoTime, Columns: []string{"x"}},
		"lower Window.Length": {},
	} {
		if err == nil || !strings.Contains(err.Error(), cure) {
			t.Errorf("%v does not say %q", err, cure)
		}
		v := w
		if cure == "lower Window.Length" {
			v.Length = 1
		}
		if r, err := read(t, file, o).CountWindows(v); err != nil || r.Kept == 0 {
			t.Errorf("%s: %v, %v", cure, r, err)
		}
	}
}

// TestErrNoRows: an empty file and a header alone can be told from what is wrong.
func TestErrNoRows(t *testing.T) {
	for text, want := range map[string]bool{"": true, "a,b\n": true, "a,b\n1,x\n": false} {
		if _, err := Read(strings.NewReader(text), "", CSV{}); err == nil || errors.Is(err, ErrNoRows) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}
