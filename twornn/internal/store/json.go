package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

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
			where = kind.Field
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
