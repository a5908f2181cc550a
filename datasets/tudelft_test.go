package datasets

import (
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// delftLine returns a line of a station with the wind speed and direction given.
func delftLine(at time.Time, width int, speed, direction string) string {
	f := make([]string, width)
	for i := range f {
		f[i] = fmt.Sprintf("%d.5", i)
	}
	f[0], f[1], f[13] = at.Format("2006-01-02 15:04:05"), "Rijnhaven", speed
	if width > 14 {
		f[14] = direction
	}
	return strings.Join(f, ",") + "\r\n"
}

// The sample of the format: what a careful reader gets, line by line.
func TestReadTUDelftSample(t *testing.T) {
	f, err := os.Open(needFile(t, sharedData+"rijnhaven/sample-tudelft-format.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r TUDelftReport
	s, err := ReadTUDelft(f, TUDelft{LeastCount: 12, Report: &r})
	if err != nil {
		t.Fatal(err)
	}
	rejected, repeats := r.rejected()
	if rejected != 5 || repeats != 2 || r.Blank != 1 || r.Records != 290 || r.Disordered != 1 || r.Lines != 298 {
		t.Errorf("%v", r)
	}
	if c := r.Columns[0]; c.Values != 278 || c.Missing != 11 || c.OutOfRange != 1 || c.NoNumber != 0 {
		t.Errorf("%+v", c)
	}
	if s.Len() != 27 || r.FullHours != 13 || s.Missing()[0] != 14 {
		t.Errorf("%v", s)
	}
	var full []float64
	for _, v := range column(t, s, WindSpeed) {
		if !math.IsNaN(v) {
			full = append(full, v)
		}
	}
	if math.Abs(full[0]-2.6270) > 5e-5 || math.Abs(full[12]-3.3784) > 5e-5 || !s.Times()[1].Equal(time.Date(2013, 4, 22, 15, 0, 0, 0, time.UTC)) {
		t.Errorf("the first full hour is %v, the last %v", full[0], full[12])
	}
	// Each fault on its line.
	for _, want := range []Rejection{{repeated, 2, 96}, {garbage, 2, 140}, {tooMany, 1, 150}, {noTime, 1, 180}, {cutOff, 1, 298}} {
		if !slices.Contains(r.Rejected, want) {
			t.Errorf("%+v is not among %+v", want, r.Rejected)
		}
	}
}

// A file of every fault, and what becomes of each. Lines, records, blanks and
// rejections always add up.
func TestReadTUDelft(t *testing.T) {
	start := time.Date(2014, 5, 15, 9, 0, 0, 0, time.UTC)
	at := func(i int) time.Time { return start.Add(time.Duration(i) * 5 * time.Minute) }
	line := func(i int, speed string) string { return delftLine(at(i), 33, speed, "10") }
	hour := func(from int, speed string) (all string) {
		for i := range 12 {
			all += line(from+i, speed)
		}
		return all
	}
	for name, c := range map[string]struct {
		file   string
		o      TUDelft
		want   []float64
		reason string
		n      int
	}{
		"plain":       {hour(0, "2") + hour(12, "3"), TUDelft{}, []float64{2, 3}, "", 0},
		"least":       {hour(0, "2")[:9*len(line(0, "2"))], TUDelft{}, []float64{2}, "", 0},
		"too few":     {hour(0, "2")[:8*len(line(0, "2"))], TUDelft{}, []float64{math.NaN()}, "", 0},
		"two do":      {line(0, "2") + line(1, "4"), TUDelft{LeastCount: 2}, []float64{3}, "", 0},
		"markers":     {line(0, "2") + line(1, `"NAN"`) + line(2, "NaN") + line(3, "") + line(4, "-99.9") + line(5, "calm") + line(6, "1e999"), TUDelft{LeastCount: 1}, []float64{2}, "", 0},
		"disordered":  {line(3, "2") + line(0, "4"), TUDelft{LeastCount: 2}, []float64{3}, "", 0},
		"repeated":    {line(0, "2") + line(0, "2") + line(0, "9"), TUDelft{LeastCount: 1}, []float64{2}, repeated, 2},
		"two on one":  {strings.TrimSpace(line(0, "7")) + line(1, "7") + line(2, "2"), TUDelft{LeastCount: 1}, []float64{2}, tooMany, 1},
		"cut off":     {line(0, "2") + line(1, "7")[:100] + "\n", TUDelft{LeastCount: 1}, []float64{2}, cutOff, 1},
		"open quote":  {line(0, "2") + strings.Replace(line(1, "7"), "Rijn", `"Rijn`, 1) + line(2, "4"), TUDelft{LeastCount: 1}, []float64{3}, garbage, 1},
		"no such day": {line(0, "2") + strings.Replace(line(0, "7"), "05-15", "02-30", 1), TUDelft{LeastCount: 1}, []float64{2}, noTime, 1},
		"long":        {line(0, "2") + strings.Repeat("x,", 1<<17) + "\n" + line(1, "4"), TUDelft{LeastCount: 1}, []float64{3}, tooLong, 1},
		"mark, blank": {mark + line(0, "2") + "\r\n  \r\n", TUDelft{LeastCount: 1}, []float64{2}, "", 0},
		"old loggers": {delftLine(at(0), 25, "2", "") + delftLine(at(1), 25, "4", "") + delftLine(at(2), 24, "9", "") + line(12, "5") + delftLine(at(13), 25, "9", ""), TUDelft{LeastCount: 1}, []float64{3, 5}, cutOff, 2},
		"one old":     {delftLine(at(0), 25, "9", "") + line(12, "5"), TUDelft{LeastCount: 1}, []float64{5}, cutOff, 1},
		"midnight":    {strings.Replace(line(0, "2"), "09:00", "24:00", 1), TUDelft{LeastCount: 1}, []float64{2}, "", 0},
		"range":       {line(0, "2") + line(1, "30"), TUDelft{LeastCount: 1, Range: map[string][2]float64{WindSpeed: {0, 25}}}, []float64{2}, "", 0},
		"records":     {line(1, "2") + line(0, "9") + line(2, "NAN"), TUDelft{EveryRecord: true}, []float64{2, math.NaN()}, backwards, 1},
		"directions":  {delftLine(at(0), 33, "1", "350") + delftLine(at(1), 33, "1", "30"), TUDelft{LeastCount: 1, Columns: []string{windDirection}}, []float64{10}, "", 0},
		"no end":      {strings.TrimSpace(line(0, "1")), TUDelft{LeastCount: 1, Columns: []string{"Albedo"}}, []float64{math.NaN()}, "", 0},
	} {
		var r TUDelftReport
		c.o.Report = &r
		s, err := ReadTUDelft(strings.NewReader(c.file), c.o)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got := column(t, s, s.Columns()[0])
		close := len(got) == len(c.want)
		for i := range got {
			close = close && (got[i] == c.want[i] || math.Abs(got[i]-c.want[i]) < 1e-9 || math.IsNaN(got[i]) && math.IsNaN(c.want[i]))
		}
		n, total := 0, 0
		for _, x := range r.Rejected {
			total += x.Count
			if x.Reason == c.reason {
				n = x.Count
			}
		}
		if !close || n != c.n || total != c.n || r.Lines != r.Records+r.Blank+total {
			t.Errorf("%s: %v, want %v; %v", name, got, c.want, r)
		}
	}
}

// The 33 names stand where the format has them, that with a comma among them.
func TestTUDelftColumns(t *testing.T) {
	names := TUDelftColumns()
	if len(names) != 33 || names[13] != WindSpeed || names[9] != "e_{s, Avg}" || names[14] != "WindDir_{Avg}" || names[32] != "Albedo" {
		t.Errorf("%d columns: %v", len(names), names)
	}
	// North and south, in balance, have no mean direction.
	at := time.Date(2014, 5, 15, 9, 0, 0, 0, time.UTC)
	s, err := ReadTUDelft(strings.NewReader(delftLine(at, 33, "1", "0")+delftLine(at.Add(5*time.Minute), 33, "1", "180")), TUDelft{LeastCount: 2, Columns: []string{windDirection}})
	if err != nil || s.Missing()[0] != 1 {
		t.Errorf("%v, %v", s, err)
	}
}

func TestReadTUDelftErrors(t *testing.T) {
	good := delftLine(time.Date(2014, 5, 15, 9, 0, 0, 0, time.UTC), 33, "1", "2")
	for _, c := range []struct {
		file string
		o    TUDelft
		want string
	}{
		{"", TUDelft{}, "station: has no record in 0 lines; it needs lines of 33 columns"},
		{"x\n", TUDelft{Name: "Oost"}, "Oost: has no record in 1 line;"},
		{"\x1F\x8B\x08\n", TUDelft{}, "it is compressed; unpack it first"},
		{good, TUDelft{LeastCount: 13}, "TUDelft.LeastCount is 13"},
		{good, TUDelft{Columns: []string{"Name"}}, "no column of numbers Name; it has Battery_{Min}"},
		{good, TUDelft{Columns: []string{"Mir01", "Mir01"}}, "names Mir01 twice"},
		{good, TUDelft{Range: map[string][2]float64{"Mir01": {}}}, "column Mir01 of TUDelft.Range is not read"},
		{good, TUDelft{Range: map[string][2]float64{WindSpeed: {2, 1}}}, "put the lower first"},
	} {
		if s, err := ReadTUDelft(strings.NewReader(c.file), c.o); s != nil || err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v", c.o, err)
		}
	}
}

// However many lines are broken, the memory is that of the hours.
func TestReadTUDelftStreams(t *testing.T) {
	good := delftLine(time.Date(2014, 5, 15, 9, 0, 0, 0, time.UTC), 33, "1", "2")
	bad := good + strings.Repeat("^,garbage\n", 10) + strings.Repeat("1,", 20) + "\n" + strings.Repeat("1,", 40) + "\n"
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	r := &repeatReader{text: bad, n: 2000}
	if _, err := ReadTUDelft(r, TUDelft{LeastCount: 1}); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 1<<20 {
		t.Errorf("24,000 broken lines leave %d bytes", grown)
	}
}

type repeatReader struct {
	text string
	at   int
	n    int
}

func (r *repeatReader) Read(p []byte) (int, error) {
	if r.n == 0 {
		return 0, io.EOF
	}
	n := copy(p, r.text[r.at:])
	if r.at += n; r.at == len(r.text) {
		r.at, r.n = 0, r.n-1
	}
	return n, nil
}

// delftYear is a year of records every five minutes, 105,120 lines of 200 bytes.
func delftYear() string {
	var b strings.Builder
	at := time.Date(2015, 1, 1, 0, 0, 0, 0, time.UTC)
	tail := strings.Repeat(",12.3456", 19) + "\r\n"
	for i := range 365 * 288 {
		fmt.Fprintf(&b, "%s,Rijnhaven,12.87,3.51,16.6,0,11.15,78.6,1.04,1.32,0,3.39,0.74,%d.%03d%s", at.Format("2006-01-02 15:04:05"), i%9, i%1000, tail)
		at = at.Add(5 * time.Minute)
	}
	return b.String()
}

// A year in under 2 s and 200 MB.
func BenchmarkReadTUDelft_year(b *testing.B) {
	year := delftYear()
	b.SetBytes(int64(len(year)))
	b.ReportAllocs()
	for b.Loop() {
		if s, err := ReadTUDelft(strings.NewReader(year), TUDelft{}); err != nil || s.Len() != 8760 {
			b.Fatal(err)
		}
	}
}

// The same year through ReadCSV, all columns of numbers.
func BenchmarkReadCSV_year(b *testing.B) {
	names := strings.Split(strings.Repeat("c,", 33), ",")[:33]
	for i := range names {
		names[i] += fmt.Sprint(i)
	}
	year := strings.Join(names, ",") + "\n" + delftYear()
	o := CSV{Time: "c0", Columns: names[2:]}
	b.SetBytes(int64(len(year)))
	b.ReportAllocs()
	for b.Loop() {
		if s, err := Read(strings.NewReader(year), "year", o); err != nil || s.Len() != 365*288 {
			b.Fatal(err)
		}
	}
}
