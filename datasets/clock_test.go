package datasets

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"
)

func TestLayouts(t *testing.T) {
	six := time.Date(2013, 2, 1, 6, 0, 0, 0, time.UTC)
	for _, text := range []string{
		"2013-02-01T06:00:00Z", "2013-02-01 06:00", "2013-02-01 06:00:00", "2013-02-01T06:00", "2013/02/01 06:00",
		"2013-02-01T07:00:00+01:00", "2013-02-01 07:00:00+01", "2013-02-01T01:00:00-0500", "2013-02-01 06:00:00.000",
		"2013-02-01 06:00:00 UTC", "2013-02-01 06:00:00 +0000 UTC", " 2013-02-01 06:00 ",
	} {
		c := clock{loc: time.UTC}
		if at, problem, _ := c.parse(text); problem != "" || !at.Equal(six) || at.Location() != time.UTC {
			t.Errorf("%q is %v %s", text, at, problem)
		}
	}
	// Day first or month first, a number, a zone that is no one offset.
	for _, text := range []string{"01/02/2013", "01.02.2013 06:00", "20130201", "2013", "5", "2013-02-01 06:00:00 EST", "2013-02-30"} {
		if l := layoutOf(text); l != "" {
			t.Errorf("%q has the layout %s", text, l)
		}
	}
}

// Where the clocks change, an hour of the wall does not exist or comes twice.
func TestLocation(t *testing.T) {
	ny, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	c := clock{loc: ny}
	for text, want := range map[string]int{"2013-01-01 01:00": 6, "2013-07-01 01:00": 5} {
		if at, problem, _ := c.parse(text); problem != "" || at.Hour() != want {
			t.Errorf("%s in New York is %v %s, want hour %d", text, at, problem, want)
		}
	}
	if at, problem, _ := c.parse("2013-03-10 02:00"); problem == "" {
		t.Errorf("an hour that does not exist is %v", at)
	}
	// A zone in the text goes before Location.
	c = clock{loc: ny}
	if at, problem, _ := c.parse("2013-03-10T02:00:00Z"); problem != "" || at.Hour() != 2 {
		t.Errorf("UTC in the text is %v %s", at, problem)
	}
}

// An abbreviation is refused unless it names one offset: UTC, GMT, or as Location has it.
func TestAbbreviations(t *testing.T) {
	ny, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	const layout = "2006-01-02 15:04 MST"
	for _, c := range []struct {
		layout, text string
		loc          *time.Location
		hour         int // of UTC, −1 if refused
	}{
		{layout, "2013-11-03 01:00 UTC", time.UTC, 1},
		{layout, "2013-11-03 01:00 GMT", time.UTC, 1},
		{layout, "2013-11-03 01:00 UTC", ny, 1},
		{layout, "2013-11-03 01:00 EST", time.UTC, -1},
		{layout, "2013-11-03 01:00 CET", time.UTC, -1},
		{layout, "2013-11-03 01:00 CET", ny, -1},
		{layout, "2013-11-03 01:00 EDT", ny, 5}, // the hour that comes twice
		{layout, "2013-11-03 01:00 EST", ny, 6},
		{layout + " -0700", "2013-11-03 01:00 CET +0100", time.UTC, 0},
		{"02 Jan 06 15:04 Z0700", "03 Nov 13 01:00 Z", time.UTC, 1},
	} {
		k := clock{layout: c.layout, loc: c.loc}
		at, problem, cure := k.parse(c.text)
		if refused := problem != "" && cure != ""; refused != (c.hour < 0) || !refused && at.Hour() != c.hour {
			t.Errorf("%q in %v is %v, %s", c.text, c.loc, at, problem)
		}
	}
}

func TestTimeNames(t *testing.T) {
	for _, name := range []string{"date", "Time", "DATETIME", "time_hour", "timestamp", "Date Time"} {
		if !isTimeName(name) {
			t.Errorf("%s names no time", name)
		}
	}
	for _, name := range []string{"", "update", "wind", "year", "hour_index"} {
		if isTimeName(name) {
			t.Errorf("%q names a time", name)
		}
	}
}

