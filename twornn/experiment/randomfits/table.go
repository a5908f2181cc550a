package main

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
)

// counts are what a table tells of many fits.
type counts struct {
	fails                          map[string]int            // by kind
	byKind                         map[string]map[string]int // the same by what the data are like
	errors                         map[string]int            // by text
	fired, right                   map[string]int            // by warning
	quiet, quietGood, bad, stopped int
	slowest, latest, seconds       float64
}

func count(all []verdict) *counts {
	c := &counts{fails: map[string]int{}, byKind: map[string]map[string]int{}, errors: map[string]int{}, fired: map[string]int{}, right: map[string]int{}}
	for _, v := range all {
		c.add(v)
	}
	return c
}

func (c *counts) add(v verdict) {
	c.seconds += v.Seconds
	if v.Failure != "" {
		c.fails[v.Failure]++
		if c.byKind[v.Failure] == nil {
			c.byKind[v.Failure] = map[string]int{}
		}
		c.byKind[v.Failure][v.Inputs+", "+v.Target]++
	}
	if v.Error != "" {
		c.errors[kindOf(v.Error)]++
		return
	}
	worseThanRival := !(v.Model <= worse*min(v.Zero, v.Ridge)+rounding)
	if worseThanRival {
		c.bad++
	}
	if len(v.Warnings) == 0 {
		c.quiet++
		if !worseThanRival {
			c.quietGood++
		}
	}
	for k, ok := range v.Warnings {
		c.fired[k]++
		if ok {
			c.right[k]++
		}
	}
	c.slowest, c.latest = max(c.slowest, v.Seconds), max(c.latest, v.Late)
	if v.Stopped {
		c.stopped++
	}
}

// table returns the counts.
func table(all []verdict) string {
	var b strings.Builder
	c := count(all)
	fmt.Fprintf(&b, "%d random fits, %.2f s of the processor each in the mean\n\n", len(all), c.seconds/max(1, float64(len(all))))
	for _, f := range []struct{ kind, text string }{
		{"silent", "worse than 1.2 times a rival without a word"},
		{"cause", "errors whose cure does not help, or without one"},
		{"slow", "over 30 s"}, {"late", "late stops"}, {"NaN", "NaN"}, {"panic", "panics"},
	} {
		fmt.Fprintf(&b, "%-48s %6d\n", f.text, c.fails[f.kind])
		for _, k := range descending(c.byKind[f.kind]) {
			fmt.Fprintf(&b, "    %-44s %6d\n", k, c.byKind[f.kind][k])
		}
	}
	fmt.Fprintf(&b, "\n%d worse than a rival in all; %d without a warning, %d of them as good as the rivals\n", c.bad, c.quiet, c.quietGood)
	fmt.Fprintf(&b, "slowest %.1f s; latest stop %.2f s of %d tried\n\n", c.slowest, c.latest, c.stopped)
	fmt.Fprintf(&b, "%-16s %6s %6s %6s\n", "warning", "fired", "right", "share")
	for _, k := range descending(c.fired) {
		fmt.Fprintf(&b, "%-16s %6d %6d %5.0f%%\n", k, c.fired[k], c.right[k], 100*float64(c.right[k])/float64(c.fired[k]))
	}
	if len(c.errors) > 0 {
		fmt.Fprintln(&b, "\nerrors")
	}
	for _, k := range descending(c.errors) {
		fmt.Fprintf(&b, "%6d  %s\n", c.errors[k], k)
	}
	return b.String()
}

// descending returns the keys, the most frequent first.
func descending(counts map[string]int) []string {
	keys := slices.Sorted(maps.Keys(counts))
	sort.SliceStable(keys, func(i, j int) bool { return counts[keys[i]] > counts[keys[j]] })
	return keys
}
