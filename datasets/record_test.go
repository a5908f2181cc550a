package datasets

import (
	"bytes"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

// A row of 100 MB, or a quote that is never closed, ends early with an error.
func TestLongRow(t *testing.T) {
	for _, head := range []string{"x,y\n1,", "x,y\n1,\"", "x,y\n1,\"2\n\n"} {
		r := &countReader{r: io.MultiReader(strings.NewReader(head), io.LimitReader(zeros{}, 100<<20))}
		_, err := Read(r, "f.csv", CSV{})
		if cell := (*CellError)(nil); !errors.As(err, &cell) || cell.Line != 2 || cell.Problem != "has a row of more than 4 MiB, the limit of one" || !strings.Contains(cell.Cure, "a quote that is never closed") || !strings.Contains(cell.Cure, "put its columns into several files") {
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

// TestSheetErrors: what a spreadsheet writes where a cell has no value is a missing value, and in the
// first column begins no comment. What looks like it but is none begins one, and so does all above the
// header.
func TestSheetErrors(t *testing.T) {
	for _, text := range []string{"#N/A", "#DIV/0!", "#VALUE!", "#REF!", "#NAME?", "#NUM!", "#NULL!", "#NV", "#ÜBERLAUF!", "#N/A "} {
		for _, o := range []CSV{{}, {Comma: ';'}, {Comma: ' '}, {Names: []string{"a", "b"}}} {
			comma := ","
			if o.Comma != 0 {
				comma = string(o.Comma)
			}
			file := strings.ReplaceAll("# N/A,1\n#1,2\na,b\n"+text+",2\n#N/A: missing\n#n/a,3\n#1!5,3\n3,"+text+"\n", ",", comma)
			if len(o.Names) > 0 {
				file = file[strings.Index(file, text):]
			}
			s := read(t, file, o)
			if a, b := column(t, s, "a"), column(t, s, "b"); len(a) != 2 || !math.IsNaN(a[0]) || a[1] != 3 || b[0] != 2 || !math.IsNaN(b[1]) {
				t.Errorf("%q with %q: %v, %v", text, comma, a, b)
			}
			if m := s.Missing(); m[0] != 1 || m[1] != 1 {
				t.Errorf("%q with %q: %v are missing", text, comma, m)
			}
		}
	}
	// Who says that comments begin so is heard.
	if s := read(t, "a,b\n#N/A,2\n3,4\n5,6\n", CSV{Comment: "#N/A"}); s.Len() != 2 {
		t.Errorf("%d rows beside a comment", s.Len())
	}
	if _, err := Read(strings.NewReader("date,b\n2020-01-01,2\n#N/A,3\n2020-01-03,5\n"), "", CSV{}); err == nil || !strings.Contains(err.Error(), `line 3, column date: "#N/A" is no time`) {
		t.Errorf("a time: %v", err)
	}
}
