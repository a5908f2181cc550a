package main

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
)

// table returns the counts.
func table(all []verdict) string {
	var b strings.Builder
	fails, byKind, errors := map[string]int{}, map[string]map[string]int{}, map[string]int{}
	right, wrong := map[string]int{}, map[string]int{}
	quiet, quietGood, bad, stopped := 0, 0, 0, 0
	var slowest, latest, seconds float64
	for _, v := range all {
		seconds += v.Seconds
		if v.Failure != "" {
			fails[v.Failure]++
			if byKind[v.Failure] == nil {
				byKind[v.Failure] = map[string]int{}
			}
			byKind[v.Failure][v.Inputs+", "+v.Target]++
		}
		if v.Error != "" {
			errors[kindOf(v.Error)]++
			continue
		}
		worseThanRival := !(v.Model <= worse*min(v.Zero, v.Ridge)+rounding)
		if worseThanRival {
			bad++
		}
		if len(v.Warnings) == 0 {
			quiet++
			if !worseThanRival {
				quietGood++
			}
		}
		for k, ok := range v.Warnings {
			if ok {
				right[k]++
			} else {
				wrong[k]++
			}
		}
		slowest, latest = max(slowest, v.Seconds), max(latest, v.Late)
		if v.Stopped {
			stopped++
		}
	}
	fmt.Fprintf(&b, "%d random fits, %.2f s of the processor each in the mean\n\n", len(all), seconds/max(1, float64(len(all))))
	for _, f := range []struct{ kind, text string }{
		{"silent", "worse than 1.2 times a rival without a word"},
		{"cause", "errors whose cure does not help, or without one"},
		{"slow", "over 30 s"}, {"late", "late stops"}, {"NaN", "NaN"}, {"panic", "panics"},
	} {
		fmt.Fprintf(&b, "%-48s %6d\n", f.text, fails[f.kind])
		for _, k := range descending(byKind[f.kind]) {
			fmt.Fprintf(&b, "    %-44s %6d\n", k, byKind[f.kind][k])
		}
	}
	fmt.Fprintf(&b, "\n%d worse than a rival in all; %d without a warning, %d of them as good as the rivals\n", bad, quiet, quietGood)
	fmt.Fprintf(&b, "slowest %.1f s; latest stop %.2f s of %d tried\n\n", slowest, latest, stopped)
	fmt.Fprintf(&b, "%-16s %6s %6s %6s\n", "warning", "fired", "right", "share")
	kinds := map[string]int{}
	for k, n := range right {
		kinds[k] += n
	}
	for k, n := range wrong {
		kinds[k] += n
	}
	for _, k := range descending(kinds) {
		fmt.Fprintf(&b, "%-16s %6d %6d %5.0f%%\n", k, kinds[k], right[k], 100*float64(right[k])/float64(kinds[k]))
	}
	if len(errors) > 0 {
		fmt.Fprintln(&b, "\nerrors")
	}
	for _, k := range descending(errors) {
		fmt.Fprintf(&b, "%6d  %s\n", errors[k], k)
	}
	return b.String()
}

// descending returns the keys, the most frequent first.
func descending(counts map[string]int) []string {
	keys := slices.Sorted(maps.Keys(counts))
	sort.SliceStable(keys, func(i, j int) bool { return counts[keys[i]] > counts[keys[j]] })
	return keys
}
