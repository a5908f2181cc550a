package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"github.com/twornn/spectral/notebooks/internal/nb"
)

// opener is a way to open the notebooks.
type opener struct {
	name    string   // to be shown
	command []string // the program and its arguments, or
	jupyter *nb.Jupyter
	program string // a program of Jupyter's: lab or notebook
}

// lab opens the notebooks in JupyterLab, wherever it can be had, else in the classic
// Notebook, and then says why and what would change it.
func (a *app) lab(ctx context.Context) error {
	a.log.last = setupStages + 1
	if err := a.setup(ctx); err != nil {
		return err
	}
	var o opener
	err := a.log.stream("JupyterLab", func() (err error) {
		o, err = a.findLab(ctx)
		return err
	})
	if err != nil {
		return err
	}
	// Kept between starts, so that the layout and the settings are too.
	private := filepath.Join(nb.Out(a.root), "jupyter")
	cmd := o.start(ctx, a, private)
	fmt.Printf("\nStarting %s; stop it with Ctrl-C.\n\n", o.name)
	cmd.Dir = filepath.Join(a.root, "notebooks")
	// Jupyter asks back at the terminal's own Ctrl-C, and here nobody need answer.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("%s: %w", o.name, err)
	}
	return nil
}

// findLab tries, in this order: the JupyterLab of the user's own Jupyter; one that pip puts
// into the repository; the front end that npm builds, on Debian's server, as for the test;
// and the classic Notebook.
func (a *app) findLab(ctx context.Context) (opener, error) {
	if version, ok := a.jupyter.Has(ctx, "lab"); ok {
		return opener{name: "JupyterLab " + version, jupyter: a.jupyter, program: "lab"}, nil
	}
	pip := a.venvLab(ctx)
	if pip == nil {
		if j := nb.InVenv(a.root); j != nil {
			version, _ := j.Has(ctx, "lab")
			return opener{name: "JupyterLab " + version + " of notebooks/kernel/venv", jupyter: j, program: "lab"}, nil
		}
	}
	server, npm := a.npmLab(ctx)
	if npm == nil {
		return opener{name: "JupyterLab, its front end from npm", command: server}, nil
	}
	if ctx.Err() != nil {
		return opener{}, ctx.Err()
	}
	why := fmt.Sprintf("pip gave no JupyterLab (%v), nor did npm (%v)", pip, npm)
	const cure = "\"pip install jupyterlab\" beside your Jupyter, or node 20 with npm and, on Debian, \"apt-get install jupyter-server python3-jupyterlab-server\""
	version, ok := a.jupyter.Has(ctx, "notebook")
	if !ok {
		return opener{}, errors.New("this Jupyter can run notebooks but not open them: " + why + "; what would do: " + cure + "; then run this again")
	}
	fmt.Fprintf(a.log.w, "    This is the classic Notebook: %s.\n    For JupyterLab: %s; then run this again.\n", why, cure)
	return opener{name: "the classic Notebook " + version, jupyter: a.jupyter, program: "notebook"}, nil
}

// venvLab makes the repository's own environment, which has JupyterLab, unless it is there.
// Where the front end was built before, pip had failed, and is not asked again.
func (a *app) venvLab(ctx context.Context) error {
	if nb.InstalledVenv(a.root) {
		return nil
	}
	if _, err := os.Stat(filepath.Join(a.npmDir(), "stamp")); err == nil {
		return errors.New("npm's is there")
	}
	fmt.Fprintln(a.log.w, "    pip is asked for JupyterLab: a minute or two, this once")
	return a.makeVenv(ctx)
}

// npmLab builds the front end and returns the command that serves it.
func (a *app) npmLab(ctx context.Context) (server []string, err error) {
	t, err := findFrontEnd(ctx, a.root)
	if err != nil && t.npm != "" && canApt() {
		if err := aptGet(ctx, serverPackages...); err != nil {
			return nil, err
		}
		t, err = findFrontEnd(ctx, a.root)
	}
	if err != nil {
		return nil, err
	}
	if err := a.buildLab(ctx, t); err != nil {
		return nil, err
	}
	private := filepath.Join(nb.Out(a.root), "jupyter")
	return []string{t.python, filepath.Join(a.npmDir(), "server.py"),
		"--ServerApp.root_dir=" + filepath.Join(a.root, "notebooks"),
		"--ServerApp.default_url=/lab/tree/" + first + ".ipynb",
		"--Lab.user_settings_dir=" + filepath.Join(private, "settings"),
		"--Lab.workspaces_dir=" + filepath.Join(private, "workspaces")}, nil
}

// start returns the command that opens the notebooks.
func (o opener) start(ctx context.Context, a *app, private string) *exec.Cmd {
	var more []string
	if os.Geteuid() == 0 {
		more = append(more, "--allow-root")
	}
	more = append(more, a.args...)
	if o.command == nil {
		return o.jupyter.Command(ctx, private, o.program, append([]string{first + ".ipynb"}, more...)...)
	}
	cmd := exec.CommandContext(ctx, o.command[0], append(o.command[1:], more...)...)
	cmd.Env = a.jupyter.Command(ctx, private, "server").Env
	return cmd
}
