package datasets

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// start settles which fields are times, numbers and conditions. It sees the first
// rows, since columns may turn out to hold times.
func (t *table) start() error {
	for _, name := range slices.Sorted(maps.Keys(t.Where)) {
		i, err := t.field(name, "CSV.Where")
		if err != nil {
			return err
		}
		t.where = append(t.where, condition{i, strings.TrimSpace(t.Where[name])})
	}
	for k, name := range t.by {
		i, err := t.field(name, "the columns of ReadGroups")
		if err != nil {
			return err
		}
		if slices.Contains(t.by[:k], name) {
			return fmt.Errorf("datasets: ReadGroups names %s twice; name it once", inline(name))
		}
		t.groupBy = append(t.groupBy, i)
	}
	if err := t.findTimes(t.sample()); err != nil {
		return err
	}
	if err := t.findNumbers(); err != nil {
		return err
	}
	return t.findRanges()
}

// sample returns rows read ahead that belong to one series: to the one that is read
// if there are twenty of it, since in a file that stacks several it may begin later,
// or else to the one that has most.
func (t *table) sample() (rows []row) {
	wanted := ""
	for _, c := range t.where {
		wanted += c.text + "\x00"
	}
	parts := map[string][]row{}
	var order []string
	for _, r := range t.head {
		if len(r.fields) != len(t.header) {
			break // add will say so
		}
		key := ""
		for _, c := range t.where {
			key += strings.TrimSpace(r.fields[c.field]) + "\x00"
		}
		isWanted := key == wanted
		for _, f := range t.groupBy {
			key += strings.TrimSpace(r.fields[f]) + "\x00"
		}
		if parts[key] == nil {
			order = append(order, key)
		}
		parts[key] = append(parts[key], r)
		if isWanted && len(parts[key]) >= 20 {
			rows = parts[key]
		}
	}
	if len(rows) > 0 {
		return rows
	}
	for _, key := range order {
		if n := len(parts[key]); n > len(rows) || n == len(rows) && wanted != "" && strings.HasPrefix(key, wanted) {
			rows = parts[key]
		}
	}
	return rows
}

// findNumbers settles which fields are read as numbers.
func (t *table) findNumbers() error {
	if len(t.Columns) == 0 {
		for i := range t.header {
			if !t.isTaken(i) && !slices.Contains(t.time, i) {
				t.fields = append(t.fields, i)
			}
		}
	}
	seen := map[string]bool{}
	for _, name := range t.Columns {
		i, err := t.field(name, "CSV.Columns")
		if err != nil {
			return err
		}
		if seen[name] {
			return fmt.Errorf("datasets: CSV.Columns names %s twice; name it once", inline(name))
		}
		seen[name] = true
		t.fields = append(t.fields, i)
	}
	if len(t.fields) == 0 {
		return t.fail(0, "", "", fmt.Sprintf("has no column of numbers beside %s", list(t.header)),
			"to read a column of times as numbers, name it in CSV.Columns")
	}
	t.signed = make([]bool, len(t.fields))
	t.points = points{on: t.Comma == ';' && t.Decimal == 0 && t.Thousands == 0, columns: make([]pointed, len(t.fields))}
	t.beyond = make([]int, len(t.fields))
	return nil
}

// findRanges settles the ranges and differences of the fields that are read.
func (t *table) findRanges() error {
	var names []string
	place := map[string]int{}
	for j, f := range t.fields {
		names = append(names, t.header[f])
		place[t.header[f]] = j
	}
	t.ranges = make([][2]float64, len(names))
	for j := range t.ranges {
		t.ranges[j] = [2]float64{math.NaN(), math.NaN()}
	}
	t.deltas = make([]bool, len(names))
	unread := func(name, option string) error {
		return t.fail(0, "", "", fmt.Sprintf("column %s of %s is not read", inline(name), option), fmt.Sprintf("%s may name %s", option, list(names)))
	}
	for _, name := range slices.Sorted(maps.Keys(t.Range)) {
		j, ok := place[name]
		if !ok {
			return unread(name, "CSV.Range")
		}
		t.ranges[j] = t.Range[name]
	}
	for _, name := range t.Differences {
		j, ok := place[name]
		if !ok {
			return unread(name, "CSV.Differences")
		}
		t.deltas[j] = true
	}
	return nil
}
