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

// Unmarshal is json.Unmarshal, with the place of what is wrong.
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
	if !errors.As(err, &syntax) {
		return err
	}
	if syntax.Error() == "unexpected end of JSON input" {
		return fmt.Errorf("it breaks off after %d bytes", len(text))
	}
	return fmt.Errorf("%w (byte %d)", err, syntax.Offset)
}
