package datasets

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// numbers reads cells as numbers. The rules are stricter than strconv's, because
// a guess that is wrong once in a file spoils a model without a trace.
type numbers struct {
	decimal, thousands string // signs; thousands may be empty
	missing            []string
	markers            []float64 // those of missing that are numbers
}

// newNumbers returns a reader with the given signs, zero meaning '.' and none.
func newNumbers(decimal, thousands rune, missing []string) (numbers, error) {
	if decimal == 0 {
		decimal = '.'
	}
	c := numbers{decimal: string(decimal)}
	if thousands != 0 {
		c.thousands = string(thousands)
	}
	// These would make a number readable in two ways.
	const taken = "0123456789+-eE\"\r\n"
	switch {
	case strings.ContainsRune(taken, decimal):
		return c, fmt.Errorf("datasets: CSV.Decimal is %q; it must be no digit, sign, e or quote", decimal)
	case strings.ContainsRune(taken, thousands):
		return c, fmt.Errorf("datasets: CSV.Thousands is %q; it must be no digit, sign, e or quote", thousands)
	case decimal == thousands:
		return c, fmt.Errorf("datasets: CSV.Decimal and CSV.Thousands are both %q; they must differ", decimal)
	}
	for _, m := range missing {
		m = strings.TrimSpace(m)
		c.missing = append(c.missing, m)
		// -99 and -99.0 are one number. The sign of the file goes before a point.
		plain, ok := c.plain(m)
		if !ok {
			plain, ok = numbers{decimal: "."}.plain(m)
		}
		if v, err := strconv.ParseFloat(plain, 64); ok && err == nil {
			c.markers = append(c.markers, v)
		}
	}
	return c, nil
}

// isSheetError reports whether text is what a spreadsheet writes where a cell has no value: #N/A, #DIV/0!,
// #VALUE!, #REF!, #NAME?, #NUM!, #NULL! and the like, in other languages too.
func isSheetError(text string) bool {
	rest, ok := strings.CutPrefix(text, "#")
	if !ok {
		return false
	}
	switch rest {
	case "N/A", "NV", "N/B", "N/D", "I/T": // English, German, Dutch, Italian, Danish
		return true
	}
	name := strings.TrimRight(rest, "!?")
	first, _ := utf8.DecodeRuneInString(name)
	return len(name) == len(rest)-1 && unicode.IsUpper(first) && !strings.ContainsFunc(name, func(c rune) bool {
		return !unicode.IsUpper(c) && !unicode.IsDigit(c) && c != '/' && c != '_'
	})
}

// isMissing reports whether text, trimmed, marks a missing value.
func (c numbers) isMissing(text string) bool {
	switch len(text) {
	case 0:
		return true
	case 2, 3, 4:
		if strings.EqualFold(text, "NA") || strings.EqualFold(text, "NaN") || strings.EqualFold(text, "null") {
			return true
		}
	}
	if isSheetError(text) {
		return true
	}
	for _, m := range c.missing {
		if strings.EqualFold(text, m) {
			return true
		}
	}
	return false
}

var errNoNumber, errTooLarge = errors.New("no number"), errors.New("too large")

// parse returns the value of a cell, NaN if it is missing.
func (c numbers) parse(text string) (float64, error) {
	text = strings.TrimSpace(text)
	if c.isMissing(text) {
		return math.NaN(), nil
	}
	plain, ok := c.plain(text)
	if !ok {
		return 0, errNoNumber
	}
	v, err := strconv.ParseFloat(plain, 64)
	if err != nil {
		// The syntax was checked, so the value is out of range.
		return 0, errTooLarge
	}
	if len(c.markers) > 0 && slices.Contains(c.markers, v) {
		return math.NaN(), nil
	}
	return v, nil
}

