package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/twornn/spectral/notebooks/internal/nb"
)

// lab opens the notebooks: in JupyterLab where there is one, else in Notebook.
func (a *app) lab(ctx context.Context) error {
	if err := a.setup(ctx); err != nil {
		return err
	}
	program, args := "lab", []string{first + ".ipynb"}
	version, ok := a.jupyter.Has(ctx, program)
	if !ok {
		program = "notebook"
		version, ok = a.jupyter.Has(ctx, program)
	}
	if !ok {
		return errors.New("this Jupyter can run notebooks but not open them: install JupyterLab beside it (\"pip install jupyterlab\", or on Debian \"apt-get install jupyter-notebook\"), then run this again")
	}
	if os.Geteuid() == 0 {
		args = append(args, "--allow-root")
	}
	args = append(args, a.args...)
	fmt.Printf("\nStarting jupyter %s %s; stop it with Ctrl-C.\n\n", program, version)
	// Kept between starts, so that the layout and the settings are too.
	cmd := a.jupyter.Command(ctx, filepath.Join(nb.Out(a.root), "jupyter"), program, args...)
	cmd.Dir = filepath.Join(a.root, "notebooks")
	// Jupyter asks back at the terminal's own Ctrl-C, and here nobody need answer.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("jupyter %s: %w", program, err)
	}
	return nil
}
