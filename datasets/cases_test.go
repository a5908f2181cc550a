package datasets

import (
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// hasNote reports whether a series has a note of the kind about the column.
func hasNote(s *Series, kind NoteKind, column string) bool {
	return slices.ContainsFunc(s.Notes(), func(n Note) bool { return n.Kind == kind && n.Column == column })
}

// caseFile reads a file of shared/data/cases.
func caseFile(t *testing.T, name string, o CSV) *Series {
	t.Helper()
	s, err := ReadCSV(needFile(t, sharedData+"cases/"+name), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Each file of the cases reads as its case says, with the settings that the errors
// name, and says what it should.
func TestCases(t *testing.T) {
	needFile(t, sharedData+"cases")
	three := Window{Length: 3}
	for _, c := range []struct {
		file    string
		o       CSV
		columns string
		rows    int
		step    time.Duration
		gaps    int // rows missing in them
		windows int
		kind    NoteKind
		column  string
	}{
		{"01-ymdh-columns.csv", CSV{}, "pm", 388, time.Hour, 12, 382, TimesJoined, ""},
		{"02-yyyymmdd-number.csv", CSV{Time: "YYYYMMDD"}, "STN FG", 385, oneDay, 15, 379, Constant, "STN"},
		{"02-yyyymmdd-number.csv", CSV{Time: NoTime}, "STN YYYYMMDD FG", 385, 0, 0, 382, TimePart, "YYYYMMDD"},
		{"02c-epoch-s.csv", CSV{}, "value", 400, time.Minute, 0, 397, TimesRead, "ts"},
		{"02c-epoch-s.csv", CSV{Time: "ts", TimeLayout: UnixSeconds}, "value", 400, time.Minute, 0, 397, 0, ""},
		{"02c-epoch-s.csv", CSV{Time: NoTime}, "ts value", 400, 0, 0, 397, TimePart, "ts"},
		{"03-date-time-two-columns.csv", CSV{Comma: ';'}, "Power Voltage", 370, time.Minute, 30, 364, TimesJoined, ""},
		{"04-sentinel-99.csv", CSV{}, "co nmhc", 200, 0, 0, 197, FarValue, "co"},
		{"04-sentinel-99.csv", CSV{}, "co nmhc", 200, 0, 0, 197, FarValue, "nmhc"},
		{"04-sentinel-99.csv", CSV{Missing: []string{"-99"}}, "co nmhc", 200, 0, 0, 134, 0, ""},
		{"05-jitter.csv", CSV{}, "temp", 2000, time.Minute, 0, 1997, 0, ""},
		{"06-toa5.csv", CSV{Skip: 1, HeaderRows: 3}, "RECORD wind temp", 3, time.Minute, 0, -1, Counter, "RECORD"},
		{"06c-comments-and-type-row.tsv", CSV{Comma: '\t', HeaderRows: 2, Time: "datetime", Columns: []string{"level"}}, "level", 200, time.Hour, 0, 197, Comments, ""},
		{"07-hour-24.csv", CSV{}, "load", 240, time.Hour, 0, 237, Midnights, ""},
		{"10-constant-in-training.csv", CSV{}, "sales tariff promo", 1000, oneDay, 0, 997, 0, ""},
		{"11-dry-test-period.csv", CSV{}, "wind rain", 500, oneDay, 0, 497, 0, ""},
		{"14-beyond-2-53.csv", CSV{}, "counter", 60, oneDay, 0, 57, DigitsLost, "counter"},
		{"14-beyond-2-53.csv", CSV{Differences: []string{"counter"}}, "counter", 60, oneDay, 0, 56, 0, ""},
	} {
		s := caseFile(t, c.file, c.o)
		r, _ := s.CountWindows(three)
		if c.windows < 0 {
			r.Kept = c.windows
		}
		if strings.Join(s.Columns(), " ") != c.columns || s.Len() != c.rows || s.Step() != c.step || s.Gaps().Rows != c.gaps || r.Kept != c.windows {
			t.Errorf("%s %+v: %v, %v", c.file, c.o, s, r)
		}
		if c.kind > 0 && !hasNote(s, c.kind, c.column) {
			t.Errorf("%s %+v has no note of kind %d about %q: %v", c.file, c.o, c.kind, c.column, s)
		}
	}
}

// What the cases must refuse, with the setting to follow.
func TestCasesRefused(t *testing.T) {
	needFile(t, sharedData+"cases")
	for file, cure := range map[string]string{
		"02-yyyymmdd-number.csv":        "name it in CSV.Time",
		"03-date-time-two-columns.csv":  "set CSV.Comma to ';'",
		"06-toa5.csv":                   "set CSV.Skip to 1 and CSV.HeaderRows to 3",
		"06c-comments-and-type-row.tsv": `set CSV.Comma to '\t'`,
	} {
		if _, err := ReadCSV(sharedData+"cases/"+file, CSV{}); err == nil || !strings.Contains(err.Error(), cure) {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// The values behind the cases: the day that follows the hour 24, the mean without its
// marker, units, differences without rounding, and a part that is constant.
func TestCaseValues(t *testing.T) {
	needFile(t, sharedData+"cases")
	s := caseFile(t, "07-hour-24.csv", CSV{})
	if at := s.Times()[23]; !at.Equal(time.Date(2018, 1, 2, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("24:00 is %v", at)
	}
	s = caseFile(t, "04-sentinel-99.csv", CSV{Missing: []string{"-99"}})
	if low, _, _, n := spread(column(t, s, "co")); low < 0 || n != 190 || s.Missing()[1] != 8 {
		t.Errorf("markers: least %v of %d, missing %v", low, n, s.Missing())
	}
	s = caseFile(t, "06-toa5.csv", CSV{Skip: 1, HeaderRows: 3})
	if !slices.Equal(s.Units(), []string{"RN", "m/s", "C"}) || s.Missing()[1] != 1 {
		t.Errorf("units %v, missing %v", s.Units(), s.Missing())
	}
	s = caseFile(t, "14-beyond-2-53.csv", CSV{Differences: []string{"counter"}})
	if d := column(t, s, "counter"); !slices.Equal(d[1:4], []float64{3, 3, 0}) || s.Missing()[0] != 1 {
		t.Errorf("differences %v", d)
	}
	train, _ := caseFile(t, "10-constant-in-training.csv", CSV{}).Split(.8)
	if !hasNote(train, Constant, "tariff") || hasNote(train, Constant, "sales") {
		t.Errorf("the training part of a tariff: %v", train.Notes())
	}
	s = caseFile(t, "05-jitter.csv", CSV{})
	b, err := os.ReadFile(sharedData + "cases/05-jitter.csv")
	if g := s.Gaps(); err != nil || g.Jittered < 1000 || !strings.Contains(string(b), s.Times()[3].Format("2006-01-02 15:04:05")) {
		t.Errorf("%v: the times are not kept, or their jitter is not said", g)
	}
}
