package datasets

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// findTimes settles which fields hold the times and how they are read.
func (t *table) findTimes(rows []row) error {
	switch {
	case t.Time == NoTime:
		return nil
	case len(t.Times) > 0:
		var fields []int
		seen := make(map[string]bool, len(t.Times))
		for _, name := range t.Times {
			i, err := t.field(name, "CSV.Times")
			if err != nil {
				return err
			}
			if seen[name] {
				return fmt.Errorf("datasets: CSV.Times names %s twice; name it once", inline(name))
			}
			seen[name] = true
			fields = append(fields, i)
		}
		return t.joinTimes(rows, fields)
	case t.Time != "":
		i, err := t.field(t.Time, "CSV.Time")
		if err != nil {
			return err
		}
		if err := t.checkPartial(rows, i); err != nil {
			return err
		}
		return t.oneTime(rows, i)
	}
	return t.guessTimes(rows)
}

// guessTimes finds the times unasked, or refuses where it would have to guess.
func (t *table) guessTimes(rows []row) error {
	if len(rows) == 0 {
		return nil
	}
	looks := make([]look, len(t.header))
	var free, clocks []int // columns that may hold times, times of day
	for i, name := range t.header {
		if t.asked[name] || t.isTaken(i) {
			continue
		}
		looks[i] = t.lookAt(rows, i)
		if looks[i].clock {
			clocks = append(clocks, i)
		}
		if looks[i].isTime() {
			free = append(free, i)
		}
	}
	parts := t.parts(rows)
	if len(parts) > 1 {
		free = without(free, parts)
	}
	switch {
	case len(free) == 0 && len(parts) > 1:
		return t.joinParts(rows, parts)
	case len(free) == 0 && slices.Contains(clocks, 0) && looks[0].named:
		return t.clockOnly(0)
	case len(free) == 0:
		return nil
	}
	i := free[0]
	first := i == 0 && (looks[0].named || !looks[0].number) || slices.Contains(clocks, 0) && looks[i].isDay()
	if looks[i].isDay() && (t.TimeLayout == "" || !fits(t.TimeLayout, strings.TrimSpace(rows[0].fields[i]))) {
		switch hours := t.hours(rows, i); {
		case first && len(clocks) == 1:
			return t.joinTimes(rows, []int{i, clocks[0]})
		case first && len(clocks) == 0 && len(hours) == 1:
			return t.joinTimes(rows, []int{i, hours[0]})
		case len(clocks) > 0:
			return t.elsewhere(looks, i, clocks[0])
		case len(hours) > 0 && !first:
			return t.elsewhere(looks, i, hours[0])
		}
	}
	if !first || i != 0 {
		return t.elsewhere(looks, i, -1)
	}
	return t.oneTime(rows, 0)
}

// elsewhere refuses a file that has its times in another column than the first,
// since a series that lost them would have no gaps.
func (t *table) elsewhere(looks []look, i, clock int) error {
	name := t.header[i]
	problem := "seems to hold the times, which only the first column is taken for unasked"
	if i == 0 {
		problem = "seems to hold times, though its name does not say so"
	}
	if name == "" {
		problem = fmt.Sprintf("field %d of the header, without a name, %s", i+1, problem)
	}
	cure := "name it in CSV.Time"
	if clock >= 0 {
		cure = fmt.Sprintf("set CSV.Times to []string{%q, %q}", name, t.header[clock])
	}
	cure += ", or set CSV.Time to NoTime"
	if !looks[i].number || clock >= 0 {
		cure += " and CSV.Columns to the columns of numbers"
	}
	return t.fail(0, name, "", problem, cure)
}

// checkPartial refuses to take field i alone for the times if it holds but a part of
// them: days that repeat, times of day, or a year beside months.
func (t *table) checkPartial(rows []row, i int) error {
	if t.TimeLayout != "" || len(rows) < 2 {
		return nil
	}
	refuse := func(fields ...int) error {
		var quoted []string
		for _, f := range fields {
			quoted = append(quoted, fmt.Sprintf("%q", t.header[f]))
		}
		return t.fail(0, t.header[i], "", "holds but a part of the times", fmt.Sprintf("set CSV.Times to []string{%s}", strings.Join(quoted, ", ")))
	}
	repeats := strings.TrimSpace(rows[0].fields[i]) == strings.TrimSpace(rows[1].fields[i])
	if parts := t.chain(t.parts(rows)); len(parts) > 1 && slices.Contains(parts, i) {
		return refuse(parts...)
	}
	l := t.lookAt(rows, i)
	for k := range t.header {
		if k == i || t.isTaken(k) || !l.clock && !(l.isDay() && repeats) {
			continue
		}
		switch other := t.lookAt(rows, k); {
		case l.clock && other.isDay() && (other.named || other.sure):
			return refuse(k, i)
		case !l.clock && other.clock:
			return refuse(i, k)
		}
	}
	if hours := t.hours(rows, i); l.isDay() && len(hours) > 0 {
		return refuse(i, hours[0])
	}
	return nil
}

// hours returns the columns of whole hours beside days that repeat, or that a layout
// takes for part of the times.
func (t *table) hours(rows []row, day int) (found []int) {
	if t.TimeLayout == "" && (len(rows) < 2 || strings.TrimSpace(rows[0].fields[day]) != strings.TrimSpace(rows[1].fields[day])) {
		return nil
	}
	for i, name := range t.header {
		if partOf(name) == hourPart && i != day && !t.isTaken(i) && !slices.ContainsFunc(t.texts(rows, i), func(text string) bool {
			h, err := strconv.Atoi(text)
			return err != nil || h < 0 || h > 24
		}) {
			found = append(found, i)
		}
	}
	return found
}

// without returns the fields that are not among others.
func without(fields, others []int) []int {
	out := make(map[int]bool, len(others))
	for _, i := range others {
		out[i] = true
	}
	return slices.DeleteFunc(fields, func(i int) bool { return out[i] })
}
