package datasets

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// TestComplete: what is missing comes back as rows without a value at the times that were
// taken out, for steps of the clock and of the calendar; what is there stays, and gaps are
// told with their number and place.
func TestComplete(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	date := func(year, month, day, hour int) time.Time {
		return time.Date(year, time.Month(month), day, hour, 0, 0, 0, time.UTC)
	}
	for name, c := range map[string]struct {
		o  CSV
		at func(i int) time.Time
	}{
		"hours":      {CSV{}, func(i int) time.Time { return date(2019, 1, 1, i) }},
		"days":       {CSV{}, func(i int) time.Time { return date(2019, 1, 1+i, 0) }},
		"local days": {CSV{Location: berlin}, func(i int) time.Time { return date(2019, 1, 1+i, 0) }},
		"months":     {CSV{}, func(i int) time.Time { return date(2019, 1+i, 1, 0) }},
		"month ends": {CSV{}, func(i int) time.Time { return date(2019, 2+i, 0, 0) }},
		"quarters":   {CSV{}, func(i int) time.Time { return date(2019, 1+3*i, 31, 0).AddDate(0, 0, -30) }},
		"years":      {CSV{}, func(i int) time.Time { return date(1700+i, 7, 2, 0) }},
	} {
		const n = 120
		whole := dated(t, n, c.o, c.at)
		var there []int
		for i := range n {
			if i != 7 && (i < 20 || i >= 23) && i != n-2 {
				there = append(there, i)
			}
		}
		s := dated(t, len(there), c.o, func(i int) time.Time { return c.at(there[i]) })
		g := s.Gaps()
		if g.Count != 3 || g.Rows != 5 || !g.First.Equal(whole.times[6]) || !g.After.Equal(whole.times[19]) || g.Uneven || g.Calendar {
			t.Errorf("%s: %+v", name, g)
		}
		if !strings.Contains(s.String(), "5 rows missing in 3 gaps, the first after "+short(whole.times[6])+", the longest of 3 between") {
			t.Errorf("%s: the gaps are not told: %v", name, s)
		}
		full, err := s.Complete()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if full.Len() != n || full.Gaps().Count != 0 || full.Step() != s.Step() || s.Len() != len(there) {
			t.Fatalf("%s: %v", name, full)
		}
		row := 0
		for i, at := range whole.times {
			x := full.values[0][i]
			if !full.times[i].Equal(at) {
				t.Fatalf("%s: row %d is of %v, want %v", name, i, full.times[i], at)
			}
			if is := row < len(there) && there[row] == i; is != !math.IsNaN(x) {
				t.Fatalf("%s: row %d is %v", name, i, x)
			} else if is {
				if x != s.values[0][row] {
					t.Fatalf("%s: row %d has changed", name, i)
				}
				row++
			}
		}
		if again, err := full.Complete(); err != nil || again != full {
			t.Errorf("%s: a series without gaps is not taken as it is: %v", name, err)
		}
		// Of a view too, and beyond its end.
		if view, err := s.Rows(5, 12).Complete(); err != nil || view.Len() != 8 {
			t.Errorf("%s: a view: %v, %v", name, view, err)
		}
		if got := s.Rows(0, 15).TimeAfter(3); !got.Equal(whole.times[18]) {
			t.Errorf("%s: three steps on it is %v, want %v", name, got, whole.times[18])
		}
	}
}

// TestUneven: times without a common step are told from those with gaps, and nothing is
// put in between; that a step is meant can be said.
func TestUneven(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	at := day(1)
	var times []time.Time
	for range 200 {
		at = at.Add(time.Duration(1+r.IntN(600)) * time.Minute)
		times = append(times, at)
	}
	s := dated(t, len(times), CSV{}, func(i int) time.Time { return times[i] })
	if !s.Gaps().Uneven || !strings.Contains(s.String(), "no common step") {
		t.Errorf("not told: %v", s)
	}
	found := false
	for _, n := range s.Notes() {
		found = found || n.Kind == UnevenTimes && n.Warning && strings.Contains(n.Text, "CSV.Step")
	}
	if !found {
		t.Errorf("no note: %v", s.Notes())
	}
	if _, err := s.Complete(); err == nil || !strings.Contains(err.Error(), "no common step") || !strings.Contains(err.Error(), "CSV.Step") {
		t.Errorf("completed: %v", err)
	}
	if got := s.TimeAfter(1); !got.IsZero() {
		t.Errorf("the next time is %v", got)
	}
	minutes := dated(t, len(times), CSV{Step: time.Minute}, func(i int) time.Time { return times[i] })
	full, err := minutes.Complete()
	if err != nil || full.Gaps().Count != 0 || minutes.Gaps().Uneven {
		t.Errorf("a step that is given: %v", err)
	}
	// A tenth of the rows is missing here and there: that is a step and gaps.
	var kept []time.Time
	for i := range 300 {
		if i == 0 || r.IntN(10) > 0 {
			kept = append(kept, day(1).AddDate(0, 0, i))
		}
	}
	if g := dated(t, len(kept), CSV{}, func(i int) time.Time { return kept[i] }).Gaps(); g.Uneven || g.Calendar || g.Count == 0 {
		t.Errorf("gaps here and there: %+v", g)
	}
	// Too much to put in is an error, not a program without memory.
	far := read(t, "time,x\n2000-01-01T00:00:00Z,1\n2000-01-01T00:00:01Z,1\n2099-01-01T00:00:00Z,1\n", CSV{Step: time.Second})
	if _, err := far.Complete(); err == nil || !strings.Contains(err.Error(), "too many") {
		t.Errorf("99 years of seconds: %v", err)
	}
}

