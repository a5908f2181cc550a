package experiment

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/twornn/spectral/twornn/internal/store"
)

// formatVersion is raised when the same description comes to mean another run: other
// data, another score.
const formatVersion = "v1"

// cache keeps rows by their keys in a file of JSON lines, which only grows.
type cache struct {
	rows    map[string]Row
	dropped int
	file    *os.File // nil without a file
}

// entry is a line of the file. Its MSE, ZeroMSE and TrainMSE stand before those of Row
// in JSON, which has no infinities of its own.
type entry struct {
	Key string
	Row
	MSE, ZeroMSE, TrainMSE *number
	SHA256                 *string `json:"sha256,omitempty"` // put there by store.Seal
}

// What is read of a cache: a row has some 500 bytes, and a grid thousands of rows.
const maxLine, maxCache = 1 << 16, 1 << 30

func openCache(path string) (*cache, error) {
	c := &cache{rows: map[string]Row{}}
	if path == "" {
		return c, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("experiment: cache: %w", err)
	}
	if err := c.readFile(path); err != nil {
		return nil, fmt.Errorf("experiment: cache: %w", err)
	}
	var err error
	c.file, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("experiment: cache: %w", err)
	}
	return c, nil
}

// readFile takes the rows of the file, if there is one.
func (c *cache) readFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is no regular file; name a file", path)
	case info.Size() > maxCache:
		return fmt.Errorf("%s has %d bytes, more than a cache may; remove it", path, info.Size())
	}
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return c.read(path, f)
}

// lineStart is what the lines of a cache begin with.
const lineStart = `{"Key":`

// read takes the rows that stand in lines of their own, and counts what it passes over: rows cut short,
// changed, or of another version. It errs at a line that is no beginning of a row, as another file has them.
func (c *cache) read(name string, r io.Reader) error {
	b := bufio.NewReaderSize(r, maxLine)
	for n := 1; ; n++ {
		line, long, err := b.ReadLine()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		line = bytes.TrimSpace(line)
		if begins := min(len(line), len(lineStart)); string(line[:begins]) != lineStart[:begins] {
			return fmt.Errorf("%s is no cache: line %d, %.40q, is no row that Run wrote; name another file, or remove that line", name, n, line)
		}
		if long {
			for long && err == nil {
				_, long, err = b.ReadLine()
			}
			c.dropped++
			continue
		}
		if len(line) == 0 {
			continue
		}
		if key, row, ok := parse(line); ok {
			c.rows[key] = row
		} else {
			c.dropped++
		}
	}
}

// parse reads a line: an entry with all of its scores, whose checksum is right, or which was written
// before there were any. What its key says must be what its row says.
func parse(line []byte) (string, Row, bool) {
	sealed, err := store.Open(line)
	if err != nil {
		return "", Row{}, false
	}
	var e entry
	in := json.NewDecoder(bytes.NewReader(line))
	in.DisallowUnknownFields()
	if in.Decode(&e) != nil || in.More() || e.SHA256 != nil && !sealed {
		return "", Row{}, false
	}
	if e.MSE == nil || e.ZeroMSE == nil || e.TrainMSE == nil || e.Err != "" {
		return "", Row{}, false
	}
	e.Row.MSE, e.Row.ZeroMSE, e.Row.TrainMSE = float64(*e.MSE), float64(*e.ZeroMSE), float64(*e.TrainMSE)
	said := strings.Contains(e.Key, fmt.Sprintf("task %q ", e.Task)) && strings.Contains(e.Key, e.Row.key())
	return e.Key, e.Row, said && strings.HasPrefix(e.Key, formatVersion)
}

// add appends a row in one write, which the system puts at the end of the file whoever
// else writes there. The line begins with a newline too, so that it stands alone after
// one that was cut short.
func (c *cache) add(key string, r Row) error {
	if c.file == nil {
		return nil
	}
	mse, zero, train := number(r.MSE), number(r.ZeroMSE), number(r.TrainMSE)
	line, err := json.Marshal(entry{key, r, &mse, &zero, &train, nil})
	if err == nil {
		var n int
		line = fmt.Appendf(nil, "\n%s\n", store.Seal(line))
		if n, err = c.file.Write(line); err == nil && n < len(line) {
			err = io.ErrShortWrite
		}
	}
	if err != nil {
		return fmt.Errorf("experiment: cache: %w", err)
	}
	return nil
}

// close closes the file, once.
func (c *cache) close() error {
	if c.file == nil {
		return nil
	}
	err := c.file.Close()
	c.file = nil
	return err
}

// number is a float64 whose JSON is a string where it is not finite.
type number float64

func (x number) MarshalJSON() ([]byte, error) {
	s := strconv.FormatFloat(float64(x), 'g', -1, 64)
	if v := float64(x); math.IsNaN(v) || math.IsInf(v, 0) {
		s = strconv.Quote(s)
	}
	return []byte(s), nil
}

func (x *number) UnmarshalJSON(b []byte) error {
	v, err := strconv.ParseFloat(string(bytes.Trim(b, `"`)), 64)
	*x = number(v)
	return err
}
