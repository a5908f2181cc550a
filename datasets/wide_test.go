package datasets

import (
	"strconv"
	"strings"
	"testing"
)

// TestWideTables: what is read, and what is done with it, grows like the number of columns
// and not like its square, which is seen by a test
// that ends: where each column looks at all others, 50,000 of them take half a minute a try.
func TestWideTables(t *testing.T) {
	const n = 50_000
	names := make([]string, n)
	for i := range names {
		names[i] = "c" + strconv.Itoa(i)
	}
	header := strings.Join(names, ",") + "\n"
	cells := func(text string) string { return strings.Repeat(text+",", n-1) + text + "\n" }
	for name, o := range map[string]CSV{"nothing set": {}, "columns": {Columns: names}, "differences": {Differences: names}, "units": {HeaderRows: 2}} {
		s, err := Read(strings.NewReader(header+cells("1")+cells("2")+cells("3")), "wide.csv", o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(s.Columns()) != n || len(s.String()) > 1<<24 {
			t.Errorf("%s: %d columns", name, len(s.Columns()))
		}
	}
	for name, text := range map[string]string{
		"no numbers":   header + cells("x"),
		"times":        header + cells("2020-01-01"),
		"no names":     strings.Repeat(",", n-1) + "\n" + cells("1"),
		"one name":     cells("a") + cells("1"),
		"ragged":       header + "1,2\n",
		"commas alone": strings.Repeat(",", n) + "\n",
		"quotes":       strings.Repeat(`"`, n),
		"parts":        "year" + strings.Repeat(",year_", n-1) + "\n" + cells("2020"),
	} {
		if s, err := Read(strings.NewReader(text), "wide.csv", CSV{}); err == nil || len(err.Error()) > 1000 {
			t.Errorf("%s: read as %d columns, or an error too long to read: %.100v", name, len(s.Columns()), err)
		}
	}
	for name, o := range map[string]CSV{"times": {Times: names}, "twice": {Columns: append(names, "c0")}, "absent": {Columns: append(names, "no")}} {
		if _, err := Read(strings.NewReader(header+cells("1")), "wide.csv", o); err == nil || len(err.Error()) > 1000 {
			t.Errorf("%s: %.100v", name, err)
		}
	}
	s, err := Read(strings.NewReader(header+cells("1")+cells("2")), "wide.csv", CSV{})
	if err != nil {
		t.Fatal(err)
	}
	back, err := FromFrame(s.Frame())
	if err != nil || len(back.Columns()) != n {
		t.Fatal(err)
	}
	if back, err = FromFrame(s.Frame(), names...); err != nil || len(back.Columns()) != n {
		t.Fatal(err)
	}
	if back, err = s.Select(names...); err != nil || len(back.Columns()) != n {
		t.Fatal(err)
	}
	values := make([][]float64, n)
	for i := range values {
		values[i] = []float64{1, 2}
	}
	sum := 0
	for q := range FromColumns(names, values...).Windows(Window{Length: 1, Horizon: 1, Targets: names}) {
		_, p := q.Y.Dims()
		sum += p
	}
	if sum != n {
		t.Errorf("%d outputs", sum)
	}
}
