package beam

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	sdk "github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/twornn/spectral/datasets"
)

func init() {
	filesystem.Register("shaky", func(context.Context) filesystem.Interface { return shaky })
}

// shaky is a file system in memory, whose files change and whose readings and writings fail as
// a test wants it.
var shaky = &shakyFS{}

type shakyFS struct {
	sync.Mutex
	files  map[string]string
	opened map[string]int
	// open answers the n-th opening of a file, from 1; nil: what is in files.
	open  func(name string, n int) (string, error)
	write error
}

func (f *shakyFS) reset() {
	f.Lock()
	defer f.Unlock()
	f.files, f.opened, f.open, f.write = map[string]string{}, map[string]int{}, nil, nil
}

func (f *shakyFS) Close() error { return nil }

func (f *shakyFS) List(_ context.Context, pattern string) (names []string, err error) {
	f.Lock()
	defer f.Unlock()
	for name := range f.files {
		if ok, _ := filepath.Match(pattern, name); ok {
			names = append(names, name)
		}
	}
	return names, nil
}

func (f *shakyFS) OpenRead(_ context.Context, name string) (io.ReadCloser, error) {
	f.Lock()
	defer f.Unlock()
	f.opened[name]++
	text, err := f.files[name], error(nil)
	if f.open != nil {
		text, err = f.open(name, f.opened[name])
	}
	return io.NopCloser(strings.NewReader(text)), err
}

func (f *shakyFS) OpenWrite(_ context.Context, name string) (io.WriteCloser, error) {
	f.Lock()
	defer f.Unlock()
	f.files[name] = ""
	return &shakyWriter{name: name}, nil
}

type shakyWriter struct {
	name string
	bytes.Buffer
}

// Write writes half of what it is given if writing is to fail.
func (w *shakyWriter) Write(b []byte) (int, error) {
	if shaky.write != nil {
		w.Buffer.Write(b[:len(b)/2])
		return len(b) / 2, shaky.write
	}
	return w.Buffer.Write(b)
}

func (w *shakyWriter) Close() error {
	shaky.Lock()
	defer shaky.Unlock()
	shaky.files[w.name] = w.String()
	return nil
}

func (f *shakyFS) Size(_ context.Context, name string) (int64, error) {
	return int64(len(f.files[name])), nil
}

func (f *shakyFS) Rename(_ context.Context, from, to string) error {
	f.Lock()
	defer f.Unlock()
	f.files[to] = f.files[from]
	delete(f.files, from)
	return nil
}

func (f *shakyFS) Remove(_ context.Context, name string) error {
	f.Lock()
	defer f.Unlock()
	delete(f.files, name)
	return nil
}

// TestWriteLeavesWholeFiles: a file that cannot be written to its end is as it was, and nothing
// is left beside it.
func TestWriteLeavesWholeFiles(t *testing.T) {
	shaky.reset()
	shaky.files["shaky://sums"] = "old"
	shaky.write = errors.New("no space left")
	if err := writeAll(context.Background(), "shaky://sums", []byte("newer")); !errors.Is(err, shaky.write) {
		t.Errorf("error %v", err)
	}
	if got := fmt.Sprint(shaky.files); got != "map[shaky://sums:old]" {
		t.Errorf("left %s", got)
	}
	shaky.write = nil
	if err := writeAll(context.Background(), "shaky://sums", []byte("newer")); err != nil {
		t.Error(err)
	}
	if got := fmt.Sprint(shaky.files); got != "map[shaky://sums:newer]" {
		t.Errorf("left %s", got)
	}
}

// TestFilesThatChange: between their two readings, by a value, a row or altogether, is one error,
// also where the number of windows stays.
func TestFilesThatChange(t *testing.T) {
	const text = "time,wind\n2020-01-01,1\n2020-01-02,2\n2020-01-03,3\n"
	for _, later := range []string{
		strings.Replace(text, ",2\n", ",5\n", 1), text + "2020-01-04,4\n", strings.TrimSuffix(text, "2020-01-03,3\n"), "",
	} {
		shaky.reset()
		shaky.files["shaky://a.csv"], shaky.files["shaky://b.csv"] = text, text
		shaky.open = func(name string, n int) (string, error) {
			if name == "shaky://b.csv" && n == 2 {
				return later, nil
			}
			return text, nil
		}
		f := Files{Pattern: "shaky://*.csv", Window: datasets.Window{Length: 1}}
		_, err := collected(t, func(s sdk.Scope) sdk.PCollection { return Read(s, f) })
		if err == nil || !strings.Contains(err.Error(), "shaky://b.csv was changed while it was read") {
			t.Errorf("%q after %q: %v", later, text, err)
		}
	}
}

// TestEveryFileOnce: whatever patterns, spellings and links lead to it, and every pattern has one.
func TestEveryFileOnce(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"a.csv", "b.csv", "c.txt"} {
		if err := os.WriteFile(at(name), []byte("x\n1\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("b.csv", at("z.csv")), os.Link(at("a.csv"), at("y.csv")), os.Mkdir(at("d"), 0o777)); err != nil {
		t.Fatal(err)
	}
	list := func(patterns ...string) ([]string, error) {
		return Files{Pattern: strings.Join(patterns, ",")}.List(context.Background())
	}
	got, err := list(at("*.csv"), at("a.*"), dir+"/./b.csv", dir+"/d/../c.txt", " ")
	if want := []string{dir + "/./b.csv", at("a.csv"), dir + "/d/../c.txt"}; err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	for _, c := range [][2]string{
		{at("q*.csv"), "no file is called " + at("q*.csv")}, {at("[a"), "is no pattern"}, {at("d"), "is a directory"}, {at("*"), "is a directory"}, {os.DevNull, "a pipe or a device"},
	} {
		if _, err := list(at("a.csv"), c[0]); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s: error %v, want %q", c[0], err, c[1])
		}
		f := Files{Pattern: at("a.csv") + "," + c[0], Window: datasets.Window{Length: 1}}
		if _, err := collected(t, func(s sdk.Scope) sdk.PCollection { return Read(s, f) }); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("%s in a pipeline: error %v, want %q", c[0], err, c[1])
		}
	}
}
