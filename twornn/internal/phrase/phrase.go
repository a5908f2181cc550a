// Package phrase writes counts, lists, sizes and lines for people.
package phrase

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Count returns "1 state", "2 states", "3 queries".
func Count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if stem, ok := strings.CutSuffix(what, "y"); ok && !strings.HasSuffix(stem, "a") { // not days
		what = stem + "ie"
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// List returns "2, 4 and 5".
func List(ls []int) string {
	s := strings.Trim(strings.ReplaceAll(fmt.Sprint(ls), " ", ", "), "[]")
	if i := strings.LastIndex(s, ", "); i >= 0 {
		s = s[:i] + " and" + s[i+1:]
	}
	return s
}

// Bytes returns "4 GB", "12.5 MB".
func Bytes(n float64) string {
	for _, u := range []struct {
		size float64
		name string
	}{{1e12, "TB"}, {1e9, "GB"}, {1e6, "MB"}} {
		if n >= u.size {
			return fmt.Sprintf("%.3g %s", n/u.size, u.name)
		}
	}
	return fmt.Sprintf("%.3g kB", n/1e3)
}

// Wrap breaks a line at blanks so that none is longer than width.
func Wrap(line string, width int, newline string) string {
	var b strings.Builder
	at := 0
	for i, word := range strings.Split(line, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case at+1+n > width:
			b.WriteString(newline)
			at = utf8.RuneCountInString(newline) - 1
		default:
			b.WriteString(" ")
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}