// TestCalendar: nights and weekends without a row are a calendar, with a holiday or a
// failure in it too, and the time of what comes next passes over them.
func TestCalendar(t *testing.T) {
	weekdays := func(at time.Time) bool { return at.Weekday() != time.Saturday && at.Weekday() != time.Sunday }
	office := func(at time.Time) bool { return weekdays(at) && at.Hour() >= 8 && at.Hour() < 18 }
	for name, c := range map[string]struct {
		step  time.Duration
		from  time.Time
		opens func(at time.Time) bool
		next  time.Time // the first row after those of ten weeks
	}{
		"weekdays": {oneDay, time.Date(2020, 3, 2, 0, 0, 0, 0, time.UTC), weekdays, time.Date(2020, 5, 11, 0, 0, 0, 0, time.UTC)},
		"before":   {oneDay, time.Date(1960, 2, 29, 0, 0, 0, 0, time.UTC), weekdays, time.Date(1960, 5, 9, 0, 0, 0, 0, time.UTC)},
		"office":   {time.Hour, time.Date(2020, 3, 2, 8, 0, 0, 0, time.UTC), office, time.Date(2020, 5, 11, 8, 0, 0, 0, time.UTC)},
	} {
		var times []time.Time
		for at := c.from; at.Before(c.from.AddDate(0, 0, 70)); at = at.Add(c.step) {
			if c.opens(at) && at.YearDay() != 70 && at.YearDay() != 90 { // two holidays
				times = append(times, at)
			}
		}
		s := dated(t, len(times), CSV{}, func(i int) time.Time { return times[i] })
		if g := s.Gaps(); !g.Calendar || g.Uneven || !strings.Contains(s.String(), "days of the week that have no rows") {
			t.Errorf("%s: %v", name, s)
		}
		if got := s.TimeAfter(1); !got.Equal(c.next) {
			t.Errorf("%s: next is %v, want %v", name, got, c.next)
		}
		if got := s.TimeAfter(0); !got.Equal(times[len(times)-1]) {
			t.Errorf("%s: no step on it is %v", name, got)
		}
	}
}

// TestCalendarCure: the note on weekdays names what reads the rows without their gaps, and it does.
func TestCalendarCure(t *testing.T) {
	text := "date,x\n"
	for i := range 70 {
		if at := time.Date(2020, 3, 2+i, 0, 0, 0, 0, time.UTC); at.Weekday() != time.Saturday && at.Weekday() != time.Sunday {
			text += at.Format("2006-01-02") + ",1.5\n"
		}
	}
	if s := read(t, text, CSV{}); !strings.Contains(s.String(), "set CSV.Time to NoTime and CSV.Columns to the columns of numbers") {
		t.Error(s)
	}
	if s := read(t, text, CSV{Time: NoTime, Columns: []string{"x"}}); s.Len() != 50 || strings.Contains(s.String(), "gaps") {
		t.Error(s)
	}
}

// TestEmptyView: a view without rows has lost none.
func TestEmptyView(t *testing.T) {
	s := read(t, "date,x\n2020-01-01,1\n2020-01-02,2\n2020-01-03,3\n", CSV{}).Rows(0, 0)
	if notes := s.Notes(); len(notes) > 0 || strings.Contains(s.String(), "-1") {
		t.Error(s)
	}
}

// TestTimeAfterTheEnd: steps that lead beyond what times hold give the zero time, never one of the past,
// and at once.
func TestTimeAfterTheEnd(t *testing.T) {
	hourly := read(t, "time,x\n2020-01-01 00:00,1\n2020-01-01 01:00,2\n2020-01-01 02:00,3\n", CSV{})
	daily := read(t, "time,x\n2020-01-01,1\n2020-01-02,2\n2020-01-03,3\n", CSV{})
	yearly := read(t, "time,x\n2020-01-01,1\n2021-01-01,2\n2022-01-01,3\n", CSV{})
	for name, s := range map[string]*Series{"hourly": hourly, "daily": daily, "yearly": yearly} {
		for _, steps := range []int{10_000_001, 1 << 40, math.MaxInt} {
			if at := s.TimeAfter(steps); !at.IsZero() && at.Before(s.Times()[2]) || steps > 1<<39 && !at.IsZero() {
				t.Errorf("%s: %d steps ahead is %v", name, steps, at)
			}
		}
	}
	if at := hourly.TimeAfter(24 * 365 * 200); at.Year() != 2219 {
		t.Errorf("200 years ahead is %v", at)
	}
	if at := yearly.TimeAfter(1000); at.Year() != 3022 {
		t.Errorf("1000 years ahead is %v", at)
	}
}
