package twornn

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// count returns "1 state", "2 states".
func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// areCombinations says of so many of the inputs that they are linear combinations of the others.
// mayStand says that they may not move, too.
func areCombinations(n, of int, mayStand bool) string {
	verb, stand := "are linear combinations", ", or do not move"
	if n == 1 {
		verb, stand = "is a linear combination", ", or does not move"
	}
	if !mayStand {
		stand = ""
	}
	return fmt.Sprintf("%d of the %d inputs %s of the others%s; the model is right where they keep to that: leave out what the others tell, or give data in which they move apart", n, of, verb, stand)
}

// list returns "2, 4 and 5".
func list(ls []int) string {
	s := strings.Trim(strings.ReplaceAll(fmt.Sprint(ls), " ", ", "), "[]")
	if i := strings.LastIndex(s, ", "); i >= 0 {
		s = s[:i] + " and" + s[i+1:]
	}
	return s
}

// wrap breaks a line at blanks so that none is longer than width.
func wrap(line string, width int, newline string) string {
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
