// Package notebooks_test runs every notebook of the course in Jupyter, with the
// kernel of this repository, and reads what comes out. What counts as failing is
// said in package nb.
package notebooks_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/twornn/spectral/notebooks/internal/nb"
)

// Each notebook runs without fault and shows as many figures as the committed
// one; the solutions of its exercises, run behind it, are right, and all other code of its
// solutions runs; and the committed one is fit to be read without running it.
func TestNotebooks(t *testing.T) {
	root, err := nb.Root()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := nb.Course(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Fatal("there is no notebook here")
	}
	for _, path := range paths {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			committed, err := nb.Read(path)
			if err != nil {
				t.Fatal(err)
			}
			report(t, "as committed", nb.Lint(committed, root))

			_, jupyter := kernel(t)
			solved, exercises := withSolutions(t, root, path)
			fresh, err := jupyter.Execute(t.Context(), solved, filepath.Join(t.TempDir(), name))
			if err != nil {
				t.Fatal(err)
			}
			report(t, "run afresh", nb.Scan(fresh))
			checkSolutions(t, fresh, len(committed.Code()), exercises)
			fresh.Cells = fresh.Cells[:len(committed.Cells)] // without those of the solutions
			if strings.HasPrefix(name, "03") {
				upToLIsTheCure(t, fresh)
			}
			if got, want := len(fresh.Figures()), len(committed.Figures()); got != want {
				t.Errorf("run afresh it shows %d figures, committed are %d: run \"make notebooks\"", got, want)
			}
		})
	}
}

func report(t *testing.T, when string, problems []nb.Problem) {
	t.Helper()
	for _, p := range problems {
		t.Errorf("%s: %v", when, p)
	}
}

// A notebook with every kind of fault, between cells that are well: Jupyter takes
// most of them for a success, and each must be found, in its cell and its line.
func TestBrokenNotebook(t *testing.T) {
	t.Parallel()
	_, jupyter := kernel(t)
	cells := []struct{ source, want string }{
		{"%%\nfmt.Println(\"well\")", ""},
		{"%%\nx := 1\nfmt.Println(y)", "line 2 (x := 1): declared and not used: x"},
		{"func third(s []int) int {\n\treturn s[2]\n}", ""},
		{"%%\nfmt.Println(\"starts\")\nfmt.Println(third(nil))",
			"line 3 (fmt.Println(third(nil))): panic: runtime error: index out of range [2] with length 0 (exit status 2)"},
		{"%%\nfmt.Println(\"starts\")\nos.Exit(3)", "line 3 (os.Exit(3)): exit status 3"},
		{"%%\nlog.SetFlags(0)\nlog.Fatal(\"no data\")", "line 3 (log.Fatal(\"no data\")): no data (exit status 1)"},
		{"%%\nif err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {\n\tpanic(err)\n}\nselect {}",
			" (if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {): signal: killed"},
		{"%%\nfmt.Fprintln(os.Stderr, \"a warning\")", ""},
		// The runtime writes a stack in many pieces, and on a busy machine GoNB may read a
		// place in two. Here it surely does.
		{"%%\n_, file, line, _ := runtime.Caller(0)\nfmt.Fprint(os.Stderr, \"panic: in parts\\n\\nmain.main()\\n\\t\", file)\n" +
			"time.Sleep(300 * time.Millisecond)\nfmt.Fprint(os.Stderr, \":\", line, \" +0x1d\\n\")\nsyscall.Exit(2)",
			"line 2 (_, file, line, _ := runtime.Caller(0)): panic: in parts (exit status 2)"},
	}
	sources := make([]string, len(cells))
	for i, c := range cells {
		sources[i] = c.source
	}
	n := execute(t, jupyter, sources...)

	found := make(map[int]string)
	for _, p := range nb.Scan(n) {
		found[p.Cell] += p.String()
	}
	for i, c := range cells {
		got := found[i+1]
		switch {
		case c.want == "" && got != "":
			t.Errorf("%q is well, but: %s", c.source, got)
		case c.want != "" && !strings.HasSuffix(got, c.want):
			t.Errorf("%q:\ngot  %q\nwant %q at its end", c.source, got, c.want)
		}
	}
}

