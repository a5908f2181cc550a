package datasets

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

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
	stacked := strings.ReplaceAll(b.String(), ",1,1", ",0,1") // one site, one depth
	two, err := ReadGroups(strings.NewReader(stacked), "f.csv", CSV{Columns: []string{"x"}}, "site")
	if err != nil || len(two) != 2 || two[0].Len() != 13 || two[1].Len() != 10 || two[1].Name() != "f.csv: B" {
		t.Errorf("%v, %v", two, err)
	}
	path := filepath.Join(t.TempDir(), "f.csv")
	if err := os.WriteFile(path, []byte(stacked), 0o644); err != nil {
		t.Fatal(err)
	}
	if two, err = ReadCSVGroups(path, CSV{Columns: []string{"x"}}, "site"); err != nil || len(two) != 2 || two[1].Name() != path+": B" {
		t.Errorf("%v, %v", two, err)
	}
	if _, err := ReadCSVGroups(path+"x", CSV{}, "site"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	for _, by := range [][]string{nil, {"none"}, {"site", "site"}} {
		if _, err := ReadGroups(strings.NewReader(b.String()), "f.csv", CSV{}, by...); err == nil {
			t.Errorf("by %v: no error", by)
		}
	}
}

// A series that begins after hundreds of rows of another has its times too, and the
// units and signs that these rows show.
func TestSeriesBeginsLate(t *testing.T) {
	var b strings.Builder
	b.WriteString("day,site,x\n")
	for _, site := range []string{"A", "B"} {
		for i := range 300 {
			fmt.Fprintf(&b, "%s,%s,%d\n", time.Date(2020, 1, 1+i, 0, 0, 0, 0, time.UTC).Format("02/01/2006"), site, i*i%7)
		}
	}
	s := read(t, b.String(), CSV{Time: "day", Where: map[string]string{"site": "B"}})
	if s.Len() != 300 || s.Step() != oneDay || s.Gaps().Count > 0 || !s.Times()[299].Equal(time.Date(2020, 10, 26, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("%v", s)
	}
	s = read(t, strings.ReplaceAll(b.String(), "day,", "date,"), CSV{Where: map[string]string{"site": "B"}})
	if s.Len() != 300 || s.Step() != oneDay {
		t.Errorf("%v", s)
	}
	all, err := ReadGroups(strings.NewReader(b.String()), "f.csv", CSV{Time: "day"}, "site")
	if err != nil || len(all) != 2 || all[1].Step() != oneDay {
		t.Errorf("%v, %v", all, err)
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
		"within":     {file(0, 61, 121, 181, 240), CSV{}, Gaps{Step: time.Minute, Jittered: 2}},
		"exactly":    {file(0, 61, 121, 181, 240), CSV{Tolerance: -1}, Gaps{Step: time.Minute, Count: 1, Rows: 1, Longest: 1, Irregular: 1}},
		"more":       {file(0, 66, 120, 180, 240, 300), CSV{Tolerance: .11}, Gaps{Step: time.Minute, Jittered: 2}},
		"a gap":      {file(0, 60, 120, 781, 840, 900), CSV{}, Gaps{Step: time.Minute, Count: 1, Rows: 10, Longest: 10, Jittered: 2}},
		"too far":    {file(0, 60, 120, 184, 244), CSV{}, Gaps{Step: time.Minute, Count: 1, Rows: 1, Longest: 1}},
		"no step":    {file(0, 100, 103, 300, 302, 700), CSV{}, Gaps{Step: 2 * time.Second, Count: 4, Rows: 346, Longest: 198, Uneven: true}},
		"no cluster": {file(0, 5, 105, 206, 308, 608, 1108, 1808, 2708), CSV{}, Gaps{Step: 5 * time.Second, Count: 7, Rows: 535, Longest: 179, Uneven: true}},
		"all alone":  {file(0, 9.99, 20.02, 29.97, 40.01, 49.98), CSV{}, Gaps{Step: 10 * time.Second, Jittered: 5}},
	} {
		s := read(t, c.file, c.o)
		g := s.Gaps()
		g.First, g.After, g.Before = time.Time{}, time.Time{}, time.Time{}
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

// The signs of Latin-1 and those that Windows has besides.
func TestLatin1(t *testing.T) {
	s := read(t, "J\xE4ger \x80;d\xFC\n1;\x96\n\xB5;2\n", CSV{Comma: ';', Latin1: true, Missing: []string{"–", "µ"}})
	if !slices.Equal(s.Columns(), []string{"Jäger €", "dü"}) || !slices.Equal(s.Missing(), []int{1, 1}) {
		t.Errorf("%v", s)
	}
}

// A file of UTF-8 that is read as Latin-1 has a note with a word of it; one of Latin-1, or of ASCII, has none.
func TestUTF8AsLatin1(t *testing.T) {
	for text, want := range map[string]string{
		"größe,b\n1,2\n":         "größe as grÃ¶ÃŸe; if it should be größe,",
		"a,b\n1,NA\n# m²\n2,3\n": "m² as mÂ²",
		"a,\"b c µ\"\n1,2\n":     "µ as Âµ",
		"gr\xf6\xdfe,b\n1,2\n":   "",
		"gr\xf6\xdfe,Ã¶\n1,2\n":  "",
		"a,b\n1,2\n":             "",
		"\xef\xbb\xbfa,b\n1,2\n": "",
	} {
		found := ""
		for _, n := range read(t, text, CSV{Latin1: true}).Notes() {
			if n.Kind == OtherEncoding {
				found = n.Text
			}
		}
		if (found != "") != (want != "") || !strings.Contains(found, want) {
			t.Errorf("%q: %q", text, found)
		}
	}
	if s := read(t, "größe,b\n1,2\n", CSV{}); len(s.Notes()) > 0 && s.Notes()[0].Kind == OtherEncoding {
		t.Error(s)
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