// plain returns text with a decimal point and no thousands signs, and whether it
// is a decimal number at all: sign, digits in whole groups of three if they are
// grouped, decimal sign, digits, exponent. Nobody groups the digits of 0.234 or of
// 1.234e5: there the sign is a decimal sign, and 234 or 1.234e8 would be wrong.
func (c numbers) plain(text string) (string, bool) {
	sign, rest := "", text
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		sign, rest = rest[:1], rest[1:]
	}
	mantissa, exponent := rest, ""
	if i := strings.IndexAny(rest, "eE"); i >= 0 {
		mantissa, exponent = rest[:i], rest[i:]
		power := exponent[1:]
		if power != "" && (power[0] == '+' || power[0] == '-') {
			power = power[1:]
		}
		if power == "" || !allDigits(power) {
			return "", false
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, c.decimal)
	grouped := c.thousands != "" && strings.Contains(whole, c.thousands)
	if grouped {
		if exponent != "" || whole[0] == '0' {
			return "", false
		}
		groups := strings.Split(whole, c.thousands)
		for i, g := range groups {
			if len(g) != 3 && (i > 0 || len(g) == 0 || len(g) > 3) {
				return "", false
			}
		}
		whole = strings.Join(groups, "")
	}
	if whole == "" && fraction == "" || !allDigits(whole) || !allDigits(fraction) {
		return "", false
	}
	if !grouped && c.decimal == "." {
		return text, true
	}
	return sign + whole + "." + fraction + exponent, true
}

// notUTF8 is what is wrong with text in another encoding, and the cure.
const notUTF8, notUTF8Cure = "is not UTF-8", "save the file as UTF-8, or set CSV.Latin1 if it is written in Latin-1 or by Windows"

// explain returns what is wrong with a text that parse refused, and the cure.
// signed says that the column has had numbers with the decimal sign before.
func (c numbers) explain(text string, err error, signed bool) (problem, cure string) {
	text = strings.TrimSpace(text)
	if !utf8.ValidString(text) {
		return notUTF8, notUTF8Cure
	}
	if err == errTooLarge {
		return "is too large for a number", "mend the file, or add it to CSV.Missing to count it as missing"
	}
	bare := strings.TrimLeft(strings.ToLower(text), "+-")
	if bare == "inf" || bare == "infinity" || bare == "∞" || bare == "1.#inf" {
		return "is infinite", "mend the file, or add it to CSV.Missing to count it as missing"
	}
	if len(layoutsOf([]string{text})) > 0 {
		return "is a time, no number", "set CSV.Time to this column, or leave it out with CSV.Columns"
	}
	if isClock(text) {
		return "is a time of day, no number", "name its column after that of the days in CSV.Times, or leave it out with CSV.Columns"
	}
	other := map[string]string{".": ",", ",": "."}[c.decimal]
	if other == "" || !strings.Contains(text, other) {
		return "is no number", "if it means missing, add it to CSV.Missing; if the column is text, name the others in CSV.Columns, or pick rows by it with CSV.Where; if it is a time, name it in CSV.Time, with CSV.TimeLayout"
	}
	_, isDecimal := numbers{decimal: other}.plain(text)
	_, isGrouped := numbers{decimal: c.decimal, thousands: other}.plain(text)
	sign := map[string]string{",": "comma", ".": "point"}
	switch {
	case isDecimal && signed && !isGrouped:
		return "is no number", fmt.Sprintf("the rows before have a decimal %s; the file mixes decimal signs, make them one", sign[c.decimal])
	case isDecimal && signed:
		return "is no number", fmt.Sprintf("the rows before have a decimal %s; thousands sign? set CSV.Thousands to '%s'; if the file mixes decimal signs, make them one", sign[c.decimal], other)
	case isDecimal && isGrouped:
		return "is no number", fmt.Sprintf("decimal %s? set CSV.Decimal to '%s'; thousands sign? set CSV.Thousands to '%s'", sign[other], other, other)
	case isDecimal:
		return "is no number", fmt.Sprintf("decimal %s? set CSV.Decimal to '%s'", sign[other], other)
	case isGrouped:
		return "is no number", fmt.Sprintf("thousands sign? set CSV.Thousands to '%s'", other)
	}
	return "is no number", "set CSV.Decimal and CSV.Thousands to the signs of the file"
}