// The kernel starts in a folder of any name and finds the packages of the
// repository it lies in, whatever Go settings it inherits.
func TestKernelInAnyFolder(t *testing.T) {
	root, jupyter := kernel(t)
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod")
	clone := filepath.Join(t.TempDir(), `Mia's "2-RNN", größer $1`)
	// What the cell below imports, and the kernel; the tools are shared.
	for _, dir := range []string{"twornn", filepath.Join("notebooks", "kernel", "kernels")} {
		if err := os.CopyFS(filepath.Join(clone, dir), os.DirFS(filepath.Join(root, dir))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(clone, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	bin := filepath.Join("notebooks", "kernel", "bin")
	if err := os.Symlink(filepath.Join(root, bin), filepath.Join(clone, bin)); err != nil {
		t.Fatal(err)
	}
	n := execute(t, jupyter.In(clone),
		"import \"github.com/twornn/spectral/twornn\"",
		"%%\nn, d, p := twornn.NewModel(5, 3, 2).Dims()\nfmt.Println(n, d, p, os.Getenv(\"GOPROXY\"))")
	report(t, "in "+clone, nb.Scan(n))
	want := "5 3 2 off\n"
	if out := n.Code()[1].Outputs; len(out) != 1 || string(out[0].Text) != want {
		t.Errorf("got %v, want %q", out, want)
	}
}

// Run in its own folder, as exec does, a notebook finds the file beside it, whatever its name,
// and what it writes there stays. Run as a notebook of the course it finds an empty folder.
func TestExecuteInPlace(t *testing.T) {
	t.Parallel()
	_, jupyter := kernel(t)
	made := write(t, "%%\ndata, err := os.ReadFile(\"wind.csv\")\nfmt.Println(string(data), err)\n"+
		"fmt.Println(os.WriteFile(\"made.csv\", data, 0o644))")
	dir := filepath.Dir(made)
	path := filepath.Join(dir, "my [best] wind?.ipynb")
	if err := os.Rename(made, path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "wind.csv"), []byte("knots"), 0o644); err != nil {
		t.Fatal(err)
	}
	n, err := jupyter.ExecuteInPlace(t.Context(), path, filepath.Join(t.TempDir(), "out.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	if out := n.Code()[0].Outputs; len(out) != 1 || string(out[0].Text) != "knots <nil>\n<nil>\n" {
		t.Errorf("got %v", out)
	}
	if data, err := os.ReadFile(filepath.Join(dir, "made.csv")); err != nil || string(data) != "knots" {
		t.Errorf("what it wrote: %q, %v", data, err)
	}
	n, err = jupyter.Execute(t.Context(), path, filepath.Join(t.TempDir(), "out.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	if out := n.Code()[0].Outputs; len(out) != 1 || !strings.Contains(string(out[0].Text), "no such file") {
		t.Errorf("in an empty folder: got %v", out)
	}
}

// A page colours Go as Go, though the kernel does not name its language to nbconvert.
func TestPageColoursGo(t *testing.T) {
	t.Parallel()
	_, jupyter := kernel(t)
	n := write(t, "// double doubles\nfunc double(x int) int { return 2 * x }")
	data, err := os.ReadFile(n)
	if err != nil {
		t.Fatal(err)
	}
	// As an executed notebook has it.
	data = bytes.Replace(data, []byte(`"metadata":{"kernelspec"`),
		[]byte(`"metadata":{"language_info":{"name":"go","pygments_lexer":""},"kernelspec"`), 1)
	if err := os.WriteFile(n, data, 0o644); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "page.html")
	if err := jupyter.Page(t.Context(), n, path, "page", ""); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, span := range []string{`<span class="c1">// double doubles`, `<span class="kd">func</span>`} {
		if !bytes.Contains(page, []byte(span)) {
			t.Errorf("the page has no %s", span)
		}
	}
}

// write writes a notebook of these cells and returns its path.
func write(t *testing.T, sources ...string) string {
	t.Helper()
	type object = map[string]any
	var cells []object
	for _, s := range sources {
		cells = append(cells, object{"cell_type": "code", "metadata": object{}, "execution_count": nil, "outputs": []any{}, "source": s})
	}
	data, err := json.Marshal(object{
		"cells": cells, "nbformat": 4, "nbformat_minor": 4,
		"metadata": object{"kernelspec": object{"name": "gonb", "display_name": "Go", "language": "go"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	src := filepath.Join(t.TempDir(), "made.ipynb")
	if err := os.WriteFile(src, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return src
}

// execute runs a notebook of these cells.
func execute(t *testing.T, jupyter *nb.Jupyter, sources ...string) *nb.Notebook {
	t.Helper()
	n, err := jupyter.Execute(t.Context(), write(t, sources...), filepath.Join(t.TempDir(), "out.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// kernel returns the repository's folder and a Jupyter, or skips the test where
// there is none, as on a machine where somebody just types "go test ./...". In
// "make test" it fails instead, so that the notebooks cannot go untested.
func kernel(t *testing.T) (root string, jupyter *nb.Jupyter) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs a notebook in Jupyter; left out of the short tests")
	}
	once.Do(func() { found.root, found.jupyter, found.err = find(t) })
	if found.err != nil && os.Getenv("TWORNN_REQUIRE_JUPYTER") == "1" {
		t.Fatalf("%v: run \"make setup\"", found.err)
	}
	if found.err != nil {
		t.Skipf("%v: run \"make setup\" to have the notebooks tested", found.err)
	}
	return found.root, found.jupyter
}

var (
	once  sync.Once
	found struct {
		root    string
		jupyter *nb.Jupyter
		err     error
	}
)

func find(t *testing.T) (root string, jupyter *nb.Jupyter, err error) {
	// Nothing acts on it. But Go counts it among what the result depends on, so
	// that "make test", which sets it anew each time, gets no result of earlier.
	_ = os.Getenv("TWORNN_TEST_TIME")

	if root, err = nb.Root(); err != nil {
		return "", nil, err
	}
	if err := touchSources(root); err != nil {
		return "", nil, err
	}
	for _, tool := range []string{"gonb", "goimports"} {
		if _, err := os.Stat(filepath.Join(root, "notebooks", "kernel", "bin", tool)); err != nil {
			return "", nil, errors.New("the kernel's tools are not built")
		}
	}
	jupyter, err = nb.Find(t.Context(), root)
	return root, jupyter, err
}

// touchSources opens every source file of the repository. The kernel compiles
// them in a process of its own, so that Go does not see that the result depends
// on them, and would repeat it after a change.
func touchSources(root string) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if path == nb.Out(root) || path == nb.Venv(root) || name == ".git" {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(name) != ".go" && name != "go.mod" && name != "launch.sh" {
			return nil
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		return f.Close()
	})
}
