package store

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Unmarshal is json.Unmarshal, with the place of what is wrong.
func Unmarshal(text []byte, to any) error {
	if blank(text, 0) == len(text) {
		return errors.New("it is empty")
	}
	err := json.Unmarshal(text, to)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	if syntax.Error() == "unexpected end of JSON input" {
		return fmt.Errorf("it breaks off after %d bytes", len(text))
	}
	return fmt.Errorf("%w (byte %d)", err, syntax.Offset)
}
