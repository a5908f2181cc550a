package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/twornn/spectral/notebooks/internal/nb"
)

// The plan names the committed notebook's figures, and the notebooks it names are there.
func TestPlanLab(t *testing.T) {
	p, dir := planned(t)
	n, err := nb.Read(filepath.Join("..", inCourse[0]))
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, count := range p.Course[0].Cells {
		total += count
	}
	if want := len(n.Figures()); total != want || len(p.Course[0].Cells) != len(n.Cells) {
		t.Errorf("%d figures in %d cells, want %d in %d", total, len(p.Course[0].Cells), want, len(n.Cells))
	}
	for _, path := range []string{p.Course[0].Path, p.Live.Path, p.Failing.Path} {
		if _, err := nb.Read(filepath.Join(dir, path)); err != nil {
			t.Error(err)
		}
	}
	for i, word := range map[int]string{p.Live.Drawing: "plotting.NewLive", p.Live.Fitting: "NotifyContext", p.Live.After: "the kernel lives"} {
		if !strings.Contains(liveCells[i], word) {
			t.Errorf("live cell %d has no %s", i, word)
		}
	}
}

// What JupyterLab saved is read as any executed notebook is: what is wrong is an error.
func TestCheckSaved(t *testing.T) {
	stderr := func(text string) map[string]any {
		return map[string]any{"output_type": "stream", "name": "stderr", "text": text}
	}
	compiler := map[string]any{"output_type": "error", "ename": "ERROR", "evalue": "exit status 1", "traceback": []string{}}
	run := func(t *testing.T) (*labPlan, string) {
		p, dir := planned(t)
		change(t, filepath.Join(dir, p.Live.Path), nil)
		change(t, filepath.Join(dir, p.Failing.Path), map[int]any{p.Failing.Panics: stderr("panic: x\nexit status 2\n"), p.Failing.Wrong: compiler})
		return p, dir
	}
	p, dir := run(t)
	if err := p.checkSaved(dir); err != nil {
		t.Errorf("all is as it should be, but: %v", err)
	}
	for _, c := range []struct {
		what, want string
		break_     func(p *labPlan, dir string)
	}{
		{"a cell of the course fails", "exit status 2", func(p *labPlan, dir string) {
			change(t, filepath.Join(dir, p.Course[0].Path), map[int]any{5: stderr("panic: x\nexit status 2\n")})
		}},
		{"a figure is lost", "numbers of figures", func(p *labPlan, dir string) {
			figure := slices.IndexFunc(p.Course[0].Cells, func(n int) bool { return n > 0 })
			change(t, filepath.Join(dir, p.Course[0].Path), map[int]any{figure: nil})
		}},
		{"the live notebook fails", "signal: interrupt", func(p *labPlan, dir string) {
			change(t, filepath.Join(dir, p.Live.Path), map[int]any{p.Live.Fitting: stderr("signal: interrupt\n")})
		}},
		{"a fault is not seen", "should be at fault in the cells [1 2], and is in [2]", func(p *labPlan, dir string) {
			change(t, filepath.Join(dir, p.Failing.Path), map[int]any{p.Failing.Panics: nil})
		}},
		{"a notebook is gone", "no such file", func(p *labPlan, dir string) {
			if err := os.Remove(filepath.Join(dir, p.Live.Path)); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		p, dir := run(t)
		c.break_(p, dir)
		if err := p.checkSaved(dir); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q in it", c.what, err, c.want)
		}
	}
}

func planned(t *testing.T) (*labPlan, string) {
	t.Helper()
	root, dir := t.TempDir(), t.TempDir()
	data, err := os.ReadFile(filepath.Join("..", inCourse[0]))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := nb.Replace(filepath.Join(root, "notebooks", inCourse[0]), data); err != nil {
		t.Fatal(err)
	}
	a := &app{root: root, log: &progress{w: new(bytes.Buffer)}}
	p, err := a.planLab(dir)
	if err != nil {
		t.Fatal(err)
	}
	return p, dir
}

// change numbers the code cells of a notebook as if they had been run, and gives some
// of the cells other outputs: one, or none for nil.
func change(t *testing.T, path string, outputs map[int]any) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var n map[string]any
	if err := json.Unmarshal(data, &n); err != nil {
		t.Fatal(err)
	}
	count := 0
	for i, c := range n["cells"].([]any) {
		cell := c.(map[string]any)
		if cell["cell_type"] != "code" {
			continue
		}
		count++
		cell["execution_count"] = count
		if o, ok := outputs[i]; ok {
			cell["outputs"] = []any{}
			if o != nil {
				cell["outputs"] = []any{o}
			}
		}
	}
	if data, err = json.Marshal(n); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