// TestHourThatComesTwice: times that run back where daylight saving time ends are an error that says so, in
// rows of an hour or less and by whatever clock; other times that repeat are not.
func TestHourThatComesTwice(t *testing.T) {
	zone := func(name string) *time.Location {
		l, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	const looks = ", as where daylight saving time ends and an hour of local time comes twice"
	for _, c := range []struct {
		times   string
		loc     *time.Location
		problem string // ends so
	}{
		{"2020-10-25 01:00,2020-10-25 02:00,2020-10-25 02:00", nil, "repeats the time of line 3" + looks},
		{"2020-10-25 02:30,2020-10-25 02:45,2020-10-25 02:00", nil, "is earlier than the time of line 3" + looks},
		{"2020-10-25 02:59:50,2020-10-25 02:59:59,2020-10-25 02:00:09", nil, "is earlier than the time of line 3" + looks},
		{"2020-11-01 00:00,2020-11-01 01:00,2020-11-01 01:00", nil, looks},
		{"2021-04-04 01:30,2021-04-04 02:30,2021-04-04 02:00", nil, looks},
		{"2020-10-25 01:00,2020-10-25 02:00,2020-10-25 02:00", zone("Europe/Amsterdam"), ", where the clocks of Europe/Amsterdam go back and an hour comes twice"},
		{"2020-10-25 02:45,2020-10-25 02:00", zone("Europe/Amsterdam"), ", where the clocks of Europe/Amsterdam go back and an hour comes twice"},
		{"2020-11-01 01:30,2020-11-01 01:00", zone("America/New_York"), ", where the clocks of America/New_York go back and an hour comes twice"},
		{"2020-04-05 01:59,2020-04-05 01:30", zone("Australia/Lord_Howe"), ", where the clocks of Australia/Lord_Howe go back and an hour comes twice"},
		// Another place, day, hour, step or way back.
		{"2020-10-25 01:00,2020-10-25 02:00,2020-10-25 02:00", zone("America/New_York"), "repeats the time of line 3"},
		{"2020-10-25 00:00,2020-10-25 01:00,2020-10-25 01:00", zone("Europe/Amsterdam"), "repeats the time of line 3"},
		{"2020-10-18 01:00,2020-10-18 02:00,2020-10-18 02:00", nil, "repeats the time of line 3"},
		{"2020-10-24 01:00,2020-10-24 02:00,2020-10-24 02:00", nil, "repeats the time of line 3"},
		{"2020-10-25 11:00,2020-10-25 12:00,2020-10-25 12:00", nil, "repeats the time of line 3"},
		{"2020-10-24,2020-10-25,2020-10-25", nil, "repeats the time of line 3"},
		{"2020-10-25 02:00,2020-10-25 02:00", nil, "repeats the time of line 2"},
		{"2020-10-25 02:00,2020-10-25 03:00,2020-10-25 02:00", nil, "is earlier than the time of line 3"},
		{"2020-10-25T01:00Z,2020-10-25T02:00Z,2020-10-25T02:00Z", nil, "repeats the time of line 3"},
		{"2020-10-25T01:00+02:00,2020-10-25T02:00+02:00,2020-10-25T02:00+02:00", zone("Europe/Amsterdam"), "repeats the time of line 3"},
		{"1603584000,1603587600,1603587600", nil, "repeats the time of line 3"},
	} {
		rows := strings.Split(c.times, ",")
		_, err := Read(strings.NewReader("time,x\n"+strings.Join(rows, ",1\n")+",1\n"), "", CSV{Location: c.loc})
		var cell *CellError
		if !errors.As(err, &cell) || !strings.HasSuffix(cell.Problem, c.problem) {
			t.Errorf("%s in %v: %v", c.times, c.loc, err)
			continue
		}
		if twice := strings.Contains(c.problem, "twice"); twice != strings.Contains(cell.Cure, "write the times in UTC") {
			t.Errorf("%s in %v: the cure is %s", c.times, c.loc, cell.Cure)
		}
		if c.loc != nil || strings.HasPrefix(rows[0], "1") {
			continue
		}
		_, err = FromFrame(dataframe.New(series.New(rows, series.String, "time"), series.New(make([]float64, len(rows)), series.Float, "x")))
		if !errors.As(err, &cell) || strings.Contains(cell.Problem, looks) != strings.Contains(c.problem, looks) || strings.Contains(cell.Problem, looks) != strings.Contains(cell.Cure, "write the times in UTC") {
			t.Errorf("%s in a data frame: %v", c.times, err)
		}
	}
	// The cure reads.
	if s := read(t, "time,x\n2020-10-25T02:00:00+02:00,1\n2020-10-25T02:00:00+01:00,2\n", CSV{}); s.Step() != time.Hour {
		t.Errorf("a step of %v", s.Step())
	}
}

// TestOnceOfTwice: an hour that comes twice and stands once is read, and a note says as which; times that
// name their zone, or come once, have none.
func TestOnceOfTwice(t *testing.T) {
	rows := func(format string, clocks ...string) string {
		text := "time,x\n"
		for i, c := range clocks {
			text += strings.Replace(format, "@", c, 1) + fmt.Sprintf(",%d\n", i)
		}
		return text
	}
	berlin := []string{"00:30", "01:30", "02:30", "03:30", "04:30"}
	for _, c := range []struct{ file, zone, want string }{
		{rows("2020-10-25 @", berlin...), "Europe/Berlin", "1 time stands once in the hour that comes twice, where the clocks of Europe/Berlin go back: 2020-10-25 02:30 is read as the second of the two, 02:30 +01:00, and the other is missing"},
		{rows("2020-10-25 @", "01:30", "02:00", "02:30", "03:00"), "Europe/Berlin", "2 times stand once in the hour that comes twice, where the clocks of Europe/Berlin go back: 2020-10-25 02:00 is read as the second"},
		{rows("2020-11-01 @", "00:30", "01:30", "02:30"), "America/New_York", "2020-11-01 01:30 is read as the first of the two, 01:30 -04:00, and the other"},
		{rows("2020-10-24 @", berlin...), "Europe/Berlin", ""},
		{rows("2020-10-25 @", "00:30", "01:30", "03:30"), "Europe/Berlin", ""},
		{rows("2020-10-25 @", berlin...), "UTC", ""},
		{rows("2020-10-25T@+01:00", "00:30", "01:30", "02:30", "03:30"), "Europe/Berlin", ""},
	} {
		loc, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		s, err := Read(strings.NewReader(c.file), "hours", CSV{Location: loc})
		if err != nil {
			t.Errorf("%s: %v", c.zone, err)
			continue
		}
		got := ""
		for _, n := range s.Notes() {
			if strings.Contains(n.Text, "comes twice") {
				got = n.Text
			}
		}
		if c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%q in %s: %q", c.file, c.zone, got)
		}
	}
}
