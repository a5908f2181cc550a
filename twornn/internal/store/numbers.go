package store

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// List calls each with the items of a JSON list, which must be valid, as they stand in it:
// nothing is allocated. It stops at an error and returns it.
func List(text []byte, each func(i int, item []byte) error) error {
	at := blank(text, 0)
	if at == len(text) || text[at] != '[' {
		return fmt.Errorf("%s stands where a list should", shown(text))
	}
	at++
	for i := 0; ; i++ {
		at = blank(text, at)
		if at < len(text) && text[at] == ']' && i == 0 {
			return nil
		}
		end := item(text, at)
		if end >= len(text) {
			return errors.New("a list breaks off")
		}
		if err := each(i, text[at:end]); err != nil {
			return err
		}
		if at = blank(text, end); at >= len(text) || text[at] != ',' {
			return nil
		}
		at++
	}
}

// Append adds the numbers of a JSON list to dst, which so grows with what is there and not
// with what a file claims. It errs on anything that is no finite number.
func Append(dst []float64, text []byte) ([]float64, error) {
	err := List(text, func(_ int, item []byte) error {
		if c := item[0]; c != '-' && (c < '0' || c > '9') {
			return fmt.Errorf("%s stands where a number should", shown(item))
		}
		v, err := strconv.ParseFloat(string(item), 64)
		if err != nil {
			return fmt.Errorf("%s is no number that can be held", shown(item))
		}
		dst = append(dst, v)
		return nil
	})
	return dst, err
}

// blank returns the place of the first byte from at on that is no blank.
func blank(text []byte, at int) int {
	for at < len(text) && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r') {
		at++
	}
	return at
}

// afterString returns the place after the string that begins at at.
func afterString(text []byte, at int) int {
	for at++; text[at] != '"'; at++ {
		if text[at] == '\\' {
			at++
		}
	}
	return at + 1
}

// item returns the place after the value that begins at at.
func item(text []byte, at int) int {
	depth, quoted := 0, false
	for ; at < len(text); at++ {
		switch c := text[at]; {
		case quoted && c == '\\':
			at++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case depth == 0 && (c == ',' || c == ']' || c == '}' || c == ' ' || c == '\t' || c == '\n' || c == '\r'):
			return at
		case c == ']' || c == '}':
			depth--
		}
	}
	return at
}

// shown is a text short enough for an error.
func shown(text []byte) string {
	const most = 20
	if len(text) == 0 {
		return "nothing"
	}
	if len(text) > most {
		return fmt.Sprintf("%q…", text[:most])
	}
	if strings.ContainsFunc(string(text), func(r rune) bool { return !strconv.IsPrint(r) }) {
		return fmt.Sprintf("%q", text)
	}
	return string(text)
}
