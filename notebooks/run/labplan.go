package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/twornn/spectral/notebooks/internal/nb"
)

// labPlan is what notebooks/lab/drive.mjs is told. Cells are counted from 0, text cells
// too.
type labPlan struct {
	URL      string `json:"url"`
	Browser  string `json:"browser"`
	Sandbox  bool   `json:"sandbox"`
	Pictures string `json:"pictures"` // the folder for pictures of the screen

	Course     []courseNotebook `json:"course"`
	Completion bool             `json:"completion"`
	Live       struct {
		Path    string `json:"path"`
		Drawing int    `json:"drawing"`
		Fitting int    `json:"fitting"`
		After   int    `json:"after"`
	} `json:"live"`
	Failing struct {
		Path   string `json:"path"`
		Panics int    `json:"panics"`
		Wrong  int    `json:"wrong"`
		After  int    `json:"after"`
	} `json:"failing"`
}

// courseNotebook is a notebook of the course, with the number of figures in each cell.
type courseNotebook struct {
	Path  string `json:"path"`
	Cells []int  `json:"cells"`
}

// inCourse are the notebooks of the course that are run in JupyterLab too, if none is
// named. Jupyter runs all of them elsewhere; here one shows that the front end does.
var inCourse = []string{first + ".ipynb"}

// planLab writes the notebooks to be opened into dir.
func (a *app) planLab(dir string) (*labPlan, error) {
	p := &labPlan{Pictures: filepath.Join(nb.Out(a.root), "lab")}
	old, err := filepath.Glob(filepath.Join(p.Pictures, "*.png"))
	if err != nil {
		return nil, err
	}
	for _, path := range old {
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	paths, err := locate(a.args)
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		for _, name := range inCourse {
			paths = append(paths, filepath.Join(a.root, "notebooks", name))
		}
	}
	for _, path := range paths {
		name := filepath.Base(path)
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		n, err := nb.Parse(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if _, err := nb.Replace(filepath.Join(dir, name), data); err != nil {
			return nil, err
		}
		p.Course = append(p.Course, courseNotebook{name, figuresByCell(n)})
	}
	_, err = os.Stat(a.kernel("bin", "gopls"))
	p.Completion = err == nil
	p.Live.Path, p.Live.Drawing, p.Live.Fitting, p.Live.After = "live.ipynb", 1, 2, 3
	p.Failing.Path, p.Failing.Panics, p.Failing.Wrong, p.Failing.After = "failing.ipynb", 1, 2, 3
	for name, cells := range map[string][]string{p.Live.Path: liveCells, p.Failing.Path: failingCells} {
		if _, err := nb.Replace(filepath.Join(dir, name), newNotebook(cells)); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// checkSaved reads the notebooks as JupyterLab saved them.
func (p *labPlan) checkSaved(dir string) error {
	paths := []string{p.Live.Path}
	for _, c := range p.Course {
		paths = append(paths, c.Path)
	}
	for _, path := range paths {
		n, err := nb.Read(filepath.Join(dir, path))
		if err != nil {
			return err
		}
		if problems := nb.Scan(n); len(problems) > 0 {
			return fmt.Errorf("%s, as JupyterLab saved it:\n%s", path, list(problems))
		}
	}
	for _, c := range p.Course {
		n, err := nb.Read(filepath.Join(dir, c.Path))
		if err != nil {
			return err
		}
		if got := figuresByCell(n); !slices.Equal(got, c.Cells) {
			return fmt.Errorf("%s, as JupyterLab saved it, has these numbers of figures in its cells: %v, want %v", c.Path, got, c.Cells)
		}
	}
	// What is at fault is found in what JupyterLab saves, too.
	n, err := nb.Read(filepath.Join(dir, p.Failing.Path))
	if err != nil {
		return err
	}
	problems := nb.Scan(n)
	var cells []int
	for _, problem := range problems {
		cells = append(cells, problem.Cell-1)
	}
	if want := []int{p.Failing.Panics, p.Failing.Wrong}; !slices.Equal(cells, want) {
		return fmt.Errorf("%s, as JupyterLab saved it, should be at fault in the cells %v, and is in %v:\n%s", p.Failing.Path, want, cells, list(problems))
	}
	return nil
}

func figuresByCell(n *nb.Notebook) []int {
	cells := make([]int, len(n.Cells))
	for i, c := range n.Cells {
		for _, o := range c.Outputs {
			if _, ok := o.In("image/png"); ok {
				cells[i]++
			}
		}
	}
	return cells
}

// liveCells draw a live figure for some seconds, and then fit with one until the fit is
// interrupted; it would take some seconds more.
var liveCells = []string{
	`import (
	"github.com/twornn/spectral/datasets"
	"github.com/twornn/spectral/plotting"
	"github.com/twornn/spectral/twornn"
)

// begun prints a line when the joint fit is at work, beside the live figure.
type begun struct {
	*plotting.Live
	said bool
}

func (b *begun) Record(p twornn.Progress) error {
	if !b.said && p.Stage == "refine" && p.Iteration > 2 {
		b.said = true
		fmt.Println("begun")
	}
	return b.Live.Record(p)
}`,
	`%%
live := plotting.NewLive("A residual that falls")
for i := 1; i <= 100; i++ {
	live.Record(twornn.Progress{Stage: "refine", Iteration: i, Residual: math.Exp(-float64(i) / 20)})
	time.Sleep(50 * time.Millisecond)
}
live.Done()`,
	`%%
ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
defer stop()
wind, err := datasets.IrishWind().Select("RPT", "VAL", "DUB", "MAL")
if err != nil {
	log.Fatal(err)
}
live := plotting.NewLive("Convergence")
defer live.Done()
window := datasets.Window{Length: 20, Horizon: 1, Bias: true}
fit, err := twornn.Fit(ctx, wind.Windows(window), twornn.Options{Recorder: &begun{Live: live}})
if err != nil { // where a step takes too long for it to be left in time
	fmt.Println("nothing so far:", err)
	return
}
fmt.Println("reached so far:", fit)`,
	`%%
fmt.Println("the kernel lives")`,
}

// failingCells fail in the two ways a cell can. The kernel goes on.
var failingCells = []string{
	"%%\nfmt.Println(\"well\")",
	"%%\nvar s []int\nfmt.Println(s[2])",
	"%%\nx := 1",
	"%%\nfmt.Println(\"the kernel lives\")",
}

func newNotebook(cells []string) []byte {
	type object = map[string]any
	list := make([]object, len(cells))
	for i, source := range cells {
		list[i] = object{"cell_type": "code", "id": fmt.Sprintf("cell-%02d", i), "metadata": object{}, "execution_count": nil, "outputs": []any{}, "source": source}
	}
	data, err := json.Marshal(object{
		"cells": list, "nbformat": 4, "nbformat_minor": 5,
		"metadata": object{"kernelspec": object{"name": "gonb", "display_name": "Go (twornn)", "language": "go"}},
	})
	if err != nil {
		panic(err) // strings and numbers alone
	}
	return data
}
