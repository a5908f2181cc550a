package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// longest is how many bytes of a text that holds a file's own words are told.
const longest = 200

// Brief returns the error, or where it quotes more of a file than anyone would read, its first words.
func Brief(err error) error {
	text := strings.ToValidUTF8(strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return -1
	}, err.Error()), "")
	if len(text) <= longest && text == err.Error() {
		return err
	}
	return errors.New(strings.ToValidUTF8(text[:min(len(text), longest)], "") + " …")
}

// article returns a kind of JSON value with its article.
func article(kind string) string {
	if strings.ContainsAny(kind[:1], "aeiou") {
		return "an " + kind
	}
	return "a " + kind
}

// Unmarshal is json.Unmarshal, with the place of what is wrong. An object with two entries of one name, of which
// json.Unmarshal takes the last, is an error.
func Unmarshal(text []byte, to any) error {
	if blank(text, 0) == len(text) {
		return errors.New("it is empty")
	}
	err := json.Unmarshal(text, to)
	var kind *json.UnmarshalTypeError
	if errors.As(err, &kind) {
		where := "it"
		if kind.Field != "" {
			where = Brief(errors.New(kind.Field)).Error()
		}
		return fmt.Errorf("%s holds %s in the place of another kind of value (byte %d)", where, article(kind.Value), kind.Offset)
	}
	var syntax *json.SyntaxError
	if err == nil {
		return single(text)
	}
	if !errors.As(err, &syntax) {
		return err
	}
	if syntax.Error() == "unexpected end of JSON input" {
		return fmt.Errorf("it breaks off after %d bytes", len(text))
	}
	return fmt.Errorf("%w (byte %d)", err, syntax.Offset)
}

// single errs if the text is an object, which must be valid, with two entries of one name in whatever case.
func single(text []byte) error {
	at := blank(text, 0)
	if text[at] != '{' {
		return nil
	}
	seen := map[string]bool{}
	for text[at] != '}' {
		at = blank(text, at+1)
		if text[at] == '}' {
			return nil // it has none
		}
		end := afterString(text, at)
		if name := text[at+1 : end-1]; len(name) < longest {
			key := strings.ToLower(string(name))
			if seen[key] {
				return fmt.Errorf("it has two entries %s (byte %d)", shown(name), at)
			}
			seen[key] = true
		}
		at = blank(text, blank(text, end)+1) // beyond the colon
		at = blank(text, item(text, at))
	}
	return nil
}
