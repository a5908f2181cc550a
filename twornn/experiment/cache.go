package experiment

import (
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
	MSE, ZeroMSE, TrainMSE number
}

func openCache(path string) (*cache, error) {
	c := &cache{rows: map[string]Row{}}
	if path == "" {
		return c, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("experiment: cache: %w", err)
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("experiment: cache: %w", err)
	}
	for line := range bytes.Lines(text) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		var e entry
		if json.Unmarshal(line, &e) != nil || e.Key == "" {
			c.dropped++
			continue
		}
		e.Row.MSE, e.Row.ZeroMSE, e.Row.TrainMSE = float64(e.MSE), float64(e.ZeroMSE), float64(e.TrainMSE)
		c.rows[e.Key] = e.Row
	}
	c.file, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, fmt.Errorf("experiment: cache: %w", err)
	}
	return c, nil
}

// add appends a row in one write, which the system puts at the end of the file whoever
// else writes there. The line begins with a newline too, so that it stands alone after
// one that was cut short.
func (c *cache) add(key string, r Row) error {
	if c.file == nil {
		return nil
	}
	line, err := json.Marshal(entry{key, r, number(r.MSE), number(r.ZeroMSE), number(r.TrainMSE)})
	if err == nil {
		var n int
		line = fmt.Appendf(nil, "\n%s\n", line)
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
