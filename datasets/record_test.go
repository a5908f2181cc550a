package datasets

import (
	"bytes"
	"errors"
	"io"
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
