package datasets

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
)

// A row of 100 MB, or a quote that is never closed, ends early with an error.
func TestLongRow(t *testing.T) {
	for _, head := range []string{"x,y\n1,", "x,y\n1,\"", "x,y\n1,\"2\n\n"} {
		r := &countReader{r: io.MultiReader(strings.NewReader(head), io.LimitReader(zeros{}, 100<<20))}
		_, err := Read(r, "f.csv", CSV{})
		if cell := (*CellError)(nil); !errors.As(err, &cell) || cell.Line != 2 || !strings.Contains(cell.Problem, "more than") {
			t.Errorf("%q: %v", head, err)
		}
		if r.n > 2*maxRecord {
			t.Errorf("%q: %d bytes were read", head, r.n)
		}
	}
	// A row just below the limit passes, after many others.
	long := strings.Repeat("1,2\n", 5000) + "3," + strings.Repeat(" ", maxRecord-100) + "4\n"
	if s := read(t, "x,y\n"+long, CSV{}); s.Len() != 5001 {
		t.Errorf("%d rows", s.Len())
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return copy(p, bytes.Repeat([]byte("0"), len(p))), nil }

type countReader struct {
	r io.Reader
	n int
}

func (c *countReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += n
	return n, err
}

// Whatever the file, Read returns: a sound series, or an error in one line.
func FuzzRead(f *testing.F) {
	for _, file := range []string{
		"date,x\n2020-01-01,1\n2020-01-02,\n", "a;b\n1,5;2\n", "\xEF\xBB\xBFx\r\n1\r\n", "x,\"y\nz\"\n\"1\",2\n",
		"time,x\n2020-01-01T00:00:00Z,1e308\n", "x\n\n", "\xFF\xFEx", "x,y\n1,\"", "x\n0x1\n", "x\n1\x00\n", "",
	} {
		f.Add([]byte(file), ',', '.', rune(0), "", "x")
	}
	f.Add([]byte("when;x\n2020-01-01;1.000,5\n"), ';', ',', '.', "when", "")
	f.Fuzz(func(t *testing.T, file []byte, comma, decimal, thousands rune, at, column string) {
		o := CSV{Comma: comma, Decimal: decimal, Thousands: thousands, Time: at, Missing: []string{column}}
		if column != "" && len(file)%2 == 0 {
			o.Columns = []string{column}
		}
		s, err := Read(bytes.NewReader(file), "f.csv", o)
		if err != nil {
			if s != nil || strings.ContainsAny(err.Error(), "\r\n\x00") || !strings.HasPrefix(err.Error(), "datasets: ") {
				t.Fatalf("the error is %q", err)
			}
			return
		}
		if s.Len() == 0 || len(s.columns) == 0 || len(s.columns) != len(s.values) || s.times != nil && len(s.times) != s.Len() {
			t.Fatalf("%d rows, %d columns, %d times", s.Len(), len(s.columns), len(s.times))
		}
		for _, v := range s.values {
			if len(v) != s.Len() || slices.ContainsFunc(v, func(x float64) bool { return math.IsInf(x, 0) }) {
				t.Fatalf("a column is %v", v)
			}
		}
		for i := 1; i < len(s.times); i++ {
			if !s.times[i].After(s.times[i-1]) {
				t.Fatalf("the times are %v", s.times)
			}
		}
		_ = s.String()
		for range s.Windows(Window{Length: 1}) {
		}
	})
}
