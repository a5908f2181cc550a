package beam

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/parquet-go/parquet-go"

	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/twornn"
)

// reading is a row of the files of the tests.
type reading struct {
	Station string    `parquet:"station,dict"`
	Time    time.Time `parquet:"time,timestamp(millisecond)"`
	Wind    *float64  `parquet:"wind,optional"`
	Rain    float64   `parquet:"rain,snappy"`
	Warm    int32     `parquet:"warm"`
}

// readings returns hourly rows of stations, one after the other, with gaps and missing values.
func readings(stations, rows int) (all []reading) {
	rnd := pcg(6)
	for s := range stations {
		at := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
		y := 0.0
		for range rows {
			u := rnd.NormFloat64()
			y = 0.7*y + 0.4*u + 0.1*rnd.NormFloat64()
			r := reading{Station: fmt.Sprintf("st%02d", s), Time: at, Rain: u, Warm: int32(rnd.IntN(5))}
			if rnd.IntN(40) > 0 {
				v := y
				r.Wind = &v
			}
			all = append(all, r)
			at = at.Add(time.Hour)
			if rnd.IntN(50) == 0 {
				at = at.Add(5 * time.Hour)
			}
		}
	}
	return all
}

// write puts the rows into so many files, each with whole stations.
func write(t *testing.T, all []reading, files, stations int, kind string) (pattern string) {
	t.Helper()
	dir := t.TempDir()
	per := len(all) / stations
	for k := range files {
		part := all[k*stations/files*per : (k+1)*stations/files*per]
		name := filepath.Join(dir, fmt.Sprintf("part-%03d.%s", k, kind))
		var err error
		if kind == "parquet" {
			err = parquet.WriteFile(name, part)
		} else {
			err = os.WriteFile(name, []byte(csvOf(part)), 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "*."+kind)
}

func csvOf(rows []reading) string {
	var b strings.Builder
	b.WriteString("station,time,wind,rain,warm\n")
	for _, r := range rows {
		wind := ""
		if r.Wind != nil {
			wind = fmt.Sprint(*r.Wind)
		}
		fmt.Fprintf(&b, "%s,%s,%s,%v,%d\n", r.Station, r.Time.Format(time.RFC3339), wind, r.Rain, r.Warm)
	}
	return b.String()
}

func window() datasets.Window {
	return datasets.Window{Length: 4, Targets: []string{"wind"}, Bias: true}
}

// onOneMachine returns the windows of the files, by datasets alone.
func onOneMachine(t *testing.T, all []reading) iter.Seq[twornn.Sequence] {
	t.Helper()
	series, err := datasets.ReadGroups(strings.NewReader(csvOf(all)), "", datasets.CSV{Time: "time"}, "station")
	if err != nil {
		t.Fatal(err)
	}
	var parts []iter.Seq[twornn.Sequence]
	for _, s := range series {
		parts = append(parts, s.Windows(window()))
	}
	return datasets.Join(parts...)
}

// TestFilesLearnWhatFitLearns: 1, 4 and 64 files, CSV and Parquet, through a pipeline.
func TestFilesLearnWhatFitLearns(t *testing.T) {
	const stations = 64
	all := readings(stations, 40)
	source := onOneMachine(t, all)
	want, err := twornn.Fit(context.Background(), source, twornn.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var data []twornn.Sequence
	for s := range source {
		data = append(data, s)
	}
	for _, kind := range []string{"csv", "parquet"} {
		for _, files := range []int{1, 4, 64} {
			if kind == "parquet" && files != 4 {
				continue
			}
			f := Files{Pattern: write(t, all, files, stations, kind), Window: window(), Group: []string{"station"}, CSV: datasets.CSV{Time: "time"}}
			c, err := collected(t, func(s sdk.Scope) sdk.PCollection { return Read(s, f) })
			d := apart(want.Model, fitOf(t, c, err), data)
			if n := c[4].N(); n != len(data) || !(d <= 1e-10) {
				t.Errorf("%d %s files: %d windows of %d, %.3g apart", files, kind, n, len(data), d)
			}
		}
	}
}

// TestNoWindowBridges: neither a gap, nor two groups, nor two files, and files without rows are
// no matter.
func TestNoWindowBridges(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.csv": "g,time,wind\nx,2020-01-01,1\nx,2020-01-02,2\ny,2020-01-01,10\ny,2020-01-02,20\ny,2020-01-03,30\nx,2020-01-04,3\n",
		"b.csv": "g,time,wind\nx,2020-01-05,5\nx,2020-01-06,6\n",
		"c.csv": "",
		"d.csv": "g,time,wind\n",
		"e.csv": "g,time,wind\nz,2020-01-05,5\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	f := Files{Pattern: filepath.Join(dir, "*.csv"), Group: []string{"g"}, CSV: datasets.CSV{Time: "time"},
		Window: datasets.Window{Length: 1, Targets: []string{"wind"}, Bias: true}}
	c, err := collected(t, func(s sdk.Scope) sdk.PCollection { return Read(s, f) })
	if err != nil {
		t.Fatal(err)
	}
	// 1→2, 10→20, 20→30, 5→6.
	if want := 2.*2 + 20*20 + 30*30 + 6*6; c[1].N() != 4 || math.Abs(c[1].Energy()-want) > 1e-9 {
		t.Errorf("%d windows with outputs of energy %v, want 4 of %v", c[1].N(), c[1].Energy(), want)
	}
}

// TestWhatIsWrongWithFiles: each is one line with place and cure, and no failure of the job.
func TestWhatIsWrongWithFiles(t *testing.T) {
	good := "time,wind,rain\n2020-01-01,1,2\n2020-01-02,2,3\n2020-01-03,2,3\n2020-01-04,2,3\n"
	w := datasets.Window{Length: 2, Targets: []string{"wind"}, Bias: true}
	for _, c := range []struct {
		name string
		text string // of a second file
		f    Files
		want []string
	}{
		{"no target", good, Files{Window: datasets.Window{Length: 2, Targets: []string{"gust"}}}, []string{"a.csv", "no column gust to be a target", "it has wind, rain"}},
		{"other columns", strings.ReplaceAll(good, "rain", "snow"), Files{Window: w}, []string{"a.csv has the columns wind, rain", "b.csv has wind, snow", "name the columns"}},
		{"other order", "time,rain,wind\n2020-01-01,1,2\n2020-01-02,1,2\n2020-01-03,1,2\n", Files{Window: w}, []string{"a.csv has the columns wind, rain", "b.csv has rain, wind"}},
		{"another step", "time,wind,rain\n2020-01-01,1,2\n2020-01-08,1,2\n2020-01-15,1,2\n", Files{Window: w}, []string{"a.csv are 24h0m0s apart", "b.csv 168h0m0s", "set the step"}},
		{"no number", strings.Replace(good, ",3\n", ",x3\n", 1), Files{Window: w}, []string{"b.csv, line 3, column rain", `"x3"`}},
		{"no window", good, Files{Window: datasets.Window{Length: 9, Targets: []string{"wind"}}}, []string{"no window of 10 rows", "8 rows", "2 in number", "lower the length"}},
		{"windows too large", longCSV(20_000), Files{Pattern: "b.csv", Window: datasets.Window{Length: 10_000, Targets: []string{"wind"}, Bias: true}},
			[]string{"10000 windows of 10001 rows", "512 windows of 30001 numbers", "122 MB", "67 MB are the most", "lower the length"}},
		{"no rows", "", Files{Pattern: "b.csv", Window: w}, []string{"there are no rows in the files", "1 in number", "or none"}},
		{"no file", "", Files{Pattern: "nowhere-*.csv", Window: w}, []string{"no file is called nowhere-*.csv"}},
		{"no Parquet", good, Files{Pattern: "*.parquet", Window: w}, []string{"c.parquet", "is no Parquet file"}},
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{"a.csv": good, "b.csv": c.text, "c.parquet": good} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		if c.f.Pattern == "" {
			c.f.Pattern = "*.csv"
		}
		c.f.Pattern = filepath.Join(dir, c.f.Pattern)
		_, err := collected(t, func(s sdk.Scope) sdk.PCollection { return Read(s, c.f) })
		if err == nil {
			t.Errorf("%s: no error", c.name)
			continue
		}
		for _, want := range c.want {
			if text := strings.ReplaceAll(err.Error(), dir+"/", ""); !strings.Contains(text, want) || strings.Contains(text, "\n") {
				t.Errorf("%s: %s\nlacks %q", c.name, text, want)
			}
		}
	}
}

// longCSV returns so many hourly rows.
func longCSV(rows int) string {
	var b strings.Builder
	b.WriteString("time,wind,rain\n")
	for i := range rows {
		fmt.Fprintf(&b, "%s,%d,1\n", time.Unix(int64(i)*3600, 0).UTC().Format(time.DateTime), i%7)
	}
	return b.String()
}

func TestChoicesThatContradict(t *testing.T) {
	w := window()
	for _, f := range []Files{
		{Window: w},
		{Pattern: "x", Window: datasets.Window{}},
		{Pattern: "x", Window: datasets.Window{Length: 1 << 62}},
		{Pattern: "x", Window: datasets.Window{Length: 1, Horizon: 1 << 62}},
		{Pattern: "x", Window: datasets.Window{Length: 1, Scaler: &datasets.Scaler{}}},
		{Pattern: "x", Window: w, CSV: datasets.CSV{Location: time.UTC}},
		{Pattern: "x", Window: w, Zone: "Nowhere/At all"},
	} {
		if f.Check() == nil {
			t.Errorf("%+v: no error", f)
		}
	}
}

// TestParquetKinds: numbers, times and texts of all kinds are read as they are, and damage is an error.
func TestParquetKinds(t *testing.T) {
	type row struct {
		Day   int32   `parquet:"day,date"`
		I     int64   `parquet:"i"`
		U     uint32  `parquet:"u"`
		F     float32 `parquet:"f"`
		B     bool    `parquet:"b"`
		Price int64   `parquet:"price,decimal(2:9)"`
		Text  string  `parquet:"text,zstd"`
	}
	name := filepath.Join(t.TempDir(), "x.parquet")
	rows := []row{{18262, -5, 1 << 31, 0.1, true, -1234, "a,\"b\""}, {18263, 7, 3, 1e-30, false, 5, "a,\"b\""}}
	if err := parquet.WriteFile(name, rows); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	all, err := readParquet(text, name, datasets.CSV{}, []string{"text"})
	if err != nil {
		t.Fatal(err)
	}
	s := all[0]
	if got := fmt.Sprintln(s.Columns(), s.Group(), s.Times()[1].Format(time.DateOnly), s.Step()); got != `[i u f b price] [a,"b"] 2020-01-02 24h0m0s`+"\n" {
		t.Error(got)
	}
	for column, want := range map[string]float64{"i": -5, "u": 1 << 31, "f": 0.1, "b": 1, "price": -12.34} {
		if v, err := s.Column(column); err != nil || v[0] != want {
			t.Errorf("%s is %v, want %v (%v)", column, v, want, err)
		}
	}
	if _, err := readParquet(text, name, datasets.CSV{Columns: []string{"i"}, Time: "day"}, nil); err != nil {
		t.Error(err)
	}
	checkParquetTimes(t)
	type nested struct {
		List []float64 `parquet:"list,list"`
		I    int64     `parquet:"i"`
	}
	if err := parquet.WriteFile(name, []nested{{[]float64{1}, 2}, {nil, 3}}); err != nil {
		t.Fatal(err)
	}
	lists, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := readParquet(lists, name, datasets.CSV{}, nil); err == nil || !strings.Contains(err.Error(), "name the columns to read without it") {
		t.Errorf("a list: %v", err)
	}
	if _, err := readParquet(lists, name, datasets.CSV{Columns: []string{"i"}}, nil); err != nil {
		t.Errorf("beside a list: %v", err)
	}
	for i := range text { // some of these make the reader of Parquet panic, as it opens the file or later
		bad := append([]byte(nil), text...)
		bad[i] = 1
		if i%2 == 0 {
			bad[i] = 16
		}
		_, _ = readParquet(bad, name, datasets.CSV{}, nil) // no panic
	}
	rnd := pcg(7)
	for range 60 {
		bad := append([]byte(nil), text...)
		for range 3 {
			bad[rnd.IntN(len(bad))] = byte(rnd.IntN(256))
		}
		_, _ = readParquet(bad, name, datasets.CSV{}, nil)                      // no panic
		_, _ = readParquet(bad[:rnd.IntN(len(bad))], name, datasets.CSV{}, nil) // no panic
	}
}

// checkParquetTimes: stamps of every unit, with and without a zone, are the times that were written.
func checkParquetTimes(t *testing.T) {
	t.Helper()
	type row struct {
		Milli time.Time `parquet:"milli,timestamp(millisecond)"`
		Micro time.Time `parquet:"micro,timestamp(microsecond)"`
		Nano  time.Time `parquet:"nano,timestamp(nanosecond)"`
		Local time.Time `parquet:"local,timestamp(millisecond:local)"`
		Wind  float64   `parquet:"wind"`
	}
	at := time.Date(2020, 3, 1, 12, 0, 0, 0, time.UTC)
	var rows []row
	for i := range 3 {
		at := at.Add(time.Duration(i) * time.Hour)
		rows = append(rows, row{at, at, at, at, 1})
	}
	var text bytes.Buffer
	if err := parquet.Write(&text, rows); err != nil {
		t.Fatal(err)
	}
	east := time.FixedZone("east", 3600)
	for column, want := range map[string]time.Time{"milli": at, "micro": at, "nano": at, "local": at.Add(-time.Hour)} {
		all, err := readParquet(text.Bytes(), "x.parquet", datasets.CSV{Columns: []string{"wind"}, Time: column, Location: east}, nil)
		if err != nil {
			t.Errorf("%s: %v", column, err)
		} else if got := all[0].Times()[0]; !got.Equal(want) || all[0].Step() != time.Hour {
			t.Errorf("%s: %v and every %v, want %v and every hour", column, got, all[0].Step(), want)
		}
	}
}

// TestPlanIsMadeOnce: a worker looks at the counts of all files once, not once a file, and places
// follow the names of the files, in whatever order the counts came.
func TestPlanIsMadeOnce(t *testing.T) {
	ctx := context.Background()
	f := Files{Pattern: write(t, readings(8, 40), 8, 8, "csv"), Window: window(), Group: []string{"station"}, CSV: datasets.CSV{Time: "time"}}
	names, err := f.List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var counts []count
	for _, name := range names {
		if err := (&countFn{Files: f}).ProcessElement(ctx, name, func(c count) { counts = append(counts, c) }); err != nil {
			t.Fatal(err)
		}
	}
	pcg(9).Shuffle(len(counts), func(i, j int) { counts[i], counts[j] = counts[j], counts[i] })
	looked, windows := 0, int64(0)
	r := &readFn{Files: f}
	for _, name := range names {
		next := 0
		err := r.ProcessElement(ctx, name, func(c *count) bool {
			if next == len(counts) {
				return false
			}
			*c = counts[next]
			next++
			looked++
			return true
		}, func(s Sequence) {
			if windows++; s.Place != windows {
				t.Errorf("window %d has the place %d", windows, s.Place)
			}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if looked != len(names) || windows == 0 {
		t.Errorf("looked at %d counts of %d files, %d windows", looked, len(names), windows)
	}
}
