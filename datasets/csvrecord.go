package datasets

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
)

// read returns the next record, which is valid until the next call.
func (t *table) read() ([]string, error) {
	t.guard.left = maxRecord
	record, err := t.csv.Read()
	var syntax *csv.ParseError
	switch {
	case err == nil || err == io.EOF:
		return record, err
	case errors.As(err, &syntax):
		cure := `in a field with quotes, every quote is doubled and quotes begin and end the field`
		return nil, t.fail(syntax.StartLine, "", "", "has a stray quote", cure)
	}
	return nil, t.broken(err)
}

// broken returns the error of a reader that cannot go on.
func (t *table) broken(err error) error {
	if err == errLongRecord {
		line := t.endLine + 1
		return t.fail(line, "", "", fmt.Sprintf("has a row of more than %d bytes", maxRecord),
			"if the file is a CSV file, look for a quote that is never closed, or for line ends that are CR alone")
	}
	return fmt.Errorf("datasets: %s: %w", inline(t.name), err)
}

// checkEncoding removes the mark of UTF-8, also if it is doubled, and refuses UTF-16,
// marked or not, and what is compressed.
func (t *table) checkEncoding(b *bufio.Reader) error {
	for {
		head, err := b.Peek(4)
		if len(head) == 0 && err != nil && err != io.EOF {
			return t.broken(err)
		}
		starts := func(with string) bool { return bytes.HasPrefix(head, []byte(with)) }
		switch {
		case starts("\xFF\xFE"), starts("\xFE\xFF"):
			return t.fail(0, "", "", "is written in UTF-16", "save it as UTF-8")
		case starts("\x1F\x8B"), starts("PK\x03\x04"):
			return t.fail(0, "", "", "is compressed", "unpack it, or give Read what compress/gzip or archive/zip unpacks")
		case starts(mark):
			if _, err := b.Discard(len(mark)); err != nil {
				return t.broken(err)
			}
		case bytes.IndexByte(head, 0) >= 0:
			return t.fail(0, "", "", "holds zero bytes, as UTF-16 does and text in UTF-8 does not", "save it as UTF-8")
		default:
			return nil
		}
	}
}

// mark is the byte order mark of UTF-8.
const mark = "\uFEFF"

// loneCR is what is wrong with a file of an old Mac, and the cure.
const loneCR, loneCRCure = "has line ends that are CR alone", "save it with LF or CR LF"

// maxRecord limits a row, so that a quote that is never closed does not pull a
// whole file into memory.
const maxRecord = 4 << 20

var errLongRecord = errors.New("row too long")

// guard passes on at most left bytes; the table refills it before each record.
type guard struct {
	r    io.Reader
	left int
}

func (g *guard) Read(p []byte) (int, error) {
	if g.left <= 0 {
		return 0, errLongRecord
	}
	n, err := g.r.Read(p[:min(len(p), g.left)])
	g.left -= n
	return n, err
}
