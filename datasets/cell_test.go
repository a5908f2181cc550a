package datasets

import (
	"math"
	"testing"
)

func TestNumbers(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		decimal, thousands rune
		missing            []string
		text               string
		want               float64
	}{
		{text: "1.5", want: 1.5},
		{text: " -2 ", want: -2},
		{text: "+3.", want: 3},
		{text: ".5", want: .5},
		{text: "1e3", want: 1000},
		{text: "-1.25E-2", want: -.0125},
		{text: "1e-999", want: 0},
		{text: "", want: nan},
		{text: "  ", want: nan},
		{text: "\u00a0NaN", want: nan},
		{text: "NAN", want: nan},
		{text: "na", want: nan},
		{text: "Null", want: nan},
		{text: " #N/A ", want: nan},
		{text: "#DIV/0!", want: nan},
		{text: "#NAME?", want: nan},
		{text: "#BEZUG!", want: nan},
		{text: "-", missing: []string{" - "}, want: nan},
		{text: "-999", missing: []string{"-999"}, want: nan},
		{text: "-999", want: -999},
		{text: "Inf", missing: []string{"inf"}, want: nan},
		{decimal: ',', text: "3,5", want: 3.5},
		{decimal: ',', text: "1,234", want: 1.234},
		{decimal: ',', text: "-1,5e2", want: -150},
		{thousands: ',', text: "1,234", want: 1234},
		{thousands: ',', text: "-1,234,567.5", want: -1234567.5},
		{thousands: ',', text: "1234.5", want: 1234.5},
		{thousands: ',', text: "0.5e3", want: 500},
		{decimal: ',', thousands: '.', text: "0,234", want: .234},
		{decimal: ',', thousands: '.', text: "1.234,5", want: 1234.5},
		{thousands: '\u00a0', text: "12\u00a0345", want: 12345},
	} {
		n, err := newNumbers(c.decimal, c.thousands, c.missing)
		if err != nil {
			t.Fatal(err)
		}
		v, err := n.parse(c.text)
		if err != nil || !same([]float64{v}, []float64{c.want}) {
			t.Errorf("%q with %q, %q is %v, %v; want %v", c.text, n.decimal, n.thousands, v, err, c.want)
		}
	}
}

// What strconv would take, what looks like an error of a spreadsheet, and what is half a number.
func TestNumbersRefused(t *testing.T) {
	for _, c := range []struct {
		decimal, thousands rune
		texts              []string
	}{
		{texts: []string{"0x1p-2", "0x10", "1_000", "Inf", "-inf", "+Infinity", "1e999", "-1e999", "e5", "1e", "1e+",
			".", "-", "+", "--1", "1-", "1.2.3", "1,5", "1 000", "5 m/s", "50%", "−1", "١", "1\x00", "#n/a", "#N/A!?", "#", "#!", "#VALUE", "#1!", "#NaN?", "true"}},
		{decimal: ',', texts: []string{"3.5", "1.234", "1.234,5", "1,2,3"}},
		// A lone 0, or an exponent, has no groups: the sign is a decimal sign.
		{decimal: ',', thousands: '.', texts: []string{"0.234", "00.234", "-0.500", "012.345", "1.234e5", "1.234,5E2"}},
		{thousands: ',', texts: []string{"1,23", "1234,567", ",123", "1,,234", "1,234,", "1.5,000", "1,234e1,0"}},
	} {
		n, err := newNumbers(c.decimal, c.thousands, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range c.texts {
			if v, err := n.parse(text); err == nil {
				t.Errorf("%q with %q, %q is %v, not refused", text, n.decimal, n.thousands, v)
			} else if problem, cure := n.explain(text, err, false); problem == "" || cure == "" {
				t.Errorf("%q: no explanation", text)
			}
		}
	}
}

func TestSignsThatClash(t *testing.T) {
	for _, c := range [][2]rune{{',', ','}, {0, '.'}, {'e', 0}, {'5', 0}, {0, '-'}, {'"', 0}} {
		if _, err := newNumbers(c[0], c[1], nil); err == nil {
			t.Errorf("signs %q are not refused", c)
		}
	}
}
