package datasets

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// dated returns a series with a row at each time that at gives.
func dated(t *testing.T, n int, o CSV, at func(i int) time.Time) *Series {
	t.Helper()
	var b strings.Builder
	b.WriteString("date,x\n")
	for i := range n {
		fmt.Fprintf(&b, "%s,%d\n", at(i).Format("2006-01-02 15:04"), i*i)
	}
	return read(t, b.String(), o)
}

// Months and years, and days where the clocks change, differ in length and are one
// step each: without gaps, every stretch is a window.
func TestCalendarSteps(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	date := func(year, month, day, hour int) time.Time {
		return time.Date(year, time.Month(month), day, hour, 0, 0, 0, time.UTC)
	}
	for name, c := range map[string]struct {
		o      CSV
		at     func(i int) time.Time
		want   string
		step   time.Duration
		months int
	}{
		"months":       {CSV{}, func(i int) time.Time { return date(2019, 1+i, 1, 0) }, "step 1 month", 0, 1},
		"middles":      {CSV{}, func(i int) time.Time { return date(2019, 1+i, 15, 9) }, "step 1 month", 0, 1},
		"month ends":   {CSV{}, func(i int) time.Time { return date(2019, 2+i, 0, 0) }, "step 1 month", 0, 1},
		"quarters":     {CSV{}, func(i int) time.Time { return date(2019, 1+3*i, 1, 0) }, "step 3 months", 0, 3},
		"quarter ends": {CSV{}, func(i int) time.Time { return date(2019, 4+3*i, 0, 0) }, "step 3 months", 0, 3},
		"years":        {CSV{}, func(i int) time.Time { return date(1700+i, 7, 2, 0) }, "step 12 months", 0, 12},
		"local months": {CSV{Location: berlin}, func(i int) time.Time { return date(2019, 1+i, 1, 0) }, "step 1 month by the clock of Europe/Berlin", 0, 1},
		"local days":   {CSV{Location: berlin}, func(i int) time.Time { return date(2019, 1, 1+i, 0) }, "step 24h by the clock of Europe/Berlin", oneDay, 0},
		"set days":     {CSV{Location: berlin, Step: oneDay}, func(i int) time.Time { return date(2019, 1, 1+i, 6) }, "step 24h by the clock of Europe/Berlin", oneDay, 0},
		"local weeks":  {CSV{Location: berlin}, func(i int) time.Time { return date(2019, 1, 1+7*i, 0) }, "step 168h by the clock of Europe/Berlin", 7 * oneDay, 0},
		"days":         {CSV{}, func(i int) time.Time { return date(2019, 1, 1+i, 0) }, "step 24h", oneDay, 0},
	} {
		const n = 400
		s := dated(t, n, c.o, c.at)
		if s.Step() != c.step || s.Gaps() != (Gaps{Step: c.step, Months: c.months}) || !strings.Contains(s.String(), c.want+"\nno gaps\n") {
			t.Errorf("%s: %v", name, s)
		}
		w := Window{Length: 3, Horizon: 2}
		if r, err := s.CountWindows(w); err != nil || r.Kept != n-4 {
			t.Errorf("%s: %v, %v", name, r, err)
		}
		if r, err := s.Between(s.times[7], s.times[100]).CountWindows(w); err != nil || r.Kept != 93-4 {
			t.Errorf("%s, a view: %v, %v", name, r, err)
		}
		// Two rows that are not there are a gap of two rows.
		hole := dated(t, n-2, c.o, func(i int) time.Time {
			if i >= 50 {
				i += 2
			}
			return c.at(i)
		})
		g := hole.Gaps()
		if g.Count != 1 || g.Rows != 2 || g.Irregular != 0 || !g.After.Equal(hole.times[49]) {
			t.Errorf("%s with a hole: %v", name, g)
		}
		if r, err := hole.CountWindows(w); err != nil || r.LostToGaps != 4 {
			t.Errorf("%s with a hole: %v, %v", name, r, err)
		}
	}

	// An hour that came twice and is there once is a gap, whatever the wall showed.
	autumn := dated(t, 10, CSV{Location: berlin}, func(i int) time.Time { return date(2019, 10, 26, 22+i) })
	if g := autumn.Gaps(); g.Step != time.Hour || g.Count != 1 || g.Rows != 1 {
		t.Errorf("autumn: %v", autumn)
	}

	// Hours, and days of 24 hours, go by no clock on a wall.
	for name, c := range map[string]struct {
		step time.Duration
		want string
	}{"hours": {time.Hour, ", step 1h\nno gaps"}, "days of UTC": {oneDay, ", step 24h\nno gaps"}} {
		var b strings.Builder
		b.WriteString("time,x\n")
		for i := range 300 * int(oneDay/c.step) {
			fmt.Fprintf(&b, "%s,1\n", date(2019, 1, 1, 0).Add(time.Duration(i)*c.step).Format(time.RFC3339))
		}
		if s := read(t, b.String(), CSV{Location: berlin}); !strings.Contains(s.String(), c.want) {
			t.Errorf("%s: %v", name, s)
		}
	}
}

// A day of the month, or a time of day, that differs once makes no months.
func TestNoMonths(t *testing.T) {
	for _, file := range []string{
		"date,x\n2020-01-01,1\n2020-02-01,1\n2020-03-02,1\n",
		"date,x\n2020-01-31,1\n2020-02-28,1\n2020-03-31,1\n", // the 29th is the last
		"date,x\n2020-01-01 00:00,1\n2020-02-01 00:00,1\n2020-03-01 01:00,1\n",
		"date,x\n2020-01-01,1\n",
	} {
		if s := read(t, file, CSV{}); s.Gaps().Months != 0 {
			t.Errorf("%q: %v", file, s)
		}
	}
}
