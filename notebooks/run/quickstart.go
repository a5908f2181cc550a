package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/twornn/spectral/notebooks/internal/nb"
)

const first = "00_quickstart"

// quickstart takes a fresh clone to a forecast: a table here, figures in a page.
func (a *app) quickstart(ctx context.Context) error {
	a.log.last = setupStages + 2
	if err := a.setup(ctx); err != nil {
		return err
	}
	executed := filepath.Join(nb.Out(a.root), first+".ipynb")
	page := filepath.Join(nb.Out(a.root), first+".html")
	var n *nb.Notebook
	err := a.log.run(ctx, "notebooks/"+first+".ipynb", func(ctx context.Context) (note string, err error) {
		n, err = a.execute(ctx, filepath.Join(a.root, "notebooks", first+".ipynb"), executed)
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("%d cells", len(n.Code())), nil
	})
	if err != nil {
		return err
	}
	err = a.log.run(ctx, "page", func(ctx context.Context) (string, error) {
		return "", a.jupyter.Page(ctx, executed, page, first, "")
	})
	if err != nil {
		return err
	}
	for _, table := range n.Tables() {
		fmt.Printf("\n%s\n", table)
	}
	fmt.Printf("\nThe figures are in notebooks/out/%s.html: open it in a browser.\n", first)
	fmt.Println("To run and change the notebook yourself: make lab")
	return nil
}

// execute runs a notebook and fails if one of its cells did.
func (a *app) execute(ctx context.Context, src, dst string) (*nb.Notebook, error) {
	n, err := a.jupyter.Execute(ctx, src, dst)
	if err != nil {
		return nil, err
	}
	return n, wrong(src, n)
}

// wrong returns an error if a cell of an executed notebook failed.
func wrong(src string, n *nb.Notebook) error {
	if problems := nb.Scan(n); len(problems) > 0 {
		return fmt.Errorf("%s went wrong:\n%s", filepath.Base(src), list(problems))
	}
	return nil
}

func list(problems []nb.Problem) string {
	var b strings.Builder
	for i, p := range problems {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "  %s", p)
	}
	return b.String()
}

// exec runs the named notebooks into notebooks/out, each in its own folder, where its data are.
func (a *app) exec(ctx context.Context) error {
	if len(a.args) == 0 {
		return fmt.Errorf("name the notebooks to run, for instance notebooks/%s.ipynb", first)
	}
	return a.each(ctx, a.args, func(ctx context.Context, path string) (string, error) {
		dst := filepath.Join(nb.Out(a.root), filepath.Base(path))
		n, err := a.jupyter.ExecuteInPlace(ctx, path, dst)
		if err == nil {
			err = wrong(path, n)
		}
		return "notebooks/out/" + filepath.Base(path), err
	})
}

// update runs the notebooks of the course, or those named, and puts the outputs into them as
// they are committed. A notebook that went wrong is left as it was.
func (a *app) update(ctx context.Context) error {
	paths, err := a.named()
	if err != nil {
		return err
	}
	return a.each(ctx, paths, a.updateOne)
}

func (a *app) updateOne(ctx context.Context, path string) (string, error) {
	executed := filepath.Join(nb.Out(a.root), filepath.Base(path))
	if _, err := a.execute(ctx, path, executed); err != nil {
		return "", err
	}
	data, err := os.ReadFile(executed)
	if err != nil {
		return "", err
	}
	if data, err = nb.Clean(data); err != nil {
		return "", err
	}
	n, err := nb.Parse(data)
	if err != nil {
		return "", err
	}
	if problems := nb.Lint(n, a.root); len(problems) > 0 {
		return "", fmt.Errorf("%s is not fit to be committed, so it is left as it was:\n%s", filepath.Base(path), list(problems))
	}
	changed, err := nb.Replace(path, data)
	if err != nil {
		return "", err
	}
	if _, err := a.picture(n, path); err != nil {
		return "", err
	}
	if changed {
		return "written", nil
	}
	return "as it was", nil
}

// pictures makes the pictures of the course's notebooks, or of those named, from the
// outputs they hold. Nothing is run.
func (a *app) pictures(ctx context.Context) error {
	paths, err := a.named()
	if err != nil {
		return err
	}
	a.log.last = len(paths)
	return a.all(ctx, paths, func(_ context.Context, path string) (string, error) {
		n, err := nb.Read(path)
		if err != nil {
			return "", err
		}
		return a.picture(n, path)
	})
}

// What a picture for the README may have: it is shown small, and fetched in every clone.
const (
	pictureColours = 128
	maxPicture     = 60_000 // bytes
)

// picture keeps the figure that stands for a notebook as a file, for the README to show.
func (a *app) picture(n *nb.Notebook, path string) (note string, err error) {
	png, err := n.Picture()
	if err != nil {
		return "", err
	}
	if png, err = nb.Reduce(png, pictureColours); err != nil {
		return "", err
	}
	if len(png) > maxPicture {
		return "", fmt.Errorf("the picture takes %d bytes, more than %d: tag a cell with a simpler figure \"picture\"", len(png), maxPicture)
	}
	name := strings.TrimSuffix(filepath.Base(path), ".ipynb") + ".png"
	_, err = nb.Replace(filepath.Join(a.root, "notebooks", "pictures", name), png)
	return fmt.Sprintf("%d bytes", len(png)), err
}

// named returns the notebooks that the command names, else those of the course.
func (a *app) named() ([]string, error) {
	if len(a.args) > 0 {
		return locate(a.args)
	}
	return nb.Course(a.root)
}

// each finds Jupyter and then does one stage for each notebook.
func (a *app) each(ctx context.Context, paths []string, do func(ctx context.Context, path string) (string, error)) error {
	paths, err := locate(paths)
	if err != nil {
		return err
	}
	a.log.last = setupStages + len(paths)
	if err := a.setup(ctx); err != nil {
		return err
	}
	return a.all(ctx, paths, do)
}

// all does one stage for each notebook, even after one has failed.
func (a *app) all(ctx context.Context, paths []string, do func(ctx context.Context, path string) (string, error)) error {
	failed := false
	for _, path := range paths {
		err := a.log.run(ctx, filepath.Base(path), func(ctx context.Context) (string, error) { return do(ctx, path) })
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			fmt.Fprintln(a.log.w, err)
			failed = true
		}
	}
	if failed {
		return errReported
	}
	return nil
}

// locate returns the full paths of notebooks, given from the caller's folder.
func locate(paths []string) ([]string, error) {
	var full []string
	for _, path := range paths {
		path, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		if _, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("there is no notebook %s", path)
		}
		full = append(full, path)
	}
	return full, nil
}
