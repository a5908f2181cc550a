package experiment

import (
	"bytes"
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// cacheLine runs one row and returns the line that the cache keeps of it.
func cacheLine(t testing.TB) (line []byte, row Row) {
	path := filepath.Join(t.TempDir(), "cache.jsonl")
	g := Grid{Tasks: []Task{Addition()}, Methods: []Method{LeastSquares()}, Noises: []float64{0.1}, Sizes: []int{40}, Seeds: Seeds(1)}
	rows, err := Run(context.Background(), g, RunOptions{Cache: path})
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(text), rows[0]
}

// without returns a line of the time before checksums.
func without(line []byte) []byte {
	return append(bytes.Clone(line[:bytes.Index(line, []byte(`,"sha256":`))]), '}')
}

// TestDamagedCacheLines: a line with any bit changed, or cut, is the same row or none. One
// from before there were checksums counts if nothing of it is missing or says
// something else than its key.
func TestDamagedCacheLines(t *testing.T) {
	line, want := cacheLine(t)
	for i := range line {
		for bit := range 8 {
			flipped := bytes.Clone(line)
			flipped[i] ^= 1 << bit
			if _, row, ok := parse(flipped); ok && row != want {
				t.Fatalf("bit %d of byte %d changed: %v", bit, i, row)
			}
		}
		if _, _, ok := parse(line[:i]); ok {
			t.Fatalf("the first %d bytes are taken", i)
		}
	}
	old := string(without(line))
	if _, row, ok := parse([]byte(old)); !ok || row != want {
		t.Errorf("a row of the time before checksums is lost: %v", row)
	}
	for _, c := range [][2]string{{`,"MSE":`, `,"MSD":`}, {`"Method":"L`, `"Method":"M`}, {`"N":40`, `"N":41`}, {`"Seed":0`, `"Seed":1`},
		{`"Task":"`, `"Task":"x`}, {`"Key":"v1`, `"Key":"v2`}, {`"Noise":0.1`, `"Noise":0.2`}, {`,"Err":""`, `,"Err":"x"`}, {`,"N":`, `,"sha256":"00","N":`}} {
		text := strings.Replace(old, c[0], c[1], 1)
		if _, row, ok := parse([]byte(text)); ok || text == old {
			t.Errorf("%s is taken: %v", c[1], row)
		}
	}
}

// TestOtherFiles: a file that is no cache, or one with a line that is no row, is an error that says so,
// and left as it was.
func TestOtherFiles(t *testing.T) {
	line, _ := cacheLine(t)
	g := Grid{Tasks: []Task{Addition()}, Methods: []Method{LeastSquares()}, Noises: []float64{0.1}, Sizes: []int{40}, Seeds: Seeds(2)}
	for text, want := range map[string]string{
		"a,b\n1,2\n": `is no cache: line 1, "a,b", is no row`,
		"x":          `line 1, "x"`,
		"{}\n":       `line 1, "{}"`,
		string(line) + "\n\ngarbage\n\n" + string(line) + "\n": `line 3, "garbage"`,
		string(line) + "\n" + strings.Repeat("a", 2*maxLine):   `line 2, "aaaa`,
	} {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := Run(t.Context(), g, RunOptions{Cache: path})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "name another file") {
			t.Errorf("%.40q: %v", text, err)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != text {
			t.Errorf("%.40q became %.40q: %v", text, after, err)
		}
	}
}

// TestHostileCaches: what is no file is refused, long lines are passed over in bounded
// memory, and the rows between them are found.
func TestHostileCaches(t *testing.T) {
	for _, path := range []string{"/dev/zero", t.TempDir()} {
		if _, err := openCache(path); err == nil || !strings.Contains(err.Error(), "no regular file") {
			t.Errorf("%s: %v", path, err)
		}
	}
	line, want := cacheLine(t)
	c := &cache{rows: map[string]Row{}}
	long := lineStart + strings.Repeat("[", 1<<20)
	text := long + "\n" + string(line) + "\n{\n" + lineStart + "}\n" + lineStart + "null\n" + long[:maxLine]
	if err := c.read("cache", strings.NewReader(text)); err != nil || len(c.rows) != 1 || c.dropped != 5 {
		t.Errorf("%d rows, %d dropped: %v", len(c.rows), c.dropped, err)
	}
	for _, row := range c.rows {
		if row != want || math.IsNaN(row.MSE) {
			t.Error(row)
		}
	}
}

// Whatever a cache holds, reading returns, at most with the error that it is none, and rows are what their keys say.
func FuzzCache(f *testing.F) {
	line, _ := cacheLine(f)
	old := without(line)
	for _, seed := range [][]byte{line, old, nil, []byte("{}"), []byte("null"), bytes.Repeat([]byte("["), 1<<14), bytes.Repeat([]byte("a"), maxLine+1),
		bytes.Replace(old, []byte(`"MSE":`), []byte(`"MSE":null,"x":`), 1), bytes.Replace(old, []byte(`"MSE":`), []byte(`"MSE":"NaN","x":`), 1),
		bytes.Replace(old, []byte(`"N":40`), []byte(`"N":1e99`), 1), append(append(bytes.Clone(line), '\n'), line[:40]...)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c := &cache{rows: map[string]Row{}}
		if err := c.read("fuzz", bytes.NewReader(text)); err != nil && !strings.Contains(err.Error(), "is no cache") {
			t.Fatal(err)
		}
		for key, row := range c.rows {
			if row.Err != "" || !strings.Contains(key, row.key()) {
				t.Fatalf("%q: %v", key, row)
			}
		}
	})
}
